// These tests fetch captures from hosts on the web: with a question before a large fetch, with a resumed transfer after
// a broken connection, and with an explanation of each failure.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { simulatedRun, synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { host } from "./hosts.mjs";
import { assertStays, pickFiles, reload, waitForApp, waitForTable, waitUntil } from "./lib.mjs";
import { figures } from "./page_helpers.mjs";

const capture = () => simulatedRun("--steps", "3").captures[0];
/**
 * Returns at least 33 MiB, which the page does not fetch without a question. The copies of one capture form one XSpace.
 */
const largeCapture = () => {
  const bytes = readFileSync(capture());
  return Buffer.concat(Array.from({ length: Math.ceil((33 << 20) / bytes.length) }, () => bytes));
};
const urlField = (page) => page.locator("#from-web");
const srcParameter = (page) => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("src"));

/**
 * Types an address and presses Enter. With `reloads`, waits for the page to reload, because its policy does not yet
 * name that host.
 */
async function fetchFrom(page, url, { reloads = true } = {}) {
  await urlField(page).fill(url);
  const load = reloads ? page.waitForEvent("load") : undefined;
  await urlField(page).press("Enter");
  await load;
  if (reloads) await waitForApp(page);
}

/** Opens the page with a link to the capture at `url`. */
async function openLink(page, pageUrl, url) {
  await page.goto("about:blank");
  await page.goto(`${pageUrl}#v=1&src=${encodeURIComponent(url)}`);
  await waitForApp(page);
}

const failureText = (page) => page.locator(".failed").innerText();

onPage("a small capture opens without a question, and the URL opens it again until another capture replaces it", async ({ page, allow }) => {
  const webHost = await host(capture());
  allow(webHost.origin);
  try {
    const url = webHost.url("a run.xplane.pb").replace(" ", "%20");
    await fetchFrom(page, url);
    await waitForTable(page);
    assert.match(await page.title(), /^a run\.xplane\.pb/);
    const figuresBefore = await figures(page);
    await waitUntil(() => srcParameter(page), (value) => value === url);
    await reload(page);
    await waitForTable(page);
    assert.deepEqual(await figures(page), figuresBefore);
    assert.deepEqual(webHost.requests, [["GET", undefined], ["GET", undefined]], "the page sends one request per load and no preflight");
    await pickFiles(page, [synth()]);
    await waitUntil(() => page.title(), (title) => !title.startsWith("a run"));
    await waitUntil(() => srcParameter(page), (value) => value === null);
    // The same file from the disk gives the same figures.
    await pickFiles(page, [capture()]);
    await waitUntil(() => page.title(), (title) => title.startsWith("worker-0"));
    await waitUntil(() => figures(page), (current) => JSON.stringify(current) === JSON.stringify(figuresBefore));
  } finally {
    await webHost.close();
  }
});

onPage("an address with spaces around it and an upper-case scheme opens", async ({ page, server, allow }) => {
  const webHost = await host(capture());
  allow(webHost.origin);
  try {
    await openLink(page, server.url, ` ${webHost.url("a.xplane.pb").replace("http:", "HTTP:")} `);
    await waitForTable(page);
  } finally {
    await webHost.close();
  }
});

onPage("before a large fetch, the page asks with the host and the size, and the user can cancel or fetch", async ({ page, server, allow }) => {
  const bytes = largeCapture();
  const webHost = await host(bytes);
  allow(webHost.origin);
  try {
    await openLink(page, server.url, webHost.url("large.xplane.pb"));
    const dialog = page.getByRole("alertdialog");
    await dialog.waitFor();
    assert.equal(await dialog.locator("b").innerText(), `Fetch ${(bytes.length / 2 ** 20).toFixed(1)} MiB from ${new URL(webHost.origin).host}?`);
    assert.match(await dialog.innerText(), /runs\/large\.xplane\.pb/);
    await waitUntil(() => dialog.getByRole("button", { name: "Fetch" }).evaluate((button) => button === document.activeElement));
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal(await page.locator(".loading").count(), 0);
    await fetchFrom(page, webHost.url("large.xplane.pb"), { reloads: false });
    await dialog.getByRole("button", { name: "Fetch" }).click();
    await waitForTable(page);
    assert.match(await page.title(), /^large/);
  } finally {
    await webHost.close();
  }
});

onPage("before a fetch of unknown size, the page asks, and the capture then opens", async ({ page, server, allow }) => {
  const webHost = await host(capture(), { length: false });
  allow(webHost.origin);
  try {
    await openLink(page, server.url, webHost.url("a.xplane.pb"));
    await page.getByRole("alertdialog").getByText("does not say how large it is").waitFor();
    await page.getByRole("alertdialog").getByRole("button", { name: "Fetch" }).click();
    await waitForTable(page);
  } finally {
    await webHost.close();
  }
});

