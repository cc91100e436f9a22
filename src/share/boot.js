
// Starts the page of one file: its parts become blob: addresses, and what is inside becomes a File. No request leaves.
(async () => {
  // A piece at a time: what is inside may be a capture of hundreds of megabytes.
  const PIECE = 4 << 20;
  const raw = (text) => {
    const pieces = [];
    for (let at = 0; at < text.length; at += PIECE) {
      const bytes = atob(text.slice(at, at + PIECE));
      const piece = new Uint8Array(bytes.length);
      for (let i = 0; i < bytes.length; i++) piece[i] = bytes.charCodeAt(i);
      pieces.push(new Blob([piece]));
    }
    return new Blob(pieces);
  };
  const unpacked = (text) => new Response(raw(text).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  const link = (rel, href) => {
    const node = document.createElement("link");
    Object.assign(node, { rel, href });
    document.head.append(node);
    return new Promise((done) => { node.onload = node.onerror = done; });
  };

  const inside = document.querySelector("script[type='application/x-rooflight-inside']");
  globalThis.rooflightInside = new File([raw(inside.textContent)], inside.dataset.name);
  if (!location.hash && inside.dataset.place) location.replace(`#${inside.dataset.place}`);
  inside.remove();

  // The page writes itself once more out of these.
  const parts = (globalThis.rooflightParts = []);
  for (const node of document.querySelectorAll("script[type='application/x-rooflight-part']")) {
    parts.push({ name: node.dataset.name, kind: node.dataset.kind, text: node.textContent });
    node.remove();
  }
  const files = new Map();
  let script, program;
  for (const { name, kind, text } of parts) {
    const file = new Blob([await unpacked(text)], { type: kind });
    if (name.endsWith(".js")) script = await file.text();
    else if (name.endsWith(".css")) await link("stylesheet", URL.createObjectURL(file));
    else if (name.endsWith(".svg")) link("icon", URL.createObjectURL(file));
    else if (name.startsWith("app-")) program = URL.createObjectURL(file);
    else files.set(name, file);
  }
  // The program's script names parts beside itself: here each has an address of its own.
  const placed = (script, files) => {
    for (const [name, file] of files) script = script.replaceAll(`"./${name}"`, `"${URL.createObjectURL(file)}"`);
    return URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  };
  // A page on a disk has no origin, and what has none may not fetch what another made: the worker is handed the files and makes
  // addresses of its own. Nor is a module started as a worker there: a plain script is, and that may fetch one.
  globalThis.rooflightWorker = {
    source: `const placed = ${placed};
onmessage = ({ data: [program, script, files] }) => {
  onmessage = null;
  const start = ({ default: start }) => start({ module_or_path: program });
  import(placed(script, files)).then(start).catch((error) => setTimeout(() => { throw error; }));
};`,
    script,
    files,
  };
  const module = await import(placed(script, files));
  await module.default({ module_or_path: program });
})().catch((error) => {
  const node = document.createElement("p");
  node.className = "noscript";
  node.textContent = `This page could not start: ${error.message}. It needs a browser of 2023 or newer.`;
  document.body.append(node);
});
