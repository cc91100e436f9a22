// Tests captures with random damage: bytes that differ, that are missing or that occur twice. The page must open each
// capture that the command line opens, show all views, and say why it cannot open the others. ROOFLIGHT_DAMAGED is the
// number of captures of each kind.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { compiledProgram, realCapture, simulatedRun, synth, write } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, requiredPath, waitForPaint, waitUntil } from "./lib.mjs";

const COUNT = Number(process.env.ROOFLIGHT_DAMAGED ?? 4);

/** Returns a function that returns pseudorandom numbers below its argument, the same in every run. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Returns a copy of `bytes` with random damage. */
function damaged(bytes, random) {
  const result = Buffer.from(bytes);
  const [from, length] = [random(bytes.length), 1 + random(64)];
  switch (random(5)) {
    case 0:
      return result.subarray(0, from);
    case 1:
      return Buffer.concat([result.subarray(0, from), result.subarray(from + length)]);
    case 2:
      return Buffer.concat([result.subarray(0, from + length), result.subarray(from)]);
    case 3:
      return result.fill(0xff, from, from + length);
    default:
      for (let i = 0; i < length; i += 1) result[random(result.length)] ^= 1 << random(8);
      return result;
  }
}

const KINDS = {
  "simulated.xplane.pb": () => simulatedRun("--steps", "5").captures[0],
  "synthetic.xplane.pb": () => synth(),
  "cpu.xplane.pb": () => realCapture("cpu-jax", "vm.xplane.pb"),
  "program.hlo_proto.pb": compiledProgram,
};

for (const [name, capture] of Object.entries(KINDS)) {
  const file = capture();
  onPage(`damaged captures like ${name} open, or the page says why they do not`, { needs: file, view: "overview", timeout: 60_000 + COUNT * 30_000 }, async ({ page }) => {
    const random = numbers(name.length * 7919);
    for (let i = 0; i < COUNT; i += 1) {
      const shownName = `${String(i).padStart(3, "0")}-${name}`;
      const path = write(shownName, damaged(readFileSync(file), random));
      const { status } = spawnSync(requiredPath("ROOFLIGHT_CLI"), ["inspect", path, "--json"], { stdio: "ignore" });
      await dropFiles(page, [path]);
      const alert = page.getByRole("alert");
      const isOpen = async () => (await page.title()).startsWith(shownName);
      const refusal = alert.filter({ hasText: shownName });
      const opened = await waitUntil(async () => ((await isOpen()) ? "open" : (await refusal.count()) > 0 ? "refused" : ""), Boolean, 30_000);
      assert.equal(opened, status === 2 ? "refused" : "open", `${shownName}: the command line ends with ${status}`);
      if (opened === "refused") {
        assert.match(await refusal.locator("p").innerText(), /[.!]$/);
      }
      for (const key of opened === "open" ? ["1", "2", "3", "4", "5", "6", "8"] : []) {
        await page.keyboard.press(key);
        await waitForPaint(page);
        await waitUntil(() => page.locator("main [aria-busy=true]").count(), (n) => n === 0, 30_000);
        assert.doesNotMatch(await page.locator("main").innerText(), /\bNaN\b|\bundefined\b|\binf\b|panicked/, `${shownName}, view ${key}`);
      }
      // A view may say why it is empty, once.
      const texts = await alert.allInnerTexts();
      assert.equal(new Set(texts).size, texts.length, `${shownName}: ${texts}`);
      const dismiss = page.locator(".toast").getByRole("button", { name: "Dismiss" });
      while ((await dismiss.count()) > 0) await dismiss.last().click();
    }
  });
}
