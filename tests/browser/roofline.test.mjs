// These tests compare the Roofline view with the command line: marks, tooltips, table and totals. They choose ops by
// mouse, brush and keyboard, change the peaks, the costs of kernels and the useful FLOPs, and check saved files and the
// address.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { made, synth, tpu } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { opened, painted, pickFiles, reload, until } from "./lib.mjs";
import { column, figures, pick, pressHead, rowCount, settled } from "./reading.mjs";
import { decimal, matches, percent, printed } from "./written.mjs";

const cli = (file, format, ...more) => printed("roofline", file, `--${format}`, ...more);
const json = (file, ...more) => JSON.parse(cli(file, "json", ...more));

const ms = (ps, n = 3) => (ps > 0 && ps / 1e9 < 0.0005 ? "<0.001" : decimal(ps / 1e9, n));
const tflops = (rate) => (rate / 1e12 < 0.005 ? "<0.01" : decimal(rate / 1e12, rate / 1e12 < 0.995 ? 2 : 1));

const capture = () => made("--steps", "3").captures[0];
const svg = (page) => page.locator(".roofline-canvas .scene");
const drawn = (page) => page.locator(".roofline-canvas .scene [fill='var(--k-compute)']");
const label = (page) => svg(page).getAttribute("aria-label");
const said = (page) => page.locator(".roofline-selection");

/** Opens `file` and shows its Roofline view. */
async function show(page, file) {
  await pickFiles(page, [file]);
  await opened(page);
  await page.keyboard.press("3");
  await drawn(page).first().waitFor();
  await ready(page);
}

/** Waits until the view shows the answer to the latest request. */
async function ready(page) {
  await painted(page);
  await settled(page);
}

const rows = (by) => (page) => page.locator(".table-tools").getByRole("button", { name: by, exact: true }).click();

onPage("figures, rows and totals are the command line's", { needs: tpu() }, async ({ page }) => {
  for (const file of [capture(), tpu()]) {
    await show(page, file);
    const report = json(file);
    const hero = `${percent(report.step_summary.weighted_avg_roofline_util)} %`;
    await until(async () => (await figures(page))["Roofline efficiency"], (is) => is === hero);
    const { step_summary: sums, window, considered_duration_ps: considered } = report;
    const told = await figures(page);
    assert.equal(told.Coverage, `${percent(sums.rooflined_dur_ps / considered)} %`);
    assert.equal(told["HFU (incl. recompute)"], `${percent(window.mfu)} %`);
    const scale = considered >= 1e12 ? 1e12 : 1e9;
    const bound = ["Compute-bound", "Memory-bound"].map((name) => Number.parseFloat(told[name].replace(",", "")));
    const unit = told["Memory-bound"].endsWith(" ms") === told["Compute-bound"].endsWith(" ms");
    if (unit) assert.ok(Math.abs(bound[0] + bound[1] - sums.rooflined_dur_ps / scale) < 0.02, `${bound} of ${sums.rooflined_dur_ps}`);

    assert.equal(await rowCount(page), report.groups.length);
    const byGap = report.groups.toSorted((a, b) => (b.recoverable_ps ?? -1) - (a.recoverable_ps ?? -1) || (a.key < b.key ? -1 : 1));
    const names = await column(page, "Op");
    const whole = (name) => report.groups.find((row) => row.key === name || matches(row.key, name));
    for (const [at, name] of names.slice(0, 20).entries()) {
      assert.ok(matches(byGap[at].key, name), `${name} in place of ${byGap[at].key}`);
      assert.ok(whole(name));
    }
    const utils = await column(page, "At roof");
    for (const [at, text] of utils.slice(0, 20).entries()) {
      const row = byGap[at];
      const is = row.roofline_util === null ? "–" : percent(row.roofline_util);
      assert.equal(text.replace("▲ ", ""), is, row.key);
    }
  }
});

