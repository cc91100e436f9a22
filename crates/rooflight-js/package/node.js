// The package in Node.js. `open` also accepts paths of files and folders, which the worker reads in parts.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { captures, openSources } from "./session.js";

export * from "./errors.js";
export { Session } from "./session.js";

/** Opens captures as one session. */
export async function open(files, options) {
  return openSources(start, await sources(files), options);
}

function start(onMessage, onError) {
  // Options of the process, such as --input-type, may not fit a worker.
  const worker = new Worker(new URL("./node_worker.js", import.meta.url), { name: "rooflight", execArgv: [] });
  worker.on("message", onMessage).on("error", onError);
  // An open session does not keep the process alive, but a request does.
  worker.unref();
  return {
    post: (message) => {
      worker.ref();
      worker.postMessage(message);
    },
    idle: () => worker.unref(),
    terminate: () => worker.terminate(),
    sources,
  };
}

async function sources(files) {
  const lists = captures(files).map(async (file) => {
    if (typeof file === "string") return paths(file);
    const { data, name } = file;
    if (data instanceof Blob) return [{ name, bytes: new Uint8Array(await data.arrayBuffer()) }];
    return [{ name, bytes: ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data) }];
  });
  return (await Promise.all(lists)).flat();
}

/** Returns the file, or the files of a folder. The worker reports a path that cannot be read. */
function paths(path) {
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true, recursive: true });
  } catch {
    return [{ name: path, path }];
  }
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  return files.sort().map((file) => ({ name: file, path: file, fromFolder: true }));
}
