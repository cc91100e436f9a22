// These tests check that no data leaves the page: the policy exists, applies to the page and the worker, and a whole
// session sends no request to another origin. (Every other test also asserts that no request leaves the origin: see
// harness.mjs.)
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { synth, temporaryFolder } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, reload, waitForTable } from "./lib.mjs";
import { groupBy, pick, sortBy } from "./page_helpers.mjs";

/** Starts a server on another origin, which permits requests from every origin. Returns { url, hits, close }. */
async function startForeignServer() {
  const hits = [];
  const server = createServer((request, response) => {
    hits.push(request.url);
    response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/plain" }).end("hello");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/`, hits, close: () => new Promise((done) => server.close(done)) };
}

const tryFetch = async (url) => {
  try {
    await fetch(url);
    return "succeeded";
  } catch (error) {
    return error.name;
  }
};

onPage("the content security policy precedes everything in the page that it restricts", async ({ page }) => {
  const html = await page.evaluate(() => fetch(document.baseURI).then((response) => response.text()));
  const policy = await page.evaluate((text) => new DOMParser().parseFromString(text, "text/html").querySelector("meta[http-equiv='Content-Security-Policy']")?.content, html);
  assert.ok(policy, "the page has a policy");
  assert.ok(html.indexOf("Content-Security-Policy") < html.search(/<(script|link|style|img)\b/), "nothing precedes the policy");
  const directives = Object.fromEntries(policy.split(";").map((directive) => directive.trim().split(/\s+/)).map(([name, ...sources]) => [name, sources]));
  assert.deepEqual(directives["default-src"], ["'none'"]);
  // The page's first script adds a second policy, which permits only the page's own origin and the origin that the
  // address names. The browser enforces both policies.
  assert.deepEqual(directives["connect-src"], ["'self'", "https:", "http:"]);
  const added = await page.evaluate(() => [...document.querySelectorAll("meta[http-equiv]")].map((meta) => meta.content));
  assert.deepEqual(added.slice(1), ["connect-src 'self' "]);
  delete directives["connect-src"];
  assert.deepEqual(directives["style-src"], ["'self'"]);
  assert.deepEqual(directives["worker-src"], ["'self'", "blob:"]);
  for (const [name, sources] of Object.entries(directives)) {
    assert.ok(!sources.some((source) => /unsafe-inline|unsafe-eval'|\*|https?:/.test(source.replace("'wasm-unsafe-eval'", ""))), `${name} ${sources}`);
  }
  assert.match(directives["script-src"].join(" "), /'sha256-[A-Za-z0-9+/]{43}='/);
});

onPage("the page cannot reach another origin", { expected: /content security policy|violates|refused to connect|Failed to load/i }, async ({ page }) => {
  const foreign = await startForeignServer();
  try {
    assert.equal(await page.evaluate(tryFetch, foreign.url), "TypeError");
    const image = await page.evaluate((url) => new Promise((done) => {
      const image = new Image();
      image.onload = () => done("loaded");
      image.onerror = () => done("refused");
      image.src = url;
    }), foreign.url);
    assert.equal(image, "refused");
    assert.deepEqual(foreign.hits, []);
    // The other origin does answer outside the page, so the policy causes the refusal.
    assert.equal(await tryFetch(foreign.url), "succeeded");
    assert.equal(foreign.hits.length, 1);
  } finally {
    await foreign.close();
  }
});

onPage("the worker cannot reach another origin", { expected: /content security policy|violates|refused to connect|Failed to load/i }, async ({ page, server }) => {
  await dropFiles(page, [synth()]);
  await waitForTable(page);
  const [worker] = page.workers();
  assert.match(worker.url(), /^blob:/, "the page's policy would not apply to a worker from the network");
  const foreign = await startForeignServer();
  try {
    assert.equal(await worker.evaluate(tryFetch, foreign.url), "TypeError");
    const imported = await worker.evaluate((url) => import(url).then(() => "succeeded", (error) => error.message), foreign.url);
    assert.match(imported, /Failed to fetch dynamically imported module/);
    assert.deepEqual(foreign.hits, []);
    assert.equal(await worker.evaluate(tryFetch, `${server.url}index.html`), "succeeded", "the worker can reach its own origin");
  } finally {
    await foreign.close();
  }
});

onPage("a whole session requests only the page's own files, and the worker's program once per page load", async ({ page, server, requests }) => {
  // The first page load may still fetch the program of its worker.
  await page.waitForLoadState("networkidle");
  const first = requests.length;
  await reload(page);
  await dropFiles(page, [synth()]);
  await waitForTable(page);
  for (const by of ["Category", "Kind", "Source", "Program", "Op"]) await groupBy(page, by);
  await sortBy(page, "Count", "descending");
  await pick(page, "device", "TPU:1");
  await pick(page, "step", "Whole capture");
  await page.keyboard.press("?");
  await page.keyboard.press("Escape");
  await dropFiles(page, [synth({ devices: 1 })]);
  await page.getByText("synth-1-1-40").first().waitFor();
  const { origin, pathname } = new URL(server.url);
  const names = requests.slice(first).map((url) => new URL(url)).filter((url) => url.origin === origin && url.protocol !== "blob:").map((url) => url.pathname.slice(pathname.length));
  // The listener must see the requests of the workers, which import their script. Otherwise the test would not cover
  // them.
  assert.ok(names.filter((name) => /^worker.*\.js$/.test(name)).length > 1, names.join());
  // The page fetches its own program and that of its workers once.
  assert.equal(names.filter((name) => name.endsWith(".wasm")).length, 2, names.join());
  assert.ok(names.every((name) => /^$|^[\w.-]+\.(html|js|wasm|css|svg)$/.test(name)), names.join());
  assert.ok(server.requests.every((path) => path.startsWith(pathname)), "the server receives no request for another path");
});

onPage("names from a file are shown as text and never as markup", async ({ page }) => {
  const hostileName = `<img src=x onerror=alert(1)>.xplane.pb`;
  copyFileSync(synth(), join(temporaryFolder, hostileName));
  await dropFiles(page, [join(temporaryFolder, hostileName)]);
  await waitForTable(page);
  assert.equal(await page.title(), `${hostileName} · Rooflight`);
  assert.equal(await page.locator("img").count(), 0);
});
