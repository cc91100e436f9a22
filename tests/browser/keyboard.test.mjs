// Tests the page without a mouse: the order of Tab stops, navigation in the table, single-key shortcuts, Esc.
import assert from "node:assert/strict";
import { synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { pickFiles, reload, waitForPaint, waitForTable, waitUntil } from "./lib.mjs";
import { figures, grid, heads, pick, rowCount, waitForRows } from "./page_helpers.mjs";

/**
 * Returns the focused element: "cell ROW,COLUMN" or "head COLUMN" in the table, otherwise its label or text; "" when
 * none is focused.
 */
const focusedElement = (page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (element === document.body) return "";
    const row = element.closest("[data-row]")?.dataset.row;
    if (row !== undefined) return `cell ${row},${element.dataset.column}`;
    if (element.dataset?.column !== undefined) return `head ${element.dataset.column}`;
    return (element.getAttribute("aria-label") ?? element.textContent).replace(/\s+/g, " ").trim();
  });

async function pressKeys(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
}

/** Presses Tab until the focus returns to the first stop or leaves the page. Returns the stops in order. */
async function tabStops(page) {
  const stops = [];
  for (let i = 0; i < 60; i += 1) {
    await pressKeys(page, "Tab");
    const stop = await focusedElement(page);
    if (stop === stops[0] || (stop === "" && stops.length > 0)) break;
    stops.push(stop);
  }
  return stops;
}

async function openCapture(page) {
  await pickFiles(page, [synth()]);
  await waitForTable(page);
  await page.locator("body").click({ position: { x: 2, y: 2 } });
}

const waitForGrouping = (page, by) => page.getByRole("grid", { name: `Time by ${by}` }).waitFor();
const waitForHero = (page, label) => waitUntil(async () => Object.keys(await figures(page))[0], (text) => text === label);

onPage("on the landing page, Tab visits every control in reading order", async ({ page }) => {
  assert.deepEqual(await tabStops(page), ["Theme: as the system. Switch", "Choose files", "Choose a folder", "Open the sample", "Open an H100 capture"]);
});

onPage("the list of keys has the keys of all views, those of the current view first", async ({ page }) => {
  await openCapture(page);
  const groups = async (view) => {
    await pressKeys(page, view);
    await page.locator("[role=tab][aria-selected=true]").filter({ hasText: view }).waitFor();
    await pressKeys(page, "?");
    await page.locator("dialog[open] .keys h3").first().waitFor();
    const names = await page.locator("dialog[open] .keys h3").allInnerTexts();
    await pressKeys(page, "Escape");
    await page.locator("dialog[open]").waitFor({ state: "detached" });
    return names;
  };
  const names = await groups("2");
  assert.equal(names[0], "Breakdown");
  for (const name of ["Page", "Rows", "Overview", "Timeline", "Compare"]) assert.ok(names.includes(name), names.join());
  assert.equal((await groups("6"))[0], "Timeline");
  await pressKeys(page, "?");
  await page.locator("dialog[open] .keys h3").first().waitFor();
  const keysOfZoom = page.locator("dialog[open] .keys dl > div").filter({ hasText: "zoom in, zoom out, earlier, later" });
  assert.deepEqual(await keysOfZoom.first().locator("kbd").allInnerTexts(), ["w", "s", "a", "d"]);
  assert.deepEqual(await keysOfZoom.last().locator("kbd").allInnerTexts(), ["w", "s", "a", "d"]);
});

onPage("in the breakdown, Tab goes from the bar to the table, and the table is one stop", async ({ page }) => {
  await openCapture(page);
  const stops = await tabStops(page);
  const patterns = [/^File /, /^Breakdown/, /notes?$/, /^How /, /%,/, /^Op$/, /^Filter ops$/, /^cell 0,0$/];
  const positions = patterns.map((pattern) => stops.findIndex((stop) => pattern.test(stop)));
  assert.ok(positions.every((position) => position >= 0), `no stop matches ${patterns[positions.indexOf(-1)]}: ${stops.join(" | ")}`);
  assert.deepEqual(positions, [...positions].sort((a, b) => a - b), stops.join(" | "));
  assert.equal(stops.filter((stop) => /^(cell|head)/.test(stop)).length, 1, "the table is one stop");
  assert.ok(positions.at(-1) <= 12, `${positions.at(-1)} stops before the table: ${stops.join(" | ")}`);
});

