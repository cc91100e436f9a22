// Supplies the installed package, the command line with which the tests compare it, and captures.
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { repository, synth, temporaryFolder } from "../../../tests/browser/captures.mjs";
import { requiredPath } from "../../../tests/browser/lib.mjs";

/** The folder of a user who has installed the package. */
export const user = requiredPath("ROOFLIGHT_NPM");
export { repository };
/** The folder of the captures, in which the command line runs, so that files have the names that a page gives them. */
export const folder = temporaryFolder;

const copy = (path) => {
  copyFileSync(path, join(folder, basename(path)));
  return basename(path);
};
export const sample = copy(join(repository, "samples/sample.xplane.pb.xz"));
export const program = copy(join(repository, "samples/train_step.hlo_proto.pb.gz"));
export const simulated = copy(synth());
/** A capture that ends too early. */
export const cut = "cut.xplane.pb";
const whole = readFileSync(join(folder, simulated));
writeFileSync(join(folder, cut), whole.subarray(0, Math.floor(whole.length * 0.6)));
export const text = "notes.txt";
writeFileSync(join(folder, text), "nothing here\n");

/** A command for each method, with options as the package and as the command line spell them. */
export const COMMANDS = [
  ["overview", {}, []],
  ["overview", { tokens: 4096, parameters: 1e6, topology: "2x2x2", wrap: true }, ["--tokens=4096", "--parameters=1000000", "--topology=2x2x2", "--wrap"]],
  ["breakdown", { by: "category" }, ["--by=category"]],
  ["breakdown", { by: "scope", step: "all", device: "all" }, ["--by=scope", "--step=all", "--device=all"]],
  ["breakdown", { filter: "fusion.*1", regex: true, kind: "compute", top: 3 }, ["--filter=fusion.*1", "--regex", "--kind=compute", "--top=3"]],
  ["roofline", { peakTflops: { bf16: 459, f32: 100 }, peakHbmGbps: 2765 }, ["--peak-tflops=bf16=459", "--peak-tflops=f32=100", "--peak-hbm-gbps=2765"]],
  ["memory", { top: 5 }, ["--top=5"]],
  ["comm", { by: "primitive" }, ["--by=primitive"]],
  ["gaps", {}, []],
  ["data-movement", {}, []],
  ["flags", { flags: "--xla_tpu_enable_async_collective_fusion=false" }, ["--flags=--xla_tpu_enable_async_collective_fusion=false"]],
  ["summary", {}, []],
  ["inspect", {}, []],
];

const cli = requiredPath("ROOFLIGHT_CLI");

const texts = new Map();

/** Returns the JSON text of the command line. */
export function native(command, options, ...files) {
  const key = JSON.stringify([command, options, files]);
  if (!texts.has(key)) texts.set(key, run(command, options, files));
  return texts.get(key);
}

function run(command, options, files) {
  const { stdout } = spawnSync(cli, [command, "--json", ...options, ...files], { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
  if (!stdout) throw new Error(`no output of ${command} ${files}`);
  return stdout;
}

/** Returns the sentences that the command line prints to stderr. */
export function nativeErrors(...args) {
  const { stderr } = spawnSync(cli, args, { cwd: folder, encoding: "utf8" });
  return stderr.trimEnd().split("\n").map((line) => line.replace(/^rooflight: /, ""));
}

export const node = (...args) => execFileSync(process.execPath, args, { cwd: user, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
