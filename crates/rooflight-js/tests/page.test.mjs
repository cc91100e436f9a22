// Runs the package in a page without a bundler, from a plain static server: its answers are those of the command line.
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, startServer, waitUntil } from "../../../tests/browser/lib.mjs";
import { COMMANDS, cut, folder, native, nativeErrors, program, repository, sample, simulated, text, user } from "./common.mjs";

let browser, server, page, problems;
before(async () => {
  copyFileSync(join(repository, "examples/embed/index.html"), join(user, "index.html"));
  server = await startServer(user, { base: "/" });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** Defines a test on the page of the example. `files` are chosen in an input of their own, and `window.chosen` has them. */
function onPage(name, files, body, { expected } = {}) {
  test(name, { timeout: 120_000 }, async () => {
    problems = [];
    page = await browser.newPage();
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (line) => ["error", "warning"].includes(line.type()) && problems.push(`${line.text()} ${line.location().url}`));
    await page.goto(server.url);
    await page.evaluate(async () => {
      document.querySelector("link[rel=icon]") ?? document.head.append(Object.assign(document.createElement("link"), { rel: "icon", href: "data:," }));
      window.rooflight = await import("rooflight");
      const input = Object.assign(document.createElement("input"), { type: "file", multiple: true, id: "chosen" });
      input.onchange = () => (window.chosen = [...input.files]);
      document.body.append(input);
    });
    await page.locator("#chosen").setInputFiles(files.map((file) => join(folder, file)));
    await body();
    const unexpected = problems.filter((problem) => !expected?.test(problem) && !/favicon/.test(problem));
    assert.deepEqual(unexpected, []);
    await page.close();
  });
}

for (const file of [sample, simulated, program, cut]) {
  onPage(`${file}: the answers are the JSON of the command line, byte for byte`, [file], async () => {
    const answers = await page.evaluate(async (commands) => {
      const session = await rooflight.open(chosen[0]);
      const texts = await Promise.all(commands.map(([command, options]) => session.json(command, options)));
      session.close();
      return { texts, partial: session.partial };
    }, COMMANDS);
    COMMANDS.forEach(([command, , options], i) => assert.equal(answers.texts[i], native(command, options, file), `${command} ${options}`));
    const partial = file === cut ? nativeErrors("inspect", "--json", file) : [];
    assert.deepEqual(answers.partial, partial);
    assert.equal(partial.length > 0, file === cut);
  });
}

onPage("each method answers with its document", [sample, simulated], async () => {
  const views = await page.evaluate(async () => {
    const session = await rooflight.open(chosen[0]);
    const methods = ["overview", "breakdown", "roofline", "memory", "comm", "gaps", "dataMovement", "flags", "summary", "inspect"];
    return Promise.all(methods.map(async (method) => (await session[method]()).view));
  });
  assert.deepEqual(views, ["overview", "breakdown", "roofline", "memory", "comm", "gaps", "non-compute", "flags", "summary", "inspect"]);
});

onPage("two captures are compared, and bytes are a capture too", [sample, simulated], async () => {
  const [compared, same, fromBytes] = await page.evaluate(async () => {
    const session = await rooflight.open({ name: chosen[0].name, data: await chosen[0].arrayBuffer() });
    const other = await rooflight.open(chosen[1]);
    const bytes = new Uint8Array(await chosen[0].arrayBuffer());
    return [await session.compare(other, { failOver: 0.03, top: 4 }), await session.compare(bytes), (await session.inspect()).files];
  });
  assert.deepEqual(compared, JSON.parse(native("compare", ["--fail-over=0.03", "--top=4"], sample, simulated)));
  assert.equal(same.delta_ps, 0);
  assert.deepEqual(fromBytes, JSON.parse(native("inspect", [], sample)).files);
});

onPage("errors are classes with the sentences of the command line", [sample, text], async () => {
  const errors = await page.evaluate(async () => {
    const caught = async (promise) => {
      const error = await promise.then(() => { throw new Error("no error"); }, (error) => error);
      return [error.name, error.message, error instanceof rooflight.RooflightError];
    };
    const session = await rooflight.open(chosen[0]);
    return [
      await caught(rooflight.open(chosen[1])),
      await caught(rooflight.open([])),
      await caught(session.breakdown({ step: 99 })),
      await caught(session.breakdown({ by: "nothing" })),
      await caught(session.breakdown({ out: "file" })),
      await caught(session.breakdown({ unknownOption: 1 })),
      await caught(session.compare(chosen[1])),
      await caught(rooflight.open("host.xplane.pb")),
      (session.close(), await caught(session.breakdown())),
    ];
  });
  const [bad, none, step, by, out, unknown, compare, path, closed] = errors;
  assert.deepEqual(bad, ["UnreadableCaptureError", ...nativeErrors("inspect", text), true]);
  assert.deepEqual([none[0], none[2]], ["UnreadableCaptureError", true]);
  assert.deepEqual(step, ["RooflightError", ...nativeErrors("breakdown", "--step=99", sample), true]);
  assert.match(by.join(" "), /^ArgumentError invalid value 'nothing' for '--by <BY>'.*true$/s);
  assert.match(out.join(" "), /^ArgumentError There is no option out/);
  assert.match(unknown.join(" "), /^ArgumentError unexpected argument '--unknown-option' found/);
  assert.deepEqual(compare, ["RooflightError", ...nativeErrors("compare", sample, text), true]);
  assert.match(path.join(" "), /^ArgumentError A page cannot read paths/);
  assert.deepEqual(closed, ["RooflightError", "The session is closed. Open the capture again.", true]);
});

onPage("progress is reported, and the page does not freeze", [simulated], async () => {
  const { stages, bytes, ticks, took } = await page.evaluate(async () => {
    const reports = [];
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 10);
    const start = performance.now();
    const session = await rooflight.open(chosen, { onProgress: (progress) => reports.push(progress) });
    await session.summary();
    const took = performance.now() - start;
    clearInterval(timer);
    return { stages: reports.map((report) => report.stage), bytes: reports.map((report) => [report.bytesDone, report.bytesTotal]), ticks, took };
  });
  assert.ok(stages.includes("read"), stages.join());
  assert.ok(bytes.every(([done, total]) => done <= total && total > 0), JSON.stringify(bytes));
  // A page that computed itself would have no tick.
  assert.ok(ticks > took / 10 / 4, `${ticks} ticks in ${took} ms`);
});

