// Compares the page's figures with the command line's JSON, in every view, for the captures of this repository and every other real capture. Each
// label is mapped to the JSON field that it must show. A test fails on a figure that shows another field and on a
// figure without an entry in `FIGURES`. No expected value is written in this file.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { realCapture, repository } from "./captures.mjs";
import { formatDecimal, formatPercent } from "./expected_values.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, requiredPath, waitUntil } from "./lib.mjs";
import { figures } from "./page_helpers.mjs";

function* capturePaths(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !["xprof", "damaged"].includes(entry.name)) yield* capturePaths(path);
    else if (/\.(xplane\.pb(\.gz|\.xz)?|trace\.json\.gz|hlo_proto\.pb)$/.test(entry.name)) yield path;
  }
}

/** Returns the command line's JSON of a view. Its exit code is 1 when only a part of the file could be read. */
function cliReport(view, file, ...options) {
  const { status, stdout, stderr } = spawnSync(requiredPath("ROOFLIGHT_CLI"), [view, file, "--json", ...options], { maxBuffer: 1 << 29, encoding: "utf8" });
  assert.ok(status === 0 || status === 1, stderr);
  return JSON.parse(stdout);
}

const NONE = "–";
const formatCount = (n) => formatDecimal(n, 0);
const formatShare = (part, whole = 1) => (part === null || part === undefined || !whole ? NONE : `${formatPercent(part / whole)} %`);

/** Formats a time (ps) in the first unit in which the rounded value is below 1,000. No time is "0 s". */
function formatTime(ps) {
  if (ps === null) return NONE;
  const units = [["ps", 1, 0], ["ns", 1e3, 2], ["µs", 1e6, 2], ["ms", 1e9, 2], ["s", 1e12, 2]];
  if (ps === 0) return "0 s";
  const [unit, scale, digits] = units.find(([, scale, digits]) => Number((ps / scale).toFixed(digits)) < 1000) ?? units.at(-1);
  return `${formatDecimal(ps / scale, digits)} ${unit}`;
}

