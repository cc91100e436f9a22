// Tests the page without a mouse: the order of Tab stops, navigation in the table, single-key shortcuts, Esc.
import assert from "node:assert/strict";
import { synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { opened, pickFiles, reload, until } from "./lib.mjs";
import { figures, grid, heads, rowCount, settled } from "./reading.mjs";

/**
 * Returns the focused element: "cell ROW,COLUMN" or "head COLUMN" in the table, otherwise its label or text; "" when
 * none is focused.
 */
const focus = (page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    if (at === document.body) return "";
    const row = at.closest("[data-row]")?.dataset.row;
    if (row !== undefined) return `cell ${row},${at.dataset.column}`;
    if (at.dataset?.column !== undefined) return `head ${at.dataset.column}`;
    return (at.getAttribute("aria-label") ?? at.textContent).replace(/\s+/g, " ").trim();
  });

async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
}

/** Presses Tab until the focus returns to the first stop or leaves the page. Returns the stops in order. */
async function walk(page) {
  const stops = [];
  for (let at = 0; at < 60; at += 1) {
    await press(page, "Tab");
    const stop = await focus(page);
    if (stop === stops[0] || (stop === "" && stops.length > 0)) break;
    stops.push(stop);
  }
  return stops;
}

async function start(page) {
  await pickFiles(page, [synth()]);
  await opened(page);
  await page.locator("body").click({ position: { x: 2, y: 2 } });
}

const grouped = (page, by) => page.getByRole("grid", { name: `Time by ${by}` }).waitFor();
const hero = (page, label) => until(async () => Object.keys(await figures(page))[0], (is) => is === label);

onPage("the landing page: every control is a stop, in the order it is read", async ({ page }) => {
  assert.deepEqual(await walk(page), ["Theme: as the system. Switch", "Choose files", "Choose a folder", "Open the sample"]);
});

onPage("a breakdown: from the bar to the table, which is one stop; groups of buttons are one each", async ({ page }) => {
  await start(page);
  const stops = await walk(page);
  const order = [/^File /, /^Breakdown/, /notes?$/, /^How /, /%,/, /^Op$/, /^Filter ops$/, /^cell 0,0$/];
  const places = order.map((wanted) => stops.findIndex((stop) => wanted.test(stop)));
  assert.ok(places.every((place) => place >= 0), `${order[places.indexOf(-1)]} is no stop: ${stops.join(" | ")}`);
  assert.deepEqual(places, [...places].sort((a, b) => a - b), stops.join(" | "));
  assert.equal(stops.filter((stop) => /^(cell|head)/.test(stop)).length, 1, "the table is one stop");
  assert.ok(places.at(-1) <= 12, `${places.at(-1)} stops before the table: ${stops.join(" | ")}`);
});

onPage("arrows, Home and End go within a group, and Tab comes back to where one was in it", async ({ page }) => {
  await start(page);
  const is = (wanted) => until(() => focus(page), (now) => wanted.test(now));
  await press(page, "Tab");
  await is(/^File /);
  await press(page, "ArrowRight");
  await is(/^Device /);
  await press(page, "ArrowRight", "ArrowRight");
  await is(/of \d+ steps$/);
  await press(page, "End");
  await is(/^Keys and help/);
  await press(page, "ArrowRight");
  await is(/^File /);
  await press(page, "ArrowLeft", "Tab");
  await is(/^Breakdown/);
  await press(page, "Shift+Tab");
  await is(/^Keys and help/);
  await page.getByRole("group", { name: "Group by" }).getByRole("button", { name: "Op", exact: true }).focus();
  await press(page, "ArrowRight", "Enter");
  await settled(page);
  assert.equal(await page.getByRole("group", { name: "Group by" }).locator("[aria-pressed=true]").innerText(), await focus(page));
});

