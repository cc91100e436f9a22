// These tests check that the page requests the worker's program once, as soon as the page is drawn, and fetches nothing
// else afterwards.
import assert from "node:assert/strict";
import { synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { pickFiles, reload, waitForTable, waitUntil } from "./lib.mjs";
import { opPanel } from "./page_helpers.mjs";
import { share } from "./sharing.mjs";

const isWorkerProgram = (path) => /worker-[0-9a-f]{16}_bg\.wasm$/.test(path);
const VIEWS = ["Roofline", "Memory", "Communication", "File", "Breakdown"];

onPage("the page requests the worker's program before a file is opened, and no view requests anything", async ({ page, server }) => {
  server.requests.length = 0;
  await reload(page);
  await waitUntil(() => server.requests.some(isWorkerProgram));
  await pickFiles(page, [synth()]);
  await waitForTable(page);
  // Ignore the script that each worker imports, and the tab's icon, which the browser requests at any time.
  const fetchedPaths = () => server.requests.filter((path) => !/worker-[0-9a-f]{16}\.js$|\.svg$/.test(path));
  const before = fetchedPaths().length;
  for (const view of VIEWS) {
    await page.getByRole("tab", { name: new RegExp(`^${view}`) }).click();
    await page.getByRole("tabpanel", { name: new RegExp(`^${view}`) }).first().waitFor();
  }
  await waitForTable(page);
  await page.getByRole("group", { name: "Picture" }).getByRole("button", { name: "Non-compute" }).click();
  await page.getByRole("button", { name: "How data movement is computed" }).waitFor();
  await page.locator("[data-row='2'] [data-column='0']").focus();
  await page.keyboard.press("Enter");
  await opPanel(page).locator(".op-figures").waitFor();
  await share(page);
  assert.deepEqual(fetchedPaths().slice(before), []);
  assert.equal(server.requests.filter(isWorkerProgram).length, 1);
});

onPage("when the worker's program cannot be fetched, the page shows an error, and opens a file once it can", { expected: /404/ }, async ({ page, server }) => {
  server.refused = /worker-.*\.wasm$/;
  await reload(page);
  await pickFiles(page, [synth()]);
  await page.getByRole("alert").getByText("could not be fetched").waitFor();
  server.refused = null;
  await pickFiles(page, [synth()]);
  await waitForTable(page);
});
