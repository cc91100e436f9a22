// Tests the breakdown beyond its first table: the filter, kinds and scopes as filters, the icicle, steps, devices and
// expandable rows. Numbers are compared with the command line's for the same file.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, need, opened, until } from "./lib.mjs";
import { allRows, column, grid, groupBy, rowCount, seenRows, settled, sortBy } from "./reading.mjs";

const file = () => synth({ ops: 200 });

/** Returns the command line's JSON for the same file. The first argument is the subcommand. */
function cli(...args) {
  const [command, ...rest] = args;
  return JSON.parse(execFileSync(need("ROOFLIGHT_CLI"), [command, file(), "--json", ...rest], { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }));
}

async function start(page) {
  await dropFiles(page, [file()]);
  await opened(page);
}

async function type(page, text) {
  await page.getByRole("textbox", { name: "Filter ops" }).fill(text);
  await until(() => said(page), (now) => now !== "");
  await settled(page);
}

const said = (page) => page.locator("#filter-status").innerText();
const within = (page, name) => page.getByRole("group", { name: "Search in" }).getByRole("button", { name, exact: true }).click();
const percent = (text) => Number(/([\d.]+) % of the step/.exec(text)[1]);
/** Asserts that a shown number equals the exact one within the rounding of its digits. */
const near = (shown, exact, digits = 0.051) => assert.ok(Math.abs(shown - exact) <= digits, `${shown} on screen, ${exact} exactly`);

onPage("a block and a kernel of one name: leaf and anywhere differ, and it says why", async ({ page }) => {
  await start(page);
  await groupBy(page, "Category");
  await type(page, "kda");
  const leaf = await said(page);
  near(percent(leaf), cli("breakdown", "--by", "category", "--filter", "kda").shown.pct_of_step);
  assert.doesNotMatch(leaf, /outer scope/);
  await within(page, "anywhere");
  const anywhere = await until(() => said(page), (now) => now !== leaf);
  near(percent(anywhere), cli("breakdown", "--by", "category", "--filter", "kda", "--within", "anywhere").shown.pct_of_step);
  assert.match(anywhere, /Also counts ops whose outer scope matches\./);
  assert.ok(percent(anywhere) > percent(leaf) * 1.5 && percent(anywhere) <= 100, `${leaf} | ${anywhere}`);
  // The rows' shares add up to the share that the filter status shows.
  const shares = (await allRows(page)).map((row) => Number(row.Step.replace("<", "")));
  near(shares.reduce((sum, share) => sum + share, 0), percent(anywhere), 0.06 * shares.length);
});

onPage("nothing matches: it says where something would, and a press looks there", async ({ page }) => {
  await start(page);
  await type(page, "layers_1");
  await page.locator(".none").waitFor();
  const words = await page.locator(".none").innerText();
  const found = /No ops match “layers_1” in op names\.\s+(\d+) match anywhere in the path\./.exec(words);
  assert.ok(found, words);
  await page.getByRole("button", { name: "Search anywhere" }).click();
  await until(() => rowCount(page), (count) => count === Number(found[1]));
});

onPage("an expression that is none: told with its place, the last good result stays", async ({ page }) => {
  await start(page);
  await type(page, "fusion");
  const before = [await rowCount(page), await said(page)];
  await page.getByRole("button", { name: "Regular expression" }).click();
  const field = page.getByRole("textbox", { name: "Filter ops" });
  await field.fill("fusion.(7");
  assert.match(await until(() => said(page), (now) => /column/.test(now)), /column 8\. The last good filter still applies\./);
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  assert.equal(await rowCount(page), before[0]);
  await field.fill("^fusion\\.[79]0$");
  await until(() => rowCount(page), (count) => count === 2);
  assert.deepEqual((await column(page, "Op")).sort(), ["fusion.70", "fusion.90"]);
  assert.equal(await field.getAttribute("aria-invalid"), "false");
  await field.press("Escape");
  await until(() => field.inputValue(), (now) => now === "");
});

onPage("a source line is found in source only", async ({ page }) => {
  await start(page);
  await within(page, "source");
  await type(page, "attention.py:88");
  const found = await rowCount(page);
  assert.equal(found, cli("breakdown", "--by", "op", "--filter", "attention.py:88", "--within", "source").groups.length);
  assert.ok(found > 0);
});

