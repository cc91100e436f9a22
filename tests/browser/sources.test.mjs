// These tests open other sources than a TPU's XSpace: captures of CPUs and GPUs, trace JSON, and both formats together.
// They compare figures with the command line, whose figures equal xprof's and the sums of decoded messages.
import assert from "node:assert/strict";
import { basename } from "node:path";
import { cpu, realCapture, vllm } from "./captures.mjs";
import { cliOutput, formatDecimal, matchesShortened } from "./expected_values.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, pickFiles, reload, waitForPaint, waitForTable, waitUntil } from "./lib.mjs";
import { column, figures, groupBy, pick, renderedRows, rowCount, waitForRows } from "./page_helpers.mjs";

const cliReport = (file, command) => JSON.parse(cliOutput(command, file, "--json"));

const cpuTrace = () => realCapture("cpu-jax", "vm.trace.json.gz");
const v100 = () => realCapture("gpu-v100", "host.xplane.pb");
const mi300 = () => realCapture("gpu-mi300", "gemm.xplane.pb");

/** Formats a time in ps as the page does: two decimals, in the first unit in which the value is below 1,000. */
function formatTime(ps) {
  const [unit, scale] = [["ps", 1], ["ns", 1e3], ["µs", 1e6], ["ms", 1e9], ["s", 1e12]].find(([, scale]) => Math.round((ps / scale) * 100) / 100 < 1000) ?? ["s", 1e12];
  return `${formatDecimal(ps / scale, 2)} ${unit}`;
}

/**
 * Returns true if `shown` consists of pieces of `full`, in their order and separated by "…". Names of kernels lose
 * namespaces and ` const`, and are cut where the pieces keep them distinct.
 */
function isShortenedKernel(full, shown) {
  const name = full.replace(/[A-Za-z_]\w*::| const\b/g, "");
  let from = 0;
  return shown.split("…").every((piece) => {
    const index = name.indexOf(piece, from);
    from = index + piece.length;
    return index >= 0;
  });
}

/** Compares the breakdown of the open file with the command line's report, and returns this report. */
async function assertEqualsCli(page, file) {
  const report = cliReport(file, "breakdown");
  const busy = formatTime(report.totals.busy_ps ?? report.totals.busy_duration_ps);
  await waitUntil(async () => (await figures(page)).Busy, (value) => value === busy);
  await groupBy(page, "Op");
  await waitForRows(page);
  assert.equal(await rowCount(page), report.groups.length);
  const names = await column(page, "Op");
  for (const [i, shown] of names.entries()) {
    const { key, kernel } = report.groups[i];
    assert.ok(matchesShortened(key, shown) || isShortenedKernel(key, shown) || (kernel && shown.startsWith(key)), `${shown} in place of ${key}`);
  }
  return report;
}

onPage("each view says what a TensorFlow capture lacks, in the words of TensorFlow", { needs: v100() }, async ({ page }) => {
  await pickFiles(page, [v100()]);
  await waitForTable(page);
  const emptyStateText = async (within, title) => {
    await page.locator(`${within} .empty`).getByRole("heading", { name: title }).waitFor();
    const text = await page.locator(`${within} .empty`).innerText();
    assert.doesNotMatch(text, /jax|block_until_ready/i);
    return text;
  };
  await page.keyboard.press("3");
  assert.match(await emptyStateText(".roofline-chart", "No FLOPs in this capture"), /jit_compile=True[^]*missing/);
  await page.keyboard.press("4");
  await page.getByRole("button", { name: "Static", exact: true }).click();
  assert.match(await emptyStateText(".memory", "No static memory in this capture"), /Allocator: events over time\s+in file/);
  await page.getByRole("button", { name: "Show the allocator" }).click();
  await page.locator(".memory-canvas .scene").waitFor();
  assert.equal(await page.locator(".memory .empty").count(), 0);
  await page.keyboard.press("5");
  assert.match(await emptyStateText(".comm", "No collectives in step 0"), /Several devices\s+3 devices/);
  await page.locator(".comm .empty").getByRole("button", { name: "See what is in the file" }).click();
  await page.locator(".file-planes").waitFor();
});

onPage("for a device without known peaks, the Roofline view shows a choice of chips in place of the chart", { needs: cpu() }, async ({ page }) => {
  await pickFiles(page, [cpu()]);
  await waitForTable(page);
  await page.keyboard.press("3");
  await page.getByRole("heading", { name: "No peaks for this device" }).waitFor();
  assert.equal(await page.locator("select").count(), 0);
  const labels = Object.keys(await figures(page));
  assert.ok(labels.includes("Memory bandwidth utilization") && !labels.some((label) => /HBM/.test(label)), labels.join());
  await pick(page, "empty-chip", "TPU v6e");
  await page.locator(".roofline-canvas .scene [fill='var(--k-compute)']").first().waitFor();
  assert.ok(Object.keys(await figures(page)).includes("HBM bandwidth utilization"));
});

for (const [source, file] of [["a CPU capture", cpu()], ["a capture of NVIDIA GPUs", v100()], ["a capture of an AMD GPU", mi300()], ["a trace JSON of a TPU", vllm()], ["a trace JSON of a CPU", cpuTrace()]]) {
  onPage(`the figures and rows of ${source} equal the command line's in every view`, { needs: file }, async ({ page }) => {
    await pickFiles(page, [file]);
    await waitForTable(page);
    await assertEqualsCli(page, file);
    await page.keyboard.press("3");
    // Without a known peak, the view shows the choice of a chip in place of the chart.
    await page.locator(".roofline-canvas .scene:visible, .roofline-chart .empty").first().waitFor();
    await page.keyboard.press("4");
    await page.locator(".memory").waitFor();
    await page.keyboard.press("5");
    const comm = cliReport(file, "comm");
    await waitUntil(() => page.locator(".comm-summary").innerText(), (text) => text !== "");
    // Without collectives, the view shows the missing data in place of the charts and the table.
    await (comm.rows.length > 0 ? waitUntil(() => rowCount(page), (n) => n === comm.rows.length) : page.locator(".comm > .empty").waitFor());
    await page.keyboard.press("8");
    await page.getByRole("heading", { name: "Planes and lines" }).waitFor();
  });
}

onPage("the trace JSON and the XSpace of a CPU have the same rows, and the XSpace is used when both are opened", { needs: cpu() }, async ({ page }) => {
  const rows = {};
  for (const file of [cpu(), cpuTrace()]) {
    await pickFiles(page, [file]);
    await waitUntil(() => page.title(), (title) => title.startsWith(basename(file)));
    await waitForTable(page);
    await groupBy(page, "Op");
    await waitUntil(() => renderedRows(page), (rows) => rows.filter(([, cells]) => cells.some(Boolean)).length > 20);
    const firstCells = async (name) => (await column(page, name)).slice(0, 20);
    rows[file] = [await rowCount(page), await firstCells("Op"), await firstCells("Self")];
  }
  assert.deepEqual(rows[cpu()], rows[cpuTrace()]);
  await dropFiles(page, [cpuTrace(), cpu()]);
  await waitUntil(() => page.title(), (title) => title.startsWith("vm.xplane.pb"));
  await waitForRows(page);
  await waitForPaint(page);
  await page.locator("#notes-button").click();
  await page.locator("#notes").getByText(/vm\.trace\.json\.gz/).first().waitFor();
});
