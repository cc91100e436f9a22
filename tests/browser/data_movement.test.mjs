// Tests the data movement table: rows, sums and answers must equal the command line's; categories open by mouse and by
// keyboard; the table can be saved.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { synth, tpu } from "./captures.mjs";
import { cliOutput, formatDecimal, formatPercent, timeFormat } from "./expected_values.mjs";
import { onPage } from "./harness.mjs";
import { pickFiles, waitForTable, waitUntil } from "./lib.mjs";
import { askForBusiestStep, pick } from "./page_helpers.mjs";

/** Returns the command line's output for a capture. */
const cliText = (file, format, { step = "busiest", device = "0" } = {}) =>
  cliOutput("non-compute", file, "--step", step, ...(device === undefined ? [] : ["--device", device]), `--${format}`);
const cliReport = (file, choice) => JSON.parse(cliText(file, "json", choice));

const formatSize = (n) => {
  if (n === null) return "–";
  const [scale, unit] = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]].find(([scale]) => n >= scale) ?? [1, "B"];
  return `${formatDecimal(n / scale, scale > 1 ? 1 : 0)} ${unit}`;
};
const formatCount = (n) => n.toLocaleString("en-US");

/** The kind of change that each answer column shows, by heading, in the order of the columns. */
const ANSWERS = { Dtype: "dtype", "Dim order": "dim_order", Tiling: "tiling", Memory: "memory_space", Shape: "shape" };
/**
 * The text of an answer cell: "yes", "no", "?" (undetectable), or the share of the time with a change when the
 * executions differ.
 */
function answer(row, change) {
  const { yes_ps: yes, no_ps: no, undetectable_ps: unknown, mixed } = row.changes[change];
  if (mixed && yes > 0) return `${Math.min(99, Math.max(1, Math.round((yes / (yes + no + unknown)) * 100)))} %`;
  return { true: "yes", false: "no", null: "?" }[row[`${change}_change`]];
}

/** The texts that the page must show for a row of the report. */
const expectedCells = (row, report, name = row.key) => {
  const { time } = timeFormat(report.non_compute_duration_ps);
  const share = row.pct_of_step === null ? "–" : formatPercent(row.pct_of_step / 100);
  return [name, time(row.total_dur_ps), share, time(row.stall_dur_ps), formatCount(row.n_executions), formatSize(row.moved_bytes), ...Object.values(ANSWERS).map((change) => answer(row, change))];
};

const table = (page) => page.locator(".tree.data-movement");
/** Returns each row's texts: [name, self time, share of step, stall, executions, bytes moved, answers…]. */
const rowTexts = (rows) =>
  rows.evaluateAll((rows) =>
    rows.map((row) => {
      const text = (cell) => cell.textContent.replace(/\s+/g, " ").trim();
      const answers = [...row.querySelectorAll(".data-movement-change")].map((cell) => text(cell.querySelector("span:not(.data-movement-label)")));
      return [text(row.querySelector("th")), ...[...row.querySelectorAll(":scope > .num")].map(text), ...answers];
    }),
  );
const categoryTexts = (page) => rowTexts(table(page).locator(".tree-group"));
const sourceRows = (page, index) => table(page).locator("tbody").nth(index).locator("tr:not(.tree-group):not(.tree-more)");
const categoryButton = (page, name) => table(page).locator(".tree-group").getByRole("button", { name, exact: true });

async function openDataMovement(page, file) {
  await askForBusiestStep(page);
  await pickFiles(page, [file]);
  await waitForTable(page);
  await page.getByRole("button", { name: "Non-compute", exact: true }).click();
  await table(page).locator("tfoot").waitFor();
}

/** Asserts that the rows, the sums and the sentence above the table equal the report's. */
async function assertEqualsReport(page, report) {
  const { unit, time } = timeFormat(report.non_compute_duration_ps);
  const expected = report.by_category.map((row) => expectedCells(row, report));
  await waitUntil(() => categoryTexts(page), (rows) => JSON.stringify(rows) === JSON.stringify(expected)).catch(() => {});
  assert.deepEqual(await categoryTexts(page), expected);
  assert.equal(await table(page).locator("thead .unit").first().innerText(), unit);
  const n = report.by_category.reduce((n, row) => n + row.n_executions, 0);
  const share = formatPercent(report.non_compute_duration_ps / report.step_duration_ps);
  const foot = await table(page).locator("tfoot .num").allTextContents();
  assert.deepEqual(foot, [time(report.non_compute_duration_ps), share, time(report.stall_duration_ps), formatCount(n)]);
  // The report's totals are the sums of its rows.
  const sum = (key) => report.by_category.reduce((total, row) => total + row[key], 0);
  assert.equal(sum("total_dur_ps"), report.non_compute_duration_ps);
  assert.equal(sum("stall_dur_ps"), report.stall_duration_ps);
  assert.match(await page.locator(".picture-note").innerText(), new RegExp(`, ${share.replace(".", "\\.")} % of the step; `));
}

