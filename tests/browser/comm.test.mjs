// Tests the Communication view. Figures, rows, steps, lanes, bandwidth, flags and devices must equal the command
// line's, which tests/native/comm.rs compares with a brute-force sweep. Mouse and keyboard select; the user can set
// mesh and topology, and the URL keeps both.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { made, tpu } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { opened, painted, pickFiles, reload, until } from "./lib.mjs";
import { column, figures, rowCount, settled, sortBy } from "./reading.mjs";
import { decimal, matches, percent, printed } from "./written.mjs";

const cli = (file, format, ...more) => printed("comm", file, `--${format}`, ...more);
const json = (file, ...more) => JSON.parse(cli(file, "json", ...more));

const gbs = (rate) => (rate === null ? "–" : rate < 0.05 ? "<0.1" : decimal(rate, rate < 99.95 ? 1 : 0));

const capture = () => made("--steps", "3").captures[0];
const byName = (...names) => {
  const [a, b] = names.map((name) => [name.replace(/\d+$/, ""), Number(/\d+$/.exec(name)?.[0] ?? -1)]);
  return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1];
};
const lanes = (page) => page.locator(".comm-lanes .scene");
const pane = (page, name) => page.locator(".comm-pane").getByRole("button", { name, exact: true }).click();

/** Opens a file and its Communication view. */
async function show(page, file) {
  await pickFiles(page, [file]);
  await opened(page);
  await page.keyboard.press("5");
  await page.locator(".comm-lanes .scene rect, .chart-empty, .comm > .empty").first().waitFor();
  await ready(page);
}

/** Waits until the reply to the last request is shown. */
async function ready(page) {
  await painted(page);
  await settled(page);
}

/** Returns the rows of a chart's "Show as a table", then shows the chart as a picture again. */
async function asTable(page, menu, within) {
  await page.locator(menu).click();
  await page.getByRole("menuitem", { name: "Show as a table" }).click();
  const cells = await page.locator(`${within} .chart-table tbody tr`).evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  await page.locator(menu).click();
  await page.getByRole("menuitem", { name: "Show as a picture" }).click();
  return cells;
}
const ps = (text) => Number(text.replace(" ps", "").replaceAll(",", ""));

onPage("figures, sentence and rows are the command line's", { needs: tpu() }, async ({ page }) => {
  for (const [file, of] of [[capture(), "Collectives"], [capture(), "Copies"], [tpu(), "Copies"]]) {
    await show(page, file);
    await page.getByRole("button", { name: of, exact: true }).click();
    await ready(page);
    const report = json(file);
    const [totals, rows] = of === "Copies" ? [report.dma, report.dma_rows] : [report.comm_totals, report.rows];
    const step = report.step_duration_ps;
    const told = await until(() => figures(page), (is) => is["Share of step"] === `${percent(totals.stall_ps / step)} %`);
    assert.equal(told.Overlapped, `${percent(totals.overlapped_ps / totals.in_flight_ps)} %`);
    const what = of === "Copies" ? "copies between memories" : "communication";
    const says = `${percent(totals.stall_ps / step)} % of step ${report.step} waits for ${what}; ${percent(totals.overlapped_ps / totals.in_flight_ps)} % of what is in flight is hidden behind compute.`;
    assert.ok((await page.locator(".comm-summary").innerText()).startsWith(says), says);
    assert.equal(await rowCount(page), rows.length);
    // The table opens sorted by stall, the longest first, like the first figure. Ties are sorted by name, with numbers
    // at the ends of names by value.
    rows.sort((a, b) => b.stall_ps - a.stall_ps || byName(a.key, b.key));
    const names = await column(page, of === "Copies" ? "Copy" : "Collective");
    assert.ok(names.length > 5);
    for (const [at, name] of names.entries()) assert.ok(matches(rows[at].key, name), `${name} in place of ${rows[at].key}`);
    const rates = await column(page, of === "Copies" ? "Rate" : "Bus");
    for (const [at, rate] of rates.entries()) assert.equal(rate, gbs(of === "Copies" ? rows[at].alg_gbps : rows[at].bus_gbps), rows[at].key);
    const overlaps = await column(page, "Overlap");
    for (const [at, share] of overlaps.entries()) assert.equal(share, percent(rows[at].overlapped_ps / rows[at].in_flight_ps), rows[at].key);
  }
});

