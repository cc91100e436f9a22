// These tests check that the page requests the worker's program once, as soon as the page is drawn, and fetches nothing
// else afterwards.
import assert from "node:assert/strict";
import { synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { opened, pickFiles, reload, until } from "./lib.mjs";
import { opPanel } from "./reading.mjs";
import { share } from "./sharing.mjs";

const isProgram = (path) => /worker-[0-9a-f]{16}_bg\.wasm$/.test(path);
const VIEWS = ["Roofline", "Memory", "Communication", "File", "Breakdown"];

onPage("it comes before any file does, and no view fetches anything", async ({ page, server }) => {
  server.requests.length = 0;
  await reload(page);
  await until(() => server.requests.some(isProgram));
  await pickFiles(page, [synth()]);
  await opened(page);
  // Ignore the script that each worker imports, and the tab's icon, which the browser requests at any time.
  const fetched = () => server.requests.filter((path) => !/worker-[0-9a-f]{16}\.js$|\.svg$/.test(path));
  const before = fetched().length;
  for (const view of VIEWS) {
    await page.getByRole("tab", { name: new RegExp(`^${view}`) }).click();
    await page.getByRole("tabpanel", { name: new RegExp(`^${view}`) }).first().waitFor();
  }
  await opened(page);
  await page.getByRole("group", { name: "Picture" }).getByRole("button", { name: "Non-compute" }).click();
  await page.getByRole("button", { name: "How data movement is computed" }).waitFor();
  await page.locator("[data-row='2'] [data-column='0']").focus();
  await page.keyboard.press("Enter");
  await opPanel(page).locator(".op-figures").waitFor();
  await share(page);
  assert.deepEqual(fetched().slice(before), []);
  assert.equal(server.requests.filter(isProgram).length, 1);
});

onPage("it does not come: the page says so, and opens the file once it does", { expected: /404/ }, async ({ page, server }) => {
  server.refused = /worker-.*\.wasm$/;
  await reload(page);
  await pickFiles(page, [synth()]);
  await page.getByRole("alert").getByText("could not be fetched").waitFor();
  server.refused = null;
  await pickFiles(page, [synth()]);
  await opened(page);
});
