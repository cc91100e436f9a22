// These tests open several hosts as one session: as files, as a folder and as an archive, with a damaged host, and with
// a file too large for memory. They also check that the File view shows the data that a capture lacks.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { zip } from "./archives.mjs";
import { hostFiles, realCapture, simulatedRun, synth, temporaryFolder, tpu, vllm, write } from "./captures.mjs";
import { cliOutput } from "./expected_values.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, pickFiles, reload, waitForTable, waitUntil } from "./lib.mjs";
import { figures, groupBy, opPanel, pick, waitForRows } from "./page_helpers.mjs";

const v100 = () => realCapture("gpu-v100", "host.xplane.pb");

/** Writes `files` into a folder of their own, and returns its path. */
function writeFolder(name, files) {
  mkdirSync(join(temporaryFolder, name, "plugins/profile/run"), { recursive: true });
  for (const [file, bytes] of files) write(join(name, "plugins/profile/run", file), bytes);
  return join(temporaryFolder, name);
}
const deviceNames = async (page) => {
  await page.locator("#device-button").click();
  const names = await waitUntil(() => page.locator("#device").getByRole("option").allInnerTexts(), (names) => names.length > 0);
  await page.keyboard.press("Escape");
  return names;
};
const fileNames = async (page) => {
  await page.locator("#capture-button").click();
  const names = await page.locator(".session li").allInnerTexts();
  // Close the list with its button, because Esc would cancel a load.
  await page.locator("#capture-button").click();
  return names;
};

onPage("2, 8 and 64 hosts open as one session from files, from a folder and from an archive", { timeout: 300_000 }, async ({ page }) => {
  for (const n of [2, 8, 64]) {
    const hosts = hostFiles(n);
    const paths = hosts.map(([name, bytes]) => write(join(`files-${n}`, name), bytes));
    const archive = write(`hosts-${n}.zip`, zip(hosts));
    const shownFigures = [];
    for (const [form, droppedPaths] of [["files", paths], ["folder", [writeFolder(`run-${n}`, hosts)]], ["archive", [archive]]]) {
      await dropFiles(page, droppedPaths);
      const firstName = { files: "worker-00", folder: `run-${n}/plugins/profile/run/worker-00`, archive: `hosts-${n}.zip/worker-00` }[form];
      await waitUntil(() => page.title(), (title) => title.startsWith(`worker-00.xplane.pb + ${n - 1} `));
      await waitForTable(page);
      await waitUntil(() => fileNames(page), (names) => names.length === n && names[0].startsWith(firstName));
      assert.equal((await fileNames(page)).length, n, form);
      await pick(page, "device", /^Sum/);
      // The list holds only the entries in view, so read the number of devices from its first entries.
      await waitUntil(() => deviceNames(page), ([mean, sum]) => mean.startsWith(`Mean of ${2 * n}`) && sum.startsWith(`Sum of ${2 * n}`));
      shownFigures.push(JSON.stringify(await figures(page)));
      assert.equal(await page.locator(".strip").count(), 0, form);
    }
    assert.equal(new Set(shownFigures).size, 1, `${n} hosts: ${shownFigures.join("\n")}`);
  }
});

onPage("a dropped host is added to the open one", { view: "" }, async ({ page }) => {
  const [first, second] = hostFiles(2).map(([name, bytes]) => write(join("added", name), bytes));
  const shown = () => page.locator("#capture-button").innerText();
  await dropFiles(page, [first]);
  await page.locator(".verdict").waitFor();
  await dropFiles(page, [second], { x: 1300 });
  await waitUntil(shown, (name) => /\+ 1$/.test(name.trim()));
});

onPage("when one of eight hosts is truncated, all hosts open and the page names the truncated one", async ({ page }) => {
  const hosts = hostFiles(8);
  hosts[3][1] = hosts[3][1].subarray(0, hosts[3][1].length / 2);
  await dropFiles(page, [write("cut-hosts.zip", zip(hosts))]);
  await waitForTable(page);
  const strip = page.locator(".strip");
  assert.match(await strip.innerText(), /Partial\..*worker-03\.xplane\.pb/s);
  assert.equal((await fileNames(page)).length, 8);
});

onPage("archives that expand too far, nested archives, empty archives and deep JSON are reported", async ({ page }) => {
  const bomb = zip([["a.xplane.pb", Buffer.concat([readFileSync(synth()), Buffer.alloc(300 << 20)])]]);
  const cases = [
    [write("bomb.zip", bomb), /bomb\.zip|a\.xplane\.pb/],
    [write("bomb.xplane.pb.gz", gzipSync(Buffer.alloc(300 << 20))), /bomb\.xplane\.pb\.gz/],
    [write("nested.zip", zip([["inner.zip", zip([["a.xplane.pb", readFileSync(synth())]])]])), /nested\.zip|inner\.zip/],
    [write("nothing.zip", zip([])), /nothing\.zip/],
    [write("deep.trace.json", Buffer.from(`{"traceEvents":${"[".repeat(100_000)}`)), /deep\.trace\.json/],
  ];
  for (const [path, pattern] of cases) {
    await dropFiles(page, [path]);
    await waitUntil(() => page.locator(".failed, .strip, .toast").allInnerTexts().then((all) => all.join(" ")), (text) => pattern.test(text), 60_000);
  }
  await pickFiles(page, [synth()]);
  await waitForTable(page);
});

