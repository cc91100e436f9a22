// These tests compare the Memory view with the command line, whose figures equal the reference's: the curve, the live
// buffers, and the peak without chosen buffers. They also choose by mouse and keyboard, switch programs, memories and
// allocators, and open the file of a program alone.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { violations } from "./accessibility.mjs";
import { made, program, tpu } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { opened, pickFiles, reload, until } from "./lib.mjs";
import { column, figures, rowCount, settled, sortBy } from "./reading.mjs";
import { decimal, printed } from "./written.mjs";

const cli = (file, format, ...more) => printed("memory", file, `--${format}`, ...more);
const json = (file, ...more) => JSON.parse(cli(file, "json", ...more));
const space = (report, color = 0) => report.programs[0].spaces.find((space) => space.color === color);

const mib = (bytes) => {
  const value = bytes / 2 ** 20;
  if (value === 0) return "0";
  return value < 0.0005 ? "<0.001" : decimal(value, value < 0.1 ? 3 : 1);
};

const capture = () => made("--steps", "3").captures[0];
const svg = (page) => page.locator(".memory-canvas .scene");
const label = (page) => svg(page).getAttribute("aria-label");
const note = (page) => page.locator(".memory-curve .picture-note");

/** Opens `file` and shows its Memory view. */
async function show(page, file) {
  await pickFiles(page, [file]);
  await page.getByRole("tab", { name: "Memory" }).waitFor();
  await page.getByRole("tab", { name: "Memory" }).click();
  await svg(page).waitFor();
  await page.locator(".map-canvas .scene rect").first().waitFor();
  await settled(page);
}

onPage("figures, curve and buffers are the command line's", { needs: program() }, async ({ page }) => {
  for (const file of [program(), capture(), tpu()]) {
    await show(page, file);
    const report = json(file);
    const hbm = space(report);
    const hero = hbm.peak_bytes < 2 ** 30 ? `${decimal(hbm.peak_bytes / 2 ** 20, 1)} MiB` : `${decimal(hbm.peak_bytes / 2 ** 30, 3)} GiB`;
    await until(async () => Object.values(await figures(page))[0], (is) => is === hero);
    assert.match(await label(page), new RegExp(`peak ${mib(hbm.peak_bytes)} MiB|peak \\d+\\.\\d GiB`));
    const n = await rowCount(page);
    assert.equal(n, Math.min(1000, hbm.alive.length));
    // The table lists the buffers by size, in the order of the command line.
    const sizes = await column(page, "Size");
    const expected = hbm.alive.map((buffer) => mib(buffer.size_bytes));
    assert.deepEqual(sizes, expected.slice(0, sizes.length));
    // The table of the curve holds the largest and the smallest value of the timeline in each column of the chart.
    await page.locator("#memory-menu-button").click();
    await page.getByRole("menuitem", { name: "Show as a table" }).click();
    const cells = await page.locator(".memory-canvas .chart-table tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
    const timeline = hbm.timeline;
    assert.equal(cells.length, Math.min(1000, timeline.length));
    assert.ok(cells.some(([, most]) => most === mib(hbm.peak_bytes)), "no peak in the curve");
    // A position counts events, like `peak_position`: entry n + 1 of the timeline is the number of bytes after event n.
    const entry = (position) => (position === "the start" ? 0 : Number(position.replaceAll(",", "")) + 1);
    for (const [position, most] of cells) assert.equal(most, mib(timeline[entry(position)]), `at ${position}`);
    if (hbm.peak_position !== null) {
      assert.match(await note(page).innerText(), new RegExp(` at ${hbm.peak_position.toLocaleString("en")}(,|$)`));
    }
    // A parameter has the name of its argument, if the program gives that name (`op_name`).
    const named = hbm.alive.find((buffer) => buffer.category === "Parameter" && buffer.op_name !== "");
    if (named) assert.equal(named.name, named.op_name);
    await page.locator("#memory-menu-button").click();
    await page.getByRole("menuitem", { name: "Show as a picture" }).click();
  }
});

onPage("a press on the curve shows what is alive there; back to the peak; kept in the address", async ({ page }) => {
  const file = capture();
  await show(page, file);
  const peak = await note(page).innerText();
  assert.match(peak, /^peak 5,399\.8 MiB at 524, copy/);
  const box = await svg(page).boundingBox();
  await page.mouse.click(box.x + 60 + (box.width - 150) * 0.2, box.y + 100);
  await until(() => note(page).innerText(), (is) => /^at \d+: [\d,.]+ MiB/.test(is));
  const [, position, size] = /^at (\d+): ([\d,.]+) MiB/.exec(await note(page).innerText());
  const point = Number(position) + 1;
  assert.equal(size, mib(space(json(file)).timeline[point]));
  await until(async () => (await page.locator(".grid-foot").innerText()).includes(size));
  await until(() => page.url(), (url) => url.includes(`at%3A${point}`) || url.includes(`at:${point}`));
  await reload(page);
  await pickFiles(page, [file]);
  await until(() => note(page).innerText().catch(() => ""), (is) => is.startsWith(`at ${position}: ${size} MiB`));
  await page.getByRole("button", { name: "Go to the peak" }).click();
  await until(() => note(page).innerText(), (is) => is === peak);
  // By keyboard: walk along the curve, read a value, choose a position, zoom in and zoom out again.
  await svg(page).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.match(await label(page), /MiB at 1, .*$/);
  await page.getByRole("complementary", { name: "Exact values" }).waitFor();
  await page.keyboard.press("Enter");
  await until(() => note(page).innerText(), (is) => is.startsWith("at 1: "));
  await page.keyboard.press("+");
  await page.getByRole("button", { name: "All", exact: true }).and(page.locator(":enabled")).waitFor();
  await until(() => svg(page).innerHTML(), (is) => /Program position \(allocation event\), 0 to 5\d\d of/.test(is));
  await page.keyboard.press("0");
  await page.getByRole("button", { name: "All", exact: true }).and(page.locator(":disabled")).waitFor();
});

onPage("a drag on the curve zooms", async ({ page }) => {
  await show(page, capture());
  const box = await svg(page).boundingBox();
  await page.mouse.move(box.x + 300, box.y + 80);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 90, { steps: 4 });
  await page.mouse.up();
  const words = await until(() => svg(page).innerHTML(), (is) => /allocation event\), \d+ to/.test(is));
  const [, from, to] = /allocation event\), (\d+) to (\d+) of/.exec(words);
  assert.ok(Number(from) > 100 && Number(to) < 500 && Number(to) > Number(from), `${from} to ${to}`);
});

