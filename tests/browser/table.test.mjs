// These tests choose, hide and move columns, select rows, compare the contents of copies and saved files, and check
// that the address holds all these choices.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, reload, requiredPath, waitForTable, waitUntil } from "./lib.mjs";
import { allRows, chooseSaveEntry, column, groupBy, heads, pick, renderedRows, rowCount, sortBy, waitForRows } from "./page_helpers.mjs";

const cliText = (...args) => execFileSync(requiredPath("ROOFLIGHT_CLI"), [...args, synth()], { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
const columnNames = async (page) => (await heads(page)).map((head) => head.name);

async function openCapture(page) {
  await dropFiles(page, [synth()]);
  await waitForTable(page);
}

async function copiedText(page) {
  await page.locator(".toast.passing").filter({ hasText: "Copied" }).first().waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

onPage("columns can be chosen, hidden and moved, and Automatic restores the default columns", async ({ page }) => {
  await openCapture(page);
  const defaultNames = await columnNames(page);
  await page.keyboard.press("c");
  await page.getByRole("checkbox", { name: /^Phase/ }).check();
  await page.getByRole("checkbox", { name: /^Count/ }).uncheck();
  await page.keyboard.press("Escape");
  await waitUntil(() => columnNames(page), (names) => names.includes("Phase") && !names.includes("Count"));
  const phases = await column(page, "Phase");
  assert.ok(phases.every((phase) => /forward|backward|recompute|–/.test(phase)), phases.join());
  // By keyboard: open the menu of the focused column head.
  const index = (await columnNames(page)).indexOf("Kind");
  await page.locator(`.grid-head [data-column='${index}']`).focus();
  await page.keyboard.press("Alt+ArrowDown");
  await page.getByRole("menuitem", { name: "Move left" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "menuitem");
  await page.getByRole("menuitem", { name: "Move left" }).press("Enter");
  await waitUntil(() => columnNames(page), (names) => names.indexOf("Kind") === index - 1);
  await page.locator(`.grid-head [data-column='${index - 1}']`).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Hide Kind" }).click();
  await waitUntil(() => columnNames(page), (names) => !names.includes("Kind"));
  await page.keyboard.press("c");
  await page.getByRole("button", { name: "Automatic" }).click();
  await waitUntil(() => columnNames(page), (names) => names.join() === defaultNames.join());
});

onPage("a table with many columns scrolls sideways, and its first column stays in place", { width: 900 }, async ({ page }) => {
  await openCapture(page);
  await page.evaluate(() => (location.hash = "v=1&view=breakdown&cols=total_dur_ps,share,cumulative,kind,hlo_category,n_executions,avg_dur_ps,flop_rate,byte_rate,source_inner,scope_leaf,shape,phase,min_dur_ps,max_dur_ps"));
  await waitUntil(() => columnNames(page), (names) => names.length === 16);
  const grid = page.getByRole("grid");
  const sizes = await grid.evaluate((node) => [node.scrollWidth, node.clientWidth]);
  assert.ok(sizes[0] > sizes[1], sizes.join());
  const first = page.locator("[data-row='0'] [data-column='0']");
  const before = (await first.boundingBox()).x;
  await grid.evaluate((node) => (node.scrollLeft = 600));
  assert.ok(Math.abs((await first.boundingBox()).x - before) < 1);
});

onPage("Space selects rows, y copies them, and they stay selected in another sort order", { permissions: ["clipboard-read", "clipboard-write"] }, async ({ page }) => {
  await openCapture(page);
  const opName = async (row) => (await renderedRows(page)).find(([index]) => index === row)[1][0];
  const expectedOps = [await opName(1), await opName(3)];
  await page.locator("[data-row='1'] [data-column='0']").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await waitUntil(() => page.locator("[data-row][aria-selected=true]").count(), (n) => n === 2);
  await page.keyboard.press("y");
  const lines = (await copiedText(page)).trimEnd().split("\n");
  assert.deepEqual(lines.slice(1).map((line) => line.split("\t")[0]), expectedOps);
  await sortBy(page, "Self", "ascending");
  await page.getByRole("grid").evaluate((node) => (node.scrollTop = node.scrollHeight));
  await waitUntil(() => page.locator("[data-row][aria-selected=true]").count(), (n) => n === 2);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await waitUntil(() => page.locator("[data-row][aria-selected=true]").count(), (n) => n === 0);
});

onPage("a click selects a row, Ctrl adds a row, a double click opens the op, and the selection stays in other views", async ({ page }) => {
  await openCapture(page);
  const selectedRows = () => page.locator("[data-row][aria-selected=true]").evaluateAll((rows) => rows.map((row) => row.dataset.row));
  // Move the pointer away first, because the tooltip of the previous cell covers other rows.
  const cell = async (row) => {
    await page.mouse.move(2, 2);
    await page.locator(".tip").waitFor({ state: "hidden" });
    return page.locator(`[data-row='${row}'] [data-column='2']`);
  };
  await (await cell(2)).click();
  await waitUntil(selectedRows, (rows) => rows.join() === "2");
  await (await cell(4)).click();
  await waitUntil(selectedRows, (rows) => rows.join() === "4");
  await (await cell(1)).click({ modifiers: ["ControlOrMeta"] });
  await waitUntil(selectedRows, (rows) => rows.join() === "1,4");
  assert.equal(await page.locator(".side-panel").count(), 0);
  const name = (await renderedRows(page)).find(([index]) => index === 4)[1][0];
  await (await cell(4)).dblclick();
  await page.locator(".side-panel").getByText(name, { exact: true }).first().waitFor();
  await waitUntil(selectedRows, (rows) => rows.join() === "4");
  const op = await waitUntil(() => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("op")));
  await page.keyboard.press("3");
  await page.locator(".roofline-table [data-row='0']").waitFor();
  await page.locator(".side-panel").getByText(name, { exact: true }).first().waitFor();
  const parameters = await waitUntil(() => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1)))), (parameters) => parameters.view === "roofline");
  assert.deepEqual([parameters.op, parameters.sel], [op, op]);
  await page.keyboard.press("5");
  await page.locator(".comm").first().waitFor();
  await page.keyboard.press("2");
  await waitUntil(selectedRows, (rows) => rows.join() === "4");
});

