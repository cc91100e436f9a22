// What tests open: real captures where there are some, synthetic ones of any size, and files that are none.
// All but the real ones are made in a folder that goes when the tests end. Knows no page.
import { execFileSync } from "node:child_process";
import { closeSync, existsSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** Where this run's files are. */
export const folder = mkdtempSync(join(tmpdir(), "rooflight-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const profiles = resolve(process.env.ROOFLIGHT_PROFILES ?? join(repository, "../shared/profiles"));

/** A real capture's path, or undefined: then the test is skipped, unless they are required. */
export function real(...path) {
  const file = join(profiles, ...path);
  if (existsSync(file)) return file;
  if (process.env.ROOFLIGHT_REQUIRE_PROFILES === "1") throw new Error(`a real capture is missing: ${path.join("/")}`);
  console.log(`SKIPPED 1: no ${path.join("/")}; set ROOFLIGHT_PROFILES`);
  return undefined;
}

/** The captures that tests name, each undefined where it is not there. */
export const tpu = () => real("tpu-v6e-host-offload", "host.xplane.pb");
export const cpu = () => real("cpu-jax", "vm.xplane.pb");
/** A compiled program that did not run: a bare HLO proto. */
export const program = () => real("tpu-aot", "v5e_2x2_dense_L2_d1024_s1024_b8_tp2.hlo_proto.pb");
export const mangled = () => real("damaged", "utf8-mangled.xplane.pb");

/** Where what is made from arguments alone is kept: for all files of a run, where ROOFLIGHT_CAPTURES names a folder. */
const shared = process.env.ROOFLIGHT_CAPTURES ? resolve(process.env.ROOFLIGHT_CAPTURES) : folder;

/**
 * What one of `examples/` makes, by a name of its own: its path. `args` is given the path to write to. ROOFLIGHT_EXAMPLES is the
 * folder of built examples; without it cargo builds them.
 */
function example(program, name, args) {
  const out = join(shared, name);
  if (existsSync(out)) return out;
  // Another file of this run may make the same: whoever ends last finds it there.
  const unfinished = join(shared, `${process.pid} ${name}`);
  const built = process.env.ROOFLIGHT_EXAMPLES && join(resolve(process.env.ROOFLIGHT_EXAMPLES), program);
  const cargo = ["run", "--quiet", "--profile", "test", "--example", program, "--"];
  const rest = args(unfinished).map(String);
  execFileSync(built ?? "cargo", built ? rest : [...cargo, ...rest], { cwd: repository, stdio: ["ignore", "ignore", "pipe"] });
  if (existsSync(out)) rmSync(unfinished, { recursive: true });
  else renameSync(unfinished, out);
  return out;
}

/** Makes a capture: the same arguments give the same bytes. */
export const synth = ({ mb = 1, devices = 2, ops = 40, name = `synth-${mb}-${devices}-${ops}.xplane.pb` } = {}) =>
  example("many_ops", name, (out) => [out, "--mb", mb, "--devices", devices, "--ops", ops]);

/** A plane of a host alone: nothing that ran on a device. */
export const hostOnly = () => write("host-only.xplane.pb", Buffer.from("\x0a\x0b\x12\x09/host:CPU\x22\x06host-a", "latin1"));

/** A program of 37,000 instructions with all its buffers: its path. */
export const manyBuffers = () => example("many_buffers", "many-buffers.hlo_proto.pb", (out) => [out]);

/**
 * A capture with the truth beside it: a real program's run, simulated by `cargo xtask synth` with these arguments.
 * { captures: paths, truth: what an analysis has to find }.
 */
export function made(...args) {
  const out = example("synth", `made ${args.join(" ")}`, (folder) => ["--out", folder, "--no-trace", ...args]);
  const captures = readdirSync(out).filter((name) => name.endsWith(".pb")).sort().map((name) => join(out, name));
  return { captures, truth: JSON.parse(readFileSync(join(out, "expected.json"), "utf8")) };
}

/** Writes a file: its path. `size` beyond the bytes makes a hole that takes no room on the disk. */
export function write(name, bytes, size = bytes.length) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  if (size > bytes.length) {
    const file = openSync(path, "r+");
    ftruncateSync(file, size);
    closeSync(file);
  }
  return path;
}

/** An empty folder: its path. */
export function emptyFolder(name) {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
}

/** The first part of a file, as a broken transfer leaves it. */
export function cut(path, part, name = "cut.xplane.pb") {
  const whole = readFileSync(path);
  return write(name, whole.subarray(0, Math.floor(whole.length * part)));
}

/** Bytes that look random and are the same in every run (xorshift). */
export function noise(length, seed = 0x9e3779b9) {
  const bytes = Buffer.alloc(length);
  let x = seed;
  for (let at = 0; at < length; at += 1) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    bytes[at] = x;
  }
  return bytes;
}

/** A picture of one pixel. */
export const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A plane that says it has 2⁶³ bytes. */
export const ENDLESS_PLANE = Buffer.from([0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x08, 0x01]);
