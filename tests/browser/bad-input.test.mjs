// Tests files that are no captures, or only a part of one. Each file is dropped twice with real drag events: on the
// landing page, and while a capture is open. Both times one message must name the problem, its place, the data that was
// read and the remedy. An open capture must stay open.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ENDLESS_PLANE, PNG, emptyFolder, hostOnly, pseudorandomBytes, synth, temporaryFolder, tpu, truncated, utf8Mangled, write } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, requiredPath, waitForTable } from "./lib.mjs";
import { allRows, column, compareNaturally, figures, firstRows, pick, sortBy, waitForRows } from "./page_helpers.mjs";

const GIB3 = 3 * 2 ** 30;

/**
 * By case: the path to drop, and the title and the patterns of the expected message. `timeout` is the time limit for a
 * large file, in ms. `capture` is a real capture that the case needs.
 */
const CASES = {
  "an empty file": {
    path: () => write("empty.xplane.pb", Buffer.alloc(0)),
    title: "empty.xplane.pb is empty: the profile was larger than 2 GiB",
    patterns: [/0 bytes/, /Capture fewer steps/, /copy them again/],
  },
  "random bytes": {
    path: () => write("noise.xplane.pb", pseudorandomBytes(100_000)),
    title: "noise.xplane.pb is not an XLA profile",
    patterns: [/first bytes fit no known format/, /reads \.xplane\.pb/],
  },
  "a PNG picture": {
    path: () => write("screenshot.png", PNG),
    title: "screenshot.png is not an XLA profile",
    patterns: [/It is a PNG/i, /reads \.xplane\.pb/],
  },
  "a capture that a text tool has rewritten as UTF-8": {
    capture: utf8Mangled,
    path: utf8Mangled,
    title: "utf8-mangled.xplane.pb could not be read",
    patterns: [/EF BF BD/, /First seen at byte [\d,]+/, /can’t be rebuilt/, /fetch it again/],
  },
  "a plane that declares 2⁶³ bytes": {
    path: () => write("endless.xplane.pb", ENDLESS_PLANE),
    title: /^endless\.xplane\.pb (could not be read|is not an XLA profile)$/,
    patterns: [/first bytes fit no known format|declares 9,223,372,036,854,775,808 bytes where 2 are left/],
  },
  "a file of 3 GB of zero bytes": {
    path: () => write("sparse.xplane.pb", Buffer.alloc(0), GIB3),
    title: "sparse.xplane.pb could not be read",
    patterns: [/starts with zero bytes/, /copy it again/],
    timeout: 10_000,
  },
  "a folder without captures": {
    path: () => {
      write("logs/train.log", Buffer.from("step 1\nstep 2\n"));
      write("logs/sub/picture.png", PNG);
      return join(temporaryFolder, "logs");
    },
    title: "No capture in this folder",
    patterns: [/Looked at 2 files/, /train\.log/, /plugins\/profile/],
  },
  "an empty folder": {
    path: () => emptyFolder("nothing"),
    title: "No file in nothing",
    patterns: [/The folder is empty/, /Drop the folder that holds/],
  },
};

/** Returns the title and the message of the only alert on the page. */
async function alertText(page, timeout = 30_000) {
  const element = page.getByRole("alert");
  await element.waitFor({ timeout });
  assert.equal(await element.count(), 1);
  assert.ok(await element.isVisible());
  return [await element.locator("b").innerText(), await element.locator("p").innerText()];
}

function assertAlert([title, message], expected) {
  if (expected.title instanceof RegExp) assert.match(title, expected.title);
  else assert.equal(title, expected.title);
  for (const pattern of expected.patterns) assert.match(message, pattern);
  assert.ok(message.length < 400, `the message has ${message.length} characters`);
  assert.match(message, /[.!]$/, "the message ends like a sentence");
}

for (const [name, expected] of Object.entries(CASES)) {
  const options = expected.capture ? { needs: expected.capture() } : {};

  onPage(`${name}: the landing page shows an error and opens the next file`, options, async ({ page }) => {
    await dropFiles(page, [expected.path()]);
    assertAlert(await alertText(page, expected.timeout), expected);
    assert.ok(await page.getByRole("heading", { level: 1 }).isVisible(), "the landing page is still visible");
    await dropFiles(page, [synth()]);
    await waitForTable(page);
    assert.equal(await page.getByRole("alert").count(), 0, "the error is gone");
  });

  onPage(`${name}: the page shows an error and keeps the open capture`, options, async ({ page }) => {
    await dropFiles(page, [synth()]);
    await waitForTable(page);
    await pick(page, "step", "Step 12");
    const before = [await figures(page), await firstRows(page), await page.title()];
    await dropFiles(page, [expected.path()]);
    assertAlert(await alertText(page, expected.timeout), expected);
    await waitForRows(page);
    assert.deepEqual([await figures(page), await firstRows(page), await page.title()], before);
    // The table still responds to sorting, so its worker is alive.
    await sortBy(page, "Op", "ascending");
    const names = await column(page, "Op");
    assert.deepEqual(names, [...names].sort(compareNaturally));
    assert.notDeepEqual(await firstRows(page), before[1]);
    await page.keyboard.press("Escape");
    await page.getByRole("alert").waitFor({ state: "detached" });
  });
}

