import { launch, open, opened, pickFiles, startServer, need } from "./lib.mjs";
import * as captures from "./captures.mjs";
const server = await startServer(need("ROOFLIGHT_DIST"));
const browser = await launch();
const file = process.argv[2];
for (const [width, height] of [[1440, 900], [390, 844]]) for (const theme of ["light", "dark"]) {
  const { page: p, problems, close } = await open(browser, server.url, { width, height, theme });
  if (file) { await pickFiles(p, [file]); } else { await p.getByRole("button", { name: "Open the sample" }).click(); }
  await opened(p);
  await p.keyboard.press("3");
  await p.waitForSelector(".roofline .scene", { timeout: 20000 }).catch((e) => console.log(String(e)));
  await p.waitForTimeout(1200);
  await p.screenshot({ path: `/tmp/shots/roofline-${width}-${theme}.png` });
  if (width === 390) { await p.screenshot({ path: `/tmp/shots/roofline-${width}-${theme}-full.png`, fullPage: true }); }
  for (const problem of new Set(problems)) console.log(width, theme, problem);
  await close();
}
await browser.close(); process.exit(0);
