// These tests compare every number on screen with the command line, to the last digit shown. They format numbers with
// code of their own, so that an error in the page's formatting does not repeat here.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { synth, tpu } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, pickFiles, requiredPath, waitForTable } from "./lib.mjs";
import { allRows, column, compareNaturally, figures, groupBy, heads, pick, pressHead, sortBy, waitForRows } from "./page_helpers.mjs";

const GROUPINGS = ["Op", "Category", "Kind", "Source", "Program"];
/** The texts of each kind in the cells of the table. The command line counts "fused" as communication. */
const KINDS = {
  compute: ["Compute"], comm: ["Comm.", "Fused"], data_move: ["Data mov."], host: ["Host"], container: ["Loop"], other: ["Other"],
};
/** The names of the rows when the table is grouped by kind. */
const KIND_ROWS = {
  compute: "Compute", fused: "Fused communication", comm: "Communication", data_move: "Data movement", host: "Host ops",
  container: "Loop overhead", other: "Other",
};

/**
 * Returns the command line's report. The command line exits with 1 if the file is damaged, and then `cliReport` throws.
 */
function cliReport(file, by, { step = "all", device = "all" } = {}) {
  const args = ["breakdown", file, "--by", by.toLowerCase(), "--step", step, "--device", device, "--json"];
  return JSON.parse(execFileSync(requiredPath("ROOFLIGHT_CLI"), args, { maxBuffer: 1 << 28 }));
}

const SCALE = { ps: 1n, ns: 1_000n, "µs": 1_000_000n, ms: 1_000_000_000n, s: 1_000_000_000_000n };

const withCommas = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

/**
 * Formats picoseconds in `unit`, rounded half up in integers. A time above 0 that rounds to 0 becomes "<0.001" (with 3
 * decimals).
 */
function formatTime(ps, unit, decimals = { "µs": 1, ms: 3, s: 3 }[unit] ?? 0) {
  const power = 10n ** BigInt(decimals);
  const n = (2n * BigInt(ps) * power + SCALE[unit]) / (2n * SCALE[unit]);
  if (n === 0n) return ps === 0 ? "0" : `<${(1 / 10 ** decimals).toFixed(decimals)}`;
  return withCommas(n / power) + (decimals ? `.${String(n % power).padStart(decimals, "0")}` : "");
}

/** Formats a single figure in the first unit in which its value is below 1,000. */
function formatFigure(ps) {
  const units = Object.keys(SCALE);
  const unit = units.find((unit) => Number(formatTime(ps, unit, unit === "ps" ? 0 : 2).replaceAll(",", "")) < 1000) ?? "s";
  return `${formatTime(ps, unit, unit === "ps" ? 0 : 2)} ${unit}`;
}

function formatDecimal(value, decimals) {
  const n = Math.round(value * 10 ** decimals);
  if (n === 0) return value === 0 ? "0" : `<${(1 / 10 ** decimals).toFixed(decimals)}`;
  const [whole, rest] = (n / 10 ** decimals).toFixed(decimals).split(".");
  return withCommas(whole) + (rest ? `.${rest}` : "");
}

const formatPercent = (fraction) => (fraction * 100 < 0.995 ? formatDecimal(fraction * 100, 2) : formatDecimal(fraction * 100, 1));
const lastPart = (path) => path.slice(path.lastIndexOf("/") + 1);

/** Returns the texts that the page's columns must show for a group of the command line's report. */
function expectedCells(group, report, units) {
  const seconds = group.total_dur_ps / 1e12;
  // The page shows no rate if the mean time of an execution is below 100 ns (1e5 ps).
  const isTooShort = group.total_dur_ps < 1e5 * Math.max(group.n_executions, 1);
  const rate = (amount, scale, format) => (amount === null || isTooShort ? "–" : format(amount / seconds / scale));
  const share = (ps) => (report.step_duration_ps ? formatPercent(ps / report.step_duration_ps) : "–");
  const categories = Object.keys(group.hlo_categories);
  return {
    Self: formatTime(group.total_dur_ps, units.Self),
    Step: share(group.total_dur_ps),
    Category: categories.length > 1 ? "mixed" : (categories[0] ?? "–"),
    Count: withCommas(group.n_executions),
    Mean: group.avg_dur_ps === null ? "–" : formatTime(group.avg_dur_ps, units.Mean),
    "TFLOP/s": rate(group.flops_sum ?? group.model_flops_sum, 1e12, (value) => formatDecimal(value, value < 0.995 ? 2 : 1)),
    Bytes: rate(group.bytes_accessed_sum, 1e9, (value) => (value < 1e6 ? formatDecimal(value, value < 99.95 ? 1 : 0) : ">999,999")),
  };
}