/** Returns the command line's report on a damaged file. The command must write the report and exit with code 1. */
function partialReport(file) {
  try {
    execFileSync(requiredPath("ROOFLIGHT_CLI"), ["breakdown", file, "--by", "category", "--step", "all", "--device", "all", "--json"], { stdio: "pipe" });
  } catch (error) {
    assert.equal(error.status, 1, String(error.stderr));
    return JSON.parse(error.stdout);
  }
  return assert.fail("the command line reports no damage");
}

async function assertPartial(page, file, wholeFile) {
  await dropFiles(page, [file]);
  await waitForTable(page);
  const strip = page.locator(".strip");
  assert.ok(await strip.isVisible());
  assert.match(await strip.innerText(), /^Partial\..* at byte [\d,]+\. .*(complete|kept).* Copy the file again\.$/s);
  assert.ok(await page.getByText("Partial file").isVisible());
  const report = partialReport(file);
  assert.equal(report.status, "partial");
  if (report.n_devices > 1) await pick(page, "device", /^Sum/);
  await pick(page, "step", "Whole capture");
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  await page.getByRole("grid", { name: "Time by category" }).waitFor();
  const executions = Object.fromEntries((await allRows(page)).map((row) => [row.Category, Number(row.Count.replaceAll(",", ""))]));
  assert.deepEqual(executions, Object.fromEntries(report.groups.map((group) => [group.key, group.n_executions])));
  // The partial report has some of the events of the whole file, but not all.
  const wholeReport = JSON.parse(execFileSync(requiredPath("ROOFLIGHT_CLI"), ["breakdown", wholeFile, "--by", "kind", "--step", "all", "--device", "all", "--json"]));
  assert.ok(report.totals.n_events_total > 0 && report.totals.n_events_total < wholeReport.totals.n_events_total);
}

onPage("the page shows the complete part of a truncated capture and reports the missing part", async ({ page }) => {
  await assertPartial(page, truncated(synth(), 0.7), synth());
});

const tpuCapture = tpu();
onPage("the page shows the complete part of a truncated real capture and reports the missing part", { needs: tpuCapture }, async ({ page }) => {
  await assertPartial(page, truncated(tpuCapture, 0.3, "cut-tpu.xplane.pb"), tpuCapture);
});

onPage("the page shows the complete planes before a plane that declares 2⁶³ bytes", async ({ page }) => {
  const file = write("endless-tail.xplane.pb", Buffer.concat([readFileSync(synth()), ENDLESS_PLANE]));
  await dropFiles(page, [file]);
  await waitForTable(page);
  assert.match(await page.locator(".strip").innerText(), /in plane 2, at byte [\d,]+\. Planes 0 to 1 are complete\./);
  assert.equal(await page.locator("#device-button").innerText().then((text) => text.replace(/\s+/g, " ").trim()), "Device Mean of 2");
});

onPage("a file of 3 GB with a capture at its beginning opens without a read of the rest", async ({ page }) => {
  const file = write("sparse-tail.xplane.pb", readFileSync(synth()), GIB3);
  await dropFiles(page, [file]);
  await waitForTable(page, 10_000);
  assert.match(await page.locator(".strip").innerText(), /[Bb]yte [\d,]+/);
});

onPage("a folder with one capture and other files opens the capture, and the notes name the skipped files", async ({ page }) => {
  const runFolder = emptyFolder("run/plugins/profile/2026_01_01");
  copyFileSync(synth(), join(runFolder, "host.xplane.pb"));
  write("run/notes.txt", Buffer.from("lr 3e-4\n"));
  write("run/plugins/profile/2026_01_01/picture.png", PNG);
  await dropFiles(page, [join(temporaryFolder, "run")]);
  await waitForTable(page);
  assert.equal(await page.title(), "host.xplane.pb · Rooflight");
  assert.equal(await page.getByRole("alert").count(), 0);
  await page.locator("#notes-button").click();
  await page.locator("#notes").getByText("neither an XSpace, a trace JSON nor a compiled program, skipped").waitFor();
});

onPage("a capture without device time shows which data the breakdown requires", async ({ page }) => {
  await dropFiles(page, [hostOnly()]);
  const empty = page.locator(".empty").first();
  await empty.waitFor();
  assert.match(await empty.innerText(), /Required data/);
  assert.ok((await empty.getByRole("row").count()) > 2);
  await dropFiles(page, [synth()]);
  await waitForTable(page);
});
