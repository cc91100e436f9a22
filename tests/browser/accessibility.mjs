// What axe finds in a page.
import axe from "axe-core";
import { painted } from "./lib.mjs";

/** The rules of colours that axe asks by default. */
const COLOURS = ["color-contrast", "link-in-text-block"];

/** What axe finds in a page. Themes differ in nothing but colours, so only rules of colours are asked where it is dark. */
export async function violations(page, theme) {
  await painted(page);
  // Once a document: it is half a megabyte.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const options = { resultTypes: ["violations"], ...(theme === "dark" ? { runOnly: COLOURS } : {}) };
  return (await page.evaluate((asked) => window.axe.run(document, asked), options)).violations;
}
