// Starts the page of one file: its parts become blob: addresses, and what is inside becomes a File. No request leaves.
(async () => {
  // Whole groups of 4 characters, a piece at a time: what is inside may be a capture of hundreds of megabytes.
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
  // The address of the page that links open: a file on a disk has none of its own.
  globalThis.rooflightBase = inside.dataset.base ?? "";
  if (!location.hash && inside.dataset.place) location.replace(`#${inside.dataset.place}`);

  // The files of the page, one behind the other, with a list of them in the first line. The page writes itself once more out of it.
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
