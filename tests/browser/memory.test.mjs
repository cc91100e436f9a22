// These tests compare the Memory view with the command line, whose figures equal the reference's: the curve, the live
// buffers, and the peak without selected buffers. They also select by mouse and keyboard, switch programs, memories and
// allocators, and open a compiled program without a capture.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { violations } from "./accessibility.mjs";
import { compiledProgram, simulatedRun, tpu } from "./captures.mjs";
import { cliOutput, formatDecimal } from "./expected_values.mjs";
import { onPage } from "./harness.mjs";
import { pickFiles, reload, waitForTable, waitUntil } from "./lib.mjs";
import { column, figures, rowCount, sortBy, waitForRows } from "./page_helpers.mjs";

const cliText = (file, format, ...more) => cliOutput("memory", file, `--${format}`, ...more);
const cliReport = (file, ...more) => JSON.parse(cliText(file, "json", ...more));
const memorySpace = (report, color = 0) => report.programs[0].spaces.find((space) => space.color === color);

const formatMib = (bytes) => {
  const value = bytes / 2 ** 20;
  if (value === 0) return "0";
  return value < 0.0005 ? "<0.001" : formatDecimal(value, value < 0.1 ? 3 : 1);
};

const capture = () => simulatedRun("--steps", "3").captures[0];
const curve = (page) => page.locator(".memory-canvas .scene");
const curveLabel = (page) => curve(page).getAttribute("aria-label");
const curveNote = (page) => page.locator(".memory-curve .picture-note");

/** Opens `file` and shows its Memory view. */
async function openMemory(page, file) {
  await pickFiles(page, [file]);
  await page.getByRole("tab", { name: "Memory" }).waitFor();
  await page.getByRole("tab", { name: "Memory" }).click();
  await curve(page).waitFor();
  await page.locator(".map-canvas .scene rect").first().waitFor();
  await waitForRows(page);
}

