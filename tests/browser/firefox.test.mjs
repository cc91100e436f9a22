// Tests the page in Firefox: the served page and single-file pages from a disk must open, make no request to another
// place, and show the same as in Chromium. The tests are reported as skipped when ROOFLIGHT_FIREFOX is not set.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import puppeteer from "puppeteer-core";
import { simulatedRun, temporaryFolder } from "./captures.mjs";
import { launch, openPage, requiredPath, startServer } from "./lib.mjs";

const executablePath = process.env.ROOFLIGHT_FIREFOX;
const skip = executablePath ? false : "no Firefox";
const FIRST_CELL = "[role=grid] [data-row='0'] [role=gridcell]";
const VIEWS = { roofline: ".roofline .scene path", memory: ".memory .scene path", communication: ".comm .grid [data-row='0']" };

let firefox;
let chromium;
before(async () => {
  if (skip) return;
  firefox = await puppeteer.launch({ browser: "firefox", executablePath, headless: true });
  chromium = await launch();
});
after(async () => {
  await firefox?.close();
  await chromium?.close();
});

/** Returns the figures and the first ten rows of the breakdown on screen, once all figures are there. */
async function shownContent(page) {
  await page.waitForFunction(() => !document.querySelector(".figures[aria-busy=true]"));
  return page.evaluate(() => ({
    figures: [...document.querySelectorAll(".figure")].map((figure) => figure.textContent.trim()),
    rows: [...document.querySelectorAll("[data-row]")].slice(0, 10).map((row) => row.textContent.trim()),
  }));
}

/**
 * Opens a page in Firefox. Returns the page, its problems (console warnings, errors, uncaught errors) and the URLs that
 * it requests.
 */
async function openInFirefox(url) {
  const page = await firefox.newPage();
  await page.setViewport({ width: 1440, height: 900 });
  const [problems, requests] = [[], []];
  page.on("console", (line) => ["error", "warn"].includes(line.type()) && problems.push(line.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(url);
  return { page, problems, requests };
}

test("the served page opens the sample and draws every view", { skip, timeout: 120_000 }, async () => {
  const server = await startServer(requiredPath("ROOFLIGHT_DIST"));
  const { page, problems, requests } = await openInFirefox(`${server.url}#v=1&view=breakdown`);
  const button = await page.waitForSelector("::-p-text(Open the sample)");
  await button.click();
  await page.waitForSelector(FIRST_CELL, { timeout: 60_000 });
  const reference = await openPage(chromium, server.url, { view: "breakdown" });
  await reference.page.getByRole("button", { name: "Open the sample" }).click();
  await reference.page.locator(FIRST_CELL).first().waitFor();
  assert.deepEqual(await shownContent(page), await shownContent(reference.page));
  await reference.close();
  for (const [view, selector] of Object.entries(VIEWS)) {
    await page.click(`#tab-${view}`);
    await page.waitForSelector(selector, { timeout: 30_000 });
  }
  assert.deepEqual(requests.filter((url) => !/^(blob|data):/.test(url) && !url.startsWith(server.url)), []);
  assert.deepEqual(problems, []);
  await page.close();
  await server.close();
});

for (const withCapture of [false, true]) {
  test(`a single-file page ${withCapture ? "with the capture" : "with the report only"} opens from a disk`, { skip, timeout: 120_000 }, async () => {
    const path = join(temporaryFolder, `firefox-${withCapture}.html`);
    const args = ["report", simulatedRun("--steps", "3").captures[0], "--html", path, "--app", requiredPath("ROOFLIGHT_DIST")];
    execFileSync(requiredPath("ROOFLIGHT_CLI"), withCapture ? [...args, "--with-capture"] : args);
    const { page, problems, requests } = await openInFirefox(`file://${path}`);
    // Once the overview is there, the breakdown has its device from the start.
    await page.waitForSelector(".verdict", { timeout: 60_000 });
    await page.click("#tab-breakdown");
    await page.waitForSelector(FIRST_CELL, { timeout: 60_000 });
    const context = await chromium.newContext({ offline: true, viewport: { width: 1440, height: 900 } });
    const reference = await context.newPage();
    await reference.goto(`file://${path}`);
    await reference.locator(".verdict").waitFor();
    await reference.locator("#tab-breakdown").click();
    await reference.locator(FIRST_CELL).first().waitFor();
    assert.deepEqual(await shownContent(page), await shownContent(reference));
    assert.equal((await page.$$(".strip.summary")).length, withCapture ? 0 : 1);
    for (const [view, selector] of Object.entries(VIEWS)) {
      await page.click(`#tab-${view}`);
      await page.waitForSelector(selector, { timeout: 30_000 });
    }
    // The network stays on, so the list of requests shows that the page makes none.
    assert.deepEqual(requests.filter((url) => !/^(blob|data):/.test(url) && url !== `file://${path}`), []);
    assert.deepEqual(problems, []);
    await page.close();
    await context.close();
  });
}
