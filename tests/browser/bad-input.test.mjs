// Tests files that are no captures, or only a part of one. Each file is dropped twice with real drag events: on the
// landing page, and while a capture is open. Both times one message must name the problem, its place, the data that was
// kept and the remedy. An open capture must stay open.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ENDLESS_PLANE, PNG, cut, emptyFolder, folder, hostOnly, mangled, noise, synth, tpu, write } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, need, opened } from "./lib.mjs";
import { allRows, column, figures, naturally, pick, seenRows, settled, sortBy } from "./reading.mjs";

const GIB3 = 3 * 2 ** 30;

/**
 * By case: the path to drop, and the title and the patterns (`says`) of the expected message. `wait` is the time limit
 * for a large file, in ms.
 */
const CASES = {
  "an empty file": {
    path: () => write("empty.xplane.pb", Buffer.alloc(0)),
    title: "empty.xplane.pb is empty",
    says: [/0 bytes/, /capture again, or copy the file again/],
  },
  "random bytes": {
    path: () => write("noise.xplane.pb", noise(100_000)),
    title: "noise.xplane.pb is not an XLA profile",
    says: [/first bytes fit no known format/, /reads \.xplane\.pb/],
  },
  "a picture": {
    path: () => write("screenshot.png", PNG),
    title: "screenshot.png is not an XLA profile",
    says: [/It is a PNG/i, /reads \.xplane\.pb/],
  },
  "a capture that went through a text tool": {
    real: mangled,
    path: mangled,
    title: "utf8-mangled.xplane.pb could not be read",
    says: [/EF BF BD/, /First seen at byte [\d,]+/, /can’t be rebuilt/, /fetch it again/],
  },
  "a plane of 2⁶³ bytes": {
    path: () => write("endless.xplane.pb", ENDLESS_PLANE),
    title: /^endless\.xplane\.pb (could not be read|is not an XLA profile)$/,
    says: [/first bytes fit no known format|declares 9,223,372,036,854,775,808 bytes where 2 are left/],
  },
  "3 GB of nothing": {
    path: () => write("sparse.xplane.pb", Buffer.alloc(0), GIB3),
    title: "sparse.xplane.pb could not be read",
    says: [/starts with zero bytes/, /copy it again/],
    wait: 10_000,
  },
  "a folder without captures": {
    path: () => {
      write("logs/train.log", Buffer.from("step 1\nstep 2\n"));
      write("logs/sub/picture.png", PNG);
      return join(folder, "logs");
    },
    title: "No capture in this folder",
    says: [/Looked at 2 files/, /train\.log/, /plugins\/profile/],
  },
  "an empty folder": {
    path: () => emptyFolder("nothing"),
    title: "No file in nothing",
    says: [/The folder is empty/, /Drop the folder that holds/],
  },
};

/** Returns the title and the message of the only alert on the page. */
async function alert(page, wait = 30_000) {
  const alert = page.getByRole("alert");
  await alert.waitFor({ timeout: wait });
  assert.equal(await alert.count(), 1);
  assert.ok(await alert.isVisible());
  return [await alert.locator("b").innerText(), await alert.locator("p").innerText()];
}

function assertSaid([title, message], wanted) {
  if (wanted.title instanceof RegExp) assert.match(title, wanted.title);
  else assert.equal(title, wanted.title);
  for (const part of wanted.says) assert.match(message, part);
  assert.ok(message.length < 400, `one clear sentence, not ${message.length} letters`);
  assert.match(message, /[.!]$/, "a whole sentence");
}

for (const [name, wanted] of Object.entries(CASES)) {
  const needs = wanted.real ? { needs: wanted.real() } : {};

  onPage(`${name}: told on the landing page, and the page goes on`, needs, async ({ page }) => {
    await dropFiles(page, [wanted.path()]);
    assertSaid(await alert(page, wanted.wait), wanted);
    assert.ok(await page.getByRole("heading", { level: 1 }).isVisible(), "the landing page is still there");
    await dropFiles(page, [synth()]);
    await opened(page);
    assert.equal(await page.getByRole("alert").count(), 0, "what was told is gone");
  });

  onPage(`${name}: what was open stays open`, needs, async ({ page }) => {
    await dropFiles(page, [synth()]);
    await opened(page);
    await pick(page, "step", "Step 12");
    const before = [await figures(page), await seenRows(page), await page.title()];
    await dropFiles(page, [wanted.path()]);
    assertSaid(await alert(page, wanted.wait), wanted);
    await settled(page);
    assert.deepEqual([await figures(page), await seenRows(page), await page.title()], before);
    // The table still responds to sorting, so its worker is alive.
    await sortBy(page, "Op", "ascending");
    const names = await column(page, "Op");
    assert.deepEqual(names, [...names].sort(naturally));
    assert.notDeepEqual(await seenRows(page), before[1]);
    await page.keyboard.press("Escape");
    await page.getByRole("alert").waitFor({ state: "detached" });
  });
}

