// This test uses the whole breakdown with the keyboard alone, from choosing a file to saving a table. It reaches each
// control as a person would, by Tab, arrows and single keys, and never uses the mouse.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { waitForTable, waitUntil } from "./lib.mjs";
import { figures, grid, heads, rowCount, waitForRows } from "./page_helpers.mjs";

const pressKeys = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};

/** Describes the focused element: "cell" or "head" of the table, otherwise its role (or tag) and its label or text. */
const focusedElement = (page) => page.evaluate(() => {
  const element = document.activeElement;
  if (element.dataset?.column !== undefined) return element.closest("[data-row]") ? "cell" : "head";
  return `${element.getAttribute("role") ?? element.tagName} ${element.getAttribute("aria-label") ?? element.textContent}`.replace(/\s+/g, " ").trim().slice(0, 80);
});

/** Presses Tab (or another `key`) until the description of the focused element matches `pattern`. */
async function tabTo(page, pattern, key = "Tab") {
  const stops = [];
  for (let i = 0; i < 60; i += 1) {
    await pressKeys(page, key);
    const stop = await focusedElement(page);
    if (pattern.test(stop)) return stop;
    stops.push(stop);
    // A group of buttons is one Tab stop. The arrow keys move within the group, and wrap around.
    for (let last = ""; /^button /i.test(stop); ) {
      await pressKeys(page, "ArrowRight");
      const next = await focusedElement(page);
      if (pattern.test(next)) return next;
      if (next === stop || next === last) break;
      last = next;
    }
  }
  assert.fail(`${pattern} is not reached: ${stops.join(" | ")}`);
}

const waitForUrl = (page, pattern) => waitUntil(() => page.url(), (url) => pattern.test(url));

