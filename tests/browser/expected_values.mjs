// This module supplies expected values: the output of the command line, and the texts of numbers and names. It formats
// them with code independent of the page's.
import { execFileSync } from "node:child_process";
import { requiredPath } from "./lib.mjs";

/** Runs a command of the command line on `file`, and returns its standard output. */
export function cliOutput(command, file, ...more) {
  const args = [command, file, ...more];
  return execFileSync(requiredPath("ROOFLIGHT_CLI"), args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
}

export const formatDecimal = (value, n) => value.toLocaleString("en-US", { minimumFractionDigits: n, maximumFractionDigits: n });

/** Formats a fraction as a percentage: two decimals below 1 %, otherwise one. */
export function formatPercent(fraction) {
  const value = fraction * 100;
  return value === 0 ? "0" : value < 0.005 ? "<0.01" : formatDecimal(value, value < 0.995 ? 2 : 1);
}

const UNITS = [["ps", 1, 0], ["ns", 1e3, 0], ["µs", 1e6, 1], ["ms", 1e9, 3], ["s", 1e12, 3]];
/**
 * Returns the unit of a column whose largest time is `largest` (ps), and a function that formats a time (ps) for that
 * column.
 */
export function timeFormat(largest) {
  const [unit, scale, decimals] = UNITS.find(([, scale]) => largest / scale < 999.9995) ?? UNITS.at(-1);
  const smallest = 10 ** -decimals;
  return { unit, time: (ps) => (ps === 0 ? "0" : ps / scale < smallest / 2 ? `<${formatDecimal(smallest, decimals)}` : formatDecimal(ps / scale, decimals)) };
}

/** Returns true if `shownName` is `fullName`, or is `fullName` with "…" in place of its middle. */
export function matchesShortened(fullName, shownName) {
  const [head, tail] = shownName.split("…");
  return tail === undefined ? fullName === shownName : fullName.startsWith(head) && fullName.endsWith(tail);
}
