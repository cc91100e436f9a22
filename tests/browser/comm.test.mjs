// Tests the Communication view. Figures, rows, steps, lanes, bandwidth, flags and devices must equal the command
// line's, which tests/native/comm.rs compares with a brute-force sweep. Mouse and keyboard select; the user can set
// mesh and topology, and the URL keeps both.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { simulatedRun, tpu } from "./captures.mjs";
import { cliOutput, formatDecimal, formatPercent, matchesShortened } from "./expected_values.mjs";
import { onPage } from "./harness.mjs";
import { pickFiles, reload, waitForPaint, waitForTable, waitUntil } from "./lib.mjs";
import { BUSIEST, askForBusiestStep, column, figures, openLandingPage, pick, rowCount, sortBy, waitForRows } from "./page_helpers.mjs";

const cliText = (file, format, ...more) => cliOutput("comm", file, `--${format}`, ...more);
const cliReport = (file, ...more) => JSON.parse(cliText(file, "json", ...more));

const formatBandwidth = (rate) => (rate === null ? "–" : rate < 0.05 ? "<0.1" : formatDecimal(rate, rate < 99.95 ? 1 : 0));

const capture = () => simulatedRun("--steps", "3").captures[0];
const compareNames = (...names) => {
  const [a, b] = names.map((name) => [name.replace(/\d+$/, ""), Number(/\d+$/.exec(name)?.[0] ?? -1)]);
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1];
};
const lanesChart = (page) => page.locator(".comm-lanes .scene");
const openPane = (page, name) => page.locator(".comm-pane").getByRole("button", { name, exact: true }).click();

/** Opens a file and its Communication view. */
async function openCommunication(page, file) {
  await pickFiles(page, [file]);
  await waitForTable(page);
  await page.keyboard.press("5");
  await page.locator(".comm-lanes .scene rect, .chart-empty, .comm > .empty").first().waitFor();
  await waitForReply(page);
}

/** Waits until the reply to the last request is shown. */
async function waitForReply(page) {
  await waitForPaint(page);
  await waitForRows(page);
}

/** Returns the rows of a chart's "Show as a table", then shows the chart as a picture again. */
async function chartTableRows(page, menu, container) {
  await page.locator(menu).click();
  await page.getByRole("menuitem", { name: "Show as a table" }).click();
  const cells = await page.locator(`${container} .chart-table tbody tr`).evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  await page.locator(menu).click();
  await page.getByRole("menuitem", { name: "Show as a picture" }).click();
  return cells;
}
const parsePs = (text) => Number(text.replace(" ps", "").replaceAll(",", ""));

onPage("figures, summary and rows equal the command line's", { needs: tpu() }, async ({ page }) => {
  for (const [file, subject] of [[capture(), "Collectives"], [capture(), "Copies"], [tpu(), "Copies"]]) {
    await openLandingPage(page);
    await openCommunication(page, file);
    // The command line gives the mean of all devices, and the page shows the device of the overview first.
    if (cliReport(file).n_mean_devices) await pick(page, "device", "Mean of");
    await page.getByRole("button", { name: subject, exact: true }).click();
    await waitForReply(page);
    const report = cliReport(file);
    const [totals, rows] = subject === "Copies" ? [report.dma, report.dma_rows] : [report.comm_totals, report.rows];
    const step = report.step_duration_ps;
    const shown = await waitUntil(() => figures(page), (values) => values["Share of step"] === `${formatPercent(totals.stall_ps / step)} %`);
    assert.equal(shown.Overlapped, `${formatPercent(totals.overlapped_ps / totals.in_flight_ps)} %`);
    const subjectText = subject === "Copies" ? "copies between memories" : "communication";
    const window = `the mean of ${report.n_mean_steps} steps${report.n_mean_devices ? ` of ${report.n_mean_devices} devices` : ""}`;
    const sentence = `Waits for ${subjectText} take ${formatPercent(totals.stall_ps / step)} % of ${window}; ${formatPercent(totals.overlapped_ps / totals.in_flight_ps)} % of the time in flight is hidden behind compute.`;
    assert.ok((await page.locator(".comm-summary").innerText()).startsWith(sentence), sentence);
    assert.equal(await rowCount(page), rows.length);
    // The table opens sorted by stall, the longest first, like the first figure. Ties are sorted by name, with numbers
    // at the ends of names by value.
    rows.sort((a, b) => b.stall_ps - a.stall_ps || compareNames(a.key, b.key));
    const names = await column(page, subject === "Copies" ? "Copy" : "Collective");
    assert.ok(names.length > 5);
    for (const [i, name] of names.entries()) assert.ok(matchesShortened(rows[i].key, name), `${name} in place of ${rows[i].key}`);
    const rates = await column(page, subject === "Copies" ? "Rate" : "Bus");
    for (const [i, rate] of rates.entries()) assert.equal(rate, formatBandwidth(subject === "Copies" ? rows[i].alg_gbps : rows[i].bus_gbps), rows[i].key);
    const overlaps = await column(page, "Overlap");
    for (const [i, share] of overlaps.entries()) assert.equal(share, formatPercent(rows[i].overlapped_ps / rows[i].in_flight_ps), rows[i].key);
  }
});

