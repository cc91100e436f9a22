// These tests compare the Roofline view with the command line: marks, tooltips, table and totals. They select ops by
// mouse, brush and keyboard, change the peaks, the costs of kernels and the useful FLOPs, and check saved files and the
// address.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { simulatedRun, synth, tpu } from "./captures.mjs";
import { cliOutput, formatDecimal, formatPercent, matchesShortened } from "./expected_values.mjs";
import { onPage } from "./harness.mjs";
import { pickFiles, reload, waitForPaint, waitForTable, waitUntil } from "./lib.mjs";
import { column, figures, pick, pressHead, rowCount, waitForRows } from "./page_helpers.mjs";

const cliText = (file, format, ...more) => cliOutput("roofline", file, `--${format}`, ...more);
const cliReport = (file, ...more) => JSON.parse(cliText(file, "json", ...more));

const formatMs = (ps, n = 3) => (ps > 0 && ps / 1e9 < 0.0005 ? "<0.001" : formatDecimal(ps / 1e9, n));
const formatTflops = (rate) => (rate / 1e12 < 0.005 ? "<0.01" : formatDecimal(rate / 1e12, rate / 1e12 < 0.995 ? 2 : 1));

const capture = () => simulatedRun("--steps", "3").captures[0];
const chart = (page) => page.locator(".roofline-canvas .scene");
const marks = (page) => page.locator(".roofline-canvas .scene [fill='var(--k-compute)']");
const chartLabel = (page) => chart(page).getAttribute("aria-label");
const selection = (page) => page.locator(".roofline-selection");

/** Opens `file` and shows its Roofline view. */
async function openRoofline(page, file) {
  await pickFiles(page, [file]);
  await waitForTable(page);
  await page.keyboard.press("3");
  await marks(page).first().waitFor();
  await waitForReply(page);
}

/** Waits until the view shows the answer to the latest request. */
async function waitForReply(page) {
  await waitForPaint(page);
  await waitForRows(page);
}

const groupRowsBy = (by) => (page) => page.locator(".table-tools").getByRole("button", { name: by, exact: true }).click();

onPage("figures, rows and totals equal the command line's", { needs: tpu() }, async ({ page }) => {
  for (const file of [capture(), tpu()]) {
    await openRoofline(page, file);
    const report = cliReport(file);
    const heroText = `${formatPercent(report.step_summary.weighted_avg_roofline_util)} %`;
    await waitUntil(async () => (await figures(page))["Roofline efficiency"], (value) => value === heroText);
    const { step_summary: summary, window, considered_duration_ps: considered } = report;
    const shown = await figures(page);
    assert.equal(shown.Coverage, `${formatPercent(summary.rooflined_dur_ps / considered)} %`);
    assert.equal(shown["HFU"], `${formatPercent(window.mfu)} %`);
    const scale = considered >= 1e12 ? 1e12 : 1e9;
    const boundTimes = ["Compute-bound", "Memory-bound"].map((name) => Number.parseFloat(shown[name].replace(",", "")));
    const isSameUnit = shown["Memory-bound"].endsWith(" ms") === shown["Compute-bound"].endsWith(" ms");
    if (isSameUnit) assert.ok(Math.abs(boundTimes[0] + boundTimes[1] - summary.rooflined_dur_ps / scale) < 0.02, `${boundTimes} of ${summary.rooflined_dur_ps}`);

    assert.equal(await rowCount(page), report.groups.length);
    const sortedByGap = report.groups.toSorted((a, b) => (b.recoverable_ps ?? -1) - (a.recoverable_ps ?? -1) || (a.key < b.key ? -1 : 1));
    const names = await column(page, "Op");
    const groupOf = (name) => report.groups.find((row) => row.key === name || matchesShortened(row.key, name));
    for (const [i, name] of names.slice(0, 20).entries()) {
      assert.ok(matchesShortened(sortedByGap[i].key, name), `${name} in place of ${sortedByGap[i].key}`);
      assert.ok(groupOf(name));
    }
    const efficiencies = await column(page, "At roof");
    for (const [i, text] of efficiencies.slice(0, 20).entries()) {
      const row = sortedByGap[i];
      const expected = row.roofline_util === null ? "–" : formatPercent(row.roofline_util);
      assert.equal(text.replace("▲ ", ""), expected, row.key);
    }
  }
});

