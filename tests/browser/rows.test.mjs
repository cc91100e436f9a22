// This test scrolls to the end of a table of 100,000 rows and checks that only the rows in view are in the document.
import assert from "node:assert/strict";
import { synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, waitForTable, waitUntil } from "./lib.mjs";
import { column, compareNaturally, renderedRows, rowCount, scrollToRow, sortBy, waitForRows } from "./page_helpers.mjs";

const MAX_ROWS = 200;

async function waitForFilledRows(page, isIncluded) {
  const rows = await waitUntil(
    async () => (await renderedRows(page)).filter(([index]) => isIncluded(index)),
    (rows) => rows.length > 0 && rows.every(([, cells]) => cells[0]),
  );
  assert.ok((await page.locator("[data-row]").count()) < MAX_ROWS, "few rows are in the document");
  return rows;
}

onPage("a table of 100,000 rows scrolls to its last row and keeps few rows in the document", { timeout: 240_000 }, async ({ page }) => {
  await dropFiles(page, [synth({ mb: 60, devices: 1, ops: 100_000 })]);
  await waitForTable(page, 120_000);
  const count = await rowCount(page);
  assert.equal(count, 100_001, "the table has a row for each op and one for the loop");
  await waitForFilledRows(page, (index) => index < 20);
  for (const share of [0.25, 0.5, 0.75]) {
    await scrollToRow(page, Math.floor(count * share), count);
    await waitForFilledRows(page, (index) => Math.abs(index - count * share) < 10);
  }
  await scrollToRow(page, count, count);
  const last = await waitForFilledRows(page, (index) => index === count - 1);
  assert.equal(last.length, 1);
  // The running sum is near its end in the last row.
  const cumulative = await column(page, "Cum.");
  assert.ok(Number(cumulative.at(-1)) > 90, `the running sum ends at ${cumulative.at(-1)} %`);
  await page.locator(`[data-row='${count - 1}'] [data-column='0']`).focus();
  await page.keyboard.press("Home");
  await waitForFilledRows(page, (index) => index === 0);
  await page.keyboard.press("End");
  await waitForFilledRows(page, (index) => index === count - 1);
  await waitUntil(() => page.evaluate(() => document.activeElement.closest("[data-row]")?.dataset.row), (row) => row === String(count - 1));
  await sortBy(page, "Op", "ascending");
  await waitForRows(page);
  const names = await column(page, "Op");
  assert.deepEqual(names.filter((name) => !name.includes("…")), names.filter((name) => !name.includes("…")).sort(compareNaturally));
});