onPage("a mark says what was put in", async ({ page }) => {
  const { captures, truth } = made("--steps", "3");
  await show(page, captures[0]);
  await pick(page, "step", /all|whole/i);
  await ready(page);
  // The table of the chart holds the exact position of every mark.
  await page.getByRole("button", { name: "Save or show this chart" }).click();
  await page.getByRole("menuitem", { name: "Show as a table" }).click();
  const cells = await page.locator(".roofline-canvas .chart-table tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.ok(cells.length > 150, `${cells.length} marks`);
  const device = truth.devices[0];
  let compared = 0;
  for (const [name, , intensity, rate] of cells) {
    const at = truth.ops.findIndex((op) => op.name === name);
    if (at < 0) continue;
    const { flops } = truth.ops[at];
    const [own, runs] = [device.self_ps[at], device.runs[at]];
    assert.equal(rate, tflops((flops * runs) / (own / 1e12)), name);
    assert.match(intensity, /\d/);
    compared += 1;
  }
  assert.ok(compared > 150, `${compared} compared`);
  await page.getByRole("button", { name: "Save or show this chart" }).click();
  await page.getByRole("menuitem", { name: "Show as a picture" }).click();
  // By pointer: the tooltip of the largest op shows its name and its rate.
  const largest = truth.ops.map((op, at) => ({ ...op, at })).filter((op) => /fusion/.test(op.name) && op.flops > 1e11).sort((a, b) => device.self_ps[b.at] - device.self_ps[a.at])[0];
  await page.locator("#filter").fill(`^${largest.name.replaceAll(".", "\\.")}$`);
  await page.getByRole("button", { name: "Regular expression" }).click();
  await until(() => drawn(page).count(), (n) => n === 1);
  const box = await drawn(page).first().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const tip = page.getByRole("tooltip");
  await tip.waitFor();
  const words = await tip.innerText();
  assert.ok(words.includes(largest.name), words);
  assert.ok(words.includes(`${tflops((largest.flops * device.runs[largest.at]) / (device.self_ps[largest.at] / 1e12))} TFLOP/s`), words);
});

onPage("by keyboard: marks are walked, told, chosen and opened", async ({ page }) => {
  await show(page, capture());
  await svg(page).focus();
  const before = await label(page);
  assert.match(before, /^Roofline of TPU:0, step \d+: \d+ marks against bf16 459\.0 TFLOP\/s, HBM 2,765 GB\/s; ridge at 166\.0/);
  await page.keyboard.press("ArrowRight");
  const now = await label(page);
  assert.notEqual(now, before);
  assert.match(now, /FLOP\/byte, .* TFLOP\/s, .* % of its (compute|HBM) roof, self .*, gap .*\.$/);
  await page.getByRole("tooltip").waitFor();
  await page.keyboard.press("+");
  await page.getByRole("button", { name: "Fit" }).and(page.locator(":enabled")).waitFor();
  await page.keyboard.press("0");
  await page.getByRole("button", { name: "Fit" }).and(page.locator(":disabled")).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".op-verdict").waitFor();
  const name = await page.locator("#op-name").innerText();
  assert.ok(now.includes(`${name}:`), `${name} of ${now}`);
  await page.keyboard.press("Escape");
  await until(() => said(page).innerText(), (is) => is.startsWith(name));
  await page.keyboard.press("Escape");
  await until(() => said(page).innerText(), (is) => is.startsWith("Click a point"));
});

onPage("a brush chooses what is in it; Shift adds; what is chosen is summed", async ({ page }) => {
  const file = capture();
  await show(page, file);
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
  const all = await said(page).innerText();
  const seen = Number.parseInt(all.replace(",", ""), 10);
  assert.ok(seen > 100, all);
  await page.keyboard.press("Escape");
  // Choose the left half, then add the right half: all marks are chosen again.
  const middle = frame.width / 2;
  await drag([45, 20], [middle, frame.height - 42]);
  const left = await said(page).innerText();
  assert.ok(Number.parseInt(left, 10) < seen, left);
  await drag([middle, 20], [frame.width - 4, frame.height - 42], true);
  assert.equal(await said(page).innerText(), all);
  // The gaps of all chosen marks add up to the step's gap, without the ops that have no position or lie outside the
  // view.
  const share = Number(/gap .*?, ([\d.]+) % of all/.exec(all)[1]);
  assert.ok(share > 95 && share <= 100.01, all);
  // The names of all marks are too long for the address. The names of a few marks fit.
  await page.keyboard.press("Escape");
  await page.locator("[data-row='0'] [data-column='0']").focus();
  await page.keyboard.press("Space");
  await until(() => page.url(), (url) => url.includes("sel="));
});

