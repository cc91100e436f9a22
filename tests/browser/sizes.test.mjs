// These tests check that no content is cut off or leaves the window, from 320 pixels to 4K, with text at 200 %, on
// paper and in forced colours.
import assert from "node:assert/strict";
import { synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, waitForPaint, waitForTable, waitUntil } from "./lib.mjs";
import { figures, heads, opPanel } from "./page_helpers.mjs";

/** Returns a description of each element that extends beyond the right edge of the window. */
const overflowingElements = (page) =>
  page.evaluate(() => {
    const windowWidth = document.documentElement.clientWidth;
    const isInScroller = (node) => node.closest(".grid, [role=tablist], .roofline-canvas, .comm-lanes, .comm-bandwidth, .found, .chart, .chart-table, .code, .timeline-buttons, .picker, [popover], svg, .visually-hidden");
    return [...document.querySelectorAll("body *")]
      .filter((node) => node.checkVisibility() && !isInScroller(node) && node.getBoundingClientRect().right > windowWidth + 1)
      .map((node) => `${node.tagName.toLowerCase()}.${node.className} ends at ${Math.round(node.getBoundingClientRect().right)} of ${windowWidth}`);
  });

/** Returns the texts of figures that are cut off. A figure must be shown in full or not at all. */
const clippedFigures = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".figure dd, .part-time, .grid .num, .tree .num")]
      .filter((node) => node.checkVisibility() && node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0)
      .map((node) => node.textContent),
  );

const SIZES = [
  [320, 640, "the narrowest width"],
  [360, 740, "a small phone"],
  [720, 450, "1440 × 900 with text at 200 %"],
  [1024, 700, "a tablet"],
  [1440, 900, "a laptop"],
  [2560, 1440, "a large screen"],
  [3840, 2160, "4K"],
];

for (const [width, height, description] of SIZES) {
  onPage(`at ${width} × ${height} pixels (${description}), no element leaves the window and no figure is clipped`, { width, height }, async ({ page }) => {
    await dropFiles(page, [synth()], { x: 100, y: 200 });
    await waitForTable(page);
    await waitForPaint(page);
    assert.deepEqual(await overflowingElements(page), []);
    assert.deepEqual(await clippedFigures(page), []);
    assert.ok(Object.keys(await figures(page)).length >= 4);
    const names = (await heads(page)).map((head) => head.name);
    assert.deepEqual(names.slice(0, 3), ["Op", "Self", "Step"]);
    if (width >= 2560) assert.ok(names.includes("Scope leaf") && names.includes("Shape"), `a wide window shows more columns: ${names}`);
    if (width < 720) assert.equal(names.length, 3);
    assert.equal(await page.locator("#columns-button").count(), width < 720 ? 0 : 1, "only a wide window has the column chooser");
    for (const picture of ["Steps", "Devices"]) {
      await page.getByRole("button", { name: picture, exact: true }).click();
      await page.locator(".scene").waitFor();
      assert.deepEqual(await overflowingElements(page), [], picture);
    }
    await page.getByRole("button", { name: "Non-compute", exact: true }).click();
    await page.locator(".data-movement .tree-name").first().click();
    await page.locator(".data-movement .tree-group + *").first().waitFor();
    assert.deepEqual([await overflowingElements(page), await clippedFigures(page)], [[], []], "non-compute");
    await page.getByRole("button", { name: "Idle", exact: true }).click();
    await page.locator(".picture-tree:not(.data-movement) .tree-name").first().click();
    await page.locator(".picture-tree .leaf").first().waitFor();
    assert.deepEqual([await overflowingElements(page), await clippedFigures(page)], [[], []], "idle");
    await page.locator("[data-row='0'] [data-column='0']").focus();
    await page.keyboard.press("Enter");
    await opPanel(page).getByRole("button", { name: "Graph", exact: true }).click();
    await page.locator(".graph .scene rect").first().waitFor();
    assert.deepEqual(await overflowingElements(page), [], "graph");
    await page.getByRole("button", { name: "Close the graph" }).click();
    await opPanel(page).getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("tab", { name: "Roofline" }).click();
    await page.locator(".roofline .scene").waitFor();
    await page.locator(".roofline-table").evaluate((table) => table.scrollIntoView());
    await page.locator(".roofline-table [data-row='0']").waitFor();
    assert.deepEqual([await overflowingElements(page), await clippedFigures(page)], [[], []], "roofline");
    await page.getByRole("tab", { name: "Memory" }).click();
    await page.locator(".memory").waitFor();
    assert.deepEqual([await overflowingElements(page), await clippedFigures(page)], [[], []], "memory");
    await page.getByRole("tab", { name: "Communication" }).click();
    await page.locator(".comm-steps .scene :is(rect, path)").first().waitFor();
    assert.deepEqual([await overflowingElements(page), await clippedFigures(page)], [[], []], "communication");
    await page.getByRole("button", { name: "Bandwidth", exact: true }).click();
    await page.locator(".comm-bandwidth .scene").waitFor();
    assert.deepEqual([await overflowingElements(page), await clippedFigures(page)], [[], []], "bandwidth");
    await page.getByRole("tab", { name: "Timeline" }).click();
    await page.locator(".timeline-sums").evaluate((rows) => rows.scrollIntoView());
    await page.locator(".timeline-sums [data-row='0']").waitFor();
    await page.locator("#timeline-canvas").focus();
    await page.keyboard.press("ArrowRight");
    await page.locator(".timeline-event dl").waitFor();
    assert.deepEqual([await overflowingElements(page), await clippedFigures(page)], [[], []], "timeline");
    await page.getByRole("tab", { name: "File" }).click();
    await page.locator(".code-line code").first().waitFor();
    await page.locator(".file-planes .tree-name").first().click();
    await page.locator(".file-planes .leaf").first().waitFor();
    assert.deepEqual([await overflowingElements(page), await clippedFigures(page)], [[], []], "file");
  });
}

