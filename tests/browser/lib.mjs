// Supplies the basics of every browser test: a server for the built page on a free port, a Chromium without background
// requests, and real drops of files. This module does not depend on a view.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize, resolve, sep } from "node:path";
import { chromium } from "playwright-core";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json" };

/** Returns the absolute path in an environment variable. Throws when the variable is not set. */
export function requiredPath(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return resolve(value);
}

/**
 * Serves a folder under a sub-path, like a project page. Returns `{ url, requests, refused, close }`. A test can set
 * `refused` to a pattern; the server answers 404 for paths that match it.
 */
export async function startServer(dist, { base = "/rooflight/" } = {}) {
  const testServer = { requests: [], refused: null };
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    testServer.requests.push(path);
    const file = path.startsWith(base) ? normalize(join(dist, path.slice(base.length) || "index.html")) : "";
    const isInDist = file.startsWith(resolve(dist) + sep);
    const isFound = isInDist && !testServer.refused?.test(path) && (await stat(file).catch(() => null))?.isFile();
    if (!isFound) return response.writeHead(404).end("not found");
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "cache-control": "no-store" });
    createReadStream(file).pipe(response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  const close = () => new Promise((done) => {
    server.close(done);
    server.closeAllConnections();
  });
  return Object.assign(testServer, { url: `http://127.0.0.1:${port}${base}`, close });
}

/**
 * Starts the browser that ROOFLIGHT_CHROMIUM names (default /usr/bin/chromium) without its background requests. V8's
 * optimising WebAssembly compiler is off, because tests run code only once or twice and optimising would take half of
 * the processor time. `isOptimised` turns the compiler on for measurements.
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
 * Opens a page with its own storage. Returns `{ page, problems, close }`; `problems` lists console warnings, console
 * errors and uncaught errors. Service workers are blocked unless `serviceWorkers` is "allow": a cached page would hide
 * the files that tests remove from the server. With `view`, the page shows captures in this view and not in the overview.
 */
export async function openPage(browser, url, { width = 1440, height = 900, theme = "light", view, firstVisit = false, ...context } = {}) {
  const browserContext = await browser.newContext({ viewport: { width, height }, colorScheme: theme, serviceWorkers: "block", ...context });
  if (!firstVisit) await browserContext.addInitScript(() => { try { localStorage.setItem("rooflight.hint", "seen"); } catch { /* no storage */ } });
  const page = await browserContext.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  const isOurs = (line) => ["error", "warning"].includes(line.type()) && !/Service Worker registration blocked/.test(line.text());
  page.on("console", (line) => isOurs(line) && problems.push(`${line.type()}: ${line.text()}`));
  await page.goto(view ? `${url}#v=1&view=${view}` : url);
  await waitForApp(page);
  return { page, problems, close: () => browserContext.close() };
}

/** Waits until the page's program runs. Before that, the page ignores drops. */
export async function waitForApp(page) {
  await page.locator("main").first().waitFor();
}

/** Reloads the page and waits until its program runs. */
export async function reload(page) {
  await page.reload();
  await waitForApp(page);
}

/**
 * Drops local files and folders on the page with trusted events and real file entries. With `release: false`, the files
 * are only dragged over.
 */
export async function dropFiles(page, paths, { x = 300, y = 400, release = true } = {}) {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: paths.map((path) => resolve(path)), dragOperationsMask: 1 };
  const send = (type) => session.send("Input.dispatchDragEvent", { type, x, y, data });
  await send("dragEnter");
  await send("dragOver");
  if (release) await send("drop");
  await session.detach();
}

/** Opens files through the input of the button "Choose files". */
export async function pickFiles(page, paths) {
  await page.locator("#choose-files").setInputFiles(paths.map((path) => resolve(path)));
}

/** Waits for the table of an open capture. If the capture opens in the overview, the breakdown is shown first. */
export async function waitForTable(page, timeout = 60_000) {
  const cell = page.locator("[role=grid] [data-row='0'] [role=gridcell]").first();
  const verdict = page.locator(".verdict");
  await cell.or(verdict).first().waitFor({ timeout });
  if (await verdict.isVisible()) await page.locator("#tab-breakdown").click();
  await cell.waitFor({ timeout });
}

/**
 * Calls `read()` until `accepts` returns true for the value, and returns that value. Throws after `timeout` ms; the
 * error has the last value.
 */
export async function waitUntil(read, accepts = Boolean, timeout = 15_000) {
  const deadline = Date.now() + timeout;
  for (;;) {
    const value = await read();
    if (accepts(value)) return value;
    if (Date.now() > deadline) throw new Error(`after ${timeout} ms the value is still ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

/**
 * Calls `read()` for `time` ms and throws when `accepts` returns false for a value. Use this to check that something
 * does not happen.
 */
export async function assertStays(read, accepts, time = 600) {
  const deadline = Date.now() + time;
  while (Date.now() < deadline) {
    const value = await read();
    if (!accepts(value)) throw new Error(`the value became ${JSON.stringify(value)}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

/** Waits until changes are painted and transitions have ended. A colour in transition would have another contrast. */
export async function waitForPaint(page) {
  await page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const finiteAnimations = document.getAnimations().filter((animation) => animation.effect?.getTiming().iterations !== Infinity);
    await Promise.all(finiteAnimations.map((animation) => animation.finished.catch(() => {})));
  });
}
