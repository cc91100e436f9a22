// These tests cover the panel of one op: they open it from the table, follow an operand and return, close it, and check
// its entry in the address.
import assert from "node:assert/strict";
import { synth, tpu } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { opened, pickFiles, reload, until } from "./lib.mjs";
import { groupBy, opPanel, settled } from "./reading.mjs";

const title = (page) => opPanel(page).getByRole("heading", { level: 2 });
const told = (page, name) => until(() => title(page).innerText(), (is) => is === name);
/** Returns the rows of the table of shapes: role, shape with layout, bytes, padding. */
const shapes = (page) =>
  opPanel(page).locator(".op-values tbody tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.replace(/\s+/g, " ").trim())));
const neighbour = (page, name) => opPanel(page).getByRole("button", { name, exact: true });
/** Returns the name cell of the row of the op `name`. */
const cellOf = (page, name) => page.locator("[data-row]", { has: page.getByText(name, { exact: true }) }).locator("[data-column='0']");

async function start(page, file) {
  await pickFiles(page, [file]);
  await opened(page);
  await groupBy(page, "Op");
  await settled(page);
}

onPage("an op of a real program: its panel, its operand, and back", { needs: tpu() }, async ({ page }) => {
  await start(page, tpu());
  await cellOf(page, "copy-done.2").getByText("copy-done.2").click();
  await told(page, "copy-done.2");
  await until(() => shapes(page), (rows) => rows.length === 4);
  const rows = await shapes(page);
  // The result has 5 × 1024 × 1024 × 256 floats. The source of the copy is in S(5), which is host memory.
  assert.deepEqual(rows[0], ["result", "f32[5,1024,1024,256]{3,2,1,0:T(8,128)}", "5.0 GiB", "0 %"]);
  assert.match(rows[2][1], /S\(5\)/);
  assert.match(await opPanel(page).innerText(), /Memory space: S\(5\) → HBM/);
  assert.match(await opPanel(page).locator(".op-hlo").first().innerText(), /^%copy-done\.2 = f32\[5,1024,1024,256\]/);
  // The panel shows the same self time as the row.
  const row = await page.locator("[data-row][aria-selected=true]").innerText();
  const self = await opPanel(page).locator(".op-figures dd").first().innerText();
  assert.ok(row.includes(self.split(" ")[0].slice(0, 5)), `${self} is not in ${row}`);

  await neighbour(page, "copy-start.2").click();
  await told(page, "copy-start.2");
  await until(() => page.url(), (url) => /op=copy-start\.2@/.test(url));
  await opPanel(page).getByRole("button", { name: "Back to the previous op" }).click();
  await told(page, "copy-done.2");
  // The browser's Back button returns to the previous op, too.
  await neighbour(page, "copy-start.2").click();
  await told(page, "copy-start.2");
  await page.goBack();
  await told(page, "copy-done.2");
  await opPanel(page).getByRole("button", { name: "Close" }).click();
  await opPanel(page).waitFor({ state: "detached" });
});

onPage("by keyboard: Enter opens, Tab walks, Esc goes back to the row", async ({ page }) => {
  await start(page, synth());
  await page.locator("[data-row='2'] [data-column='0']").focus();
  const name = await page.locator("[data-row='2'] [data-column='0']").innerText();
  await page.keyboard.press("Enter");
  await told(page, name.trim());
  await until(() => page.evaluate(() => document.activeElement.id), (id) => id === "op-name");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Copy the name");
  await page.keyboard.press("Escape");
  await opPanel(page).waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.activeElement.closest("[data-row]")?.dataset.row), "2");
});

onPage("the address names the op: a reload shows it again; an op that is not there says so", async ({ page }) => {
  await start(page, synth());
  await page.locator("[data-row='0'] [data-column='0']").focus();
  const name = (await page.locator("[data-row='0'] [data-column='0']").innerText()).trim();
  await page.keyboard.press("Enter");
  await told(page, name);
  await until(() => page.url(), (url) => url.includes("op="));
  await reload(page);
  await pickFiles(page, [synth()]);
  await opened(page);
  await told(page, name);
  await page.evaluate(() => (location.hash = location.hash.replace(/op=[^&]*/, "op=no-such-op.7")));
  await told(page, "no-such-op.7");
  const words = await until(() => opPanel(page).innerText(), (text) => /no|not/.test(text.replace("no-such-op.7", "")));
  assert.ok(words.length > 20, words);
  // With the name of an op that exists, the panel shows its figures again.
  await page.evaluate((name) => (location.hash = location.hash.replace(/op=[^&]*/, `op=${encodeURIComponent(name)}`)), name);
  await told(page, name);
  await opPanel(page).locator(".op-figures").waitFor();
});

onPage("its parts fold, and stay so for the next op and the next visit", { needs: tpu() }, async ({ page }) => {
  const part = (name) => opPanel(page).locator(".op-part", { has: page.getByRole("heading", { name, exact: true }) });
  const isOpen = (name) => part(name).evaluate((part) => part.open);
  await start(page, tpu());
  await cellOf(page, "copy-done.2").getByText("copy-done.2").click();
  await told(page, "copy-done.2");
  assert.ok((await isOpen("Shapes")) && (await isOpen("HLO")));
  await part("Shapes").locator("summary").click();
  assert.equal(await opPanel(page).locator(".op-values").isVisible(), false);
  await neighbour(page, "copy-start.2").click();
  await told(page, "copy-start.2");
  assert.deepEqual([await isOpen("Shapes"), await isOpen("HLO")], [false, true]);
  await reload(page);
  await pickFiles(page, [tpu()]);
  await told(page, "copy-start.2");
  await part("Shapes").waitFor();
  assert.equal(await isOpen("Shapes"), false);
  await part("Shapes").locator("summary").press("Enter");
  assert.equal(await isOpen("Shapes"), true);
});
