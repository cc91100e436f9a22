import { launch, open, opened, pickFiles, startServer } from "./lib.mjs";
const server = await startServer(process.env.ROOFLIGHT_DIST);
const browser = await launch();
const out = process.argv[2];
for (const [width, height] of [[1440, 900], [390, 844], [1800, 1000]]) for (const theme of ["light", "dark"]) {
  const { page, close, problems } = await open(browser, server.url, { width, height, theme });
  await pickFiles(page, [process.argv[3] ?? process.env.ROOFLIGHT_PROFILES + "/tpu-v6e-host-offload/host.xplane.pb"]);
  await opened(page);
  await page.keyboard.press("g"); await page.keyboard.press("o");
  await page.waitForTimeout(600);
  const which = Number(process.argv[4] ?? 0);
  await page.locator(`[data-row='${which}'] [data-column='0']`).focus();
  await page.keyboard.press("Enter");
  await page.locator(".op-panel .op-words").waitFor({ timeout: 10000 }).catch(() => {});
  await page.waitForTimeout(400);
  await page.screenshot({ path: `${out}/op-${which}-${width}-${theme}.png` });
  if (problems.length) console.log(problems);
  await close();
}
await browser.close(); await server.close();