onPage("the parts of each step equal the command line's, and a click selects a step", async ({ page }) => {
  const file = capture();
  await askForBusiestStep(page);
  await openCommunication(page, file);
  const { steps } = cliReport(file, ...BUSIEST);
  const cells = await chartTableRows(page, "#steps-menu-button", ".comm-steps");
  assert.equal(cells.length, steps.length);
  for (const [i, [number, ...times]] of cells.entries()) {
    const { step, duration_ps, compute_busy_ps, overlapped_ps, exposed_ps, rest } = steps[i];
    assert.equal(number, String(step));
    const otherParts = [rest.data_movement_ps, rest.communication_ps + rest.other_ps, rest.idle_ps];
    const parts = [duration_ps, compute_busy_ps - overlapped_ps, overlapped_ps, exposed_ps, ...otherParts];
    assert.equal(otherParts.reduce((sum, time) => sum + time, 0), duration_ps - compute_busy_ps - exposed_ps);
    assert.deepEqual(times, parts.map((time) => formatDecimal(time / 1e9, 3)));
  }
  const box = await page.locator(".comm-steps .scene").boundingBox();
  await page.mouse.click(box.x + box.width * 0.4, box.y + 100);
  await waitUntil(() => page.locator("#step-button").innerText(), (text) => /Step 1/.test(text));
  await waitUntil(() => page.locator(".figure.hero").innerText(), (text) => /step 1/.test(text));
  const shown = await figures(page);
  const report = cliReport(file, "--device", "0", "--step", "1");
  assert.equal(shown["Share of step"], `${formatPercent(report.comm_totals.stall_ps / report.step_duration_ps)} %`);
});

