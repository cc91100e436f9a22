// This script takes screenshots of every state of the page, light and dark, wide and narrow, to compare them with the
// design. The captures are synthetic (their names and times are invented), so the screenshots can be published.
// The script reads ROOFLIGHT_DIST, ROOFLIGHT_SCREENS (the folder to write to) and ROOFLIGHT_CHROMIUM.
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as captures from "./captures.mjs";
import { host } from "./hosts.mjs";
import { dropFiles, launch, openPage, pickFiles, reload, requiredPath, startServer, waitForPaint, waitForTable, waitUntil } from "./lib.mjs";
import { readMessages } from "./messages.mjs";
import { opPanel } from "./page_helpers.mjs";
import { link, share } from "./sharing.mjs";

const out = requiredPath("ROOFLIGHT_SCREENS");
await mkdir(out, { recursive: true });

const tpu = captures.synth({ mb: 4, devices: 4, ops: 400, name: "train-step.xplane.pb" });
const cpu = captures.hostOnly();
// `damaged` is a binary file that a text tool has rewritten as UTF-8. `truncatedFile` is a file whose transfer was
// interrupted.
const damaged = captures.write("mangled.xplane.pb", Buffer.from((await readFile(tpu)).subarray(0, 65536).toString("utf8")));
const truncatedFile = captures.truncated(tpu, 0.6, "cut.xplane.pb");

/** Makes every load endless, to show the loading state: the page does not get the `Opened` replies of the worker. */
const holdOpenedReply = async (page) => {
  await readMessages(page);
  await page.addInitScript(() => {
    const RealWorker = window.Worker;
    window.Worker = class extends RealWorker {
      set onmessage(handler) {
        super.onmessage = (event) => {
          if (window.messageOf(event.data, "Reply").kind !== "Opened") handler?.(event);
        };
      }
    };
  });
};

