// This service worker keeps the page for use without a network. Each build has one cache, which is filled as a whole, so
// that a page and its parts are always of one build. Requests go only to the page's own host, and only the page is kept.
//
//   index.html   from the network if the network answers soon, which gives the newest build; else from the cache
//   its files    from the cache, else from the network; their names hold hashes of their contents
//   samples      from the cache, else from the network, and then put into the cache
//
// A newer build waits until no page of the older build is open, so that no page loses parts that it may still need.
const BUILD = "BUILD";
const FILES = [/* FILES */];
const SCRIPT = "SCRIPT";
const SAMPLES = [/* SAMPLES */];
const PREFIX = `rooflight ${registration.scope} `;
const CACHE = PREFIX + BUILD;
/** The longest wait for a network that may be absent, in milliseconds. */
const SOON = 3000;

const at = (name) => new URL(name, registration.scope).href;

addEventListener("install", (event) => {
  // The browser's own cache is bypassed, so that the files are those that the host has now.
  const request = (name) => new Request(at(name), { cache: "no-cache" });
  const fill = async () => {
    const cache = await caches.open(CACHE);
    await cache.addAll(["./", ...FILES].map(request));
    // A host may be between two builds. The installation then fails, and is tried again at the next visit.
    const page = await (await cache.match(at("./"))).text();
    if (!page.includes(SCRIPT)) throw new Error("the page and this are of two builds");
  };
  event.waitUntil(fill());
});

addEventListener("activate", (event) => {
  const old = (name) => name.startsWith(PREFIX) && name !== CACHE;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  url.hash = url.search = "";
  const isOurs = request.method === "GET" && url.href.startsWith(registration.scope);
  if (!isOurs) return;
  if (request.mode === "navigate" && [at("./"), at("index.html")].includes(url.href)) event.respondWith(newest(request));
  else if (FILES.some((name) => at(name) === url.href)) event.respondWith(kept(request));
  else if (SAMPLES.some((name) => at(name) === url.href)) event.respondWith(kept(request, true));
});

async function newest(request) {
  const cache = await caches.open(CACHE);
  const old = () => cache.match(at("./"));
  const late = new Promise((done) => setTimeout(done, SOON)).then(old);
  const fresh = fetch(request).catch(old);
  return (await Promise.race([fresh, late])) ?? fresh;
}

async function kept(request, keep = false) {
  const cache = await caches.open(CACHE);
  const found = await cache.match(request.url);
  if (found) return found;
  const response = await fetch(request);
  if (keep && response.ok) await cache.put(request.url, response.clone());
  return response;
}
