// This module reads the texts on screen and presses the controls that a person would press. It depends on the roles and
// names of the page, but on no number.
import assert from "node:assert/strict";
import { waitForApp, waitUntil } from "./lib.mjs";

export const grid = (page) => page.getByRole("grid");

/** Returns the panel of one op. It is found by its class, because the tooltip has the same role. */
export const opPanel = (page) => page.locator(".side-panel");

/** Waits until the table is not busy. */
export async function waitForRows(page) {
  await page.locator("[role=grid][aria-busy=false]").waitFor();
}

/** Returns the name, the unit and the sort order of each column. */
export function heads(page) {
  return page.getByRole("columnheader").evaluateAll((all) =>
    all.map((head) => {
      const [name, unit] = [...head.querySelectorAll("span:not(.arrow):not(.head)")].map((part) => part.textContent.trim());
      return { name, unit, order: head.getAttribute("aria-sort") };
    }),
  );
}

/** Returns the number of rows of the table, from `aria-rowcount`. This attribute also counts the head and the foot. */
export async function rowCount(page) {
  return Number(await grid(page).getAttribute("aria-rowcount")) - 2;
}

/**
 * Returns the rows that are in the document, as [index, texts of the cells], without the mark "▲" of a rate above the
 * peak.
 */
export function renderedRows(page) {
  return page.locator("[data-row]").evaluateAll((rows) =>
    rows.map((row) => [Number(row.dataset.row), [...row.querySelectorAll("[role=gridcell]")].map((cell) => cell.textContent.replace("▲", "").trim())]),
  );
}

/**
 * Returns the first ten rows, as `renderedRows`, for a comparison of two states of the page. The number of rows in the
 * document depends on the height above the table, which changes until all figures are there.
 */
export async function firstRows(page) {
  return (await renderedRows(page)).filter(([index]) => index < 10);
}

/**
 * Returns all rows from top to bottom, as { head: text }. Scrolls the table until every row has been in the document.
 */
export async function allRows(page) {
  await waitForRows(page);
  const names = (await heads(page)).map((head) => head.name);
  const count = await rowCount(page);
  const cellsByRow = new Map();
  await waitUntil(async () => {
    for (const [index, cells] of await renderedRows(page)) if (cells.some(Boolean)) cellsByRow.set(index, cells);
    const missing = [...Array(count).keys()].find((index) => !cellsByRow.has(index));
    if (missing !== undefined) await scrollToRow(page, missing, count);
    return missing;
  }, (missing) => missing === undefined, 60_000);
  return [...Array(count).keys()].map((index) => Object.fromEntries(cellsByRow.get(index).map((text, i) => [names[i], text])));
}

/** Chooses an entry of the menu that saves and copies the table. */
export async function chooseSaveEntry(page, entry) {
  await page.locator("#save-button").click();
  await page.getByRole("menuitem", { name: entry }).click();
}

