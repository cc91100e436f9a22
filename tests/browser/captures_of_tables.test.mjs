// Tests the list of captures that opens from tables of `rooflight export --jsonl`: its figures against those of the command line, what
// cannot be opened, lines that cannot be read, and the state of the list in the address.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { violations } from "./accessibility.mjs";
import { emptyFolder, write } from "./captures.mjs";
import { N, allRead, captureCount, choose, nights, openFolder, row, series } from "./captures_list.mjs";
import { cliOutput } from "./expected_values.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, reload, waitUntil } from "./lib.mjs";
import { column, figures } from "./page_helpers.mjs";

/** Writes the captures of some nights, and their tables. Returns the paths of the captures, and the folders of tables and runs. */
function tables(name) {
  const { folder, paths } = nights(`${name}/runs`);
  const out = join(emptyFolder(`${name}-tables`), "fleet");
  cliOutput("export", "--jsonl", out, ...paths, "--key", "job=nightly");
  return { paths, out, runs: folder };
}

/** Returns the lines of a table. */
function lines(out, table) {
  const folder = join(out, `table=${table}`);
  const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".jsonl")).sort();
  return files.flatMap((name) => readFileSync(join(folder, name), "utf8").trimEnd().split("\n"));
}

const medians = (paths) => series(paths).captures.map((of) => (of.median_ps / 1e9).toFixed(3)).reverse();

onPage("a folder of tables is a list with the figures of the captures, none of which opens", { view: "" }, async ({ page }) => {
  const { paths, out } = tables("whole");
  await openFolder(page, out);
  await allRead(page, N);
  assert.deepEqual(await column(page, "Step"), medians(paths));
  assert.equal((await figures(page))["Lasting changes"], "1");
  assert.equal(await page.locator(".capture-mark circle.whole").count(), N);
  // The name is no link, and a key on it says why nothing opens.
  assert.equal(await page.locator(".grid-body .tells").count(), 0);
  await row(page, "2026_01_03").locator("[data-id=median_ps]").hover();
  await waitUntil(() => page.locator(".tip").innerText(), (text) => /job=nightly[^]*Cannot be opened, because/.test(text));
  await page.locator(".grid-body [role=row] [role=gridcell]").first().focus();
  await page.keyboard.press("Enter");
  await page.getByText("2026_01_08_02_00_00 cannot be opened").waitFor();
  // The difference of two rows is shown, and they cannot be compared further.
  await choose(page, "2026_01_04");
  await choose(page, "2026_01_05");
  const foot = page.locator(".captures-foot");
  await waitUntil(() => foot.innerText(), (text) => /\+\d.*ms[^]*A and B are rows of tables: open the captures themselves/.test(text));
  const compare = page.getByRole("button", { name: "Compare A with B" });
  assert.equal(await compare.getAttribute("aria-disabled"), "true");
  await compare.click({ force: true });
  assert.equal(await captureCount(page), `${N}`);
  await page.getByRole("button", { name: /^File/ }).click();
  assert.equal(await page.getByRole("button", { name: "Open all as one capture" }).count(), 0);
});

onPage("single files open, and a damaged line costs one row and a note", { view: "" }, async ({ page }) => {
  const { paths, out } = tables("single");
  const captures = lines(out, "captures");
  const steps = lines(out, "steps");
  const damaged = [captures[0].slice(0, 90), ...captures.slice(1), ...steps].join("\n");
  await dropFiles(page, [write("single/all.jsonl", Buffer.from(damaged))]);
  await allRead(page, N - 1);
  const shown = await column(page, "Step");
  assert.ok(shown.length === N - 1 && shown.every((step) => medians(paths).includes(step)));
  assert.deepEqual(new Set(await column(page, "First finding")), new Set(["–"]));
  await page.getByRole("button", { name: "1 note" }).click();
  await page.getByText("1 line could not be read: line 1 of all.jsonl; it is not JSON").waitFor();
  // Tables without a row of a capture say what is missing. The list stays.
  await dropFiles(page, [write("single/findings.jsonl", Buffer.from(lines(out, "findings").join("\n")))]);
  await page.getByText("findings.jsonl lists no capture").waitFor();
  assert.equal(await captureCount(page), `${N - 1}`);
});

onPage("the address holds the state of the list", { view: "" }, async ({ page }) => {
  const { out, runs } = tables("address");
  const hash = () => page.evaluate(() => decodeURIComponent(decodeURIComponent(location.hash)));
  // Both lists have the same number of captures.
  const open = async (folder) => {
    await openFolder(page, folder);
    await page.locator("#capture-button").getByText(`${basename(folder)}, ${N} captures`).waitFor();
    await allRead(page, N);
  };
  for (const folder of [out, runs]) {
    await open(folder);
    const pressed = () => page.locator(".captures-picture [aria-pressed=true]").innerText();
    await page.getByRole("button", { name: "Exposed comm.", exact: true }).click();
    await page.locator(".captures-table input").fill("2026_01_0");
    await page.getByRole("columnheader", { name: "Step" }).click();
    await choose(page, "2026_01_05");
    await choose(page, "2026_01_02");
    const state = /captures=figure:exposed_communication;filter:2026_01_0;sort:-?median_ps/;
    await waitUntil(hash, (text) => state.test(text) && /sel=.+,.+/.test(text));
    const [steps, foot] = [await column(page, "Step"), await page.locator(".captures-foot").innerText()];
    await reload(page);
    await open(folder);
    await waitUntil(() => page.locator(".captures-foot").innerText(), (text) => text === foot);
    assert.equal(await pressed(), "Exposed comm.");
    assert.equal(await page.locator(".captures-table input").inputValue(), "2026_01_0");
    assert.deepEqual(await column(page, "Step"), steps);
    // Another figure is a step of the history.
    await page.getByRole("button", { name: "Step time", exact: true }).click();
    await waitUntil(pressed, (text) => text === "Step time");
    await page.goBack();
    await waitUntil(pressed, (text) => text === "Exposed comm.");
  }
  // The state is there again after a capture was open.
  const foot = await page.locator(".captures-foot").innerText();
  await row(page, "2026_01_03").locator(".tells").click();
  await page.locator(".verdict").waitFor();
  assert.doesNotMatch(await hash(), /captures=/);
  await page.keyboard.press("9");
  await waitUntil(() => page.locator(".captures-foot").innerText().catch(() => ""), (text) => text === foot);
  assert.equal(await page.locator(".captures-table input").inputValue(), "2026_01_0");
});

for (const [width, height] of [[1440, 900], [390, 844]]) {
  onPage(`axe finds no violation in the list of tables at ${width} pixels`, { view: "", width, height }, async ({ page }) => {
    const { out } = tables("axe");
    await openFolder(page, out);
    await allRead(page, N);
    // On a narrow page, names are cut and times are not.
    await choose(page, "2026-01-04");
    await choose(page, "2026-01-05");
    for (const theme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: theme });
      assert.deepEqual(await violations(page, theme), []);
    }
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wider <= 0, `${wider} px wider than the screen`);
  });
}
