// These tests show every view at every width. Text may be cut only with an ellipsis, and figures and column heads not
// at all. Cells must stand below their heads, and no content may be wider than the window. Each test loads the page
// once, at one width.
import assert from "node:assert/strict";
import { onPage } from "./harness.mjs";
import { opened, until } from "./lib.mjs";

const WIDTHS = [360, 390, 720, 1024, 1440, 1920, 2560, 3840];

/** Returns a description of each layout fault on screen, at most 12. */
const faults = (page) =>
  page.evaluate(() => {
    const found = [];
    const say = (node, what) => found.push(`${what}: “${node.textContent.trim().slice(0, 40)}”`);
    const passes = (node) => node.closest(".visually-hidden, [popover], dialog, .toasts, script, style, .patterns");
    // Find texts that are cut by a box around them or extend beyond the window.
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walk.nextNode(); text; text = walk.nextNode()) {
      const parent = text.parentElement;
      if (!text.data.trim() || passes(parent) || !parent.checkVisibility() || parent.closest("svg")) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const { left, right, width } = range.getBoundingClientRect();
      if (width === 0) continue;
      const whole = parent.closest(".grid .num, .grid [role=columnheader], .figure dd, .part-time, .tree .num, .pickers");
      let scrolls = false;
      let ends = false;
      for (let box = parent; box && box !== document.body && !scrolls; box = box.parentElement) {
        const style = getComputedStyle(box);
        ends ||= style.textOverflow === "ellipsis" && style.overflowX !== "visible";
        scrolls = ["auto", "scroll"].includes(style.overflowX);
        if (!["hidden", "clip"].includes(style.overflowX)) continue;
        const edge = box.getBoundingClientRect();
        if (right <= edge.right + 1 && left >= edge.left - 1) continue;
        if (ends && !whole) break;
        say(parent, `cut by ${box.className || box.tagName}`);
        break;
      }
      if (!scrolls && !ends && right > innerWidth + 1) say(parent, "beyond the window");
    }
    // Find texts that extend beyond their chart.
    for (const text of document.querySelectorAll("svg text")) {
      if (!text.checkVisibility()) continue;
      const box = text.getBoundingClientRect();
      const frame = (text.closest(".chart") ?? text.ownerSVGElement).getBoundingClientRect();
      if (box.right > frame.right + 2 || box.left < frame.left - 2) say(text, "beyond its chart");
    }
    // Find cells that do not stand below their heads.
    for (const grid of document.querySelectorAll(".grid")) {
      const lefts = (row) => [...row.children].map((cell) => Math.round(cell.getBoundingClientRect().left));
      const head = grid.querySelector(".grid-head .row");
      if (!head?.checkVisibility()) continue;
      const wanted = lefts(head);
      for (const row of grid.querySelectorAll(".grid-body .row, .grid-foot .row")) {
        const off = lefts(row).findIndex((left, at) => Math.abs(left - wanted[at]) > 1);
        if (off >= 0) say(row, `column ${off} is ${lefts(row)[off] - wanted[off]} px off`);
      }
    }
    if (document.documentElement.scrollWidth > innerWidth + 1) found.push(`the page is ${document.documentElement.scrollWidth} px wide`);
    return [...new Set(found)].slice(0, 12);
  });

/** The actions that open each view. */
const VIEWS = {
  breakdown: async (page) => page.keyboard.press("2"),
  ...Object.fromEntries(
    Object.entries({ "by scope": "t", "by source": "s", "by deduplicated op": "d" }).map(([name, key]) => [
      name,
      async (page) => {
        await page.keyboard.press("2");
        await page.keyboard.press("g");
        await page.keyboard.press(key);
      },
    ]),
  ),
  roofline: async (page) => page.keyboard.press("3"),
  memory: async (page) => page.keyboard.press("4"),
  communication: async (page) => page.keyboard.press("5"),
  file: async (page) => page.keyboard.press("8"),
};

for (const width of WIDTHS) {
  onPage(`${width} px: nothing is cut, columns line up`, { width, height: width < 720 ? 844 : 1000 }, async ({ page }) => {
    const wrong = {};
    const landing = await faults(page);
    if (landing.length) wrong.landing = landing;
    // The text of the landing page keeps a readable width.
    const words = (await page.locator(".dropzone").boundingBox()).width;
    if (words < Math.min(500, width - 64)) wrong.words = `the drop box is ${words} px wide`;
    await page.keyboard.press("?");
    const help = await page.locator(".keys dl > div").evaluateAll((rows) =>
      rows.filter((row) => [...row.querySelectorAll("kbd")].some((key) => key.getBoundingClientRect().right > row.querySelector("dd").getBoundingClientRect().left)).map((row) => row.textContent));
    if (help.length) wrong.help = help;
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Open the sample" }).click();
    await opened(page);
    for (const [name, reach] of Object.entries(VIEWS)) {
      await reach(page);
      await page.locator(name === "file" ? ".file-planes .tree-name" : "[role=grid][aria-busy=false] [role=columnheader]").first().waitFor();
      // Rows and charts appear after a moment, so only faults that remain after 2.5 s count.
      const found = await until(() => faults(page), (found) => found.length === 0, 2500).catch(() => faults(page));
      if (found.length) wrong[name] = found;
    }
    assert.deepEqual(wrong, {});
  });
}

onPage("on paper: charts fit the page, rows and totals are there, notes come last, no controls", {}, async ({ page }) => {
  await page.getByRole("button", { name: "Open the sample" }).click();
  await opened(page);
  for (const key of ["2", "3", "4", "5"]) {
    await page.keyboard.press(key);
    await page.locator(".view .scene").first().waitFor();
    await page.locator("[role=grid] [data-row='0']").waitFor();
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 1040, height: 2400 });
    const seen = await page.evaluate(() => {
      const there = (selector) => [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility({ visibilityProperty: true }));
      const bottom = (selector) => Math.max(...there(selector).map((node) => node.getBoundingClientRect().bottom));
      return {
        wide: there(".view .scene").map((node) => node.getBoundingClientRect().right).filter((right) => right > innerWidth),
        controls: there(".view input, .view select, .view .segmented, .view .btn, .bar .icon-only").length,
        rows: there(".grid-body .row").length,
        notesLast: Math.min(...there(".notes .note").map((node) => node.getBoundingClientRect().top)) >= bottom(".grid-foot"),
        says: getComputedStyle(document.querySelector(".grid-foot"), "::after").content,
      };
    });
    assert.deepEqual({ ...seen, rows: seen.rows > 0, says: /rows are printed/.test(seen.says) }, { wide: [], controls: 0, rows: true, notesLast: true, says: true }, key);
    await page.emulateMedia({ media: "screen" });
    await page.setViewportSize({ width: 1440, height: 900 });
  }
});
