// The worker's side: it opens sources and runs commands. This module is the same in pages and in Node.js.
import init, { OpenCapture } from "./rooflight.js";

/** The shortest time between two messages about the progress of one stage, in ms. */
const PROGRESS_EVERY = 50;

/**
 * Returns the handler of messages. `program` is what the WebAssembly program is read from; `source(file)` opens a file of
 * a message; `post` answers.
 */
export function server({ program, source, post }) {
  let capture;
  const open = async (files) => {
    try {
      await init({ module_or_path: await program() });
    } catch (error) {
      return { error: { kind: "start", message: `The program could not start. ${error.message}`, cause: error } };
    }
    capture = new OpenCapture(files.map(source), progress(post));
    return { answer: capture.partial() };
  };
  return async ({ sources, arguments: commandLine, others, asText }) => {
    try {
      post(sources ? await open(sources) : { answer: capture.document(commandLine, others.map(source), asText) });
    } catch (error) {
      const [kind, message] = Array.isArray(error) ? error : ["crashed"];
      post({ error: { kind, message, cause: Array.isArray(error) ? undefined : error } });
    }
  };
}

function progress(post) {
  let last = {};
  return (stage, bytesDone, bytesTotal) => {
    const now = Date.now();
    if (stage === last.stage && now - last.now < PROGRESS_EVERY) return;
    last = { stage, now };
    post({ progress: { stage, bytesDone, bytesTotal } });
  };
}
