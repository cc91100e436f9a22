// Tests captures that the browser keeps on this device: the page keeps them only on request, lists them with their
// sizes, opens them again after a restart, and deletes them.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { made, synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { opened, pickFiles, reload, started, stays, until } from "./lib.mjs";
import { figures } from "./reading.mjs";
import { link, share } from "./sharing.mjs";

const capture = () => made("--steps", "3").captures[0];
const rows = (page) => page.locator(".kept tbody tr");
const told = (page) => rows(page).evaluateAll((rows) => rows.map((row) => [...row.cells].slice(0, 3).map((cell) => cell.textContent.trim())));

/** Opens the landing page without a fragment in the URL. A reload would open the kept capture again. */
async function home(page) {
  const [url] = page.url().split("#");
  await page.goto("about:blank");
  await page.goto(url);
  await started(page);
}

/** Opens files on the landing page and keeps them. On a page with an open capture, `opened` would return at once. */
async function keep(page, files) {
  await home(page);
  await pickFiles(page, files);
  await opened(page);
  await page.locator("header .pick").first().click();
  await page.getByRole("button", { name: "Keep on this device" }).click();
  await page.locator(".toast.passing", { hasText: "is kept on this device" }).last().waitFor();
}

/** Returns the sizes of all files in the page's private storage (OPFS), in ascending order, in bytes. */
const stored = (page) =>
  page.evaluate(async () => {
    const names = [];
    const walk = async (folder, path) => {
      for await (const [name, handle] of folder.entries()) {
        if (handle.kind === "directory") await walk(handle, `${path}${name}/`);
        else names.push((await handle.getFile()).size);
      }
    };
    await walk(await navigator.storage.getDirectory(), "");
    return names.sort((a, b) => a - b);
  });

onPage("nothing is kept unasked; what is kept opens again, with its figures, and is forgotten with its bytes", async ({ page }) => {
  await pickFiles(page, [capture()]);
  await opened(page);
  assert.deepEqual(await stored(page), []);
  const seen = await figures(page);
  await keep(page, [capture()]);
  const size = statSync(capture()).size;
  assert.ok((await stored(page)).includes(size));
  await home(page);
  await rows(page).first().waitFor();
  const [[name, about, bytes]] = await told(page);
  assert.equal(name, "worker-0.xplane.pb");
  assert.match(about, /^TPU v5 × 8$/);
  assert.equal(bytes, size < 2 ** 20 ? `${(size / 2 ** 10).toFixed(1)} KiB` : `${(size / 2 ** 20).toFixed(1)} MiB`);
  await page.locator(".kept").getByRole("button", { name, exact: true }).click();
  await opened(page);
  assert.deepEqual(await figures(page), seen);
  await home(page);
  await page.getByRole("button", { name: `Forget ${name}` }).click();
  await until(() => rows(page).count(), (n) => n === 0);
  assert.ok(!(await stored(page)).includes(size), "its bytes are gone");
});

onPage("a reload opens what is kept, as it was looked at; without the file it says which one is needed", async ({ page }) => {
  await keep(page, [capture()]);
  await page.keyboard.press("4");
  await until(() => page.url(), (url) => url.includes("kept=") && url.includes("view=memory") && url.includes("capture=worker-0.xplane.pb"));
  await reload(page);
  await page.locator("#tab-memory[aria-selected=true]").waitFor();
  assert.match(await page.title(), /^worker-0\.xplane\.pb/);
  // A shared link contains neither the name of the file nor its place in the storage.
  await page.keyboard.press("2");
  await opened(page);
  await share(page);
  assert.ok(!/kept=|capture=/.test(await link(page)));
  const address = page.url();
  await page.goto("about:blank");
  await page.goto(address.replace(/kept=[^&]*/, "kept=none"));
  await page.getByText("This link needs worker-0.xplane.pb: drop it here.").waitFor();
  await pickFiles(page, [capture()]);
  await opened(page);
  await page.goto("about:blank");
  await page.goto(`${address.split("#")[0]}#v=1&view=memory`);
  await page.getByText("This link needs the capture that it was made from: drop it here.").waitFor();
  await page.goto("about:blank");
  await page.goto(address.split("#")[0]);
  await rows(page).first().waitFor();
  assert.equal(await page.getByText("This link needs").count(), 0);
});

onPage("what no list names is taken away: a tab closed while it kept, a list that is damaged; what a newer build keeps is not", async ({ page, server }) => {
  await keep(page, [capture()]);
  const size = statSync(capture()).size;
  const write = (name, bytes, folder) => page.evaluate(async ({ name, bytes, folder }) => {
    let at = await (await navigator.storage.getDirectory()).getDirectoryHandle("kept", { create: true });
    if (folder) at = await at.getDirectoryHandle(folder, { create: true });
    const stream = await (await at.getFileHandle(name, { create: true })).createWritable();
    await stream.write(new Uint8Array(bytes));
    await stream.close();
  }, { name, bytes, folder });
  await write("0", [1, 2, 3, 4, 5, 6, 7], "abandoned");
  assert.ok((await stored(page)).includes(7));
  await page.goto("about:blank");
  await page.goto(server.url);
  await rows(page).first().waitFor();
  await until(() => stored(page), (sizes) => !sizes.includes(7) && sizes.includes(size));
  await write("list", [2, 1, 1, 1]);
  await home(page);
  // The list has the format of a newer build, so the page must not delete files.
  await stays(() => stored(page), (sizes) => sizes.includes(size));
  await page.evaluate(() => localStorage.setItem("rooflight.kept", "1"));
  await write("list", Array.from({ length: 50 }, () => 255));
  await home(page);
  await until(() => stored(page), (sizes) => !sizes.includes(size));
});

onPage("no room: said in one sentence", async ({ page }) => {
  await pickFiles(page, [capture()]);
  await opened(page);
  await page.evaluate(() => {
    FileSystemFileHandle.prototype.createWritable = () => Promise.reject(new DOMException("The storage quota is exceeded.", "QuotaExceededError"));
  });
  await page.locator("header .pick").first().click();
  await page.getByRole("button", { name: "Keep on this device" }).click();
  const alert = page.getByRole("alert");
  await alert.waitFor();
  assert.match(await alert.innerText(), /The browser says: The storage quota is exceeded\. What is open stays open\./);
});

onPage("of a report in a link there is no file to keep", async ({ page }) => {
  await pickFiles(page, [capture()]);
  await opened(page);
  await share(page);
  const address = await link(page);
  await page.goto("about:blank");
  await page.goto(address);
  await opened(page);
  await page.locator("header .pick").first().click();
  await page.getByRole("button", { name: "Choose files" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Keep on this device" }).count(), 0);
});

onPage("several files are one; the newest first; the same again is one; all are forgotten at once", async ({ page }) => {
  await keep(page, [capture()]);
  await keep(page, [capture(), synth()]);
  await keep(page, [capture()]);
  await home(page);
  await until(() => rows(page).count(), (n) => n === 2);
  const [first, second] = await told(page);
  assert.equal(first[0], "worker-0.xplane.pb");
  assert.match(second[0], / \+ 1$/);
  await page.locator(".kept").getByRole("button", { name: second[0], exact: true }).click();
  await opened(page);
  await page.locator("header .pick").first().click();
  assert.equal(await page.locator(".session li").count(), 2);
  await home(page);
  await page.getByRole("button", { name: "forget all" }).click();
  await until(() => rows(page).count(), (n) => n === 0);
  assert.deepEqual(await stored(page), []);
});