onPage("the lanes show every span in flight, drag and keys zoom them, and the URL keeps the zoom", async ({ page }) => {
  const file = capture();
  await askForBusiestStep(page);
  await openCommunication(page, file);
  const report = cliReport(file, ...BUSIEST);
  const rows = await chartTableRows(page, "#lanes-menu-button", ".comm-lanes");
  const sum = (rows, value) => rows.reduce((total, row) => total + value(row), 0);
  assert.equal(rows.length, report.comm_totals.n_executions);
  const wall = sum(report.rows, (row) => row.wall_ps);
  assert.equal(sum(rows, ([, , , from, to]) => parsePs(to) - parsePs(from)), wall);
  // Several spans are in flight at once, so the sum of their exposed times is at least the exposed time of their union.
  assert.ok(sum(rows, (row) => parsePs(row[5])) >= report.comm_totals.exposed_ps);
  const wholeLabel = await lanesChart(page).getAttribute("aria-label");
  assert.match(wholeLabel, new RegExp(`^${rows.length} spans in flight in \\d+ lanes? against compute of TPU:0, 0 s to `));
  const box = await page.locator(".comm-lanes").boundingBox();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 44, { steps: 5 });
  await page.mouse.up();
  const zoomedLabel = await waitUntil(() => lanesChart(page).getAttribute("aria-label"), (label) => label !== wholeLabel);
  await waitUntil(() => page.url(), (url) => /part(%3A|:)\d+-\d+/.test(url));
  const [, from, to] = /part(?:%3A|:)(\d+)-(\d+)/.exec(page.url()).map(Number);
  const zoomedShare = (to - from) / report.step_duration_ps;
  assert.ok(zoomedShare > 0.15 && zoomedShare < 0.26, `${zoomedShare} of the step`);
  await lanesChart(page).focus();
  await page.keyboard.press("-");
  await waitUntil(() => lanesChart(page).getAttribute("aria-label"), (label) => !label.startsWith(zoomedLabel));
  await page.keyboard.press("0");
  await waitUntil(() => lanesChart(page).getAttribute("aria-label"), (label) => label.startsWith(wholeLabel));
  await page.keyboard.press("+");
  await waitUntil(() => lanesChart(page).getAttribute("aria-label"), (label) => !label.startsWith(wholeLabel));
  // An arrow key goes to a span and describes it; Enter opens the panel of its op.
  await page.keyboard.press("ArrowRight");
  const spanLabel = await waitUntil(() => lanesChart(page).getAttribute("aria-label"), (label) => /in flight, .* exposed\.$/.test(label));
  await page.keyboard.press("Enter");
  await page.locator("#op-name").waitFor();
  const name = await page.locator("#op-name").innerText();
  assert.ok(spanLabel.includes(`${name},`), `${name} of ${spanLabel}`);
  // A change of the step clears the zoomed time range.
  await page.keyboard.press("Escape");
  await page.keyboard.press("]");
  await waitUntil(() => page.url(), (url) => !url.includes("part"));
});

onPage("a selected row is marked in the lanes and in the bandwidth chart", async ({ page }) => {
  const file = capture();
  await askForBusiestStep(page);
  await openCommunication(page, file);
  const name = (await column(page, "Collective"))[0];
  await page.locator("[data-row='0'] [data-column='0']").focus();
  await page.keyboard.press("Space");
  await page.locator(".comm-lanes .scene [stroke='var(--accent-line)']").first().waitFor();
  const n = await page.locator(".comm-lanes .scene [stroke='var(--accent-line)']").count();
  assert.equal(n, cliReport(file, ...BUSIEST).rows.find((row) => matchesShortened(row.key, name)).n_executions);
  await openPane(page, "Bandwidth");
  await page.locator(".comm-bandwidth .scene [stroke='var(--accent-line)']").waitFor();
  await page.keyboard.press("Escape");
  await waitUntil(() => page.locator(".comm-bandwidth .scene [stroke='var(--accent-line)']").count(), (n) => n === 0);
  await page.locator("[data-row='0'] .cell-name, [data-row='0'] [data-column='0']").first().focus();
  await page.keyboard.press("Enter");
  await waitUntil(() => page.locator("#op-name").innerText(), (text) => text === name);
});

