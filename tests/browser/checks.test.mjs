// Calls each check of `checks/checks.rs` in a worker. A check that fails panics, which ends the call with an error.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, requiredPath, startServer } from "./lib.mjs";

const source = readFileSync(new URL("checks/checks.rs", import.meta.url), "utf8");
const names = [...source.matchAll(/pub fn (check_\w+)/g)].map(([, name]) => name);
assert.ok(names.length > 0);

let browser, server, worker;
before(async () => {
  server = await startServer(requiredPath("ROOFLIGHT_CHECKS"));
  browser = await launch();
  const page = await browser.newPage();
  await page.goto(`${server.url}checks.js`);
  const workerStarted = page.waitForEvent("worker");
  await page.evaluate(() => { window.checks = new Worker(location.href); });
  worker = await workerStarted;
  await worker.evaluate((program) => wasm_bindgen({ module_or_path: program }), `${server.url}checks_bg.wasm`);
});
after(async () => {
  await browser?.close();
  await server?.close();
});

for (const name of names) {
  test(name.replaceAll("_", " "), { timeout: 60_000 }, () => worker.evaluate((name) => wasm_bindgen[name](), name));
}
