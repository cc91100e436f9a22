// Runs each test on a page of its own. Every test also fails when the page logs a warning or an error, throws an
// uncaught error, or sends a request to another origin. This module does not depend on a view.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { synth } from "./captures.mjs";
import { launch, openPage, reload, requiredPath, startServer } from "./lib.mjs";
import { readMessages } from "./messages.mjs";

/** Whether only tests run that need or use captures of other projects. The others have run without these captures. */
const onlyCaptures = process.env.ROOFLIGHT_ONLY_CAPTURES === "1";

let server;
let browser;
before(async () => {
  synth(); // Made before the tests: cargo may have to build the program, which takes longer than a test may.
  server = await startServer(requiredPath("ROOFLIGHT_DIST"));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/**
 * Defines a test with a page. It calls `body({ page, server, requests, allow })`; `allow(origin)` permits requests to
 * another origin. Options: `expected` is a pattern of problems that the test causes on purpose; `needs` is the path of
 * a real capture, and the test is skipped when `needs` is `undefined`; `uses` is the path of one that the test opens if it is there; `todo` is the reason why the test still fails;
 * `timeout` is in ms. `view` is the view in which captures open, by default the breakdown, about which most tests are. All other options go to
 * the page (width, height, theme).
 */
export function onPage(name, options, body) {
  if (!body) return onPage(name, {}, options);
  const { expected, todo, timeout = 120_000, view = "breakdown", ...context } = options;
  const isWithout = "needs" in options && !options.needs;
  const skip = isWithout ? "no real capture" : onlyCaptures && !options.needs && !options.uses ? "no capture of another project is needed" : false;
  return test(name, { timeout, skip, todo }, async () => {
    const { page, problems, close } = await openPage(browser, server.url, { view, ...context });
    const requests = [];
    const foreignUrls = new Set();
    const allowed = [];
    page.context().on("request", (request) => {
      requests.push(request.url());
      if (!isOwnUrl(request.url()) && !allowed.some((origin) => request.url().startsWith(`${origin}/`))) foreignUrls.add(request.url());
    });
    // A request that the Content Security Policy blocks also raises a `request` event, but does not leave the browser.
    page.context().on("requestfailed", (request) => request.failure()?.errorText === "csp" && foreignUrls.delete(request.url()));
    try {
      await body({ page, server, requests, allow: (origin) => allowed.push(origin) });
      assert.deepEqual(problems.filter((problem) => !expected?.test(problem)), [], "the page logs no warning and no error");
      assert.deepEqual([...foreignUrls], [], "no request leaves the origin");
    } finally {
      server.refused = null;
      await close();
    }
  });
}

/** Whether a URL has the page's own origin, is a blob of that origin, or is a data URL. */
function isOwnUrl(url) {
  const { origin } = new URL(server.url);
  return url.startsWith(`${origin}/`) || url.startsWith(`blob:${origin}/`) || url.startsWith("data:");
}

/**
 * Holds back the worker's replies of one kind until the test calls `window.release()`. The kind of an answer to a view is that
 * of its request. The default kind, "Opened", prolongs loads. With `holding: false`, replies are held back only after the
 * test sets `window.holding` to true. Reloads the page.
 */
export async function holdReplies(page, { kind = "Opened", holding = true } = {}) {
  await readMessages(page);
  await page.addInitScript(({ kind, holding }) => {
    const RealWorker = window.Worker;
    window.held = [];
    window.holding = holding;
    window.Worker = class extends RealWorker {
      requests = new Map(); // the kind of each request by its id
      postMessage(...message) {
        const request = window.messageOf(message[0], "Request");
        this.requests.set(request.id, request.kind);
        super.postMessage(...message);
      }
      set onmessage(handler) {
        this.handler = handler; // null after the page has terminated this worker
        super.onmessage = (event) => {
          const reply = window.messageOf(event.data, "Reply");
          const replyKind = reply.kind === "Answer" ? this.requests.get(reply.id) : reply.kind;
          if (window.holding && replyKind === kind) window.held.push(() => this.handler?.(event));
          else this.handler?.(event);
        };
      }
    };
    window.release = () => {
      window.holding = false;
      for (const deliver of window.held.splice(0)) deliver();
    };
  }, { kind, holding });
  await reload(page);
}
