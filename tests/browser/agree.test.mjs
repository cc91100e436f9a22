// Compares the page's figures with the command line's JSON, in every view, for the sample and every real capture. Each
// label is mapped to the JSON field that it must show. A test fails on a figure that shows another field and on a
// figure without an entry in `FIGURES`. No expected value is written in this file.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { real, repository } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, need, until } from "./lib.mjs";
import { figures } from "./reading.mjs";
import { decimal, percent } from "./written.mjs";

function* captures(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !["xprof", "damaged"].includes(entry.name)) yield* captures(path);
    else if (/\.(xplane\.pb|trace\.json\.gz|hlo_proto\.pb)$/.test(entry.name)) yield path;
  }
}

/** Returns the command line's JSON of a view. Its exit code is 1 when only a part of the file could be read. */
function cli(view, file) {
  const { status, stdout, stderr } = spawnSync(need("ROOFLIGHT_CLI"), [view, file, "--json"], { maxBuffer: 1 << 29, encoding: "utf8" });
  assert.ok(status === 0 || status === 1, stderr);
  return JSON.parse(stdout);
}

const NONE = "–";
const count = (n) => decimal(n, 0);
const share = (part, whole = 1) => (part === null || part === undefined || !whole ? NONE : `${percent(part / whole)} %`);

/** Formats a time (ps) in the first unit in which the rounded value is below 1,000. */
function time(ps) {
  if (ps === null) return NONE;
  const units = [["ps", 1, 0], ["ns", 1e3, 2], ["µs", 1e6, 2], ["ms", 1e9, 2], ["s", 1e12, 2]];
  const [unit, scale, digits] = units.find(([, scale, digits]) => Number((ps / scale).toFixed(digits)) < 1000) ?? units.at(-1);
  return `${ps === 0 ? "0" : decimal(ps / scale, digits)} ${unit}`;
}

