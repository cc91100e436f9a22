// Parts of the program are fetched when they are first needed, not before; one that does not come is told and tried again.
import assert from "node:assert/strict";
import { synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { opened, pickFiles, reload, until } from "./lib.mjs";
import { groupBy, settled } from "./reading.mjs";
import { link, share } from "./sharing.mjs";

/** The parts that were fetched, by name, each as often as it was. */
const fetched = (server) =>
  server.requests.map((path) => /([a-z]+)-[0-9a-f]{16}\.wasm$/.exec(path)?.[1]).filter((name) => name && name !== "app").sort();
const panel = (page) => page.getByRole("complementary");
const alert = (page) => page.getByRole("main").getByRole("alert");
const again = (page) => alert(page).getByRole("button", { name: "Try again" });

/** A capture's ops, with a page that has asked for nothing but its own start. */
async function start(page, server) {
  await reload(page);
  await pickFiles(page, [synth()]);
  await opened(page);
  await groupBy(page, "Op");
  await settled(page);
  server.requests.length = 0;
}

onPage("a capture is shown without any; each comes with the first view that needs it, once", async ({ page, server }) => {
  server.requests.length = 0;
  await reload(page);
  await pickFiles(page, [synth()]);
  await opened(page);
  for (const by of ["Category", "Scope", "Op"]) await groupBy(page, by);
  await settled(page);
  assert.deepEqual(fetched(server), []);

  await page.locator("[data-row='2'] [data-column='0']").focus();
  await page.keyboard.press("Enter");
  await panel(page).locator(".op-figures").waitFor();
  // The page's half and the worker's, and to each what both have in common.
  assert.deepEqual(fetched(server), ["further", "op", "shared", "shared"]);

  await page.keyboard.press("Escape");
  await page.keyboard.press("8");
  await page.getByRole("heading", { name: "Planes and lines" }).waitFor();
  await page.keyboard.press("2");
  await page.getByRole("group", { name: "Picture" }).getByRole("button", { name: "Non-compute" }).click();
  await page.getByRole("button", { name: "How non-compute is computed" }).waitFor();
  await page.locator("[data-row='3'] [data-column='0']").focus();
  await page.keyboard.press("Enter");
  await panel(page).locator(".op-figures").waitFor();
  assert.deepEqual(fetched(server), ["audit", "file", "further", "op", "shared", "shared"]);
});

for (const [what, pattern] of [["the page's half", /\/op-[0-9a-f]+\.wasm$/], ["the worker's half", /\/further-[0-9a-f]+\.wasm$/], ["what both need", /\/shared-[0-9a-f]+\.wasm$/]]) {
  onPage(`an op's panel without ${what}: said, tried again, and closed`, { expected: /404|wasm: 404/ }, async ({ page, server }) => {
    await start(page, server);
    server.refused = pattern;
    await page.locator("[data-row='2'] [data-column='0']").focus();
    await page.keyboard.press("Enter");
    await alert(page).waitFor();
    assert.match(await alert(page).innerText(), /could not be fetched/);
    // Still not there: the same is said again. All else goes on.
    const before = server.requests.length;
    await again(page).click();
    await until(() => server.requests.length > before);
    await alert(page).waitFor();
    await groupBy(page, "Category");
    await groupBy(page, "Op");
    await panel(page).getByRole("button", { name: "Close" }).click();
    await panel(page).waitFor({ state: "detached" });

    await page.locator("[data-row='2'] [data-column='0']").focus();
    await page.keyboard.press("Enter");
    await alert(page).waitFor();
    server.refused = null;
    await again(page).click();
    await panel(page).locator(".op-figures").waitFor();
    assert.equal(await alert(page).count(), 0);
  });
}

onPage("an address that names an op, without its part: the capture is shown, the op once it comes", { expected: /404/ }, async ({ page, server }) => {
  await start(page, server);
  server.refused = /\/(op|further)-[0-9a-f]+\.wasm$/;
  await page.locator("[data-row='2'] [data-column='0']").focus();
  await page.keyboard.press("Enter");
  await until(() => page.url(), (url) => /op=/.test(url));
  await reload(page);
  await pickFiles(page, [synth()]);
  await opened(page);
  await alert(page).waitFor();
  server.refused = null;
  await again(page).click();
  await panel(page).locator(".op-figures").waitFor();
});

onPage("saving without the worker's half: told in the corner, and saved the next time", { expected: /404/ }, async ({ page, server }) => {
  await start(page, server);
  server.refused = /\/further-/;
  const save = async () => {
    await page.getByRole("button", { name: "Save or copy" }).click();
    await page.getByRole("menuitem", { name: "Save CSV" }).click();
  };
  await save();
  await page.getByRole("alert").getByText("could not be fetched").waitFor();
  server.refused = null;
  const file = page.waitForEvent("download");
  await save();
  assert.match((await file).suggestedFilename(), /\.csv$/);
});

for (const [what, pattern] of [["its own half", /\/share-[0-9a-f]+\.wasm$/], ["the worker's half", /\/further-[0-9a-f]+\.wasm$/]]) {
  onPage(`sharing without ${what}: told in the corner, and open the next time`, { expected: /404/ }, async ({ page, server }) => {
    await start(page, server);
    server.refused = pattern;
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByRole("alert").getByText("could not be fetched").waitFor();
    await page.getByRole("dialog", { name: "Share this profile" }).waitFor({ state: "detached" });
    await groupBy(page, "Category");
    server.refused = null;
    await share(page);
    assert.match(await link(page), /report=/);
  });
}
