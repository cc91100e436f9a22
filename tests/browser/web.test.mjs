// These tests fetch captures from hosts on the web: with a question before a large fetch, with a resumed transfer after
// a broken connection, and with an explanation of each failure.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { made, synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { host } from "./hosts.mjs";
import { opened, pickFiles, reload, started, stays, until } from "./lib.mjs";
import { figures } from "./reading.mjs";

const capture = () => made("--steps", "3").captures[0];
/**
 * Returns at least 33 MiB, which the page does not fetch without a question. The copies of one capture form one XSpace.
 */
const large = () => {
  const one = readFileSync(capture());
  return Buffer.concat(Array.from({ length: Math.ceil((33 << 20) / one.length) }, () => one));
};
const field = (page) => page.locator("#from-web");
const src = (page) => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("src"));

/**
 * Types an address and presses Enter. With `anew`, waits for the page to reload, because its policy does not yet name
 * that host.
 */
async function fetchFrom(page, url, { anew = true } = {}) {
  await field(page).fill(url);
  const load = anew ? page.waitForEvent("load") : undefined;
  await field(page).press("Enter");
  await load;
  if (anew) await started(page);
}

/** Opens the page with a link to the capture at `url`. */
async function follow(page, home, url) {
  await page.goto("about:blank");
  await page.goto(`${home}#v=1&src=${encodeURIComponent(url)}`);
  await started(page);
}

const failed = (page) => page.locator(".failed").innerText();

onPage("a small one opens at once; its address opens it again, until another takes its place", async ({ page, allow }) => {
  const from = await host(capture());
  allow(from.origin);
  try {
    const url = from.url("a run.xplane.pb").replace(" ", "%20");
    await fetchFrom(page, url);
    await opened(page);
    assert.match(await page.title(), /^a run\.xplane\.pb/);
    const seen = await figures(page);
    await until(() => src(page), (is) => is === url);
    await reload(page);
    await opened(page);
    assert.deepEqual(await figures(page), seen);
    assert.deepEqual(from.asked, [["GET", undefined], ["GET", undefined]], "one request each, and no preflight");
    await pickFiles(page, [synth()]);
    await until(() => page.title(), (title) => !title.startsWith("a run"));
    await until(() => src(page), (is) => is === null);
    // The same file from the disk gives the same figures.
    await pickFiles(page, [capture()]);
    await until(() => page.title(), (title) => title.startsWith("worker-0"));
    await until(() => figures(page), (now) => JSON.stringify(now) === JSON.stringify(seen));
  } finally {
    await from.close();
  }
});

onPage("an address as it was pasted: with spaces around it, its scheme in capitals", async ({ page, server, allow }) => {
  const from = await host(capture());
  allow(from.origin);
  try {
    await follow(page, server.url, ` ${from.url("a.xplane.pb").replace("http:", "HTTP:")} `);
    await opened(page);
  } finally {
    await from.close();
  }
});

onPage("a large one is asked about: where from, how large; then fetched, or not", async ({ page, server, allow }) => {
  const bytes = large();
  const from = await host(bytes);
  allow(from.origin);
  try {
    await follow(page, server.url, from.url("large.xplane.pb"));
    const asks = page.getByRole("alertdialog");
    await asks.waitFor();
    assert.equal(await asks.locator("b").innerText(), `Fetch ${(bytes.length / 2 ** 20).toFixed(1)} MiB from ${new URL(from.origin).host}?`);
    assert.match(await asks.innerText(), /runs\/large\.xplane\.pb/);
    await until(() => asks.getByRole("button", { name: "Fetch" }).evaluate((button) => button === document.activeElement));
    await asks.getByRole("button", { name: "Cancel" }).click();
    await asks.waitFor({ state: "detached" });
    assert.equal(await page.locator(".loading").count(), 0);
    await fetchFrom(page, from.url("large.xplane.pb"), { anew: false });
    await asks.getByRole("button", { name: "Fetch" }).click();
    await opened(page);
    assert.match(await page.title(), /^large/);
  } finally {
    await from.close();
  }
});

onPage("of unknown length: asked; then bytes are told as they come", async ({ page, server, allow }) => {
  const from = await host(capture(), { length: false });
  allow(from.origin);
  try {
    await follow(page, server.url, from.url("a.xplane.pb"));
    await page.getByRole("alertdialog").getByText("does not say how large it is").waitFor();
    await page.getByRole("alertdialog").getByRole("button", { name: "Fetch" }).click();
    await opened(page);
  } finally {
    await from.close();
  }
});

