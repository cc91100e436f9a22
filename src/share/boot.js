
// Starts the page of one file: its parts become blob: addresses, and what is inside becomes a File. No request leaves.
(async () => {
  // Each character holds 15 bits (`dense.rs`). A piece at a time, of whole groups of 8 characters: what is inside may be a capture of
  // hundreds of megabytes.
  const PIECE = 8 << 18;
  const raw = (node) => {
    const text = node.textContent;
    let left = Number(node.dataset.size);
    const pieces = [];
    for (let start = 0; start < text.length; start += PIECE) {
      const piece = new Uint8Array(Math.min(left, (PIECE / 8) * 15));
      left -= piece.length;
      let [at, held, bits] = [0, 0, 0];
      for (let i = start; at < piece.length; i++) {
        held = (held << 15) | (text.charCodeAt(i) - 0x3400);
        for (bits += 15; bits >= 8 && at < piece.length; held &= (1 << bits) - 1) {
          bits -= 8;
          piece[at++] = held >> bits;
        }
      }
      pieces.push(new Blob([piece]));
    }
    node.remove();
    return new Blob(pieces);
  };
  const block = (what) => document.querySelector(`script[type='application/x-rooflight-${what}']`);
  const link = (rel, href) => {
    const node = document.createElement("link");
    Object.assign(node, { rel, href });
    document.head.append(node);
    return new Promise((done) => { node.onload = node.onerror = done; });
  };

  const inside = block("inside");
  globalThis.rooflightInside = new File([raw(inside)], inside.dataset.name);
  // The address of the page that links open: a file on a disk has none of its own.
  globalThis.rooflightBase = inside.dataset.base ?? "";
  if (!location.hash && inside.dataset.place) location.replace(`#${inside.dataset.place}`);

  // What unpacks the page lies in front of it: browsers unpack gzip, but not what the rest is packed with. The page writes itself
  // once more out of the whole.
  const pack = (globalThis.rooflightPack = raw(block("page")));
  const size = new DataView(await pack.slice(0, 4).arrayBuffer()).getUint32(0, true);
  const unpacker = new Response(pack.slice(4, 4 + size).stream().pipeThrough(new DecompressionStream("gzip")));
  const { room, unpack, unpacked, memory } = (await WebAssembly.instantiate(await unpacker.arrayBuffer())).instance.exports;
  const packed = new Uint8Array(await pack.slice(4 + size).arrayBuffer());
  const place = room(packed.length);
  new Uint8Array(memory.buffer).set(packed, place);
  const length = unpack();
  if (!length) throw new Error("the file is damaged");
  const all = new Uint8Array(memory.buffer, unpacked(), length);
  let at = all.indexOf(10) + 1;
  const list = JSON.parse(new TextDecoder().decode(all.subarray(0, at)));
  const files = new Map();
  let script, program;
  for (const [name, type, length] of list) {
    const file = new Blob([all.subarray(at, (at += length))], { type });
    if (name.endsWith(".js")) script = await file.text();
    // With a mark of its own: a style sheet that does not say what it is written in is read as its page is, and that is UTF-16.
    else if (name.endsWith(".css")) await link("stylesheet", URL.createObjectURL(new Blob(["\ufeff", file], { type })));
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
