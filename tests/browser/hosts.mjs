// Serves captures from an origin other than the page's, like hosts on the web: with and without CORS, with and without
// range requests, with interrupted responses, or with an error status. This module does not depend on a page.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/**
 * Serves one file under every path. Returns `{ origin, url, asked, close }`; `asked` holds [method, range] of each
 * request. `cors`: whether pages of other origins may read the file. `ranges`: whether the host supports range
 * requests. `breaks`: the number of bytes after which the first response is cut off. `stalls`: the number of bytes
 * after which responses send no more but stay open. `status`: an HTTP status to send in place of the file. `length`:
 * whether responses have a content-length.
 */
export async function host(file, { cors = true, ranges = true, breaks, stalls, status, length = true } = {}) {
  const bytes = Buffer.isBuffer(file) ? file : readFileSync(file);
  const made = { asked: [] };
  const server = createServer((request, response) => {
    const { method, headers } = request;
    const is_first = made.asked.length === 0;
    made.asked.push([method, headers.range]);
    if (cors) response.setHeader("access-control-allow-origin", "*");
    if (status) return response.writeHead(status).end("no");
    const from = ranges && headers.range ? Number(/^bytes=(\d+)-$/.exec(headers.range)[1]) : 0;
    const part = bytes.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      "content-type": "application/octet-stream",
      ...(length ? { "content-length": part.length } : {}),
      ...(from > 0 ? { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {}),
    });
    if (breaks !== undefined && is_first) response.write(part.subarray(0, breaks), () => setTimeout(() => response.destroy(), 50));
    else if (stalls !== undefined) response.write(part.subarray(0, stalls));
    else response.end(part);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const close = () => new Promise((done) => {
    server.close(done);
    server.closeAllConnections();
  });
  return Object.assign(made, { origin, url: (name) => `${origin}/runs/${name}`, close });
}
