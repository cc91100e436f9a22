// These tests choose, hide and move columns, select rows, compare the contents of copies and saved files, and check
// that the address holds all these choices.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, need, opened, reload, until } from "./lib.mjs";
import { allRows, column, groupBy, heads, pick, rowCount, seenRows, settled, sortBy } from "./reading.mjs";

const cli = (...args) => execFileSync(need("ROOFLIGHT_CLI"), [...args, synth()], { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
const names = async (page) => (await heads(page)).map((head) => head.name);

async function start(page) {
  await dropFiles(page, [synth()]);
  await opened(page);
}

async function clipboard(page) {
  await page.locator(".toast.passing").filter({ hasText: "Copied" }).first().waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

async function menu(page, entry) {
  await page.locator("#save-button").click();
  await page.getByRole("menuitem", { name: entry }).click();
}

onPage("columns: chosen in the list, hidden and moved by the menu, and as many as fit again", async ({ page }) => {
  await start(page);
  const usual = await names(page);
  await page.keyboard.press("c");
  await page.getByRole("checkbox", { name: /^Phase/ }).check();
  await page.getByRole("checkbox", { name: /^Count/ }).uncheck();
  await page.keyboard.press("Escape");
  await until(() => names(page), (now) => now.includes("Phase") && !now.includes("Count"));
  const phases = await column(page, "Phase");
  assert.ok(phases.every((phase) => /forward|backward|recompute|–/.test(phase)), phases.join());
  // By keyboard: open the menu of the focused column head.
  const at = (await names(page)).indexOf("Kind");
  await page.locator(`.grid-head [data-column='${at}']`).focus();
  await page.keyboard.press("Alt+ArrowDown");
  await page.getByRole("menuitem", { name: "Move left" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "menuitem");
  await page.getByRole("menuitem", { name: "Move left" }).press("Enter");
  await until(() => names(page), (now) => now.indexOf("Kind") === at - 1);
  await page.locator(`.grid-head [data-column='${at - 1}']`).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Hide Kind" }).click();
  await until(() => names(page), (now) => !now.includes("Kind"));
  await page.keyboard.press("c");
  await page.getByRole("button", { name: "Automatic" }).click();
  await until(() => names(page), (now) => now.join() === usual.join());
});

onPage("many columns: the table scrolls sideways, the names stay", { width: 900 }, async ({ page }) => {
  await start(page);
  await page.evaluate(() => (location.hash = "v=1&cols=total_dur_ps,share,cumulative,kind,hlo_category,n_executions,avg_dur_ps,flop_rate,byte_rate,source_inner,scope_leaf,shape,phase,min_dur_ps,max_dur_ps"));
  await until(() => names(page), (now) => now.length === 16);
  const grid = page.getByRole("grid");
  const sizes = await grid.evaluate((node) => [node.scrollWidth, node.clientWidth]);
  assert.ok(sizes[0] > sizes[1], sizes.join());
  const first = page.locator("[data-row='0'] [data-column='0']");
  const before = (await first.boundingBox()).x;
  await grid.evaluate((node) => (node.scrollLeft = 600));
  assert.ok(Math.abs((await first.boundingBox()).x - before) < 1);
});

onPage("rows are selected with Space, copied with y, and stay selected in another order", { permissions: ["clipboard-read", "clipboard-write"] }, async ({ page }) => {
  await start(page);
  const op = async (row) => (await seenRows(page)).find(([at]) => at === row)[1][0];
  const chosen = [await op(1), await op(3)];
  await page.locator("[data-row='1'] [data-column='0']").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await until(() => page.locator("[data-row][aria-selected=true]").count(), (n) => n === 2);
  await page.keyboard.press("y");
  const lines = (await clipboard(page)).trimEnd().split("\n");
  assert.deepEqual(lines.slice(1).map((line) => line.split("\t")[0]), chosen);
  await sortBy(page, "Self", "ascending");
  await page.getByRole("grid").evaluate((node) => (node.scrollTop = node.scrollHeight));
  await until(() => page.locator("[data-row][aria-selected=true]").count(), (n) => n === 2);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await until(() => page.locator("[data-row][aria-selected=true]").count(), (n) => n === 0);
});

onPage("a press anywhere on a row selects it, with Ctrl it adds it; two open it; it stays selected in other views", async ({ page }) => {
  await start(page);
  const selected = () => page.locator("[data-row][aria-selected=true]").evaluateAll((rows) => rows.map((row) => row.dataset.row));
  // Move the pointer away first, because the tooltip of the previous cell covers other rows.
  const cell = async (row) => {
    await page.mouse.move(2, 2);
    await page.locator(".tip").waitFor({ state: "hidden" });
    return page.locator(`[data-row='${row}'] [data-column='2']`);
  };
  await (await cell(2)).click();
  await until(selected, (rows) => rows.join() === "2");
  await (await cell(4)).click();
  await until(selected, (rows) => rows.join() === "4");
  await (await cell(1)).click({ modifiers: ["ControlOrMeta"] });
  await until(selected, (rows) => rows.join() === "1,4");
  assert.equal(await page.locator(".op-panel").count(), 0);
  const name = (await seenRows(page)).find(([at]) => at === 4)[1][0];
  await (await cell(4)).dblclick();
  await page.locator(".op-panel").getByText(name, { exact: true }).first().waitFor();
  await until(selected, (rows) => rows.join() === "4");
  const op = await until(() => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("op")));
  await page.keyboard.press("3");
  await page.locator(".roofline-table [data-row='0']").waitFor();
  await page.locator(".op-panel").getByText(name, { exact: true }).first().waitFor();
  const now = await until(() => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1)))), (now) => now.view === "roofline");
  assert.deepEqual([now.op, now.sel], [op, op]);
  await page.keyboard.press("5");
  await page.locator(".comm").first().waitFor();
  await page.keyboard.press("2");
  await until(selected, (rows) => rows.join() === "4");
});