onPage("the table of the marks and the tooltip of a mark show the values of the capture", async ({ page }) => {
  const { captures, truth } = simulatedRun("--steps", "3");
  await openRoofline(page, captures[0]);
  await pick(page, "device", "TPU:0");
  await pick(page, "step", /all|whole/i);
  await waitForReply(page);
  // The table of the chart holds the exact position of every mark.
  await page.getByRole("button", { name: "Save or show this chart" }).click();
  await page.getByRole("menuitem", { name: "Show as a table" }).click();
  const cells = await page.locator(".roofline-canvas .chart-table tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.ok(cells.length > 150, `${cells.length} marks`);
  const device = truth.devices[0];
  let compared = 0;
  for (const [name, , intensity, rate] of cells) {
    const index = truth.ops.findIndex((op) => op.name === name);
    if (index < 0) continue;
    const { flops } = truth.ops[index];
    const [selfPs, executions] = [device.self_ps[index], device.runs[index]];
    assert.equal(rate, formatTflops((flops * executions) / (selfPs / 1e12)), name);
    assert.match(intensity, /\d/);
    compared += 1;
  }
  assert.ok(compared > 150, `${compared} marks were compared`);
  await page.getByRole("button", { name: "Save or show this chart" }).click();
  await page.getByRole("menuitem", { name: "Show as a picture" }).click();
  // By pointer: the tooltip of the largest op shows its name and its rate.
  const largest = truth.ops.map((op, index) => ({ ...op, index })).filter((op) => /fusion/.test(op.name) && op.flops > 1e11).sort((a, b) => device.self_ps[b.index] - device.self_ps[a.index])[0];
  await page.locator("#filter").fill(`^${largest.name.replaceAll(".", "\\.")}$`);
  await page.getByRole("button", { name: "Regular expression" }).click();
  await waitUntil(() => marks(page).count(), (n) => n === 1);
  const box = await marks(page).first().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const tip = page.getByRole("tooltip");
  await tip.waitFor();
  const text = await tip.innerText();
  assert.ok(text.includes(largest.name), text);
  assert.ok(text.includes(`${formatTflops((largest.flops * device.runs[largest.index]) / (device.self_ps[largest.index] / 1e12))} TFLOP/s`), text);
});

onPage("arrow keys move between marks and describe them, and Enter selects a mark and opens its op", async ({ page }) => {
  await openRoofline(page, capture());
  await chart(page).focus();
  const labelBefore = await chartLabel(page);
  assert.match(labelBefore, /^Roofline of the mean of 2 steps of 8 devices: \d+ marks against bf16 459\.0 TFLOP\/s, HBM 2,765 GB\/s; ridge at 166\.0/);
  await page.keyboard.press("ArrowRight");
  const markLabel = await chartLabel(page);
  assert.notEqual(markLabel, labelBefore);
  assert.match(markLabel, /FLOP\/byte, .* TFLOP\/s, .* % of the (compute|HBM) roof, self .*, gap .*\.$/);
  await page.getByRole("tooltip").waitFor();
  await page.keyboard.press("+");
  await page.getByRole("button", { name: "Fit" }).and(page.locator(":enabled")).waitFor();
  await page.keyboard.press("0");
  await page.getByRole("button", { name: "Fit" }).and(page.locator(":disabled")).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".op-verdict").waitFor();
  const name = await page.locator("#op-name").innerText();
  assert.ok(markLabel.includes(`${name}:`), `${name} of ${markLabel}`);
  await page.keyboard.press("Escape");
  await waitUntil(() => selection(page).innerText(), (text) => text.startsWith(name));
  await page.keyboard.press("Escape");
  await waitUntil(() => selection(page).innerText(), (text) => text.startsWith("Click a point"));
});