const states = {
  landing: async () => {},
  error: async (page) => {
    await pickFiles(page, [damaged]);
    await page.getByRole("alert").waitFor();
  },
  loading: async (page) => {
    await holdOpenedReply(page);
    await reload(page);
    await pickFiles(page, [tpu]);
    await page.getByRole("progressbar").waitFor();
    // Wait for the progress report, which comes a few times a second.
    await waitUntil(() => page.locator(".loading").innerText(), (text) => /event/.test(text));
  },
  overview: async (page) => {
    await pickFiles(page, [captures.simulatedRun().captures[0]]);
    await page.locator(".verdict").waitFor();
  },
  breakdown: async (page) => {
    await pickFiles(page, [tpu]);
    await waitForTable(page);
  },
  kinds: async (page) => {
    await pickFiles(page, [tpu]);
    await waitForTable(page);
    await page.keyboard.press("g");
    await page.keyboard.press("k");
    await page.locator(".segment").first().focus();
    await waitForPaint(page);
  },
  steps: async (page) => {
    await pickFiles(page, [tpu]);
    await waitForTable(page);
    await page.getByRole("button", { name: "Steps", exact: true }).click();
    await page.locator(".spread").waitFor();
  },
  filter: async (page) => {
    await pickFiles(page, [tpu]);
    await waitForTable(page);
    await page.getByRole("button", { name: "anywhere", exact: true }).click();
    await page.locator("#filter").fill("kda");
    await page.locator("#filter-status").getByText("outer scope").waitFor();
  },
  columns: async (page) => {
    await pickFiles(page, [tpu]);
    await waitForTable(page);
    await page.keyboard.press("c");
  },
  how: async (page) => {
    await pickFiles(page, [tpu]);
    await waitForTable(page);
    await page.locator(".formula-button").nth(2).click();
  },
  step: async (page) => {
    await pickFiles(page, [tpu]);
    await waitForTable(page);
    await page.locator("#step-button").click();
  },
  op: async (page) => {
    await pickFiles(page, [tpu]);
    await waitForTable(page);
    await page.locator("[data-row='1'] [data-column='0']").focus();
    await page.keyboard.press("Enter");
    await page.locator(".panel-hlo").first().waitFor();
    await page.locator("#op-name").blur();
  },
  graph: async (page) => {
    await pickFiles(page, [tpu]);
    await waitForTable(page);
    await page.locator("[data-row='1'] [data-column='0']").focus();
    await page.keyboard.press("Enter");
    await opPanel(page).getByRole("button", { name: "Graph", exact: true }).click();
    await page.locator(".graph .scene rect").first().waitFor();
    await page.locator(".graph .scene").focus();
    await page.keyboard.press("ArrowDown");
  },
  roofline: async (page) => {
    await page.getByRole("button", { name: "Open the sample" }).click();
    await waitForTable(page);
    await page.keyboard.press("3");
    await page.locator(".roofline-canvas [fill='var(--k-compute)']").first().waitFor();
    await page.locator(".roofline-table").evaluate((table) => table.scrollIntoView());
    await page.locator("[data-row='0'] [data-column='0']").focus();
    await page.keyboard.press("Space");
    await page.locator(".roofline-selection b").waitFor();
    await page.evaluate(() => (document.activeElement.blur(), scrollTo(0, 0)));
    await waitForPaint(page);
  },
  memory: async (page) => {
    await page.getByRole("button", { name: "Open the sample" }).click();
    await waitForTable(page);
    await page.keyboard.press("4");
    await page.locator(".map-canvas .scene rect").first().waitFor();
    await waitForPaint(page);
  },
  lives: async (page) => {
    await page.getByRole("button", { name: "Open the sample" }).click();
    await waitForTable(page);
    await page.keyboard.press("4");
    await page.locator(".map-canvas .scene rect").first().click();
    await page.locator(".what-if").waitFor();
    await page.getByRole("button", { name: "Live ranges" }).click();
    await page.locator(".live-ranges .scene rect").first().waitFor();
  },
  allocator: async (page) => {
    await page.getByRole("button", { name: "Open the sample" }).click();
    await waitForTable(page);
    await page.keyboard.press("4");
    await page.getByRole("button", { name: "Allocator", exact: true }).click();
    await page.locator(".memory-canvas .scene").waitFor();
  },
  peaks: async (page) => {
    await page.getByRole("button", { name: "Open the sample" }).click();
    await waitForTable(page);
    await page.keyboard.press("3");
    await page.locator(".roofline-canvas [fill='var(--k-compute)']").first().waitFor();
    await page.locator("#peaks-button").click();
    await page.locator("#peaks input").first().waitFor();
  },
  communication: async (page) => {
    await page.getByRole("button", { name: "Open the sample" }).click();
    await waitForTable(page);
    await page.keyboard.press("5");
    await page.locator(".comm-lanes .scene rect").first().waitFor();
    await waitForPaint(page);
  },
  "communication-zoomed": async (page) => {
    await page.getByRole("button", { name: "Open the sample" }).click();
    await waitForTable(page);
    await page.keyboard.press("5");
    await page.locator(".comm-lanes .scene rect").first().waitFor();
    for (let n = 0; n < 3; n += 1) await page.getByRole("button", { name: "Zoom in" }).click();
    await page.locator(".comm-lanes .scene").focus();
    await page.keyboard.press("ArrowRight");
    await waitForPaint(page);
  },
  bandwidth: async (page) => {
    await page.getByRole("button", { name: "Open the sample" }).click();
    await waitForTable(page);
    await page.keyboard.press("5");
    await page.getByRole("button", { name: "Bandwidth", exact: true }).click();
    await page.locator(".comm-bandwidth .scene [fill='var(--k-comm)']").first().waitFor();
    await page.locator("#wiring-button").click();
    await page.getByLabel("Chips").fill("2x2x2");
    await page.getByLabel("Chips").press("Enter");
    await page.getByLabel("Axis 1, name").fill("data");
    await page.getByLabel("Axis 1, devices").fill("2");
    await page.getByLabel("Axis 1, devices").press("Enter");
    await page.getByLabel("Axis 2, name").fill("model");
    await page.getByLabel("Axis 2, devices").fill("4");
    await page.getByLabel("Axis 2, devices").press("Enter");
    await page.getByText("model=4").waitFor();
    await waitForPaint(page);
  },
  stragglers: async (page) => {
    await page.getByRole("button", { name: "Open the sample" }).click();
    await waitForTable(page);
    await page.keyboard.press("5");
    await page.locator(".comm-pane").getByRole("button", { name: "Devices" }).click();
    await page.locator(".comm-pane td").first().waitFor();
  },
  flags: async (page) => {
    await page.getByRole("button", { name: "Open the sample" }).click();
    await waitForTable(page);
    await page.keyboard.press("5");
    await page.getByRole("button", { name: "Flags" }).click();
    await page.locator(".flags").first().waitFor();
  },
  "data-movement": async (page) => {
    await pickFiles(page, [tpu]);
    await waitForTable(page);
    await page.getByRole("button", { name: "Non-compute", exact: true }).click();
    await page.locator(".data-movement .tree-name").first().click();
    await page.locator(".data-movement .tree-group + *").first().waitFor();
  },
  idle: async (page) => {
    await pickFiles(page, [tpu]);
    await waitForTable(page);
    await page.getByRole("button", { name: "Idle", exact: true }).click();
    await page.locator(".picture-tree .tree-name").first().click();
    await page.locator(".picture-tree .leaf").first().waitFor();
  },
  file: async (page) => {
    await pickFiles(page, [tpu]);
    await waitForTable(page);
    await page.keyboard.press("8");
    await page.locator(".code-line code").first().waitFor();
    await page.locator(".file-planes .tree-name").first().click();
    await page.locator("#find").fill("all-gather");
    await page.locator(".code-line.at").waitFor();
  },
  kept: async (page) => {
    await pickFiles(page, [tpu]);
    await waitForTable(page);
    await page.locator("header .pick").first().click();
    await page.getByRole("button", { name: "Keep on this device" }).click();
    await page.locator(".toast.passing").waitFor();
    await reload(page);
    await page.locator(".kept tbody tr").first().waitFor();
  },
  web: async (page) => {
    // This file is copies of the same capture. It is too large to fetch without a question.
    const bytes = await readFile(tpu);
    const webHost = await host(captures.write("large.xplane.pb", Buffer.concat(Array(12).fill(bytes))));
    await page.goto("about:blank");
    await page.goto(`${server.url}#v=1&src=${encodeURIComponent(webHost.url("host.xplane.pb"))}`);
    await page.getByRole("alertdialog").waitFor();
  },
  gaps: async (page) => {
    await pickFiles(page, [truncatedFile]);
    await waitForTable(page);
    await page.keyboard.press("8");
    await page.locator(".file-planes .tree-name").first().waitFor();
  },
  share: async (page) => {
    await pickFiles(page, [captures.simulatedRun("--steps", "3").captures[0]]);
    await waitForTable(page);
    await share(page);
    await page.getByRole("button", { name: "Copy link" }).focus();
  },
  "share-html": async (page) => {
    await pickFiles(page, [captures.simulatedRun("--steps", "3").captures[0]]);
    await waitForTable(page);
    await share(page, "HTML file");
    await page.getByText(/All texts included/).click();
  },
  summary: async (page) => {
    await pickFiles(page, [captures.simulatedRun("--steps", "3").captures[0]]);
    await waitForTable(page);
    await share(page);
    const address = await link(page);
    await page.goto("about:blank");
    await page.goto(address);
    await page.locator(".strip.summary").waitFor();
    await waitForTable(page);
  },
  help: async (page) => {
    await page.keyboard.press("?");
  },
  partial: async (page) => {
    await pickFiles(page, [truncatedFile]);
    await waitForTable(page);
    await page.locator("#notes-button").click();
  },
  empty: async (page) => {
    await pickFiles(page, [cpu]);
    await page.locator(".empty").first().waitFor();
  },
  toast: async (page) => {
    await pickFiles(page, [tpu]);
    await waitForTable(page);
    await pickFiles(page, [damaged]);
    await page.getByRole("alert").waitFor();
  },
  drop: async (page) => {
    await pickFiles(page, [tpu]);
    await waitForTable(page);
    await dropFiles(page, [tpu], { release: false });
  },
};

const chosenStates = process.argv.slice(2);
const server = await startServer(requiredPath("ROOFLIGHT_DIST"));
const browser = await launch({ isOptimised: true });
for (const [name, reach] of Object.entries(states)) {
  if (chosenStates.length && !chosenStates.includes(name)) continue;
  for (const theme of ["light", "dark"]) {
    for (const [width, height] of [[1440, 900], [390, 844]]) {
      const view = name === "overview" ? "overview" : "breakdown";
      const { page, problems, close } = await openPage(browser, server.url, { width, height, theme, view });
      try {
        await reach(page);
        await waitForPaint(page);
      } catch (error) {
        problems.push(`the state was not reached: ${error.message.split("\n")[0]}`);
      }
      await page.screenshot({ path: join(out, `${name}-${width}-${theme}.png`) });
      for (const problem of new Set(problems)) console.log(`${name} ${width} ${theme}: ${problem}`);
      await close();
    }
  }
}
await browser.close();
await server.close();
