// This module reads the id and the kind of a message between page and worker from its bytes: an id, the number of the
// kind, and the rest as postcard encodes it (src/worker/message.rs). It reads the kinds from the enums of
// src/protocol/request.rs and reply.rs, in their order. This module does not depend on a view.
import { readFileSync } from "node:fs";

const sourceOf = (name) => readFileSync(new URL(`../../src/protocol/${name.toLowerCase()}.rs`, import.meta.url), "utf8");
const kinds = (name) => [...sourceOf(name).split(`pub enum ${name} {`)[1].split("\n}")[0].matchAll(/^ {4}([A-Z]\w*)/gm)].map((match) => match[1]);

/**
 * Adds `messageOf(data, "Reply" | "Request")` to a page. The function returns the id and the kind of a message. Call
 * `readMessages` before the page loads.
 */
export const readMessages = (page) =>
  page.addInitScript(
    (kinds) => {
      window.messageOf = (data, name) => {
        let [id, offset] = [0, 0];
        const bytes = data?.[0] ?? [];
        do id |= (bytes[offset] & 0x7f) << (7 * offset);
        while (bytes[offset++] & 0x80);
        return { id, kind: kinds[name][bytes[offset]] };
      };
    },
    { Reply: kinds("Reply"), Request: kinds("Request") },
  );
