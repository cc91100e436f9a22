// Tests the list of many captures: which files are one capture, their figures against the command line, changes over time, opening
// one of them and the way back, a comparison of two, a capture that cannot be read, and stopping.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { violations } from "./accessibility.mjs";
import { hostOnly, temporaryFolder, write } from "./captures.mjs";
import { JUMP, N, allRead, captureCount, choose, nights, openFolder, row, series } from "./captures_list.mjs";
import { cliOutput } from "./expected_values.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, waitUntil } from "./lib.mjs";
import { column, figures } from "./page_helpers.mjs";

onPage("a folder of many runs is a list with the figures of the command line", { view: "" }, async ({ page }) => {
  const { folder, paths } = nights("list");
  await openFolder(page, folder);
  await allRead(page, N);
  const expected = series(paths);
  const ms = (ps, digits) => (ps / 1e9).toFixed(digits);
  // The newest one comes first.
  const steps = await column(page, "Step");
  assert.deepEqual(steps, expected.captures.map((of) => ms(of.median_ps, 3)).reverse());
  const shown = await figures(page);
  const medians = expected.captures.map((of) => of.median_ps);
  assert.equal(shown["Latest, 01-08"], `${ms(medians.at(-1), 2)} ms`);
  assert.match(shown.Fastest, new RegExp(`^${ms(Math.min(...medians), 2)} ms`));
  assert.match(shown.Slowest, new RegExp(`^${ms(Math.max(...medians), 2)} ms`));
  // The change is where it was made, and its cause is what was made slower.
  const { changes } = expected.series.find((figure) => figure.name === "period");
  assert.deepEqual(changes.map((change) => change.capture), [JUMP + 1]);
  assert.equal(shown["Lasting changes"], "1");
  const cause = await waitUntil(() => page.locator(".captures-series .cause").textContent(), (text) => text.length > 5, 60_000);
  assert.match(cause, /^fusion, \d+ ops \+/);
  assert.equal(await page.locator(".capture-mark circle.whole").count(), N);
  assert.match(await page.locator(".captures-series").getAttribute("aria-label"), /^Step time of 8 captures, from .* → .* from list 2026_01_05.*, mostly fusion, /s);
  // A figure that no capture has is not drawn as zero.
  await page.getByRole("button", { name: "MFU", exact: true }).click();
  await waitUntil(() => page.locator(".captures-picture .about").innerText(), (text) => text.includes("model_flops"));
});

onPage("a capture is opened from the list, and the list is there again without reading", { view: "" }, async ({ page }) => {
  const { folder, paths } = nights("back");
  await openFolder(page, folder);
  await allRead(page, N);
  const before = await column(page, "Step");
  await row(page, "2026_01_03").locator(".tells").click();
  await page.locator(".verdict").waitFor();
  assert.equal(await page.locator(".verdict").innerText(), JSON.parse(cliOutput("overview", paths[2], "--json")).verdict);
  await page.keyboard.press("9");
  await waitUntil(() => captureCount(page).catch(() => ""), (count) => count === `${N}`, 3_000);
  assert.deepEqual(await column(page, "Step"), before);
  // Two rows are compared. The list stays reachable.
  await choose(page, "2026_01_04");
  await choose(page, "2026_01_05");
  await page.getByRole("button", { name: "Compare A with B" }).click();
  const sentence = cliOutput("compare", paths[3], paths[4]).split("\n")[0];
  await waitUntil(() => page.locator(".compare .verdict").innerText().catch(() => ""), (text) => text === sentence, 30_000);
  await page.getByRole("button", { name: "Captures" }).click();
  await waitUntil(() => captureCount(page).catch(() => ""), (count) => count === `${N}`, 3_000);
  // Another file ends the list.
  await dropFiles(page, [paths[0]]);
  await page.locator(".verdict").waitFor();
  assert.equal(await page.locator(".tab-back").count(), 0);
});