onPage("figures, curve and buffers equal the command line's", { uses: tpu() }, async ({ page }) => {
  for (const file of [compiledProgram(), capture(), tpu()].filter(Boolean)) {
    await openMemory(page, file);
    const report = cliReport(file);
    const hbm = memorySpace(report);
    const heroText = `${formatMib(hbm.peak_bytes)} MiB`;
    await waitUntil(async () => Object.values(await figures(page))[0], (value) => value === heroText);
    assert.ok((await curveLabel(page)).includes(`peak ${heroText}`), await curveLabel(page));
    // All sizes of the view have one unit. Only the capacity of the device has its own.
    const texts = (await page.locator(".memory").innerText()).replace(/(Use of|capacity) [\d.]+ GiB/g, "");
    assert.doesNotMatch(texts, /[KGT]iB/);
    const n = await rowCount(page);
    assert.equal(n, Math.min(1000, hbm.alive.length));
    // The table lists the buffers by size, in the order of the command line.
    const sizes = await column(page, "Size");
    const expected = hbm.alive.map((buffer) => formatMib(buffer.size_bytes));
    assert.deepEqual(sizes, expected.slice(0, sizes.length));
    // The table of the curve holds the largest and the smallest value of the timeline in each column of the chart.
    await page.locator("#memory-menu-button").click();
    await page.getByRole("menuitem", { name: "Show as a table" }).click();
    const cells = await page.locator(".memory-canvas .chart-table tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
    const timeline = hbm.timeline;
    assert.equal(cells.length, Math.min(1000, timeline.length));
    assert.ok(cells.some(([, largest]) => largest === formatMib(hbm.peak_bytes)), "the table of the curve has the peak");
    // A position counts events, like `peak_position`: entry n + 1 of the timeline is the number of bytes after event n.
    const timelineEntry = (position) => (position === "the start" ? 0 : Number(position.replaceAll(",", "")) + 1);
    for (const [position, largest] of cells) assert.equal(largest, formatMib(timeline[timelineEntry(position)]), `at ${position}`);
    if (hbm.peak_position !== null) {
      assert.match(await curveNote(page).innerText(), new RegExp(` at ${hbm.peak_position.toLocaleString("en")}(,|$)`));
    }
    // A parameter has the name of its argument, if the program gives that name (`op_name`).
    const namedParameter = hbm.alive.find((buffer) => buffer.category === "Parameter" && buffer.op_name !== "");
    if (namedParameter) assert.equal(namedParameter.name, namedParameter.op_name);
    await page.locator("#memory-menu-button").click();
    await page.getByRole("menuitem", { name: "Show as a picture" }).click();
  }
});

onPage("a click on the curve shows the live buffers at that position, and the URL keeps the position", async ({ page }) => {
  const file = capture();
  await openMemory(page, file);
  const peak = await curveNote(page).innerText();
  assert.match(peak, /^peak 5,399\.8 MiB at 524, copy/);
  const box = await curve(page).boundingBox();
  await page.mouse.click(box.x + 60 + (box.width - 150) * 0.2, box.y + 100);
  await waitUntil(() => curveNote(page).innerText(), (text) => /^at \d+: [\d,.]+ MiB/.test(text));
  const [, position, size] = /^at (\d+): ([\d,.]+) MiB/.exec(await curveNote(page).innerText());
  const timelineIndex = Number(position) + 1;
  assert.equal(size, formatMib(memorySpace(cliReport(file)).timeline[timelineIndex]));
  await waitUntil(async () => (await page.locator(".grid-foot").innerText()).includes(size));
  await waitUntil(() => page.url(), (url) => url.includes(`at%3A${timelineIndex}`) || url.includes(`at:${timelineIndex}`));
  await reload(page);
  await pickFiles(page, [file]);
  await waitUntil(() => curveNote(page).innerText().catch(() => ""), (text) => text.startsWith(`at ${position}: ${size} MiB`));
  await page.getByRole("button", { name: "Go to the peak" }).click();
  await waitUntil(() => curveNote(page).innerText(), (text) => text === peak);
  // By keyboard: move along the curve, read a value, choose a position, zoom in and zoom out again.
  await curve(page).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.match(await curveLabel(page), /MiB at 1, .*$/);
  await page.getByRole("complementary", { name: "Exact values" }).waitFor();
  await page.keyboard.press("Enter");
  await waitUntil(() => curveNote(page).innerText(), (text) => text.startsWith("at 1: "));
  await page.keyboard.press("+");
  await page.getByRole("button", { name: "All", exact: true }).and(page.locator(":enabled")).waitFor();
  await waitUntil(() => curve(page).innerHTML(), (html) => /Program position \(allocation event\), 0 to 5\d\d of/.test(html));
  await page.keyboard.press("0");
  await page.getByRole("button", { name: "All", exact: true }).and(page.locator(":disabled")).waitFor();
});

onPage("a drag on the curve zooms", async ({ page }) => {
  await openMemory(page, capture());
  const box = await curve(page).boundingBox();
  await page.mouse.move(box.x + 300, box.y + 80);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 90, { steps: 4 });
  await page.mouse.up();
  const html = await waitUntil(() => curve(page).innerHTML(), (html) => /allocation event\), \d+ to/.test(html));
  const [, from, to] = /allocation event\), (\d+) to (\d+) of/.exec(html);
  assert.ok(Number(from) > 100 && Number(to) < 500 && Number(to) > Number(from), `${from} to ${to}`);
});

onPage("the peak without selected buffers is replayed from the timeline, not subtracted", async ({ page }) => {
  const file = capture();
  await openMemory(page, file);
  const whatIf = page.locator(".what-if");
  const { alive, peak_bytes } = memorySpace(cliReport(file));
  // Choose the two largest buffers, one by keyboard and one by pointer. Without both, the peak is at another position.
  await page.locator("[data-row='0'] [data-column='0']").focus();
  await page.keyboard.press("Space");
  await whatIf.waitFor();
  const text = await whatIf.innerText();
  assert.ok(text.startsWith(`Without 1 buffer (${formatMib(alive[0].size_bytes)} MiB)`), text);
  await page.locator("[data-row='1'] .tells").click();
  await waitUntil(() => whatIf.innerText(), (text) => text.startsWith("Without 2 buffers"));
  // The page draws the curve without these buffers, next to the full curve. One of the two curves is dashed.
  assert.equal(await curve(page).locator("path[stroke-dasharray]").count(), 1);
  const [, leftOut, peak, lower] = /\(([\d,.]+) MiB\): peak ([\d,.]+) MiB.*, ([\d,.]+) MiB lower/.exec(await whatIf.innerText());
  const number = (text) => Number(text.replaceAll(",", ""));
  assert.ok(Math.abs(number(leftOut) - (alive[0].size_bytes + alive[1].size_bytes) / 2 ** 20) < 0.11, leftOut);
  assert.ok(number(lower) <= number(leftOut) + 0.01 && Math.abs(number(peak) + number(lower) - peak_bytes / 2 ** 20) < 0.11, await whatIf.innerText());
  await whatIf.getByRole("button", { name: "Reset" }).click();
  await whatIf.waitFor({ state: "detached" });
  // Choose a buffer in the map, then open the findings and the live ranges.
  await page.locator(".map-canvas .scene rect").first().click();
  await whatIf.waitFor();
  await whatIf.getByRole("button").click();
  await page.getByRole("button", { name: "Findings" }).click();
  await page.getByRole("heading", { name: "Largest increases" }).waitFor();
  await page.getByRole("button", { name: "Live ranges" }).click();
  await page.locator(".live-ranges .scene rect").first().waitFor();
});