onPage("a change of the view hides the tooltip", async ({ page }) => {
  await openCapture(page);
  await page.locator("[data-row='0'] [data-column='1']").hover();
  await page.locator(".tip:not([hidden])").waitFor();
  await page.mouse.move(2, 2);
  await page.locator("[data-row='0'] [data-column='1']").focus();
  await page.keyboard.press("ArrowDown");
  await page.locator(".tip:not([hidden])").waitFor();
  await page.keyboard.press("8");
  await page.locator("#tab-file[aria-selected=true]").waitFor();
  assert.equal(await page.locator(".tip:not([hidden])").count(), 0);
});

onPage("rows far apart are copied together, and a row far down is copied alone", { permissions: ["clipboard-read", "clipboard-write"] }, async ({ page }) => {
  await dropFiles(page, [synth({ mb: 3, devices: 1, ops: 2000 })]);
  await waitForTable(page);
  await page.locator("[data-row='0'] [data-column='0']").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("End");
  const last = (await rowCount(page)) - 1;
  assert.ok(last > 1000);
  const name = await waitUntil(async () => (await renderedRows(page)).find(([index]) => index === last)?.[1][0]);
  await page.keyboard.press("Space");
  await page.keyboard.press("y");
  await page.getByText("Copied 2 rows", { exact: true }).waitFor();
  assert.equal((await copiedText(page)).split("\n")[2].split("\t")[0], name);
  await page.keyboard.press("Escape"); // closes the tooltip
  await page.keyboard.press("Escape"); // closes the message
  await waitUntil(async () => (await page.keyboard.press("Escape"), page.locator("[data-row][aria-selected=true]").count()), (n) => n === 0);
  await page.locator(`[data-row='${last}'] [data-column='0']`).click();
  await page.keyboard.press("y");
  await page.getByText("Copied 1 row", { exact: true }).waitFor();
  assert.equal((await page.evaluate(() => navigator.clipboard.readText())).split("\n")[1].split("\t")[0], name);
});