onPage("the keyboard alone chooses, swaps, clears and opens captures", { view: "" }, async ({ page }) => {
  const { folder } = nights("keys", 3);
  await openFolder(page, folder);
  await allRead(page, 3);
  await page.locator(".grid-body [role=row] [role=gridcell]").first().focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  const foot = page.locator(".captures-foot");
  await waitUntil(() => foot.innerText(), (text) => /01_03[^]*01_02[^]*Compare A with B/.test(text));
  await page.keyboard.press("Escape");
  await waitUntil(() => foot.innerText(), (text) => text.startsWith("Open a capture by its name"));
  await page.keyboard.press("Enter");
  await page.locator("#tab-overview").waitFor();
});

onPage("a capture that cannot be read costs one row", { view: "" }, async ({ page }) => {
  const { folder, paths } = nights("bad", 3);
  write("bad/plugins/profile/2026_01_09_02_00_00/worker-0.xplane.pb", readFileSync(hostOnly()));
  write("bad/notes.txt", Buffer.from("no capture"));
  await openFolder(page, folder);
  await allRead(page, "3 of 4");
  const failed = row(page, "2026_01_09");
  await waitUntil(() => failed.innerText(), (text) => text.includes("failed"));
  await failed.locator("[data-id=median_ps]").hover();
  await waitUntil(() => page.locator(".tip").innerText(), (text) => text.includes("has no device whose ops"));
  const expected = series(paths).captures.map((of) => (of.median_ps / 1e9).toFixed(3));
  assert.deepEqual((await column(page, "Step")).filter((text) => text !== "–"), expected.reverse());
});

onPage("reading is stopped, and goes on where it stopped", { view: "" }, async ({ page }) => {
  const { folder } = nights("stopped");
  await openFolder(page, folder);
  await page.getByRole("button", { name: "Stop reading" }).click();
  const resume = page.getByRole("button", { name: "Read the other captures" });
  await resume.waitFor();
  assert.match(await captureCount(page), /^\d of 8$/);
  await resume.click();
  await allRead(page, N);
});

onPage("files that are one run after all are opened as one capture", { view: "" }, async ({ page }) => {
  const { folder } = nights("as-one", 2);
  await openFolder(page, folder);
  await allRead(page, 2);
  await page.getByRole("button", { name: /^File/ }).click();
  await page.getByRole("button", { name: "Open all as one capture" }).click();
  await page.locator("#tab-overview").waitFor();
  assert.equal(await page.locator(".tab-back").count(), 0);
});

for (const [width, height] of [[1440, 900], [390, 844]]) {
  onPage(`axe finds no violation in the list at ${width} pixels`, { view: "", width, height }, async ({ page }) => {
    const { folder } = nights("list");
    await openFolder(page, folder);
    await allRead(page, N);
    for (const theme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: theme });
      assert.deepEqual(await violations(page, theme), []);
    }
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wider <= 0, `${wider} px wider than the screen`);
  });
}

onPage("a folder of reports is a list, and a report opens from it", { view: "" }, async ({ page }) => {
  const { paths } = nights("of-reports");
  const reports = paths.map((path, night) => {
    const report = join(temporaryFolder, `reports/2026_01_0${night + 1}_02_00_00.rooflight`);
    mkdirSync(dirname(report), { recursive: true });
    cliOutput("report", path, "--rooflight", report);
    return report;
  });
  await openFolder(page, dirname(reports[0]));
  await allRead(page, N);
  const expected = series(paths);
  assert.deepEqual(await column(page, "Step"), expected.captures.map((of) => (of.median_ps / 1e9).toFixed(3)).reverse());
  assert.equal((await figures(page))["Lasting changes"], "1");
  const cause = await waitUntil(() => page.locator(".captures-series .cause").textContent(), (text) => text.length > 5, 60_000);
  assert.match(cause, /^fusion, \d+ ops \+/);
  // Two reports are compared, and one is opened.
  await choose(page, "2026_01_04");
  await choose(page, "2026_01_05");
  await page.getByRole("button", { name: "Compare A with B" }).click();
  await waitUntil(() => page.locator(".compare .verdict").innerText().catch(() => ""), (text) => text.startsWith("B is slower"));
  await page.keyboard.press("9");
  await row(page, "2026_01_08").locator(".tells").click();
  await page.locator(".strip.summary").waitFor();
});