onPage("an interrupted download resumes if the host supports range requests", { expected: /Failed to load|net::ERR/ }, async ({ page, server, allow }) => {
  const half = Math.floor(readFileSync(capture()).length / 2);
  const webHost = await host(capture(), { breaksAfter: half });
  allow(webHost.origin);
  try {
    await openLink(page, server.url, webHost.url("a.xplane.pb"));
    await waitForTable(page);
    assert.equal(webHost.requests.length, 2);
    assert.match(webHost.requests[1][1], /^bytes=[1-9]\d*-$/);
    assert.equal(await page.locator(".strip").count(), 0, "the capture is complete");
  } finally {
    await webHost.close();
  }
});

onPage("a failed fetch is reported with its reason and a remedy", { expected: /Failed to load|net::ERR|CORS|blocked by/ }, async ({ page, server, allow }) => {
  const closedHost = await host(capture());
  await closedHost.close();
  const half = Math.floor(readFileSync(capture()).length / 2);
  const hosts = [
    [await host(capture(), { cors: false }), /lacks Access-Control-Allow-Origin for http:\/\/127.0.0.1:\d+ \(CORS\).*drop the file/s],
    [await host(capture(), { status: 404 }), /answers 404 Not Found: there is no such file/],
    [await host(capture(), { status: 403 }), /answers 403 Forbidden: it requires a login/],
    [await host(capture(), { breaksAfter: half, ranges: false }), /broke after .* of .*does not support resuming/s],
    [await host(Buffer.from("<!doctype html><title>Sign in</title>")), /is not an XLA profile/],
    [closedHost, /The host does not answer/],
  ];
  try {
    for (const [webHost, pattern] of hosts) {
      allow(webHost.origin);
      await openLink(page, server.url, webHost.url("a.xplane.pb"));
      await waitUntil(() => failureText(page).catch(() => ""), (text) => pattern.test(text));
    }
    for (const [url, pattern] of [
      // The browser refuses to fetch such an address and gives no reason.
      [`http://someone:secret@127.0.0.1:1/a.xplane.pb`, /holds a user name or a password before the @/],
      // In the policy, these host names would be directives of their own.
      ["http://a;img-src/a.xplane.pb", /host name a;img-src has characters other than letters/],
      ["http://a;script-src/a.xplane.pb", /host name a;script-src has characters/],
      ["https://*/a.xplane.pb", /has characters other than letters/],
    ]) {
      await openLink(page, server.url, url);
      const text = await waitUntil(() => failureText(page).catch(() => ""), (text) => pattern.test(text));
      assert.ok(!text.includes("secret"), text);
      const policies = await page.locator("meta[http-equiv]").evaluateAll((all) => all.map((meta) => meta.content));
      assert.deepEqual(policies.slice(1).map((policy) => policy.trim()), ["connect-src 'self'"]);
    }
    for (const [text, pattern] of [["gs://bucket/a.xplane.pb", /starts with gs:/], ["runs/a.xplane.pb", /has no host/]]) {
      await fetchFrom(page, text, { reloads: false });
      await waitUntil(() => failureText(page), (text) => pattern.test(text));
    }
  } finally {
    for (const [webHost] of hosts) await webHost.close();
  }
});

onPage("Cancel ends a fetch for good, a new request fetches again, and an error stays visible", { expected: /Failed to load|net::ERR/ }, async ({ page, server, allow }) => {
  const webHost = await host(capture(), { stallsAfter: 1000 });
  allow(webHost.origin);
  const cancelButton = page.locator(".loading").getByRole("button", { name: "Cancel" });
  try {
    await openLink(page, server.url, webHost.url("a.xplane.pb"));
    await cancelButton.click();
    await urlField(page).waitFor();
    // Wait longer than the delay after which the page shows a load.
    await assertStays(async () => [await page.locator(".loading").count(), webHost.requests.length].join(), (state) => state === "0,1");
    await fetchFrom(page, webHost.url("a.xplane.pb"), { reloads: false });
    await cancelButton.waitFor();
    assert.equal(webHost.requests.length, 2);
  } finally {
    await webHost.close();
  }
  const pattern = /broke after/;
  await waitUntil(() => failureText(page).catch(() => ""), (text) => pattern.test(text));
  await assertStays(() => failureText(page), (text) => pattern.test(text));
});

onPage("the page can reach only the host that its URL names", { expected: /content security policy|violates|refused to connect|Failed to (load|fetch)|net::ERR/i }, async ({ page, server, allow }) => {
  // The first answer of this host announces the whole file, but breaks off after 1,000 bytes.
  const webHost = await host(capture(), { breaksAfter: 1000 });
  const otherHost = await host(capture());
  allow(webHost.origin);
  try {
    await openLink(page, server.url, webHost.url("a.xplane.pb"));
    await waitUntil(() => webHost.requests.length, (n) => n > 0);
    const tryFetch = (url) => fetch(url).then(() => "succeeded", (error) => error.name);
    assert.equal(await page.evaluate(tryFetch, otherHost.url("x")), "TypeError");
    assert.equal(await page.evaluate(tryFetch, webHost.url("x")), "succeeded");
    assert.deepEqual(otherHost.requests, []);
  } finally {
    await webHost.close();
    await otherHost.close();
  }
});
