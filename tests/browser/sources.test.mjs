// These tests open other sources than a TPU's XSpace: captures of CPUs and GPUs, trace JSON, and both formats together.
// They compare figures with the command line, whose figures equal xprof's and the sums of decoded messages.
import assert from "node:assert/strict";
import { basename } from "node:path";
import { cpu, real } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, opened, painted, pickFiles, reload, until } from "./lib.mjs";
import { column, figures, groupBy, pick, rowCount, seenRows, settled } from "./reading.mjs";
import { decimal, matches, printed } from "./written.mjs";

const json = (file, command) => JSON.parse(printed(command, file, "--json"));

const trace = () => real("tpu-vllm-trace", "vllm.trace.json.gz");
const cpuTrace = () => real("cpu-jax", "vm.trace.json.gz");
const v100 = () => real("gpu-v100", "host.xplane.pb");
const mi300 = () => real("gpu-mi300", "gemm.xplane.pb");

/** Formats a time in ps as the page does: two decimals, in the first unit in which the value is below 1,000. */
function time(ps) {
  const [unit, scale] = [["ps", 1], ["ns", 1e3], ["µs", 1e6], ["ms", 1e9], ["s", 1e12]].find(([, scale]) => Math.round((ps / scale) * 100) / 100 < 1000) ?? ["s", 1e12];
  return `${decimal(ps / scale, 2)} ${unit}`;
}

/**
 * Returns true if `shown` consists of pieces of `full`, in their order and separated by "…". Names of kernels lose
 * namespaces and ` const`, and are cut where the pieces keep them distinct.
 */
function isShort(full, shown) {
  const name = full.replace(/[A-Za-z_]\w*::| const\b/g, "");
  let from = 0;
  return shown.split("…").every((piece) => {
    const at = name.indexOf(piece, from);
    from = at + piece.length;
    return at >= 0;
  });
}

/** Compares the breakdown of the open file with the command line's report, and returns this report. */
async function isTheCommandLines(page, file) {
  const report = json(file, "breakdown");
  const busy = time(report.totals.busy_ps ?? report.totals.busy_duration_ps);
  await until(async () => (await figures(page)).Busy, (is) => is === busy);
  await groupBy(page, "Op");
  await settled(page);
  assert.equal(await rowCount(page), report.groups.length);
  const names = await column(page, "Op");
  for (const [at, seen] of names.entries()) {
    const { key, kernel } = report.groups[at];
    assert.ok(matches(key, seen) || isShort(key, seen) || (kernel && seen.startsWith(key)), `${seen} in place of ${key}`);
  }
  return report;
}

onPage("what a TensorFlow capture lacks is said in each view, for TensorFlow", { needs: v100() }, async ({ page }) => {
  await pickFiles(page, [v100()]);
  await opened(page);
  const empty = async (within, title) => {
    await page.locator(`${within} .empty`).getByRole("heading", { name: title }).waitFor();
    const said = await page.locator(`${within} .empty`).innerText();
    assert.doesNotMatch(said, /jax|block_until_ready/i);
    return said;
  };
  await page.keyboard.press("3");
  assert.match(await empty(".roofline-chart", "No FLOPs in this capture"), /jit_compile=True[^]*missing/);
  await page.keyboard.press("4");
  await page.getByRole("button", { name: "Static", exact: true }).click();
  assert.match(await empty(".memory", "No static memory in this capture"), /Allocator: events over time\s+in file/);
  await page.getByRole("button", { name: "Show the allocator" }).click();
  await page.locator(".memory-canvas .scene").waitFor();
  assert.equal(await page.locator(".memory .empty").count(), 0);
  await page.keyboard.press("5");
  assert.match(await empty(".comm", "No collectives in step 0"), /Several devices\s+3 devices/);
  await page.locator(".comm .empty").getByRole("button", { name: "See what is in the file" }).click();
  await page.locator(".file-planes").waitFor();
});

onPage("a device without peaks: the chip is chosen where the chart would be", { needs: cpu() }, async ({ page }) => {
  await pickFiles(page, [cpu()]);
  await opened(page);
  await page.keyboard.press("3");
  await page.getByRole("heading", { name: "No peaks for this device" }).waitFor();
  assert.equal(await page.locator("select").count(), 0);
  const labels = Object.keys(await figures(page));
  assert.ok(labels.includes("Memory bandwidth utilization") && !labels.some((label) => /HBM/.test(label)), labels.join());
  await pick(page, "empty-chip", "TPU v6e");
  await page.locator(".roofline-canvas .scene [fill='var(--k-compute)']").first().waitFor();
  assert.ok(Object.keys(await figures(page)).includes("HBM bandwidth utilization"));
});

for (const [what, file] of [["a CPU", cpu()], ["NVIDIA GPUs", v100()], ["an AMD GPU", mi300()], ["a trace JSON of a TPU", trace()], ["a trace JSON of a CPU", cpuTrace()]]) {
  onPage(`${what}: figures and rows are the command line's, in every view`, { needs: file }, async ({ page }) => {
    await pickFiles(page, [file]);
    await opened(page);
    await isTheCommandLines(page, file);
    await page.keyboard.press("3");
    // Without a known peak, the view shows the choice of a chip in place of the chart.
    await page.locator(".roofline-canvas .scene:visible, .roofline-chart .empty").first().waitFor();
    await page.keyboard.press("4");
    await page.locator(".memory").waitFor();
    await page.keyboard.press("5");
    const comm = json(file, "comm");
    await until(() => page.locator(".comm-summary").innerText(), (is) => is !== "");
    // Without collectives, the view shows the missing data in place of the charts and the table.
    await (comm.rows.length > 0 ? until(() => rowCount(page), (n) => n === comm.rows.length) : page.locator(".comm > .empty").waitFor());
    await page.keyboard.press("8");
    await page.getByRole("heading", { name: "Planes and lines" }).waitFor();
  });
}

onPage("a CPU's trace JSON and its XSpace have the same rows; together, the XSpace is read", { needs: cpu() }, async ({ page }) => {
  const rows = {};
  for (const file of [cpu(), cpuTrace()]) {
    await pickFiles(page, [file]);
    await until(() => page.title(), (is) => is.startsWith(basename(file)));
    await opened(page);
    await groupBy(page, "Op");
    await until(() => seenRows(page), (rows) => rows.filter(([, cells]) => cells.some(Boolean)).length > 20);
    const seen = async (name) => (await column(page, name)).slice(0, 20);
    rows[file] = [await rowCount(page), await seen("Op"), await seen("Self")];
  }
  assert.deepEqual(rows[cpu()], rows[cpuTrace()]);
  await dropFiles(page, [cpuTrace(), cpu()]);
  await until(() => page.title(), (is) => is.startsWith("vm.xplane.pb"));
  await settled(page);
  await painted(page);
  await page.locator("#notes-button").click();
  await page.locator("#notes").getByText(/vm\.trace\.json\.gz/).first().waitFor();
});
