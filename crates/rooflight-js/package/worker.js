// The worker of a page.
import { server } from "./serve.js";

const reader = new FileReaderSync();

self.onmessage = ({ data }) => handle(data);
const handle = server({
  program: () => fetch(new URL("rooflight_bg.wasm", import.meta.url)),
  source: ({ name, blob, fromFolder }) => ({
    name,
    fromFolder,
    size: blob.size,
    read: (start, end) => new Uint8Array(reader.readAsArrayBuffer(blob.slice(start, end))),
  }),
  post: (message) => self.postMessage(message),
});