onPage("each step is its parts; a press chooses one", async ({ page }) => {
  const file = capture();
  await show(page, file);
  const { steps } = json(file);
  const cells = await asTable(page, "#steps-menu-button", ".comm-steps");
  assert.equal(cells.length, steps.length);
  for (const [at, [number, ...times]] of cells.entries()) {
    const { step, duration_ps, compute_busy_ps, overlapped_ps, exposed_ps, rest } = steps[at];
    assert.equal(number, String(step));
    const beside = [rest.data_movement_ps, rest.communication_ps + rest.other_ps, rest.idle_ps];
    const parts = [duration_ps, compute_busy_ps - overlapped_ps, overlapped_ps, exposed_ps, ...beside];
    assert.equal(beside.reduce((sum, time) => sum + time, 0), duration_ps - compute_busy_ps - exposed_ps);
    assert.deepEqual(times, parts.map((time) => decimal(time / 1e9, 3)));
  }
  const box = await page.locator(".comm-steps .scene").boundingBox();
  await page.mouse.click(box.x + box.width * 0.4, box.y + 100);
  await until(() => page.locator("#step-button").innerText(), (is) => /Step 1/.test(is));
  await until(() => page.locator(".figure.hero dt").innerText(), (is) => /step 1/.test(is));
  const told = await figures(page);
  const report = json(file, "--step", "1");
  assert.equal(told["Share of step"], `${percent(report.comm_totals.stall_ps / report.step_duration_ps)} %`);
});

onPage("lanes hold what is in flight; drag, keys and buttons zoom; kept in the address", async ({ page }) => {
  const file = capture();
  await show(page, file);
  const report = json(file);
  const all = await asTable(page, "#lanes-menu-button", ".comm-lanes");
  const sum = (rows, of) => rows.reduce((sum, row) => sum + of(row), 0);
  assert.equal(all.length, report.comm_totals.n_executions);
  const wall = sum(report.rows, (row) => row.wall_ps);
  assert.equal(sum(all, ([, , , from, to]) => ps(to) - ps(from)), wall);
  // Several spans are in flight at once, so the sum of their exposed times is at least the exposed time of their union.
  assert.ok(sum(all, (row) => ps(row[5])) >= report.comm_totals.exposed_ps);
  const whole = await lanes(page).getAttribute("aria-label");
  assert.match(whole, new RegExp(`^${all.length} spans in flight in \\d+ lanes? against compute of TPU:0, 0 ps to `));
  const box = await page.locator(".comm-lanes").boundingBox();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 44, { steps: 5 });
  await page.mouse.up();
  const zoomed = await until(() => lanes(page).getAttribute("aria-label"), (is) => is !== whole);
  await until(() => page.url(), (url) => /part(%3A|:)\d+-\d+/.test(url));
  const [, from, to] = /part(?:%3A|:)(\d+)-(\d+)/.exec(page.url()).map(Number);
  const part = (to - from) / report.step_duration_ps;
  assert.ok(part > 0.15 && part < 0.26, `${part} of the step`);
  await lanes(page).focus();
  await page.keyboard.press("-");
  await until(() => lanes(page).getAttribute("aria-label"), (is) => !is.startsWith(zoomed));
  await page.keyboard.press("0");
  await until(() => lanes(page).getAttribute("aria-label"), (is) => is.startsWith(whole));
  await page.keyboard.press("+");
  await until(() => lanes(page).getAttribute("aria-label"), (is) => !is.startsWith(whole));
  // An arrow key goes to a span and describes it; Enter opens the panel of its op.
  await page.keyboard.press("ArrowRight");
  const here = await until(() => lanes(page).getAttribute("aria-label"), (is) => /in flight, .* exposed\.$/.test(is));
  await page.keyboard.press("Enter");
  await page.locator("#op-name").waitFor();
  const name = await page.locator("#op-name").innerText();
  assert.ok(here.includes(`${name},`), `${name} of ${here}`);
  // A change of the step clears the zoomed time range.
  await page.keyboard.press("Escape");
  await page.keyboard.press("]");
  await until(() => page.url(), (url) => !url.includes("part"));
});

