// A session: it sends commands to its worker, one at a time, and hands on the answers. This module is the same in pages
// and in Node.js.
import { ArgumentError, CaptureNotFoundError, RooflightError, UnreadableCaptureError } from "./errors.js";

const CRASHED = "Rooflight failed on this capture. This is an error of the program: please report it.";
const CLOSED = "The session is closed. Open the capture again.";
/** Options of the command line that name files of its machine. */
const FILES = ["out", "flagsFile"];

/** Opens sources in a worker that `start` starts. `start` gets the handlers of its messages and of its errors. */
export async function openSources(start, sources, options) {
  const { signal, onProgress } = options ?? {};
  signal?.throwIfAborted();
  const connection = new Connection(start);
  const stop = () => connection.close(signal.reason);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return new Session(connection, sources, await connection.request({ sources }, { onProgress }));
  } catch (error) {
    connection.close();
    throw error instanceof Failed ? openError(error) : error;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

const isBytes = (file) => file instanceof Blob || file instanceof ArrayBuffer || ArrayBuffer.isView(file);

/** Returns what a user gave to `open` as a list: paths, and bytes with their names. */
export function captures(files) {
  const isList = typeof files !== "string" && !isBytes(files) && typeof files?.[Symbol.iterator] === "function";
  return (isList ? [...files] : [files]).map((file) => {
    if (typeof file === "string") return file;
    const { data, name } = isBytes(file) ? { data: file, name: file.webkitRelativePath || file.name } : (file ?? {});
    if (!isBytes(data)) throw new ArgumentError("A capture is a path, a File, a Blob, an ArrayBuffer or a view of one, or { data, name } with one of these.");
    if (name !== undefined && typeof name !== "string") throw new ArgumentError("The name of a capture is a text.");
    return { data, name: name || "capture" };
  });
}

/** Captures that are open as one session. `open` makes it. */
export class Session {
  #connection;
  #sources;

  constructor(connection, sources, partial) {
    this.#connection = connection;
    this.#sources = sources;
    this.partial = partial;
  }

  overview(options) {
    return this.#ask("overview", options);
  }

  breakdown(options) {
    return this.#ask("breakdown", options);
  }

  roofline(options) {
    return this.#ask("roofline", options);
  }

  memory(options) {
    return this.#ask("memory", options);
  }

  comm(options) {
    return this.#ask("comm", options);
  }

  gaps(options) {
    return this.#ask("gaps", options);
  }

  dataMovement(options) {
    return this.#ask("data-movement", options);
  }

  flags(options) {
    return this.#ask("flags", options);
  }

  summary(options) {
    return this.#ask("summary", options);
  }

  inspect(options) {
    return this.#ask("inspect", options);
  }

  /** Compares this session, the baseline, with `other`, the experiment. Both are read again. */
  async compare(other, given) {
    const { signal, ...options } = given ?? {};
    const others = other instanceof Session ? other.#sources : await this.#connection.sources(other);
    return this.#document([...commandLine("compare", options), "a", "b"], { others, signal });
  }

  /** Returns the JSON text of a command, byte for byte as the command line prints it. */
  async json(command, given) {
    const { signal, ...options } = given ?? {};
    return this.#document([...commandLine(command, options), "a"], { asText: true, signal });
  }

  /** Ends the worker and frees its memory. Requests that have no answer yet are rejected. */
  close() {
    this.#connection.close();
  }

  /** Returns the document of a command as an object. */
  async #ask(command, given) {
    const { signal, ...options } = given ?? {};
    return this.#document([...commandLine(command, options), "a"], { signal });
  }

  async #document(commandLine, { others = [], asText = false, signal }) {
    try {
      return await this.#connection.request({ arguments: commandLine, others, asText }, { signal });
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      throw new (error.kind === "argument" ? ArgumentError : RooflightError)(error.message, { cause: error.cause });
    }
  }
}

/** Returns the command with its options as the command line spells them: `{ peakHbmGbps: 1 }` is `--peak-hbm-gbps=1`. */
function commandLine(command, options) {
  if (typeof command !== "string") throw new ArgumentError('A command is a text, such as "overview".');
  const list = [command, "--json"];
  for (const [name, value] of Object.entries(options)) {
    if (FILES.includes(name)) throw new ArgumentError(`There is no option ${name}: the package writes and reads no files.`);
    const option = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === true) list.push(option);
    else if (value === undefined || value === null || value === false) continue;
    else if (typeof value === "object") list.push(...Object.entries(value).map(([key, item]) => `${option}=${key}=${item}`));
    else list.push(`${option}=${value}`);
  }
  return list;
}

/** The answer of the worker to a request that cannot be served. It does not leave this module. */
class Failed extends Error {
  constructor({ kind, message, cause }) {
    super(message, { cause });
    this.kind = kind;
  }
}

function openError({ kind, message, cause }) {
  const classes = { failed: UnreadableCaptureError, missing: CaptureNotFoundError };
  return new (classes[kind] ?? RooflightError)(message, { cause });
}

/** A worker, and the requests that wait for it. */
class Connection {
  #worker;
  #waiting = [];
  #running = null;
  #ended = null;

  constructor(start) {
    this.#worker = start(
      (message) => this.#receive(message),
      (error) => this.close(new RooflightError(`The worker of Rooflight failed. ${error?.message || "Its files were not found, or a policy forbids workers."}`, { cause: error })),
    );
  }

  /** Turns what a user gave to `open` into sources. */
  sources(files) {
    return this.#worker.sources(files);
  }

  request(message, { signal, onProgress } = {}) {
    return new Promise((resolve, reject) => {
      if (this.#ended) throw this.#ended;
      signal?.throwIfAborted();
      const abort = () => settle(reject, signal.reason);
      // A request that runs goes on in the worker, but its answer is dropped.
      const settle = (done, value) => {
        signal?.removeEventListener("abort", abort);
        this.#waiting = this.#waiting.filter((waiting) => waiting !== request);
        done(value);
      };
      const request = { message, onProgress, resolve: (value) => settle(resolve, value), reject: (error) => settle(reject, error) };
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.push(request);
      this.#next();
    });
  }

  close(reason = new RooflightError(CLOSED)) {
    if (this.#ended) return;
    this.#ended = reason;
    this.#worker?.terminate();
    for (const request of [this.#running, ...this.#waiting]) request?.reject(reason);
    this.#running = null;
  }

  #next() {
    if (this.#running || this.#ended || this.#waiting.length === 0) return;
    this.#running = this.#waiting.shift();
    this.#worker.post(this.#running.message);
  }

  #receive({ progress, answer, error }) {
    if (this.#ended) return;
    if (progress) return this.#running?.onProgress?.(progress);
    const request = this.#running;
    this.#running = null;
    if (!error) request.resolve(answer);
    else if (error.kind === "crashed") {
      // A trap leaves the memory of the program in an unknown state.
      const crash = new RooflightError(CRASHED, { cause: error.cause });
      request.reject(crash);
      this.close(crash);
    } else request.reject(new Failed(error));
    this.#next();
    if (!this.#running) this.#worker.idle?.();
  }
}