for (const [key, view, end] of [
  ["2", ".breakdown", "[role=grid]"],
  ["3", ".roofline-table", "[role=grid]"],
  ["4", ".memory", "[role=grid]"],
  ["5", ".comm", "[role=grid]"],
  ["8", ".file", "table, .code"],
]) {
  onPage(`at most 12 stops before the table of view ${key}`, async ({ page }) => {
    await page.getByRole("button", { name: "Open the sample" }).click();
    await opened(page);
    await press(page, key);
    const rows = end === "[role=grid]" ? `${view} [role=grid] [data-row='0']` : `${view} table, ${view} .code`;
    await page.locator(rows).first().waitFor();
    await page.locator("body").click({ position: { x: 2, y: 2 } });
    const stops = [];
    const isThere = () => page.evaluate((end) => Boolean(document.activeElement.closest(end)), end);
    for (let at = 0; at < 40; at += 1) {
      await press(page, "Tab");
      if (await isThere()) break;
      stops.push(await focus(page));
    }
    assert.ok(await isThere(), `the table is no stop: ${stops.join(" | ")}`);
    assert.ok(stops.length <= 12, `${stops.length} stops: ${stops.join(" | ")}`);
    // Each group has the attribute data-roving. At most one visible button of a group may be a Tab stop.
    const several = await page.evaluate(() =>
      [...document.querySelectorAll("[data-roving]")]
        .map((group) => [...group.querySelectorAll("button:not([tabindex='-1'], [disabled])")].filter((one) => one.offsetParent && !one.closest("[popover], [role=tablist], [role=menu], [role=grid]")))
        .filter((stops) => stops.length > 1)
        .map((stops) => stops.map((stop) => stop.ariaLabel ?? stop.textContent)));
    assert.deepEqual(several, []);
  });
}

onPage("arrows, Page, Home and End walk the table; Enter on a head sorts", async ({ page }) => {
  await start(page);
  await page.locator("[data-row='0'] [data-column='0']").focus();
  const goes = async (key, to) => {
    await press(page, key);
    await until(() => focus(page), (is) => is === to);
  };
  await goes("ArrowDown", "cell 1,0");
  await goes("ArrowRight", "cell 1,1");
  await goes("ArrowLeft", "cell 1,0");
  await goes("ArrowLeft", "cell 1,0");
  const last = (await rowCount(page)) - 1;
  await goes("End", `cell ${last},0`);
  await goes("ArrowDown", `cell ${last},0`);
  const box = await page.locator(`[data-row='${last}']`).boundingBox();
  const foot = await page.locator(".grid-foot").boundingBox();
  assert.ok(box.y + box.height <= foot.y + 1, "the last row is clear of the foot");
  await goes("Home", "cell 0,0");
  await press(page, "PageDown");
  const at = Number((await until(() => focus(page), (is) => is !== "cell 0,0")).match(/\d+/)[0]);
  assert.ok(at > 3, `a page is more than ${at} rows`);
  await goes("PageUp", "cell 0,0");
  await goes("ArrowUp", "head 0");
  await goes("ArrowRight", "head 1");
  await press(page, "Enter");
  const self = async () => (await heads(page)).find((head) => head.name === "Self").order;
  await until(self, (order) => order === "ascending");
  assert.equal(await focus(page), "head 1", "the focus stays on the head");
  await press(page, "s");
  await until(self, (order) => order === "descending");
  await press(page, "Shift+S");
  await until(self, (order) => order === "ascending");
  await goes("ArrowDown", "cell 0,1");
});

onPage("a pressed cell has the focus, and arrows go on from it", async ({ page }) => {
  await start(page);
  await page.locator("[data-row='3'] [data-column='1']").click();
  await until(() => focus(page), (is) => is === "cell 3,1");
  await press(page, "ArrowDown");
  await until(() => focus(page), (is) => is === "cell 4,1");
});

onPage("the focus stays in the table when rows change", async ({ page }) => {
  await start(page);
  await page.locator("[data-row='3'] [data-column='1']").click();
  await until(() => focus(page), (is) => is === "cell 3,1");
  await press(page, "Shift+S");
  const self = async () => (await heads(page)).find((head) => head.name === "Self").order;
  await until(self, (order) => order === "ascending");
  // A new sort order moves the focus to the first row.
  await until(() => focus(page), (is) => is === "cell 0,1");
  await press(page, "End");
  const far = await until(() => focus(page), (is) => /^cell \d+,1$/.test(is) && is !== "cell 0,1");
  await press(page, "]");
  await settled(page);
  await until(() => focus(page), (is) => is === "cell 0,1");
  assert.notEqual(far, "cell 0,1");
});