onPage("without some buffers the peak is replayed, not subtracted", async ({ page }) => {
  const file = capture();
  await show(page, file);
  const said = page.locator(".what-if");
  const { alive, peak_bytes } = space(json(file));
  // Choose the two largest buffers, one by keyboard and one by pointer. Without both, the peak is at another position.
  await page.locator("[data-row='0'] [data-column='0']").focus();
  await page.keyboard.press("Space");
  await said.waitFor();
  const one = await said.innerText();
  assert.ok(one.startsWith(`Without 1 buffer (${mib(alive[0].size_bytes)} MiB)`), one);
  await page.locator("[data-row='1'] .tells").click();
  await until(() => said.innerText(), (is) => is.startsWith("Without 2 buffers"));
  // The page draws the curve without these buffers, next to the full curve. One of the two curves is dashed.
  assert.equal(await svg(page).locator("path[stroke-dasharray]").count(), 1);
  const [, left, peak, lower] = /\(([\d,.]+) MiB\): peak ([\d,.]+) MiB.*, ([\d,.]+) MiB lower/.exec(await said.innerText());
  const number = (text) => Number(text.replaceAll(",", ""));
  assert.ok(Math.abs(number(left) - (alive[0].size_bytes + alive[1].size_bytes) / 2 ** 20) < 0.11, left);
  assert.ok(number(lower) <= number(left) + 0.01 && Math.abs(number(peak) + number(lower) - peak_bytes / 2 ** 20) < 0.11, await said.innerText());
  await said.getByRole("button", { name: "Reset" }).click();
  await said.waitFor({ state: "detached" });
  // Choose a buffer in the map, then open the findings and the live ranges.
  await page.locator(".map-canvas .scene rect").first().click();
  await said.waitFor();
  await said.getByRole("button").click();
  await page.getByRole("button", { name: "Findings" }).click();
  await page.getByText("The largest rises of the curve").waitFor();
  await page.getByRole("button", { name: "Live ranges" }).click();
  await page.locator(".lives .scene rect").first().waitFor();
});

