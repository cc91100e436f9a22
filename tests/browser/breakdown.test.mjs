// Tests the breakdown beyond its first table: the filter, kinds and scopes as filters, the icicle, steps, devices and
// expandable rows. Numbers are compared with the command line's for the same file.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { repository, synth } from "./captures.mjs";
import { cliOutput } from "./expected_values.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, requiredPath, waitForTable, waitUntil } from "./lib.mjs";
import { allRows, column, grid, groupBy, pick, renderedRows, rowCount, sortBy, waitForRows } from "./page_helpers.mjs";

const capture = () => synth({ ops: 200 });

/** Returns the command line's JSON for the same file. The first argument is the subcommand. */
function cliReport(...args) {
  const [command, ...rest] = args;
  return JSON.parse(execFileSync(requiredPath("ROOFLIGHT_CLI"), [command, capture(), "--json", ...rest], { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }));
}

async function openCapture(page) {
  await dropFiles(page, [capture()]);
  await waitForTable(page);
}

async function typeFilter(page, text) {
  await page.getByRole("textbox", { name: "Filter ops" }).fill(text);
  await waitUntil(() => filterStatus(page), (status) => status !== "");
  await waitForRows(page);
}

const filterStatus = (page) => page.locator("#filter-status").innerText();
const searchIn = (page, name) => page.getByRole("group", { name: "Search in" }).getByRole("button", { name, exact: true }).click();
const shownPercent = (text) => Number(/([\d.]+) % of the step/.exec(text)[1]);
/** Asserts that a shown number equals the exact one within the rounding of its digits. */
const assertClose = (shown, exact, tolerance = 0.051) => assert.ok(Math.abs(shown - exact) <= tolerance, `${shown} on screen, but ${exact} exactly`);

onPage("a search anywhere also counts ops whose outer scope matches, and the filter status says so", async ({ page }) => {
  await openCapture(page);
  await groupBy(page, "Category");
  await typeFilter(page, "kda");
  const leaf = await filterStatus(page);
  assertClose(shownPercent(leaf), cliReport("breakdown", "--by", "category", "--filter", "kda").shown.pct_of_step);
  assert.doesNotMatch(leaf, /outer scope/);
  await searchIn(page, "anywhere");
  const anywhere = await waitUntil(() => filterStatus(page), (status) => status !== leaf);
  assertClose(shownPercent(anywhere), cliReport("breakdown", "--by", "category", "--filter", "kda", "--within", "anywhere").shown.pct_of_step);
  assert.match(anywhere, /Also counts ops whose outer scope matches\./);
  assert.ok(shownPercent(anywhere) > shownPercent(leaf) * 1.5 && shownPercent(anywhere) <= 100, `${leaf} | ${anywhere}`);
  // The rows' shares add up to the share that the filter status shows.
  const shares = (await allRows(page)).map((row) => Number(row.Step.replace("<", "")));
  assertClose(shares.reduce((sum, share) => sum + share, 0), shownPercent(anywhere), 0.06 * shares.length);
});

onPage("when no op name matches, the page offers a search anywhere in the path", async ({ page }) => {
  await openCapture(page);
  await typeFilter(page, "layers_1");
  await page.locator(".none").waitFor();
  const text = await page.locator(".none").innerText();
  const match = /No ops match “layers_1” in op names\.\s+(\d+) match anywhere in the path\./.exec(text);
  assert.ok(match, text);
  await page.getByRole("button", { name: "Search anywhere" }).click();
  await waitUntil(() => rowCount(page), (count) => count === Number(match[1]));
});

onPage("an invalid regular expression is reported with its position, and the last valid filter still applies", async ({ page }) => {
  await openCapture(page);
  await typeFilter(page, "fusion");
  const before = [await rowCount(page), await filterStatus(page)];
  await page.getByRole("button", { name: "Regular expression" }).click();
  const field = page.getByRole("textbox", { name: "Filter ops" });
  await field.fill("fusion.(7");
  assert.match(await waitUntil(() => filterStatus(page), (status) => /column/.test(status)), /column 8\. The last good filter still applies\./);
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  assert.equal(await rowCount(page), before[0]);
  await field.fill("^fusion\\.[79]0$");
  await waitUntil(() => rowCount(page), (count) => count === 2);
  assert.deepEqual((await column(page, "Op")).sort(), ["fusion.70", "fusion.90"]);
  assert.equal(await field.getAttribute("aria-invalid"), "false");
  await field.press("Escape");
  await waitUntil(() => field.inputValue(), (text) => text === "");
});

onPage("a source line is found by a search in sources", async ({ page }) => {
  await openCapture(page);
  await searchIn(page, "source");
  await typeFilter(page, "attention.py:88");
  const found = await rowCount(page);
  assert.equal(found, cliReport("breakdown", "--by", "op", "--filter", "attention.py:88", "--within", "source").groups.length);
  assert.ok(found > 0);
});

