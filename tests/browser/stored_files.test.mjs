// Tests captures that the browser stores on this device: the page stores them only on request, lists them with their
// sizes, opens them again after a restart, and deletes them.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { hostFiles, simulatedRun, synth, write } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { assertStays, pickFiles, reload, waitForTable, waitUntil } from "./lib.mjs";
import { figures, openLandingPage, pick } from "./page_helpers.mjs";
import { link, share } from "./sharing.mjs";

const capture = () => simulatedRun("--steps", "3").captures[0];
const storedRows = (page) => page.locator(".kept tbody tr");
const storedRowTexts = (page) => storedRows(page).evaluateAll((rows) => rows.map((row) => [...row.cells].slice(0, 3).map((cell) => cell.textContent.trim())));

/**
 * Opens files on the landing page and stores them on the device. On a page with an open capture, `waitForTable` would
 * return at once.
 */
async function keepFiles(page, files) {
  await openLandingPage(page);
  await pickFiles(page, files);
  await waitForTable(page);
  await page.locator("header .pick").first().click();
  await page.getByRole("button", { name: "Keep on this device" }).click();
  await page.locator(".toast.passing", { hasText: "is kept on this device" }).last().waitFor();
}

/**
 * Returns the sizes of all files in the page's private storage (OPFS), in ascending order, in bytes. The page may delete
 * files meanwhile, so files and folders that have just disappeared are left out.
 */
const storedSizes = (page) =>
  page.evaluate(async () => {
    const sizes = [];
    const visit = async (folder) => {
      for await (const handle of folder.values()) {
        if (handle.kind === "directory") await unlessDeleted(visit(handle));
        else sizes.push((await unlessDeleted(handle.getFile()))?.size);
      }
    };
    const unlessDeleted = (promise) => promise.catch((error) => {
      if (error.name !== "NotFoundError") throw error;
    });
    await visit(await navigator.storage.getDirectory());
    return sizes.filter((size) => size !== undefined).sort((a, b) => a - b);
  });

onPage("a capture is stored only on request, opens again with the same figures, and is deleted completely", async ({ page }) => {
  await pickFiles(page, [capture()]);
  await waitForTable(page);
  assert.deepEqual(await storedSizes(page), []);
  const figuresBefore = await figures(page);
  await keepFiles(page, [capture()]);
  const size = statSync(capture()).size;
  assert.ok((await storedSizes(page)).includes(size));
  await openLandingPage(page);
  await storedRows(page).first().waitFor();
  const [[name, deviceText, sizeText]] = await storedRowTexts(page);
  assert.equal(name, "worker-0.xplane.pb");
  assert.match(deviceText, /^TPU v5p × 8$/);
  assert.equal(sizeText, size < 2 ** 20 ? `${(size / 2 ** 10).toFixed(1)} KiB` : `${(size / 2 ** 20).toFixed(1)} MiB`);
  await page.locator(".kept").getByRole("button", { name, exact: true }).click();
  await waitForTable(page);
  // The overview came first, whose device all views show.
  await pick(page, "device", "Mean of");
  assert.deepEqual(await waitUntil(() => figures(page), (values) => isDeepStrictEqual(values, figuresBefore)), figuresBefore);
  await openLandingPage(page);
  await page.getByRole("button", { name: `Forget ${name}` }).click();
  await waitUntil(() => storedRows(page).count(), (n) => n === 0);
  assert.ok(!(await storedSizes(page)).includes(size), "the bytes of the capture are deleted");
});

onPage("a reload opens the stored capture in the same view, and a link to a missing capture names it", async ({ page }) => {
  await keepFiles(page, [capture()]);
  await page.keyboard.press("4");
  await waitUntil(() => page.url(), (url) => url.includes("kept=") && url.includes("view=memory") && url.includes("capture=worker-0.xplane.pb"));
  await reload(page);
  await page.locator("#tab-memory[aria-selected=true]").waitFor();
  assert.match(await page.title(), /^worker-0\.xplane\.pb/);
  // A shared link contains neither the name of the file nor its place in the storage.
  await page.keyboard.press("2");
  await waitForTable(page);
  await share(page);
  assert.ok(!/kept=|capture=/.test(await link(page)));
  const address = page.url();
  await page.goto("about:blank");
  await page.goto(address.replace(/kept=[^&]*/, "kept=none"));
  await page.getByText("This link needs worker-0.xplane.pb: drop it here.").waitFor();
  await pickFiles(page, [capture()]);
  await waitForTable(page);
  await page.goto("about:blank");
  await page.goto(`${address.split("#")[0]}#v=1&view=memory`);
  await page.getByText("This link needs the capture that it was made from: drop it here.").waitFor();
  await page.goto("about:blank");
  await page.goto(address.split("#")[0]);
  await storedRows(page).first().waitFor();
  assert.equal(await page.getByText("This link needs").count(), 0);
});