onPage("a tooltip goes with its view", async ({ page }) => {
  await start(page);
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

onPage("a row far down is copied; a selection is copied however far it reaches", { permissions: ["clipboard-read", "clipboard-write"] }, async ({ page }) => {
  await dropFiles(page, [synth({ mb: 3, devices: 1, ops: 2000 })]);
  await opened(page);
  await page.locator("[data-row='0'] [data-column='0']").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("End");
  const last = (await rowCount(page)) - 1;
  assert.ok(last > 1000);
  const name = await until(async () => (await seenRows(page)).find(([at]) => at === last)?.[1][0]);
  await page.keyboard.press("Space");
  await page.keyboard.press("y");
  await page.getByText("Copied 2 rows", { exact: true }).waitFor();
  assert.equal((await clipboard(page)).split("\n")[2].split("\t")[0], name);
  await page.keyboard.press("Escape"); // closes the tooltip
  await page.keyboard.press("Escape"); // closes the message
  await until(async () => (await page.keyboard.press("Escape"), page.locator("[data-row][aria-selected=true]").count()), (n) => n === 0);
  await page.locator(`[data-row='${last}'] [data-column='0']`).click();
  await page.keyboard.press("y");
  await page.getByText("Copied 1 row", { exact: true }).waitFor();
  assert.equal((await page.evaluate(() => navigator.clipboard.readText())).split("\n")[1].split("\t")[0], name);
});

onPage("copied: the table as it is seen, as TSV and as Markdown", { permissions: ["clipboard-read", "clipboard-write"] }, async ({ page }) => {
  await start(page);
  await groupBy(page, "Category");
  const seen = await allRows(page);
  const columns = await heads(page);
  const title = ({ name, unit }) => (unit ? `${name} (${unit})` : name);
  await page.keyboard.press("Y");
  const tsv = (await clipboard(page)).trimEnd().split("\n").map((line) => line.split("\t"));
  assert.deepEqual(tsv[0], columns.map(title));
  // Figures are copied without the commas of thousands, so that spreadsheets read them as numbers.
  const plain = (text) => (/^[\d,.]+$/.test(text) ? text.replaceAll(",", "") : text);
  assert.deepEqual(tsv.slice(1), seen.map((row) => columns.map(({ name }) => plain(row[name]))));
  await page.locator(".toast.passing").first().waitFor({ state: "detached", timeout: 15_000 });
  await menu(page, "Copy table as Markdown");
  const markdown = (await clipboard(page)).trimEnd().split("\n");
  assert.match(markdown[1], /^\| --- \| ---: /);
  assert.equal(markdown.length, seen.length + 2);
  assert.equal(markdown[2], `| ${columns.map(({ name }) => seen[0][name]).join(" | ")} |`);
});

onPage("saved: CSV and JSON are what the command line writes", async ({ page }) => {
  await start(page);
  await groupBy(page, "Source");
  for (const [entry, flag, end] of [["Save CSV", "--csv", "csv"], ["Save JSON", "--json", "json"]]) {
    const [download] = await Promise.all([page.waitForEvent("download"), menu(page, entry)]);
    assert.equal(download.suggestedFilename(), `synth-1-2-40 breakdown by source.${end}`);
    const saved = readFileSync(await download.path(), "utf8");
    const wanted = cli("breakdown", "--by", "source", flag);
    if (end === "csv") assert.equal(saved, wanted);
    else {
      const [mine, theirs] = [JSON.parse(saved), JSON.parse(wanted)];
      assert.deepEqual({ ...mine, files: [] }, { ...theirs, files: [] });
    }
  }
});

onPage("a chart is saved as it is seen: SVG and PNG", async ({ page }) => {
  await start(page);
  await until(async () => (await page.locator(".scene").boundingBox())?.height, (height) => height > 20);
  for (const [entry, end] of [["Save SVG", "svg"], ["Save PNG", "png"]]) {
    await page.getByRole("button", { name: "Save or show this chart" }).click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: entry }).click()]);
    const bytes = readFileSync(await download.path());
    assert.match(download.suggestedFilename(), new RegExp(`scopes\\.${end}$`));
    if (end === "svg") {
      assert.match(bytes.toString(), /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
      assert.match(bytes.toString(), /jit\(train_step\)/);
      assert.doesNotMatch(bytes.toString(), /var\(--/, "colours are those of the page");
    } else {
      const size = await page.locator(".scene").boundingBox();
      assert.deepEqual([...bytes.subarray(1, 4)].map((byte) => String.fromCharCode(byte)).join(""), "PNG");
      assert.equal(bytes.readUInt32BE(16), Math.ceil(size.width * 2), "twice as many pixels");
    }
  }
});

