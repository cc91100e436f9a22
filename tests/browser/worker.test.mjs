// These tests kill the worker. The page shows a message, keeps its content, and reads the files again. If the worker
// dies again, the page does not start another one by itself.
import assert from "node:assert/strict";
import { synth } from "./captures.mjs";
import { holdLoads, onPage } from "./harness.mjs";
import { dropFiles, opened, reload, stays, until } from "./lib.mjs";
import { readMessages } from "./messages.mjs";
import { column, figures, groupBy, naturally, pick, seenRows, settled, sortBy } from "./reading.mjs";

/** Throws an uncaught error in the worker, like a Rust panic or exhausted memory. */
const kill = (page) => page.workers()[0].evaluate(() => void setTimeout(() => { throw new Error("killed by the test"); }));

onPage("it is told, what was on screen stays, and it works again", async ({ page }) => {
  await dropFiles(page, [synth()]);
  await opened(page);
  await pick(page, "device", "TPU:1");
  await pick(page, "step", "Step 12");
  await groupBy(page, "Category");
  await sortBy(page, "Count", "ascending");
  const before = [await figures(page), await seenRows(page), await page.title()];
  const [first] = page.workers();
  await kill(page);
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.match(await alert.innerText(), /The analysis stopped/);
  assert.match(await alert.innerText(), /killed by the test/);
  assert.match(await alert.innerText(), /what is on screen stays/);
  assert.deepEqual([await figures(page), await seenRows(page), await page.title()], before);
  await until(() => page.workers().length === 1 && page.workers()[0] !== first);
  // The page reads the files again without a progress bar, and keeps device, step, grouping and order.
  assert.equal(await page.getByRole("progressbar").count(), 0);
  await until(async () => JSON.stringify([await figures(page), await seenRows(page), await page.title()]), (now) => now === JSON.stringify(before));
  await groupBy(page, "Op");
  await sortBy(page, "Op", "ascending");
  const names = await column(page, "Op");
  assert.deepEqual(names, [...names].sort(naturally));
  await page.keyboard.press("Escape");
  await alert.waitFor({ state: "detached" });
});

for (const kind of ["Opened", "Breakdown"]) {
  onPage(`what is chosen while the files are read again, before ${kind}, is shown after`, async ({ page }) => {
    await holdLoads(page, { kind, holding: false });
    await dropFiles(page, [synth()]);
    await opened(page);
    await page.evaluate(() => (window.holding = true));
    const [first] = page.workers();
    await kill(page);
    await until(() => page.workers().length === 1 && page.workers()[0] !== first);
    await page.waitForFunction(() => window.held.length);
    await page.getByRole("group", { name: "Group by" }).getByRole("button", { name: "Kind" }).click();
    await page.evaluate(() => window.release());
    await page.getByRole("grid", { name: "Time by kind" }).waitFor();
    await settled(page);
    await sortBy(page, "Self", "ascending");
  });
}

onPage("one that dies again is not started a third time; opening again helps", async ({ page }) => {
  await dropFiles(page, [synth()]);
  await opened(page);
  const before = await seenRows(page);
  const [first] = page.workers();
  await kill(page);
  await until(() => page.workers().length === 1 && page.workers()[0] !== first);
  await settled(page);
  await sortBy(page, "Count", "descending");
  await sortBy(page, "Self", "descending");
  await kill(page);
  await until(() => page.workers().length, (n) => n === 0);
  assert.match(await page.getByRole("alert").last().innerText(), /drop the files again to go on/);
  assert.deepEqual(await seenRows(page), before, "what was on screen stays");
  // A request without a worker must not leave the page waiting.
  await page.getByRole("group", { name: "Group by" }).getByRole("button", { name: "Kind" }).click();
  await settled(page);
  await dropFiles(page, [synth({ devices: 1 })]);
  await page.locator("#capture-button").getByText("synth-1-1-40").waitFor();
  await groupBy(page, "Category");
  assert.equal(await page.getByRole("alert").count(), 0);
});

onPage("one that dies while it reads: told, and what was open stays", async ({ page }) => {
  await holdLoads(page);
  await dropFiles(page, [synth()]);
  await page.getByRole("progressbar").waitFor();
  await kill(page);
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /The analysis stopped/);
  assert.equal(await page.getByRole("progressbar").count(), 0);
  await page.evaluate(() => window.release());
  await dropFiles(page, [synth()]);
  await opened(page);
});