onPage("arrow keys, Home and End move within a group, and Tab returns to the last control of a group", async ({ page }) => {
  await openCapture(page);
  const waitForFocus = (pattern) => waitUntil(() => focusedElement(page), (focused) => pattern.test(focused));
  await pressKeys(page, "Tab");
  await waitForFocus(/^File /);
  await pressKeys(page, "ArrowRight");
  await waitForFocus(/^Device /);
  await pressKeys(page, "ArrowRight", "ArrowRight");
  await waitForFocus(/of \d+ steps$/);
  await pressKeys(page, "End");
  await waitForFocus(/^Keys and help/);
  await pressKeys(page, "ArrowRight");
  await waitForFocus(/^File /);
  await pressKeys(page, "ArrowLeft", "Tab");
  await waitForFocus(/^Breakdown/);
  await pressKeys(page, "Shift+Tab");
  await waitForFocus(/^Keys and help/);
  await page.getByRole("group", { name: "Group by" }).getByRole("button", { name: "Op", exact: true }).focus();
  await pressKeys(page, "ArrowRight", "Enter");
  await waitForRows(page);
  assert.equal(await page.getByRole("group", { name: "Group by" }).locator("[aria-pressed=true]").innerText(), await focusedElement(page));
});

for (const [key, view, target] of [
  ["2", ".breakdown", "[role=grid]"],
  ["3", ".roofline-table", "[role=grid]"],
  ["4", ".memory", "[role=grid]"],
  ["5", ".comm", "[role=grid]"],
  ["8", ".file", "table, .code"],
]) {
  onPage(`view ${key} has at most 12 Tab stops before its table`, async ({ page }) => {
    await page.getByRole("button", { name: "Open the sample" }).click();
    await waitForTable(page);
    await pressKeys(page, key);
    const rows = target === "[role=grid]" ? `${view} [role=grid] [data-row='0']` : `${view} table, ${view} .code`;
    await page.locator(rows).first().waitFor();
    await page.locator("body").click({ position: { x: 2, y: 2 } });
    const stops = [];
    const isTableFocused = () => page.evaluate((selector) => Boolean(document.activeElement.closest(selector)), target);
    for (let i = 0; i < 40; i += 1) {
      await pressKeys(page, "Tab");
      if (await isTableFocused()) break;
      stops.push(await focusedElement(page));
    }
    assert.ok(await isTableFocused(), `Tab does not reach the table: ${stops.join(" | ")}`);
    assert.ok(stops.length <= 12, `${stops.length} stops: ${stops.join(" | ")}`);
    // Each group has the attribute data-roving. At most one visible button of a group may be a Tab stop.
    const groupsWithSeveralStops = await page.evaluate(() =>
      [...document.querySelectorAll("[data-roving]")]
        .map((group) => [...group.querySelectorAll("button:not([tabindex='-1'], [disabled])")].filter((button) => button.offsetParent && !button.closest("[popover], [role=tablist], [role=menu], [role=grid]")))
        .filter((stops) => stops.length > 1)
        .map((stops) => stops.map((stop) => stop.ariaLabel ?? stop.textContent)));
    assert.deepEqual(groupsWithSeveralStops, []);
  });
}