onPage("other peaks change the figures, and stay", async ({ page }) => {
  const file = capture();
  await show(page, file);
  const before = await figures(page);
  await page.locator("#peaks-button").click();
  const field = page.getByRole("textbox", { name: "bf16, TFLOP/s" });
  assert.equal(await field.inputValue(), "459");
  await field.fill("918");
  await field.press("Enter");
  const report = json(file, "--peak-tflops", "bf16=918");
  assert.notEqual(percent(report.window.mfu), percent(json(file).window.mfu));
  await until(async () => (await figures(page))["HFU (incl. recompute)"], (is) => is === `${percent(report.window.mfu)} %`);
  assert.equal((await figures(page))["Roofline efficiency"], `${percent(report.step_summary.weighted_avg_roofline_util)} %`);
  assert.match(await label(page), /bf16 918\.0 TFLOP\/s/);
  assert.match(await page.locator("#peaks").innerText(), /yours/);
  // The field rejects a text that is not a number.
  await field.fill("fast");
  await field.press("Enter");
  assert.equal(await until(() => field.inputValue()), "918");
  await page.keyboard.press("Escape");
  // After a reload and opening the file again, the peak is still 918.
  await until(() => page.url(), (url) => url.includes("peak"));
  await reload(page);
  await pickFiles(page, [file]);
  await opened(page);
  await svg(page).waitFor();
  await ready(page);
  assert.match(await label(page), /bf16 918\.0 TFLOP\/s/);
  // An op's panel uses the same peak.
  await svg(page).focus();
  await page.keyboard.press("Enter");
  await page.locator(".op-verdict").waitFor();
  assert.match(await page.locator(".op-panel").innerText(), /of 918\.0 TFLOP\/s/);
  await page.keyboard.press("Escape");
  await page.locator("#peaks-button").click();
  await page.getByRole("button", { name: "Reset" }).click();
  await until(async () => (await figures(page))["HFU (incl. recompute)"], (is) => is === before["HFU (incl. recompute)"]);
  // Another chip brings its published peaks.
  await pick(page, "peaks-chip", "TPU v6e");
  await page.locator("#peaks").getByRole("button", { name: "Reset" }).waitFor();
  await until(() => label(page), (is) => /bf16 918\.0 TFLOP\/s, HBM 1,638 GB\/s/.test(is));
});

onPage("what a kernel costs and what a step has to compute are the user's to say", async ({ page }) => {
  const file = capture();
  await show(page, file);
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
  const report = json(file, "--kernel-cost", `${name}=1.5e12,2e9`);
  await until(async () => (await figures(page))["Roofline efficiency"], (is) => is === `${percent(report.step_summary.weighted_avg_roofline_util)} %`);
  await panel.getByRole("button", { name: /Remove the cost/ }).click();
  await page.keyboard.press("Escape");

  await page.locator("#useful-button").click();
  const useful = page.locator("#useful");
  await useful.getByLabel("Global batch size").fill("8");
  await useful.getByLabel("Sequence length").fill("2048");
  await useful.getByLabel(/FLOPs per token/).fill("1G");
  await useful.getByRole("button", { name: "Apply" }).click();
  const told = json(file, "--batch", "8", "--sequence", "2048", "--flops-per-token", "1e9").window;
  await until(async () => (await figures(page))["MFU from tokens"], (is) => is === `${percent(told.useful_mfu)} %`);
  await useful.getByRole("button", { name: "Reset" }).click();
  await until(async () => (await figures(page))["MFU from tokens"], (is) => is === undefined);
});

