// Starts the page of a single file: the parts of the page become blob: addresses, and the report becomes a File. The
// page makes no request.
(async () => {
  // Whole groups of 4 characters, one piece at a time, because the report may hold a capture of hundreds of megabytes.
  const PIECE = 4 << 18;
  const bytes = (node) => {
    const text = node.textContent;
    const pieces = [];
    for (let at = 0; at < text.length; at += PIECE) {
      const piece = atob(text.slice(at, at + PIECE));
      pieces.push(new Blob([Uint8Array.from({ length: piece.length }, (_, i) => piece.charCodeAt(i))]));
    }
    node.remove();
    return new Blob(pieces);
  };
  const block = (what) => document.querySelector(`script[type='application/x-rooflight-${what}']`);
  const link = (rel, file) => {
    const node = document.createElement("link");
    Object.assign(node, { rel, href: URL.createObjectURL(file) });
    document.head.append(node);
    return new Promise((done) => { node.onload = node.onerror = done; });
  };

  const inside = block("inside");
  globalThis.rooflightInside = new File([bytes(inside)], inside.dataset.name);
  // Address of the page that links open. A file on disk has no address that others can open.
  globalThis.rooflightBase = inside.dataset.base ?? "";
  if (!location.hash && inside.dataset.place) location.replace(`#${inside.dataset.place}`);

  // All files of the page in one pack, whose first line lists them. The page uses the pack to write such a file again.
  const pack = (globalThis.rooflightPack = bytes(block("page")));
  const all = await new Response(pack.stream().pipeThrough(new DecompressionStream("gzip"))).blob();
  const [list] = (await all.slice(0, 1 << 16).text()).split("\n", 1);
  let at = new Blob([list]).size + 1;
  const files = {};
  for (const { kind, type, size } of JSON.parse(list)) {
    const file = all.slice(at, (at += size), type);
    if (kind === "style") await link("stylesheet", file);
    else if (kind === "icon") link("icon", file);
    else files[kind] = file;
  }
  globalThis.rooflightWorker = { script: files.workerScript, program: files.workerProgram };
  const module = await import(URL.createObjectURL(files.script));
  await module.default({ module_or_path: URL.createObjectURL(files.program) });
})().catch((error) => {
  const node = document.createElement("p");
  node.className = "noscript";
  node.textContent = `This page could not start: ${error.message}. It needs a browser of 2023 or newer.`;
  document.body.append(node);
});