/** Scrolls the table until row `index` of `count` rows is approximately in the middle. */
export async function scrollToRow(page, index, count) {
  await grid(page).evaluate((node, share) => {
    const body = node.querySelector(".grid-body");
    const isScrollable = node.scrollHeight > node.clientHeight;
    if (isScrollable) node.scrollTop = body.offsetHeight * share - node.clientHeight / 2;
    else window.scrollTo(0, window.scrollY + body.getBoundingClientRect().top + body.offsetHeight * share - innerHeight / 2);
  }, index / count);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** Returns the texts of one column, in the order shown. Rows that are not in the document are missing. */
export async function column(page, name) {
  await waitForRows(page);
  const columnIndex = (await heads(page)).findIndex((head) => head.name === name);
  assert.notEqual(columnIndex, -1, `no column ${name}`);
  const rows = (await renderedRows(page)).filter(([, cells]) => cells.some(Boolean));
  return rows.sort(([a], [b]) => a - b).map(([, cells]) => cells[columnIndex]);
}

/**
 * Returns the figures above the table, as { label: "value unit" }, once all of them are there, without the mark "▲" of a
 * figure above its peak.
 */
export async function figures(page) {
  await page.waitForFunction(() => !document.querySelector(".figures[aria-busy=true]"));
  return page.locator(".figure").evaluateAll((all) =>
    Object.fromEntries(
      all.map((figure) => {
        const unit = figure.querySelector("dd .unit").textContent.trim();
        const value = figure.querySelector("dd").firstChild.textContent.replace("▲", "").trim();
        return [figure.querySelector("dt").firstChild.textContent.trim(), unit ? `${value} ${unit}` : value];
      }),
    ),
  );
}

/** Groups the rows with the button, or with the menu where the window is too narrow for buttons. */
export async function groupBy(page, by) {
  const button = page.getByRole("group", { name: "Group by" }).getByRole("button", { name: by, exact: true });
  if (await button.isVisible()) await button.click();
  else {
    await page.locator("#by-button").click();
    await page.locator("#by").getByRole("menuitemradio", { name: by, exact: true }).click();
  }
  await page.getByRole("grid", { name: `Time by ${by.toLowerCase()}` }).waitFor();
  await waitForRows(page);
}

/**
 * Opens a picker ("device", "step") and chooses the first entry whose label begins with `name` or matches it as a
 * RegExp.
 */
export async function pick(page, picker, name) {
  await page.locator(`#${picker}-button`).click();
  // The picker of steps has a second list: the ways to find steps.
  const list = page.locator(`#${picker}`).getByRole("listbox").first();
  // "Step 12" must not match "Step 120".
  const label = typeof name === "string" ? new RegExp(`^\\s*${name}(?!\\d)`) : name;
  const option = list.getByRole("option").filter({ has: page.locator(".entry-label").filter({ hasText: label }) });
  // A long list holds only the lines in view, so scroll from the first line to the requested one.
  await list.getByRole("option").first().waitFor();
  await list.evaluate((element) => { element.scrollTop = 0; });
  await waitUntil(async () => {
    await waitForRows(page);
    if ((await option.count()) > 0) return true;
    await list.evaluate((element) => { element.scrollTop += element.clientHeight / 2; });
    return false;
  }, (isFound) => isFound);
  await option.first().click();
  await waitForRows(page);
}

/**
 * Presses a column's head and waits until its order is `order`, or until the order has changed if `order` is
 * `undefined`.
 */
export async function pressHead(page, name, order) {
  const head = page.getByRole("columnheader").filter({ has: page.getByText(name, { exact: true }) });
  const before = await head.getAttribute("aria-sort");
  await head.getByRole("button").click();
  const newOrder = await waitUntil(() => head.getAttribute("aria-sort"), (value) => (order ? value === order : value !== before));
  await waitForRows(page);
  return newOrder;
}

/** Sorts by a column, with one or two presses of its head. */
export async function sortBy(page, name, order) {
  if ((await pressHead(page, name)) !== order) await pressHead(page, name, order);
}

/** Compares two names by their bytes, but compares numbers at the ends of the names by value. */
export function compareNaturally(a, b) {
  const parts = (name) => /^([^]*?)(\d*)$/.exec(name).slice(1);
  const [[x, m], [y, n]] = [parts(a), parts(b)];
  const number = (digits) => (digits === "" ? -1n : BigInt(digits));
  const bytes = (left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right));
  return bytes(x, y) || Number(number(m) - number(n)) || bytes(a, b);
}

/**
 * Opens the landing page without a fragment in the URL, so that no capture is open. A reload would open a stored capture
 * again.
 */
export async function openLandingPage(page) {
  const [url] = page.url().split("#");
  await page.goto("about:blank");
  await page.goto(url);
  await waitForApp(page);
}

/**
 * Makes the page open the next capture at the busiest step of its first device, and not at the mean. The options of the
 * command line for this step are `BUSIEST`.
 */
export async function askForBusiestStep(page) {
  await page.goto(`${page.url().split("#")[0]}#v=1&device=0&step=busiest&view=breakdown`);
}

/** The options of the command line for the busiest step of the first device. */
export const BUSIEST = ["--device", "0", "--step", "busiest"];