/** Returns the state of the screen as one value, to compare it before and after a reload. */
const screen = async (page) => ({
  grid: await page.getByRole("grid").getAttribute("aria-label"),
  names: await names(page),
  orders: (await heads(page)).map((head) => head.order),
  rows: await rowCount(page),
  first: await column(page, (await names(page))[0]),
  step: await page.locator("#step-button").innerText(),
  device: await page.locator("#device-button").innerText(),
  filter: await page.getByRole("textbox", { name: "Filter ops" }).inputValue(),
  says: await page.locator("#filter-status").innerText(),
  selected: await page.locator("[data-row][aria-selected=true]").count(),
  picture: await page.getByRole("group", { name: "Picture" }).getByRole("button", { pressed: true }).innerText(),
});

onPage("the address says it all: reloaded, the same file shows the same", async ({ page }) => {
  await start(page);
  await pick(page, "device", "TPU:1");
  await pick(page, "step", "Step 12");
  await groupBy(page, "Category");
  await page.getByRole("textbox", { name: "Filter ops" }).fill("mlp");
  await until(() => page.locator("#filter-status").innerText(), (said) => said !== "");
  await sortBy(page, "Mean", "ascending");
  await page.keyboard.press("c");
  await page.getByRole("checkbox", { name: /^Count/ }).uncheck();
  await page.keyboard.press("Escape");
  await page.locator("[data-row='0'] [data-column='0']").focus();
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Steps", exact: true }).click();
  await until(() => page.url(), (url) => /sel=/.test(url) && /picture=steps/.test(url) && /cols=/.test(url));
  const before = await screen(page);
  assert.equal(before.selected, 1);
  await reload(page);
  assert.equal(await page.getByRole("grid").count(), 0, "the file is not kept");
  await start(page);
  await settled(page);
  assert.deepEqual(await screen(page), before);
});

onPage("back and forward undo and redo a choice; typing is no step", async ({ page }) => {
  await start(page);
  await groupBy(page, "Category");
  await groupBy(page, "Kind");
  await page.getByRole("textbox", { name: "Filter ops" }).fill("mlp");
  await until(() => page.url(), (url) => url.includes("filter=mlp"));
  await page.goBack();
  await page.getByRole("grid", { name: "Time by category" }).waitFor();
  await page.goBack();
  await page.getByRole("grid", { name: "Time by op" }).waitFor();
  await page.goForward();
  await page.goForward();
  await page.getByRole("grid", { name: "Time by kind" }).waitFor();
  await settled(page);
  assert.equal(await page.getByRole("textbox", { name: "Filter ops" }).inputValue(), "mlp");
});

onPage("an address that cannot be read is told, and the page goes on", async ({ page, server }) => {
  await page.goto(`${server.url}#v=99&by=op`);
  await reload(page);
  await page.getByRole("status").filter({ hasText: "version 99" }).waitFor();
  await start(page);
  await page.goto(`${server.url}#v=1&by=colour`);
  await page.getByRole("status").filter({ hasText: "by=colour" }).waitFor();
  assert.equal(await page.getByRole("grid").getAttribute("aria-label"), "Time by op");
});
