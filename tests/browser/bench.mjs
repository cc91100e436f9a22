// Measures the time from the drop of a capture to its table, the longest task of the page's main thread meanwhile, the
// worker's memory, and the command line's time for the same file. Each number is the best of RUNS runs, because other
// programs use the machine too. The ratio of page to command line is comparable between machines; the milliseconds are
// not.
import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { manyBuffers, synth } from "./captures.mjs";
import { dropFiles, launch, need, open, opened, reload, startServer, until } from "./lib.mjs";
import { grid, settled, sortBy } from "./reading.mjs";

const RUNS = Number(process.env.ROOFLIGHT_RUNS ?? 3);
const MIB = 2 ** 20;
const ms = (value) => `${value.toFixed(0)} ms`;

/** Runs in the page. Records the time of the drop and the time when the first row with text was painted. */
function watch() {
  const seen = (window.bench = {});
  window.addEventListener("drop", () => performance.mark("dropped", { startTime: (seen.dropped = performance.now()) }), { capture: true });
  new MutationObserver(() => {
    if (seen.dropped === undefined || seen.shown !== undefined) return;
    if (!document.querySelector("[role=grid] [data-row='0'] [role=gridcell]")?.textContent) return;
    seen.shown = NaN; // replaced once the row is painted
    requestAnimationFrame(() => setTimeout(() => performance.mark("shown", { startTime: (seen.shown = performance.now()) })));
  }).observe(document, { subtree: true, childList: true, characterData: true });
}

/** Makes the worker store its wasm memory in `self.wasmMemory`, because wasm-bindgen's loader does not expose it. */
function keepMemory() {
  const head = "const I = WebAssembly.instantiateStreaming, J = WebAssembly.instantiate;" +
    "const keep = (made) => { self.wasmMemory ??= (made.instance ?? made).exports.memory; return made; };" +
    "WebAssembly.instantiateStreaming = (...a) => I.apply(WebAssembly, a).then(keep);" +
    "WebAssembly.instantiate = (...a) => J.apply(WebAssembly, a).then(keep);\n";
  const create = URL.createObjectURL;
  URL.createObjectURL = (blob) => create.call(URL, blob.type === "text/javascript" ? new Blob([head, blob], { type: blob.type }) : blob);
}

async function once(browser, url, files) {
  const { page, close } = await open(browser, url);
  await page.addInitScript(watch);
  await page.addInitScript(keepMemory);
  await reload(page);
  await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing", "disabled-by-default-devtools.timeline"] });
  await dropFiles(page, files);
  await opened(page, 300_000);
  await page.waitForFunction(() => window.bench.shown > 0);
  const { dropped, shown } = await page.evaluate(() => window.bench);
  const tasks = longest(JSON.parse(await browser.stopTracing()).traceEvents);
  const used = await page.workers()[0].evaluate(() => self.wasmMemory?.buffer.byteLength ?? NaN);
  await close();
  return { ms: shown - dropped, ...tasks, memory: used };
}

/**
 * Returns the longest task of the page's main thread between the marks "dropped" and "shown", in ms: `wall` is its
 * elapsed time, `cpu` is the largest processor time of a task. `work` is the processor time of the worker, in ms.
 */
function longest(events) {
  const mark = (name) => events.find((event) => event.name === name && event.cat.includes("user_timing"));
  const [from, to] = [mark("dropped"), mark("shown")];
  const tasks = events.filter((event) => /RunTask$/.test(event.name) && event.ph === "X" && event.pid === from.pid && event.ts + event.dur >= from.ts && event.ts <= to.ts);
  const on = (wanted) => tasks.filter((task) => (task.tid === from.tid) === wanted);
  const workers = new Set(events.filter((event) => event.name === "thread_name" && /Dedicated ?Worker/.test(event.args.name)).map((event) => event.tid));
  const work = tasks.filter((task) => workers.has(task.tid)).reduce((sum, task) => sum + (task.tdur ?? 0), 0);
  return { wall: Math.max(...on(true).map((task) => task.dur)) / 1000, cpu: Math.max(...on(true).map((task) => task.tdur ?? 0)) / 1000, work: work / 1000 };
}

/** The paths of the captures of `mb` MB that `cargo xtask bench` has made: one file, or one file per host. */
function captures(mb) {
  const folder = join(need("ROOFLIGHT_BENCH"), String(mb));
  return readdirSync(folder).filter((name) => name.endsWith(".xplane.pb")).sort().map((name) => join(folder, name));
}