onPage("the visible table can be copied as TSV and as Markdown", { permissions: ["clipboard-read", "clipboard-write"] }, async ({ page }) => {
  await openCapture(page);
  await groupBy(page, "Category");
  const shownRows = await allRows(page);
  const columns = await heads(page);
  const headTitle = ({ name, unit }) => (unit ? `${name} (${unit})` : name);
  await page.keyboard.press("Y");
  const tsv = (await copiedText(page)).trimEnd().split("\n").map((line) => line.split("\t"));
  assert.deepEqual(tsv[0], columns.map(headTitle));
  // Figures are copied without the commas of thousands, so that spreadsheets read them as numbers.
  const withoutCommas = (text) => (/^[\d,.]+$/.test(text) ? text.replaceAll(",", "") : text);
  const shown = shownRows.map((row) => columns.map(({ name }) => withoutCommas(row[name])));
  // A narrow column shows a long text without its middle. The copy has the whole text.
  const asShown = (text, cell) => {
    const [start, end] = cell.split("…");
    return end !== undefined && text.length > cell.length && text.startsWith(start) && text.endsWith(end) ? cell : text;
  };
  assert.deepEqual(tsv.slice(1).map((row, y) => row.map((text, x) => asShown(text, shown[y][x]))), shown);
  assert.ok(tsv.flat().every((text) => !text.includes("…")));
  await page.locator(".toast.passing").first().waitFor({ state: "detached", timeout: 15_000 });
  await chooseSaveEntry(page, "Copy table as Markdown");
  const markdown = (await copiedText(page)).trimEnd().split("\n");
  assert.match(markdown[1], /^\| --- \| ---: /);
  assert.equal(markdown.length, shownRows.length + 2);
  const cells = markdown[2].slice(2, -2).split(" | ").map((text) => text.replace(/\\(.)/g, "$1"));
  assert.deepEqual(cells.map((text, x) => asShown(text, shownRows[0][columns[x].name])), columns.map(({ name }) => shownRows[0][name]));
});

onPage("the saved CSV and JSON equal the command line's output", async ({ page }) => {
  await openCapture(page);
  await groupBy(page, "Source");
  for (const [entry, flag, extension] of [["Save CSV", "--csv", "csv"], ["Save JSON", "--json", "json"]]) {
    const [download] = await Promise.all([page.waitForEvent("download"), chooseSaveEntry(page, entry)]);
    assert.equal(download.suggestedFilename(), `synth-1-2-40 breakdown by source.${extension}`);
    const saved = readFileSync(await download.path(), "utf8");
    const expectedText = cliText("breakdown", "--by", "source", flag);
    if (extension === "csv") assert.equal(saved, expectedText);
    else {
      const [pageReport, expected] = [JSON.parse(saved), JSON.parse(expectedText)];
      assert.deepEqual({ ...pageReport, files: [] }, { ...expected, files: [] });
    }
  }
});