onPage("a press on a row shows it in the lanes, a second place to look", async ({ page }) => {
  const file = capture();
  await show(page, file);
  const name = (await column(page, "Collective"))[0];
  await page.locator("[data-row='0'] [data-column='0']").focus();
  await page.keyboard.press("Space");
  await page.locator(".comm-lanes .scene [stroke='var(--accent-line)']").first().waitFor();
  const n = await page.locator(".comm-lanes .scene [stroke='var(--accent-line)']").count();
  assert.equal(n, json(file).rows.find((row) => matches(row.key, name)).n_executions);
  await pane(page, "Bandwidth");
  await page.locator(".comm-bandwidth .scene [stroke='var(--accent-line)']").waitFor();
  await page.keyboard.press("Escape");
  await until(() => page.locator(".comm-bandwidth .scene [stroke='var(--accent-line)']").count(), (n) => n === 0);
  await page.locator("[data-row='0'] .cell-name, [data-row='0'] [data-column='0']").first().focus();
  await page.keyboard.press("Enter");
  await until(() => page.locator("#op-name").innerText(), (is) => is === name);
});

onPage("mesh and topology name axes and give what links carry; they stay", async ({ page }) => {
  const file = capture();
  await show(page, file);
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
  const report = json(file, "--mesh", "data=2,model=4", "--topology", "2x2x2", "--wrap");
  // The table with the file's own axes stays on screen until the reply for the new mesh arrives.
  const read = () => panel.locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const groups = await until(read, (rows) => rows.some((row) => /data|model/.test(row[2])));
  for (const [text, size, axis] of groups) {
    const row = report.rows.find((row) => row.groups && matches(row.groups, text) && String(row.group_size) === size);
    assert.equal(axis, row.axis ?? "–", text);
  }
  await page.keyboard.press("Escape");
  await pane(page, "Bandwidth");
  await until(() => page.locator(".comm-bandwidth .scene").getAttribute("aria-label"), (is) => /links along/.test(is));
  const peaks = [...new Set(report.rows.map((row) => row.peak_gbps).filter((peak) => peak !== null))].sort((a, b) => b - a);
  const said = await page.locator(".comm-bandwidth .scene").getAttribute("aria-label");
  for (const peak of peaks) assert.ok(said.includes(`${gbs(peak)} GB/s`), `${peak} in ${said}`);
  await until(() => page.url(), (url) => url.includes("topology") && url.includes("mesh"));
  await reload(page);
  await pickFiles(page, [file]);
  await opened(page);
  await until(() => page.locator("#wiring-button").innerText(), (is) => is.includes("data=2,model=4 · 2x2x2, rings"));
  // The mesh and the topology are removed again.
  await page.locator("#wiring-button").click();
  await panel.getByRole("button", { name: "Remove axis 2" }).click();
  await panel.getByRole("button", { name: "Remove axis 1" }).click();
  await panel.getByLabel("Chips").fill("");
  await panel.getByLabel("Chips").press("Enter");
  await until(() => page.locator("#wiring-button").innerText(), (is) => is.includes("not set"));
});

onPage("flags to try and the straggler are the command line's", async ({ page }) => {
  const { captures } = made("--steps", "2", "--fault", "straggler");
  await show(page, captures[0]);
  const report = json(captures[0]);
  await pane(page, "Flags");
  await page.locator(".flags code").first().waitFor();
  const told = await page.locator(".finding").evaluateAll((all) => all.map((one) => [one.querySelector("h3").textContent, [...one.querySelectorAll("code")].map((code) => code.textContent)]));
  const setting = (of) => `--${of.flag}=${of.value}`;
  assert.deepEqual(told, report.primitives.map((of) => [of.primitive, of.flag_settings.map(setting)]));
  assert.ok((await page.locator(".comm-pane .found").innerText()).includes("Flags to try on TPU v5, checked with libtpu 0.0.51"));
  await pane(page, "Devices");
  await page.locator(".found-table td").first().waitFor();
  const first = report.balance.devices[0];
  assert.equal(first.device, report.balance.straggler.device);
  assert.ok((await page.locator(".comm-pane .found").innerText()).includes(`Straggler: ${first.device}. `));
  const names = await page.locator(".found-table").first().locator("tbody th").allTextContents();
  assert.deepEqual(names, report.balance.devices.map((device) => device.device));
});

