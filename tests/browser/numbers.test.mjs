// These tests compare every number on screen with the command line, to the last digit shown. They format numbers with
// code of their own, so that an error in the page's formatting does not repeat here.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { synth, tpu } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, need, opened, pickFiles } from "./lib.mjs";
import { allRows, column, figures, groupBy, heads, naturally, pick, pressHead, settled, sortBy } from "./reading.mjs";

const GROUPINGS = ["Op", "Category", "Kind", "Source", "Program"];
/** The texts of each kind in the cells of the table. The command line counts "fused" as communication. */
const KINDS = {
  compute: ["compute"], comm: ["comm.", "fused c+c"], data_move: ["data mov."], host: ["host"], container: ["container"], other: ["other"],
};
/** The names of the rows when the table is grouped by kind. */
const KIND_ROWS = {
  compute: "Compute", fused: "Fused comp. + comm.", comm: "Communication", data_move: "Data movement", host: "Host",
  container: "Loop overhead", other: "Other",
};

/** Returns the command line's report. The command line exits with 1 if the file is damaged, and then `cli` throws. */
function cli(file, by, { step = "all", device = "all" } = {}) {
  const args = ["breakdown", file, "--by", by.toLowerCase(), "--step", step, "--device", device, "--json"];
  return JSON.parse(execFileSync(need("ROOFLIGHT_CLI"), args, { maxBuffer: 1 << 28 }));
}

const SCALE = { ps: 1n, ns: 1_000n, "µs": 1_000_000n, ms: 1_000_000_000n, s: 1_000_000_000_000n };

const commas = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

/**
 * Formats picoseconds in `unit`, rounded half up in integers. A time above 0 that rounds to 0 becomes "<0.001" (with 3
 * decimals).
 */
function time(ps, unit, decimals = { "µs": 1, ms: 3, s: 3 }[unit] ?? 0) {
  const power = 10n ** BigInt(decimals);
  const n = (2n * BigInt(ps) * power + SCALE[unit]) / (2n * SCALE[unit]);
  if (n === 0n) return ps === 0 ? "0" : `<${(1 / 10 ** decimals).toFixed(decimals)}`;
  return commas(n / power) + (decimals ? `.${String(n % power).padStart(decimals, "0")}` : "");
}

/** Formats a single figure in the first unit in which its value is below 1,000. */
function figure(ps) {
  const units = Object.keys(SCALE);
  const unit = units.find((unit) => Number(time(ps, unit, unit === "ps" ? 0 : 2).replaceAll(",", "")) < 1000) ?? "s";
  return `${time(ps, unit, unit === "ps" ? 0 : 2)} ${unit}`;
}

function fixed(value, decimals) {
  const n = Math.round(value * 10 ** decimals);
  if (n === 0) return value === 0 ? "0" : `<${(1 / 10 ** decimals).toFixed(decimals)}`;
  const [whole, rest] = (n / 10 ** decimals).toFixed(decimals).split(".");
  return commas(whole) + (rest ? `.${rest}` : "");
}

const percent = (fraction) => (fraction * 100 < 0.995 ? fixed(fraction * 100, 2) : fixed(fraction * 100, 1));
const last = (path) => path.slice(path.lastIndexOf("/") + 1);

/** Returns the texts that the page's columns must show for a group of the command line's report. */
function expected(group, report, units) {
  const seconds = group.total_dur_ps / 1e12;
  // The page shows no rate if the mean time of an execution is below 100 ns (1e5 ps).
  const short = group.total_dur_ps < 1e5 * Math.max(group.n_executions, 1);
  const rate = (amount, scale, show) => (amount === null || short ? "–" : show(amount / seconds / scale));
  const share = (ps) => (report.step_duration_ps ? percent(ps / report.step_duration_ps) : "–");
  const category = Object.entries(group.hlo_categories).sort(([a, x], [b, y]) => y.total_dur_ps - x.total_dur_ps || (a < b ? -1 : 1))[0];
  return {
    Self: time(group.total_dur_ps, units.Self),
    Step: share(group.total_dur_ps),
    Category: category?.[0] ?? "–",
    Count: commas(group.n_executions),
    Mean: group.avg_dur_ps === null ? "–" : time(group.avg_dur_ps, units.Mean),
    "TFLOP/s": rate(group.flops_sum, 1e12, (value) => fixed(value, value < 0.995 ? 2 : 1)),
    Bytes: rate(group.bytes_accessed_sum, 1e9, (value) => (value < 1e6 ? fixed(value, value < 99.95 ? 1 : 0) : ">999,999")),
  };
}

