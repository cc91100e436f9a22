// What every browser test needs: the built page on a free port, a Chromium that talks to nobody else, and
// drops that are real. Knows no view.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, resolve, sep } from "node:path";
import { chromium } from "playwright-core";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json" };

/** A folder that the environment names; throws where it does not. */
export function need(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return resolve(value);
}

/**
 * Serves a folder under a sub-path, as a project page is served: { url, requests, refused, close }. What a test sets
 * `refused` to is a pattern of paths that it does not serve.
 */
export async function startServer(dist, { base = "/rooflight/" } = {}) {
  const made = { requests: [], refused: null };
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    made.requests.push(path);
    const file = path.startsWith(base) ? normalize(join(dist, path.slice(base.length) || "index.html")) : "";
    const inside = file.startsWith(resolve(dist) + sep);
    const found = inside && !made.refused?.test(path) && (await stat(file).catch(() => null))?.isFile();
    if (!found) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "cache-control": "no-store" });
    createReadStream(file).pipe(response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  const close = () => new Promise((done) => {
    server.close(done);
    server.closeAllConnections();
  });
  return Object.assign(made, { url: `http://127.0.0.1:${port}${base}`, close });
}

/**
 * Starts the browser that ROOFLIGHT_CHROMIUM names, with everything off that would call home. A test runs code once or twice:
 * V8 then spends half of the processor's time on optimising it, which `isOptimised` brings back for measurements.
 */
export function launch({ isOptimised = false, ...options } = {}) {
  return chromium.launch({
    executablePath: process.env.ROOFLIGHT_CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
      ...(isOptimised ? [] : ["--js-flags=--liftoff-only --wasm-lazy-compilation"]),
    ],
    ...options,
  });
}

/**
 * A page with its own storage, and what it complained of: { page, problems, close }. It is kept for no later visit, unless
 * `serviceWorkers: "allow"` says so: tests take files away from under the page.
 */
export async function open(browser, url, { width = 1440, height = 900, theme = "light", ...context } = {}) {
  const made = await browser.newContext({ viewport: { width, height }, colorScheme: theme, serviceWorkers: "block", ...context });
  const page = await made.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  const isOurs = (line) => ["error", "warning"].includes(line.type()) && !/Service Worker registration blocked/.test(line.text());
  page.on("console", (line) => isOurs(line) && problems.push(`${line.type()}: ${line.text()}`));
  await page.goto(url);
  await started(page);
  return { page, problems, close: () => made.close() };
}

/** Waits until the page's own program runs: it hears no drop before. */
export async function started(page) {
  await page.locator("main").first().waitFor();
}

/** Loads the page anew. */
export async function reload(page) {
  await page.reload();
  await started(page);
}

/** Drops files and folders of this machine on the page: trusted events, real entries, files of any size. */
export async function dropFiles(page, paths, { x = 300, y = 400, release = true } = {}) {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: paths.map((path) => resolve(path)), dragOperationsMask: 1 };
  const send = (type) => session.send("Input.dispatchDragEvent", { type, x, y, data });
  await send("dragEnter");
  await send("dragOver");
  if (release) await send("drop");
  await session.detach();
}

/** Chooses files as the button "Choose files" does. */
export async function pickFiles(page, paths) {
  await page.locator("#choose-files").setInputFiles(paths.map((path) => resolve(path)));
}

/** Waits for the table of an open capture. */
export async function opened(page, timeout = 60_000) {
  await page.locator("[role=grid] [data-row='0'] [role=gridcell]").first().waitFor({ timeout });
}

/** Waits until `read()` gives what `wanted` accepts, and returns it; fails with what it gave last. */
export async function until(read, wanted = Boolean, timeout = 15_000) {
  const end = Date.now() + timeout;
  for (;;) {
    const value = await read();
    if (wanted(value)) return value;
    if (Date.now() > end) throw new Error(`it stayed ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

/** Watches for a while that `read()` gives what `wanted` accepts each time: what must not happen would have happened by then. */
export async function stays(read, wanted, time = 600) {
  const end = Date.now() + time;
  while (Date.now() < end) {
    const value = await read();
    if (!wanted(value)) throw new Error(`it became ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

/** Waits until what changed is drawn, and transitions have ended: a colour half-way has another contrast. */
export async function painted(page) {
  await page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const ends = document.getAnimations().filter((one) => one.effect?.getTiming().iterations !== Infinity);
    await Promise.all(ends.map((one) => one.finished.catch(() => {})));
  });
}
