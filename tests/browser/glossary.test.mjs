// These tests open the glossary in all ways, search in it, and follow the hint of the first visit to its end.
import assert from "node:assert/strict";
import { synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { pickFiles, reload, waitForPaint, waitForTable, waitUntil } from "./lib.mjs";

const glossary = (page) => page.getByRole("dialog", { name: "Glossary" });
const names = (page) => glossary(page).locator("dt").allInnerTexts();
const count = (page) => glossary(page).getByRole("status").innerText();

onPage("the help opens the glossary, a search filters it, and Esc closes it", async ({ page }) => {
  await page.getByRole("button", { name: "Keys and help" }).click();
  await page.getByRole("dialog", { name: "Keys" }).getByRole("button", { name: "Glossary" }).click();
  await glossary(page).waitFor();
  assert.equal(await page.getByRole("dialog").count(), 1, "the help closes");
  const all = await names(page);
  assert.ok(all.length > 40 && all.some((name) => /^MFU/.test(name)), all.join(", "));
  assert.equal(await count(page), `${all.length} terms`);
  await waitUntil(() => page.evaluate(() => document.activeElement.id), (id) => id === "glossary-search");
  await page.keyboard.type("exposed");
  await waitUntil(() => names(page), (found) => found.length > 0 && found.length < 8);
  assert.ok((await names(page)).some((name) => /^Exposed/.test(name)));
  assert.match(await count(page), /^\d of \d+ terms$/);
  await page.keyboard.type(" nowhere");
  await waitUntil(() => count(page), (text) => text === "No term has this text.");
  await page.keyboard.press("Escape");
  await glossary(page).waitFor({ state: "detached" });
});

onPage("a figure tells what it means, and leads to its term", async ({ page }) => {
  await pickFiles(page, [synth()]);
  await waitForTable(page);
  await page.locator(".figure", { hasText: "Busy" }).first().getByRole("button").click();
  const panel = page.locator(".formula-panel:popover-open");
  await panel.getByText("Busy is the time in which a device runs ops.").waitFor();
  await panel.getByRole("button", { name: "What is this?" }).click();
  const chosen = glossary(page).locator(".chosen");
  await chosen.waitFor();
  assert.equal(await chosen.locator("dt").innerText(), "Busy");
  assert.ok(await chosen.evaluate((element) => element === document.activeElement), "the term has the focus");
  assert.equal(await panel.count(), 0, "the panel closes");
  await page.keyboard.press("Escape");
  await glossary(page).waitFor({ state: "detached" });
  await waitUntil(() => page.evaluate(() => document.activeElement.getAttribute("aria-label")), (label) => label === "How “Busy” is computed");
});

onPage("the menu of a column leads to its term, and h opens the glossary", async ({ page }) => {
  await pickFiles(page, [synth()]);
  await waitForTable(page);
  await page.locator(".grid-head [role=columnheader]", { hasText: "Self" }).first().click({ button: "right" });
  await page.locator("#column-menu").getByRole("menuitem", { name: "What is this?" }).click();
  await glossary(page).locator(".chosen").waitFor();
  assert.equal(await glossary(page).locator(".chosen dt").innerText(), "Self time");
  await page.keyboard.press("Escape");
  await glossary(page).waitFor({ state: "detached" });
  await waitForPaint(page);
  await page.keyboard.press("h");
  await glossary(page).waitFor();
  assert.equal(await glossary(page).locator(".chosen").count(), 0);
});

const hint = (page) => page.getByRole("complementary", { name: "First steps" });

onPage("the hint of the first visit has three steps, covers nothing, and goes away for good", { firstVisit: true, view: "" }, async ({ page }) => {
  assert.equal(await hint(page).count(), 0, "there is nothing to explain before a capture is open");
  await pickFiles(page, [synth()]);
  await page.locator(".verdict").waitFor();
  assert.match(await hint(page).innerText(), /^1 of 3: /);
  // The strip takes its own place: what is below it begins where it ends.
  const [strip, view] = await hint(page).evaluate((strip) => [strip, strip.nextElementSibling].map((element) => element.getBoundingClientRect().toJSON()));
  assert.ok(view.top >= strip.bottom && strip.height < 60, JSON.stringify([strip, view]));
  // The other views have the room to themselves.
  await page.keyboard.press("2");
  await hint(page).waitFor({ state: "detached" });
  await page.keyboard.press("1");
  await hint(page).getByRole("button", { name: "Next" }).click();
  await waitUntil(() => hint(page).innerText(), (text) => /^2 of 3: /.test(text));
  await hint(page).getByRole("button", { name: "Next" }).click();
  await hint(page).getByRole("button", { name: "Done" }).click();
  await hint(page).waitFor({ state: "detached" });
  await reload(page);
  await pickFiles(page, [synth()]);
  await page.locator(".verdict").waitFor();
  assert.equal(await hint(page).count(), 0);
});

onPage("Esc removes the hint for good", { firstVisit: true, view: "" }, async ({ page }) => {
  await pickFiles(page, [synth()]);
  await page.locator(".verdict").waitFor();
  await hint(page).waitFor();
  await page.keyboard.press("Escape");
  await hint(page).waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => localStorage.getItem("rooflight.hint")), "seen");
});