onPage("a brush selects the marks inside it, Shift adds marks, and the selection is summed", async ({ page }) => {
  const file = capture();
  await openRoofline(page, file);
  const frame = await page.locator(".roofline-canvas").boundingBox();
  const drag = async (from, to, shift = false) => {
    if (shift) await page.keyboard.down("Shift");
    await page.mouse.move(frame.x + from[0], frame.y + from[1]);
    await page.mouse.down();
    await page.mouse.move(frame.x + to[0], frame.y + to[1], { steps: 4 });
    await page.mouse.up();
    if (shift) await page.keyboard.up("Shift");
  };
  await page.getByRole("button", { name: "Zoom out" }).click();
  await drag([45, 20], [frame.width - 4, frame.height - 42]);
  const allText = await selection(page).innerText();
  const total = Number.parseInt(allText.replace(",", ""), 10);
  assert.ok(total > 100, allText);
  await page.keyboard.press("Escape");
  // Choose the left half, then add the right half: all marks are chosen again.
  const middle = frame.width / 2;
  await drag([45, 20], [middle, frame.height - 42]);
  const leftText = await selection(page).innerText();
  assert.ok(Number.parseInt(leftText, 10) < total, leftText);
  await drag([middle, 20], [frame.width - 4, frame.height - 42], true);
  assert.equal(await selection(page).innerText(), allText);
  // The gaps of all chosen marks add up to the step's gap, without the ops that have no position or lie outside the
  // view.
  const share = Number(/gap .*?, ([\d.]+) % of all/.exec(allText)[1]);
  assert.ok(share > 95 && share <= 100.01, allText);
  // The names of all marks are too long for the address. The names of a few marks fit.
  await page.keyboard.press("Escape");
  await page.locator("[data-row='0'] [data-column='0']").focus();
  await page.keyboard.press("Space");
  await waitUntil(() => page.url(), (url) => url.includes("sel="));
});

onPage("changed peaks update the figures, and a reload keeps them", async ({ page }) => {
  const file = capture();
  await openRoofline(page, file);
  const before = await figures(page);
  await page.locator("#peaks-button").click();
  const field = page.getByRole("textbox", { name: "bf16, TFLOP/s" });
  assert.equal(await field.inputValue(), "459");
  await field.fill("918");
  await field.press("Enter");
  const report = cliReport(file, "--peak-tflops", "bf16=918");
  assert.notEqual(formatPercent(report.window.mfu), formatPercent(cliReport(file).window.mfu));
  await waitUntil(async () => (await figures(page))["HFU"], (value) => value === `${formatPercent(report.window.mfu)} %`);
  assert.equal((await figures(page))["Roofline efficiency"], `${formatPercent(report.step_summary.weighted_avg_roofline_util)} %`);
  assert.match(await chartLabel(page), /bf16 918\.0 TFLOP\/s/);
  assert.match(await page.locator("#peaks").innerText(), /yours/);
  // The field rejects a text that is not a number.
  await field.fill("fast");
  await field.press("Enter");
  assert.equal(await waitUntil(() => field.inputValue()), "918");
  await page.keyboard.press("Escape");
  // After a reload and opening the file again, the peak is still 918.
  await waitUntil(() => page.url(), (url) => url.includes("peak"));
  await reload(page);
  await pickFiles(page, [file]);
  await waitForTable(page);
  await chart(page).waitFor();
  await waitForReply(page);
  assert.match(await chartLabel(page), /bf16 918\.0 TFLOP\/s/);
  // An op's panel uses the same peak.
  await chart(page).focus();
  await page.keyboard.press("Enter");
  await page.locator(".op-verdict").waitFor();
  assert.match(await page.locator(".side-panel").innerText(), /of 918\.0\sTFLOP\/s/);
  await page.keyboard.press("Escape");
  await page.locator("#peaks-button").click();
  await page.getByRole("button", { name: "Reset" }).click();
  await waitUntil(async () => (await figures(page))["HFU"], (value) => value === before["HFU"]);
  // Another chip brings its published peaks.
  await pick(page, "peaks-chip", "TPU v6e");
  await page.locator("#peaks").getByRole("button", { name: "Reset" }).waitFor();
  await waitUntil(() => chartLabel(page), (label) => /bf16 918\.0 TFLOP\/s, HBM 1,638 GB\/s/.test(label));
});

