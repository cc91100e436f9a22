// Tests large files: the first device is shown while the rest is read, helpers read planes for the worker, and nothing
// that is shown is lost when a helper ends, a file changes, or the user stops the reading.
import assert from "node:assert/strict";
import { copyFileSync, appendFileSync } from "node:fs";
import { join } from "node:path";
import { synth, temporaryFolder } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, pickFiles, reload, waitForTable, waitUntil } from "./lib.mjs";
import { figures, firstRows, grid, groupBy, sortBy, waitForRows } from "./page_helpers.mjs";

const large = () => synth({ mb: 50, devices: 8, ops: 400 });
const largeDevice = () => synth({ mb: 30, devices: 1, ops: 400 });
const deviceButton = (page) => page.locator("#device-button");
const strip = (page) => page.locator(".waiting:not([hidden])");
const state = async (page) => JSON.stringify([await figures(page), await firstRows(page), await deviceButton(page).innerText()]);
/** Checks that nothing of an earlier state is gone. The figures about the hardware come when the reading has ended. */
const assertKept = (now, before) => {
  const [[figuresNow, ...restNow], [figuresBefore, ...restBefore]] = [JSON.parse(now), JSON.parse(before)];
  assert.deepEqual(restNow, restBefore);
  assert.deepEqual({ ...figuresNow, ...figuresBefore }, figuresNow);
};

/**
 * Sets the number of cores that the page sees, and counts the helpers that it starts. With `hold`, helpers wait for their
 * program until `window.release()`. Reloads the page.
 */
async function setCores(page, cores, { hold = false } = {}) {
  await page.evaluate((cores) => sessionStorage.setItem("cores", cores), cores);
  await page.addInitScript((hold) => {
    if (window.release) return;
    Object.defineProperty(Navigator.prototype, "hardwareConcurrency", { get: () => Number(sessionStorage.getItem("cores")) });
    window.helpers = 0;
    const held = [];
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...rest) {
      const isForHelper = Array.isArray(message) && message[2] instanceof MessagePort;
      window.helpers += isForHelper;
      if (isForHelper && hold) held.push(() => post.call(this, message, ...rest));
      else post.call(this, message, ...rest);
    };
    window.release = () => held.splice(0).forEach((send) => send());
  }, hold);
  await reload(page);
}

async function openFirstDevice(page, file = large()) {
  await setCores(page, 2, { hold: true });
  await pickFiles(page, [file]);
  await waitForTable(page);
  await strip(page).getByText("1 of 8 devices read").waitFor();
  assert.match(await deviceButton(page).innerText(), /TPU:0/);
}

async function waitForAll(page) {
  await waitUntil(() => deviceButton(page).innerText(), (text) => /Mean of 8/.test(text), 30_000);
  await strip(page).waitFor({ state: "detached" });
  await waitForRows(page);
}

onPage("figures and rows are the same with 0, 1 and 7 helpers", { timeout: 240_000 }, async ({ page }) => {
  const states = [];
  for (const cores of [1, 2, 8]) {
    await setCores(page, cores);
    await dropFiles(page, [large()]);
    await waitForTable(page);
    await waitForAll(page);
    await groupBy(page, "Op");
    await waitUntil(() => grid(page).getAttribute("aria-rowcount"), (n) => Number(n) > 100);
    states.push(await state(page));
    // 50 MB are read by at most six workers of 8 MB each.
    assert.equal(await page.evaluate(() => window.helpers), { 1: 0, 2: 1, 8: 5 }[cores]);
    await waitUntil(() => page.workers().length, (n) => n === 1);
  }
  assert.equal(states[1], states[0]);
  assert.equal(states[2], states[0]);
});

onPage("one large device is read by all workers, and its figures are the same with any number of them", { timeout: 240_000 }, async ({ page }) => {
  const states = [];
  for (const [cores, helpers] of [[1, 0], [2, 1], [8, 2]]) {
    await setCores(page, cores);
    await pickFiles(page, [largeDevice()]);
    await waitForTable(page);
    await groupBy(page, "Op");
    await waitUntil(() => grid(page).getAttribute("aria-rowcount"), (n) => Number(n) > 100);
    await waitForRows(page);
    states.push(await state(page));
    // 30 MB are read by at most three workers of 8 MB each.
    assert.equal(await page.evaluate(() => window.helpers), helpers);
    await waitUntil(() => page.workers().length, (n) => n === 1);
  }
  assert.equal(states[1], states[0]);
  assert.equal(states[2], states[0]);
});

