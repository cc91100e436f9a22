// These tests crash the worker. The page shows a message, keeps its content, and reads the files again. If the worker
// fails again, the page does not start another one by itself.
import assert from "node:assert/strict";
import { synth } from "./captures.mjs";
import { holdReplies, onPage } from "./harness.mjs";
import { assertStays, dropFiles, reload, waitForTable, waitUntil } from "./lib.mjs";
import { readMessages } from "./messages.mjs";
import { column, compareNaturally, figures, firstRows, groupBy, pick, sortBy, waitForRows } from "./page_helpers.mjs";

/** Throws an uncaught error in the worker, like a Rust panic or exhausted memory. */
const crashWorker = (page) => page.workers()[0].evaluate(() => void setTimeout(() => { throw new Error("killed by the test"); }));

onPage("when the worker fails, the page shows an error, keeps its contents, and recovers", async ({ page }) => {
  await dropFiles(page, [synth()]);
  await waitForTable(page);
  await pick(page, "device", "TPU:1");
  await pick(page, "step", "Step 12");
  await groupBy(page, "Category");
  await sortBy(page, "Count", "ascending");
  const before = [await figures(page), await firstRows(page), await page.title()];
  const [first] = page.workers();
  await crashWorker(page);
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.match(await alert.innerText(), /The analysis stopped/);
  assert.match(await alert.innerText(), /killed by the test/);
  assert.match(await alert.innerText(), /what is on screen stays/);
  assert.deepEqual([await figures(page), await firstRows(page), await page.title()], before);
  await waitUntil(() => page.workers().length === 1 && page.workers()[0] !== first);
  // The page reads the files again without a progress bar, and keeps device, step, grouping and order.
  assert.equal(await page.getByRole("progressbar").count(), 0);
  await waitUntil(async () => JSON.stringify([await figures(page), await firstRows(page), await page.title()]), (state) => state === JSON.stringify(before));
  await groupBy(page, "Op");
  await sortBy(page, "Op", "ascending");
  const names = await column(page, "Op");
  assert.deepEqual(names, [...names].sort(compareNaturally));
  await page.keyboard.press("Escape");
  await alert.waitFor({ state: "detached" });
});

for (const kind of ["Opened", "Breakdown"]) {
  onPage(`a grouping that is chosen before the ${kind} reply of a restarted worker is shown after it`, async ({ page }) => {
    await holdReplies(page, { kind, holding: false });
    await dropFiles(page, [synth()]);
    await waitForTable(page);
    await page.evaluate(() => (window.holding = true));
    const [first] = page.workers();
    await crashWorker(page);
    await waitUntil(() => page.workers().length === 1 && page.workers()[0] !== first);
    await page.waitForFunction(() => window.held.length);
    await page.getByRole("group", { name: "Group by" }).getByRole("button", { name: "Kind" }).click();
    await page.evaluate(() => window.release());
    await page.getByRole("grid", { name: "Time by kind" }).waitFor();
    await waitForRows(page);
    await sortBy(page, "Self", "ascending");
  });
}

onPage("a worker that fails twice is not restarted until the user opens a file", async ({ page }) => {
  await dropFiles(page, [synth()]);
  await waitForTable(page);
  const before = await firstRows(page);
  const [first] = page.workers();
  await crashWorker(page);
  await waitUntil(() => page.workers().length === 1 && page.workers()[0] !== first);
  await waitForRows(page);
  await sortBy(page, "Count", "descending");
  await sortBy(page, "Self", "descending");
  await crashWorker(page);
  await waitUntil(() => page.workers().length, (n) => n === 0);
  assert.match(await page.getByRole("alert").last().innerText(), /drop the files again to go on/);
  assert.deepEqual(await firstRows(page), before, "the rows stay on screen");
  // A request without a worker must not leave the page waiting.
  await page.getByRole("group", { name: "Group by" }).getByRole("button", { name: "Kind" }).click();
  await waitForRows(page);
  await dropFiles(page, [synth({ devices: 1 })]);
  await page.locator("#capture-button").getByText("synth-1-1-40").waitFor();
  await groupBy(page, "Category");
  assert.equal(await page.getByRole("alert").count(), 0);
});

onPage("when the worker fails during a load, the page shows an error and can load again", async ({ page }) => {
  await holdReplies(page);
  await dropFiles(page, [synth()]);
  await page.getByRole("progressbar").waitFor();
  await crashWorker(page);
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /The analysis stopped/);
  assert.equal(await page.getByRole("progressbar").count(), 0);
  await page.evaluate(() => window.release());
  await dropFiles(page, [synth()]);
  await waitForTable(page);
});

