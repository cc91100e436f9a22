// What only a browser has, checked from within: `checks.rs`, which is part of the worker of the quick build.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { opened, pickFiles } from "./lib.mjs";

const names = [...readFileSync(new URL("checks.rs", import.meta.url), "utf8").matchAll(/pub fn (check_\w+)/g)].map(([, name]) => name);

onPage("messages and files, in a worker", async ({ page }) => {
  await pickFiles(page, [synth()]);
  await opened(page);
  assert.ok(names.length > 0);
  const [worker] = page.workers();
  for (const name of names) {
    // A failed check panics, which ends the call with an error of its own.
    const failed = await worker.evaluate((name) => { try { wasm_bindgen[name](); } catch (error) { return String(error); } }, name);
    assert.equal(failed, undefined, name);
  }
});
