// These tests share a capture in three forms: a link that opens with no file and no network, an HTML file that opens
// from a disk, and a report file. They also check that removed texts are in none of these forms.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { after, before } from "node:test";
import { crc32 } from "node:zlib";
import { repository, simulatedRun, temporaryFolder } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { assertStays, dropFiles, launch, openPage, pickFiles, requiredPath, waitForApp, waitForTable, waitUntil } from "./lib.mjs";
import { allRows, figures, groupBy, waitForRows } from "./page_helpers.mjs";
import { htmlFileContents, link, packedLength, reportFileContents, save, share, unpackReport } from "./sharing.mjs";

const capture = () => simulatedRun("--steps", "3").captures[0];
const SUMMARY = /^This is a summary of worker-0.xplane.pb; it holds the mean of 2 steps of 8 devices/;
/** Patterns of the capture's source paths. */
const SOURCE_PATTERNS = [/moe\.py/, /attention\.py/, /train\.py/, /model\//];

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

async function openCapture(page) {
  await pickFiles(page, [capture()]);
  await waitForTable(page);
}

const summaryStrip = (page) => page.locator(".strip.summary");
const showView = async (page, name) => {
  await page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
  await page.getByRole("tabpanel", { name: new RegExp(`^${name}`) }).first().waitFor();
};

onPage("a link opens in a new profile without a file and, after one visit, without a network", { permissions: ["clipboard-read", "clipboard-write"] }, async ({ page, server }) => {
  await openCapture(page);
  await showView(page, "Roofline");
  await share(page);
  const linkUrl = await link(page);
  assert.ok(linkUrl.startsWith(`${server.url}#`) && linkUrl.length <= 8000, `${linkUrl.length} characters`);
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText(`Copied, ${linkUrl.length.toLocaleString("en")} characters.`).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), linkUrl);
  await page.keyboard.press("Escape");
  await showView(page, "Breakdown");
  const figuresBefore = await figures(page);

  const other = await openPage(browser, server.url, { serviceWorkers: "allow" });
  await other.page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await other.page.context().setOffline(true);
  await other.page.goto("about:blank");
  await other.page.goto(linkUrl);
  await waitForApp(other.page);
  await summaryStrip(other.page).waitFor();
  assert.match(await summaryStrip(other.page).innerText(), SUMMARY);
  assert.equal(await other.page.getByRole("tab", { name: /^Roofline/ }).getAttribute("aria-selected"), "true", "the link opens the view that was shared");
  await showView(other.page, "Breakdown");
  await waitForTable(other.page);
  assert.deepEqual(await figures(other.page), figuresBefore);
  for (const name of ["Roofline", "Memory", "Communication", "File"]) {
    await showView(other.page, name);
    assert.match(await summaryStrip(other.page).innerText(), SUMMARY);
  }
  // The summary offers no action that fails.
  await assertStays(() => other.page.getByRole("alert").count(), (n) => n === 0);
  // A link made from a link holds the same report.
  await share(other.page);
  const secondHash = new URL(await link(other.page)).hash;
  const reportInHash = (hash) => unpackReport(Buffer.from(new URLSearchParams(hash.slice(1)).get("report"), "base64url"));
  assert.deepEqual(reportInHash(secondHash), reportInHash(new URL(linkUrl).hash));
  assert.deepEqual(other.problems.filter((problem) => !/ERR_INTERNET_DISCONNECTED/.test(problem)), []);
  await other.close();
});

onPage("the level of detail changes the length of the link, and the page says when the link is too long", async ({ page }) => {
  await openCapture(page);
  await share(page);
  const defaultLink = await link(page);
  const slider = page.getByRole("slider", { name: "Detail" });
  const shownLength = async () => {
    await page.locator(".share-detail:not(.waits)").waitFor();
    return Number((await page.locator(".share-detail output b").innerText()).replace(/,/g, ""));
  };
  assert.equal(await shownLength(), defaultLink.length);
  await slider.fill("100");
  assert.ok(await waitUntil(shownLength, (n) => n > 8000) > 8000);
  await page.getByText(/characters long/).waitFor();
  assert.match(await page.locator(".share-tables tr").first().innerText(), /Ops\s+all [\d,]+/);
  await slider.fill("0");
  const shortest = await waitUntil(shownLength, (n) => n < defaultLink.length);
  assert.equal((await link(page)).length, shortest);
  assert.match(await page.locator(".share-tables tr").first().innerText(), /Ops\s+\d+ of [\d,]+/);
  // At the detail level of the mark, the link still fits.
  const [mark, box] = [await page.locator(".share-mark").boundingBox(), await slider.boundingBox()];
  const level = Math.round(((mark.x + 1 - box.x - 8) / (box.width - 16)) * 100);
  await slider.fill(String(level));
  const markLength = await waitUntil(shownLength, (n) => n !== shortest);
  assert.ok(markLength <= 8000 && markLength > 6500, `${markLength} characters at level ${level}`);
});