onPage("the user can set the cost of a kernel and the useful FLOPs of a step", async ({ page }) => {
  const file = capture();
  await openRoofline(page, file);
  const name = (await column(page, "Op"))[0];
  await page.locator("#kernels-button").click();
  const panel = page.locator("#kernels");
  await panel.getByRole("button", { name: "Add" }).click();
  await panel.getByText("A name and two numbers are needed.").waitFor();
  await panel.getByLabel("Kernel").fill(name);
  await panel.getByLabel("FLOPs per call").fill("1.5T");
  await panel.getByLabel("Bytes per call").fill("2e9");
  await panel.getByRole("button", { name: "Add" }).click();
  await panel.getByRole("rowheader", { name }).waitFor();
  const report = cliReport(file, "--kernel-cost", `${name}=1.5e12,2e9`);
  await waitUntil(async () => (await figures(page))["Roofline efficiency"], (value) => value === `${formatPercent(report.step_summary.weighted_avg_roofline_util)} %`);
  await panel.getByRole("button", { name: /Remove the cost/ }).click();
  await page.keyboard.press("Escape");

  await page.locator("#useful-button").click();
  const usefulPanel = page.locator("#useful");
  await usefulPanel.getByLabel("Global batch size").fill("8");
  await usefulPanel.getByLabel("Sequence length").fill("2048");
  await usefulPanel.getByLabel(/FLOPs per token/).fill("1G");
  await usefulPanel.getByRole("button", { name: "Apply" }).click();
  const expected = cliReport(file, "--batch", "8", "--sequence", "2048", "--flops-per-token", "1e9").window;
  await waitUntil(async () => (await figures(page))["MFU from tokens"], (value) => value === `${formatPercent(expected.useful_mfu)} %`);
  await usefulPanel.getByRole("button", { name: "Reset" }).click();
  await waitUntil(async () => (await figures(page))["MFU from tokens"], (value) => value === undefined);
});

onPage("rows by source, program and step equal the command line's, groups of work can be hidden, and Enter opens a step", async ({ page }) => {
  const file = capture();
  await openRoofline(page, file);
  const allCount = await marks(page).count();
  const matmulButton = page.getByRole("group", { name: "Groups of work" }).getByRole("button", { name: "Matmul" });
  await matmulButton.click();
  assert.equal(await matmulButton.getAttribute("aria-pressed"), "false");
  assert.ok((await marks(page).count()) < allCount);
  await matmulButton.click();
  assert.equal(await marks(page).count(), allCount);

  await groupRowsBy("Sources")(page);
  await page.getByRole("grid", { name: "Gap to the roof by source" }).waitFor();
  await waitForReply(page);
  assert.equal(await rowCount(page), cliReport(file, "--by", "source").groups.length);
  await groupRowsBy("Programs")(page);
  await page.getByRole("grid", { name: "Gap to the roof by program" }).waitFor();
  await waitForReply(page);
  const programs = cliReport(file, "--by", "program").groups.map((row) => row.key);
  for (const [i, name] of (await column(page, "Program")).entries()) assert.ok(matchesShortened(programs[i], name), name);
  await groupRowsBy("Steps")(page);
  await page.getByRole("grid", { name: "Gap to the roof by step" }).waitFor();
  await waitForReply(page);
  const steps = cliReport(file).steps;
  assert.equal(await rowCount(page), steps.length);
  await pressHead(page, "Step", "ascending");
  assert.deepEqual(await column(page, "Step"), steps.map((step) => String(step.step)));
  assert.deepEqual(await column(page, "At roof"), steps.map((step) => formatPercent(step.roofline_util)));
  const before = await page.locator("#step-button").innerText();
  await page.locator("[data-row='2'] [data-column='0']").focus();
  await page.keyboard.press("Enter");
  await waitUntil(() => page.locator("#step-button").innerText(), (text) => text.startsWith(`Step ${steps[2].step}`));
  await page.goBack();
  await waitUntil(() => page.locator("#step-button").innerText(), (text) => text === before);
});