onPage("arrow keys, Page Up, Page Down, Home and End move in the table, and Enter on a column head sorts", async ({ page }) => {
  await openCapture(page);
  await page.locator("[data-row='0'] [data-column='0']").focus();
  const assertKeyMovesTo = async (key, target) => {
    await pressKeys(page, key);
    await waitUntil(() => focusedElement(page), (focused) => focused === target);
  };
  await assertKeyMovesTo("ArrowDown", "cell 1,0");
  await assertKeyMovesTo("ArrowRight", "cell 1,1");
  await assertKeyMovesTo("ArrowLeft", "cell 1,0");
  await assertKeyMovesTo("ArrowLeft", "cell 1,0");
  const lastRow = (await rowCount(page)) - 1;
  await assertKeyMovesTo("End", `cell ${lastRow},0`);
  await assertKeyMovesTo("ArrowDown", `cell ${lastRow},0`);
  const box = await page.locator(`[data-row='${lastRow}']`).boundingBox();
  const foot = await page.locator(".grid-foot").boundingBox();
  assert.ok(box.y + box.height <= foot.y + 1, "the foot does not cover the last row");
  await assertKeyMovesTo("Home", "cell 0,0");
  await pressKeys(page, "PageDown");
  const rowIndex = Number((await waitUntil(() => focusedElement(page), (focused) => focused !== "cell 0,0")).match(/\d+/)[0]);
  assert.ok(rowIndex > 3, `Page Down moves by ${rowIndex} rows only`);
  await assertKeyMovesTo("PageUp", "cell 0,0");
  await assertKeyMovesTo("ArrowUp", "head 0");
  await assertKeyMovesTo("ArrowRight", "head 1");
  await pressKeys(page, "Enter");
  const selfOrder = async () => (await heads(page)).find((head) => head.name === "Self").order;
  await waitUntil(selfOrder, (order) => order === "ascending");
  assert.equal(await focusedElement(page), "head 1", "the focus stays on the column head");
  await pressKeys(page, "s");
  await waitUntil(selfOrder, (order) => order === "descending");
  await pressKeys(page, "Shift+S");
  await waitUntil(selfOrder, (order) => order === "ascending");
  await assertKeyMovesTo("ArrowDown", "cell 0,1");
});

onPage("a clicked cell has the focus, and arrow keys continue from it", async ({ page }) => {
  await openCapture(page);
  await page.locator("[data-row='3'] [data-column='1']").click();
  await waitUntil(() => focusedElement(page), (focused) => focused === "cell 3,1");
  await pressKeys(page, "ArrowDown");
  await waitUntil(() => focusedElement(page), (focused) => focused === "cell 4,1");
});

onPage("the focus stays in the table when the rows change", async ({ page }) => {
  await openCapture(page);
  await page.locator("[data-row='3'] [data-column='1']").click();
  await waitUntil(() => focusedElement(page), (focused) => focused === "cell 3,1");
  await pressKeys(page, "Shift+S");
  const selfOrder = async () => (await heads(page)).find((head) => head.name === "Self").order;
  await waitUntil(selfOrder, (order) => order === "ascending");
  // A new sort order moves the focus to the first row.
  await waitUntil(() => focusedElement(page), (focused) => focused === "cell 0,1");
  await pressKeys(page, "End");
  const lastCell = await waitUntil(() => focusedElement(page), (focused) => /^cell \d+,1$/.test(focused) && focused !== "cell 0,1");
  await pressKeys(page, "]");
  await waitForRows(page);
  await waitUntil(() => focusedElement(page), (focused) => focused === "cell 0,1");
  assert.notEqual(lastCell, "cell 0,1");
});

onPage("g and a letter change the grouping", async ({ page }) => {
  await openCapture(page);
  for (const [key, by] of [["c", "category"], ["k", "kind"], ["s", "source"], ["p", "program"], ["o", "op"]]) {
    await pressKeys(page, "g", key);
    await waitForGrouping(page, by);
    await waitForRows(page);
  }
  // Without g before it, a grouping letter does nothing.
  await pressKeys(page, "c");
  await waitForRows(page);
  await waitForGrouping(page, "op");
});

onPage("brackets change the step, and braces change the device", async ({ page }) => {
  await openCapture(page);
  await pick(page, "device", "TPU:0");
  await page.locator("#step-button").focus();
  await pressKeys(page, "Enter");
  await page.locator("#step [role=listbox]:focus").waitFor();
  await pressKeys(page, "Home", "ArrowDown", "ArrowDown", "ArrowDown", "Enter");
  const firstStep = await waitUntil(async () => Object.keys(await figures(page))[0], (label) => label === "Step 11");
  await pressKeys(page, "]");
  await waitForHero(page, "Step 12");
  await pressKeys(page, "[");
  await waitForHero(page, firstStep);
  const deviceLabel = () => page.locator("#device-button").getAttribute("aria-label");
  const firstDevice = await deviceLabel();
  await pressKeys(page, "}");
  const secondDevice = await waitUntil(deviceLabel, (label) => label !== firstDevice);
  await pressKeys(page, "{");
  await waitUntil(deviceLabel, (label) => label === firstDevice);
  assert.notEqual(firstDevice, secondDevice);
});

