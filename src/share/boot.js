
// Starts the page of one file: its parts become blob: addresses, and what is inside becomes a File. No request leaves.
(async () => {
  const raw = (node) => Uint8Array.from(atob(node.textContent), (c) => c.charCodeAt(0));
  const unpacked = async (node) => {
    const stream = new Blob([raw(node)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  };
  const address = (bytes, type) => URL.createObjectURL(new Blob([bytes], { type }));
  const link = (rel, href) => {
    const node = document.createElement("link");
    Object.assign(node, { rel, href });
    document.head.append(node);
    return new Promise((done) => { node.onload = node.onerror = done; });
  };

  const inside = document.querySelector("script[type='application/x-rooflight-inside']");
  globalThis.rooflightInside = new File([raw(inside)], inside.dataset.name);
  inside.remove();

  const addresses = new Map();
  let script, program;
  for (const node of document.querySelectorAll("script[type='application/x-rooflight-part']")) {
    const { name, kind } = node.dataset;
    const bytes = await unpacked(node);
    node.remove();
    if (name.endsWith(".js")) {
      script = new TextDecoder().decode(bytes);
      continue;
    }
    addresses.set(name, address(bytes, kind));
    if (name.endsWith(".css")) await link("stylesheet", addresses.get(name));
    if (name.endsWith(".svg")) link("icon", addresses.get(name));
    if (name.startsWith("app-") && name.endsWith(".wasm")) program = addresses.get(name);
  }
  // The program's script names parts beside itself.
  for (const [name, at] of addresses) script = script.replaceAll(`"./${name}"`, `"${at}"`);
  const start = address(script, "text/javascript");
  // The worker is started from the address that this link names.
  link("modulepreload", start);
  const module = await import(start);
  await module.default({ module_or_path: program });
})().catch((error) => {
  const node = document.createElement("p");
  node.className = "noscript";
  node.textContent = `This page could not start: ${error.message}. It needs a browser of 2023 or newer.`;
  document.body.append(node);
});