function formatSize(bytes, digits = 1) {
  if (bytes === null || bytes === undefined) return NONE;
  const unit = [["TiB", 2 ** 40], ["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]].find(([, scale]) => bytes >= scale);
  return unit ? `${formatDecimal(bytes / unit[1], digits)} ${unit[0]}` : `${formatCount(bytes)} B`;
}

/** Formats a size of the memory view, where all sizes are in MiB. */
function formatMib(bytes) {
  if (bytes === null || bytes === undefined) return NONE;
  const value = bytes / 2 ** 20;
  const digits = bytes === 0 || value >= 1 ? 1 : value >= 0.1 ? 2 : 3;
  return bytes > 0 && value < 0.0005 ? "<0.001 MiB" : `${bytes === 0 ? 0 : formatDecimal(value, digits)} MiB`;
}

const sum = (rows, value) => rows.reduce((total, row) => total + value(row), 0);

/** Formats a figure that the page shows only when its value is above zero. */
const positive = (value, format) => (value > 0 ? format(value) : undefined);

/**
 * The self time of the ops whose bound satisfies `isIncluded`; `undefined` when the capture has no roofline efficiency.
 */
function timeOfBound({ roofline }, isIncluded) {
  const rows = roofline.groups.filter((row) => row.bound && isIncluded(row.bound));
  return hasRooflineEfficiency({ roofline }) ? formatTime(sum(rows, (row) => row.rooflined_dur_ps)) : undefined;
}
const hasRooflineEfficiency = ({ roofline }) => roofline.step_summary.weighted_avg_roofline_util !== null;

/**
 * The memory space that the page opens with: the first space of the program that needs most memory, which comes first;
 * `undefined` when no program has one.
 */
const defaultSpace = ({ memory }) => memory.programs.find((program) => program.spaces.length > 0)?.spaces[0];
const fromSpace = (format) => (views) => (defaultSpace(views) ? format(defaultSpace(views), views) : undefined);
/**
 * The allocator's figures of the shown device. The page opens with these when no program has a memory space; otherwise
 * `undefined`.
 */
const shownAllocator = (views) => (defaultSpace(views) ? undefined : views.memory.runtime.find((entry) => entry.device === views.memory.device));
const fromAllocator = (format) => (views) => (shownAllocator(views) ? format(shownAllocator(views)) : undefined);
const firstDefined = (first, second) => (views) => first(views) ?? second(views);
/** The memory cross-check of the shown device, or of the first device when the shown device has none. */
const crossCheck = ({ memory }) => memory.cross_check.find((check) => check.device === memory.device) ?? memory.cross_check[0];

/** Whether the page opens with copies: no collective ran, and at least one copy did. */
const opensWithCopies = ({ comm }) => comm.rows.length === 0 && comm.dma.n_executions > 0;
const fromTraffic = (format) => (views) => format(opensWithCopies(views) ? views.comm.dma : views.comm.comm_totals, views);

/** The lowest bandwidth of the rows with 1 MiB or more per execution; `undefined` when no such row has a bandwidth. */
function lowestBandwidth(views) {
  const rows = (opensWithCopies(views) ? views.comm.dma_rows : views.comm.rows).filter((row) => row.bytes_per_execution >= 1 << 20);
  const rates = rows.map((row) => row.bus_gbps ?? row.alg_gbps).filter((rate) => rate !== null);
  const rate = Math.min(...rates);
  return rates.length > 0 ? `${rate < 0.05 ? "<0.1" : formatDecimal(rate, rate < 99.95 ? 1 : 0)} GB/s` : undefined;
}

/** Formats a share that the page shows only when it is known. */
const shareIfKnown = (share) => (share === null ? undefined : formatShare(share));

/**
 * By view: a pattern of a figure's label, and a function from the JSON to the expected text. `undefined` means that the
 * figure must be absent.
 */
const FIGURES = {
  Breakdown: {
    "^(Step |Whole capture)": ({ breakdown }) => formatTime(breakdown.step_duration_ps),
    "^Busy$": ({ breakdown }) => formatTime(breakdown.totals.busy_duration_ps),
    "^Idle$": ({ breakdown }) => formatShare(breakdown.totals.idle_duration_ps, breakdown.step_duration_ps),
    "^Overlap$": ({ breakdown }) => positive(breakdown.totals.busy_duration_ps - breakdown.totals.union_ps, formatTime),
    "^Unresolved$": ({ breakdown }) => positive(breakdown.totals.n_events_unresolved, formatCount),
    "^MFU$": ({ roofline }) => shareIfKnown(roofline.window.model_mfu),
    "^HFU": ({ roofline }) => shareIfKnown(roofline.window.mfu),
    "bandwidth utilization$": ({ roofline }) => shareIfKnown(roofline.window.hbm_util),
    "^Exposed comm.$": ({ comm }) =>
      comm.comm_totals.n_executions > 0 ? formatShare(comm.comm_totals.exposed_ps, comm.step_duration_ps) : undefined,
    ...Object.fromEntries(
      ["Forward", "Backward", "Recompute", "Optimizer"].map((phase) => [`^${phase}$`, ({ phases }) => positive(phases[phase.toLowerCase()], formatTime)]),
    ),
  },
  Roofline: {
    "^Roofline efficiency$": ({ roofline }) => formatShare(roofline.step_summary.weighted_avg_roofline_util),
    "^Potential savings$": (views) => (hasRooflineEfficiency(views) ? formatTime(views.roofline.step_summary.recoverable_ps) : undefined),
    "^Coverage$": ({ roofline }) => formatShare(roofline.step_summary.rooflined_pct_of_compute, 100),
    "^Compute-bound$": (views) => timeOfBound(views, (limit) => limit === "compute"),
    "^Memory-bound$": (views) => timeOfBound(views, (limit) => limit !== "compute"),
    "^MFU$": ({ roofline }) => (roofline.window.model_mfu === null ? undefined : formatShare(roofline.window.model_mfu)),
    "^HFU": ({ roofline }) => formatShare(roofline.window.mfu),
    "bandwidth utilization$": ({ roofline }) => formatShare(roofline.window.hbm_util),
  },
  Memory: {
    "^Peak ": firstDefined(fromSpace(({ peak_bytes }) => formatMib(peak_bytes)), fromAllocator(({ peak_in_use_bytes }) => formatMib(peak_in_use_bytes))),
    "^Use of .* (limit|capacity)$": firstDefined(
      fromSpace(({ peak_bytes }, views) => positive(crossCheck(views)?.capacity_bytes, (capacity) => formatShare(peak_bytes, capacity))),
      fromAllocator(({ peak_in_use_bytes, capacity_bytes }) => formatShare(peak_in_use_bytes, capacity_bytes)),
    ),
    "^Persistent$": firstDefined(fromSpace(({ indefinite_bytes }) => formatMib(indefinite_bytes)), fromAllocator(({ persistent_bytes }) => formatMib(persistent_bytes))),
    "^Transient$": fromAllocator(({ transient_bytes }) => formatMib(transient_bytes)),
    "^Fragmentation$": fromAllocator(({ fragmentation }) => formatShare(fragmentation, 1)),
    "^Lifetime peak, allocated$": fromAllocator(({ lifetime_peak_bytes }) => formatMib(lifetime_peak_bytes)),
    "^Allocated while it runs$": fromSpace(({ peak_bytes, indefinite_bytes }) => formatMib(peak_bytes - indefinite_bytes)),
    "^Padding$": fromSpace(({ padding, peak_bytes }) => formatShare(padding.wasted_bytes, peak_bytes)),
    "^Allocator’s peak$": fromSpace((_, views) => positive(crossCheck(views)?.runtime_peak_bytes, formatMib)),
  },
  Communication: {
    "^(Communication|Copy) stall": fromTraffic(({ stall_ps }) => formatTime(stall_ps)),
    "^Share of step$": fromTraffic(({ stall_ps }, { comm }) => formatShare(stall_ps, comm.step_duration_ps)),
    "^Start ops$": fromTraffic(({ stall_ps, issue_ps }) => (issue_ps > 0.05 * (stall_ps + issue_ps) ? formatTime(issue_ps) : undefined)),
    "^Fused with compute$": fromTraffic(({ fused_ps }) => positive(fused_ps, formatTime)),
    "^In flight$": fromTraffic(({ in_flight_ps }) => formatTime(in_flight_ps)),
    "^Exposed$": fromTraffic(({ exposed_ps }) => formatTime(exposed_ps)),
    "^Overlapped$": fromTraffic(({ overlap_pct }) => (overlap_pct === null ? NONE : formatShare(overlap_pct, 100))),
    "^Lowest (bus )?bandwidth$": lowestBandwidth,
    "^SparseCore in flight$": ({ comm }) => positive(comm.sparse_core_totals?.in_flight_ps, formatTime),
  },
  File: {
    "^Size$": ({ inspect }) => formatSize(sum(inspect.files, (file) => file.size_bytes)),
    "^Files$": ({ inspect }) => formatCount(inspect.files.length),
    "^Planes$": ({ inspect }) => formatCount(inspect.planes.length),
    "^Lines$": ({ inspect }) => formatCount(sum(inspect.planes, (plane) => plane.lines.length)),
    "^Events$": ({ inspect }) => formatCount(inspect.n_events_total),
    "^Programs$": ({ inspect }) => formatCount(inspect.programs.length),
  },
};

/**
 * The figures that a view must show. When nothing ran on a device, Breakdown, Roofline and Communication have no
 * figures.
 */
function expectedFigures(view, views) {
  if (["Breakdown", "Roofline", "Communication"].includes(view) && views.breakdown.status === "absent") return {};
  const texts = Object.entries(FIGURES[view]).map(([label, textOf]) => [label, textOf(views)]);
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined));
}