onPage("a printed page is light and has figures and rows but no controls", { theme: "dark" }, async ({ page }) => {
  await dropFiles(page, [synth()]);
  await waitForTable(page);
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  for (const selector of [".tools", ".picture-head .segmented", ".btn.icon-only"]) assert.equal(await page.locator(selector).first().isVisible(), false, selector);
  for (const selector of [".figure.hero", ".stack svg", "[data-row='0']", ".grid-foot"]) assert.ok(await page.locator(selector).first().isVisible(), selector);
});

onPage("on paper, no text of a dark page has the colour of its ground", { theme: "dark" }, async ({ page }) => {
  await page.getByRole("button", { name: "Open the sample" }).click();
  await waitForTable(page);
  await page.emulateMedia({ media: "print" });
  // The tokens of the dark theme are for screens.
  const token = (name) => page.evaluate((name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim(), name);
  assert.deepEqual([await token("--ground"), await token("--hover"), await token("--ink")], ["#fff", "#eef0f3", "#15181c"]);
  for (const key of ["1", "2", "3", "4", "5"]) {
    await page.keyboard.press(key);
    await waitForPaint(page);
    await waitUntil(() => page.locator("svg rect").count(), (n) => n > 3);
    const faint = await page.evaluate(() => {
      const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
      const luminance = (color) => {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = color;
        context.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((n) => ((n / 255 + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      const found = [];
      for (const text of document.querySelectorAll(".chart svg text")) {
        if (!text.checkVisibility() || text.classList.contains("halo")) continue;
        const { left, top, right, bottom } = text.getBoundingClientRect();
        const [x, y] = [(left + right) / 2, (top + bottom) / 2];
        // The ground of a text is the last rectangle before it that holds its middle.
        let ground = "#ffffff";
        for (const rect of text.ownerSVGElement.querySelectorAll("rect")) {
          if (!(rect.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
          const box = rect.getBoundingClientRect();
          const fill = getComputedStyle(rect).fill;
          if (box.left <= x && x <= box.right && box.top <= y && y <= box.bottom && fill.startsWith("rgb")) ground = fill;
        }
        const ratio = contrast(luminance(getComputedStyle(text).fill), luminance(ground));
        if (ratio < 3) found.push(`${text.textContent}: ${ratio.toFixed(2)} on ${ground}`);
      }
      return found.slice(0, 5);
    });
    assert.deepEqual(faint, [], `view ${key}`);
  }
});

onPage("at 390 px, the tab of the view that is shown is visible", { width: 390, height: 844 }, async ({ page }) => {
  await page.getByRole("button", { name: "Open the sample" }).click();
  await page.getByRole("tab").first().waitFor();
  for (const key of ["8", "5", "6", "7", "1"]) {
    await page.keyboard.press(key);
    await waitUntil(
      () =>
        page.evaluate(() => {
          const tab = document.querySelector(".tab[aria-selected=true]").getBoundingClientRect();
          const list = document.querySelector(".tabs [role=tablist]").getBoundingClientRect();
          return tab.left >= list.left - 1 && tab.right <= list.right + 1;
        }),
      (isVisible) => isVisible,
    );
  }
});

onPage("in forced colours, a pressed button has an outline and charts keep their colours", { forcedColors: "active" }, async ({ page }) => {
  await dropFiles(page, [synth()]);
  await waitForTable(page);
  const outlineStyle = (selector) => page.locator(selector).first().evaluate((node) => getComputedStyle(node).outlineStyle);
  assert.equal(await outlineStyle(".segmented button[aria-pressed=true]"), "solid");
  assert.equal(await page.locator(".scene").evaluate((node) => getComputedStyle(node).forcedColorAdjust), "none");
});

onPage("reduced motion turns off transitions, and more contrast makes lines as strong as edges", { reducedMotion: "reduce", contrast: "more" }, async ({ page }) => {
  await dropFiles(page, [synth()]);
  await waitForTable(page);
  const token = (name) => page.evaluate((name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim(), name);
  assert.equal(parseFloat(await token("--calm")), 0);
  assert.equal(await token("--line"), await token("--edge"));
});