onPage("kinds are switches: in the bar, in the legend, and taken back", async ({ page }) => {
  await start(page);
  const all = await rowCount(page);
  const comm = cli("breakdown", "--by", "op", "--kind", "comm").groups.length;
  await page.locator(".segment", { has: page.locator(".mark-comm") }).click();
  await until(() => rowCount(page), (count) => count === comm);
  const legend = page.locator(".part-name").filter({ hasText: "Communication" });
  assert.equal(await legend.getAttribute("aria-pressed"), "true");
  await legend.click();
  await until(() => rowCount(page), (count) => count === all);
  await page.locator(".segment").first().focus();
  await page.keyboard.press("Enter");
  await until(() => rowCount(page), (count) => count < all);
  await page.getByRole("button", { name: /^kind Compute: show all again/ }).click();
  await until(() => rowCount(page), (count) => count === all);
});

/** Returns the icicle's cells as its "Show as a table" lists them: one array of texts per row. */
async function cells(page) {
  await page.getByRole("button", { name: "Save or show this chart" }).click();
  await page.getByRole("menuitem", { name: "Show as a table" }).click();
  const rows = await page.locator(".chart-table tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  await page.getByRole("button", { name: "Save or show this chart" }).click();
  await page.getByRole("menuitem", { name: "Show as a picture" }).click();
  return rows;
}

onPage("the icicle: what the command line's tree says; zoom, way out, filter", async ({ page }) => {
  await start(page);
  const tree = cli("breakdown", "--by", "scope").groups;
  const step = cli("breakdown", "--by", "kind").step_duration_ps;
  const chart = page.locator(".scene");
  await until(async () => (await cells(page)).length, (n) => n > 3);
  const drawn = await cells(page);
  const whole = await rowCount(page);
  const root = tree[0];
  near(Number(/([\d.]+) %/.exec(drawn[0][2])[1]), (root.total_dur_ps / step) * 100);
  // By keyboard, ArrowDown goes to the largest child and Enter filters the table to its ops.
  await chart.focus();
  await page.keyboard.press("ArrowDown");
  const label = await chart.getAttribute("aria-label");
  await page.keyboard.press("Enter");
  await page.locator(".only").filter({ hasText: "scope" }).waitFor();
  await settled(page);
  const scope = await page.locator(".only-what").innerText();
  assert.ok(label.includes(scope.split("/").at(-1)), `${label} | ${scope}`);
  const shown = cli("breakdown", "--by", "op", "--scope", scope);
  assert.equal(await rowCount(page), shown.groups.length);
  near(percent(await said(page)), shown.shown.pct_of_step);
  await page.keyboard.press("Enter");
  await page.locator(".only").waitFor({ state: "detached" });
  // A click zooms in. The path back to all ops appears above the chart.
  const box = await chart.boundingBox();
  const top = async () => (await grid(page).boundingBox()).y;
  const above = await top();
  await until(() => rowCount(page), (n) => n === whole);
  await page.mouse.click(box.x + 40, box.y + 33);
  await page.locator(".crumbs").waitFor();
  // The table shows only the ops of the zoomed scope, and its position on the page does not change.
  const zoomed = await until(() => page.locator(".only-what").innerText(), Boolean);
  await settled(page);
  assert.equal(await rowCount(page), cli("breakdown", "--by", "op", "--scope", zoomed).groups.length);
  assert.equal(await top(), above);
  const crumbs = await page.locator(".crumb").allInnerTexts();
  assert.equal(crumbs[0], "all ops");
  assert.ok(crumbs.length >= 3, crumbs.join());
  await until(() => page.url(), (url) => url.includes("zoom="));
  await chart.focus();
  await page.keyboard.press("Backspace");
  await until(async () => (await page.locator(".crumb").allInnerTexts()).length, (n) => n < crumbs.length);
  await page.keyboard.press("0");
  await page.locator(".crumbs").waitFor({ state: "detached" });
  await page.locator(".only").waitFor({ state: "detached" });
  await until(() => rowCount(page), (n) => n === whole);
  assert.equal(await top(), above);
});

onPage("another order of the rows draws no picture anew; another question does", async ({ page }) => {
  await start(page);
  await page.locator(".scene rect").first().waitFor();
  await settled(page);
  await page.evaluate(() => {
    window.drawn = 0;
    const watch = { subtree: true, childList: true, attributes: true };
    new MutationObserver((changes) => (window.drawn += changes.length)).observe(document.querySelector(".scene"), watch);
  });
  const first = async () => (await seenRows(page))[0];
  const before = await first();
  await sortBy(page, "Self", "ascending");
  await settled(page);
  await until(first, (now) => JSON.stringify(now) !== JSON.stringify(before));
  assert.equal(await page.evaluate(() => window.drawn), 0);
  await page.getByRole("button", { name: "Next step" }).click();
  await until(() => page.evaluate(() => window.drawn));
});

onPage("a cell says what is in it, on hover and on focus", async ({ page }) => {
  await start(page);
  const chart = page.locator(".scene");
  await until(async () => (await chart.boundingBox())?.height, (height) => height > 40);
  const box = await chart.boundingBox();
  await page.mouse.move(box.x + 60, box.y + 33);
  await page.locator("#tip").getByText("Executions").waitFor();
  const hovered = await page.locator("#tip").innerText();
  await page.mouse.move(0, 0);
  await page.locator(".tip").waitFor({ state: "hidden" });
  await chart.focus();
  await page.keyboard.press("ArrowDown");
  await page.locator("#tip").getByText("Executions").waitFor();
  assert.equal(await page.locator("#tip").innerText(), hovered);
});

onPage("steps: figures of the command line, and a press goes there", async ({ page }) => {
  await start(page);
  await page.getByRole("button", { name: "Steps", exact: true }).click();
  const spread = page.locator(".spread");
  await spread.waitFor();
  const words = await spread.innerText();
  const device = cli("summary").step_stats.devices[0];
  const ms = (ps) => `${(ps / 1e9).toFixed(2)} ms`;
  for (const ps of [device.all.mean_dur_ps, device.all.median_dur_ps, device.all.min_dur_ps, device.all.max_dur_ps]) assert.ok(words.includes(ms(ps)), `${ms(ps)} in ${words}`);
  assert.ok(words.includes(ms(device.steady.mean_dur_ps)), words);
  const chart = page.locator(".scene");
  await chart.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await until(() => page.locator("#step-button").innerText(), (text) => text.includes(`Step ${device.steps[1].step}`));
  await page.getByRole("button", { name: "Devices", exact: true }).click();
  await page.locator(".picture-note").filter({ hasText: "largest skew" }).waitFor();
  await chart.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await until(() => page.locator("#device-button").innerText(), (text) => text.includes("TPU:1"));
});

onPage("rows open to what they are made of, and the parts add up", async ({ page }) => {
  await start(page);
  await groupBy(page, "Kind");
  const group = cli("breakdown", "--by", "kind").groups[0];
  const before = await rowCount(page);
  await page.locator("[data-row='0'] .fold").click();
  await until(() => rowCount(page), (count) => count === before + group.hlo_op_breakdown.length);
  assert.equal(await page.locator("[data-row='0'] .fold").getAttribute("aria-expanded"), "true");
  const rows = (await seenRows(page)).sort(([a], [b]) => a - b);
  const names = rows.slice(1, 1 + group.hlo_op_breakdown.length).map(([, cells]) => cells[0]);
  assert.deepEqual(names, group.hlo_op_breakdown.map((part) => part.signature));
  const sum = group.hlo_op_breakdown.reduce((total, part) => total + part.total_dur_ps, 0);
  assert.equal(sum, group.total_dur_ps);
  // Enter on the row's first cell folds the row again.
  await page.locator("[data-row='0'] [data-column='0']").click();
  await page.keyboard.press("Enter");
  await until(() => rowCount(page), (count) => count === before);
});

onPage("every grouping has the rows that the command line has", async ({ page }) => {
  await start(page);
  for (const [by, key] of [["Identical ops", "dedup"], ["Op group", "op_group"], ["Phase", "phase"], ["Layer", "layer"], ["Source", "source"], ["Program", "program"]]) {
    await groupBy(page, by);
    assert.equal(await rowCount(page), cli("breakdown", "--by", key).groups.length, by);
  }
  assert.match(await grid(page).getAttribute("aria-label"), /program/);
});
