// Tests the comparison of two captures: the ways to open the second one, its texts against the command line, swapping, the
// rows of each side, the ops of a row beside each other, Markdown, the keyboard, and what happens if reading fails.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { violations } from "./accessibility.mjs";
import { ENDLESS_PLANE, repository, synth, temporaryFolder, write } from "./captures.mjs";
import { cliOutput } from "./expected_values.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, pickFiles, waitUntil } from "./lib.mjs";
import { chooseSaveEntry, figures, rowCount } from "./page_helpers.mjs";

const gpu = (name) => join(repository, `samples/gpu/${name}.graphs.xplane.pb.xz`);
const [A, B] = [gpu("xla"), gpu("cudnn")];
const report = (...files) => JSON.parse(cliOutput("compare", ...files, "--json"));
const sentence = (...files) => cliOutput("compare", ...files).split("\n")[0];

const verdict = (page) => page.locator(".compare .verdict");
const shownRows = (page, count) => waitUntil(() => rowCount(page), (shown) => shown === count);
const shownVerdict = (page, text) => waitUntil(() => verdict(page).innerText().catch(() => ""), (shown) => shown === text);

/** Chooses the second capture with the button of the comparison. */
async function chooseSecond(page, file) {
  await page.locator("#tab-compare").click();
  // The test listens for the file dialog before it presses the button.
  const chooser = page.waitForEvent("filechooser");
  const button = page.getByRole("button", { name: "Choose the capture to compare with" });
  await button.waitFor();
  await button.click();
  await (await chooser).setFiles(file);
}

async function compare(page, a = A, b = B) {
  await pickFiles(page, [a]);
  await page.locator(".verdict").waitFor();
  await chooseSecond(page, b);
  await shownVerdict(page, sentence(a, b));
}

onPage("a second capture is compared as on the command line, and can be swapped", { view: "" }, async ({ page }) => {
  await compare(page);
  const expected = report(A, B);
  // Figures and waterfall have the times of the command line.
  const ms = (ps) => (ps / 1e9).toFixed(2);
  assert.equal((await figures(page))["Time per step, A → B"], `${ms(expected.a_ps)} → ${ms(expected.b_ps)} ms`);
  const totals = await page.locator(".waterfall .difference-total").evaluateAll((rows) => rows.map((row) => row.children[1].textContent));
  assert.deepEqual(totals, [expected.a.period_ps, expected.b.period_ps].map((ps) => (ps / 1e9).toFixed(3)));
  const bars = await page.locator(".waterfall .difference-part rect").evaluateAll((all) => all.map((rect) => parseFloat(rect.getAttribute("width"))));
  assert.ok(bars.length > 1 && bars.some((width) => width > 5), `${bars}`);
  assert.equal(await page.locator(".compare-steps circle").count(), expected.a.n_steps + expected.b.n_steps);
  // The table has all rows, the largest difference first.
  await shownRows(page, expected.rows.length);
  const first = await waitUntil(() => page.locator(".grid-body .tells").allInnerTexts(), (all) => all.length > 5);
  const names = expected.rows.map(({ a, b }) => (b ?? a).ops[0]);
  assert.ok(first.slice(0, 5).every((name, at) => name === names[at]), `${first.slice(0, 5)} for ${names.slice(0, 5)}`);
  // Swapping exchanges the sides.
  await page.keyboard.press("x");
  await shownVerdict(page, sentence(B, A));
  await waitUntil(() => page.url(), (url) => /compare=swap:1/.test(decodeURIComponent(url)));
  await page.getByRole("button", { name: "Swap", exact: true }).click();
  await shownVerdict(page, sentence(A, B));
});

onPage("rows can be those that match, and those of one side only", { view: "" }, async ({ page }) => {
  await compare(page);
  const { rows } = report(A, B);
  const count = { All: rows.length, Matched: rows.filter(({ a, b }) => a && b).length, "Only in A": rows.filter(({ b }) => !b).length, "Only in B": rows.filter(({ a }) => !a).length };
  for (const [name, n] of Object.entries(count)) {
    await page.getByRole("button", { name, exact: true }).click();
    await shownRows(page, n);
  }
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.locator("#filter").fill("dot_product_attention");
  const found = await waitUntil(() => rowCount(page), (shown) => shown < rows.length);
  assert.ok(found > 0);
});

