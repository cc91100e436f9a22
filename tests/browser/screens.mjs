// Pictures of every state, light and dark, wide and narrow: to be looked at, and put beside the design's.
// Reads ROOFLIGHT_DIST, ROOFLIGHT_PROFILES, ROOFLIGHT_SCREENS (where to write), ROOFLIGHT_CHROMIUM.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dropFiles, launch, need, open, opened, pickFiles, startServer } from "./lib.mjs";

const profiles = need("ROOFLIGHT_PROFILES");
const out = need("ROOFLIGHT_SCREENS");
const tpu = join(profiles, "tpu-v6e-host-offload", "host.xplane.pb");
const cpu = join(profiles, "cpu-jax", "vm.xplane.pb");
const damaged = join(profiles, "damaged", "utf8-mangled.xplane.pb");
await mkdir(out, { recursive: true });

// A cut copy: what a broken transfer leaves.
const cut = join(tmpdir(), "cut.xplane.pb");
const whole = await readFile(tpu);
await writeFile(cut, whole.subarray(0, Math.floor(whole.length * 0.6)));

/** A load that never ends, so that it can be looked at: the worker's messages stop after the given one. */
const slow = (page) =>
  page.addInitScript(() => {
    const Real = window.Worker;
    window.Worker = class extends Real {
      set onmessage(heard) {
        super.onmessage = (event) => {
          const reply = event.data?.[0]?.reply;
          if (reply && typeof reply === "object" && "Opened" in reply) return;
          heard?.(event);
        };
      }
    };
  });

const states = {
  landing: async () => {},
  error: async (page) => {
    await pickFiles(page, [damaged]);
    await page.getByRole("alert").waitFor();
  },
  loading: async (page) => {
    await slow(page);
    await page.reload();
    await page.locator("main").waitFor();
    await pickFiles(page, [tpu]);
    await page.getByRole("progressbar").waitFor();
    await page.waitForTimeout(1200);
  },
  breakdown: async (page) => {
    await pickFiles(page, [tpu]);
    await opened(page);
  },
  kinds: async (page) => {
    await pickFiles(page, [tpu]);
    await opened(page);
    await page.keyboard.press("g");
    await page.keyboard.press("k");
    await page.locator(".segment").first().focus();
    await page.waitForTimeout(200);
  },
  how: async (page) => {
    await pickFiles(page, [tpu]);
    await opened(page);
    await page.locator(".how").nth(2).click();
  },
  step: async (page) => {
    await pickFiles(page, [tpu]);
    await opened(page);
    await page.locator("#step-button").click();
  },
  help: async (page) => {
    await page.keyboard.press("?");
  },
  partial: async (page) => {
    await pickFiles(page, [cut]);
    await opened(page);
    await page.locator("#notes-button").click();
  },
  empty: async (page) => {
    await pickFiles(page, [cpu]);
    await page.locator(".empty").waitFor();
  },
  toast: async (page) => {
    await pickFiles(page, [tpu]);
    await opened(page);
    await pickFiles(page, [damaged]);
    await page.getByRole("alert").waitFor();
  },
  drop: async (page) => {
    await pickFiles(page, [tpu]);
    await opened(page);
    await dropFiles(page, [tpu], { release: false });
  },
};

const only = process.argv.slice(2);
const server = await startServer(need("ROOFLIGHT_DIST"));
const browser = await launch();
for (const [name, reach] of Object.entries(states)) {
  if (only.length && !only.includes(name)) continue;
  for (const theme of ["light", "dark"]) {
    for (const [width, height] of [[1440, 900], [390, 844]]) {
      const { page, problems, close } = await open(browser, server.url, { width, height, theme });
      try {
        await reach(page);
        await page.waitForTimeout(150);
      } catch (error) {
        problems.push(`not reached: ${error.message.split("\n")[0]}`);
      }
      await page.screenshot({ path: join(out, `${name}-${width}-${theme}.png`) });
      for (const problem of new Set(problems)) console.log(`${name} ${width} ${theme}: ${problem}`);
      await close();
    }
  }
}
await browser.close();
await server.close();
