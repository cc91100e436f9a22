// These tests open the page without a network, with a newer build next to an older one, and under a sub-path of a host
// that sends no special headers.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { synth } from "./captures.mjs";
import { launch, openPage, pickFiles, reload, requiredPath, startServer, waitForApp, waitForTable, waitUntil } from "./lib.mjs";
import { share } from "./sharing.mjs";

const PATH = "/some/sub/path/";
const VIEWS = ["Breakdown", "Roofline", "Memory", "Communication", "File"];

let browser;
before(async () => {
  synth();
  browser = await launch();
});
after(() => browser?.close());

/** Copies the built page into a temporary folder, where a test can change it. Returns the folder. */
function copyDist() {
  const folder = mkdtempSync(join(tmpdir(), "rooflight-dist-"));
  cpSync(requiredPath("ROOFLIGHT_DIST"), folder, { recursive: true });
  return folder;
}

/** Turns the copy into a newer build: the same page, whose style sheet has another name. Returns both names. */
function makeNewerBuild(folder) {
  const [oldName] = readdirSync(folder).filter((name) => /^tokens-.*\.css$/.test(name));
  const newName = oldName.replace(/[0-9a-f](?=\.css$)/, (digit) => (digit === "0" ? "1" : "0"));
  for (const file of ["index.html", "sw.js"]) {
    writeFileSync(join(folder, file), readFileSync(join(folder, file), "utf8").replaceAll(oldName, newName).replace(/(const BUILD = ")./, "$1x"));
  }
  cpSync(join(folder, oldName), join(folder, newName));
  return { oldName, newName };
}

/** Waits until the service worker has cached the whole page. Returns the names of the caches. */
const waitForCache = (page) => page.evaluate(() => navigator.serviceWorker.ready.then(() => caches.keys()));
const styleSheetHref = (page) => page.locator("link[rel=stylesheet]").first().getAttribute("href");

test("after one visit the whole page works without a network", { timeout: 120_000 }, async () => {
  const server = await startServer(requiredPath("ROOFLIGHT_DIST"), { base: PATH });
  const { page, problems, close } = await openPage(browser, server.url, { serviceWorkers: "allow", view: "breakdown" });
  const [cache, ...more] = await waitForCache(page);
  assert.ok(cache.startsWith(`rooflight ${server.url} `) && more.length === 0, cache);
  // The page still fetches the worker's program, and the end of the server would cut this transfer.
  await page.waitForLoadState("networkidle");
  await server.close();
  await reload(page);
  await pickFiles(page, [synth()]);
  await waitForTable(page);
  for (const name of VIEWS) {
    await page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
    await page.getByRole("tabpanel", { name: new RegExp(`^${name}`) }).first().waitFor();
  }
  await share(page, "HTML file");
  assert.equal(await page.getByText(/could not be fetched/).count(), 0);
  assert.deepEqual(problems.filter((problem) => !/ERR_CONNECTION_REFUSED|ERR_FAILED/.test(problem)), []);
  await close();
});

test("a newer build is shown at once, and the older build is deleted when no tab shows it", { timeout: 120_000 }, async () => {
  const folder = copyDist();
  const server = await startServer(folder, { base: PATH });
  const { page, close } = await openPage(browser, server.url, { serviceWorkers: "allow", view: "breakdown" });
  const [olderCache] = await waitForCache(page);
  const { oldName, newName } = makeNewerBuild(folder);
  // The open page keeps the older build, whose files stay available.
  const secondPage = await page.context().newPage();
  await secondPage.goto(server.url);
  await waitForApp(secondPage);
  assert.equal(await styleSheetHref(secondPage), `./${newName}`);
  assert.equal(await styleSheetHref(page), `./${oldName}`);
  await waitUntil(() => secondPage.evaluate(() => caches.keys()), (names) => names.length === 2);
  await pickFiles(page, [synth()]);
  await waitForTable(page);
  await page.getByRole("tab", { name: /^Roofline/ }).click();
  await page.getByRole("tabpanel", { name: /^Roofline/ }).waitFor();
  // A page beside the scope of the service worker shares its caches, and sees them while no tab shows either build.
  const outsidePage = await page.context().newPage();
  await outsidePage.goto(new URL("/", server.url).href);
  await secondPage.goto("about:blank");
  await page.close();
  const names = await waitUntil(() => outsidePage.evaluate(() => caches.keys()), (names) => names.length === 1);
  assert.notEqual(names[0], olderCache);
  await server.close();
  await secondPage.goto(server.url);
  await waitForApp(secondPage);
  assert.equal(await styleSheetHref(secondPage), `./${newName}`);
  await close();
});

test("the page works under a sub-path of a plain host and requests nothing outside that path", { timeout: 180_000 }, async () => {
  const server = await startServer(requiredPath("ROOFLIGHT_DIST"), { base: PATH });
  const { page, problems, close } = await openPage(browser, server.url, { serviceWorkers: "allow", view: "breakdown" });
  const foreignUrls = [];
  page.context().on("request", (request) => /^(blob|data):/.test(request.url()) || request.url().startsWith(server.url) || foreignUrls.push(request.url()));
  await page.goto(server.url);
  await waitForApp(page);
  await waitForCache(page);
  // The browser needs these icons to install the page.
  const manifest = await page.evaluate(() => fetch(document.querySelector("link[rel=manifest]").href).then((response) => response.json()));
  for (const { src, sizes } of manifest.icons) {
    const size = await page.evaluate((src) => new Promise((done, reject) => {
      const image = new Image();
      image.onload = () => done(`${image.width}x${image.height}`);
      image.onerror = reject;
      image.src = src;
    }), src);
    assert.equal(size, sizes);
  }
  await page.getByRole("button", { name: "Open the sample" }).click();
  await waitForTable(page);
  for (const name of VIEWS) {
    await page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
    await page.getByRole("tabpanel", { name: new RegExp(`^${name}`) }).first().waitFor();
  }
  await page.getByRole("tab", { name: /^Breakdown/ }).click();
  await waitForTable(page);
  await page.locator("[data-row='0'] [role=gridcell]").first().click();
  await page.keyboard.press("Enter");
  await page.locator(".side-panel .panel-hlo").first().waitFor();
  await share(page);
  assert.deepEqual(foreignUrls, [], "no request leaves the folder of the page");
  assert.deepEqual(problems, []);
  assert.ok(server.requests.every((path) => path.startsWith(PATH)), server.requests.join(" "));
  await close();
  await server.close();
});