onPage("the program, the memory space, the groups, the sort order and the filter can be changed", { needs: tpu() }, async ({ page }) => {
  const file = tpu();
  await openMemory(page, file);
  const report = cliReport(file);
  const chooseOption = async (picker, name) => {
    await page.locator(`#${picker}-button`).click();
    await page.locator(`#${picker}`).getByRole("option").nth(0).waitFor();
    const options = await page.locator(`#${picker}`).getByRole("option").allInnerTexts();
    await page.locator(`#${picker}`).getByRole("option", { name }).first().click();
    return options;
  };
  const options = await chooseOption("memory-program", report.programs[0].name);
  assert.equal(options.length, report.programs.length);
  assert.ok(options[0].startsWith(report.programs[0].name), "the program that needs most memory comes first");
  // Another program has its own figures.
  const otherProgram = report.programs.findIndex((program, index) => index > 0 && program.spaces.length > 0);
  await chooseOption("memory-program", report.programs[otherProgram].name);
  const peak = report.programs[otherProgram].spaces[0].peak_bytes;
  await waitUntil(() => curveLabel(page), (label) => label.includes(peak < 10 * 2 ** 30 && peak >= 2 ** 20 ? `peak ${formatMib(peak)} MiB` : "peak"));

  await openMemory(page, capture());
  const simulatedReport = cliReport(capture());
  const vmem = memorySpace(simulatedReport, 1);
  await chooseOption("memory-space", "VMEM");
  await waitUntil(() => curveLabel(page), (label) => label.startsWith("VMEM in use") && label.includes(`peak ${formatMib(vmem.peak_bytes)} MiB`));
  await chooseOption("memory-space", "HBM");
  await chooseOption("memory-group", "type");
  const treemap = page.locator(".map-canvas .scene");
  await waitUntil(() => treemap.getAttribute("aria-label"), (label) => / by type: f32 /.test(label));
  const rollup = Object.fromEntries(memorySpace(simulatedReport).rollups.dtype.map((row) => [row.key, row.size_bytes]));
  assert.ok((await treemap.getAttribute("aria-label")).includes(`f32 ${formatMib(rollup.f32)} MiB`));
  await sortBy(page, "Size", "ascending");
  const sizes = await column(page, "Size");
  assert.equal(sizes[0], formatMib(Math.min(...memorySpace(simulatedReport).alive.map((buffer) => buffer.size_bytes))));
  await page.locator("#filter").fill("attention");
  const matchCount = memorySpace(simulatedReport).alive.filter((buffer) => JSON.stringify(buffer).toLowerCase().includes("attention")).length;
  await waitUntil(() => page.locator(".grid-foot").innerText(), (text) => text.includes(" of "));
  assert.equal(await rowCount(page), matchCount);
});

onPage("the allocator shows its peak, and the cross-check shows the static peak of the programs", async ({ page }) => {
  const { captures, truth } = simulatedRun("--steps", "3");
  await openMemory(page, captures[0]);
  await page.getByRole("button", { name: "Allocator", exact: true }).click();
  const report = cliReport(captures[0]);
  const heroText = `${formatMib(truth.memory.runtime_peak_bytes)} MiB`;
  await waitUntil(async () => (await figures(page))["Peak in use"], (value) => value === heroText);
  await page.locator("#memory-allocator-button").click();
  await page.locator("#memory-allocator").getByRole("option").first().waitFor();
  assert.equal(await page.locator("#memory-allocator").getByRole("option").count(), report.runtime.length);
  await page.keyboard.press("Escape");
  const rows = await page.locator(".checks tbody tr").allInnerTexts();
  assert.equal(rows.length, truth.devices.length);
  // All sizes have the same unit, which the column heads name.
  assert.ok(rows[0].includes(formatMib(truth.memory.static_peak_bytes)) && rows[0].includes("OK"), rows[0]);
  assert.match(await page.locator(".checks thead").innerText(), /Capacity MiB/);
  assert.match(await curve(page).innerHTML(), /step 1/);
});

