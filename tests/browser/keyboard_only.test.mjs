// This test walks through the whole breakdown with the keyboard alone, from choosing a file to saving a table. It
// reaches each control as a person would, by Tab, arrows and single keys, and never uses the mouse.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { opened, until } from "./lib.mjs";
import { figures, grid, heads, rowCount, settled } from "./reading.mjs";

const press = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key);
};

/** Describes the focused element: "cell" or "head" of the table, otherwise its role (or tag) and its label or text. */
const focus = (page) => page.evaluate(() => {
  const at = document.activeElement;
  if (at.dataset?.column !== undefined) return at.closest("[data-row]") ? "cell" : "head";
  return `${at.getAttribute("role") ?? at.tagName} ${at.getAttribute("aria-label") ?? at.textContent}`.replace(/\s+/g, " ").trim().slice(0, 80);
});

/** Presses Tab (or another `key`) until the description of the focused element matches `wanted`. */
async function tabTo(page, wanted, key = "Tab") {
  const seen = [];
  for (let at = 0; at < 60; at += 1) {
    await press(page, key);
    const stop = await focus(page);
    if (wanted.test(stop)) return stop;
    seen.push(stop);
    // A group of buttons is one Tab stop. The arrow keys move within the group, and wrap around.
    for (let last = ""; /^button /i.test(stop); ) {
      await press(page, "ArrowRight");
      const next = await focus(page);
      if (wanted.test(next)) return next;
      if (next === stop || next === last) break;
      last = next;
    }
  }
  assert.fail(`${wanted} is not reached: ${seen.join(" | ")}`);
}

const address = (page, wanted) => until(() => page.url(), (url) => wanted.test(url));

onPage("the whole breakdown, by keyboard alone", { timeout: 240_000 }, async ({ page }) => {
  await page.evaluate(() => {
    window.pointed = 0;
    // A click by Enter or Space has no pointerdown event before it.
    addEventListener("pointerdown", () => (window.pointed += 1), true);
  });

  // Choose a file.
  const chooser = page.waitForEvent("filechooser");
  await tabTo(page, /Choose files/);
  await press(page, "Enter");
  await (await chooser).setFiles([synth()]);
  await opened(page);

  // Choose a device and a step in the bar.
  await tabTo(page, /^button Device /i);
  await press(page, "Enter");
  await page.locator("#device [role=listbox]:focus").waitFor();
  await press(page, "End", "Enter");
  await address(page, /device=/);
  await press(page, "{");
  await tabTo(page, /of \d+ steps/);
  await press(page, "Enter");
  await page.locator("#step [role=listbox]:focus").waitFor();
  await press(page, "End", "Enter");
  await settled(page);
  const step = Object.keys(await figures(page))[0];
  assert.match(step, /^Step \d+/);

  // Show the formula of a figure, and close it.
  await tabTo(page, /^button How /i);
  await press(page, "Enter");
  const how = page.locator("[popover]:popover-open, [role=dialog]:visible").first();
  await how.waitFor();
  await press(page, "Escape");
  await how.waitFor({ state: "hidden" });

  // Choose a kind in the bar of parts: the table shows only its rows. Then show all rows again.
  const all = await rowCount(page);
  await tabTo(page, /^button Compute/i);
  await press(page, "Enter");
  const some = await until(() => rowCount(page), (n) => n < all);
  await address(page, /kind=/);
  await press(page, "Escape");
  await until(() => rowCount(page), (n) => n === all);

  // Change the grouping, then filter the rows.
  await press(page, "g", "c");
  await page.getByRole("grid", { name: "Time by category" }).waitFor();
  await press(page, "g", "o");
  await page.getByRole("grid", { name: "Time by op" }).waitFor();
  await press(page, "/");
  await page.keyboard.type("kda");
  const leaf = await until(() => rowCount(page), (n) => n < all);
  await press(page, "Enter");
  await address(page, /filter=kda/);
  await press(page, "Escape");
  await until(() => rowCount(page), (n) => n === all);
  // A second Escape leaves the field.
  await press(page, "Escape");
  assert.ok(leaf > 0 && some > 0);

  // In the chart of scopes, zoom into a cell and out again, then choose a scope and drop the choice.
  await press(page, "g", "t");
  await page.getByRole("grid", { name: "Time by scope" }).waitFor();
  await tabTo(page, /Self time by scope path/);
  await press(page, "ArrowDown", "ArrowDown", "+");
  await address(page, /zoom=/);
  await press(page, "0");
  await until(() => page.url(), (url) => !/zoom=/.test(url));
  await press(page, "ArrowDown", "ArrowDown", "Enter");
  await address(page, /&scope=/);
  await press(page, "Escape", "Escape");
  await until(() => page.url(), (url) => !/&scope=/.test(url));

  // Change the columns in the chooser.
  await press(page, "g", "o");
  await page.getByRole("grid", { name: "Time by op" }).waitFor();
  await settled(page);
  const before = (await heads(page)).length;
  await press(page, "c");
  await until(() => focus(page), (is) => /menuitemcheckbox|checkbox|INPUT/.test(is));
  await press(page, "End", "Space");
  await until(async () => (await heads(page)).length, (n) => n !== before);
  await press(page, "Escape");

  // In the table, sort, open a head's menu, select two rows, copy them, and save the table.
  await tabTo(page, /^(cell|head)$/);
  await press(page, "Home", "ArrowUp");
  await until(() => focus(page), (is) => is === "head");
  await press(page, "ArrowRight", "Enter");
  await address(page, /sort=/);
  await press(page, "Alt+ArrowDown");
  await until(() => focus(page), (is) => is.startsWith("menuitem"));
  await press(page, "Escape");
  await until(() => focus(page), (is) => is === "head");
  await press(page, "ArrowDown", "Space", "ArrowDown", "Space");
  await address(page, /sel=[^&]+,/);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await press(page, "y");
  const copied = await until(() => page.evaluate(() => navigator.clipboard.readText()));
  assert.equal(copied.trim().split("\n").length, 3, "a head and two rows");
  await press(page, "e");
  await until(() => focus(page), (is) => is.startsWith("menuitem"));
  const saved = page.waitForEvent("download");
  for (let at = 0; at < 12 && !/CSV/.test(await focus(page)); at += 1) await press(page, "ArrowDown");
  await press(page, "Enter");
  const text = await readFile(await (await saved).path(), "utf8");
  assert.ok(text.split("\n").length > all, "all rows are in the file");

  // Open an op's panel, and return to its row.
  await tabTo(page, /^cell$/, "Shift+Tab");
  await press(page, "Enter");
  await until(() => page.evaluate(() => document.activeElement.id), (id) => id === "op-name");
  await page.locator(".op-hlo").first().waitFor();
  await press(page, "Escape");
  await until(() => focus(page), (is) => is === "cell");

  // Open help, change the theme, then go back in the history.
  await press(page, "?");
  await page.getByRole("dialog").waitFor();
  await press(page, "Escape");
  await press(page, "t");
  await until(() => page.locator("html").getAttribute("data-theme"), (is) => is === "light");
  const here = page.url();
  await page.goBack(); // The key of the browser for Back has no effect in a headless browser.
  await until(() => page.url(), (url) => url !== here);
  assert.equal(await page.evaluate(() => window.pointed), 0, "the mouse was not touched");
  assert.ok(await grid(page).isVisible());
});
