// These tests cover the panel of one op: they open it from the table, follow an operand and return, close it, and check
// its entry in the address.
import assert from "node:assert/strict";
import { synth, tpu } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { pickFiles, reload, waitForTable, waitUntil } from "./lib.mjs";
import { groupBy, opPanel, waitForRows } from "./page_helpers.mjs";

const opTitle = (page) => opPanel(page).getByRole("heading", { level: 2 });
const waitForOp = (page, name) => waitUntil(() => opTitle(page).innerText(), (text) => text === name);
/** Returns the rows of the table of shapes: role, shape with layout, bytes, padding. */
const shapeRows = (page) =>
  opPanel(page).locator(".op-values tbody tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.replace(/\s+/g, " ").trim())));
const neighbourButton = (page, name) => opPanel(page).getByRole("button", { name, exact: true });
/** Returns the name cell of the row of the op `name`. */
const nameCell = (page, name) => page.locator("[data-row]", { has: page.getByText(name, { exact: true }) }).locator("[data-column='0']");

async function openCapture(page, file) {
  await pickFiles(page, [file]);
  await waitForTable(page);
  await groupBy(page, "Op");
  await waitForRows(page);
}

onPage("the panel of an op shows its shapes, opens its operand, and returns", { needs: tpu() }, async ({ page }) => {
  await openCapture(page, tpu());
  await nameCell(page, "copy-done.2").getByText("copy-done.2").click();
  await waitForOp(page, "copy-done.2");
  await waitUntil(() => shapeRows(page), (rows) => rows.length === 4);
  const rows = await shapeRows(page);
  // The result has 5 × 1024 × 1024 × 256 floats. The source of the copy is in S(5), which is host memory.
  assert.deepEqual(rows[0], ["result", "f32[5,1024,1024,256]{3,2,1,0:T(8,128)}", "5.0 GiB", "0 %"]);
  assert.match(rows[2][1], /S\(5\)/);
  assert.match(await opPanel(page).innerText(), /Memory space: S\(5\) → HBM/);
  assert.match(await opPanel(page).locator(".panel-hlo").first().innerText(), /^%copy-done\.2 = f32\[5,1024,1024,256\]/);
  // The panel shows the same self time as the row.
  const row = await page.locator("[data-row][aria-selected=true]").innerText();
  const selfTime = await opPanel(page).locator(".op-figures dd").first().innerText();
  assert.ok(row.includes(selfTime.split(" ")[0].slice(0, 5)), `${selfTime} is not in ${row}`);

  await neighbourButton(page, "copy-start.2").click();
  await waitForOp(page, "copy-start.2");
  await waitUntil(() => page.url(), (url) => /op=copy-start\.2@/.test(url));
  await opPanel(page).getByRole("button", { name: "Back to the previous op" }).click();
  await waitForOp(page, "copy-done.2");
  // The browser's Back button returns to the previous op, too.
  await neighbourButton(page, "copy-start.2").click();
  await waitForOp(page, "copy-start.2");
  await page.goBack();
  await waitForOp(page, "copy-done.2");
  await opPanel(page).getByRole("button", { name: "Close" }).click();
  await opPanel(page).waitFor({ state: "detached" });
});

onPage("Enter opens the panel, Tab moves in it, and Esc returns to the row", async ({ page }) => {
  await openCapture(page, synth());
  await page.locator("[data-row='2'] [data-column='0']").focus();
  const name = await page.locator("[data-row='2'] [data-column='0']").innerText();
  await page.keyboard.press("Enter");
  await waitForOp(page, name.trim());
  await waitUntil(() => page.evaluate(() => document.activeElement.id), (id) => id === "op-name");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Copy the name");
  await page.keyboard.press("Escape");
  await opPanel(page).waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.activeElement.closest("[data-row]")?.dataset.row), "2");
});

onPage("a reload restores the op from the URL, and the panel reports an op that does not exist", async ({ page }) => {
  await openCapture(page, synth());
  await page.locator("[data-row='0'] [data-column='0']").focus();
  const name = (await page.locator("[data-row='0'] [data-column='0']").innerText()).trim();
  await page.keyboard.press("Enter");
  await waitForOp(page, name);
  await waitUntil(() => page.url(), (url) => url.includes("op="));
  await reload(page);
  await pickFiles(page, [synth()]);
  await waitForTable(page);
  await waitForOp(page, name);
  await page.evaluate(() => (location.hash = location.hash.replace(/op=[^&]*/, "op=no-such-op.7")));
  await waitForOp(page, "no-such-op.7");
  const panelText = await waitUntil(() => opPanel(page).innerText(), (text) => /no|not/.test(text.replace("no-such-op.7", "")));
  assert.ok(panelText.length > 20, panelText);
  // With the name of an op that exists, the panel shows its figures again.
  await page.evaluate((name) => (location.hash = location.hash.replace(/op=[^&]*/, `op=${encodeURIComponent(name)}`)), name);
  await waitForOp(page, name);
  await opPanel(page).locator(".op-figures").waitFor();
});

onPage("a folded section of the panel stays folded for the next op and after a reload", { needs: tpu() }, async ({ page }) => {
  const section = (name) => opPanel(page).locator(".panel-part", { has: page.getByRole("heading", { name, exact: true }) });
  const isOpen = (name) => section(name).evaluate((part) => part.open);
  await openCapture(page, tpu());
  await nameCell(page, "copy-done.2").getByText("copy-done.2").click();
  await waitForOp(page, "copy-done.2");
  assert.ok((await isOpen("Shapes")) && (await isOpen("HLO")));
  await section("Shapes").locator("summary").click();
  assert.equal(await opPanel(page).locator(".op-values").isVisible(), false);
  await neighbourButton(page, "copy-start.2").click();
  await waitForOp(page, "copy-start.2");
  assert.deepEqual([await isOpen("Shapes"), await isOpen("HLO")], [false, true]);
  await reload(page);
  await pickFiles(page, [tpu()]);
  await waitForOp(page, "copy-start.2");
  await section("Shapes").waitFor();
  assert.equal(await isOpen("Shapes"), false);
  await section("Shapes").locator("summary").press("Enter");
  assert.equal(await isOpen("Shapes"), true);
});