onPage("an abort ends the opening, or drops a request and keeps the session", [simulated], async () => {
  const result = await page.evaluate(async () => {
    const name = (promise) => promise.then(() => "answered", (error) => error.name ?? error);
    const abort = new AbortController();
    const opening = name(rooflight.open(chosen, { signal: abort.signal, onProgress: () => abort.abort() }));
    const before = name(rooflight.open(chosen, { signal: AbortSignal.abort("a reason") }));
    const session = await rooflight.open(chosen);
    const [running, waiting] = [new AbortController(), new AbortController()];
    const requests = [name(session.summary({ signal: running.signal })), name(session.gaps({ signal: waiting.signal })), name(session.inspect())];
    running.abort();
    waiting.abort();
    return [await opening, await before, ...(await Promise.all(requests))];
  });
  assert.deepEqual(result, ["AbortError", "a reason", "AbortError", "AbortError", "answered"]);
  // The workers of sessions that were not opened have ended.
  await waitUntil(() => page.workers().length, (n) => n === 1);
});

onPage("closing rejects requests and ends the worker", [sample], async () => {
  const message = await page.evaluate(async () => {
    const session = await rooflight.open(chosen);
    const request = session.summary().catch((error) => error.message);
    session.close();
    return request;
  });
  assert.match(message, /^The session is closed/);
  await waitUntil(() => page.workers().length, (n) => n === 0);
});

for (const missing of ["rooflight_bg.wasm", "worker.js"]) {
  onPage(`without ${missing} the error says so`, [sample], async () => {
    server.refused = new RegExp(missing.replace(".", "\\."));
    try {
      const [name, message] = await page.evaluate(() => rooflight.open(chosen).catch((error) => [error.name, error.message]));
      assert.equal(name, "RooflightError");
      assert.match(message, /^(The program could not start|The worker of Rooflight failed)\. ./);
    } finally {
      server.refused = null;
    }
  }, { expected: /404|Failed to (fetch|load)|WebAssembly/ });
}

onPage("the example shows the verdict and the five largest ops", [], async () => {
  await page.locator("#files").setInputFiles(join(folder, sample));
  await page.locator("#ops li").nth(4).waitFor();
  const expected = JSON.parse(native("breakdown", ["--top=5"], sample)).groups.map((row) => `${row.key}: ${(row.total_dur_ps / 1e9).toFixed(3)} ms`);
  assert.deepEqual(await page.locator("#ops li").allInnerTexts(), expected);
  assert.equal(await page.locator("#verdict").innerText(), JSON.parse(native("overview", [], sample)).verdict);
  await page.locator("#files").setInputFiles(join(folder, text));
  await waitUntil(() => page.locator("#verdict").innerText(), (shown) => shown === nativeErrors("inspect", text)[0]);
  assert.equal(await page.locator("#ops li").count(), 0);
});