onPage("mesh and topology set the names of axes and the peaks of links, and a reload keeps them", async ({ page }) => {
  const file = capture();
  await openCommunication(page, file);
  await page.locator("#wiring-button").click();
  const panel = page.locator("#wiring");
  await panel.getByLabel("Chips").fill("2x2x");
  await panel.getByLabel("Chips").press("Enter");
  await panel.getByText(/a topology is chips along each side/).waitFor();
  await panel.getByLabel("Chips").fill("2x2x2");
  await panel.getByLabel("Chips").press("Enter");
  await panel.getByRole("checkbox").check();
  await panel.getByLabel("Axis 1, name").fill("data");
  await panel.getByLabel("Axis 1, devices").fill("2");
  await panel.getByLabel("Axis 1, devices").press("Tab");
  await panel.getByLabel("Axis 2, name").fill("model");
  await panel.getByLabel("Axis 2, devices").fill("4");
  await panel.getByLabel("Axis 2, devices").press("Tab");
  await panel.getByText("8 devices").waitFor();
  const report = cliReport(file, "--mesh", "data=2,model=4", "--topology", "2x2x2", "--wrap");
  // The table with the file's own axes stays on screen until the reply for the new mesh arrives.
  const readRows = () => panel.locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const hasMesh = (rows) => rows.length > 0 && rows.every((row) => /data|model|–/.test(row[2]));
  const groups = await waitUntil(readRows, hasMesh);
  for (const [text, size, axis] of groups) {
    const row = report.rows.find((row) => row.groups && matchesShortened(row.groups, text) && String(row.group_size) === size);
    assert.equal(axis, row.axis ?? "–", text);
  }
  await page.keyboard.press("Escape");
  await openPane(page, "Bandwidth");
  await waitUntil(() => page.locator(".comm-bandwidth .scene").getAttribute("aria-label"), (label) => /links along/.test(label));
  const peaks = [...new Set(report.rows.map((row) => row.peak_gbps).filter((peak) => peak !== null))].sort((a, b) => b - a);
  const chartLabel = await page.locator(".comm-bandwidth .scene").getAttribute("aria-label");
  for (const peak of peaks) assert.ok(chartLabel.includes(`${formatBandwidth(peak)} GB/s`), `${peak} in ${chartLabel}`);
  await waitUntil(() => page.url(), (url) => url.includes("topology") && url.includes("model"));
  await reload(page);
  await pickFiles(page, [file]);
  await waitForTable(page);
  await waitUntil(() => page.locator("#wiring-button").innerText(), (text) => text.includes("data=2,model=4 · 2x2x2 torus"));
  // The mesh and the topology are removed again.
  await page.locator("#wiring-button").click();
  await panel.getByRole("button", { name: "Remove axis 2" }).click();
  await panel.getByRole("button", { name: "Remove axis 1" }).click();
  await panel.getByLabel("Chips").fill("");
  await panel.getByLabel("Chips").press("Enter");
  await waitUntil(() => page.locator("#wiring-button").innerText(), (text) => text.includes("not set"));
});

onPage("the suggested flags and the straggler equal the command line's", async ({ page }) => {
  const { captures } = simulatedRun("--steps", "2", "--fault", "straggler");
  await openCommunication(page, captures[0]);
  const report = cliReport(captures[0]);
  await openPane(page, "Flags");
  await page.locator(".flags code").first().waitFor();
  const shown = await shownFlags(page);
  assert.ok(shown.length > 0);
  assert.deepEqual(shown, JSON.parse(cliOutput("flags", captures[0], "--json")).rows.map(flagRow));
  assert.ok((await page.locator(".comm-pane .picture-note").innerText()).includes("libtpu 0.0.51"));
  await openPane(page, "Devices");
  await page.locator(".found-table td").first().waitFor();
  const first = report.balance.devices[0];
  assert.equal(first.device, report.balance.straggler.device);
  assert.ok((await page.locator(".comm-pane .found").innerText()).includes(`Straggler: ${first.device}. `));
  const names = await page.locator(".found-table").first().locator("tbody th").allTextContents();
  assert.deepEqual(names, report.balance.devices.map((device) => device.device));
});

