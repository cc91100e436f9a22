// Keeps the page for when there is no network. One cache for each build, filled as a whole: a page and its parts are always of
// one build. It asks nobody but the page's own host, and keeps nothing but the page.
//
//   index.html   from the network, where that answers soon: who is online has the newest; else as it was kept
//   its files    are named after what is in them: as they were kept, else from the network
//   the sample   from the network, and kept from then on
//
// A newer build waits until no page of the older one is open, so that none loses the parts it may still ask for.
const BUILD = "BUILD";
const FILES = [/* FILES */];
const SCRIPT = "SCRIPT";
const SAMPLE = "SAMPLE";
const PREFIX = `rooflight ${registration.scope} `;
const CACHE = PREFIX + BUILD;
/** Longer than this nobody waits for a network that may be none, milliseconds. */
const SOON = 3000;

const at = (name) => new URL(name, registration.scope).href;

addEventListener("install", (event) => {
  // Past the browser's own cache: what is kept is what the host has now.
  const request = (name) => new Request(at(name), { cache: "no-cache" });
  const fill = async () => {
    const cache = await caches.open(CACHE);
    await cache.addAll(["./", ...FILES].map(request));
    // A host may be between two builds: then it is tried again at the next visit.
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
  else if (url.href === at(SAMPLE)) event.respondWith(kept(request, true));
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