for (const withCapture of [false, true]) {
  onPage(`a single-file page ${withCapture ? "with the capture" : "with the report only"} opens from a disk without a network`, { timeout: 240_000 }, async ({ page }) => {
    await openCapture(page);
    await groupBy(page, "Category");
    const shownBefore = { figures: await figures(page), rows: await allRows(page) };
    await share(page, "HTML file");
    if (withCapture) await page.getByRole("radio", { name: /capture/ }).check();
    const path = await save(page, `single-${withCapture}.html`);

    const openFromDisk = async (path) => {
      const context = await browser.newContext({ offline: true, viewport: { width: 1440, height: 900 }, acceptDownloads: true });
      const diskPage = await context.newPage();
      const [problems, requests] = [[], []];
      diskPage.on("console", (line) => ["error", "warning"].includes(line.type()) && problems.push(line.text()));
      diskPage.on("pageerror", (error) => problems.push(error.message));
      diskPage.on("request", (request) => requests.push(request.url()));
      await diskPage.goto(`file://${path}`);
      await waitForApp(diskPage);
      await waitForTable(diskPage);
      await waitForRows(diskPage);
      const shown = { figures: await figures(diskPage), rows: await allRows(diskPage) };
      // A report holds no sources, and of a group neither its phase nor its shape.
      const absent = withCapture ? [] : ["Source", "Phase", "Shape"];
      for (const row of [...shown.rows, ...shownBefore.rows]) absent.forEach((name) => delete row[name]);
      assert.deepEqual(shown, shownBefore);
      assert.equal(await summaryStrip(diskPage).count(), withCapture ? 0 : 1);
      for (const name of ["Roofline", "Memory", "Communication", "File"]) await showView(diskPage, name);
      if (withCapture) await diskPage.getByText("Planes and lines").waitFor();
      assert.deepEqual(requests.filter((url) => !url.startsWith("blob:") && url !== `file://${path}`), [], "the page requests nothing");
      assert.deepEqual(problems, []);
      return { page: diskPage, close: () => context.close() };
    };
    const first = await openFromDisk(path);
    // The page saves itself again.
    await showView(first.page, "Breakdown");
    await waitForTable(first.page);
    await share(first.page, "HTML file");
    if (withCapture) await first.page.getByRole("radio", { name: /capture/ }).check();
    const secondPath = await save(first.page, `single-${withCapture}-again.html`);
    assert.deepEqual(htmlFileContents(secondPath), htmlFileContents(path), "the page saves the same contents again");
    // The page does not offer actions that require a web server.
    await first.page.keyboard.press("Escape");
    await first.page.locator("header .pick").first().click();
    assert.equal(await first.page.getByRole("button", { name: "Keep on this device" }).count(), 0);
    await first.page.getByRole("button", { name: "Close", exact: true }).click();
    await first.page.getByRole("button", { name: "Choose files" }).waitFor();
    assert.equal(await first.page.getByRole("button", { name: "Open the sample" }).count(), 0);
    await first.close();
    await (await openFromDisk(secondPath)).close();
  });
}

