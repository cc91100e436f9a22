// How numbers and names are to be written on the page, found by other means than the page's; and what the command line prints.
import { execFileSync } from "node:child_process";
import { need } from "./lib.mjs";

/** What the command line prints of a file. */
export function printed(command, file, ...more) {
  const args = [command, file, ...more];
  return execFileSync(need("ROOFLIGHT_CLI"), args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
}

export const decimal = (value, n) => value.toLocaleString("en-US", { minimumFractionDigits: n, maximumFractionDigits: n });

/** A share as a percentage: two decimals below 1 %. */
export function percent(fraction) {
  const value = fraction * 100;
  return value === 0 ? "0" : value < 0.005 ? "<0.01" : decimal(value, value < 0.995 ? 2 : 1);
}

/** Whether what is seen of a name, cut in its middle where there is no room, is that name. */
export function matches(name, seen) {
  const [head, tail] = seen.split("…");
  return tail === undefined ? name === seen : name.startsWith(head) && name.endsWith(tail);
}
