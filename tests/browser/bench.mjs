// Measures the time from the drop of a capture to its table, the longest task of the page's main thread meanwhile, the
// worker's memory, and the command line's time for the same file. Each number is the best of RUNS runs, because other
// programs use the machine too. The ratio of page to command line is comparable between machines; the milliseconds are
// not.
import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { manyBuffers, synth } from "./captures.mjs";
import { dropFiles, launch, openPage, reload, requiredPath, startServer, waitForPaint, waitForTable, waitUntil } from "./lib.mjs";
import { grid, sortBy, waitForRows } from "./page_helpers.mjs";

const RUNS = Number(process.env.ROOFLIGHT_RUNS ?? 3);
const MIB = 2 ** 20;
const ms = (value) => `${value.toFixed(0)} ms`;

/** Runs in the page. Records the time of the drop and the time when the first row with text was painted. */
function recordDropAndRows() {
  const times = (window.bench = {});
  window.addEventListener("drop", () => performance.mark("dropped", { startTime: (times.dropped = performance.now()) }), { capture: true });
  // Of a large file, the first device is shown while the rest is read. All captures of this measurement have several
  // devices, so that the button of the device names the mean once all devices are there.
  const rows = () => document.querySelector("[role=grid] [data-row='0'] [role=gridcell]");
  const isBusy = (selector) => document.querySelector(selector)?.getAttribute("aria-busy") !== "false";
  const hasAllDevices = () => /mean of/i.test(document.querySelector("#device-button")?.textContent ?? "");
  new MutationObserver(() => {
    if (times.dropped === undefined || times.complete !== undefined || !rows()) return;
    requestAnimationFrame(() => setTimeout(() => {
      times.first ??= performance.now();
      if (!hasAllDevices() || isBusy("[role=grid]")) return;
      if (times.shown === undefined) performance.mark("shown", { startTime: (times.shown = performance.now()) });
      if (!isBusy("dl.figures")) times.complete ??= performance.now();
    }));
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
}

/** Makes the worker store its wasm memory in `self.wasmMemory`, because wasm-bindgen's loader does not expose it. */
function exposeMemory() {
  const prelude = "const I = WebAssembly.instantiateStreaming, J = WebAssembly.instantiate;" +
    "const keep = (result) => { self.wasmMemory ??= (result.instance ?? result).exports.memory; return result; };" +
    "WebAssembly.instantiateStreaming = (...a) => I.apply(WebAssembly, a).then(keep);" +
    "WebAssembly.instantiate = (...a) => J.apply(WebAssembly, a).then(keep);\n";
  const create = URL.createObjectURL;
  URL.createObjectURL = (blob) => create.call(URL, blob.type === "text/javascript" ? new Blob([prelude, blob], { type: blob.type }) : blob);
}

async function measureLoad(browser, url, files) {
  const { page, close } = await openPage(browser, url, { view: "breakdown" });
  await page.addInitScript(recordDropAndRows);
  await page.addInitScript(exposeMemory);
  await reload(page);
  await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing", "disabled-by-default-devtools.timeline"] });
  await dropFiles(page, files);
  await waitForTable(page, 300_000);
  await page.waitForFunction(() => window.bench.complete > 0, null, { timeout: 300_000 });
  const { dropped, first, shown, complete } = await page.evaluate(() => window.bench);
  const taskTimes = longestTasks(JSON.parse(await browser.stopTracing()).traceEvents);
  const memoryBytes = await page.workers()[0].evaluate(() => self.wasmMemory?.buffer.byteLength ?? NaN);
  await close();
  return { first: first - dropped, ms: shown - dropped, complete: complete - dropped, ...taskTimes, memory: memoryBytes };
}

/**
 * Returns the longest task of the page's main thread between the marks "dropped" and "shown", in ms: `wall` is its
 * elapsed time, `cpu` is the largest processor time of a task. `work` is the processor time of the worker, in ms.
 */
function longestTasks(events) {
  const mark = (name) => events.find((event) => event.name === name && event.cat.includes("user_timing"));
  const [start, end] = [mark("dropped"), mark("shown")];
  const tasks = events.filter((event) => /RunTask$/.test(event.name) && event.ph === "X" && event.pid === start.pid && event.ts + event.dur >= start.ts && event.ts <= end.ts);
  const tasksOf = (isMainThread) => tasks.filter((task) => (task.tid === start.tid) === isMainThread);
  const workers = new Set(events.filter((event) => event.name === "thread_name" && /Dedicated ?Worker/.test(event.args.name)).map((event) => event.tid));
  const work = tasks.filter((task) => workers.has(task.tid)).reduce((sum, task) => sum + (task.tdur ?? 0), 0);
  return { wall: Math.max(...tasksOf(true).map((task) => task.dur)) / 1000, cpu: Math.max(...tasksOf(true).map((task) => task.tdur ?? 0)) / 1000, work: work / 1000 };
}

/** The paths of the captures of `mb` MB that `cargo xtask bench` has made: one file, or one file per host. */
function benchCaptures(mb) {
  const folder = join(requiredPath("ROOFLIGHT_BENCH"), String(mb));
  return readdirSync(folder).filter((name) => name.endsWith(".xplane.pb")).sort().map((name) => join(folder, name));
}

function timeCommandLine(files) {
  const before = process.hrtime.bigint();
  execFileSync(requiredPath("ROOFLIGHT_CLI"), ["breakdown", ...files, "--json"], { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
  return Number(process.hrtime.bigint() - before) / 1e6;
}

/** Returns the minimum of RUNS runs, for each field separately. Other programs can only make a run slower. */
async function bestOf(run) {
  const results = [];
  for (let i = 0; i < RUNS; i += 1) results.push(await run());
  return typeof results[0] === "number" ? Math.min(...results) : Object.fromEntries(Object.keys(results[0]).map((key) => [key, Math.min(...results.map((result) => result[key]))]));
}

/** Runs in the worker. Records the time that the worker spends on each request, in ms, in `self.requestTimes`. */
function timeRequests() {
  self.requestTimes = [];
  const originalSetTimeout = self.setTimeout;
  self.setTimeout = (work, ...rest) =>
    originalSetTimeout(() => {
      const start = performance.now();
      work();
      self.requestTimes.push(performance.now() - start);
    }, ...rest);
}

/**
 * Measures sorting, filtering and scrolling of a table of 100,000 rows: the worker's time and the time until the result
 * is painted.
 */
async function measureTable(browser, url) {
  const { page, close } = await openPage(browser, url);
  await dropFiles(page, [synth({ mb: 60, devices: 1, ops: 100_000 })]);
  await waitForTable(page, 300_000);
  const thread = page.workers()[0];
  await thread.evaluate(timeRequests);
  /**
   * Returns the worker's longest time for a request while `action` runs, and the time of `action` itself, in ms.
   */
  const timeWorker = async (action) => {
    await thread.evaluate(() => (self.requestTimes.length = 0));
    const start = performance.now();
    await action();
    const untilPaint = performance.now() - start;
    return { worker: Math.max(...(await thread.evaluate(() => self.requestTimes))), untilPaint };
  };
  let isDescending = true;
  const timeSort = async (head) => bestOf(() => timeWorker(() => sortBy(page, head, (isDescending = !isDescending) ? "descending" : "ascending")));
  const sortTimes = { Self: await timeSort("Self"), Category: await timeSort("Category"), Op: await timeSort("Op") };
  // Each run filters by a new text, so that no cached result is reused.
  let n = 0;
  const field = page.getByRole("textbox", { name: "Filter ops" });
  const timeFilter = async (text) =>
    bestOf(() =>
      timeWorker(async () => {
        n += 1;
        await field.fill(text(n));
        await waitUntil(() => thread.evaluate(() => self.requestTimes.length));
        await waitForRows(page);
      }),
    );
  const filterTimes = { few: await timeFilter((n) => `fusion.${n}7`), many: await timeFilter((n) => [..."mixer/mlp/"].map((c, i) => ((n >> i) & 1 ? c.toUpperCase() : c)).join("")) };
  await field.fill("");
  await waitForRows(page);
  await waitForPaint(page);
  const frames = await grid(page).evaluate((node) => new Promise((done) => {
    const gaps = [];
    let last = performance.now();
    const step = (time) => {
      gaps.push(time - last);
      last = time;
      node.scrollTop += 120; // At 60 frames per second this is 7,200 pixels per second, a fast wheel.
      if (gaps.length < 120) requestAnimationFrame(step);
      else done(gaps.slice(1).sort((a, b) => a - b));
    };
    requestAnimationFrame(step);
  }));
  await close();
  return { sortTimes, filterTimes, median: frames[Math.floor(frames.length / 2)], p95: frames[Math.floor(frames.length * 0.95)] };
}

/**
 * Measures the memory view of a large compiled program: the worker's total time for its replies, and the time until the
 * treemap is shown.
 */
async function measureMemoryView(browser, url) {
  const file = manyBuffers();
  const times = await bestOf(async () => {
    const { page, close } = await openPage(browser, url);
    await dropFiles(page, [file]);
    await page.getByRole("tab", { name: "Memory" }).waitFor();
    const thread = page.workers()[0];
    await page.locator(".code-line code").first().waitFor();
    await thread.evaluate(timeRequests);
    const start = performance.now();
    await page.getByRole("tab", { name: "Memory" }).click();
    await page.locator(".map-canvas .scene rect").first().waitFor();
    const shown = performance.now() - start;
    const worker = (await thread.evaluate(() => self.requestTimes)).reduce((sum, time) => sum + time, 0);
    await close();
    return { worker, shown };
  });
  return { ...times, bytes: statSync(file).size };
}

const server = await startServer(requiredPath("ROOFLIGHT_DIST"));
const browser = await launch({ isOptimised: true });
console.log(`best of ${RUNS}; ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}\n`);
console.log("capture   first device   all devices     all figures   worker time    longest task (processor)   wasm memory        command line   page ÷ command line");
for (const mb of process.env.ROOFLIGHT_MB.split(",").map(Number)) {
  const files = benchCaptures(mb);
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const cliTime = await bestOf(() => timeCommandLine(files));
  const pageTimes = await bestOf(() => measureLoad(browser, server.url, files));
  const cells = [
    [`${mb} MB`, 10],
    [ms(pageTimes.first), 15],
    [ms(pageTimes.ms), 16],
    [ms(pageTimes.complete), 14],
    [ms(pageTimes.work), 15],
    [`${ms(pageTimes.wall)} (${ms(pageTimes.cpu)})`, 27],
    [`${(pageTimes.memory / MIB).toFixed(0)} MiB, ${(pageTimes.memory / bytes).toFixed(2)} ×`, 19],
    [ms(cliTime), 15],
    [(pageTimes.ms / cliTime).toFixed(2), 0],
  ];
  console.log(cells.map(([text, width]) => text.padEnd(width)).join(""));
}
const table = await measureTable(browser, server.url);
console.log("\n100,000 rows: the worker's time, and the time until the result is painted");
for (const [label, { worker, untilPaint }] of [...Object.entries(table.sortTimes).map(([head, times]) => [`sorted by ${head}`, times]), ...Object.entries(table.filterTimes).map(([name, times]) => [`filtered to ${name}`, times])]) {
  console.log(`${label.padEnd(22)}${ms(worker).padEnd(10)}${ms(untilPaint)}`);
}
console.log(`frames while scrolling: median ${table.median.toFixed(1)} ms, 95 % below ${table.p95.toFixed(1)} ms`);
const memoryTimes = await measureMemoryView(browser, server.url);
console.log(`\na program of 37,000 instructions (${(memoryTimes.bytes / 1e6).toFixed(1)} MB): the worker computes its memory in ${ms(memoryTimes.worker)}, and the page shows it after ${ms(memoryTimes.shown)}`);
await browser.close();
await server.close();