onPage("saved files equal the command line's output", async ({ page }) => {
  const file = capture();
  await openMemory(page, file);
  const saveFile = async (menu, name) => {
    await page.locator(menu).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name }).click()]);
    return readFileSync(await download.path());
  };
  const saved = JSON.parse(await saveFile("#save-button", /JSON/));
  assert.deepEqual(saved.programs, cliReport(file).programs);
  assert.deepEqual(saved.runtime, cliReport(file).runtime);
  assert.equal((await saveFile("#save-button", /CSV/)).toString(), cliText(file, "csv"));
  const svg = (await saveFile("#memory-menu-button", /SVG/)).toString();
  assert.ok(svg.startsWith("<svg xmlns=") && svg.includes("peak 5,399.8 MiB") && !svg.includes("var("));
});

onPage("a URL with a program that is not in the capture shows that its HLO is missing", { needs: compiledProgram() }, async ({ page, server }) => {
  await page.goto(`${server.url}#v=1&view=memory&memory=program%3A999`);
  await reload(page);
  await pickFiles(page, [simulatedRun("--steps", "1").captures[0]]);
  await page.getByText(/HLO of this program is not in the capture/).waitFor();
});

for (const theme of ["light", "dark"]) {
  onPage(`axe finds no accessibility violation in any pane in the ${theme} theme`, { theme }, async ({ page }) => {
    await openMemory(page, capture());
    const assertNoViolations = async (state) => {
      const found = await violations(page, theme);
      assert.deepEqual(found.map(({ id, nodes }) => `${id}: ${nodes[0].target}`), [], state);
    };
    await page.locator(".map-canvas .scene rect").first().click();
    await page.locator(".what-if").waitFor();
    await assertNoViolations("map");
    for (const pane of ["Live ranges", "Padding", "Findings"]) {
      await page.getByRole("button", { name: pane, exact: true }).click();
      await assertNoViolations(pane);
    }
    await page.getByRole("button", { name: "Allocator", exact: true }).click();
    await page.locator(".checks td").first().waitFor();
    await assertNoViolations("allocator");
  });
}

onPage("at 390 pixels the Memory view is not wider than the window", { width: 390, height: 844 }, async ({ page }) => {
  await openMemory(page, capture());
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await page.locator(".memory-table").evaluate((table) => table.scrollIntoView());
  await page.locator("[data-row='3']").waitFor();
  assert.ok((await column(page, "Size")).length > 3);
});

onPage("the memory of another batch is the command line's estimate", {}, async ({ page }) => {
  const file = capture();
  await openMemory(page, file);
  await page.getByRole("button", { name: "Will it fit?" }).click();
  const pane = page.getByRole("region", { name: "Will it fit?" });
  const peak = () => pane.locator("tfoot td").allTextContents();
  // The sizes of the program give its peak.
  const { fit } = memorySpace(cliReport(file));
  assert.deepEqual((await peak()).slice(2), [formatMib(fit.estimate_bytes), `~${formatMib(fit.estimate_bytes)}`]);
  assert.match(await pane.locator(".fit-verdict").textContent(), /Fits: ~.* of .* on each device\./);
  // Eight times the sequences, entered by keyboard.
  const sequences = pane.getByLabel("Sequences per device");
  await sequences.fill(String(fit.program.sequences * 8));
  await sequences.press("Tab");
  const larger = memorySpace(cliReport(file, "--fit-sequences", String(fit.program.sequences * 8))).fit;
  await waitUntil(peak, (cells) => cells[3] === `~${formatMib(larger.estimate_bytes)}`);
  await sequences.fill("many");
  await sequences.press("Tab");
  await pane.getByText("A number from 1 on").waitFor();
  assert.deepEqual(await violations(page), []);
  await pane.getByRole("button", { name: "Sizes of this program" }).click();
  await waitUntil(peak, (cells) => cells[3] === `~${formatMib(fit.estimate_bytes)}`);
});
