// The package in a page. `open` starts a worker, which reads files with the browser's synchronous reader.
import { ArgumentError } from "./errors.js";
import { openSources } from "./session.js";

export * from "./errors.js";
export { Session } from "./session.js";

/** Opens captures as one session. */
export async function open(files, options) {
  return openSources(start, sources(files), options);
}

function start(onMessage, onError) {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "rooflight" });
  worker.onmessage = ({ data }) => onMessage(data);
  worker.onerror = onError;
  return { post: (message) => worker.postMessage(message), terminate: () => worker.terminate(), sources };
}

function sources(files) {
  if (typeof files === "string") throw new ArgumentError("A page cannot read paths: pass a File, a Blob or bytes.");
  const isOne = files instanceof Blob || files instanceof ArrayBuffer || ArrayBuffer.isView(files) || "data" in files;
  return (isOne ? [files] : [...files]).map((file) => {
    if (file instanceof Blob) return source(file, file.webkitRelativePath || file.name);
    if (file instanceof ArrayBuffer || ArrayBuffer.isView(file)) return source(new Blob([file]));
    if (file?.data instanceof Blob) return source(file.data, file.name);
    return source(new Blob([file.data]), file.name);
  });
}

/** A file of a folder that a user chose is skipped if it is no capture. */
function source(blob, name = "capture") {
  return { name, blob, fromFolder: Boolean(blob.webkitRelativePath) };
}