onPage("what breaks off is gone on with, where the host gives parts", { expected: /Failed to load|net::ERR/ }, async ({ page, server, allow }) => {
  const half = Math.floor(readFileSync(capture()).length / 2);
  const from = await host(capture(), { breaks: half });
  allow(from.origin);
  try {
    await follow(page, server.url, from.url("a.xplane.pb"));
    await opened(page);
    assert.equal(from.asked.length, 2);
    assert.match(from.asked[1][1], /^bytes=[1-9]\d*-$/);
    assert.equal(await page.locator(".strip").count(), 0, "all of it is there");
  } finally {
    await from.close();
  }
});

onPage("what cannot be had is said, with what to do", { expected: /Failed to load|net::ERR|CORS|blocked by/ }, async ({ page, server, allow }) => {
  const gone = await host(capture());
  await gone.close();
  const half = Math.floor(readFileSync(capture()).length / 2);
  const hosts = [
    [await host(capture(), { cors: false }), /lacks Access-Control-Allow-Origin for http:\/\/127.0.0.1:\d+ \(CORS\).*drop the file/s],
    [await host(capture(), { status: 404 }), /answers 404 Not Found: there is no such file/],
    [await host(capture(), { status: 403 }), /answers 403 Forbidden: it requires a login/],
    [await host(capture(), { breaks: half, ranges: false }), /broke after .* of .*does not support resuming/s],
    [await host(Buffer.from("<!doctype html><title>Sign in</title>")), /is not an XLA profile/],
    [gone, /The host does not answer/],
  ];
  try {
    for (const [from, said] of hosts) {
      allow(from.origin);
      await follow(page, server.url, from.url("a.xplane.pb"));
      await until(() => failed(page).catch(() => ""), (text) => said.test(text));
    }
    for (const [named, said] of [
      // The browser refuses to fetch such an address and gives no reason.
      [`http://someone:secret@127.0.0.1:1/a.xplane.pb`, /holds a user name or a password before the @/],
      // In the policy, these host names would be directives of their own.
      ["http://a;img-src/a.xplane.pb", /host name a;img-src has characters other than letters/],
      ["http://a;script-src/a.xplane.pb", /host name a;script-src has characters/],
      ["https://*/a.xplane.pb", /has characters other than letters/],
    ]) {
      await follow(page, server.url, named);
      const text = await until(() => failed(page).catch(() => ""), (text) => said.test(text));
      assert.ok(!text.includes("secret"), text);
      const policies = await page.locator("meta[http-equiv]").evaluateAll((all) => all.map((one) => one.content));
      assert.deepEqual(policies.slice(1).map((policy) => policy.trim()), ["connect-src 'self'"]);
    }
    for (const [typed, said] of [["gs://bucket/a.xplane.pb", /starts with gs:/], ["runs/a.xplane.pb", /has no host/]]) {
      await fetchFrom(page, typed, { anew: false });
      await until(() => failed(page), (text) => said.test(text));
    }
  } finally {
    for (const [from] of hosts) await from.close();
  }
});

onPage("Cancel ends it for good, and a failure stays said: it is fetched again when it is asked for", { expected: /Failed to load|net::ERR/ }, async ({ page, server, allow }) => {
  const from = await host(capture(), { stalls: 1000 });
  allow(from.origin);
  const cancel = page.locator(".loading").getByRole("button", { name: "Cancel" });
  try {
    await follow(page, server.url, from.url("a.xplane.pb"));
    await cancel.click();
    await field(page).waitFor();
    // Wait longer than the delay after which the page shows a load.
    await stays(async () => [await page.locator(".loading").count(), from.asked.length].join(), (both) => both === "0,1");
    await fetchFrom(page, from.url("a.xplane.pb"), { anew: false });
    await cancel.waitFor();
    assert.equal(from.asked.length, 2);
  } finally {
    await from.close();
  }
  const broke = /broke after/;
  await until(() => failed(page).catch(() => ""), (text) => broke.test(text));
  await stays(() => failed(page), (text) => broke.test(text));
});

onPage("only the host that the address names can be asked", { expected: /content security policy|violates|refused to connect|Failed to (load|fetch)|net::ERR/i }, async ({ page, server, allow }) => {
  // The first answer of this host announces the whole file, but breaks off after 1,000 bytes.
  const from = await host(capture(), { breaks: 1000 });
  const other = await host(capture());
  allow(from.origin);
  try {
    await follow(page, server.url, from.url("a.xplane.pb"));
    await until(() => from.asked.length, (n) => n > 0);
    const ask = (url) => fetch(url).then(() => "came through", (error) => error.name);
    assert.equal(await page.evaluate(ask, other.url("x")), "TypeError");
    assert.equal(await page.evaluate(ask, from.url("x")), "came through");
    assert.deepEqual(other.asked, []);
  } finally {
    await from.close();
    await other.close();
  }
});
