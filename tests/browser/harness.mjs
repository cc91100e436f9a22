// A test on a page of its own. Whatever a test is about, it fails when the page complains (console, uncaught
// errors) or when a request leaves the origin. Knows no view.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { synth } from "./captures.mjs";
import { launch, need, open, reload, startServer } from "./lib.mjs";
import { readMessages } from "./messages.mjs";

let server;
let browser;
before(async () => {
  synth(); // Here, because cargo may have to build the program first: a test has not so much time.
  server = await startServer(need("ROOFLIGHT_DIST"));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/**
 * A test with a page: `body({ page, server, requests, allow })`.
 * `expected` matches complaints that the test causes on purpose; `needs` is a real capture without which there is
 * nothing to test; what it `allow`s is another origin that may be asked; `todo` says why it still fails; what else is in `options` goes to the page (width, height, theme).
 */
export function onPage(name, options, body) {
  if (!body) return onPage(name, {}, options);
  const { expected, todo, timeout = 120_000, ...context } = options;
  const skip = "needs" in options && !options.needs ? "no real capture" : false;
  return test(name, { timeout, skip, todo }, async () => {
    const { page, problems, close } = await open(browser, server.url, context);
    const requests = [];
    const left = new Set();
    const allowed = [];
    page.context().on("request", (request) => {
      requests.push(request.url());
      if (!ours(request.url()) && !allowed.some((origin) => request.url().startsWith(`${origin}/`))) left.add(request.url());
    });
    // What the policy stops is announced, too, but does not leave.
    page.context().on("requestfailed", (request) => request.failure()?.errorText === "csp" && left.delete(request.url()));
    try {
      await body({ page, server, requests, allow: (origin) => allowed.push(origin) });
      assert.deepEqual(problems.filter((problem) => !expected?.test(problem)), [], "the page complained");
      assert.deepEqual([...left], [], "requests left the origin");
    } finally {
      server.refused = null;
      await close();
    }
  });
}

/** Whether a request stays where the page came from. */
function ours(url) {
  const { origin } = new URL(server.url);
  return url.startsWith(`${origin}/`) || url.startsWith(`blob:${origin}/`) || url.startsWith("data:");
}

/**
 * Lets loads go on for as long as a test wants: the worker's answers of a kind (that it has opened the files) are held
 * back until `release`, from the start or once the test sets `window.holding`. Reloads the page.
 */
export async function holdLoads(page, { kind = "Opened", holding = true } = {}) {
  await readMessages(page);
  await page.addInitScript(({ kind, holding }) => {
    const Real = window.Worker;
    window.held = [];
    window.holding = holding;
    window.Worker = class extends Real {
      set onmessage(heard) {
        this.heard = heard; // null once the page has ended this worker
        super.onmessage = (event) => {
          if (window.holding && window.messageOf(event.data, "Reply").kind === kind) window.held.push(() => this.heard?.(event));
          else this.heard?.(event);
        };
      }
    };
    window.release = () => {
      window.holding = false;
      for (const go of window.held.splice(0)) go();
    };
  }, { kind, holding });
  await reload(page);
}