onPage("g and a letter groups", async ({ page }) => {
  await start(page);
  for (const [key, by] of [["c", "category"], ["k", "kind"], ["s", "source"], ["p", "program"], ["o", "op"]]) {
    await press(page, "g", key);
    await grouped(page, by);
    await settled(page);
  }
  // Without g before it, a grouping letter does nothing.
  await press(page, "c");
  await settled(page);
  await grouped(page, "op");
});

onPage("brackets go to the next step, braces to the next device", async ({ page }) => {
  await start(page);
  await page.locator("#step-button").focus();
  await press(page, "Enter");
  await page.locator("#step [role=listbox]:focus").waitFor();
  await press(page, "Home", "ArrowDown", "ArrowDown", "Enter");
  const first = await until(async () => Object.keys(await figures(page))[0], (is) => is === "Step 11");
  await press(page, "]");
  await hero(page, "Step 12");
  await press(page, "[");
  await hero(page, first);
  const device = () => page.locator("#device-button").getAttribute("aria-label");
  const one = await device();
  await press(page, "}");
  const two = await until(device, (is) => is !== one);
  await press(page, "{");
  await until(device, (is) => is === one);
  assert.notEqual(one, two);
});

onPage("t, n, ? and Esc", async ({ page }) => {
  await start(page);
  const theme = () => page.locator("html").getAttribute("data-theme");
  await press(page, "t");
  await until(theme, (is) => is === "light");
  await press(page, "t");
  await until(theme, (is) => is === "dark");
  await press(page, "t");
  await until(theme, (is) => is === null);
  await press(page, "?");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  // The dialog lists the keys. Single-key shortcuts are disabled while it is open.
  assert.match(await dialog.innerText(), /group by category/);
  await press(page, "t");
  assert.equal(await theme(), null);
  await press(page, "Escape");
  await dialog.waitFor({ state: "hidden" });
  const notes = page.locator("#notes");
  if (await notes.count()) {
    await press(page, "n");
    await notes.waitFor();
    await press(page, "n");
    await notes.waitFor({ state: "hidden" });
  }
});

onPage("a picker gives the focus back; its list is walked with arrows", async ({ page }) => {
  await start(page);
  await page.locator("#device-button").focus();
  await press(page, "Enter");
  const list = page.locator("#device").getByRole("listbox");
  await list.waitFor();
  await until(() => list.evaluate((node) => node === document.activeElement));
  await press(page, "End");
  const active = await list.getAttribute("aria-activedescendant");
  assert.match(await page.locator(`#${active}`).innerText(), /TPU:1/);
  await press(page, "Escape");
  await list.waitFor({ state: "hidden" });
  assert.match(await focus(page), /^Device /);
  await press(page, "Enter");
  await page.locator("#device [role=listbox]:focus").waitFor();
  await press(page, "End", "Enter");
  await until(() => page.locator("#device-button").getAttribute("aria-label"), (is) => /TPU:1/.test(is));
});

onPage("single keys can be turned off, and stay off", async ({ page }) => {
  await start(page);
  await press(page, "?");
  await page.getByRole("checkbox").uncheck();
  await press(page, "Escape");
  await press(page, "g", "c");
  await press(page, "t");
  await settled(page);
  assert.equal(await grid(page).getAttribute("aria-label"), "Time by op");
  assert.equal(await page.locator("html").getAttribute("data-theme"), null);
  await reload(page);
  await start(page);
  await press(page, "g", "c");
  await settled(page);
  assert.equal(await grid(page).getAttribute("aria-label"), "Time by op");
});

onPage("the focus is seen", async ({ page }) => {
  await start(page);
  for (let at = 0; at < 12; at += 1) {
    await press(page, "Tab");
    // The page may have fewer than 12 stops. After the last one, Tab leaves the page for the browser's own controls.
    if (await page.evaluate(() => document.activeElement === document.body)) {
      assert.ok(at >= 8, `the page has only ${at} stops`);
      break;
    }
    const outline = await page.evaluate(() => {
      const element = document.activeElement;
      // A chart draws its own focus ring around the mark that has the keyboard; a field has the ring on its outer
      // element.
      if (element.querySelector(".chart-focus")) return true;
      return [element, element.closest(".field")].some((one) => {
        const style = one && getComputedStyle(one);
        return style && (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none" || style.stroke !== "none");
      });
    });
    assert.ok(outline, `${await focus(page)} shows no focus`);
  }
});
