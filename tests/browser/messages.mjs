// This module reads the id and the kind of a message between page and worker from its bytes: an id, the number of the
// kind, and the rest as postcard encodes it (src/worker/message.rs). The kind of a request of a view is that of the request
// itself. This module reads the kinds from the declarations in src/protocol, in their order. It does not depend on a view.
import { readFileSync } from "node:fs";

/** The names that the lines of a declaration begin with, in order. */
const kinds = (file, declaration) => {
  const source = readFileSync(new URL(`../../src/protocol/${file}.rs`, import.meta.url), "utf8");
  return [...source.split(`\n${declaration} {`)[1].split("\n}")[0].matchAll(/^ {4}([A-Z]\w*)/gm)].map((match) => match[1]);
};

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
        const kind = kinds[name][bytes[offset]];
        return { id, kind: kind === "View" ? kinds.ViewRequest[bytes[offset + 1]] : kind };
      };
    },
    {
      Reply: kinds("reply", "pub enum Reply"),
      Request: kinds("request", "pub enum Request"),
      ViewRequest: kinds("view_request", "view_requests!"),
    },
  );