onPage("t changes the theme, n opens and closes the notes, ? opens the help, and Esc closes it", async ({ page }) => {
  await openCapture(page);
  const theme = () => page.locator("html").getAttribute("data-theme");
  await pressKeys(page, "t");
  await waitUntil(theme, (value) => value === "light");
  await pressKeys(page, "t");
  await waitUntil(theme, (value) => value === "dark");
  await pressKeys(page, "t");
  await waitUntil(theme, (value) => value === null);
  await pressKeys(page, "?");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  // The dialog lists the keys. Single-key shortcuts are disabled while it is open.
  assert.match(await dialog.innerText(), /group by category/);
  await pressKeys(page, "t");
  assert.equal(await theme(), null);
  await pressKeys(page, "Escape");
  await dialog.waitFor({ state: "hidden" });
  // Shortcuts are on again once the page has handled the closing of the dialog.
  await waitForPaint(page);
  const notes = page.locator("#notes");
  if (await notes.count()) {
    await pressKeys(page, "n");
    await notes.waitFor();
    await pressKeys(page, "n");
    await notes.waitFor({ state: "hidden" });
  }
});

onPage("a picker returns the focus to its button, and keys move in its list", async ({ page }) => {
  await openCapture(page);
  await page.locator("#device-button").focus();
  await pressKeys(page, "Enter");
  const list = page.locator("#device").getByRole("listbox");
  await list.waitFor();
  await waitUntil(() => list.evaluate((node) => node === document.activeElement));
  await pressKeys(page, "End");
  const active = await list.getAttribute("aria-activedescendant");
  assert.match(await page.locator(`#${active}`).innerText(), /TPU:1/);
  await pressKeys(page, "Escape");
  await list.waitFor({ state: "hidden" });
  assert.match(await focusedElement(page), /^Device /);
  await pressKeys(page, "Enter");
  await page.locator("#device [role=listbox]:focus").waitFor();
  await pressKeys(page, "End", "Enter");
  await waitUntil(() => page.locator("#device-button").getAttribute("aria-label"), (label) => /TPU:1/.test(label));
});

onPage("single-key shortcuts can be turned off, and a reload keeps them off", async ({ page }) => {
  await openCapture(page);
  await pressKeys(page, "?");
  await page.getByRole("checkbox").uncheck();
  await pressKeys(page, "Escape");
  await pressKeys(page, "g", "c");
  await pressKeys(page, "t");
  await waitForRows(page);
  assert.equal(await grid(page).getAttribute("aria-label"), "Time by op");
  assert.equal(await page.locator("html").getAttribute("data-theme"), null);
  await reload(page);
  await openCapture(page);
  await pressKeys(page, "g", "c");
  await waitForRows(page);
  assert.equal(await grid(page).getAttribute("aria-label"), "Time by op");
});

onPage("every focused control shows its focus", async ({ page }) => {
  await openCapture(page);
  for (let i = 0; i < 12; i += 1) {
    await pressKeys(page, "Tab");
    // The page may have fewer than 12 stops. After the last one, Tab leaves the page for the browser's own controls.
    if (await page.evaluate(() => document.activeElement === document.body)) {
      assert.ok(i >= 8, `the page has only ${i} stops`);
      break;
    }
    const hasOutline = await page.evaluate(() => {
      const element = document.activeElement;
      // A chart draws its own focus ring around the mark that has the keyboard; a field has the ring on its outer
      // element.
      if (element.querySelector(".chart-focus")) return true;
      return [element, element.closest(".field")].some((node) => {
        const style = node && getComputedStyle(node);
        return style && (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none" || style.stroke !== "none");
      });
    });
    assert.ok(hasOutline, `${await focusedElement(page)} shows no focus`);
  }
});