onPage("a single-file page that the command line wrote opens from a disk and makes links", async ({ page }) => {
  await openCapture(page);
  const figuresBefore = await figures(page);
  const path = join(temporaryFolder, "written.html");
  execFileSync(requiredPath("ROOFLIGHT_CLI"), ["report", capture(), "--html", path, "--app", requiredPath("ROOFLIGHT_DIST")]);
  const context = await browser.newContext({ offline: true });
  const diskPage = await context.newPage();
  await diskPage.goto(`file://${path}`);
  await waitForApp(diskPage);
  await waitForTable(diskPage);
  assert.deepEqual(await figures(diskPage), figuresBefore);
  // A page on a disk has no base address for links, so the dialog requests one.
  await diskPage.getByRole("button", { name: "Share" }).click();
  const base = diskPage.getByLabel(/^A file on a disk has no address for links/);
  await base.waitFor();
  assert.ok(await diskPage.getByRole("button", { name: "Copy link" }).isDisabled());
  await base.fill("example.org");
  assert.equal(await base.getAttribute("aria-invalid"), "true");
  await base.fill("https://example.org/rooflight/");
  assert.ok((await link(diskPage)).startsWith("https://example.org/rooflight/#v="));
  execFileSync(requiredPath("ROOFLIGHT_CLI"), ["report", capture(), "--html", path, "--app", requiredPath("ROOFLIGHT_DIST"), "--base", "https://example.com/r/"]);
  await diskPage.goto("about:blank");
  await diskPage.goto(`file://${path}`);
  await waitForApp(diskPage);
  await waitForTable(diskPage);
  await diskPage.getByRole("button", { name: "Share" }).click();
  assert.ok((await link(diskPage)).startsWith("https://example.com/r/#v="));
  assert.equal(await base.count(), 0);
  await context.close();
});

onPage("a single-file page with the capture of the sample has at most 6 MB and opens", async () => {
  const path = join(temporaryFolder, "sample.html");
  const args = ["report", join(repository, "samples/sample.xplane.pb.xz"), "--html", path, "--with-capture", "--app", requiredPath("ROOFLIGHT_DIST")];
  execFileSync(requiredPath("ROOFLIGHT_CLI"), args);
  const { size } = statSync(path);
  assert.ok(size <= 6_000_000, `${size} bytes`);
  const diskPage = await browser.newPage();
  await diskPage.goto(`file://${path}`);
  await waitForApp(diskPage);
  await waitForTable(diskPage);
  assert.equal(await summaryStrip(diskPage).count(), 0);
  await showView(diskPage, "Memory");
  await diskPage.close();
});

onPage("a report file opens again, with and without its capture", async ({ page }) => {
  await openCapture(page);
  const figuresBefore = await figures(page);
  await share(page, "Report file");
  const smallReport = await save(page, "small.rooflight");
  await page.getByRole("radio", { name: /capture/ }).check();
  await page.locator(".share-rows").filter({ hasText: /\d/ }).waitFor();
  const fullReport = await save(page, "whole.rooflight");
  assert.ok(readFileSync(fullReport).includes(readFileSync(capture())), "the file contains the bytes of the capture");
  await page.keyboard.press("Escape");
  await dropFiles(page, [smallReport]);
  await summaryStrip(page).waitFor();
  assert.deepEqual(await figures(page), figuresBefore);
  await dropFiles(page, [fullReport]);
  await waitUntil(() => summaryStrip(page).count(), (n) => n === 0);
  await waitForTable(page);
  assert.deepEqual(await figures(page), figuresBefore);
  // A capture from a report file is shared again byte for byte.
  await share(page, "Report file");
  await page.getByRole("radio", { name: /capture/ }).check();
  await page.locator(".share-rows").filter({ hasText: /\d/ }).waitFor();
  assert.deepEqual(readFileSync(await save(page, "whole-again.rooflight")), readFileSync(fullReport));
});

onPage("removed texts are in no link, report file or HTML file", async ({ page }) => {
  await openCapture(page);
  assert.ok(SOURCE_PATTERNS.some((source) => source.test(readFileSync(capture(), "latin1"))), "the capture has source paths");
  await share(page);
  const [address, dialog] = [await link(page), page.getByRole("dialog")];
  const matchesIn = (bytes, patterns) => patterns.filter((source) => source.test(bytes.toString("latin1")));
  assert.deepEqual(matchesIn(unpackReport(Buffer.from(new URLSearchParams(new URL(address).hash.slice(1)).get("report"), "base64url")), SOURCE_PATTERNS), []);
  await dialog.getByRole("tab", { name: "Report file" }).click();
  assert.deepEqual(matchesIn(reportFileContents(await save(page, "no-sources.rooflight")), SOURCE_PATTERNS), []);
  await dialog.getByRole("tab", { name: "HTML file" }).click();
  assert.deepEqual(matchesIn(htmlFileContents(await save(page, "no-sources.html")), SOURCE_PATTERNS), []);
  // With source paths included, the same search finds them.
  await dialog.getByRole("checkbox", { name: /Source paths/ }).uncheck();
  await dialog.getByRole("tab", { name: "Report file" }).click();
  await page.locator(".share-rows").filter({ hasText: /\.py/ }).waitFor();
  assert.ok(matchesIn(reportFileContents(await save(page, "sources.rooflight")), SOURCE_PATTERNS).length > 0);
  // With names replaced by pseudonyms, the file holds no original name.
  await dialog.getByRole("checkbox", { name: /Names/ }).check();
  await dialog.getByText(/All texts included/).click();
  await dialog.getByText(/^Names of ops/).waitFor();
  const names = [...SOURCE_PATTERNS, /train_step/, /worker-0/, /sparse_layer/];
  const path = await save(page, "anonymous.rooflight");
  assert.deepEqual(matchesIn(reportFileContents(path), names), []);
  // The dialog lists all texts of the file before saving.
  const previewTexts = await dialog.locator(".share-preview section pre").allInnerTexts();
  assert.ok(previewTexts.join("\n").includes("program-1"));
});