onPage("a row shows the ops of both sides, and leads to the op in its capture", { view: "" }, async ({ page }) => {
  await compare(page);
  await page.getByRole("button", { name: "Matched", exact: true }).click();
  const matched = report(A, B).rows.filter(({ a, b }) => a && b);
  await shownRows(page, matched.length);
  await page.locator("[data-row='0'] [data-column='0']").focus();
  await page.keyboard.press("Enter");
  const panel = page.locator(".compare-panel");
  await panel.locator(".compare-facts").waitFor();
  const ops = await panel.locator(".compare-facts tr").filter({ hasText: /^Op/ }).first().locator("td").allInnerTexts();
  assert.deepEqual(ops, [matched[0].a, matched[0].b].map(({ ops }) => ops.slice(0, 3).join(", ")));
  assert.equal(await panel.locator("pre").count(), 2);
  // The op of B is shown in the breakdown of B, and its capture is marked as the one that the views show.
  await panel.getByRole("button", { name: "Open in breakdown" }).nth(1).click();
  await page.locator(".side-panel .op-place").waitFor();
  assert.equal(await page.locator("#op-name").innerText(), matched[0].b.ops[0]);
  assert.match(await page.locator("#capture-button").innerText(), /cudnn/);
  assert.equal(await page.getByRole("button", { name: /^Show B/ }).getAttribute("aria-pressed"), "true");
  // Back to A in all views, and the comparison has not changed.
  await page.getByRole("button", { name: /^Show A/ }).click();
  await waitUntil(() => page.locator("#capture-button").innerText(), (name) => /xla/.test(name));
  await page.locator("#tab-compare").click();
  await shownVerdict(page, sentence(A, B));
  // An op of the waterfall opens the same panel, and Esc closes it.
  await page.locator(".waterfall .difference-op .link").first().click();
  await panel.waitFor();
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
});

onPage("ops are paired by hand, as on the command line, and the pairing can be undone", { view: "" }, async ({ page }) => {
  await compare(page);
  const plain = report(A, B);
  const [ofA, ofB] = [plain.rows.find(({ b }) => !b).a.ops[0], plain.rows.find(({ a }) => !a).b.ops[0]];
  const panel = page.locator(".compare-panel");
  const open = async (which, name) => {
    await page.getByRole("button", { name: which, exact: true }).click();
    await page.locator("[data-row='0'] .tells", { hasText: name }).waitFor();
    await page.locator("[data-row='0'] [data-column='0']").focus();
    await page.keyboard.press("Enter");
    await panel.locator(".compare-facts").waitFor();
  };
  await open("Only in A", ofA);
  await panel.getByRole("button", { name: `Pair ${ofA} of A with an op of B` }).click();
  await page.getByText(`Open the row of the op of B that belongs to ${ofA} of A.`).waitFor();
  assert.equal(await page.getByRole("button", { name: "Only in B", exact: true }).getAttribute("aria-pressed"), "true");
  for (const theme of ["dark", "light"]) assert.deepEqual(await violations(page, theme), []);
  // Swapping ends the choice.
  await page.keyboard.press("x");
  await page.locator(".compare-question").waitFor({ state: "detached" });
  await page.keyboard.press("x");
  await shownVerdict(page, sentence(A, B));
  await open("Only in A", ofA);
  await panel.getByRole("button", { name: `Pair ${ofA} of A with an op of B` }).click();
  await open("Only in B", ofB);
  await panel.getByRole("button", { name: `Pair ${ofA} with ${ofB}` }).click();
  const paired = JSON.parse(cliOutput("compare", A, B, "--json", "--pair", `${ofA}=${ofB}`)).rows;
  await shownRows(page, plain.rows.length - 1);
  assert.equal(paired.length, plain.rows.length - 1);
  await waitUntil(() => decodeURIComponent(page.url()), (url) => url.includes(`pair:${ofA}@`) && url.includes(`:${ofB}@`));
  const place = paired.findIndex(({ tier }) => tier === "by_hand");
  const row = page.locator(`[data-row='${place}']`);
  await row.locator(".tells", { hasText: ofB }).waitFor();
  assert.match(await row.innerText(), /your pairing/);
  // Swapping keeps the pair.
  await page.keyboard.press("x");
  await shownVerdict(page, sentence(B, A, "--pair", `${ofB}=${ofA}`));
  await waitUntil(() => decodeURIComponent(page.url()), (url) => url.includes(`pair:${ofB}@`));
  await shownRows(page, paired.length);
  await page.locator("#filter").fill(ofA);
  await page.locator("[data-row='0'] [data-column='0']").focus();
  await page.keyboard.press("Enter");
  await panel.getByRole("button", { name: "Undo this pairing" }).click();
  await page.locator("#filter").fill("");
  await shownRows(page, plain.rows.length);
});

