// This test scrolls to the end of a table of 100,000 rows and checks that only the rows in view are in the document.
import assert from "node:assert/strict";
import { synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, opened, until } from "./lib.mjs";
import { column, naturally, rowCount, scrollTo, seenRows, settled, sortBy } from "./reading.mjs";

const MOST = 200;

async function filled(page, wanted) {
  const rows = await until(
    async () => (await seenRows(page)).filter(([index]) => wanted(index)),
    (rows) => rows.length > 0 && rows.every(([, cells]) => cells[0]),
  );
  assert.ok((await page.locator("[data-row]").count()) < MOST, "rows in the document");
  return rows;
}

onPage("100,000 rows: the last can be seen, and few exist", { timeout: 240_000 }, async ({ page }) => {
  await dropFiles(page, [synth({ mb: 60, devices: 1, ops: 100_000 })]);
  await opened(page, 120_000);
  const count = await rowCount(page);
  assert.equal(count, 100_001, "the ops, and the loop they run in");
  await filled(page, (index) => index < 20);
  for (const share of [0.25, 0.5, 0.75]) {
    await scrollTo(page, Math.floor(count * share), count);
    await filled(page, (index) => Math.abs(index - count * share) < 10);
  }
  await scrollTo(page, count, count);
  const last = await filled(page, (index) => index === count - 1);
  assert.equal(last.length, 1);
  // The running sum is near its end in the last row.
  const cumulative = await column(page, "Cum.");
  assert.ok(Number(cumulative.at(-1)) > 90, `the running sum ends at ${cumulative.at(-1)} %`);
  await page.locator(`[data-row='${count - 1}'] [data-column='0']`).focus();
  await page.keyboard.press("Home");
  await filled(page, (index) => index === 0);
  await page.keyboard.press("End");
  await filled(page, (index) => index === count - 1);
  await until(() => page.evaluate(() => document.activeElement.closest("[data-row]")?.dataset.row), (row) => row === String(count - 1));
  await sortBy(page, "Op", "ascending");
  await settled(page);
  const names = await column(page, "Op");
  assert.deepEqual(names.filter((name) => !name.includes("…")), names.filter((name) => !name.includes("…")).sort(naturally));
});
