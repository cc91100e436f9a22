// This module operates the share dialog and reads its links and files. It depends on the roles and names of the dialog.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { temporaryFolder } from "./captures.mjs";
import { waitUntil } from "./lib.mjs";

/** Opens the share dialog at a tab. */
export async function share(page, tab = "Link") {
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("tab", { name: tab }).click();
  await page.locator(".share-rows").filter({ hasText: /\d/ }).waitFor();
}

/** Returns the link, after it has been updated to the current choices. */
export async function link(page) {
  await page.locator(".share-detail:not(.waits)").waitFor();
  return waitUntil(() => page.getByRole("textbox", { name: "Link", exact: true }).inputValue());
}

/** Presses the button that saves, and returns the path of the file. */
export async function save(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("dialog").getByRole("button", { name: /^Save/ }).click()]);
  const path = join(temporaryFolder, name);
  await download.saveAs(path);
  await page.getByRole("dialog").getByText(/^Saved /).waitFor();
  return path;
}

/** Returns the bytes of a report file, followed by its unpacked report. */
export function reportFileContents(path) {
  const bytes = readFileSync(path);
  return Buffer.concat([bytes, unpackReport(bytes.subarray(8))]);
}

/** Returns the start and the length of the packed columns of a report. Version, length and checksum precede them. */
function packedRange(bytes) {
  let offset = 0;
  const varint = () => {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = bytes[offset++];
      value += (byte % 128) * unit;
      if (byte < 128) return value;
    }
  };
  varint();
  const length = varint();
  return { start: offset + 4, length };
}

/** Returns the number of packed bytes of a report. */
export const packedLength = (bytes) => packedRange(bytes).length;

/** Returns the unpacked columns of the report of a link or a file. */
export function unpackReport(bytes) {
  const { start, length } = packedRange(bytes);
  return inflateRawSync(bytes.subarray(start, start + length));
}

/** Returns the bytes that an HTML file embeds, followed by the unpacked report. */
export function htmlFileContents(path) {
  const [, text] = readFileSync(path, "utf8").match(/x-rooflight-inside"[^>]*>([^<]*)</);
  const bytes = Buffer.from(text, "base64");
  return Buffer.concat([bytes, unpackReport(bytes.subarray(8))]);
}