/**
 * The figures that a view shows, by their pattern in `FIGURES`, or by their label when no pattern matches. The prefix
 * "≥" is removed.
 */
async function shownFigures(page, view) {
  const patternOf = (label) => Object.keys(FIGURES[view]).find((pattern) => new RegExp(pattern).test(label)) ?? label;
  return Object.fromEntries(Object.entries(await figures(page)).map(([label, text]) => [patternOf(label), text.replace("≥ ", "")]));
}

const profilesReadme = realCapture("README.md");
const folders = [join(repository, "samples"), ...(profilesReadme ? [join(profilesReadme, "..")] : [])];
for (const file of folders.flatMap((folder) => [...capturePaths(folder)])) {
  const isOwn = file.startsWith(join(repository, "samples"));
  onPage(`${basename(file)}: the figures of every view equal the command line's`, isOwn ? {} : { needs: file }, async ({ page }) => {
    await dropFiles(page, [file]);
    await page.getByRole("tab", { name: "Memory" }).waitFor();
    const names = ["breakdown", "roofline", "memory", "comm", "inspect"];
    const views = Object.fromEntries(names.map((name) => [name, cliReport(name, file)]));
    const byPhase = cliReport("breakdown", file, "--by", "phase");
    views.phases = Object.fromEntries(byPhase.groups.map((group) => [group.key, group.total_dur_ps]));
    for (const view of Object.keys(FIGURES)) {
      await page.getByRole("tab", { name: view }).click();
      await page.locator(`[role=tab][aria-selected=true]`, { hasText: view }).waitFor();
      const expected = expectedFigures(view, views);
      // A view's replies arrive one by one, so the figures are read again until they agree.
      const isEqual = (actual) => isDeepStrictEqual(actual, expected);
      const actual = await waitUntil(() => shownFigures(page, view), isEqual, 5_000).catch(() => shownFigures(page, view));
      assert.deepEqual(actual, expected, view);
    }
  });
}