onPage("pasted flags are judged as the command line judges them, and can be changed", async ({ page }) => {
  const file = capture();
  const text = 'LIBTPU_INIT_ARGS="--xla_tpu_enable_async_collective_fusion_fuse_all_gather=true --xla_gpu_autotune_level=2 --xla_nothing=1"';
  await openCommunication(page, file);
  await openPane(page, "Flags");
  const field = page.getByLabel("XLA flags");
  await field.fill(text);
  const judged = () => JSON.parse(cliOutput("flags", file, "--json", "--flags", text));
  await waitUntil(() => shownFlags(page), (rows) => rows.some(([verdict]) => verdict === "unknown"));
  assert.deepEqual(await shownFlags(page), judged().rows.map(flagRow));
  const marked = await page.locator(".flag-field u").allTextContents();
  assert.deepEqual(marked, ["--xla_tpu_enable_async_collective_fusion_fuse_all_gather=true", "--xla_gpu_autotune_level=2", "--xla_nothing=1"]);
  // The marks lie below the letters of the text.
  const boxes = await page.locator(".flag-field > *").evaluateAll((all) => all.map((one) => [one.clientWidth, one.clientHeight]));
  assert.deepEqual(boxes[0], boxes[1]);
  // A change is made in the text.
  await page.locator(".comm-flags tr", { hasText: "--xla_gpu_autotune_level" }).getByRole("button", { name: "Take it out" }).click();
  assert.equal(await field.inputValue(), text.replace(" --xla_gpu_autotune_level=2", ""));
  await waitUntil(() => page.locator(".flag-field u").count(), (n) => n === 2);
  // The overview names the flag that is refused, and the address does not hold the text.
  await page.keyboard.press("Escape");
  await page.locator("#tab-overview").click();
  await page.locator(".finding", { hasText: "XLA flags are refused" }).waitFor();
  assert.ok(!page.url().includes("xla_"));
  await page.locator(".finding", { hasText: "XLA flags are refused" }).locator("summary").click();
  await page.locator(".finding", { hasText: "XLA flags are refused" }).getByRole("button", { name: "the flags of your run" }).click();
  await page.getByRole("button", { name: "Clear" }).click();
  assert.equal(await field.inputValue(), "");
});

onPage("a flag file is judged by the open capture", async ({ page }) => {
  const file = capture();
  const flagFile = { name: "module_0001.flagfile", mimeType: "text/plain", buffer: Buffer.from("--xla_tpu_scoped_vmem_limit_kib=65536\n") };
  await page.locator("input[type=file]").first().setInputFiles(flagFile);
  await page.getByText("holds XLA flags").waitFor();
  await openCommunication(page, file);
  await page.locator("input[type=file]").first().setInputFiles(flagFile);
  await waitUntil(() => shownFlags(page), (rows) => rows.some(([verdict, flags]) => verdict === "set" && flags[0] === "--xla_tpu_scoped_vmem_limit_kib"));
  assert.equal(await page.getByLabel("XLA flags").inputValue(), "--xla_tpu_scoped_vmem_limit_kib=65536\n");
});

/** The verdicts on the page: each with its flags and its reason. */
const shownFlags = (page) =>
  page.locator(".comm-flags tbody tr").evaluateAll((rows) =>
    rows.map((row) => [row.querySelector("th").textContent, [...row.querySelectorAll("code")].map((code) => code.textContent), row.querySelector("p").textContent]));

const VERDICT_LABELS = { to_try: "to try", no_effect: "no effect", working: "seen working" };

/** A verdict of the command line, as the page shows it. */
const flagRow = (row) => [VERDICT_LABELS[row.verdict] ?? row.verdict, row.flags.map((flag) => `--${flag}`), row.text];

onPage("rows can be grouped by source, device group and primitive, sorted, and filtered", async ({ page }) => {
  const file = capture();
  await askForBusiestStep(page);
  await openCommunication(page, file);
  for (const [label, by] of [["Source", "source"], ["Device groups", "group"], ["Primitive", "primitive"]]) {
    await page.getByRole("group", { name: "Rows" }).getByRole("button", { name: label, exact: true }).click();
    await page.getByRole("columnheader", { name: label }).waitFor();
    await waitForReply(page);
    const { rows } = cliReport(file, "--by", by, ...BUSIEST);
    await waitUntil(() => rowCount(page), (n) => n === rows.length);
    const names = await column(page, label);
    for (const [i, name] of names.entries()) assert.ok(matchesShortened(rows[i].key, name), `${name} in place of ${rows[i].key}`);
  }
  await page.getByRole("group", { name: "Rows" }).getByRole("button", { name: "Op", exact: true }).click();
  await page.getByRole("columnheader", { name: "Collective" }).waitFor();
  await waitForReply(page);
  const { rows } = cliReport(file, ...BUSIEST);
  await sortBy(page, "Stall", "descending");
  const stalls = await column(page, "Stall");
  const sortedStalls = rows.map((row) => row.stall_ps).toSorted((a, b) => b - a);
  assert.deepEqual(stalls, sortedStalls.slice(0, stalls.length).map((time) => (time > 0 && time < 5e5 ? "<0.001" : formatDecimal(time / 1e9, 3))));
  await page.locator("#filter").fill("all-gather");
  const gatherRows = rows.filter((row) => [row.key, row.primitive, row.source, row.scope, row.groups].some((text) => text?.toLowerCase().includes("all-gather")));
  await waitUntil(() => rowCount(page), (n) => n === gatherRows.length);
});