/** Returns the command line's report on a damaged file. The command must write the report and exit with code 1. */
function partialReport(file) {
  try {
    execFileSync(need("ROOFLIGHT_CLI"), ["breakdown", file, "--by", "category", "--step", "all", "--device", "all", "--json"], { stdio: "pipe" });
  } catch (error) {
    assert.equal(error.status, 1, String(error.stderr));
    return JSON.parse(error.stdout);
  }
  return assert.fail("the command line takes the file for whole");
}

async function assertPartial(page, file, whole) {
  await dropFiles(page, [file]);
  await opened(page);
  const strip = page.locator(".strip");
  assert.ok(await strip.isVisible());
  assert.match(await strip.innerText(), /^Partial\..* at byte [\d,]+\. .*(complete|kept).* Copy the file again\.$/s);
  assert.ok(await page.getByText("Partial file").isVisible());
  const report = partialReport(file);
  assert.equal(report.status, "partial");
  if (report.n_devices > 1) await pick(page, "device", /^All/);
  await pick(page, "step", "Whole capture");
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  await page.getByRole("grid", { name: "Time by category" }).waitFor();
  const runs = Object.fromEntries((await allRows(page)).map((row) => [row.Category, Number(row.Count.replaceAll(",", ""))]));
  assert.deepEqual(runs, Object.fromEntries(report.groups.map((group) => [group.key, group.n_executions])));
  // The partial report has some of the events of the whole file, but not all.
  const all = JSON.parse(execFileSync(need("ROOFLIGHT_CLI"), ["breakdown", whole, "--by", "kind", "--step", "all", "--device", "all", "--json"]));
  assert.ok(report.totals.n_events_total > 0 && report.totals.n_events_total < all.totals.n_events_total);
}

onPage("a capture cut short: what is there is shown, and what is missing is said", async ({ page }) => {
  await assertPartial(page, cut(synth(), 0.7), synth());
});

const realTpu = tpu();
onPage("the same with a real capture", { needs: realTpu }, async ({ page }) => {
  await assertPartial(page, cut(realTpu, 0.3, "cut-tpu.xplane.pb"), realTpu);
});

onPage("a plane of 2⁶³ bytes behind whole ones: the whole ones are shown", async ({ page }) => {
  const file = write("endless-tail.xplane.pb", Buffer.concat([readFileSync(synth()), ENDLESS_PLANE]));
  await dropFiles(page, [file]);
  await opened(page);
  assert.match(await page.locator(".strip").innerText(), /in plane 2, at byte [\d,]+\. Planes 0 to 1 are complete\./);
  assert.equal(await page.locator("#device-button").innerText().then((text) => text.replace(/\s+/g, " ").trim()), "Device TPU:0");
});

onPage("3 GB of which the beginning is a capture: answered without reading the rest", async ({ page }) => {
  const file = write("sparse-tail.xplane.pb", readFileSync(synth()), GIB3);
  await dropFiles(page, [file]);
  await opened(page, 10_000);
  assert.match(await page.locator(".strip").innerText(), /[Bb]yte [\d,]+/);
});

onPage("a folder with one capture and other files: the capture is opened, the others are named", async ({ page }) => {
  const run = emptyFolder("run/plugins/profile/2026_01_01");
  copyFileSync(synth(), join(run, "host.xplane.pb"));
  write("run/notes.txt", Buffer.from("lr 3e-4\n"));
  write("run/plugins/profile/2026_01_01/picture.png", PNG);
  await dropFiles(page, [join(folder, "run")]);
  await opened(page);
  assert.equal(await page.title(), "host.xplane.pb · Rooflight");
  assert.equal(await page.getByRole("alert").count(), 0);
  await page.locator("#notes-button").click();
  await page.locator("#notes").getByText("neither an XSpace, a trace JSON nor a compiled program, skipped").waitFor();
});

onPage("a capture without device time: says what is missing and what there is", async ({ page }) => {
  await dropFiles(page, [hostOnly()]);
  const empty = page.locator(".empty").first();
  await empty.waitFor();
  assert.match(await empty.innerText(), /Required data/);
  assert.ok((await empty.getByRole("row").count()) > 2);
  await dropFiles(page, [synth()]);
  await opened(page);
});
