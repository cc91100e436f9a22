// Runs the package in Node.js: it also reads paths, and its answers are those of the command line.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { COMMANDS, cut, folder, native, nativeErrors, node, sample, simulated, text, user } from "./common.mjs";

const rooflight = await import(join(user, "node_modules/rooflight/node.js"));
process.chdir(folder);

test("paths, bytes and Blobs give the JSON of the command line", async () => {
  const bytes = readFileSync(sample);
  const inputs = [sample, { name: sample, data: bytes }, new File([bytes], sample), { name: sample, data: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) }];
  for (const input of inputs) {
    const session = await rooflight.open(input);
    for (const [command, options, spelled] of COMMANDS) {
      const text = native(command, spelled, sample);
      assert.equal(await session.json(command, options), text, command);
      const method = command.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
      assert.deepEqual(await session[method](options), JSON.parse(text), command);
    }
    session.close();
  }
});

test("a folder is a session, and other files in it are skipped with a note", async () => {
  const run = "a run";
  mkdirSync(join(run, "host-0"), { recursive: true });
  copyFileSync(simulated, join(run, "host-0", "a.xplane.pb"));
  writeFileSync(join(run, "notes.txt"), "nothing here\n");
  const session = await rooflight.open([run]);
  assert.equal(await session.json("summary"), native("summary", [], run));
  assert.ok((await session.inspect()).notes.some((note) => note.message.includes("notes.txt")));
  session.close();
});

test("captures are compared by session and by path", async () => {
  const [session, other] = [await rooflight.open(sample), await rooflight.open(simulated)];
  const expected = JSON.parse(native("compare", [], sample, simulated));
  assert.deepEqual(await session.compare(other), expected);
  assert.deepEqual(await session.compare(simulated), expected);
  session.close();
  other.close();
});

test("errors are classes with the sentences of the command line, and missing parts are listed", async () => {
  for (const [path, type] of [["none.xplane.pb", rooflight.CaptureNotFoundError], [text, rooflight.UnreadableCaptureError]]) {
    await assert.rejects(rooflight.open(path), (error) => {
      assert.ok(error instanceof type && error instanceof rooflight.RooflightError, error.name);
      assert.equal(error.message, nativeErrors("inspect", path)[0]);
      return true;
    });
  }
  const session = await rooflight.open(cut);
  assert.deepEqual(session.partial, nativeErrors("inspect", "--json", cut));
  assert.equal((await session.breakdown()).status, "partial");
  session.close();
});

test("wrong arguments are errors of the argument, and the session goes on", async () => {
  const bytes = readFileSync(sample);
  for (const wrong of [undefined, null, 5, {}, [["a"]], { data: "HloModule a" }, { data: 1000 }, { data: bytes, name: 5 }]) {
    await assert.rejects(rooflight.open(wrong), rooflight.ArgumentError);
  }
  await assert.rejects(rooflight.open(""), rooflight.CaptureNotFoundError);
  await assert.rejects(rooflight.open("/dev/null"), /no file/);
  const session = await rooflight.open(sample);
  for (const wrong of [undefined, null, 5, {}]) await assert.rejects(session.json(wrong), rooflight.ArgumentError);
  assert.equal((await session.overview(null)).view, "overview");
  session.close();
});

test("an abort rejects, and an open session does not keep the process alive", async () => {
  const abort = new AbortController();
  const opening = rooflight.open(simulated, { signal: abort.signal });
  abort.abort(new Error("enough"));
  await assert.rejects(opening, /enough/);
  const code = `import { open } from "rooflight"; const session = await open(${JSON.stringify(join(folder, sample))}); console.log((await session.overview()).view);`;
  assert.equal(node("--input-type=module", "--eval", code), "overview\n");
});