onPage("the whole breakdown can be used with the keyboard alone", { timeout: 240_000 }, async ({ page }) => {
  await page.evaluate(() => {
    window.pointerdownCount = 0;
    // A click by Enter or Space has no pointerdown event before it.
    addEventListener("pointerdown", () => (window.pointerdownCount += 1), true);
  });

  // Choose a file.
  const chooser = page.waitForEvent("filechooser");
  await tabTo(page, /Choose files/);
  await pressKeys(page, "Enter");
  await (await chooser).setFiles([synth()]);
  await waitForTable(page);

  // Choose a device and a step in the bar.
  await tabTo(page, /^button Device /i);
  await pressKeys(page, "Enter");
  await page.locator("#device [role=listbox]:focus").waitFor();
  await pressKeys(page, "End", "Enter");
  await waitForUrl(page, /device=/);
  await pressKeys(page, "{");
  await tabTo(page, /^button Mean step of \d+ steps/i);
  await pressKeys(page, "Enter");
  await page.locator("#step [role=listbox]:focus").waitFor();
  await pressKeys(page, "End", "Enter");
  await waitForRows(page);
  const step = Object.keys(await figures(page))[0];
  assert.match(step, /^Step \d+/);

  // Show the formula of a figure, and close it.
  await tabTo(page, /^button How /i);
  await pressKeys(page, "Enter");
  const formulaPanel = page.locator("[popover]:popover-open, [role=dialog]:visible").first();
  await formulaPanel.waitFor();
  await pressKeys(page, "Escape");
  await formulaPanel.waitFor({ state: "hidden" });

  // Choose a kind in the bar of parts: the table shows only its rows. Then show all rows again.
  const allCount = await rowCount(page);
  await tabTo(page, /^button Compute/i);
  await pressKeys(page, "Enter");
  const kindCount = await waitUntil(() => rowCount(page), (n) => n < allCount);
  await waitForUrl(page, /kind=/);
  await pressKeys(page, "Escape");
  await waitUntil(() => rowCount(page), (n) => n === allCount);

  // Change the grouping, then filter the rows.
  await pressKeys(page, "g", "c");
  await page.getByRole("grid", { name: "Time by category" }).waitFor();
  await pressKeys(page, "g", "o");
  await page.getByRole("grid", { name: "Time by op" }).waitFor();
  await pressKeys(page, "/");
  await page.keyboard.type("kda");
  const filteredCount = await waitUntil(() => rowCount(page), (n) => n < allCount);
  await pressKeys(page, "Enter");
  await waitForUrl(page, /filter=kda/);
  await pressKeys(page, "Escape");
  await waitUntil(() => rowCount(page), (n) => n === allCount);
  // A second Escape leaves the field.
  await pressKeys(page, "Escape");
  assert.ok(filteredCount > 0 && kindCount > 0);

  // In the chart of scopes, zoom into a cell and out again, then choose a scope and drop the choice.
  await pressKeys(page, "g", "t");
  await page.getByRole("grid", { name: "Time by scope" }).waitFor();
  await tabTo(page, /Self time by scope path/);
  await pressKeys(page, "ArrowDown", "ArrowDown", "+");
  await waitForUrl(page, /zoom=/);
  await pressKeys(page, "0");
  await waitUntil(() => page.url(), (url) => !/zoom=/.test(url));
  await pressKeys(page, "ArrowDown", "ArrowDown", "Enter");
  await waitForUrl(page, /&scope=/);
  await pressKeys(page, "Escape", "Escape");
  await waitUntil(() => page.url(), (url) => !/&scope=/.test(url));

  // Change the columns in the chooser.
  await pressKeys(page, "g", "o");
  await page.getByRole("grid", { name: "Time by op" }).waitFor();
  await waitForRows(page);
  const before = (await heads(page)).length;
  await pressKeys(page, "c");
  await waitUntil(() => focusedElement(page), (focused) => /menuitemcheckbox|checkbox|INPUT/.test(focused));
  await pressKeys(page, "End", "Space");
  await waitUntil(async () => (await heads(page)).length, (n) => n !== before);
  await pressKeys(page, "Escape");

  // In the table, sort, open a head's menu, select two rows, copy them, and save the table.
  await tabTo(page, /^(cell|head)$/);
  await pressKeys(page, "Home", "ArrowUp");
  await waitUntil(() => focusedElement(page), (focused) => focused === "head");
  await pressKeys(page, "ArrowRight", "Enter");
  await waitForUrl(page, /sort=/);
  await pressKeys(page, "Alt+ArrowDown");
  await waitUntil(() => focusedElement(page), (focused) => focused.startsWith("menuitem"));
  await pressKeys(page, "Escape");
  await waitUntil(() => focusedElement(page), (focused) => focused === "head");
  await pressKeys(page, "ArrowDown", "Space", "ArrowDown", "Space");
  await waitForUrl(page, /sel=[^&]+,/);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await pressKeys(page, "y");
  const copied = await waitUntil(() => page.evaluate(() => navigator.clipboard.readText()));
  assert.equal(copied.trim().split("\n").length, 3, "the clipboard has a head and two rows");
  await pressKeys(page, "e");
  await waitUntil(() => focusedElement(page), (focused) => focused.startsWith("menuitem"));
  const saved = page.waitForEvent("download");
  for (let i = 0; i < 12 && !/CSV/.test(await focusedElement(page)); i += 1) await pressKeys(page, "ArrowDown");
  await pressKeys(page, "Enter");
  const text = await readFile(await (await saved).path(), "utf8");
  assert.ok(text.split("\n").length > allCount, "the file has all rows");

  // Open an op's panel, and return to its row.
  await tabTo(page, /^cell$/, "Shift+Tab");
  await pressKeys(page, "Enter");
  await waitUntil(() => page.evaluate(() => document.activeElement.id), (id) => id === "op-name");
  await page.locator(".panel-hlo").first().waitFor();
  await pressKeys(page, "Escape");
  await waitUntil(() => focusedElement(page), (focused) => focused === "cell");

  // Open help, change the theme, then go back in the history.
  await pressKeys(page, "?");
  await page.getByRole("dialog").waitFor();
  await pressKeys(page, "Escape");
  await pressKeys(page, "t");
  await waitUntil(() => page.locator("html").getAttribute("data-theme"), (theme) => theme === "light");
  const urlBefore = page.url();
  await page.goBack(); // The key of the browser for Back has no effect in a headless browser.
  await waitUntil(() => page.url(), (url) => url !== urlBefore);
  assert.equal(await page.evaluate(() => window.pointerdownCount), 0, "the mouse was not used");
  assert.ok(await grid(page).isVisible());
});
