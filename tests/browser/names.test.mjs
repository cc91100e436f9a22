// Names of a capture with bidirectional overrides and control characters must not falsify the page: no text, title, label,
// tooltip or text on a canvas has such a character in any view. The names themselves must be there, with escapes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { simulatedRun, write } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, waitForPaint, waitForTable, waitUntil } from "./lib.mjs";
import { share } from "./sharing.mjs";

/** Control characters, bidirectional overrides and isolates, and zero-width characters. Line breaks and tabs are layout. */
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/;

/**
 * Writes a copy of a capture in which parts of names are characters that reverse text, of as many bytes. `name` is the name of
 * the copy.
 */
function hostileCopy(path, name) {
  const bytes = (text) => Buffer.from(text).toString("latin1");
  const replaced = [["fusion.", "f\u202eon."], ["all-reduce.", "all-re\u202ee."], ["copy.", "c\u202e."], ["/mlp/", "/\u2066/"], [".py", "\u202e"], ["python", "\u001b\u0007\u202en"]];
  let text = readFileSync(path).toString("latin1");
  let n = 0;
  for (const [plain, hostile] of replaced) {
    assert.equal(bytes(plain).length, bytes(hostile).length, plain);
    n += text.split(plain).length - 1;
    text = text.replaceAll(plain, bytes(hostile));
  }
  assert.ok(n > 20, `${n} names are replaced`);
  return write(name, Buffer.from(text, "latin1"));
}

/** Records the texts that are drawn on canvases. */
const recordCanvasTexts = () => {
  window.canvasTexts = new Set();
  for (const method of ["fillText", "strokeText"]) {
    const draw = CanvasRenderingContext2D.prototype[method];
    CanvasRenderingContext2D.prototype[method] = function (text, ...rest) {
      window.canvasTexts.add(String(text));
      return draw.call(this, text, ...rest);
    };
  }
};

/** Returns all texts that a reader may see or hear: text nodes, attributes, values of fields, the title, texts of canvases. */
const textsOfPage = () => {
  const texts = [document.title, ...(window.canvasTexts ?? [])];
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
    else {
      for (const attribute of node.attributes) texts.push(attribute.value);
      if ("value" in node && typeof node.value === "string") texts.push(node.value);
    }
  }
  return texts;
};

async function checkTexts(page, what) {
  await waitForPaint(page);
  const texts = await page.evaluate(textsOfPage);
  assert.deepEqual(texts.filter((text) => HIDDEN.test(text)).map((text) => JSON.stringify(text.slice(0, 200))), [], what);
  return texts.filter((text) => /\\u\{(202e|2066|1b)\}/.test(text)).length;
}

onPage("no name reverses or hides a text of any view", { view: "overview", timeout: 300_000 }, async ({ page }) => {
  await page.addInitScript(recordCanvasTexts);
  await page.reload();
  await page.locator("main").first().waitFor();
  const [capture] = simulatedRun("--steps", "3").captures;
  await dropFiles(page, [hostileCopy(capture, "a\u202ebp.enalpx\u001b[2J.xplane.pb")]);
  await page.locator(".verdict").first().waitFor({ timeout: 60_000 });
  assert.match(await page.title(), /^a\\u\{202e\}bp\.enalpx\\u\{1b\}\[2J/);
  let escaped = 0;
  for (const view of ["overview", "breakdown", "roofline", "memory", "communication", "timeline", "compare", "file"]) {
    await page.locator(`#tab-${view}`).click();
    await page.waitForTimeout(1500);
    escaped += await checkTexts(page, view);
  }
  await page.locator("#capture-button").click();
  await page.locator("#capture").waitFor();
  escaped += await checkTexts(page, "file picker");
  await page.keyboard.press("Escape");
  await page.locator("#tab-breakdown").click();
  await waitForTable(page);
  await page.locator("[data-row='0'] [data-column='0']").hover();
  await page.locator(".tip").first().waitFor();
  escaped += await checkTexts(page, "tooltip");
  const row = page.locator("[data-row]").filter({ hasText: "202e" }).first();
  await row.locator("[data-column='0']").focus();
  await page.keyboard.press("Enter");
  await page.locator(".panel-hlo").first().waitFor();
  assert.match(await page.locator(".side-panel").getByRole("heading", { level: 2 }).innerText(), /\\u\{202e\}/, "an op is found by its escaped name");
  escaped += await checkTexts(page, "op panel");
  await page.locator(".side-panel").getByRole("button", { name: "Graph", exact: true }).click();
  await page.locator(".graph .scene rect").first().waitFor();
  escaped += await checkTexts(page, "op graph");
  await page.getByRole("button", { name: "Close the graph" }).click();
  await page.locator(".side-panel").getByRole("button", { name: "Close" }).click();
  await share(page);
  await page.getByText(/All texts included/).click();
  await page.locator(".share-preview section").first().waitFor();
  escaped += await checkTexts(page, "share dialog");
  await page.keyboard.press("Escape");
  assert.ok(escaped > 50, `the names are there, with escapes: ${escaped}`);
});

onPage("no name reverses or hides a text of a comparison", { view: "compare", timeout: 300_000 }, async ({ page }) => {
  const [capture] = simulatedRun("--steps", "3").captures;
  const [other] = simulatedRun("--steps", "4").captures;
  await dropFiles(page, [hostileCopy(capture, "first\u202e.xplane.pb")]);
  await page.locator("#tab-compare").waitFor({ timeout: 60_000 });
  await page.locator("#tab-compare").click();
  const button = page.getByRole("button", { name: "Choose the capture to compare with" });
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), button.click()]);
  await chooser.setFiles([hostileCopy(other, "second\u202e.xplane.pb")]);
  await page.locator(".compare .verdict").waitFor({ timeout: 60_000 });
  await page.waitForTimeout(1500);
  assert.ok((await checkTexts(page, "comparison")) > 10);
});

onPage("a link with such characters shows them with escapes", async ({ page }) => {
  const [capture] = simulatedRun("--steps", "3").captures;
  await dropFiles(page, [capture]);
  await waitForTable(page);
  await page.evaluate(() => (location.hash = `v=1&view=breakdown&filter=${encodeURIComponent("x\u202ey")}&op=${encodeURIComponent("fusion\u202e.1")}`));
  await waitUntil(() => page.locator("#filter").inputValue(), (value) => value === "x\\u{202e}y");
  await checkTexts(page, "link");
});

onPage("a capture at an IPv6 address is refused with the reason", { view: "" }, async ({ page }) => {
  await page.locator("#from-web").fill("http://[::1]:8391/a.xplane.pb");
  await page.locator("#from-web").press("Enter");
  await page.locator(".failed").waitFor();
  assert.match(await page.locator(".failed").innerText(), /a policy cannot name IPv6 addresses/);
});
