// This module computes the expected texts of numbers and names with code independent of the page's. It also runs the
// command line.
import { execFileSync } from "node:child_process";
import { need } from "./lib.mjs";

/** Runs a command of the command line on `file`, and returns its standard output. */
export function printed(command, file, ...more) {
  const args = [command, file, ...more];
  return execFileSync(need("ROOFLIGHT_CLI"), args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
}

export const decimal = (value, n) => value.toLocaleString("en-US", { minimumFractionDigits: n, maximumFractionDigits: n });

/** Formats a fraction as a percentage: two decimals below 1 %, otherwise one. */
export function percent(fraction) {
  const value = fraction * 100;
  return value === 0 ? "0" : value < 0.005 ? "<0.01" : decimal(value, value < 0.995 ? 2 : 1);
}

/** Returns true if `seen` is `name`, or is `name` with "…" in place of its middle. */
export function matches(name, seen) {
  const [head, tail] = seen.split("…");
  return tail === undefined ? name === seen : name.startsWith(head) && name.endsWith(tail);
}
