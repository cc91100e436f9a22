// Runs axe-core, the accessibility checker, in a page.
import axe from "axe-core";
import { waitForPaint } from "./lib.mjs";

/** A rule that axe does not check by default: a name that is spoken contains the text that is seen. */
const MORE = { "label-content-name-mismatch": { enabled: true } };
/** The rules about colours that axe checks by default. */
const COLOURS = ["color-contrast", "link-in-text-block"];

/**
 * Returns axe's violations in a page, and leaves the page in `theme`. The themes differ only in colours, so the dark
 * theme is checked with the rules about colours only.
 */
export async function violations(page, theme) {
  await page.emulateMedia({ colorScheme: theme });
  await waitForPaint(page);
  // axe is injected once per document, because its source is half a megabyte.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const options = { resultTypes: ["violations"], ...(theme === "dark" ? { runOnly: COLOURS } : { rules: MORE }) };
  return (await page.evaluate((runOptions) => window.axe.run(document, runOptions), options)).violations;
}
