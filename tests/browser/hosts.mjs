// Serves captures from an origin other than the page's, like hosts on the web: with and without CORS, with and without
// range requests, with interrupted responses, or with an error status. This module does not depend on a page.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/**
 * Serves one file under every path. Returns `{ origin, url, requests, close }`; `requests` holds [method, range] of
 * each request. `cors`: whether pages of other origins may read the file. `ranges`: whether the host supports range
 * requests. `breaksAfter`: the number of bytes after which the first response is interrupted. `stallsAfter`: the number
 * of bytes after which responses send no more but stay open. `status`: an HTTP status to send in place of the file.
 * `length`: whether responses have a content-length.
 */
export async function host(file, { cors = true, ranges = true, breaksAfter, stallsAfter, status, length = true } = {}) {
  const bytes = Buffer.isBuffer(file) ? file : readFileSync(file);
  const testHost = { requests: [] };
  const server = createServer((request, response) => {
    const { method, headers } = request;
    const isFirst = testHost.requests.length === 0;
    testHost.requests.push([method, headers.range]);
    if (cors) response.setHeader("access-control-allow-origin", "*");
    if (status) return response.writeHead(status).end("no");
    const start = ranges && headers.range ? Number(/^bytes=(\d+)-$/.exec(headers.range)[1]) : 0;
    const part = bytes.subarray(start);
    response.writeHead(start > 0 ? 206 : 200, {
      "content-type": "application/octet-stream",
      ...(length ? { "content-length": part.length } : {}),
      ...(start > 0 ? { "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : {}),
    });
    if (breaksAfter !== undefined && isFirst) response.write(part.subarray(0, breaksAfter), () => setTimeout(() => response.destroy(), 50));
    else if (stallsAfter !== undefined) response.write(part.subarray(0, stallsAfter));
    else response.end(part);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const close = () => new Promise((done) => {
    server.close(done);
    server.closeAllConnections();
  });
  return Object.assign(testHost, { origin, url: (name) => `${origin}/runs/${name}`, close });
}