onPage("a chart can be saved as SVG and as PNG", async ({ page }) => {
  await openCapture(page);
  await waitUntil(async () => (await page.locator(".scene").boundingBox())?.height, (height) => height > 20);
  for (const [entry, extension] of [["Save SVG", "svg"], ["Save PNG", "png"]]) {
    await page.getByRole("button", { name: "Save or show this chart" }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: entry }).click()]);
    const bytes = readFileSync(await download.path());
    assert.match(download.suggestedFilename(), new RegExp(`scopes\\.${extension}$`));
    if (extension === "svg") {
      assert.match(bytes.toString(), /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
      assert.match(bytes.toString(), /jit\(train_step\)/);
      assert.doesNotMatch(bytes.toString(), /var\(--/, "the SVG has no CSS variables");
    } else {
      const size = await page.locator(".scene").boundingBox();
      assert.deepEqual([...bytes.subarray(1, 4)].map((byte) => String.fromCharCode(byte)).join(""), "PNG");
      assert.equal(bytes.readUInt32BE(16), Math.ceil(size.width * 2), "the PNG has two pixels per CSS pixel");
    }
  }
});

/** Returns the state of the screen as one value, to compare it before and after a reload. */
const screenState = async (page) => ({
  grid: await page.getByRole("grid").getAttribute("aria-label"),
  names: await columnNames(page),
  orders: (await heads(page)).map((head) => head.order),
  rows: await rowCount(page),
  first: await column(page, (await columnNames(page))[0]),
  step: await page.locator("#step-button").innerText(),
  device: await page.locator("#device-button").innerText(),
  filter: await page.getByRole("textbox", { name: "Filter ops" }).inputValue(),
  filterStatus: await page.locator("#filter-status").innerText(),
  selected: await page.locator("[data-row][aria-selected=true]").count(),
  picture: await page.getByRole("group", { name: "Picture" }).getByRole("button", { pressed: true }).innerText(),
});

onPage("a reload with the same file restores the whole state from the URL", async ({ page }) => {
  await openCapture(page);
  await pick(page, "device", "TPU:1");
  await pick(page, "step", "Step 12");
  await groupBy(page, "Category");
  await page.getByRole("textbox", { name: "Filter ops" }).fill("mlp");
  await waitUntil(() => page.locator("#filter-status").innerText(), (text) => text !== "");
  await sortBy(page, "Mean", "ascending");
  await page.keyboard.press("c");
  await page.getByRole("checkbox", { name: /^Count/ }).uncheck();
  await page.keyboard.press("Escape");
  await page.locator("[data-row='0'] [data-column='0']").focus();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Steps", exact: true }).click();
  await waitUntil(() => page.url(), (url) => /sel=/.test(url) && /picture=steps/.test(url) && /cols=/.test(url));
  const before = await screenState(page);
  assert.equal(before.selected, 1);
  await reload(page);
  assert.equal(await page.getByRole("grid").count(), 0, "a reload does not keep the file");
  await openCapture(page);
  await waitForRows(page);
  assert.deepEqual(await screenState(page), before);
});

onPage("the browser's Back and Forward undo and redo a choice, and typing adds no entry to the history", async ({ page }) => {
  await openCapture(page);
  await groupBy(page, "Category");
  await groupBy(page, "Kind");
  await page.getByRole("textbox", { name: "Filter ops" }).fill("mlp");
  await waitUntil(() => page.url(), (url) => url.includes("filter=mlp"));
  await page.goBack();
  await page.getByRole("grid", { name: "Time by category" }).waitFor();
  await page.goBack();
  await page.getByRole("grid", { name: "Time by op" }).waitFor();
  await page.goForward();
  await page.goForward();
  await page.getByRole("grid", { name: "Time by kind" }).waitFor();
  await waitForRows(page);
  assert.equal(await page.getByRole("textbox", { name: "Filter ops" }).inputValue(), "mlp");
});

onPage("a URL that cannot be read is reported, and the page opens a file", async ({ page, server }) => {
  await page.goto(`${server.url}#v=99&by=op`);
  await reload(page);
  await page.getByRole("status").filter({ hasText: "version 99" }).waitFor();
  await openCapture(page);
  await page.goto(`${server.url}#v=1&by=colour`);
  await page.getByRole("status").filter({ hasText: "by=colour" }).waitFor();
  await page.keyboard.press("2");
  assert.equal(await page.getByRole("grid").getAttribute("aria-label"), "Time by op");
});