onPage("stored files without an entry in the list are deleted, unless a newer build wrote the list", async ({ page, server }) => {
  await keepFiles(page, [capture()]);
  const size = statSync(capture()).size;
  const writeStored = (name, bytes, folder) => page.evaluate(async ({ name, bytes, folder }) => {
    let directory = await (await navigator.storage.getDirectory()).getDirectoryHandle("kept", { create: true });
    if (folder) directory = await directory.getDirectoryHandle(folder, { create: true });
    const stream = await (await directory.getFileHandle(name, { create: true })).createWritable();
    await stream.write(new Uint8Array(bytes));
    await stream.close();
  }, { name, bytes, folder });
  await writeStored("0", [1, 2, 3, 4, 5, 6, 7], "abandoned");
  assert.ok((await storedSizes(page)).includes(7));
  await page.goto("about:blank");
  await page.goto(server.url);
  await storedRows(page).first().waitFor();
  await waitUntil(() => storedSizes(page), (sizes) => !sizes.includes(7) && sizes.includes(size));
  await writeStored("list", [2, 1, 1, 1]);
  await openLandingPage(page);
  // The list has the format of a newer build, so the page must not delete files.
  await assertStays(() => storedSizes(page), (sizes) => sizes.includes(size));
  await page.evaluate(() => localStorage.setItem("rooflight.kept", "1"));
  await writeStored("list", Array.from({ length: 50 }, () => 255));
  await openLandingPage(page);
  await waitUntil(() => storedSizes(page), (sizes) => !sizes.includes(size));
});

onPage("a stored file that has another size is named, and nothing is deleted if the list cannot be read", async ({ page }) => {
  await keepFiles(page, [capture()]);
  await waitUntil(() => page.url(), (url) => url.includes("kept="));
  const size = statSync(capture()).size;
  await page.addInitScript(() => {
    // An empty page has no files.
    if (!window.FileSystemFileHandle) return;
    const { getFile } = FileSystemFileHandle.prototype;
    FileSystemFileHandle.prototype.getFile = function () {
      if (this.name !== "list" || !sessionStorage.refused) return getFile.call(this);
      sessionStorage.refused = Number(sessionStorage.refused) + 1;
      return Promise.reject(new DOMException("no", "NotReadableError"));
    };
  });
  await page.evaluate(() => (sessionStorage.refused = 0));
  await openLandingPage(page);
  await waitUntil(() => page.evaluate(() => Number(sessionStorage.refused)), (n) => n >= 2);
  await page.evaluate(() => delete sessionStorage.refused);
  await assertStays(() => storedSizes(page), (sizes) => sizes.includes(size));
  await page.evaluate(async () => {
    const kept = await (await navigator.storage.getDirectory()).getDirectoryHandle("kept");
    for await (const folder of kept.values()) {
      if (folder.kind !== "directory") continue;
      const stream = await (await folder.getFileHandle("0")).createWritable();
      await stream.write(new Uint8Array(3));
      await stream.close();
    }
  });
  await openLandingPage(page);
  await storedRows(page).first().getByRole("button").first().click();
  await page.getByText(`Its files have 3 bytes, and ${size} were stored. Forget it, and open the files again.`).waitFor();
});

onPage("a full storage is reported with the reason of the browser", async ({ page }) => {
  await pickFiles(page, [capture()]);
  await waitForTable(page);
  await page.evaluate(() => {
    FileSystemFileHandle.prototype.createWritable = () => Promise.reject(new DOMException("The storage quota is exceeded.", "QuotaExceededError"));
  });
  await page.locator("header .pick").first().click();
  await page.getByRole("button", { name: "Keep on this device" }).click();
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.match(await alert.innerText(), /The browser says: The storage quota is exceeded\. What is open stays open\./);
});

onPage("a report from a link cannot be stored", async ({ page }) => {
  await pickFiles(page, [capture()]);
  await waitForTable(page);
  await share(page);
  const address = await link(page);
  await page.goto("about:blank");
  await page.goto(address);
  await waitForTable(page);
  await page.locator("header .pick").first().click();
  await page.getByRole("button", { name: "Choose files" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Keep on this device" }).count(), 0);
});

onPage("files of one session are one entry, the newest entry is first, a repeated entry is stored once, and all entries can be deleted", async ({ page }) => {
  const hosts = hostFiles(2).map(([name, bytes]) => write(name, bytes));
  await keepFiles(page, hosts.slice(0, 1));
  await keepFiles(page, hosts);
  await keepFiles(page, hosts.slice(0, 1));
  await openLandingPage(page);
  await waitUntil(() => storedRows(page).count(), (n) => n === 2);
  const [first, second] = await storedRowTexts(page);
  assert.equal(first[0], "worker-00.xplane.pb");
  assert.match(second[0], / \+ 1$/);
  await page.locator(".kept").getByRole("button", { name: second[0], exact: true }).click();
  await waitForTable(page);
  await page.locator("header .pick").first().click();
  assert.equal(await page.locator(".session li").count(), 2);
  await openLandingPage(page);
  await page.getByRole("button", { name: "forget all" }).click();
  await waitUntil(() => storedRows(page).count(), (n) => n === 0);
  assert.deepEqual(await storedSizes(page), []);
});