onPage("saved files equal the command line's output, and saved charts need no style sheet", async ({ page }) => {
  const file = capture();
  await openRoofline(page, file);
  const saveFile = async (menu, name) => {
    await page.locator(menu).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name }).click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  const stem = basename(file).replace(".xplane.pb", "");
  const saved = await saveFile("#save-button", /JSON/);
  assert.equal(saved.name, `${stem} roofline by op.json`);
  const [pageReport, expected] = [JSON.parse(saved.bytes), cliReport(file)];
  const byKey = (groups) => groups.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  assert.deepEqual(byKey(pageReport.groups), byKey(expected.groups));
  assert.deepEqual({ ...pageReport.step_summary, top_gaps: 0 }, { ...expected.step_summary, top_gaps: 0 });
  const csv = await saveFile("#save-button", /CSV/);
  assert.deepEqual(csv.bytes.toString().split("\n").toSorted(), cliText(file, "csv").split("\n").toSorted());
  const svg = await saveFile("#roofline-menu-button", /SVG/);
  const text = svg.bytes.toString();
  assert.match(text, /^<svg xmlns=/);
  for (const word of ["bf16 peak 459.0 TFLOP/s", "HBM 2,765 GB/s", "ridge 166.0", "url(#p-wall)"]) assert.ok(text.includes(word), word);
  assert.ok(!text.includes("var("));
  const png = await saveFile("#roofline-menu-button", /PNG/);
  assert.deepEqual([...png.bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
});

onPage("at 390 pixels the Roofline view is not wider than the window", { width: 390, height: 844 }, async ({ page }) => {
  await openRoofline(page, synth());
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `${width} px wide`);
  await page.locator(".roofline-table").evaluate((table) => table.scrollIntoView());
  await page.locator("[data-row='3']").waitFor();
  assert.ok((await column(page, "Gap")).length > 3);
});

onPage("an unknown value in the URL is reported, and the default is shown", { expected: /$^/ }, async ({ page, server }) => {
  await page.goto(`${server.url}#v=1&view=roofline&roofline=by%3Acolour`);
  await reload(page);
  await pickFiles(page, [capture()]);
  await waitForTable(page);
  await page.getByText("by:colour, which Rooflight does not know").waitFor();
  assert.equal(await page.getByRole("grid", { name: "Gap to the roof by op" }).count(), 1);
});

onPage("the panel of an op leaves the sorted columns free, and the op has a ring and a label", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openRoofline(page, capture());
  const name = (await column(page, "Op"))[0];
  const labels = () => page.locator(".roofline-canvas .scene text").allTextContents();
  const rings = () => page.locator(".roofline-canvas .scene [stroke='var(--accent-line)']").count();
  assert.equal(await rings(), 0);
  await page.locator("[data-row='0'] [data-column='0']").dblclick();
  await page.locator(".side-panel").waitFor();
  await waitUntil(rings, (n) => n === 1);
  await waitUntil(labels, (all) => all.some((label) => label.startsWith(name.slice(0, 6))));
  await waitForPaint(page);
  const panel = await page.locator(".side-panel").boundingBox();
  for (const head of ["Gap", "At roof"]) {
    const box = await page.getByRole("columnheader", { name: head, exact: false }).first().boundingBox();
    assert.ok(box.x + box.width <= panel.x + 1, `${head} is beside the panel`);
  }
});