function cli(files) {
  const before = process.hrtime.bigint();
  execFileSync(need("ROOFLIGHT_CLI"), ["breakdown", ...files, "--json"], { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
  return Number(process.hrtime.bigint() - before) / 1e6;
}

/** Returns the minimum of RUNS runs, for each field separately. Other programs can only make a run slower. */
async function best(run) {
  const all = [];
  for (let at = 0; at < RUNS; at += 1) all.push(await run());
  return typeof all[0] === "number" ? Math.min(...all) : Object.fromEntries(Object.keys(all[0]).map((key) => [key, Math.min(...all.map((one) => one[key]))]));
}

/** Runs in the worker. Records the time that the worker spends on each request, in ms, in `self.answers`. */
function timeAnswers() {
  self.answers = [];
  const later = self.setTimeout;
  self.setTimeout = (work, ...rest) =>
    later(() => {
      const start = performance.now();
      work();
      self.answers.push(performance.now() - start);
    }, ...rest);
}

/**
 * Measures sorting, filtering and scrolling of a table of 100,000 rows: the worker's time and the time until the result
 * is painted.
 */
async function rows(browser, url) {
  const { page, close } = await open(browser, url);
  await dropFiles(page, [synth({ mb: 60, devices: 1, ops: 100_000 })]);
  await opened(page, 300_000);
  const thread = page.workers()[0];
  await thread.evaluate(timeAnswers);
  /** Returns the worker's longest time for a request while `act` runs, and the time of `act` itself, in ms. */
  const worker = async (act) => {
    await thread.evaluate(() => (self.answers.length = 0));
    const start = performance.now();
    await act();
    const painted = performance.now() - start;
    return { worker: Math.max(...(await thread.evaluate(() => self.answers))), painted };
  };
  let down = true;
  const sort = async (head) => best(() => worker(() => sortBy(page, head, (down = !down) ? "descending" : "ascending")));
  const sorts = { Self: await sort("Self"), Category: await sort("Category"), Op: await sort("Op") };
  // Each run filters by a new text, so that no cached result is reused.
  let n = 0;
  const field = page.getByRole("textbox", { name: "Filter ops" });
  const filter = async (text) =>
    best(() =>
      worker(async () => {
        n += 1;
        await field.fill(text(n));
        await until(() => thread.evaluate(() => self.answers.length));
        await settled(page);
      }),
    );
  const filters = { few: await filter((n) => `fusion.${n}7`), many: await filter((n) => [..."mixer/mlp/"].map((c, i) => ((n >> i) & 1 ? c.toUpperCase() : c)).join("")) };
  await field.fill("");
  await settled(page);
  await painted(page);
  const frames = await grid(page).evaluate((node) => new Promise((done) => {
    const gaps = [];
    let last = performance.now();
    const step = (now) => {
      gaps.push(now - last);
      last = now;
      node.scrollTop += 120; // At 60 frames per second this is 7,200 pixels per second, a fast wheel.
      if (gaps.length < 120) requestAnimationFrame(step);
      else done(gaps.slice(1).sort((a, b) => a - b));
    };
    requestAnimationFrame(step);
  }));
  await close();
  return { sorts, filters, median: frames[Math.floor(frames.length / 2)], p95: frames[Math.floor(frames.length * 0.95)] };
}

/**
 * Measures the memory view of a large compiled program: the worker's total time for its replies, and the time until the
 * treemap is shown.
 */
async function memory(browser, url) {
  const file = manyBuffers();
  const took = await best(async () => {
    const { page, close } = await open(browser, url);
    await dropFiles(page, [file]);
    await page.getByRole("tab", { name: "Memory" }).waitFor();
    const thread = page.workers()[0];
    await page.locator(".code-line code").first().waitFor();
    await thread.evaluate(timeAnswers);
    const start = performance.now();
    await page.getByRole("tab", { name: "Memory" }).click();
    await page.locator(".map-canvas .scene rect").first().waitFor();
    const shown = performance.now() - start;
    const worker = (await thread.evaluate(() => self.answers)).reduce((sum, answer) => sum + answer, 0);
    await close();
    return { worker, shown };
  });
  return { ...took, bytes: statSync(file).size };
}

const server = await startServer(need("ROOFLIGHT_DIST"));
const browser = await launch({ isOptimised: true });
console.log(`best of ${RUNS}; ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}\n`);
console.log("capture   drop to table   of it worker   longest task (processor)   wasm memory        command line   page ÷ command line");
for (const mb of process.env.ROOFLIGHT_MB.split(",").map(Number)) {
  const files = captures(mb);
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const native = await best(() => cli(files));
  const page = await best(() => once(browser, server.url, files));
  const cells = [
    [`${mb} MB`, 10],
    [ms(page.ms), 16],
    [ms(page.work), 15],
    [`${ms(page.wall)} (${ms(page.cpu)})`, 27],
    [`${(page.memory / MIB).toFixed(0)} MiB, ${(page.memory / bytes).toFixed(2)} ×`, 19],
    [ms(native), 15],
    [(page.ms / native).toFixed(2), 0],
  ];
  console.log(cells.map(([text, width]) => text.padEnd(width)).join(""));
}
const table = await rows(browser, server.url);
console.log("\n100,000 rows: the worker's time, and until it is painted");
for (const [what, { worker, painted }] of [...Object.entries(table.sorts).map(([head, took]) => [`sorted by ${head}`, took]), ...Object.entries(table.filters).map(([which, took]) => [`filtered to ${which}`, took])]) {
  console.log(`${what.padEnd(22)}${ms(worker).padEnd(10)}${ms(painted)}`);
}
console.log(`frames while scrolling: median ${table.median.toFixed(1)} ms, 95 % below ${table.p95.toFixed(1)} ms`);
const large = await memory(browser, server.url);
console.log(`\na program of 37,000 instructions (${(large.bytes / 1e6).toFixed(1)} MB): its memory takes the worker ${ms(large.worker)}, and is shown after ${ms(large.shown)}`);
await browser.close();
await server.close();
