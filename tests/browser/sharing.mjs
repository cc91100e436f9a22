// What leaves through the share dialog: opening it, the link, the files. Knows the dialog's roles and names.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { folder } from "./captures.mjs";
import { until } from "./lib.mjs";

/** Opens the dialog, at a tab. */
export async function share(page, tab = "Link") {
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("tab", { name: tab }).click();
  await page.locator(".share-rows").filter({ hasText: /\d/ }).waitFor();
}

/** The link, once it says what is chosen. */
export async function link(page) {
  await page.locator(".share-detail:not(.waits)").waitFor();
  return until(() => page.getByRole("textbox", { name: "Link", exact: true }).inputValue());
}

/** Presses the button that saves, and says where the file is. */
export async function save(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("dialog").getByRole("button", { name: /^Save/ }).click()]);
  const path = join(folder, name);
  await download.saveAs(path);
  await page.getByRole("dialog").getByText(/^Saved /).waitFor();
  return path;
}

/** The bytes of a report file, its report unpacked. */
export function unpacked(path) {
  const bytes = readFileSync(path);
  return Buffer.concat([bytes, report(bytes.subarray(8))]);
}

/** Where the packed columns of a report begin, and how many bytes there are: behind version, length and checksum. */
function frame(bytes) {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = bytes[at++];
      value += (byte % 128) * unit;
      if (byte < 128) return value;
    }
  };
  varint();
  const length = varint();
  return { start: at + 4, length };
}

/** How many bytes are packed. */
export const length = (bytes) => frame(bytes).length;

/** What a link's or a file's report says, unpacked. */
export function report(bytes) {
  const { start, length } = frame(bytes);
  return inflateRawSync(bytes.subarray(start, start + length));
}

/** What lies in a page of one file. */
export function inside(path) {
  const [, text] = readFileSync(path, "utf8").match(/x-rooflight-inside"[^>]*>([^<]*)</);
  const bytes = Buffer.from(text, "base64");
  return Buffer.concat([bytes, report(bytes.subarray(8))]);
}
