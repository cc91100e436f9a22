import { launch, need, open, opened, started, startServer } from "./lib.mjs";
const server = await startServer(need("ROOFLIGHT_DIST"));
const browser = await launch();
const { page, problems, close } = await open(browser, server.url, { acceptDownloads: true });
await page.getByRole("button", { name: "Open the sample" }).click();
await opened(page);
const hero = (p) => p.locator(".readout, .figures").first().innerText().catch(() => "");
for (const withCapture of [false, true]) {
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("tab", { name: /HTML file/ }).click();
  if (withCapture) await page.getByRole("radio", { name: /capture/ }).check();
  await page.waitForTimeout(1500);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save HTML file" }).click()]);
  const path = `/tmp/out-${withCapture}.html`;
  await download.saveAs(path);
  await page.waitForTimeout(500);
  await page.screenshot({ path: `/tmp/look-saved.png` });
  console.log(path, await page.locator(".share-done").innerText());
  await page.keyboard.press("Escape");
  const context = await browser.newContext({ offline: true, viewport: { width: 1440, height: 900 } });
  const file = await context.newPage();
  file.on("console", (m) => console.log("file:", m.type(), m.text().slice(0, 300)));
  file.on("pageerror", (e) => console.log("file error:", e.message.slice(0, 300)));
  file.on("request", (r) => r.url().startsWith("blob:") || console.log("request", r.url().slice(0, 100)));
  await file.goto(`file://${path}`);
  await file.waitForTimeout(8000);
  console.log(file.url().slice(0, 100), await file.title());
  await file.screenshot({ path: `/tmp/look-file-${withCapture}.png` });
  for (const view of ["Roofline", "Memory", "Communication", "File"]) {
    await file.getByRole("tab", { name: new RegExp(view) }).click();
    await file.waitForTimeout(1500);
    await file.screenshot({ path: `/tmp/look-file-${withCapture}-${view}.png` });
  }
  await context.close();
}
console.log(problems);
await close(); await browser.close(); await server.close();