onPage("when the worker ends without an error, the page shows an error, keeps its contents, and recovers", async ({ page }) => {
  await dropFiles(page, [synth()]);
  await waitForTable(page);
  const before = [await figures(page), await firstRows(page)];
  const [first] = page.workers();
  await first.evaluate(() => self.close());
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.match(await alert.innerText(), /The analysis stopped.*The browser gives no reason\. The files are being read again/s);
  await waitUntil(() => page.workers().length === 1 && page.workers()[0] !== first);
  assert.deepEqual([await figures(page), await firstRows(page)], before);
  await groupBy(page, "Category");
});

onPage("when the worker ends without an error during a load, the page shows an error", async ({ page }) => {
  await holdReplies(page);
  await dropFiles(page, [synth()]);
  await page.getByRole("progressbar").waitFor();
  await page.workers()[0].evaluate(() => self.close());
  await page.getByRole("alert").getByText("The analysis stopped").waitFor();
});

onPage("the page shows no error when it terminates its worker itself", async ({ page }) => {
  await dropFiles(page, [synth()]);
  await waitForTable(page);
  await dropFiles(page, [synth({ devices: 1 })]);
  await page.locator("#capture-button").getByText("synth-1-1-40").waitFor();
  await waitUntil(() => page.workers().length, (n) => n === 1);
  await assertStays(() => page.getByRole("alert").count(), (n) => n === 0);
});

/** Blocks the worker for `ms` milliseconds, so that its next reply is late. */
const blockWorker = (page, ms) => page.workers()[0].evaluate((ms) => void setTimeout(() => { const end = Date.now() + ms; while (Date.now() < end); }), ms);

onPage("a slow request is announced, can be cancelled and repeated, and the page keeps its contents", async ({ page }) => {
  await dropFiles(page, [synth()]);
  await waitForTable(page);
  const waiting = page.locator(".waiting:not([hidden])");
  // Compare only five rows, because another picture changes the number of rows in view.
  const screenState = async () => [await figures(page), await firstRows(page)];
  const before = await screenState();
  assert.equal(await waiting.count(), 0);
  const [first] = page.workers();
  await blockWorker(page, 60_000);
  await page.getByRole("group", { name: "Picture" }).getByRole("button", { name: "Steps", exact: true }).click();
  const requestTime = Date.now();
  await waiting.getByText("Computing").waitFor();
  assert.ok(Date.now() - requestTime < 2000, "the message appears long before the reply");
  await waiting.getByRole("button", { name: "Cancel" }).click();
  await waiting.getByText("Cancelled").waitFor();
  await waitUntil(() => page.workers().length === 1 && page.workers()[0] !== first);
  assert.equal(await page.getByRole("alert").count(), 0, "a cancelled request is not an error");
  assert.deepEqual(await screenState(), before);
  // The page does not repeat the request by itself.
  await assertStays(() => page.locator(".picture-pane .scene rect").count(), (n) => n === 0);
  await waiting.getByRole("button", { name: "Compute" }).click();
  await page.locator(".picture-pane .scene").first().waitFor();
  await waitUntil(() => waiting.count(), (n) => n === 0);
});

onPage("when a slow grouping is cancelled, the previous grouping stays", async ({ page }) => {
  await dropFiles(page, [synth()]);
  await waitForTable(page);
  const before = await firstRows(page);
  await blockWorker(page, 60_000);
  await page.getByRole("group", { name: "Group by" }).getByRole("button", { name: "Kind" }).click();
  await page.locator(".waiting").getByRole("button", { name: "Cancel" }).click();
  await waitUntil(() => page.getByRole("group", { name: "Group by" }).getByRole("button", { name: "Op", exact: true }).getAttribute("aria-pressed"), (pressed) => pressed === "true");
  assert.deepEqual(await firstRows(page), before);
  await groupBy(page, "Category");
});

onPage("the page reports that it and its worker are of different builds", async ({ page }) => {
  await readMessages(page);
  await page.addInitScript(() => {
    const RealWorker = window.Worker;
    window.Worker = class extends RealWorker {
      set onmessage(handler) {
        super.onmessage = handler && ((event) => {
          const { id, kind } = window.messageOf(event.data, "Reply");
          const build = new TextEncoder().encode("an older one");
          if (kind === "Hello") event.data[0] = Uint8Array.of(id, 0, build.length, ...build);
          handler(event);
        });
      }
    };
  });
  await reload(page);
  await dropFiles(page, [synth()]);
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.match(await alert.innerText(), /different builds/);
  assert.match(await alert.innerText(), /an older one.*Reload the page/s);
});
