// These tests share a capture in three forms: a link that opens with no file and no network, an HTML file that opens
// from a disk, and a report file. They also check that removed texts are in none of these forms.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import { crc32 } from "node:zlib";
import { folder, made, repository } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, launch, need, open, opened, pickFiles, started, stays, until } from "./lib.mjs";
import { allRows, figures, groupBy, settled } from "./reading.mjs";
import { inside, length, link, report, save, share, unpacked } from "./sharing.mjs";

const capture = () => made("--steps", "3").captures[0];
const SUMMARY = /^This is a summary of worker-0.xplane.pb; it holds step/;
/** Patterns of the capture's source paths. */
const SOURCES = [/moe\.py/, /attention\.py/, /train\.py/, /model\//];

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

async function openCapture(page) {
  await pickFiles(page, [capture()]);
  await opened(page);
}

const summary = (page) => page.locator(".strip.summary");
const view = async (page, name) => {
  await page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
  await page.getByRole("tabpanel", { name: new RegExp(`^${name}`) }).first().waitFor();
};

onPage("a link opens in a fresh profile with no file and, after one visit, no network", { permissions: ["clipboard-read", "clipboard-write"] }, async ({ page, server }) => {
  await openCapture(page);
  await view(page, "Roofline");
  await share(page);
  const made = await link(page);
  assert.ok(made.startsWith(`${server.url}#`) && made.length <= 8000, `${made.length} characters`);
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText(`Copied, ${made.length.toLocaleString("en")} characters.`).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), made);
  await page.keyboard.press("Escape");
  await view(page, "Breakdown");
  const seen = await figures(page);

  const other = await open(browser, server.url, { serviceWorkers: "allow" });
  await other.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await other.page.context().setOffline(true);
  await other.page.goto("about:blank");
  await other.page.goto(made);
  await started(other.page);
  await summary(other.page).waitFor();
  assert.match(await summary(other.page).innerText(), SUMMARY);
  assert.equal(await other.page.getByRole("tab", { name: /^Roofline/ }).getAttribute("aria-selected"), "true", "how it was looked at travels, too");
  await view(other.page, "Breakdown");
  await opened(other.page);
  assert.deepEqual(await figures(other.page), seen);
  for (const name of ["Roofline", "Memory", "Communication", "File"]) {
    await view(other.page, name);
    assert.match(await summary(other.page).innerText(), SUMMARY);
  }
  // The summary offers no action that fails.
  await stays(() => other.page.getByRole("alert").count(), (n) => n === 0);
  // A link made from a link holds the same report.
  await share(other.page);
  const again = new URL(await link(other.page)).hash;
  const told = (hash) => report(Buffer.from(new URLSearchParams(hash.slice(1)).get("report"), "base64url"));
  assert.deepEqual(told(again), told(new URL(made).hash));
  assert.deepEqual(other.problems.filter((problem) => !/ERR_INTERNET_DISCONNECTED/.test(problem)), []);
  await other.close();
});

onPage("detail is turned up: the length is told, and where a link ends a file is offered", async ({ page }) => {
  await openCapture(page);
  await share(page);
  const short = await link(page);
  const slider = page.getByRole("slider", { name: "Detail" });
  const told = async () => {
    await page.locator(".share-detail:not(.waits)").waitFor();
    return Number((await page.locator(".share-detail output b").innerText()).replace(/,/g, ""));
  };
  assert.equal(await told(), short.length);
  await slider.fill("100");
  assert.ok(await until(told, (n) => n > 8000) > 8000);
  await page.getByText(/characters long/).waitFor();
  assert.match(await page.locator(".share-tables tr").first().innerText(), /Ops\s+all [\d,]+/);
  await slider.fill("0");
  const least = await until(told, (n) => n < short.length);
  assert.equal((await link(page)).length, least);
  assert.match(await page.locator(".share-tables tr").first().innerText(), /Ops\s+10 of [\d,]+/);
  // At the detail level of the mark, the link still fits.
  const [mark, box] = [await page.locator(".share-mark").boundingBox(), await slider.boundingBox()];
  const level = Math.round(((mark.x + 1 - box.x - 8) / (box.width - 16)) * 100);
  await slider.fill(String(level));
  const fits = await until(told, (n) => n !== least);
  assert.ok(fits <= 8000 && fits > 6500, `${fits} at level ${level}`);
});

