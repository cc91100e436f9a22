// Supplies the files that tests open: captures of this repository (samples/), those of other projects when they are
// available, synthetic captures of any size, and files that are no captures. Files that tests write are in a temporary folder that is removed when the process ends. This
// module does not depend on a page.
import { execFileSync } from "node:child_process";
import { closeSync, existsSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

export const repository = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** The temporary folder of this process. */
export const temporaryFolder = mkdtempSync(join(tmpdir(), "rooflight-"));
process.on("exit", () => rmSync(temporaryFolder, { recursive: true, force: true }));

/** The folder of captures of other projects, if there is one. */
const profiles = process.env.ROOFLIGHT_PROFILES && resolve(process.env.ROOFLIGHT_PROFILES);

/**
 * Returns the path of a real capture: of this repository, else of the captures of other projects. Returns `undefined`
 * when the file is missing: then the test is skipped. Throws for a missing file when ROOFLIGHT_REQUIRE_PROFILES is 1.
 */
export function realCapture(...path) {
  const own = join(repository, "samples", ...path);
  if (existsSync(own)) return own;
  if (existsSync(`${own}.gz`)) return unpacked(`${own}.gz`, join("unpacked", ...path));
  const file = profiles && join(profiles, ...path);
  if (file && existsSync(file)) return file;
  if (process.env.ROOFLIGHT_REQUIRE_PROFILES === "1") throw new Error(`a real capture is missing: ${path.join("/")}`);
  console.log(`SKIPPED 1: no ${path.join("/")}; set ROOFLIGHT_PROFILES`);
  return undefined;
}

/** The real captures that several tests use. Each is `undefined` when its file is missing. */
export const tpu = () => realCapture("tpu-v6e-host-offload", "host.xplane.pb");
/** Trace JSON of two TPUs, which does not name their chip. */
export const vllm = () => realCapture("tpu-vllm-trace", "vllm.trace.json.gz");
export const cpu = () => realCapture("cpu-jax", "vm.xplane.pb");
/** A compiled program that did not run: a bare HLO proto. */
export const compiledProgram = () => realCapture("tpu-aot", "v5e_2x2_dense_L2_d1024_s1024_b8_tp2.hlo_proto.pb");
export const utf8Mangled = () => realCapture("damaged", "utf8-mangled.xplane.pb");

/**
 * The folder of files that depend on their arguments only. All test files share it when ROOFLIGHT_CAPTURES names a
 * folder.
 */
const sharedFolder = process.env.ROOFLIGHT_CAPTURES ? resolve(process.env.ROOFLIGHT_CAPTURES) : temporaryFolder;

/** Unpacks a gzip file into the shared folder, unless this was done, and returns the path of the result. */
function unpacked(packed, name) {
  const out = join(sharedFolder, name);
  if (existsSync(out)) return out;
  mkdirSync(dirname(out), { recursive: true });
  // Another test file may unpack the same file at the same time, so that the result gets its name as a whole.
  const unfinished = `${out}.${process.pid}`;
  writeFileSync(unfinished, gunzipSync(readFileSync(packed)));
  renameSync(unfinished, out);
  return out;
}

/**
 * Runs a program of `examples/` unless its output exists, and returns the path of the output. `name` identifies the
 * output; `args` returns the arguments for a given output path. ROOFLIGHT_EXAMPLES is the folder of built examples;
 * without it cargo builds them.
 */
function example(program, name, args) {
  const out = join(sharedFolder, name);
  if (existsSync(out)) return out;
  // Another test file may make the same output at the same time. The process that ends last removes its own copy.
  const unfinished = join(sharedFolder, `${process.pid} ${name}`);
  const builtProgram = process.env.ROOFLIGHT_EXAMPLES && join(resolve(process.env.ROOFLIGHT_EXAMPLES), program);
  const cargoArgs = ["run", "--quiet", "--profile", "test", "--example", program, "--"];
  const programArgs = args(unfinished).map(String);
  execFileSync(builtProgram ?? "cargo", builtProgram ? programArgs : [...cargoArgs, ...programArgs], { cwd: repository, stdio: ["ignore", "ignore", "pipe"] });
  if (existsSync(out)) rmSync(unfinished, { recursive: true });
  else renameSync(unfinished, out);
  return out;
}

/** Makes a synthetic capture and returns its path. The same arguments give the same bytes. */
export const synth = ({ mb = 1, devices = 2, ops = 40, name = `synth-${mb}-${devices}-${ops}.xplane.pb` } = {}) =>
  example("many_ops", name, (out) => [out, "--mb", mb, "--devices", devices, "--ops", ops]);

/** Returns `n` synthetic hosts of one run, with two devices each, as [name, bytes]. */
export const hostFiles = (n) => Array.from({ length: n }, (_, i) => {
  const name = `worker-${String(i).padStart(2, "0")}`;
  // The field `hostnames`. The first name is that of the host.
  const hostname = Buffer.from([0x22, name.length]);
  return [`${name}.xplane.pb`, Buffer.concat([hostname, Buffer.from(name), readFileSync(synth())])];
});

/** Writes a capture that has only a host plane, without device time, and returns its path. */
export const hostOnly = () => write("host-only.xplane.pb", Buffer.from("\x0a\x0b\x12\x09/host:CPU\x22\x06host-a", "latin1"));

/** Makes a compiled program of 37,000 instructions with all its buffers and returns its path. */
export const manyBuffers = () => example("many_buffers", "many-buffers.hlo_proto.pb", (out) => [out]);

/**
 * Makes captures with known results: a run of a real program, simulated by `cargo xtask synth` with these arguments.
 * Returns `{ captures, truth }`: the paths, and the results that an analysis must find.
 */
export function simulatedRun(...args) {
  const out = example("synth", `made ${args.join(" ")}`, (folder) => ["--out", folder, "--no-trace", ...args]);
  const captures = readdirSync(out).filter((name) => name.endsWith(".pb")).sort().map((name) => join(out, name));
  return { captures, truth: JSON.parse(readFileSync(join(out, "expected.json"), "utf8")) };
}

/**
 * Writes a file and returns its path. A `size` larger than the bytes makes a sparse file, whose hole takes no room on
 * the disk.
 */
export function write(name, bytes, size = bytes.length) {
  const path = join(temporaryFolder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  if (size > bytes.length) {
    const file = openSync(path, "r+");
    ftruncateSync(file, size);
    closeSync(file);
  }
  return path;
}

/** Makes a folder and returns its path. */
export function emptyFolder(name) {
  const path = join(temporaryFolder, name);
  mkdirSync(path, { recursive: true });
  return path;
}

/** Writes the first part of a file (`part` from 0 to 1), like a broken transfer, and returns its path. */
export function truncated(path, part, name = "cut.xplane.pb") {
  const whole = readFileSync(path);
  return write(name, whole.subarray(0, Math.floor(whole.length * part)));
}

/** Returns pseudorandom bytes (xorshift) that are the same in every run. */
export function pseudorandomBytes(length, seed = 0x9e3779b9) {
  const bytes = Buffer.alloc(length);
  let x = seed;
  for (let i = 0; i < length; i += 1) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    bytes[i] = x;
  }
  return bytes;
}

/** A PNG of one pixel. */
export const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A plane whose length field declares 2⁶³ bytes. */
export const ENDLESS_PLANE = Buffer.from([0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x08, 0x01]);