onPage("a table with other rows does not take the focus from a field", { view: "" }, async ({ page }) => {
  await compare(page);
  await page.locator("[data-row='0'] [data-column='0']").waitFor();
  const focused = await page.evaluate(async () => {
    // What the page does in the next frame waits until the field has the focus.
    const ownFrame = window.requestAnimationFrame;
    const waiting = [];
    window.requestAnimationFrame = (callback) => waiting.push(callback);
    document.querySelector("[data-row='0'] [data-column='0']").focus();
    const rows = document.querySelectorAll(".table-tools .segmented button");
    [...rows].find((button) => button.textContent === "Only in A").click();
    await new Promise((done) => setTimeout(done, 200));
    document.querySelector("#filter").focus();
    window.requestAnimationFrame = ownFrame;
    for (const callback of waiting) callback(performance.now());
    return document.activeElement.id;
  });
  assert.equal(focused, "filter");
});

onPage("a drop replaces, compares or adds hosts, by its place", { view: "" }, async ({ page }) => {
  await dropFiles(page, [A]);
  await page.locator(".verdict").waitFor();
  await dropFiles(page, [B], { x: 720, release: false });
  assert.deepEqual(await page.locator(".drop-area b").allInnerTexts(), ["Replace", "Compare", "Add as hosts"]);
  assert.equal(await page.locator(".drop-area.chosen b").innerText(), "Compare");
  await dropFiles(page, [B], { x: 720 });
  await shownVerdict(page, sentence(A, B));
  // Ending the comparison keeps the first capture.
  await page.getByRole("button", { name: "End comparison" }).click();
  await page.getByRole("button", { name: "Choose the capture to compare with" }).waitFor();
  assert.match(await page.locator("#capture-button").innerText(), /xla/);
  await dropFiles(page, [B], { x: 100 });
  await waitUntil(() => page.locator("#capture-button").innerText(), (name) => /cudnn/.test(name));
  await dropFiles(page, [A], { x: 1300 });
  // A capture of another run is no host of this one. The page says so, and the newest run stays open.
  await page.locator(".toast", { hasText: "2 runs were found" }).waitFor();
  assert.match(await page.locator("#capture-button").innerText(), /cudnn/);
});

onPage("a report is compared with a capture, in either order, and says what is left out", { view: "" }, async ({ page }) => {
  const file = join(temporaryFolder, "xla.rooflight");
  cliOutput("report", A, "--rooflight", file);
  // The report is open, and the capture is dropped on it. A report has no hosts.
  await dropFiles(page, [file]);
  await page.locator(".strip.summary").waitFor();
  await dropFiles(page, [B], { x: 1000, release: false });
  assert.deepEqual(await page.locator(".drop-area b").allInnerTexts(), ["Replace", "Compare"]);
  await dropFiles(page, [B], { x: 1000 });
  await shownVerdict(page, sentence(file, B));
  assert.match(await page.locator(".compare-sides").innerText(), /a report, level 100 of 100/);
  assert.match(await page.locator(".compare-notes").innerText(), /A is a report of the mean of 6 steps/);
  await shownRows(page, report(file, B).rows.length);
  await page.getByRole("button", { name: "Programs", exact: true }).click();
  await page.getByText("Programs are not compared. A is a report, which holds no HLO.").waitFor();
  // The ops of a row: the report has no details of them.
  await page.locator("[data-row='0'] [data-column='0']").focus();
  await page.keyboard.press("Enter");
  await page.locator(".compare-panel .compare-facts").waitFor();
  await page.keyboard.press("Escape");
  // The other way round: the capture is open, and the report is chosen.
  await dropFiles(page, [B], { x: 100 });
  await waitUntil(() => page.locator("#capture-button").innerText(), (name) => /cudnn/.test(name));
  await chooseSecond(page, file);
  await shownVerdict(page, sentence(B, file));
  // A link that is open is compared with a capture.
  const link = cliOutput("report", A, "--level", "5", "--link", "--base", page.url().split("#")[0]).trim();
  await page.goto("about:blank");
  await page.goto(link);
  await page.locator(".strip.summary").waitFor();
  await chooseSecond(page, B);
  await shownVerdict(page, sentence(link, B));
  await page.getByText("A report leaves out lengths of steps, so only the means are compared.").waitFor();
  assert.deepEqual(await violations(page), []);
});

