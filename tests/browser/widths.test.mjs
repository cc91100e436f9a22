// These tests show every view at every width. Text may be cut only with an ellipsis, and figures and column heads not
// at all. Cells must stand below their heads, and no content may be wider than the window. Each test loads the page
// once, at one width.
import assert from "node:assert/strict";
import { onPage } from "./harness.mjs";
import { waitForTable, waitUntil } from "./lib.mjs";

const WIDTHS = [360, 390, 720, 1024, 1440, 1920, 2560, 3840];

/** Returns a description of each layout fault on screen, at most 12. */
const layoutFaults = (page) =>
  page.evaluate(() => {
    const descriptions = [];
    const report = (node, fault) => descriptions.push(`${fault}: “${node.textContent.trim().slice(0, 40)}”`);
    const isExempt = (node) => node.closest(".visually-hidden, [popover], dialog, .toasts, script, style, .patterns");
    // Find texts that are cut by a box around them or extend beyond the window.
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      const parent = text.parentElement;
      if (!text.data.trim() || isExempt(parent) || !parent.checkVisibility() || parent.closest("svg")) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const { left, right, width } = range.getBoundingClientRect();
      if (width === 0) continue;
      const mustBeWhole = parent.closest(".grid .num, .grid [role=columnheader], .figure dd, .part-time, .tree .num, .pickers");
      let isScrollable = false;
      let hasEllipsis = false;
      for (let box = parent; box && box !== document.body && !isScrollable; box = box.parentElement) {
        const style = getComputedStyle(box);
        hasEllipsis ||= style.textOverflow === "ellipsis" && style.overflowX !== "visible";
        isScrollable = ["auto", "scroll"].includes(style.overflowX);
        if (!["hidden", "clip"].includes(style.overflowX)) continue;
        const edge = box.getBoundingClientRect();
        if (right <= edge.right + 1 && left >= edge.left - 1) continue;
        if (hasEllipsis && !mustBeWhole) break;
        report(parent, `cut by ${box.className || box.tagName}`);
        break;
      }
      if (!isScrollable && !hasEllipsis && right > innerWidth + 1) report(parent, "beyond the window");
    }
    // Find texts that extend beyond their chart.
    for (const text of document.querySelectorAll("svg text")) {
      if (!text.checkVisibility()) continue;
      const box = text.getBoundingClientRect();
      const frame = (text.closest(".chart") ?? text.ownerSVGElement).getBoundingClientRect();
      if (box.right > frame.right + 2 || box.left < frame.left - 2) report(text, "beyond its chart");
    }
    // Find cells that do not stand below their heads.
    for (const grid of document.querySelectorAll(".grid")) {
      const leftEdges = (row) => [...row.children].map((cell) => Math.round(cell.getBoundingClientRect().left));
      const head = grid.querySelector(".grid-head .row");
      if (!head?.checkVisibility()) continue;
      const headLefts = leftEdges(head);
      for (const row of grid.querySelectorAll(".grid-body .row, .grid-foot .row")) {
        const misaligned = leftEdges(row).findIndex((left, index) => Math.abs(left - headLefts[index]) > 1);
        if (misaligned >= 0) report(row, `column ${misaligned} is ${leftEdges(row)[misaligned] - headLefts[misaligned]} px off`);
      }
    }
    if (document.documentElement.scrollWidth > innerWidth + 1) descriptions.push(`the page is ${document.documentElement.scrollWidth} px wide`);
    return [...new Set(descriptions)].slice(0, 12);
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
  timeline: async (page) => page.keyboard.press("6"),
  file: async (page) => page.keyboard.press("8"),
};

for (const width of WIDTHS) {
  onPage(`at ${width} pixels, no text is cut and columns line up`, { width, height: width < 720 ? 844 : 1000 }, async ({ page }) => {
    const faultsByState = {};
    const landingFaults = await layoutFaults(page);
    if (landingFaults.length) faultsByState.landing = landingFaults;
    // The text of the landing page keeps a readable width.
    const dropzoneWidth = (await page.locator(".dropzone").boundingBox()).width;
    if (dropzoneWidth < Math.min(500, width - 64)) faultsByState.dropzone = `the drop box is ${dropzoneWidth} px wide`;
    await page.keyboard.press("?");
    const overlappingKeys = await page.locator(".keys dl > div").evaluateAll((rows) =>
      rows.filter((row) => [...row.querySelectorAll("kbd")].some((key) => key.getBoundingClientRect().right > row.querySelector("dd").getBoundingClientRect().left)).map((row) => row.textContent));
    if (overlappingKeys.length) faultsByState.help = overlappingKeys;
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Open the sample" }).click();
    await waitForTable(page);
    for (const [name, reach] of Object.entries(VIEWS)) {
      await reach(page);
      await page.locator(name === "file" ? ".file-planes .tree-name" : "[role=grid][aria-busy=false] [role=columnheader]").first().waitFor();
      // Rows and charts appear after a moment, so only faults that remain after 2.5 s count.
      const found = await waitUntil(() => layoutFaults(page), (found) => found.length === 0, 2500).catch(() => layoutFaults(page));
      if (found.length) faultsByState[name] = found;
    }
    assert.deepEqual(faultsByState, {});
  });
}

onPage("on paper, charts fit the page, rows and totals are printed, notes come last, and controls are absent", {}, async ({ page }) => {
  await page.getByRole("button", { name: "Open the sample" }).click();
  await waitForTable(page);
  for (const key of ["2", "3", "4", "5"]) {
    await page.keyboard.press(key);
    await page.locator(".view .scene").first().waitFor();
    await page.locator("[role=grid] [data-row='0']").waitFor();
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 1040, height: 2400 });
    const shown = await page.evaluate(() => {
      const visible = (selector) => [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility({ visibilityProperty: true }));
      const bottom = (selector) => Math.max(...visible(selector).map((node) => node.getBoundingClientRect().bottom));
      return {
        wide: visible(".view .scene").map((node) => node.getBoundingClientRect().right).filter((right) => right > innerWidth),
        controls: visible(".view input, .view select, .view .segmented, .view .btn, .bar .icon-only").length,
        rows: visible(".grid-body .row").length,
        notesLast: Math.min(...visible(".notes .note").map((node) => node.getBoundingClientRect().top)) >= bottom(".grid-foot"),
        footer: getComputedStyle(document.querySelector(".grid-foot"), "::after").content,
      };
    });
    assert.deepEqual({ ...shown, rows: shown.rows > 0, footer: /rows are printed/.test(shown.footer) }, { wide: [], controls: 0, rows: true, notesLast: true, footer: true }, key);
    await page.emulateMedia({ media: "screen" });
    await page.setViewportSize({ width: 1440, height: 900 });
  }
});

onPage("at 390 pixels, the tab of the open view is in sight", { width: 390, height: 844 }, async ({ page }) => {
  await page.getByRole("button", { name: "Open the sample" }).click();
  await waitForTable(page);
  for (const [key, name] of [["6", "timeline"], ["8", "file"], ["5", "communication"], ["1", "overview"]]) {
    await page.keyboard.press(key);
    const isInSight = () => page.locator(`#tab-${name}`).evaluate((tab) => {
      const [own, list] = [tab, tab.parentElement].map((node) => node.getBoundingClientRect());
      return own.left >= Math.max(0, list.left) - 1 && own.right <= Math.min(innerWidth, list.right) + 1;
    });
    await waitUntil(isInSight);
    assert.equal(await page.locator(`#tab-${name}`).getAttribute("aria-selected"), "true");
  }
});