/** Returns true if `shown` is `whole`, or is `whole` with "…" in place of its middle. */
function cutOf(shown, whole) {
  const [head, tail] = shown.split("…");
  return tail === undefined ? shown === whole : whole.startsWith(head) && whole.endsWith(tail) && shown.length < whole.length;
}

const named = (shown, group) => {
  if (group.key_kind === "kind") return shown === KIND_ROWS[group.key];
  // The name of a stack's row is the innermost line of the user's code. Callers follow, to distinguish rows of the same
  // line.
  if (group.key_kind === "source_stack") return cutOf(shown.split(" ‹ ")[0], last(group.source_inner));
  return cutOf(shown, group.key.trim());
};

/** Compares every row of every grouping with the command line. */
async function assertSameRows(page, file, choice) {
  for (const by of GROUPINGS) {
    await groupBy(page, by);
    await sortBy(page, by, "ascending");
    const report = cli(file, by, choice);
    const groups = report.groups.sort((a, b) => naturally(a.key, b.key) || Number(BigInt(a.program_id ?? 0) - BigInt(b.program_id ?? 0)));
    const shown = await allRows(page);
    assert.equal(shown.length, groups.length, `rows by ${by}`);
    const units = Object.fromEntries((await heads(page)).map(({ name, unit }) => [name, unit]));
    groups.forEach((group, at) => {
      const row = shown[at];
      assert.ok(named(row[by], group), `${by} ${at}: ${row[by]} for ${group.key}`);
      if ("Kind" in row && by !== "Kind") assert.ok(KINDS[group.kind].includes(row.Kind), `${by}, row ${group.key}: ${row.Kind}`);
      const source = group.source_inner === null ? "–" : last(group.source_inner);
      if ("Source" in row && by !== "Source") assert.ok(cutOf(row.Source, source), `${by}, row ${group.key}: ${row.Source} for ${source}`);
      const wanted = expected(group, report, units);
      for (const [head, text] of Object.entries(wanted)) {
        if (head in row && head !== by) assert.equal(row[head], text, `${by}, row ${group.key}, column ${head}`);
      }
    });
    // A unit that does not fit the largest value would give correct digits in an unreadable column.
    for (const [head, of] of [["Self", "total_dur_ps"], ["Mean", "avg_dur_ps"]]) {
      const largest = Math.max(...groups.map((group) => group[of] ?? 0));
      const best = Object.keys(SCALE).find((unit) => Number(time(largest, unit).replaceAll(",", "")) < 1000) ?? "s";
      assert.equal(units[head], best, `unit of ${head} by ${by}`);
    }
    await sortBy(page, "Self", "descending");
  }
}

async function assertSameFigures(page, file, choice) {
  const report = cli(file, "category", choice);
  const { totals } = report;
  const shown = await figures(page);
  const hero = Object.entries(shown)[0];
  assert.equal(hero[1], figure(report.step_duration_ps), hero[0]);
  assert.equal(shown.Busy, figure(totals.busy_duration_ps));
  assert.equal(shown.Idle, `${percent(totals.idle_duration_ps / report.step_duration_ps)} %`);
  assert.equal(shown.Executions, commas(totals.n_events_total));
  return hero[0];
}

async function assertHostOffload(page) {
  await pick(page, "device", "All 4, sum");
  await pick(page, "step", "Whole capture");
  await groupBy(page, "Category");
  const rows = Object.fromEntries((await allRows(page)).map((row) => [row.Category, [row.Count, row.Self]]));
  assert.equal((await heads(page)).find((head) => head.name === "Self").unit, "s");
  assert.deepEqual(rows["copy-done"], ["2,400", "304.033"]);
  assert.deepEqual(rows["loop fusion"], ["1,200", "9.620"]);
  assert.deepEqual(rows["all-reduce"], ["12", "1.460"]);
}