onPage("rows, sums, answers and opcodes of a real capture equal the command line's", { needs: tpu() }, async ({ page }) => {
  await openDataMovement(page, tpu());
  const report = cliReport(tpu());
  await assertEqualsReport(page, report);
  // The copies to and from host memory change the memory space only.
  assert.deepEqual((await categoryTexts(page))[0].slice(-5), ["no", "no", "no", "yes", "no"]);
  assert.match(await page.locator(".picture-note").innerText(), /^933\.14 ms, 97\.5 % of the step; 933\.14 ms of it waiting, none for communication$/);
  const [program] = report.opcodes;
  const details = table(page).locator("details.data-movement-program").first();
  assert.match(await details.innerText(), new RegExp(`Opcodes of ${program.program} +${program.n_executions} executions, ${program.n_dot_convolution} a dot or a convolution; copies read and write ${formatSize(program.copy_bytes)}`));
  await details.locator("summary").click();
  const opcodes = (await details.locator(".tree-more > span").allTextContents()).map((text) => text.trim());
  assert.deepEqual(opcodes, program.by_opcode.map((opcode) => `${opcode.opcode} ${formatCount(opcode.n_executions)}`));
  await waitUntil(() => page.url(), (url) => /#v=1&device=0&step=[a-z0-9]+&picture=non-compute&/.test(url));
});

onPage("a change of the step or the device updates the table", { needs: tpu() }, async ({ page }) => {
  await openDataMovement(page, tpu());
  const before = await categoryTexts(page);
  await pick(page, "step", "Step 3");
  await assertEqualsReport(page, cliReport(tpu(), { step: "3" }));
  assert.notDeepEqual(await categoryTexts(page), before);
  await pick(page, "device", "TPU:2");
  await assertEqualsReport(page, cliReport(tpu(), { step: "3", device: "TPU:2" }));
});

onPage("rows, sources and unknown answers of a synthetic capture equal the command line's", async ({ page }) => {
  await openDataMovement(page, synth());
  const step = /Step (\d+)/.exec(await page.locator("#step-button").innerText())[1];
  const report = cliReport(synth(), { step });
  await assertEqualsReport(page, report);
  const answers = new Set((await categoryTexts(page)).flatMap((row) => row.slice(-5)));
  assert.ok(answers.has("?") && answers.has("no"), [...answers].join());
  // Each category lists its sources, and their times add up to the category's time.
  for (const [index, row] of report.by_category.entries()) {
    await categoryButton(page, row.key).click();
    const sources = report.by_source_within_category.filter((source) => source.hlo_category === row.hlo_category);
    const expected = sources.map((source) => expectedCells(source, report, source.source_inner ?? source.key));
    await sourceRows(page, index).first().waitFor();
    assert.deepEqual(await rowTexts(sourceRows(page, index)), expected);
    assert.equal(sources.reduce((sum, source) => sum + source.total_dur_ps, 0), row.total_dur_ps);
  }
  // The details of the category explain why its answer is unknown.
  const index = report.by_category.findIndex((row) => row.dtype_change === null);
  assert.match(await table(page).locator("tbody").nth(index).locator(".tree-more").innerText(), /unknown/);
  // A click on a source opens its example op.
  await sourceRows(page, 0).first().getByRole("button").click();
  const name = report.by_source_within_category.find((source) => source.hlo_category === report.by_category[0].hlo_category).example_hlo_op;
  await waitUntil(() => page.locator("#op-name").innerText(), (text) => text === name);
});

onPage("an open category lists its moves between memory spaces and its sources", { needs: tpu() }, async ({ page }) => {
  await openDataMovement(page, tpu());
  const report = cliReport(tpu());
  await categoryButton(page, "copy-done").click();
  const details = (await table(page).locator("tbody").first().locator(".tree-more").first().innerText()).replace(/\s+/g, " ");
  assert.match(details, /moves HBM → host, S\(5\): 182\.36 ms/);
  assert.match(details, /moves host, S\(5\) → HBM: 750\.78 ms/);
  const moves = report.by_category[0].memory_space_moves.map((move) => formatDecimal(move.total_dur_ps / 1e9, 2));
  for (const move of moves) assert.ok(details.includes(`${move} ms`), move);
  const source = report.by_source_within_category.find((source) => source.hlo_category === "copy-done");
  assert.deepEqual(await rowTexts(sourceRows(page, 0)), [expectedCells(source, report, "no source")]);
  await categoryButton(page, "copy-done").click();
  await waitUntil(() => sourceRows(page, 0).count(), (n) => n === 0);
});

onPage("arrow keys move in the table and open and close a category, and Enter opens an op", { needs: tpu() }, async ({ page }) => {
  await openDataMovement(page, tpu());
  const focusedText = () => page.evaluate(() => document.activeElement.textContent.trim());
  const expandedState = () => page.evaluate(() => document.activeElement.getAttribute("aria-expanded"));
  await categoryButton(page, "copy-done").focus();
  await page.keyboard.press("ArrowDown");
  assert.equal(await focusedText(), "copy-start");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await waitUntil(expandedState, (value) => value === "true");
  await page.keyboard.press("ArrowDown");
  assert.equal(await focusedText(), "no source");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowLeft");
  await waitUntil(expandedState, (value) => value === "false");
  await page.keyboard.press("End");
  assert.equal(await focusedText(), "copy-start");
  // The tree is one stop for Tab.
  assert.equal(await table(page).locator(".tree-name[tabindex='0']").count(), 1);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await sourceRows(page, 0).first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await waitUntil(() => page.locator("#op-name").innerText(), (text) => text === cliReport(tpu()).by_source_within_category[0].example_hlo_op);
});

for (const [kind, capture] of [["real", tpu], ["synthetic", synth]]) {
  onPage(`the saved CSV and JSON of a ${kind} capture equal the command line's output byte for byte`, { needs: capture() }, async ({ page }) => {
    await openDataMovement(page, capture());
    const step = /Step (\d+)/.exec(await page.locator("#step-button").innerText())[1];
    for (const [entry, extension] of [["Save CSV", "csv"], ["Save JSON", "json"]]) {
      await page.locator("#data-movement-menu-button").click();
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: entry }).click()]);
      assert.equal(download.suggestedFilename(), `${basename(capture(), ".xplane.pb")} non-compute.${extension}`);
      // The page has the name of the file without its folder.
      const expected = cliText(capture(), extension, { step }).replaceAll(capture(), basename(capture()));
      assert.equal(readFileSync(await download.path(), "utf8"), expected);
    }
  });
}