function size(bytes, digits = 1) {
  if (bytes === null || bytes === undefined) return NONE;
  const found = [["TiB", 2 ** 40], ["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]].find(([, scale]) => bytes >= scale);
  return found ? `${decimal(bytes / found[1], digits)} ${found[0]}` : `${count(bytes)} B`;
}

/** Formats the size in the view's main figure, which has three decimals from 1 GiB up. */
const hero = (bytes) => size(bytes, bytes >= 2 ** 30 ? 3 : 1);

const sum = (rows, of) => rows.reduce((sum, row) => sum + of(row), 0);

/** Formats a figure that the page shows only when its value is above zero. */
const positive = (value, form) => (value > 0 ? form(value) : undefined);

/** The self time of the ops whose bound satisfies `is`; `undefined` when the capture has no roofline efficiency. */
function bound({ roofline }, is) {
  const rows = roofline.groups.filter((row) => row.bound && is(row.bound));
  return hasRoof({ roofline }) ? time(sum(rows, (row) => row.rooflined_dur_ps)) : undefined;
}
const hasRoof = ({ roofline }) => roofline.step_summary.weighted_avg_roofline_util !== null;

/**
 * The memory space that the page opens with: the first space of the program that needs most, which comes first;
 * `undefined` when no program has one.
 */
const space = ({ memory }) => memory.programs.find((program) => program.spaces.length > 0)?.spaces[0];
const ofSpace = (tell) => (views) => (space(views) ? tell(space(views), views) : undefined);
/**
 * The allocator's figures of the shown device. The page opens with these when no program has a memory space; otherwise
 * `undefined`.
 */
const allocator = (views) => (space(views) ? undefined : views.memory.runtime.find((of) => of.device === views.memory.device));
const ofAllocator = (tell) => (views) => (allocator(views) ? tell(allocator(views)) : undefined);
const either = (first, second) => (views) => first(views) ?? second(views);
/** The memory cross-check of the shown device, or of the first device when the shown device has none. */
const device = ({ memory }) => memory.cross_check.find((check) => check.device === memory.device) ?? memory.cross_check[0];

/** Whether the page opens with copies: no collective ran, and at least one copy did. */
const isOfCopies = ({ comm }) => comm.rows.length === 0 && comm.dma.n_executions > 0;
const traffic = (tell) => (views) => tell(isOfCopies(views) ? views.comm.dma : views.comm.comm_totals, views);

/** The lowest bandwidth of the rows with 1 MiB or more per execution; `undefined` when no such row has a bandwidth. */
function lowest(views) {
  const rows = (isOfCopies(views) ? views.comm.dma_rows : views.comm.rows).filter((row) => row.bytes_per_execution >= 1 << 20);
  const rates = rows.map((row) => row.bus_gbps ?? row.alg_gbps).filter((rate) => rate !== null);
  const rate = Math.min(...rates);
  return rates.length > 0 ? `${rate < 0.05 ? "<0.1" : decimal(rate, rate < 99.95 ? 1 : 0)} GB/s` : undefined;
}

/**
 * By view: a pattern of a figure's label, and a function from the JSON to the expected text. `undefined` means that the
 * figure must be absent.
 */
const FIGURES = {
  Breakdown: {
    "^(Step |Whole capture)": ({ breakdown }) => time(breakdown.step_duration_ps),
    "^Busy$": ({ breakdown }) => time(breakdown.totals.busy_duration_ps),
    "^Idle$": ({ breakdown }) => share(breakdown.totals.idle_duration_ps, breakdown.step_duration_ps),
    "^Executions$": ({ breakdown }) => count(breakdown.totals.n_events_total),
    "^Overlap$": ({ breakdown }) => positive(breakdown.totals.busy_duration_ps - breakdown.totals.union_ps, time),
    "^Inside loops$": ({ breakdown }) => positive(breakdown.totals.container_duration_ps, time),
    "^Unresolved$": ({ breakdown }) => positive(breakdown.totals.n_events_unresolved, count),
  },
  Roofline: {
    "^Roofline efficiency$": ({ roofline }) => share(roofline.step_summary.weighted_avg_roofline_util),
    "^Potential savings$": (views) => (hasRoof(views) ? time(views.roofline.step_summary.recoverable_ps) : undefined),
    "^Coverage$": ({ roofline }) => share(roofline.step_summary.rooflined_pct_of_compute, 100),
    "^Compute-bound$": (views) => bound(views, (is) => is === "compute"),
    "^Memory-bound$": (views) => bound(views, (is) => is !== "compute"),
    "^MFU$": ({ roofline }) => (roofline.window.model_mfu === null ? undefined : share(roofline.window.model_mfu)),
    "^HFU": ({ roofline }) => share(roofline.window.mfu),
    "bandwidth utilization$": ({ roofline }) => share(roofline.window.hbm_util),
  },
  Memory: {
    "^Peak ": either(ofSpace(({ peak_bytes }) => hero(peak_bytes)), ofAllocator(({ peak_in_use_bytes }) => hero(peak_in_use_bytes))),
    "^Of .* (limit|capacity)$": either(
      ofSpace(({ peak_bytes }, views) => positive(device(views)?.capacity_bytes, (all) => share(peak_bytes, all))),
      ofAllocator(({ peak_in_use_bytes, capacity_bytes }) => share(peak_in_use_bytes, capacity_bytes)),
    ),
    "^Persistent$": either(ofSpace(({ indefinite_bytes }) => size(indefinite_bytes)), ofAllocator(({ persistent_bytes }) => size(persistent_bytes))),
    "^Transient$": ofAllocator(({ transient_bytes }) => size(transient_bytes)),
    "^Fragmentation$": ofAllocator(({ fragmentation }) => share(fragmentation, 1)),
    "^Lifetime peak$": ofAllocator(({ lifetime_peak_bytes }) => size(lifetime_peak_bytes)),
    "^Allocated while it runs$": ofSpace(({ peak_bytes, indefinite_bytes }) => size(peak_bytes - indefinite_bytes)),
    "^Padding$": ofSpace(({ padding, peak_bytes }) => share(padding.wasted_bytes, peak_bytes)),
    "^Allocator’s peak$": ofSpace((_, views) => positive(device(views)?.runtime_peak_bytes, size)),
  },
  Communication: {
    "^Stall, ": traffic(({ stall_ps }) => time(stall_ps)),
    "^Share of step$": traffic(({ stall_ps }, { comm }) => share(stall_ps, comm.step_duration_ps)),
    "^Start ops$": traffic(({ stall_ps, issue_ps }) => (issue_ps > 0.05 * (stall_ps + issue_ps) ? time(issue_ps) : undefined)),
    "^Fused with compute$": traffic(({ fused_ps }) => positive(fused_ps, time)),
    "^In flight$": traffic(({ in_flight_ps }) => time(in_flight_ps)),
    "^Exposed$": traffic(({ exposed_ps }) => time(exposed_ps)),
    "^Overlapped$": traffic(({ overlap_pct }) => (overlap_pct === null ? NONE : share(overlap_pct, 100))),
    "^Lowest (bus )?bandwidth$": lowest,
    "^SparseCore in flight$": ({ comm }) => positive(comm.sparse_core_totals?.in_flight_ps, time),
  },
  File: {
    "^Size$": ({ inspect }) => size(sum(inspect.files, (file) => file.size_bytes)),
    "^Files$": ({ inspect }) => count(inspect.files.length),
    "^Planes$": ({ inspect }) => count(inspect.planes.length),
    "^Lines$": ({ inspect }) => count(sum(inspect.planes, (plane) => plane.lines.length)),
    "^Events$": ({ inspect }) => count(inspect.n_events_total),
    "^Programs$": ({ inspect }) => count(inspect.programs.length),
  },
};

/**
 * The figures that a view must show. When nothing ran on a device, Breakdown, Roofline and Communication have no
 * figures.
 */
function expected(view, views) {
  if (["Breakdown", "Roofline", "Communication"].includes(view) && views.breakdown.status === "absent") return {};
  const all = Object.entries(FIGURES[view]).map(([label, tell]) => [label, tell(views)]);
  return Object.fromEntries(all.filter(([, text]) => text !== undefined));
}

/**
 * The figures that a view shows, by their pattern in `FIGURES`, or by their label when no pattern matches. The prefix
 * "≥" is removed.
 */
async function shown(page, view) {
  const named = (label) => Object.keys(FIGURES[view]).find((pattern) => new RegExp(pattern).test(label)) ?? label;
  return Object.fromEntries(Object.entries(await figures(page)).map(([label, text]) => [named(label), text.replace("≥ ", "")]));
}

const root = real("README.md");
for (const file of root ? [join(repository, "samples/sample.xplane.pb.xz"), ...captures(join(root, ".."))] : []) {
  onPage(`${basename(file)}: the figures of every view are the command line's`, async ({ page }) => {
    await dropFiles(page, [file]);
    await page.getByRole("tab", { name: "Memory" }).waitFor();
    const names = ["breakdown", "roofline", "memory", "comm", "inspect"];
    const views = Object.fromEntries(names.map((name) => [name, cli(name, file)]));
    for (const view of Object.keys(FIGURES)) {
      await page.getByRole("tab", { name: view }).click();
      await page.locator(`[role=tab][aria-selected=true]`, { hasText: view }).waitFor();
      const should = expected(view, views);
      // A view's replies arrive one by one, so the figures are read again until they agree.
      const agrees = (is) => isDeepStrictEqual(is, should);
      const is = await until(() => shown(page, view), agrees, 5_000).catch(() => shown(page, view));
      assert.deepEqual(is, should, view);
    }
  });
}