onPage("one that ends without an error is noticed: what was on screen stays, and it works again", async ({ page }) => {
  await dropFiles(page, [synth()]);
  await opened(page);
  const before = [await figures(page), await seenRows(page)];
  const [first] = page.workers();
  await first.evaluate(() => self.close());
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.match(await alert.innerText(), /The analysis stopped.*The browser gives no reason\. The files are being read again/s);
  await until(() => page.workers().length === 1 && page.workers()[0] !== first);
  assert.deepEqual([await figures(page), await seenRows(page)], before);
  await groupBy(page, "Category");
});

onPage("one that ends without an error while it reads: told", async ({ page }) => {
  await holdLoads(page);
  await dropFiles(page, [synth()]);
  await page.getByRole("progressbar").waitFor();
  await page.workers()[0].evaluate(() => self.close());
  await page.getByRole("alert").getByText("The analysis stopped").waitFor();
});

onPage("a page that ends its worker itself does not take that for an accident", async ({ page }) => {
  await dropFiles(page, [synth()]);
  await opened(page);
  await dropFiles(page, [synth({ devices: 1 })]);
  await page.locator("#capture-button").getByText("synth-1-1-40").waitFor();
  await until(() => page.workers().length, (n) => n === 1);
  await stays(() => page.getByRole("alert").count(), (n) => n === 0);
});

/** Blocks the worker for `ms` milliseconds, so that its next answer is late. */
const hold = (page, ms) => page.workers()[0].evaluate((ms) => void setTimeout(() => { const end = Date.now() + ms; while (Date.now() < end); }), ms);

onPage("an answer that takes long says so, and is cancelled: what was there stays, and it can be had again", async ({ page }) => {
  await dropFiles(page, [synth()]);
  await opened(page);
  const waiting = page.locator(".waiting:not([hidden])");
  // Compare only five rows, because another picture changes the number of rows in view.
  const seen = async () => [await figures(page), (await seenRows(page)).slice(0, 5)];
  const before = await seen();
  assert.equal(await waiting.count(), 0);
  const [first] = page.workers();
  await hold(page, 60_000);
  await page.getByRole("group", { name: "Picture" }).getByRole("button", { name: "Steps", exact: true }).click();
  const asked = Date.now();
  await waiting.getByText("Computing").waitFor();
  assert.ok(Date.now() - asked < 2000, "long before the answer");
  await waiting.getByRole("button", { name: "Cancel" }).click();
  await waiting.getByText("Cancelled").waitFor();
  await until(() => page.workers().length === 1 && page.workers()[0] !== first);
  assert.equal(await page.getByRole("alert").count(), 0, "that was no accident");
  assert.deepEqual(await seen(), before);
  // The page does not repeat the request by itself.
  await stays(() => page.locator(".picture-pane .scene rect").count(), (n) => n === 0);
  await waiting.getByRole("button", { name: "Compute" }).click();
  await page.locator(".picture-pane .scene").first().waitFor();
  await until(() => waiting.count(), (n) => n === 0);
});

onPage("a grouping that takes long is cancelled: the one before stays", async ({ page }) => {
  await dropFiles(page, [synth()]);
  await opened(page);
  const before = await seenRows(page);
  await hold(page, 60_000);
  await page.getByRole("group", { name: "Group by" }).getByRole("button", { name: "Kind" }).click();
  await page.locator(".waiting").getByRole("button", { name: "Cancel" }).click();
  await until(() => page.getByRole("group", { name: "Group by" }).getByRole("button", { name: "Op", exact: true }).getAttribute("aria-pressed"), (is) => is === "true");
  assert.deepEqual(await seenRows(page), before);
  await groupBy(page, "Category");
});

onPage("a page and a worker of different builds: said, not guessed", async ({ page }) => {
  await readMessages(page);
  await page.addInitScript(() => {
    const Real = window.Worker;
    window.Worker = class extends Real {
      set onmessage(heard) {
        super.onmessage = heard && ((event) => {
          const { id, kind } = window.messageOf(event.data, "Reply");
          const build = new TextEncoder().encode("an older one");
          if (kind === "Hello") event.data[0] = Uint8Array.of(id, 0, build.length, ...build);
          heard(event);
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
