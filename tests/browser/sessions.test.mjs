// These tests open several hosts as one session: as files, as a folder and as an archive, with a damaged host, and with
// a file too large for memory. They also check that the File view shows the data that a capture lacks.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { zip } from "./archives.mjs";
import { folder, made, real, synth, tpu, write } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, opened, pickFiles, reload, until } from "./lib.mjs";
import { figures, groupBy, opPanel, pick, settled } from "./reading.mjs";
import { printed } from "./written.mjs";

const v100 = () => real("gpu-v100", "host.xplane.pb");
const vllm = () => real("tpu-vllm-trace", "vllm.trace.json.gz");

/** Returns a field with number 100, which readers ignore. It makes each host differ: identical files count once. */
const own = (i) => Buffer.from([0xa0, 0x06, i]);
/** Returns `n` hosts with two devices each, as [name, bytes]. */
const hosts = (n) => Array.from({ length: n }, (_, i) => [`worker-${String(i).padStart(2, "0")}.xplane.pb`, Buffer.concat([readFileSync(synth()), own(i)])]);
/** Writes `files` into a folder of their own, and returns its path. */
function inFolder(name, files) {
  mkdirSync(join(folder, name, "plugins/profile/run"), { recursive: true });
  for (const [file, bytes] of files) write(join(name, "plugins/profile/run", file), bytes);
  return join(folder, name);
}
const devices = async (page) => {
  await page.locator("#device-button").click();
  const names = await until(() => page.locator("#device").getByRole("option").allInnerTexts(), (names) => names.length > 0);
  await page.keyboard.press("Escape");
  return names;
};
const files = async (page) => {
  await page.locator("#capture-button").click();
  const names = await page.locator(".session li").allInnerTexts();
  // Close the list with its button, because Esc would cancel a load.
  await page.locator("#capture-button").click();
  return names;
};

onPage("two, eight and sixty-four hosts, as files, as a folder and as an archive, are one session", { timeout: 300_000 }, async ({ page }) => {
  for (const n of [2, 8, 64]) {
    const all = hosts(n);
    const paths = all.map(([name, bytes]) => write(join(`files-${n}`, name), bytes));
    const archive = write(`hosts-${n}.zip`, zip(all));
    const seen = [];
    for (const [what, paths_] of [["files", paths], ["folder", [inFolder(`run-${n}`, all)]], ["archive", [archive]]]) {
      await dropFiles(page, paths_);
      const first = { files: "worker-00", folder: `run-${n}/plugins/profile/run/worker-00`, archive: `hosts-${n}.zip/worker-00` }[what];
      await until(() => page.title(), (is) => is.startsWith(`worker-00.xplane.pb + ${n - 1} `));
      await opened(page);
      await until(() => files(page), (names) => names.length === n && names[0].startsWith(first));
      assert.equal((await files(page)).length, n, what);
      await pick(page, "device", "All");
      // The list holds only the entries in view, so read the number of devices from its first entry.
      await until(() => devices(page), ([all]) => all.startsWith(`All ${2 * n}, sum`));
      seen.push(JSON.stringify(await figures(page)));
      assert.equal(await page.locator(".strip").count(), 0, what);
    }
    assert.equal(new Set(seen).size, 1, `${n} hosts: ${seen.join("\n")}`);
  }
});

onPage("one host of eight cut in half: the others are whole, and it is said which is not", async ({ page }) => {
  const all = hosts(8);
  all[3][1] = all[3][1].subarray(0, all[3][1].length / 2);
  await dropFiles(page, [write("cut-hosts.zip", zip(all))]);
  await opened(page);
  const strip = page.locator(".strip");
  assert.match(await strip.innerText(), /Partial\..*worker-03\.xplane\.pb/s);
  assert.equal((await files(page)).length, 8);
});

onPage("an archive that unpacks to far more than a capture does, one within another, and one of nothing", async ({ page }) => {
  const bomb = zip([["a.xplane.pb", Buffer.concat([readFileSync(synth()), Buffer.alloc(300 << 20)])]]);
  const cases = [
    [write("bomb.zip", bomb), /bomb\.zip|a\.xplane\.pb/],
    [write("bomb.xplane.pb.gz", gzipSync(Buffer.alloc(300 << 20))), /bomb\.xplane\.pb\.gz/],
    [write("nested.zip", zip([["inner.zip", zip([["a.xplane.pb", readFileSync(synth())]])]])), /nested\.zip|inner\.zip/],
    [write("nothing.zip", zip([])), /nothing\.zip/],
    [write("deep.trace.json", Buffer.from(`{"traceEvents":${"[".repeat(100_000)}`)), /deep\.trace\.json/],
  ];
  for (const [path, said] of cases) {
    await dropFiles(page, [path]);
    await until(() => page.locator(".failed, .strip, .toast").allInnerTexts().then((all) => all.join(" ")), (text) => said.test(text), 60_000);
  }
  await pickFiles(page, [synth()]);
  await opened(page);
});