onPage("damaged, truncated and newer links are reported, and the page opens the next file", async ({ page, server }) => {
  await openCapture(page);
  await share(page);
  const validLink = await link(page);
  const [head, text] = validLink.split("report=");
  const middle = Math.floor(text.length / 2);
  const flipped = text.slice(0, middle) + (text[middle] === "A" ? "B" : "A") + text.slice(middle + 1);
  // Make a report of version 99 in the frame that all versions share. The checksum covers the version (as eight bytes)
  // and the packed data.
  const bytes = Buffer.from(text, "base64url");
  bytes[0] = 99;
  const packed = bytes.subarray(bytes.length - packedLength(bytes));
  const version = Buffer.alloc(8);
  version[0] = 99;
  bytes.writeUInt32LE(crc32(packed, crc32(version)), bytes.length - packed.length - 4);
  const cases = [
    [flipped, /could not be read/],
    [text.slice(0, middle), /The link is cut/],
    [bytes.toString("base64url"), /The link is newer than this page/],
    ["%F0%9F%92%A9", /could not be read/],
  ];
  for (const [text, pattern] of cases) {
    const other = await openPage(browser, server.url);
    await other.page.goto("about:blank");
    await other.page.goto(`${head}report=${text}`);
    await waitForApp(other.page);
    await other.page.getByRole("alert").filter({ hasText: pattern }).waitFor();
    await pickFiles(other.page, [capture()]);
    await waitForTable(other.page);
    assert.deepEqual(other.problems, []);
    await other.close();
  }
});

onPage("the copy buttons are disabled while the link still holds the removed texts", async ({ page }) => {
  await openCapture(page);
  await share(page);
  const linkWithNames = await link(page);
  const copyButtons = (page) => page.getByRole("dialog").getByRole("button", { name: /^Copy/ });
  assert.deepEqual(await copyButtons(page).evaluateAll((all) => all.map((button) => button.disabled)), [false, false]);
  // Stay within one task of the event loop, so that no answer of the worker can arrive.
  const disabledMeanwhile = await page.getByRole("checkbox", { name: /Names/ }).evaluate(async (box) => {
    box.click();
    for (let n = 0; n < 50; n += 1) await null;
    return [...box.closest("dialog").querySelectorAll("button")].filter((button) => /^Copy/.test(button.textContent.trim())).map((button) => button.disabled);
  });
  assert.deepEqual(disabledMeanwhile, [true, true]);
  const anonymousLink = await link(page);
  assert.notEqual(anonymousLink, linkWithNames);
  assert.deepEqual(await copyButtons(page).evaluateAll((all) => all.map((button) => button.disabled)), [false, false]);
});

