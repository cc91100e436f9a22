// The worker of Node.js.
import { fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { server } from "./serve.js";

const handle = server({
  program: () => readFileSync(new URL("rooflight_bg.wasm", import.meta.url)),
  source: ({ name, bytes, path, fromFolder = false }) => ({ name, fromFolder, ...(path === undefined ? memory(bytes) : file(path)) }),
  post: (message) => parentPort.postMessage(message),
});
parentPort.on("message", handle);

function memory(bytes) {
  return { size: bytes.length, read: (start, end) => bytes.subarray(start, end) };
}

/** The file is open as long as the worker runs. */
function file(path) {
  let descriptor;
  try {
    descriptor = openSync(path);
  } catch (error) {
    throw [error.code === "ENOENT" ? "missing" : "failed", `${path} could not be opened. ${reason(error)}.`];
  }
  const stat = fstatSync(descriptor);
  if (!stat.isFile()) throw ["failed", `${path} could not be opened. It is a pipe, a device or a socket, and no file. Give the path of a capture.`];
  const read = (start, end) => {
    const bytes = new Uint8Array(end - start);
    let done = 0;
    while (done < bytes.length) {
      const n = readSync(descriptor, bytes, done, bytes.length - done, start + done);
      if (n === 0) break;
      done += n;
    }
    return bytes.subarray(0, done);
  };
  return { size: stat.size, read };
}

/** Returns the words of the command line. */
function reason({ code, message }) {
  if (code === "ENOENT") return "There is no such file or folder; check the path";
  if (code === "EACCES") return "You are not allowed to read it; check its permissions";
  return `The system says: ${message}`;
}
