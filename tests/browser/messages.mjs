// What a message between page and worker is, by its bytes: an id, the number of its kind, and the rest as postcard writes
// it (src/worker/message.rs). The kinds are read from the enums, in its order. Knows no view.
import { readFileSync } from "node:fs";

const requests = readFileSync(new URL("../../src/protocol/request.rs", import.meta.url), "utf8");
const kinds = (name) => [...requests.split(`pub enum ${name} {`)[1].split("\n}")[0].matchAll(/^ {4}([A-Z]\w*)/gm)].map((found) => found[1]);

/** Gives a page `messageOf(data, "Reply" | "Request")`: its id and its kind. Before the page is loaded. */
export const readMessages = (page) =>
  page.addInitScript(
    (kinds) => {
      window.messageOf = (data, name) => {
        let [id, at] = [0, 0];
        const bytes = data?.[0] ?? [];
        do id |= (bytes[at] & 0x7f) << (7 * at);
        while (bytes[at++] & 0x80);
        return { id, kind: kinds[name][bytes[at]] };
      };
    },
    { Reply: kinds("Reply"), Request: kinds("Request") },
  );