onPage("when a helper ends, the worker reads its part of a large device", async ({ page }) => {
  await setCores(page, 2, { hold: true });
  await pickFiles(page, [largeDevice()]);
  await waitUntil(() => page.workers().length, (n) => n >= 2);
  await page.workers().at(-1).evaluate(() => self.close());
  await waitForTable(page);
  await waitForRows(page);
  assert.equal(await page.getByRole("alert").count(), 0);
  assert.match(await deviceButton(page).innerText(), /TPU:0/);
});

onPage("the first device is shown while the rest is read, and the view keeps its state", async ({ page }) => {
  await openFirstDevice(page);
  await groupBy(page, "Category");
  await sortBy(page, "Count", "ascending");
  const before = await firstRows(page);
  await page.evaluate(() => {
    const shown = () => Number(/(\d+) %/.exec(document.querySelector(".waiting")?.textContent)?.[1]);
    window.percents = [shown()];
    new MutationObserver(() => window.percents.push(shown())).observe(document.querySelector(".waiting"), { subtree: true, childList: true, characterData: true });
    window.release();
  });
  await waitForAll(page);
  const percents = (await page.evaluate(() => window.percents)).filter((percent) => percent > 0);
  assert.ok(percents.at(-1) > percents[0] && percents.every((percent, i) => i === 0 || percent >= percents[i - 1]), `${percents}`);
  await waitUntil(async () => (await firstRows(page)).length === before.length && JSON.stringify(await firstRows(page)) !== JSON.stringify(before));
  assert.equal(await grid(page).getAttribute("aria-label"), "Time by category");
  assert.equal(await page.getByRole("columnheader", { name: "Count" }).getAttribute("aria-sort"), "ascending");
  await page.locator("#device-button").click();
  await waitUntil(() => page.locator("#device").getByRole("option").count(), (n) => n === 10);
});

onPage("a device that the address names is chosen when it has been read", async ({ page }) => {
  await page.evaluate(() => (location.hash = "#view=breakdown&device=3"));
  await setCores(page, 2, { hold: true });
  await pickFiles(page, [large()]);
  await waitForTable(page);
  await strip(page).getByText("1 of 8 devices read").waitFor();
  await page.evaluate(() => window.release());
  await waitUntil(() => deviceButton(page).innerText(), (text) => /TPU:3/.test(text), 30_000);
});

onPage("Stop reading keeps the devices that have been read", async ({ page }) => {
  await openFirstDevice(page);
  const before = await state(page);
  await strip(page).getByRole("button", { name: "Stop reading" }).click();
  await strip(page).waitFor({ state: "detached" });
  await waitForRows(page);
  assertKept(await state(page), before);
  await waitUntil(() => page.workers().length, (n) => n === 1);
  await page.getByRole("button", { name: /note/i }).click();
  await page.getByText(/7 planes left out/).waitFor();
});

onPage("a capture that is opened meanwhile replaces the one that is being read", async ({ page }) => {
  await openFirstDevice(page);
  await dropFiles(page, [synth()]);
  await page.locator("#capture-button").getByText("synth-1-2-40").waitFor();
  await page.evaluate(() => window.release());
  await waitUntil(() => page.workers().length, (n) => n === 1);
  assert.equal(await strip(page).count(), 0);
  assert.match(await deviceButton(page).innerText(), /Mean of 2/);
});

for (const [how, end] of [
  ["with an error", () => setTimeout(() => { throw new Error("killed by the test"); })],
  ["without a word", () => self.close()],
]) {
  onPage(`when a helper ends ${how}, the worker reads its planes`, async ({ page }) => {
    await openFirstDevice(page);
    await page.workers().at(-1).evaluate(end);
    await waitForAll(page);
    assert.equal(await page.getByRole("alert").count(), 0);
  });
}

onPage("when a file changes while it is read, what is shown stays, and one message says why", async ({ page }) => {
  const file = join(temporaryFolder, "changes.xplane.pb");
  copyFileSync(large(), file);
  await openFirstDevice(page, file);
  const before = await state(page);
  appendFileSync(file, "more");
  await page.evaluate(() => window.release());
  await page.getByRole("alert").waitFor({ timeout: 30_000 });
  assert.equal(await page.getByRole("alert").count(), 1);
  assert.match(await page.getByRole("alert").innerText(), /The device that was read stays open/);
  await strip(page).waitFor({ state: "detached" });
  assertKept(await state(page), before);
  await groupBy(page, "Kind");
  await waitForRows(page);
});