for (const whole of [false, true]) {
  onPage(`a page of one file opens from a disk with the network off: ${whole ? "with the capture" : "the report"}`, { timeout: 240_000 }, async ({ page }) => {
    await openCapture(page);
    await groupBy(page, "Category");
    const seen = { figures: await figures(page), rows: await allRows(page) };
    await share(page, "HTML file");
    if (whole) await page.getByRole("radio", { name: /capture/ }).check();
    const path = await save(page, `single-${whole}.html`);

    const check = async (path) => {
      const context = await browser.newContext({ offline: true, viewport: { width: 1440, height: 900 }, acceptDownloads: true });
      const file = await context.newPage();
      const [problems, requests] = [[], []];
      file.on("console", (line) => ["error", "warning"].includes(line.type()) && problems.push(line.text()));
      file.on("pageerror", (error) => problems.push(error.message));
      file.on("request", (request) => requests.push(request.url()));
      await file.goto(`file://${path}`);
      await started(file);
      await opened(file);
      await settled(file);
      const found = { figures: await figures(file), rows: await allRows(file) };
      if (!whole) for (const row of [...found.rows, ...seen.rows]) delete row.Source;
      assert.deepEqual(found, seen);
      assert.equal(await summary(file).count(), whole ? 0 : 1);
      for (const name of ["Roofline", "Memory", "Communication", "File"]) await view(file, name);
      if (whole) await file.getByText("Planes and lines").waitFor();
      assert.deepEqual(requests.filter((url) => !url.startsWith("blob:") && url !== `file://${path}`), [], "it asks for nothing");
      assert.deepEqual(problems, []);
      return { file, close: () => context.close() };
    };
    const first = await check(path);
    // The page saves itself again.
    await view(first.file, "Breakdown");
    await opened(first.file);
    await share(first.file, "HTML file");
    if (whole) await first.file.getByRole("radio", { name: /capture/ }).check();
    const again = await save(first.file, `single-${whole}-again.html`);
    assert.deepEqual(inside(again), inside(path), "what is inside is the same");
    // The page does not offer actions that require a web server.
    await first.file.keyboard.press("Escape");
    await first.file.locator("header .pick").first().click();
    assert.equal(await first.file.getByRole("button", { name: "Keep on this device" }).count(), 0);
    await first.file.getByRole("button", { name: "Close", exact: true }).click();
    await first.file.getByRole("button", { name: "Choose files" }).waitFor();
    assert.equal(await first.file.getByRole("button", { name: "Open the sample" }).count(), 0);
    await first.close();
    await (await check(again)).close();
  });
}

onPage("a page that the command line wrote opens the same way", async ({ page }) => {
  await openCapture(page);
  const seen = await figures(page);
  const path = join(folder, "written.html");
  execFileSync(need("ROOFLIGHT_CLI"), ["report", capture(), "--html", path, "--app", need("ROOFLIGHT_DIST")]);
  const context = await browser.newContext({ offline: true });
  const file = await context.newPage();
  await file.goto(`file://${path}`);
  await started(file);
  await opened(file);
  assert.deepEqual(await figures(file), seen);
  // A page on a disk has no base address for links, so the dialog requests one.
  await file.getByRole("button", { name: "Share" }).click();
  const base = file.getByLabel(/^A file on a disk has no address for links/);
  await base.waitFor();
  assert.ok(await file.getByRole("button", { name: "Copy link" }).isDisabled());
  await base.fill("example.org");
  assert.equal(await base.getAttribute("aria-invalid"), "true");
  await base.fill("https://example.org/rooflight/");
  assert.ok((await link(file)).startsWith("https://example.org/rooflight/#v="));
  execFileSync(need("ROOFLIGHT_CLI"), ["report", capture(), "--html", path, "--app", need("ROOFLIGHT_DIST"), "--base", "https://example.com/r/"]);
  await file.goto("about:blank");
  await file.goto(`file://${path}`);
  await started(file);
  await opened(file);
  await file.getByRole("button", { name: "Share" }).click();
  assert.ok((await link(file)).startsWith("https://example.com/r/#v="));
  assert.equal(await base.count(), 0);
  await context.close();
});

onPage("the sample with its capture is a page of at most 6 MB, and opens", async () => {
  const path = join(folder, "sample.html");
  const args = ["report", join(repository, "samples/sample.xplane.pb.xz"), "--html", path, "--with-capture", "--app", need("ROOFLIGHT_DIST")];
  execFileSync(need("ROOFLIGHT_CLI"), args);
  const { size } = statSync(path);
  assert.ok(size <= 6_000_000, `${size} bytes`);
  const file = await browser.newPage();
  await file.goto(`file://${path}`);
  await started(file);
  await opened(file);
  assert.equal(await summary(file).count(), 0);
  await view(file, "Memory");
  await file.close();
});

onPage("a report file is dropped back in, alone and with its capture", async ({ page }) => {
  await openCapture(page);
  const seen = await figures(page);
  await share(page, "Report file");
  const small = await save(page, "small.rooflight");
  await page.getByRole("radio", { name: /capture/ }).check();
  await page.locator(".share-rows").filter({ hasText: /\d/ }).waitFor();
  const whole = await save(page, "whole.rooflight");
  assert.ok(readFileSync(whole).includes(readFileSync(capture())), "the capture is in it as it is");
  await page.keyboard.press("Escape");
  await dropFiles(page, [small]);
  await summary(page).waitFor();
  assert.deepEqual(await figures(page), seen);
  await dropFiles(page, [whole]);
  await until(() => summary(page).count(), (n) => n === 0);
  await opened(page);
  assert.deepEqual(await figures(page), seen);
  // A capture from a report file is shared again byte for byte.
  await share(page, "Report file");
  await page.getByRole("radio", { name: /capture/ }).check();
  await page.locator(".share-rows").filter({ hasText: /\d/ }).waitFor();
  assert.deepEqual(readFileSync(await save(page, "whole-again.rooflight")), readFileSync(whole));
});