onPage("saved files equal the command line's output, and saved charts need no style sheet", async ({ page }) => {
  const file = capture();
  await openCommunication(page, file);
  const saveFile = async (menu, name) => {
    // A row under the pointer would show its tooltip over the button, so the pointer moves away first.
    await page.mouse.move(2, 2);
    await page.locator(menu).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name }).click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  const saved = await saveFile("#save-button", /JSON/);
  assert.equal(saved.name, `${basename(file).replace(".xplane.pb", "")} communication.json`);
  const [pageReport, expected] = [JSON.parse(saved.bytes), cliReport(file)];
  assert.deepEqual(pageReport.rows, expected.rows);
  assert.deepEqual([pageReport.comm_totals, pageReport.steps, pageReport.balance], [expected.comm_totals, expected.steps, expected.balance]);
  const csv = await saveFile("#save-button", /CSV/);
  assert.equal(csv.bytes.toString(), cliText(file, "csv"));
  const picture = await saveFile("#lanes-menu-button", /SVG/);
  const text = picture.bytes.toString();
  assert.match(text, /^<svg xmlns=/);
  for (const word of ["Compute", "Stall", "In flight"]) assert.ok(text.includes(`>${word}<`), word);
  assert.ok(!text.includes("var("));
  const png = await saveFile("#steps-menu-button", /PNG/);
  assert.deepEqual([...png.bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
});

onPage("a step without collectives shows copies, and the choice of collectives says that there are none", { needs: tpu() }, async ({ page }) => {
  await openCommunication(page, tpu());
  await waitUntil(() => page.locator(".comm-summary").innerText(), (text) => /^Waits for copies between memories/.test(text));
  // Copies overlap in time, so the foot shows no sum of their times in flight or exposed.
  const foot = await page.locator(".comm-table .grid-foot").innerText();
  assert.ok(/\d rows/.test(foot) && !foot.includes("864.778"), foot);
  await page.getByRole("button", { name: "Collectives", exact: true }).click();
  await waitUntil(() => page.locator(".comm-summary").innerText(), (text) => /^There are no collectives in the mean of 98 steps of 4 devices\./.test(text));
  await page.getByRole("heading", { name: "No collectives in the mean of 98 steps of 4 devices" }).waitFor();
  await page.getByRole("button", { name: "Show copies" }).click();
  await waitUntil(() => page.locator(".comm-summary").innerText(), (text) => /^Waits for copies between memories/.test(text));
  // The whole capture has an all-reduce between two devices.
  await page.getByRole("button", { name: "Collectives", exact: true }).click();
  await page.getByRole("button", { name: "Whole capture", exact: true }).click();
  await page.locator(".comm-table [role=grid]").waitFor();
  await waitForReply(page);
  await waitUntil(() => rowCount(page), (n) => n === 1);
  assert.deepEqual([await column(page, "Primitive"), await column(page, "Count")], [["all-reduce"], ["3"]]);
});

onPage("at 390 pixels the Communication view is not wider than the window", { width: 390, height: 844 }, async ({ page }) => {
  await openCommunication(page, capture());
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `${width} px wide`);
  await page.locator(".comm-table").evaluate((table) => table.scrollIntoView());
  await page.locator("[data-row='3']").waitFor();
  assert.ok((await column(page, "Stall")).length > 3);
});

onPage("an unknown value in the URL is reported, and the default is shown", { expected: /$^/ }, async ({ page, server }) => {
  await page.goto(`${server.url}#v=1&view=communication&comm=by%3Acolour`);
  await reload(page);
  await pickFiles(page, [capture()]);
  await waitForTable(page);
  await page.getByText(/Its part for communication is by:colour, which Rooflight does not know\./).waitFor();
  await page.locator(".comm-lanes .scene rect").first().waitFor();
});