/** Returns true if `shown` is `full`, or is `full` with "…" in place of its middle. */
function isShortened(shown, full) {
  const [head, tail] = shown.split("…");
  return tail === undefined ? shown === full : full.startsWith(head) && full.endsWith(tail) && shown.length < full.length;
}

const matchesGroupName = (shown, group) => {
  if (group.key_kind === "kind") return shown === KIND_ROWS[group.key];
  // The name of a stack's row is the innermost line of the user's code. Callers follow, to distinguish rows of the same
  // line.
  if (group.key_kind === "source_stack") return isShortened(shown.split(" ‹ ")[0], lastPart(group.source_inner));
  return isShortened(shown, group.key.trim());
};

/** Compares every row of every grouping with the command line. */
async function assertRowsEqual(page, file, choice) {
  for (const by of GROUPINGS) {
    await groupBy(page, by);
    await sortBy(page, by, "ascending");
    const report = cliReport(file, by, choice);
    const groups = report.groups.sort((a, b) => compareNaturally(a.key, b.key) || Number(BigInt(a.program_id ?? 0) - BigInt(b.program_id ?? 0)));
    const shown = await allRows(page);
    assert.equal(shown.length, groups.length, `rows by ${by}`);
    const units = Object.fromEntries((await heads(page)).map(({ name, unit }) => [name, unit]));
    groups.forEach((group, index) => {
      const row = shown[index];
      assert.ok(matchesGroupName(row[by], group), `${by}, row ${index}: ${row[by]} in place of ${group.key}`);
      const kinds = Object.keys(group.hlo_categories).length > 1 ? [...KINDS[group.kind], "mixed"] : KINDS[group.kind];
      if ("Kind" in row && by !== "Kind") assert.ok(kinds.includes(row.Kind), `${by}, row ${group.key}: ${row.Kind}`);
      const source = group.source_inner === null ? "–" : lastPart(group.source_inner);
      if ("Source" in row && by !== "Source") assert.ok(isShortened(row.Source, source), `${by}, row ${group.key}: ${row.Source} in place of ${source}`);
      const expected = expectedCells(group, report, units);
      for (const [head, text] of Object.entries(expected)) {
        if (head in row && head !== by) assert.equal(row[head], text, `${by}, row ${group.key}, column ${head}`);
      }
    });
    // A unit that does not fit the largest value would give correct digits in an unreadable column.
    for (const [head, field] of [["Self", "total_dur_ps"], ["Mean", "avg_dur_ps"]]) {
      const largest = Math.max(...groups.map((group) => group[field] ?? 0));
      const expectedUnit = Object.keys(SCALE).find((unit) => Number(formatTime(largest, unit).replaceAll(",", "")) < 1000) ?? "s";
      assert.equal(units[head], expectedUnit, `unit of ${head} by ${by}`);
    }
    await sortBy(page, "Self", "descending");
  }
}

async function assertFiguresEqual(page, file, choice) {
  const report = cliReport(file, "category", choice);
  const { totals } = report;
  const shown = await figures(page);
  const hero = Object.entries(shown)[0];
  assert.equal(hero[1], formatFigure(report.step_duration_ps), hero[0]);
  assert.equal(shown.Busy, formatFigure(totals.busy_duration_ps));
  assert.equal(shown.Idle, `${formatPercent(totals.idle_duration_ps / report.step_duration_ps)} %`);
  return hero[0];
}

async function assertHostOffload(page) {
  await pick(page, "device", "Sum of 4");
  await pick(page, "step", "Whole capture");
  await groupBy(page, "Category");
  const rows = Object.fromEntries((await allRows(page)).map((row) => [row.Category, [row.Count, row.Self]]));
  assert.equal((await heads(page)).find((head) => head.name === "Self").unit, "s");
  assert.deepEqual(rows["copy-done"], ["2,400", "304.033"]);
  assert.deepEqual(rows["loop fusion"], ["1,200", "9.620"]);
  assert.deepEqual(rows["all-reduce"], ["12", "1.460"]);
}