onPage("a comparison is shared as a comparison, with the figures of its sender", { permissions: ["clipboard-read", "clipboard-write"] }, async ({ page, server }) => {
  const [a, b] = ["xla", "cudnn"].map((name) => join(repository, `samples/gpu/${name}.graphs.xplane.pb.xz`));
  await pickFiles(page, [a]);
  await waitForTable(page);
  await showView(page, "Compare");
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Choose the capture to compare with" }).click()]);
  await chooser.setFiles([b]);
  const verdict = (page) => page.locator(".compare .verdict");
  await verdict(page).waitFor();
  const seen = async (page) => ({
    verdict: await verdict(page).innerText(),
    figures: await page.locator(".compare-head .figures dd").allInnerTexts(),
    waterfall: await page.locator(".waterfall tbody tr").evaluateAll((rows) => rows.map((row) => [row.cells[0].textContent.trim(), row.cells[row.cells.length - 1].textContent.trim()])),
  });
  await page.locator(".waterfall tbody tr").first().waitFor();
  const sent = await seen(page);
  await share(page);
  await page.getByRole("heading", { name: "Share this comparison" }).waitFor();
  const linkUrl = await link(page);
  assert.ok(linkUrl.startsWith(`${server.url}#`) && linkUrl.length <= 8000 && linkUrl.includes("view=compare"), `${linkUrl.length} characters`);
  await page.getByRole("button", { name: "Copy as Markdown" }).click();
  const copied = await waitUntil(() => page.evaluate(() => navigator.clipboard.readText()), (text) => text.includes("[Open in Rooflight]"));
  // The page leaves out lines of source, as links do, and knows only the names of the files.
  const args = ["compare", basename(a), basename(b), "--markdown", "--without-sources"];
  const markdown = execFileSync(requiredPath("ROOFLIGHT_CLI"), args, { encoding: "utf8", cwd: dirname(a) });
  assert.equal(copied, `${markdown}\n[Open in Rooflight](${linkUrl})\n`);
  await page.getByRole("tab", { name: "Report file" }).click();
  const file = await save(page, "comparison.rooflight");
  assert.equal(execFileSync(requiredPath("ROOFLIGHT_CLI"), ["compare", file, "--markdown"], { encoding: "utf8" }).split("\n")[0], markdown.split("\n")[0]);

  for (const open of [(other) => other.goto(linkUrl), (other) => pickFiles(other, [file])]) {
    const other = await openPage(browser, server.url);
    await other.page.goto("about:blank");
    await other.page.goto(server.url);
    await open(other.page);
    await verdict(other.page).waitFor();
    await other.page.locator(".waterfall tbody tr").first().waitFor();
    const received = await seen(other.page);
    assert.deepEqual({ ...received, waterfall: undefined }, { ...sent, waterfall: undefined });
    assert.match(await summaryStrip(other.page).innerText(), /^This is a shared comparison of xla\.graphs\.xplane\.pb\.xz \(A\) with cudnn/);
    assert.deepEqual(await other.page.getByRole("tab").evaluateAll((tabs) => tabs.map((tab) => tab.id)), ["tab-compare"]);
    assert.equal(await other.page.getByRole("button", { name: /Swap|End comparison/ }).count(), 0);
    assert.deepEqual(other.problems, []);
    await other.close();
  }
});

onPage("a link has the device of its sender, and groups of ops", { view: "" }, async ({ page, server }) => {
  await pickFiles(page, [join(repository, "samples/sample.xplane.pb.xz")]);
  await page.locator(".verdict").waitFor();
  const panels = (page) => page.locator(".overview-side .about").allInnerTexts();
  const captions = (page) => page.locator(".finding-picture .sub").allInnerTexts();
  const [steps, devices] = await panels(page);
  const waits = (await captions(page)).find((text) => text.startsWith("waits of"));
  await share(page);
  const linkUrl = await link(page);
  const other = await openPage(browser, server.url);
  await other.page.goto("about:blank");
  await other.page.goto(linkUrl);
  await other.page.locator(".verdict").waitFor();
  // A short link has one step of each device, which is no panel. A panel of more steps says how many it lacks.
  const ofLink = await panels(other.page);
  assert.ok(ofLink.includes(devices), ofLink.join(" | "));
  for (const text of ofLink.filter((text) => text.startsWith(steps))) assert.match(text, /; \d of 5 shown$/);
  assert.ok((await captions(other.page)).includes(waits), waits);
  assert.equal((await other.page.locator("#device-button").innerText()).replace(/\s+/g, " ").trim(), "Device TPU:5");
  assert.match(await other.page.locator(".finding-text .sub").first().innerText(), /^145 ops, 28\.39 ms per step\. Largest: copy\.787, 2\.30 ms\.$/);
  await showView(other.page, "Breakdown");
  await waitForTable(other.page);
  for (const name of ["Category", "Scope"]) {
    await groupBy(other.page, name);
    await waitForRows(other.page);
  }
  await other.close();
});