onPage("programs, memories, groups, order and filter", { needs: tpu() }, async ({ page }) => {
  const file = tpu();
  await show(page, file);
  const report = json(file);
  const choose = async (picker, name) => {
    await page.locator(`#${picker}-button`).click();
    await page.locator(`#${picker}`).getByRole("option").nth(0).waitFor();
    const options = await page.locator(`#${picker}`).getByRole("option").allInnerTexts();
    await page.locator(`#${picker}`).getByRole("option", { name }).first().click();
    return options;
  };
  const options = await choose("memory-program", report.programs[0].name);
  assert.equal(options.length, report.programs.length);
  assert.ok(options[0].startsWith(report.programs[0].name), "the heaviest first");
  // Another program has its own figures.
  const other = report.programs.findIndex((program, at) => at > 0 && program.spaces.length > 0);
  await choose("memory-program", report.programs[other].name);
  const peak = report.programs[other].spaces[0].peak_bytes;
  await until(() => label(page), (is) => is.includes(peak < 10 * 2 ** 30 && peak >= 2 ** 20 ? `peak ${mib(peak)} MiB` : "peak"));

  await show(page, capture());
  const made_ = json(capture());
  const colors = space(made_, 1);
  await choose("memory-space", "VMEM");
  await until(() => label(page), (is) => is.startsWith("VMEM in use") && is.includes(`peak ${mib(colors.peak_bytes)} MiB`));
  await choose("memory-space", "HBM");
  await choose("memory-group", "type");
  const map = page.locator(".map-canvas .scene");
  await until(() => map.getAttribute("aria-label"), (is) => / by type: f32 /.test(is));
  const rollup = Object.fromEntries(space(made_).rollups.dtype.map((row) => [row.key, row.size_bytes]));
  assert.ok((await map.getAttribute("aria-label")).includes(`f32 ${mib(rollup.f32)} MiB`));
  await sortBy(page, "Size", "ascending");
  const sizes = await column(page, "Size");
  assert.equal(sizes[0], mib(Math.min(...space(made_).alive.map((buffer) => buffer.size_bytes))));
  await page.locator("#filter").fill("attention");
  const matching = space(made_).alive.filter((buffer) => JSON.stringify(buffer).toLowerCase().includes("attention")).length;
  await until(() => page.locator(".grid-foot").innerText(), (is) => is.includes(" of "));
  assert.equal(await rowCount(page), matching);
});

onPage("allocators over time, beside what programs need", async ({ page }) => {
  const { captures, truth } = made("--steps", "3");
  await show(page, captures[0]);
  await page.getByRole("button", { name: "Allocator", exact: true }).click();
  const report = json(captures[0]);
  const hero = `${decimal(truth.memory.runtime_peak_bytes / 2 ** 30, 3)} GiB`;
  await until(async () => (await figures(page))["Peak in use"], (is) => is === hero);
  await page.locator("#memory-allocator-button").click();
  await page.locator("#memory-allocator").getByRole("option").first().waitFor();
  assert.equal(await page.locator("#memory-allocator").getByRole("option").count(), report.runtime.length);
  await page.keyboard.press("Escape");
  const rows = await page.locator(".checks tbody tr").allInnerTexts();
  assert.equal(rows.length, truth.devices.length);
  // All sizes have the same unit, which the column heads name.
  assert.ok(rows[0].includes(decimal(truth.memory.static_peak_bytes / 2 ** 30, 2)) && rows[0].includes("OK"), rows[0]);
  assert.match(await page.locator(".checks thead").innerText(), /Capacity GiB/);
  assert.match(await svg(page).innerHTML(), /step 1/);
});

onPage("what is saved is what the command line writes", async ({ page }) => {
  const file = capture();
  await show(page, file);
  const save = async (menu, name) => {
    await page.locator(menu).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name }).click()]);
    return readFileSync(await download.path());
  };
  const saved = JSON.parse(await save("#save-button", /JSON/));
  assert.deepEqual(saved.programs, json(file).programs);
  assert.deepEqual(saved.runtime, json(file).runtime);
  assert.equal((await save("#save-button", /CSV/)).toString(), cli(file, "csv"));
  const picture = (await save("#memory-menu-button", /SVG/)).toString();
  assert.ok(picture.startsWith("<svg xmlns=") && picture.includes("peak 5.27 GiB") && !picture.includes("var("));
});

onPage("a capture without programs says what is missing", { needs: program() }, async ({ page, server }) => {
  await page.goto(`${server.url}#v=1&view=memory&memory=program%3A999`);
  await reload(page);
  await pickFiles(page, [made("--steps", "1").captures[0]]);
  await page.getByText(/HLO of this program is not in the capture/).waitFor();
});

for (const theme of ["light", "dark"]) {
  onPage(`axe finds nothing in any pane: ${theme}`, { theme }, async ({ page }) => {
    await show(page, capture());
    const look = async (where) => {
      const found = await violations(page, theme);
      assert.deepEqual(found.map(({ id, nodes }) => `${id}: ${nodes[0].target}`), [], where);
    };
    await page.locator(".map-canvas .scene rect").first().click();
    await page.locator(".what-if").waitFor();
    await look("map");
    for (const pane of ["Live ranges", "Padding", "Findings"]) {
      await page.getByRole("button", { name: pane, exact: true }).click();
      await look(pane);
    }
    await page.getByRole("button", { name: "Allocator", exact: true }).click();
    await page.locator(".checks td").first().waitFor();
    await look("allocator");
  });
}

onPage("narrow: within the screen", { width: 390, height: 844 }, async ({ page }) => {
  await show(page, capture());
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await page.locator(".memory-table").evaluate((table) => table.scrollIntoView());
  await page.locator("[data-row='3']").waitFor();
  assert.ok((await column(page, "Size")).length > 3);
});
