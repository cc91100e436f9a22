// The package in a page. `open` starts a worker, which reads files with the browser's synchronous reader.
import { ArgumentError } from "./errors.js";
import { captures, openSources } from "./session.js";

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
  return captures(files).map((file) => {
    if (typeof file === "string") throw new ArgumentError("A page cannot read paths: pass a File, a Blob or bytes.");
    const { data, name } = file;
    const blob = data instanceof Blob ? data : new Blob([data]);
    // A file of a folder that a user chose is skipped if it is no capture.
    return { name, blob, fromFolder: Boolean(blob.webkitRelativePath) };
  });
}