onPage("a file larger than memory: planes are chosen; devices first, the rest left out and said", async ({ page }) => {
  // A plane of a host whose line has 4.8 GB. The file has a hole in place of these bytes, which takes no disk space.
  const bytes = (n) => (n < 128 ? [n] : [(n % 128) + 128, ...bytes(Math.floor(n / 128))]);
  const line = 4_800_000_000;
  const name = Buffer.from("/host:CPU");
  const head = [0x12, name.length, ...name, 0x1a, ...bytes(line)];
  const plane = Buffer.from([0x0a, ...bytes(head.length + line), ...head]);
  const capture = readFileSync(made("--steps", "3").captures[0]);
  const path = write("large.xplane.pb", Buffer.concat([capture, plane]), capture.length + plane.length + line);
  await dropFiles(page, [path]);
  const dialog = page.getByRole("dialog");
  await dialog.waitFor({ timeout: 30_000 });
  assert.match(await dialog.locator("h1").innerText(), /^4\.5 GiB does not fit into memory$/);
  const rows = await dialog.locator("tbody tr").evaluateAll((rows) => rows.map((row) => [row.cells[0].textContent.trim(), row.querySelector("input").checked]));
  assert.ok(rows.some(([name, chosen]) => name === "/device:TPU:0" && chosen), JSON.stringify(rows));
  assert.deepEqual(rows.filter(([, chosen]) => !chosen), [["/host:CPU", false]]);
  await page.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(await page.locator(".landing").count(), 1);
  await dropFiles(page, [path]);
  const host = dialog.getByRole("checkbox").last();
  await host.check();
  await dialog.getByRole("button", { name: "Open anyway" }).waitFor();
  await host.uncheck();
  await dialog.getByRole("button", { name: "Open selection" }).click();
  await opened(page);
  const seen = await figures(page);
  await page.keyboard.press("8");
  await page.locator(".file-quality").getByText(/1 plane left out, as chosen/).waitFor();
  await pickFiles(page, [made("--steps", "3").captures[0]]);
  await until(() => page.title(), (is) => is.startsWith("worker-0"));
  await page.keyboard.press("2");
  await until(() => figures(page), (now) => JSON.stringify(now) === JSON.stringify(seen));
});

onPage("what the capture lacks is told with what follows and what fills it, as the command line has it", { needs: tpu() }, async ({ page }) => {
  for (const file of [tpu(), v100(), vllm()]) {
    await reload(page);
    await pickFiles(page, [file]);
    // The address keeps the view of the previous file, so choose the File view explicitly.
    await page.locator("#tab-file").click();
    const { quality } = JSON.parse(printed("inspect", file, "--json"));
    const rows = page.locator(".quality-rows tbody tr");
    await until(() => rows.count(), (n) => n === quality.length);
    const told = await rows.evaluateAll((rows) => rows.map((row) => [row.cells[2].textContent, row.cells[3].textContent]));
    assert.deepEqual(told, quality.map((one) => [one.consequence, one.remedy ?? "–"]));
  }
});

onPage("a device that computes comes first; the address says another, also the first", { needs: v100() }, async ({ page }) => {
  await pickFiles(page, [v100()]);
  await opened(page);
  const label = () => page.locator("#device-button").innerText();
  const usual = await label();
  const names = await devices(page);
  const first = names.find((name) => !name.startsWith("All"));
  assert.ok(!first.startsWith(usual.replace(/^Device\s*/, "").trim()), `${usual} comes first, and is the first of ${names}`);
  await pick(page, "device", first.trim().split(/\s/)[0]);
  await until(() => page.evaluate(() => location.hash), (hash) => /device=0/.test(hash));
});

onPage("what was chosen in a capture goes when it is closed: the next one is shown as it comes", async ({ page }) => {
  await pickFiles(page, [synth()]);
  await opened(page);
  const before = await figures(page);
  await page.getByRole("button", { name: "Next step" }).click();
  await groupBy(page, "Op");
  await settled(page);
  await page.locator("[data-row='2'] [data-column='0']").focus();
  await page.keyboard.press("Enter");
  await opPanel(page).waitFor();
  await until(() => page.url(), (url) => /op=/.test(url));
  await page.locator("#capture-button").click();
  await page.locator("#capture").getByRole("button", { name: "Close", exact: true }).click();
  await page.getByText("Drop a capture anywhere").waitFor();
  await until(() => new URL(page.url()).hash, (hash) => hash.length < 2);
  await pickFiles(page, [synth()]);
  await opened(page);
  assert.equal(await opPanel(page).count(), 0);
  await until(() => figures(page), (now) => JSON.stringify(now) === JSON.stringify(before));
});