const capture = tpu();

onPage("a capture of a TPU, dropped: the numbers that other tools give", { needs: capture }, async ({ page }) => {
  await dropFiles(page, [capture]);
  await opened(page);
  assert.equal(await page.title(), "host.xplane.pb · Rooflight");
  await assertHostOffload(page);
  assert.equal(await assertSameFigures(page, capture), "Whole capture, sum of 4 devices");
  await assertSameRows(page, capture);
});

onPage("the same, chosen in the file dialog", { needs: capture }, async ({ page }) => {
  await pickFiles(page, [capture]);
  await opened(page);
  await assertHostOffload(page);
});

onPage("a synthetic capture: every row of every grouping, one device and step", async ({ page }) => {
  const file = synth();
  await dropFiles(page, [file]);
  await opened(page);
  await pick(page, "device", "TPU:1");
  await pick(page, "step", "Step 12");
  const choice = { device: "1", step: "12" };
  assert.equal(await assertSameFigures(page, file, choice), "Step 12");
  await assertSameRows(page, file, choice);
});

onPage("heads sort, one way and the other", async ({ page }) => {
  await dropFiles(page, [synth()]);
  await opened(page);
  const number = (text) => Number(text.replaceAll(",", "").replace("<", ""));
  const ordered = (values, before) => values.every((value, at) => at === 0 || before(values[at - 1], value));
  assert.equal((await heads(page)).find((head) => head.name === "Self").order, "descending");
  for (const name of ["Count", "Mean", "TFLOP/s", "Bytes", "Self"]) {
    for (const [order, before] of [["descending", (a, b) => a >= b], ["ascending", (a, b) => a <= b]]) {
      await pressHead(page, name, order);
      const values = (await column(page, name)).filter((text) => text !== "–").map(number);
      assert.ok(values.length > 10 && ordered(values, before), `${name} ${order}: ${values}`);
    }
  }
  for (const name of ["Op", "Category", "Source"]) {
    for (const [order, before] of [["ascending", (a, b) => naturally(a, b) <= 0], ["descending", (a, b) => naturally(a, b) >= 0]]) {
      await pressHead(page, name, order);
      const values = (await column(page, name)).filter((text) => text !== "–");
      assert.ok(values.length > 10 && ordered(values, before), `${name} ${order}: ${values}`);
    }
  }
  assert.equal((await heads(page)).filter((head) => head.order !== null).length, 1, "one order at a time");
});

onPage("steps and devices, one after the other", async ({ page }) => {
  const file = synth();
  await dropFiles(page, [file]);
  await opened(page);
  await pick(page, "step", "Step 12");
  const self = async () => [Object.keys(await figures(page))[0], (await column(page, "Self")).slice(0, 5).join()];
  const [label, before] = await self();
  assert.equal(label, "Step 12");
  await page.getByRole("button", { name: "Next step" }).click();
  await page.getByText("Step 13", { exact: true }).first().waitFor();
  await settled(page);
  const [, after] = await self();
  assert.notEqual(after, before, "another step, other rows");
  assert.equal(await assertSameFigures(page, file, { device: "0", step: "13" }), "Step 13");
  await page.getByRole("button", { name: "Previous step" }).click();
  await page.locator(".figure.hero").getByText("Step 12").waitFor();
  assert.deepEqual(await self(), [label, before], "and back");
  await pick(page, "device", "TPU:1");
  assert.equal(await page.locator("#step-button").innerText().then((text) => text.split("\n")[0]), "Step 12");
  await assertSameFigures(page, file, { device: "1", step: "12" });
  await pick(page, "step", "Whole capture");
  const previous = page.getByRole("button", { name: "Previous step" });
  assert.equal(await previous.getAttribute("aria-disabled"), "true");
});