onPage("the kinds in the bar and in the legend filter the table, and the filter can be removed", async ({ page }) => {
  await openCapture(page);
  const allCount = await rowCount(page);
  const commCount = cliReport("breakdown", "--by", "op", "--kind", "comm").groups.length;
  await page.locator(".segment", { has: page.locator(".mark-comm") }).click();
  await waitUntil(() => rowCount(page), (count) => count === commCount);
  const legend = page.getByRole("button", { name: "Communication", exact: true });
  assert.equal(await legend.getAttribute("aria-pressed"), "true");
  await legend.click();
  await waitUntil(() => rowCount(page), (count) => count === allCount);
  await page.locator(".segment").first().focus();
  await page.keyboard.press("Enter");
  await waitUntil(() => rowCount(page), (count) => count < allCount);
  await page.getByRole("button", { name: /^kind Compute: show all again/ }).click();
  await waitUntil(() => rowCount(page), (count) => count === allCount);
});

/** Returns the icicle's cells as its "Show as a table" lists them: one array of texts per row. */
async function icicleCells(page) {
  await page.getByRole("button", { name: "Save or show this chart" }).click();
  await page.getByRole("menuitem", { name: "Show as a table" }).click();
  const rows = await page.locator(".chart-table tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  await page.getByRole("button", { name: "Save or show this chart" }).click();
  await page.getByRole("menuitem", { name: "Show as a picture" }).click();
  return rows;
}

onPage("the icicle equals the command line's scope tree, filters the table, and zooms in and out", async ({ page }) => {
  await openCapture(page);
  const tree = cliReport("breakdown", "--by", "scope").groups;
  const step = cliReport("breakdown", "--by", "kind").step_duration_ps;
  const chart = page.locator(".scene");
  await waitUntil(async () => (await icicleCells(page)).length, (n) => n > 3);
  const drawnCells = await icicleCells(page);
  const allCount = await rowCount(page);
  const rootScope = tree[0];
  assertClose(Number(/([\d.]+) %/.exec(drawnCells[0][2])[1]), (rootScope.total_dur_ps / step) * 100);
  // By keyboard, ArrowDown goes to the largest child and Enter filters the table to its ops.
  await chart.focus();
  await page.keyboard.press("ArrowDown");
  const label = await chart.getAttribute("aria-label");
  await page.keyboard.press("Enter");
  await page.locator(".only").filter({ hasText: "scope" }).waitFor();
  await waitForRows(page);
  const scope = await page.locator(".only-what").innerText();
  assert.ok(label.includes(scope.split("/").at(-1)), `${label} | ${scope}`);
  const scopeReport = cliReport("breakdown", "--by", "op", "--scope", scope);
  assert.equal(await rowCount(page), scopeReport.groups.length);
  assertClose(shownPercent(await filterStatus(page)), scopeReport.shown.pct_of_step);
  await page.keyboard.press("Enter");
  await page.locator(".only").waitFor({ state: "detached" });
  // A click zooms in. The path back to all ops appears above the chart.
  const box = await chart.boundingBox();
  const tableTop = async () => (await grid(page).boundingBox()).y;
  const topBefore = await tableTop();
  await waitUntil(() => rowCount(page), (n) => n === allCount);
  await page.mouse.click(box.x + 40, box.y + 33);
  await page.locator(".crumbs").waitFor();
  // The table shows only the ops of the zoomed scope, and its position on the page does not change.
  const zoomedScope = await waitUntil(() => page.locator(".only-what").innerText(), Boolean);
  await waitForRows(page);
  assert.equal(await rowCount(page), cliReport("breakdown", "--by", "op", "--scope", zoomedScope).groups.length);
  assert.equal(await tableTop(), topBefore);
  const crumbs = await page.locator(".crumb").allInnerTexts();
  assert.equal(crumbs[0], "all ops");
  assert.ok(crumbs.length >= 3, crumbs.join());
  await waitUntil(() => page.url(), (url) => url.includes("zoom="));
  await chart.focus();
  await page.keyboard.press("Backspace");
  await waitUntil(async () => (await page.locator(".crumb").allInnerTexts()).length, (n) => n < crumbs.length);
  await page.keyboard.press("0");
  await page.locator(".crumbs").waitFor({ state: "detached" });
  await page.locator(".only").waitFor({ state: "detached" });
  await waitUntil(() => rowCount(page), (n) => n === allCount);
  assert.equal(await tableTop(), topBefore);
});

onPage("a new sort order does not redraw the chart, and a new step does", async ({ page }) => {
  await openCapture(page);
  await page.locator(".scene rect").first().waitFor();
  await waitForRows(page);
  await page.evaluate(() => {
    window.mutations = 0;
    const watch = { subtree: true, childList: true, attributes: true };
    new MutationObserver((changes) => (window.mutations += changes.length)).observe(document.querySelector(".scene"), watch);
  });
  const firstRow = async () => (await renderedRows(page))[0];
  const before = await firstRow();
  await sortBy(page, "Self", "ascending");
  await waitForRows(page);
  await waitUntil(firstRow, (row) => JSON.stringify(row) !== JSON.stringify(before));
  assert.equal(await page.evaluate(() => window.mutations), 0);
  await page.getByRole("button", { name: "Next step" }).click();
  await waitUntil(() => page.evaluate(() => window.mutations));
});

onPage("the tooltip of an icicle cell is the same on hover and on keyboard focus", async ({ page }) => {
  await openCapture(page);
  const chart = page.locator(".scene");
  await waitUntil(async () => (await chart.boundingBox())?.height, (height) => height > 40);
  const box = await chart.boundingBox();
  await page.mouse.move(box.x + 60, box.y + 33);
  await page.locator("#tip").getByText("Executions").waitFor();
  const hoverText = await page.locator("#tip").innerText();
  await page.mouse.move(0, 0);
  await page.locator(".tip").waitFor({ state: "hidden" });
  await chart.focus();
  await page.keyboard.press("ArrowDown");
  await page.locator("#tip").getByText("Executions").waitFor();
  assert.equal(await page.locator("#tip").innerText(), hoverText);
});

onPage("the step statistics equal the command line's, and Enter selects a step or a device in its chart", async ({ page }) => {
  await openCapture(page);
  await pick(page, "device", "TPU:0");
  await page.getByRole("button", { name: "Steps", exact: true }).click();
  const spread = page.locator(".spread");
  await spread.waitFor();
  const text = await spread.innerText();
  const device = cliReport("summary").step_stats.devices[0];
  const formatMs = (ps) => `${(ps / 1e9).toFixed(2)} ms`;
  const { n, mean_dur_ps, median_dur_ps, min_dur_ps, max_dur_ps, q1_dur_ps, q3_dur_ps } = device.steady;
  for (const ps of [mean_dur_ps, median_dur_ps, min_dur_ps, max_dur_ps, q1_dur_ps, q3_dur_ps]) assert.ok(text.includes(formatMs(ps)), `${formatMs(ps)} in ${text}`);
  assert.ok(text.includes(`${n} of ${device.all.n}`), text);
  const chart = page.locator(".scene");
  await chart.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await waitUntil(() => page.locator("#step-button").innerText(), (text) => text.includes(`Step ${device.steps[1].step}`));
  await page.getByRole("button", { name: "Devices", exact: true }).click();
  await page.locator(".picture-note").filter({ hasText: "largest skew" }).waitFor();
  await chart.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await waitUntil(() => page.locator("#device-button").innerText(), (text) => text.includes("TPU:1"));
});

onPage("a row expands to its op signatures, whose times add up to the time of the row", async ({ page }) => {
  await openCapture(page);
  await groupBy(page, "Kind");
  const group = cliReport("breakdown", "--by", "kind").groups[0];
  const before = await rowCount(page);
  await page.locator("[data-row='0'] .fold").click();
  await waitUntil(() => rowCount(page), (count) => count === before + group.hlo_op_breakdown.length);
  assert.equal(await page.locator("[data-row='0'] .fold").getAttribute("aria-expanded"), "true");
  const rows = (await renderedRows(page)).sort(([a], [b]) => a - b);
  const names = rows.slice(1, 1 + group.hlo_op_breakdown.length).map(([, cells]) => cells[0]);
  assert.deepEqual(names, group.hlo_op_breakdown.map((part) => part.signature));
  const sum = group.hlo_op_breakdown.reduce((total, part) => total + part.total_dur_ps, 0);
  assert.equal(sum, group.total_dur_ps);
  // Enter on the row's first cell folds the row again.
  await page.locator("[data-row='0'] [data-column='0']").click();
  await page.keyboard.press("Enter");
  await waitUntil(() => rowCount(page), (count) => count === before);
});

onPage("every grouping has as many rows as the command line's report", async ({ page }) => {
  await openCapture(page);
  for (const [by, key] of [["Identical ops", "dedup"], ["Op group", "op_group"], ["Phase", "phase"], ["Layer", "layer"], ["Source", "source"], ["Program", "program"]]) {
    await groupBy(page, by);
    assert.equal(await rowCount(page), cliReport("breakdown", "--by", key).groups.length, by);
  }
  assert.match(await grid(page).getAttribute("aria-label"), /program/);
});

onPage("steps are found in another way, and found again by themselves", async ({ page }) => {
  const decode = join(repository, "samples/gpu/decode.graphs.xplane.pb.xz");
  await dropFiles(page, [decode]);
  await waitForTable(page);
  const label = () => page.locator("#step-button").innerText();
  const find = async (name) => {
    await page.locator("#step-button").click();
    await page.locator("#step").getByRole("listbox", { name: "Find steps" }).getByRole("option", { name }).click();
  };
  assert.equal((await label()).trim(), "Mean step, decode");
  await find("Not at all");
  await waitUntil(label, (text) => text.trim() === "Whole capture");
  const whole = JSON.parse(cliOutput("breakdown", decode, "--steps", "all", "--json"));
  await waitUntil(() => rowCount(page), (n) => n === whole.groups.length);
  await find("Automatically");
  await waitUntil(label, (text) => text.trim() === "Mean step, decode");
});