onPage("what is taken out is in none of what leaves", async ({ page }) => {
  await openCapture(page);
  assert.ok(SOURCES.some((source) => source.test(readFileSync(capture(), "latin1"))), "the capture has them");
  await share(page);
  const [address, dialog] = [await link(page), page.getByRole("dialog")];
  const found = (bytes, all) => all.filter((source) => source.test(bytes.toString("latin1")));
  assert.deepEqual(found(report(Buffer.from(new URLSearchParams(new URL(address).hash.slice(1)).get("report"), "base64url")), SOURCES), []);
  await dialog.getByRole("tab", { name: "Report file" }).click();
  assert.deepEqual(found(unpacked(await save(page, "no-sources.rooflight")), SOURCES), []);
  await dialog.getByRole("tab", { name: "HTML file" }).click();
  assert.deepEqual(found(inside(await save(page, "no-sources.html")), SOURCES), []);
  // With source paths included, the same search finds them.
  await dialog.getByRole("checkbox", { name: /Source paths/ }).uncheck();
  await dialog.getByRole("tab", { name: "Report file" }).click();
  await page.locator(".share-rows").filter({ hasText: /\.py/ }).waitFor();
  assert.ok(found(unpacked(await save(page, "sources.rooflight")), SOURCES).length > 0);
  // With names replaced by pseudonyms, the file holds no original name.
  await dialog.getByRole("checkbox", { name: /Names/ }).check();
  await dialog.getByText(/All texts included/).click();
  await dialog.getByText(/^Names of ops/).waitFor();
  const names = [...SOURCES, /train_step/, /worker-0/, /sparse_layer/];
  const path = await save(page, "anonymous.rooflight");
  assert.deepEqual(found(unpacked(path), names), []);
  // The dialog lists all texts of the file before saving.
  const told = await dialog.locator(".share-preview section pre").allInnerTexts();
  assert.ok(told.join("\n").includes("program-1"));
});

onPage("damaged and future links say what is wrong, and the page goes on", async ({ page, server }) => {
  await openCapture(page);
  await share(page);
  const good = await link(page);
  const [head, text] = good.split("report=");
  const at = Math.floor(text.length / 2);
  const flipped = text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
  // Make a report of version 99 in the frame that all versions share. The checksum covers the version (as eight bytes)
  // and the packed data.
  const bytes = Buffer.from(text, "base64url");
  bytes[0] = 99;
  const packed = bytes.subarray(bytes.length - length(bytes));
  const version = Buffer.alloc(8);
  version[0] = 99;
  bytes.writeUInt32LE(crc32(packed, crc32(version)), bytes.length - packed.length - 4);
  const broken = [
    [flipped, /could not be read/],
    [text.slice(0, at), /The link is cut/],
    [bytes.toString("base64url"), /The link is newer than this page/],
    ["%F0%9F%92%A9", /could not be read/],
  ];
  for (const [text, says] of broken) {
    const other = await open(browser, server.url);
    await other.page.goto("about:blank");
    await other.page.goto(`${head}report=${text}`);
    await started(other.page);
    await other.page.getByRole("alert").filter({ hasText: says }).waitFor();
    await pickFiles(other.page, [capture()]);
    await opened(other.page);
    assert.deepEqual(other.problems, []);
    await other.close();
  }
});

onPage("while what is taken out is still in the link, there is nothing to copy", async ({ page }) => {
  await openCapture(page);
  await share(page);
  const named = await link(page);
  const copies = (page) => page.getByRole("dialog").getByRole("button", { name: /^Copy/ });
  assert.deepEqual(await copies(page).evaluateAll((all) => all.map((button) => button.disabled)), [false, false]);
  // Stay within one task of the event loop, so that no answer of the worker can arrive.
  const meanwhile = await page.getByRole("checkbox", { name: /Names/ }).evaluate(async (box) => {
    box.click();
    for (let n = 0; n < 50; n += 1) await null;
    return [...box.closest("dialog").querySelectorAll("button")].filter((button) => /^Copy/.test(button.textContent.trim())).map((button) => button.disabled);
  });
  assert.deepEqual(meanwhile, [true, true]);
  const anonymous = await link(page);
  assert.notEqual(anonymous, named);
  assert.deepEqual(await copies(page).evaluateAll((all) => all.map((button) => button.disabled)), [false, false]);
});