onPage("a second capture that cannot be read leaves the first one open", { view: "" }, async ({ page }) => {
  await pickFiles(page, [A]);
  await page.locator(".verdict").waitFor();
  await chooseSecond(page, write("bad.xplane.pb", ENDLESS_PLANE));
  await page.getByRole("alert").filter({ hasText: "What was open stays open." }).waitFor();
  assert.match(await page.locator("#capture-button").innerText(), /xla/);
  // A capture of another chip and program is compared, and the sentence says what differs.
  await chooseSecond(page, synth());
  await verdict(page).waitFor();
  assert.match(await page.locator(".compare-notes").innerText(), /Chip: .* in A/);
  await page.locator("#tab-overview").click();
  await page.locator(".overview .verdict").waitFor();
});

onPage("the worker of a comparison may die: both captures are read again, and pairs stay", { view: "" }, async ({ page }) => {
  await compare(page);
  const { rows } = report(A, B);
  const pair = [rows.find(({ b }) => !b).a.ops[0], rows.find(({ a }) => !a).b.ops[0]];
  await page.evaluate((text) => { location.hash += `&compare=${encodeURIComponent(text)}`; }, `pair:${pair.join(":")}`);
  await shownRows(page, rows.length - 1);
  await page.getByRole("button", { name: /^Show B/ }).click();
  await waitUntil(() => page.locator("#capture-button").innerText(), (name) => /cudnn/.test(name));
  await page.workers()[0].evaluate(() => self.close());
  await page.locator("#tab-compare").click();
  await shownVerdict(page, sentence(A, B));
  await shownRows(page, rows.length - 1);
  assert.equal(await page.getByText("has no such op").count(), 0);
  await page.getByRole("button", { name: "Undo all pairings" }).click();
  await shownRows(page, rows.length);
});

onPage("a comparison that ends while B is shown leaves A open, with its files", { view: "" }, async ({ page }) => {
  await compare(page);
  await page.getByRole("button", { name: /^Show B/ }).click();
  await waitUntil(() => page.locator("#capture-button").innerText(), (name) => /cudnn/.test(name));
  await page.getByRole("button", { name: "End comparison" }).click();
  await waitUntil(() => page.locator("#capture-button").innerText(), (name) => /xla/.test(name));
  // Another worker reads the files of A again.
  await page.workers()[0].evaluate(() => self.close());
  await page.getByText("The files are being read again").waitFor();
  await page.locator("#tab-overview").click();
  const { verdict: expected } = JSON.parse(cliOutput("overview", A, "--json"));
  await waitUntil(() => page.locator(".overview .verdict").innerText().catch(() => ""), (text) => text === expected);
});