onPage("sources, programs and steps; forms left out; Enter goes on from each", async ({ page }) => {
  const file = capture();
  await show(page, file);
  const all = await drawn(page).count();
  const form = page.getByRole("group", { name: "Groups of work" }).getByRole("button", { name: "Matmul" });
  await form.click();
  assert.equal(await form.getAttribute("aria-pressed"), "false");
  assert.ok((await drawn(page).count()) < all);
  await form.click();
  assert.equal(await drawn(page).count(), all);

  await rows("Sources")(page);
  await page.getByRole("grid", { name: "Gap to the roof by source" }).waitFor();
  await ready(page);
  assert.equal(await rowCount(page), json(file, "--by", "source").groups.length);
  await rows("Programs")(page);
  await page.getByRole("grid", { name: "Gap to the roof by program" }).waitFor();
  await ready(page);
  const programs = json(file, "--by", "program").groups.map((row) => row.key);
  for (const [at, name] of (await column(page, "Program")).entries()) assert.ok(matches(programs[at], name), name);
  await rows("Steps")(page);
  await page.getByRole("grid", { name: "Gap to the roof by step" }).waitFor();
  await ready(page);
  const steps = json(file).steps;
  assert.equal(await rowCount(page), steps.length);
  await pressHead(page, "Step", "ascending");
  assert.deepEqual(await column(page, "Step"), steps.map((step) => String(step.step)));
  assert.deepEqual(await column(page, "At roof"), steps.map((step) => percent(step.roofline_util)));
  const before = await page.locator("#step-button").innerText();
  await page.locator("[data-row='2'] [data-column='0']").focus();
  await page.keyboard.press("Enter");
  await until(() => page.locator("#step-button").innerText(), (is) => is.startsWith(`Step ${steps[2].step}`));
  await page.goBack();
  await until(() => page.locator("#step-button").innerText(), (is) => is === before);
});

onPage("what is saved is what the command line writes; pictures stand alone", async ({ page }) => {
  const file = capture();
  await show(page, file);
  const save = async (menu, name) => {
    await page.locator(menu).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name }).click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  const stem = basename(file).replace(".xplane.pb", "");
  const saved = await save("#save-button", /JSON/);
  assert.equal(saved.name, `${stem} roofline by op.json`);
  const [page_, terminal] = [JSON.parse(saved.bytes), json(file)];
  const byKey = (groups) => groups.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  assert.deepEqual(byKey(page_.groups), byKey(terminal.groups));
  assert.deepEqual({ ...page_.step_summary, top_gaps: 0 }, { ...terminal.step_summary, top_gaps: 0 });
  const csv = await save("#save-button", /CSV/);
  assert.deepEqual(csv.bytes.toString().split("\n").toSorted(), cli(file, "csv").split("\n").toSorted());
  const picture = await save("#roofline-menu-button", /SVG/);
  const text = picture.bytes.toString();
  assert.match(text, /^<svg xmlns=/);
  for (const word of ["bf16 peak 459.0 TFLOP/s", "HBM 2,765 GB/s", "ridge 166.0", "url(#p-wall)"]) assert.ok(text.includes(word), word);
  assert.ok(!text.includes("var("));
  const png = await save("#roofline-menu-button", /PNG/);
  assert.deepEqual([...png.bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
});

onPage("narrow: all of it within the screen", { width: 390, height: 844 }, async ({ page }) => {
  await show(page, synth());
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide} px wide`);
  await page.locator(".roofline-table").evaluate((table) => table.scrollIntoView());
  await page.locator("[data-row='3']").waitFor();
  assert.ok((await column(page, "Gap")).length > 3);
});

onPage("an address that means nothing is said, and the usual is shown", { expected: /$^/ }, async ({ page, server }) => {
  await page.goto(`${server.url}#v=1&view=roofline&roofline=by%3Acolour`);
  await reload(page);
  await pickFiles(page, [capture()]);
  await opened(page);
  await page.getByText("by:colour, which Rooflight does not know").waitFor();
  assert.equal(await page.getByRole("grid", { name: "Gap to the roof by op" }).count(), 1);
});
