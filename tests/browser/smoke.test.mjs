// This test starts the page under a host's path, opens the sample, and checks that every view shows content.
import assert from "node:assert/strict";
import { onPage } from "./harness.mjs";
import { waitForTable, waitUntil } from "./lib.mjs";
import { figures, groupBy, rowCount } from "./page_helpers.mjs";

const VIEWS = { Overview: ".verdict", Roofline: ".roofline svg", Memory: ".memory svg", Communication: ".comm svg", File: ".file-parts", Breakdown: "[role=grid]" };

onPage("the sample opens, and every view shows content", async ({ page }) => {
  await page.getByRole("button", { name: "Open the sample" }).click();
  await waitForTable(page);
  await groupBy(page, "Op");
  assert.ok((await rowCount(page)) > 100);
  assert.ok(Object.keys(await figures(page)).length > 2);
  for (const [view, selector] of Object.entries(VIEWS)) {
    await page.getByRole("tab", { name: new RegExp(`^${view}`) }).click();
    await page.locator(selector).first().waitFor();
  }
  await page.getByRole("textbox", { name: "Filter ops" }).fill("fusion");
  await waitUntil(() => page.locator("#filter-status").innerText());
});