onPage("everything is reached with the keyboard alone", { view: "" }, async ({ page }) => {
  /** Presses a key until the focused element matches a selector. */
  const pressUntil = async (key, selector) => {
    for (let presses = 0; presses < 60; presses += 1) {
      if (await page.evaluate((wanted) => document.activeElement.matches(wanted), selector)) return;
      await page.keyboard.press(key);
    }
    assert.fail(`${selector} is not reached`);
  };
  await pickFiles(page, [A]);
  await page.locator(".verdict").waitFor();
  const chooser = page.waitForEvent("filechooser");
  await page.keyboard.press("7");
  const button = page.getByRole("button", { name: "Choose the capture to compare with" });
  await button.waitFor();
  await pressUntil("Tab", ".compare .btn.solid");
  await page.keyboard.press("Enter");
  await (await chooser).setFiles(B);
  await shownVerdict(page, sentence(A, B));
  await page.keyboard.press("x");
  await shownVerdict(page, sentence(B, A));
  await page.keyboard.press("x");
  await shownVerdict(page, sentence(A, B));
  await pressUntil("Tab", ".compare .picture-head button");
  await pressUntil("ArrowRight", ".compare .picture-head button:nth-child(6)");
  await page.keyboard.press("Enter");
  await page.locator(".compare-found").filter({ hasText: "Peak HBM" }).waitFor();
  await waitUntil(() => page.evaluate(() => document.activeElement.textContent === "Memory"));
  await pressUntil("Tab", "[data-row='0'] [role=gridcell], [role=columnheader] *, [role=columnheader]");
  await pressUntil("ArrowDown", "[data-row='0'] [role=gridcell]");
  await page.keyboard.press("Enter");
  await page.locator(".compare-facts").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".compare-panel").waitFor({ state: "detached" });
  // The focus is in the table again.
  await waitUntil(() => page.evaluate(() => document.activeElement.closest("[role=grid]") !== null));
});

onPage("the pictures beside the waterfall say what the command line says", { view: "" }, async ({ page }) => {
  await compare(page, A, gpu("f32"));
  const text = cliOutput("compare", A, gpu("f32"));
  const { memory, program_changes: programs } = report(A, gpu("f32"));
  await page.getByRole("button", { name: "Memory", exact: true }).click();
  const peak = await waitUntil(() => page.locator(".compare-found p").first().innerText().catch(() => ""), (line) => line.startsWith("Peak HBM"));
  assert.ok(text.includes(peak), peak);
  assert.equal(await page.locator(".compare-found tbody tr").count(), memory.program.parts.filter(({ delta_bytes: delta }) => delta !== 0).length);
  await page.getByRole("button", { name: "Programs", exact: true }).click();
  const changes = await waitUntil(() => page.locator(".compare-found p").first().innerText().catch(() => ""), (line) => line.startsWith("Ops of the programs"));
  assert.ok(text.includes(changes), changes);
  const first = await page.locator(".compare-found tbody tr").first().locator("td").first().innerText();
  assert.equal(first, programs.changes[0].name);
});

