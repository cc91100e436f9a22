// This module makes captures of several nights, and reads and presses the list of captures.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { simulatedRun, write } from "./captures.mjs";
import { cliOutput } from "./expected_values.mjs";
import { waitUntil } from "./lib.mjs";
import { figures } from "./page_helpers.mjs";

/** The number of captures. */
export const N = 8;
/** The night from which on the ops called `fusion` take 30 % longer. */
export const JUMP = 4;

/** Writes the captures of some nights into a folder as profilers do. Returns the folder, and the path of each capture. */
export function nights(name, n = N) {
  const paths = Array.from({ length: n }, (_, night) => {
    const slow = night >= JUMP ? ["--scale", "fusion=1.30"] : [];
    const { captures } = simulatedRun("--steps", "4", "--devices", "1", "--seed", `${night + 1}`, "--day", `${night}`, ...slow);
    const run = `2026_01_0${night + 1}_02_00_00`;
    return write(`${name}/plugins/profile/${run}/worker-0.xplane.pb`, readFileSync(captures[0]));
  });
  return { folder: join(dirname(paths[0]), "../../.."), paths };
}

export const openFolder = (page, folder) => page.locator("#choose-folder").setInputFiles(folder);
export const captureCount = async (page) => (await figures(page)).Captures;
export const allRead = (page, n) => waitUntil(() => captureCount(page).catch(() => ""), (count) => count === `${n}`, 60_000);
export const series = (paths) => JSON.parse(cliOutput("compare", "--series", ...paths, "--json"));
export const row = (page, name) => page.locator(".grid-body [role=row]").filter({ hasText: name });
/** Chooses a row for a comparison, when no tooltip covers it. */
export async function choose(page, name) {
  await page.mouse.move(4, 4);
  await page.locator(".tip").waitFor({ state: "hidden" });
  await row(page, name).locator("[data-id=median_ps]").click();
}
