// This script opens an address in Chromium, and prints what a user would see there as one line of JSON.
//
//   node browser.mjs view URL VERDICT      the page of `rooflight view`
//   node browser.mjs frame URL VERDICT     a page with the output of a cell
//   node browser.mjs notebook URL VERDICT  a notebook in JupyterLab with two cells, which are run
//
// VERDICT is a text that the overview of the capture has.
import { createRequire } from "node:module";

const require = createRequire(new URL("../../../tests/browser/package.json", import.meta.url));
const { chromium } = require("playwright-core");

const [, , kind, url, verdict] = process.argv;
const browser = await chromium.launch({ executablePath: process.env.ROOFLIGHT_CHROMIUM, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(60_000);
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  const others = [];
  const own = new URL(url).origin;
  page.on("request", (request) => {
    if (!/^(blob|data|about):/.test(request.url()) && new URL(request.url()).origin !== own) others.push(request.url());
  });
  await page.goto(url);
  const found = { errors, others };
  if (kind === "notebook") {
    const cells = page.locator(".jp-Notebook .jp-CodeCell");
    await cells.first().locator(".cm-content").waitFor();
    // JupyterLab drops keys while it starts. A cell that runs has a mark or a number in its brackets. The last key adds a cell.
    const isRun = async () => (await cells.locator(".jp-InputArea-prompt").allInnerTexts()).slice(0, 2).every((text) => /\[[*0-9]+\]/.test(text));
    for (let attempt = 0; attempt < 40 && !(await isRun()); attempt++) {
      await cells.first().locator(".cm-content").click();
      for (let i = 0; i < 2; i++) await page.keyboard.press("Shift+Enter");
      await page.waitForTimeout(1500);
    }
    const frame = page.locator("table.dataframe");
    await frame.waitFor();
    found.dataFrame = await frame.locator("tbody tr").count();
  }
  const view = kind === "view" ? page : page.frameLocator("iframe[title=Rooflight]");
  await view.getByText(verdict).first().waitFor();
  found.overview = await view.locator("body").innerText();
  await view.getByRole("tab", { name: "Roofline" }).click();
  await view.getByText("Arithmetic intensity").first().waitFor();
  found.roofline = await view.locator("body").innerText();
  if (kind === "view") {
    found.serviceWorkers = await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
  } else {
    const parent = page.frames().find((one) => one.url() === "about:srcdoc");
    found.sees = await parent.evaluate(() => {
      try {
        return window.parent.document.title;
      } catch (error) {
        return error.name;
      }
    });
  }
  console.log(JSON.stringify(found));
} finally {
  await browser.close();
}