onPage("scopes of both sides are icicles that zoom and filter, by pointer and by keyboard", { view: "" }, async ({ page }) => {
  await compare(page, A, gpu("f32"));
  const { scopes, n_scopes: count, verdict } = report(A, gpu("f32"));
  assert.ok(verdict === "regression" && count > 50);
  await page.getByRole("button", { name: "Scopes", exact: true }).click();
  const chart = page.locator(".compare-picture svg.scene");
  await chart.waitFor();
  // The table of the picture has the times of the command line.
  await page.locator("#scopes-menu-button, [aria-controls=scopes-menu], .compare-picture .picture-head .btn.icon-only").last().click();
  await page.getByText("Show as a table").click();
  const table = page.locator(".compare-picture .chart-table");
  await table.waitFor();
  const [largest] = scopes;
  const path = await table.locator("tbody tr").filter({ hasText: largest.path }).first().locator("td, th").allInnerTexts();
  assert.equal(path[0], largest.path);
  const ms = (ps) => (ps / 1e9).toFixed(3);
  assert.deepEqual(path.slice(1, 3), [ms(largest.a_ps), ms(largest.b_ps)]);
  await page.locator(".compare-picture .picture-head .btn.icon-only").last().click();
  await page.getByText("Show as a picture").click();
  // A click zooms both sides, and the table shows the ops of the scope.
  const cell = page.locator(".compare-picture svg.scene text", { hasText: /^transpose\(jvp\(layers/ }).first();
  const box = await cell.boundingBox();
  await page.mouse.click(box.x + 5, box.y + 5);
  await page.locator(".compare-picture .crumbs").waitFor();
  const zoomed = await page.locator(".compare-picture .crumb[aria-current]").getAttribute("title");
  assert.match(zoomed, /transpose\(jvp\(layers/);
  assert.match(page.url(), /scope/);
  const all = report(A, gpu("f32")).rows;
  const isWithin = (side) => side?.scope === zoomed || side?.scope?.startsWith(`${zoomed}/`);
  await shownRows(page, all.filter(({ a, b }) => isWithin(a) || isWithin(b)).length);
  // The first Escape closes the tooltip, the second one leads out of the zoom.
  await chart.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await waitUntil(() => page.locator(".compare-picture .crumb[aria-current]").getAttribute("title"), (path) => path !== zoomed);
  await page.locator(".compare-picture .crumb", { hasText: "all ops" }).click();
  await page.locator(".compare-picture .crumbs").waitFor({ state: "detached" });
  await shownRows(page, all.length);
  // The difference is one icicle, and the address keeps it.
  await page.getByRole("button", { name: "Difference", exact: true }).click();
  await waitUntil(() => chart.getAttribute("aria-label"), (text) => text.startsWith("Difference of self time"));
  await waitUntil(() => page.url(), (url) => /differences/.test(url));
  for (const theme of ["light", "dark"]) assert.deepEqual(await violations(page, theme), []);
  await page.getByRole("button", { name: "A above B", exact: true }).click();
  // Enter does what a click does. Another picture shows all rows again.
  await chart.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator(".compare-picture .crumbs").waitFor();
  await waitUntil(() => rowCount(page), (shown) => shown < all.length);
  await page.getByRole("button", { name: "Waterfall", exact: true }).click();
  await shownRows(page, all.length);
  await page.getByRole("button", { name: "Scopes", exact: true }).click();
  await page.locator(".compare-picture .crumbs").waitFor();
  for (const theme of ["light", "dark"]) assert.deepEqual(await violations(page, theme), []);
});

onPage("the table groups the ops, a group shows its ops, and the address has both", { view: "" }, async ({ page }) => {
  await compare(page, A, gpu("f32"));
  const { groups, n_groups: count, n_rows: all } = JSON.parse(cliOutput("compare", A, gpu("f32"), "--json", "--by", "source"));
  const chooseGrouping = async (name) => {
    await page.getByRole("button", { name: /^Group by/ }).click();
    await page.getByRole("menuitemradio", { name, exact: true }).or(page.getByRole("menuitem", { name, exact: true })).click();
  };
  await chooseGrouping("Source");
  await shownRows(page, count);
  const [largest] = groups;
  const first = page.locator("[data-row='0'] .tells");
  await waitUntil(() => first.innerText(), (name) => name === largest.name);
  const chip = page.getByRole("button", { name: /^Source: / });
  assert.equal(await chip.count(), 0);
  await first.click();
  await shownRows(page, largest.n_rows);
  await chip.waitFor();
  await waitUntil(() => page.url(), (url) => /by.*source.*group/.test(url));
  for (const theme of ["light", "dark"]) assert.deepEqual(await violations(page, theme), []);
  await chip.click();
  await shownRows(page, count);
  const [download] = await Promise.all([page.waitForEvent("download"), chooseSaveEntry(page, "Save CSV")]);
  const lines = readFileSync(await download.path(), "utf8").trim().split("\n");
  assert.equal(lines.length, count + 1);
  await chooseGrouping("Op");
  await shownRows(page, all);
});

onPage("ops of both sides are points that open their row", { view: "" }, async ({ page }) => {
  await compare(page, A, gpu("f32"));
  const both = report(A, gpu("f32")).rows.filter(({ a, b }) => a?.self_ps > 0 && b?.self_ps > 0);
  await page.getByRole("button", { name: "Scatter", exact: true }).click();
  const chart = page.locator(".compare-picture svg.scene");
  await chart.waitFor();
  // Each point is two circles: its area, and its outline.
  await waitUntil(() => chart.locator("circle").count(), (n) => n === 2 * both.length);
  await chart.focus();
  const label = await waitUntil(() => chart.getAttribute("aria-label"), (text) => / in A, .* in B/.test(text));
  await page.keyboard.press("Enter");
  await page.locator(".compare-panel .compare-facts").waitFor();
  const name = await page.locator("#compared-name").innerText();
  assert.ok(label.includes(name.split(" ")[0]), `${label}: ${name}`);
  for (const theme of ["light", "dark"]) assert.deepEqual(await violations(page, theme), []);
});

onPage("a step of A stands above one of B, zooms by drag, keys and buttons, and leads to the ops", { view: "" }, async ({ page }) => {
  await compare(page, A, gpu("f32"));
  const { a, b } = report(A, gpu("f32"));
  await page.getByRole("button", { name: "Timeline", exact: true }).click();
  const chart = page.locator(".compare-timeline svg.scene");
  await chart.waitFor();
  const heads = await waitUntil(() => chart.locator("text").allTextContents(), (all) => all.filter((text) => /^step /.test(text)).length === 2);
  const nearest = ({ periods_ps: periods }) => {
    const mean = periods.reduce((sum, period) => sum + period, 0) / periods.length;
    return periods.reduce((best, period) => (Math.abs(period - mean) < Math.abs(best - mean) ? period : best));
  };
  for (const side of [a, b]) assert.ok(heads.some((text) => text.includes(`${(nearest(side) / 1e9).toFixed(2)} ms`)), `${heads}`);
  const all = page.locator(".compare-timeline").locator("xpath=..").getByRole("button", { name: "All", exact: true }).first();
  assert.ok(await all.isDisabled());
  // A drag zooms to its range, which is in the address. The ruler then has other times.
  const box = await chart.boundingBox();
  await page.mouse.move(box.x + 300, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 350, box.y + 40, { steps: 4 });
  await page.mouse.up();
  await waitUntil(() => page.url(), (url) => /part/.test(url));
  await waitUntil(() => all.isEnabled());
  // Zoomed in, events have names, and the keys zoom further and out.
  await waitUntil(() => chart.locator("text.mono").count(), (n) => n > 3);
  await chart.focus();
  const part = () => /part(?:%3A|:)(\d+)-(\d+)/.exec(page.url())?.slice(1).map(Number);
  const [from, to] = await waitUntil(part, (range) => range !== undefined);
  await page.keyboard.press("w");
  await waitUntil(part, ([start, end]) => end - start < (to - from) * 0.6);
  await page.keyboard.press("d");
  await waitUntil(part, ([start]) => start > from);
  for (const theme of ["light", "dark"]) assert.deepEqual(await violations(page, theme), []);
  await page.keyboard.press("ArrowRight");
  const label = await waitUntil(() => chart.getAttribute("aria-label"), (text) => /ms, .+, /.test(text));
  await page.keyboard.press("Enter");
  await page.locator(".compare-panel .compare-facts").waitFor();
  const name = await page.locator("#compared-name").innerText();
  assert.ok(label.length > 0 && name.length > 0);
  await page.keyboard.press("Escape");
  await page.locator(".compare-panel").waitFor({ state: "detached" });
  await all.click();
  await waitUntil(() => page.url(), (url) => !/part/.test(url));
});

onPage("Markdown is copied as the command line writes it", { view: "", permissions: ["clipboard-read", "clipboard-write"] }, async ({ page }) => {
  await compare(page);
  await page.getByRole("button", { name: "Copy Markdown" }).click();
  await page.getByText("Markdown copied").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const withoutFolders = (text) => text.replaceAll(`${repository}/samples/gpu/`, "").trimEnd();
  assert.equal(withoutFolders(copied), withoutFolders(cliOutput("compare", A, B, "--markdown")));
});

for (const [width, height] of [[390, 844], [1440, 900], [2560, 1300]]) {
  onPage(`at ${width} pixels, the comparison is accessible`, { view: "", width, height }, async ({ page }) => {
    await pickFiles(page, [A]);
    await page.locator(".verdict").waitFor();
    await page.locator("#tab-compare").click();
    await page.getByRole("button", { name: "Choose the capture to compare with" }).waitFor();
    assert.deepEqual(await violations(page, "light"), []);
    await chooseSecond(page, B);
    await shownVerdict(page, sentence(A, B));
    await page.locator(".compare-table").evaluate((table) => table.scrollIntoView({ block: "start" }));
    await page.locator("[role=grid] [data-row='0']").first().waitFor();
    for (const theme of ["light", "dark"]) assert.deepEqual(await violations(page, theme), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1));
    await page.locator("[data-row='0'] .tells").click();
    await page.locator(".compare-facts").waitFor();
    for (const theme of ["light", "dark"]) assert.deepEqual(await violations(page, theme), []);
  });
}
