import { launch } from "./lib.mjs";
const browser = await launch();
const page = await (await browser.newContext({ offline: true })).newPage();
page.on("console", (m) => console.log(m.text()));
await page.goto("file:///tmp/exp.html");
await page.waitForTimeout(1500);
await browser.close();