onPage("a file larger than memory opens with selected planes, and the File view reports the planes left out", { view: "" }, async ({ page }) => {
  // Both captures open in the overview, whose device the breakdown shows. A plane of a host whose line has 4.8 GB. The file has a hole in place of these bytes, which takes no disk space.
  const bytes = (n) => (n < 128 ? [n] : [(n % 128) + 128, ...bytes(Math.floor(n / 128))]);
  const lineLength = 4_800_000_000;
  const name = Buffer.from("/host:CPU");
  const head = [0x12, name.length, ...name, 0x1a, ...bytes(lineLength)];
  const plane = Buffer.from([0x0a, ...bytes(head.length + lineLength), ...head]);
  const capture = readFileSync(simulatedRun("--steps", "3").captures[0]);
  const path = write("large.xplane.pb", Buffer.concat([capture, plane]), capture.length + plane.length + lineLength);
  await dropFiles(page, [path]);
  const dialog = page.getByRole("dialog");
  await dialog.waitFor({ timeout: 30_000 });
  assert.match(await dialog.locator("h1").innerText(), /^4\.5 GiB does not fit into memory$/);
  const rows = await dialog.locator("tbody tr").evaluateAll((rows) => rows.map((row) => [row.cells[0].textContent.trim(), row.querySelector("input").checked]));
  assert.ok(rows.some(([name, isChecked]) => name === "/device:TPU:0" && isChecked), JSON.stringify(rows));
  assert.deepEqual(rows.filter(([, isChecked]) => !isChecked), [["/host:CPU", false]]);
  await page.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(await page.locator(".landing").count(), 1);
  await dropFiles(page, [path]);
  const hostCheckbox = dialog.getByRole("checkbox").last();
  await hostCheckbox.check();
  await dialog.getByRole("button", { name: "Open anyway" }).waitFor();
  await hostCheckbox.uncheck();
  await dialog.getByRole("button", { name: "Open selection" }).click();
  await waitForTable(page);
  const figuresBefore = await figures(page);
  await page.keyboard.press("8");
  await page.locator(".file-quality").getByText(/1 plane left out, as chosen/).waitFor();
  await pickFiles(page, [simulatedRun("--steps", "3").captures[0]]);
  await waitUntil(() => page.title(), (title) => title.startsWith("worker-0"));
  await page.keyboard.press("2");
  await waitUntil(() => figures(page), (current) => JSON.stringify(current) === JSON.stringify(figuresBefore));
});

onPage("the File view lists the missing data with consequences and remedies, as the command line does", { needs: tpu() }, async ({ page }) => {
  for (const file of [tpu(), v100(), vllm()]) {
    await reload(page);
    await pickFiles(page, [file]);
    // The address keeps the view of the previous file, so choose the File view explicitly.
    await page.locator("#tab-file").click();
    const { quality } = JSON.parse(cliOutput("inspect", file, "--json"));
    const rows = page.locator(".quality-rows tbody tr");
    await waitUntil(() => rows.count(), (n) => n === quality.length);
    const shown = await rows.evaluateAll((rows) => rows.map((row) => [row.cells[2].textContent, row.cells[3].textContent]));
    assert.deepEqual(shown, quality.map((item) => [item.consequence, item.remedy ?? "–"]));
  }
});

onPage("the default device is one that computes, and the URL keeps the choice of another device", { needs: v100() }, async ({ page }) => {
  await pickFiles(page, [v100()]);
  await waitForTable(page);
  const deviceLabel = () => page.locator("#device-button").innerText();
  const defaultDevice = await deviceLabel();
  const names = await deviceNames(page);
  const firstDevice = names.find((name) => !/^(Mean|Sum)/.test(name));
  assert.ok(!firstDevice.startsWith(defaultDevice.replace(/^Device\s*/, "").trim()), `the default device ${defaultDevice} is the first of ${names}`);
  await pick(page, "device", firstDevice.trim().split(/\s/)[0]);
  await waitUntil(() => page.evaluate(() => location.hash), (hash) => /device=0/.test(hash));
});

onPage("a closed capture leaves no choices behind for the next capture", async ({ page }) => {
  await pickFiles(page, [synth()]);
  await waitForTable(page);
  const before = await figures(page);
  await page.getByRole("button", { name: "Next step" }).click();
  await groupBy(page, "Op");
  await waitForRows(page);
  await page.locator("[data-row='2'] [data-column='0']").focus();
  await page.keyboard.press("Enter");
  await opPanel(page).waitFor();
  await waitUntil(() => page.url(), (url) => /op=/.test(url));
  await page.locator("#capture-button").click();
  await page.locator("#capture").getByRole("button", { name: "Close", exact: true }).click();
  await page.getByText("Drop a capture anywhere").waitFor();
  await waitUntil(() => new URL(page.url()).hash, (hash) => hash.length < 2);
  await pickFiles(page, [synth()]);
  await waitForTable(page);
  assert.equal(await opPanel(page).count(), 0);
  await waitUntil(() => figures(page), (current) => JSON.stringify(current) === JSON.stringify(before));
});