onPage("rows by source, groups and primitive; sorted and looked for", async ({ page }) => {
  const file = capture();
  await show(page, file);
  for (const [label, by] of [["Source", "source"], ["Device groups", "group"], ["Primitive", "primitive"]]) {
    await page.getByRole("group", { name: "Rows" }).getByRole("button", { name: label, exact: true }).click();
    await page.getByRole("columnheader", { name: label }).waitFor();
    await ready(page);
    const { rows } = json(file, "--by", by);
    await until(() => rowCount(page), (n) => n === rows.length);
    const names = await column(page, label);
    for (const [at, name] of names.entries()) assert.ok(matches(rows[at].key, name), `${name} in place of ${rows[at].key}`);
  }
  await page.getByRole("group", { name: "Rows" }).getByRole("button", { name: "Op", exact: true }).click();
  await page.getByRole("columnheader", { name: "Collective" }).waitFor();
  await ready(page);
  const { rows } = json(file);
  await sortBy(page, "Stall", "descending");
  const stalls = await column(page, "Stall");
  const sorted = rows.map((row) => row.stall_ps).toSorted((a, b) => b - a);
  assert.deepEqual(stalls, sorted.slice(0, stalls.length).map((time) => (time > 0 && time < 5e5 ? "<0.001" : decimal(time / 1e9, 3))));
  await page.locator("#filter").fill("all-gather");
  const gathers = rows.filter((row) => [row.key, row.primitive, row.source, row.scope, row.groups].some((text) => text?.toLowerCase().includes("all-gather")));
  await until(() => rowCount(page), (n) => n === gathers.length);
});

onPage("what is saved is what the command line writes; pictures stand alone", async ({ page }) => {
  const file = capture();
  await show(page, file);
  const save = async (menu, name) => {
    // A row under the pointer would show its tooltip over the button, so the pointer moves away first.
    await page.mouse.move(2, 2);
    await page.locator(menu).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name }).click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  const saved = await save("#save-button", /JSON/);
  assert.equal(saved.name, `${basename(file).replace(".xplane.pb", "")} communication.json`);
  const [ours, terminal] = [JSON.parse(saved.bytes), json(file)];
  assert.deepEqual(ours.rows, terminal.rows);
  assert.deepEqual([ours.comm_totals, ours.steps, ours.balance], [terminal.comm_totals, terminal.steps, terminal.balance]);
  const csv = await save("#save-button", /CSV/);
  assert.equal(csv.bytes.toString(), cli(file, "csv"));
  const picture = await save("#lanes-menu-button", /SVG/);
  const text = picture.bytes.toString();
  assert.match(text, /^<svg xmlns=/);
  for (const word of ["Compute", "Waits", "In flight"]) assert.ok(text.includes(`>${word}<`), word);
  assert.ok(!text.includes("var("));
  const png = await save("#steps-menu-button", /PNG/);
  assert.deepEqual([...png.bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
});

onPage("no collective: copies are shown; asked for collectives, it says that there are none", { needs: tpu() }, async ({ page }) => {
  await show(page, tpu());
  await until(() => page.locator(".comm-summary").innerText(), (is) => /waits for copies between memories/.test(is));
  // Copies overlap in time, so the foot shows no sum of their times in flight or exposed.
  const foot = await page.locator(".comm-table .grid-foot").innerText();
  assert.ok(/\d rows/.test(foot) && !foot.includes("864.778"), foot);
  await page.getByRole("button", { name: "Collectives", exact: true }).click();
  await until(() => page.locator(".comm-summary").innerText(), (is) => /^No collective ran in step 4\./.test(is));
  await page.getByRole("heading", { name: "No collectives in step 4" }).waitFor();
  await page.getByRole("button", { name: "Show copies" }).click();
  await until(() => page.locator(".comm-summary").innerText(), (is) => /waits for copies between memories/.test(is));
  // The whole capture has an all-reduce between two devices.
  await page.getByRole("button", { name: "Collectives", exact: true }).click();
  await page.getByRole("button", { name: "Whole capture", exact: true }).click();
  await page.locator(".comm-table [role=grid]").waitFor();
  await ready(page);
  await until(() => rowCount(page), (n) => n === 1);
  assert.deepEqual([await column(page, "Primitive"), await column(page, "Count")], [["all-reduce"], ["3"]]);
});

onPage("narrow: all of it within the screen", { width: 390, height: 844 }, async ({ page }) => {
  await show(page, capture());
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide} px wide`);
  await page.locator(".comm-table").evaluate((table) => table.scrollIntoView());
  await page.locator("[data-row='3']").waitFor();
  assert.ok((await column(page, "Stall")).length > 3);
});

onPage("an address that means nothing is said, and the usual is shown", { expected: /$^/ }, async ({ page, server }) => {
  await page.goto(`${server.url}#v=1&view=communication&comm=by%3Acolour`);
  await reload(page);
  await pickFiles(page, [capture()]);
  await opened(page);
  await page.getByText(/Its part for communication is by:colour, which Rooflight does not know\./).waitFor();
  await page.locator(".comm-lanes .scene rect").first().waitFor();
});
