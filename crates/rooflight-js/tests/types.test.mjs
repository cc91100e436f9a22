// The types of the package: they fit a user's code, and they have every field that the command line writes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { COMMANDS, cut, native, program, repository, sample, simulated, user } from "./common.mjs";

const tsc = createRequire(join(repository, "tests/browser/package.json")).resolve("typescript/bin/tsc");

function check(name, code) {
  writeFileSync(join(user, name), code);
  const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom"];
  const { stdout } = spawnSync(process.execPath, [tsc, ...options, name], { cwd: user, encoding: "utf8" });
  return stdout;
}

test("the code of a user has types, and mistakes are found", () => {
  const code = `
import { open, RooflightError, type Row, type Session } from "rooflight";
async function run(file: File): Promise<string> {
  const session: Session = await open([file], { signal: AbortSignal.timeout(1000), onProgress: ({ bytesDone }) => bytesDone.toFixed() });
  const rows: Row[] = (await session.breakdown({ by: "category", step: 3 })).groups;
  const nodes = (await session.breakdown({ by: "scope" })).groups[0].children.length;
  const overview = await session.overview();
  const text: string = overview.status === "absent" ? "" : overview.verdict + overview.ledger.floor.toFixed();
  const { gate } = await session.compare(session, { failOver: 0.03 });
  try {
    return text + rows.length + nodes + gate?.result + (await session.json("comm", { by: "group" }));
  } catch (error) {
    throw error instanceof RooflightError ? error.message : error;
  }
}
`;
  assert.equal(check("user.ts", code), "");
  const wrong = check("wrong.ts", `import { open } from "rooflight";\nconst session = await open(new Uint8Array(4));\nsession.breakdown({ by: "nothing" });\n(await session.overview()).verdict.length;\nexport {};\n`);
  assert.match(wrong, /wrong\.ts\(3,\d+\): error TS2769.*wrong\.ts\(4,\d+\): error TS2531/s);
});

// TypeScript reports a field of an object literal that its type does not have, and a field of the type that is missing.
test("every field of the JSON is in the types, and no other", () => {
  const types = { overview: "OverviewAnswer", breakdown: "Breakdown", roofline: "Roofline", memory: "Memory", comm: "Comm", gaps: "Gaps", "data-movement": "DataMovement", flags: "Flags", summary: "Summary", inspect: "Inspect" };
  const documents = [sample, simulated, program, cut].flatMap((file) =>
    COMMANDS.map(([command, options, spelled]) => [options.by === "scope" ? "ScopeBreakdown" : types[command], native(command, [...spelled, ...(command === "inspect" ? [] : ["--top=3"]).filter(() => !("top" in options))], file)]));
  documents.push(["Compare", native("compare", ["--fail-over=3%", "--top=5"], sample, simulated)]);
  const code = documents.map(([type, json], i) => `export const document${i}: ${type} = ${json.trim()};`);
  const names = `${Object.values(types).join(", ")}, Compare, ScopeBreakdown`;
  assert.equal(check("documents.ts", `import type { ${names} } from "rooflight";\n${code.join("\n")}\n`), "");
});
