// These tests check that no data leaves the page: the policy exists, binds the page and the worker, and a whole session
// sends no request to another origin. (Every other test also asserts that no request leaves the origin: see
// harness.mjs.)
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { folder, synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, opened, reload } from "./lib.mjs";
import { groupBy, pick, sortBy } from "./reading.mjs";

/** Starts a server on another origin, which permits requests from every origin. Returns { url, hits, close }. */
async function stranger() {
  const hits = [];
  const server = createServer((request, response) => {
    hits.push(request.url);
    response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/plain" }).end("hello");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/`, hits, close: () => new Promise((done) => server.close(done)) };
}

const ask = async (url) => {
  try {
    await fetch(url);
    return "came through";
  } catch (error) {
    return error.name;
  }
};

onPage("the policy stands in the page, before anything it could bind", async ({ page }) => {
  const html = await page.evaluate(() => fetch(document.baseURI).then((response) => response.text()));
  const policy = await page.evaluate((text) => new DOMParser().parseFromString(text, "text/html").querySelector("meta[http-equiv='Content-Security-Policy']")?.content, html);
  assert.ok(policy, "no policy");
  assert.ok(html.indexOf("Content-Security-Policy") < html.search(/<(script|link|style|img)\b/), "something comes before it");
  const directives = Object.fromEntries(policy.split(";").map((one) => one.trim().split(/\s+/)).map(([name, ...sources]) => [name, sources]));
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
  const other = await stranger();
  try {
    assert.equal(await page.evaluate(ask, other.url), "TypeError");
    const image = await page.evaluate((url) => new Promise((done) => {
      const image = new Image();
      image.onload = () => done("loaded");
      image.onerror = () => done("refused");
      image.src = url;
    }), other.url);
    assert.equal(image, "refused");
    assert.deepEqual(other.hits, []);
    // The other origin does answer outside the page, so the policy causes the refusal.
    assert.equal(await ask(other.url), "came through");
    assert.equal(other.hits.length, 1);
  } finally {
    await other.close();
  }
});

onPage("nor can the worker", { expected: /content security policy|violates|refused to connect|Failed to load/i }, async ({ page, server }) => {
  await dropFiles(page, [synth()]);
  await opened(page);
  const [worker] = page.workers();
  assert.match(worker.url(), /^blob:/, "a worker from the network would not be bound by the page's policy");
  const other = await stranger();
  try {
    assert.equal(await worker.evaluate(ask, other.url), "TypeError");
    const imported = await worker.evaluate((url) => import(url).then(() => "came through", (error) => error.message), other.url);
    assert.match(imported, /Failed to fetch dynamically imported module/);
    assert.deepEqual(other.hits, []);
    assert.equal(await worker.evaluate(ask, `${server.url}index.html`), "came through", "its own origin it can reach");
  } finally {
    await other.close();
  }
});

onPage("a whole session asks for the page's own files, once each, and nothing else", async ({ page, server, requests }) => {
  await reload(page);
  await dropFiles(page, [synth()]);
  await opened(page);
  for (const by of ["Category", "Kind", "Source", "Program", "Op"]) await groupBy(page, by);
  await sortBy(page, "Count", "descending");
  await pick(page, "device", "TPU:1");
  await pick(page, "step", "Whole capture");
  await page.keyboard.press("?");
  await page.keyboard.press("Escape");
  await dropFiles(page, [synth({ devices: 1 })]);
  await page.getByText("synth-1-1-40").first().waitFor();
  const { origin, pathname } = new URL(server.url);
  const names = requests.map((url) => new URL(url)).filter((url) => url.origin === origin && url.protocol !== "blob:").map((url) => url.pathname.slice(pathname.length));
  // The listener must see the requests of the workers, which import their script. Otherwise the test would not cover
  // them.
  assert.ok(names.filter((name) => /^worker.*\.js$/.test(name)).length > 1, names.join());
  // The page fetches the program of its workers once for each of the two page loads.
  assert.equal(names.filter((name) => name.endsWith(".wasm")).length, 2, names.join());
  assert.ok(names.every((name) => /^$|^[\w.-]+\.(html|js|wasm|css|svg)$/.test(name)), names.join());
  assert.ok(server.requests.every((path) => path.startsWith(pathname)), "and the server saw no other path");
});

onPage("names from a file are text, never markup", async ({ page }) => {
  const evil = `<img src=x onerror=alert(1)>.xplane.pb`;
  copyFileSync(synth(), join(folder, evil));
  await dropFiles(page, [join(folder, evil)]);
  await opened(page);
  assert.equal(await page.title(), `${evil} · Rooflight`);
  assert.equal(await page.locator("img").count(), 0);
});
