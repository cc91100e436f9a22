// Tests the table of idle gaps: classes, sums and gaps must equal the command line's; classes open by mouse and by
// keyboard; the table can be saved.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { synth, tpu } from "./captures.mjs";
import { cliOutput, formatPercent, timeFormat } from "./expected_values.mjs";
import { onPage } from "./harness.mjs";
import { pickFiles, waitForTable, waitUntil } from "./lib.mjs";
import { pick } from "./page_helpers.mjs";

const cliText = (file, format, step) => cliOutput("gaps", file, "--device", "0", "--step", step, `--${format}`);

const LABELS = { recompile: "Compilation or program load", input: "Input data", sync: "Host waits for the device", defrag: "Memory defragmentation", host: "Host overhead", barrier: "Other devices", dependency: "Another run", launch: "Launch", capture: "Outside the capture", unexplained: "Unexplained", callback: "Host callback" };

const table = (page) => page.locator(".picture-tree");
/** Returns the name and the numbers of each class. */
const classTexts = (page) =>
  table(page).locator(".tree-group").evaluateAll((rows) =>
    rows.map((row) => [...row.querySelectorAll("th, .num")].map((cell) => cell.textContent.replace(/\s+/g, " ").trim())));

async function openIdle(page, file, step) {
  await pickFiles(page, [file]);
  await waitForTable(page);
  await pick(page, "device", "TPU:0");
  await pick(page, "step", step);
  await page.getByRole("button", { name: "Idle", exact: true }).click();
  await table(page).locator("tfoot").waitFor();
}

/** Asserts that classes and sums equal the report's. */
async function assertEqualsReport(page, report) {
  const { time } = timeFormat(report.idle_ps);
  const share = (ps) => formatPercent(ps / report.window_ps);
  const count = (n) => n.toLocaleString("en-US");
  const expected = report.classes.map((row) => [LABELS[row.class], time(row.total_ps), share(row.total_ps), count(row.n_gaps)]);
  await waitUntil(() => classTexts(page), (rows) => JSON.stringify(rows) === JSON.stringify(expected)).catch(() => {});
  assert.deepEqual(await classTexts(page), expected);
  const foot = await table(page).locator("tfoot .num").allTextContents();
  assert.deepEqual(foot, [time(report.idle_ps), share(report.idle_ps), count(report.n_gaps)]);
  assert.equal(report.classes.reduce((sum, row) => sum + row.total_ps, 0), report.idle_ps);
}

onPage("classes and gaps of a real capture equal the command line's; the longest gap names the host's work", { needs: tpu() }, async ({ page }) => {
  await openIdle(page, tpu(), "Whole capture");
  const report = JSON.parse(cliText(tpu(), "json", "all"));
  await assertEqualsReport(page, report);
  assert.match(await page.locator(".picture-note").innerText(), /^13\.69 s idle, 14\.8 % of the window; waiting on the host for 13\.67 s$/);
  await table(page).getByRole("button", { name: "Memory defragmentation" }).click();
  const details = table(page).locator(".tree-group + tr + .tree-more");
  await details.first().waitFor();
  assert.match(await details.first().innerText(), /TfrtTpuClient::DefragmentMemory 2\.22 s/);
  await waitUntil(() => page.url(), (url) => url.includes("picture=idle"));
  // The gaps of a single step are other gaps.
  await pick(page, "step", "Step 3");
  await assertEqualsReport(page, JSON.parse(cliText(tpu(), "json", "3")));
});

onPage("the classes open and close by keyboard", { needs: tpu() }, async ({ page }) => {
  await openIdle(page, tpu(), "Whole capture");
  const focused = () => page.evaluate(() => document.activeElement.textContent.trim());
  await table(page).locator(".tree-name").first().focus();
  await page.keyboard.press("ArrowDown");
  assert.equal(await focused(), "Memory defragmentation");
  await page.keyboard.press("ArrowRight");
  await table(page).locator(".leaf").first().waitFor();
  await page.keyboard.press("ArrowLeft");
  await table(page).locator(".leaf").first().waitFor({ state: "detached" });
});

for (const [kind, capture] of [["real", tpu], ["synthetic", synth]]) {
  onPage(`the saved gaps of a ${kind} capture equal the command line's output byte for byte`, { needs: capture() }, async ({ page }) => {
    await openIdle(page, capture(), "Whole capture");
    for (const [entry, extension] of [["Save CSV", "csv"], ["Save JSON", "json"]]) {
      await page.locator("#idle-menu-button").click();
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: entry }).click()]);
      assert.equal(download.suggestedFilename(), `${basename(capture(), ".xplane.pb")} idle-gaps.${extension}`);
      // The page has the name of the file without its folder.
      const expected = cliText(capture(), extension, "all").replaceAll(capture(), basename(capture()));
      assert.equal(readFileSync(await download.path(), "utf8"), expected);
    }
  });
}