const capture = tpu();

onPage("a dropped TPU capture shows the numbers of other tools and of the command line", { needs: capture }, async ({ page }) => {
  await dropFiles(page, [capture]);
  await waitForTable(page);
  assert.equal(await page.title(), "host.xplane.pb · Rooflight");
  await assertHostOffload(page);
  assert.equal(await assertFiguresEqual(page, capture), "Whole capture, sum of 4 devices");
  await assertRowsEqual(page, capture);
});

onPage("a TPU capture from the file dialog shows the numbers of other tools", { needs: capture }, async ({ page }) => {
  await pickFiles(page, [capture]);
  await waitForTable(page);
  await assertHostOffload(page);
});

onPage("every row of every grouping of a synthetic capture equals the command line's for one device and step", async ({ page }) => {
  const file = synth();
  await dropFiles(page, [file]);
  await waitForTable(page);
  await pick(page, "device", "TPU:1");
  await pick(page, "step", "Step 12");
  const choice = { device: "1", step: "12" };
  assert.equal(await assertFiguresEqual(page, file, choice), "Step 12");
  await assertRowsEqual(page, file, choice);
});

onPage("a click on a column head sorts the table in both directions", async ({ page }) => {
  await dropFiles(page, [synth()]);
  await waitForTable(page);
  const number = (text) => Number(text.replaceAll(",", "").replace("<", ""));
  const isSorted = (values, inOrder) => values.every((value, i) => i === 0 || inOrder(values[i - 1], value));
  assert.equal((await heads(page)).find((head) => head.name === "Self").order, "descending");
  for (const name of ["Count", "Mean", "TFLOP/s", "Bytes", "Self"]) {
    for (const [order, inOrder] of [["descending", (a, b) => a >= b], ["ascending", (a, b) => a <= b]]) {
      await pressHead(page, name, order);
      const values = (await column(page, name)).filter((text) => text !== "–").map(number);
      assert.ok(values.length > 10 && isSorted(values, inOrder), `${name} ${order}: ${values}`);
    }
  }
  for (const name of ["Op", "Category", "Source"]) {
    for (const [order, inOrder] of [["ascending", (a, b) => compareNaturally(a, b) <= 0], ["descending", (a, b) => compareNaturally(a, b) >= 0]]) {
      await pressHead(page, name, order);
      const values = (await column(page, name)).filter((text) => text !== "–");
      assert.ok(values.length > 10 && isSorted(values, inOrder), `${name} ${order}: ${values}`);
    }
  }
  assert.equal((await heads(page)).filter((head) => head.order !== null).length, 1, "the table has one sort order");
});

onPage("the step buttons and the pickers change the figures and the rows", async ({ page }) => {
  const file = synth();
  await dropFiles(page, [file]);
  await waitForTable(page);
  await pick(page, "device", "TPU:0");
  await pick(page, "step", "Step 12");
  const labelAndTimes = async () => [Object.keys(await figures(page))[0], (await column(page, "Self")).slice(0, 5).join()];
  const [label, before] = await labelAndTimes();
  assert.equal(label, "Step 12");
  await page.getByRole("button", { name: "Next step" }).click();
  await page.getByText("Step 13", { exact: true }).first().waitFor();
  await waitForRows(page);
  const [, after] = await labelAndTimes();
  assert.notEqual(after, before, "another step has other rows");
  assert.equal(await assertFiguresEqual(page, file, { device: "0", step: "13" }), "Step 13");
  await page.getByRole("button", { name: "Previous step" }).click();
  await page.locator(".figure.hero").getByText("Step 12").waitFor();
  assert.deepEqual(await labelAndTimes(), [label, before], "the previous step has the same rows again");
  await pick(page, "device", "TPU:1");
  assert.equal(await page.locator("#step-button").innerText().then((text) => text.split("\n")[0]), "Step 12");
  await assertFiguresEqual(page, file, { device: "1", step: "12" });
  await pick(page, "step", "Whole capture");
  const previous = page.getByRole("button", { name: "Previous step" });
  await previous.click();
  await page.locator(".figure.hero").getByText("Step time").waitFor();
  assert.equal(await previous.getAttribute("aria-disabled"), "true");
});
