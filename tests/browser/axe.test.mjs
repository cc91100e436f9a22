// Checks that axe finds no violation in any state of the page, in both themes, on a wide and on a narrow screen.
import assert from "node:assert/strict";
import { violations } from "./accessibility.mjs";
import { ENDLESS_PLANE, compiledProgram, hostOnly, synth, truncated, write } from "./captures.mjs";
import { holdReplies, onPage } from "./harness.mjs";
import { dropFiles, waitForTable, waitUntil } from "./lib.mjs";
import { groupBy, waitForRows } from "./page_helpers.mjs";
import { save, share } from "./sharing.mjs";

const unreadableFile = () => write("bad.xplane.pb", ENDLESS_PLANE);
const programFile = compiledProgram();

const dropAndWait = async (page, file) => {
  await dropFiles(page, [file]);
  await waitForTable(page);
};

/** By state: the actions that leave the previous state and reach this one. The order matters. */
const STATES = {
  "landing page": async () => {},
  glossary: async (page) => {
    await page.keyboard.press("h");
    await page.getByRole("dialog", { name: "Glossary" }).waitFor();
  },
  "landing page with an error": async (page) => {
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Glossary" }).waitFor({ state: "detached" });
    await dropFiles(page, [unreadableFile()]);
    await page.getByRole("alert").waitFor();
  },
  loading: async (page) => {
    await holdReplies(page);
    await dropFiles(page, [synth()]);
    await page.getByRole("progressbar").waitFor();
  },
  breakdown: async (page) => {
    await page.evaluate(() => window.release());
    await waitForTable(page);
  },
  "breakdown, cell with the focus and its tooltip": async (page) => {
    await page.locator("[data-row='0'] [data-column='1']").focus();
    await page.keyboard.press("ArrowLeft");
    await page.locator(".tip, [role=tooltip]").first().waitFor();
  },
  "breakdown by kind": async (page) => {
    await page.keyboard.press("Escape");
    await groupBy(page, "Kind");
  },
  "breakdown, expanded row": async (page) => {
    await page.locator("[data-row='0'] .fold").click();
    await page.locator(".row.inner").first().waitFor();
  },
  "breakdown, selected row": async (page) => {
    await page.locator("[data-row='0'] [data-column='1']").click();
    await page.locator("[aria-selected=true][data-row]").first().waitFor();
  },
  "op panel": async (page) => {
    await groupBy(page, "Op");
    await page.locator("[data-row='0'] [data-column='0']").focus();
    await page.keyboard.press("Enter");
    await page.locator(".panel-hlo").first().waitFor();
  },
  "op graph": async (page) => {
    await page.locator(".side-panel").getByRole("button", { name: "Graph", exact: true }).click();
    await page.locator(".graph .scene rect").first().waitFor();
  },
  "op graph, with the tooltip of a node": async (page) => {
    await page.locator(".graph .scene").focus();
    await page.keyboard.press("ArrowDown");
    await page.locator(".tip").waitFor();
  },
  "op graph as a table": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator("#graph-menu-button").click();
    await page.getByRole("menuitem", { name: "Show as a table" }).click();
    await page.locator(".graph .chart-table td").first().waitFor();
  },
  "save menu": async (page) => {
    await page.getByRole("button", { name: "Close the graph" }).click();
    // Esc would first hide a tooltip, so the panel is closed with its button.
    await page.locator(".side-panel").getByRole("button", { name: "Close" }).click();
    await page.locator("#save-button").click();
    await page.locator("#save").getByRole("menuitem").first().waitFor();
  },
  "column chooser": async (page) => {
    await page.keyboard.press("Escape");
    if ((await page.locator("#columns-button").count()) === 0) return; // A narrow screen has no column chooser.
    await page.locator("#columns-button").click();
    await page.locator("#columns").getByRole("checkbox").first().waitFor();
  },
  "column menu": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator(".grid-head [data-column='1']").click({ button: "right" });
    await page.locator("#column-menu").getByRole("menuitem").first().waitFor();
  },
  "chart menu": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator("#picture-menu-button").click();
    await page.locator("#picture-menu").getByRole("menuitem").first().waitFor();
  },
  "chart as a table": async (page) => {
    await page.getByRole("menuitem", { name: "Show as a table" }).click();
    await page.locator(".chart-table td").first().waitFor();
  },
  "steps chart": async (page) => {
    await page.getByRole("button", { name: "Steps", exact: true }).click();
    await page.locator(".spread").waitFor();
  },
  "devices chart": async (page) => {
    await page.getByRole("button", { name: "Devices", exact: true }).click();
    await page.locator(".scene").waitFor();
  },
  "non-compute table, with an open category and open opcodes": async (page) => {
    await page.getByRole("button", { name: "Non-compute", exact: true }).click();
    await page.locator(".data-movement .tree-name").first().click();
    await page.locator(".data-movement .tree-group + *").first().waitFor();
    await page.locator(".data-movement-program summary").first().click();
  },
  "formula of non-compute": async (page) => {
    await page.locator("#how-data-movement-button").click();
    await page.locator("#how-data-movement").waitFor();
  },
  "idle gaps, with an open class": async (page) => {
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Idle", exact: true }).click();
    await page.locator(".picture-tree:not(.data-movement) .tree-name").first().click();
    await page.locator(".picture-tree .leaf").first().waitFor();
  },
  "roofline, with the tooltip of a mark": async (page) => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("3");
    await page.locator(".roofline-canvas [fill='var(--k-compute)']").first().waitFor();
    await page.locator(".roofline .scene").focus();
    await page.keyboard.press("ArrowRight");
    await page.locator(".tip").waitFor();
    await page.keyboard.press("+");
  },
  "roofline, panel of the peaks": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator("#peaks-button").click();
    await page.locator("#peaks input").first().waitFor();
  },
  "roofline, panel of kernel costs with an error": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator("#kernels-button").click();
    await page.locator("#kernels").getByRole("button", { name: "Add" }).click();
    await page.locator("#kernels .bad").waitFor();
  },
  "roofline, panel of the useful FLOPs": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator("#useful-button").click();
    await page.locator("#useful input").first().waitFor();
  },
  "roofline by step, chart as a table": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator(".table-tools").getByRole("button", { name: "Steps", exact: true }).click();
    await page.locator("#roofline-menu-button").click();
    await page.getByRole("menuitem", { name: "Show as a table" }).click();
    await page.locator(".roofline .chart-table td").first().waitFor();
  },
  "memory without one buffer": async (page) => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.keyboard.press("4");
    await page.locator(".memory > .empty, .map-canvas .scene rect").first().waitFor();
    // Without a program's memory, the view shows only which data it requires.
    if (await page.locator(".memory > .empty").count()) return;
    await page.locator(".map-canvas .scene rect").first().click();
    await page.locator(".what-if").waitFor();
  },
  "communication, with the tooltip of a span": async (page) => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.keyboard.press("5");
    await page.locator(".comm-lanes .scene [fill='var(--k-compute)']").first().waitFor();
    await page.getByRole("button", { name: "Zoom in" }).click();
    if (await page.locator(".comm-lanes .chart-empty").count()) return;
    await page.locator(".comm-lanes .scene").focus();
    await page.keyboard.press("ArrowRight");
    await page.locator(".tip").waitFor();
  },
  "communication, panel of mesh and topology with an error": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator("#wiring-button").click();
    await page.locator("#wiring").getByLabel("Chips").fill("4x");
    await page.locator("#wiring").getByLabel("Chips").press("Enter");
    await page.locator("#wiring .bad").waitFor();
  },
  "communication, bandwidth, flags and devices": async (page) => {
    await page.keyboard.press("Escape");
    for (const [pane, selector] of [["Flags", ".found"], ["Devices", ".found"], ["Bandwidth", ".comm-bandwidth .scene"]]) {
      await page.locator(".comm-pane").getByRole("button", { name: pane, exact: true }).click();
      await page.locator(`.comm-pane ${selector}`).waitFor();
    }
  },
  "communication, devices of the copies": async (page) => {
    await page.getByRole("button", { name: "Copies", exact: true }).click();
    await page.locator(".comm > .empty, .comm-pane .segmented").first().waitFor();
    if (await page.locator(".comm > .empty").count()) return;
    await page.locator(".comm-pane").getByRole("button", { name: "Devices", exact: true }).click();
    await page.locator(".comm-pane .found").waitFor();
  },
  "timeline, with a search, a range and the selected event": async (page) => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("6");
    await page.locator(".timeline-tools #filter").fill("fusion");
    await page.locator("#timeline-canvas").focus();
    // There is no event to go to before the first picture.
    const next = async () => {
      await page.keyboard.press("ArrowRight");
      return page.locator(".timeline-event dl").count();
    };
    await waitUntil(next, (n) => n > 0);
    await page.keyboard.press("r");
    await page.getByRole("button", { name: "Clear range" }).waitFor();
    await waitForRows(page);
  },
  "icicle zoomed into a scope": async (page) => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("2");
    await page.getByRole("button", { name: "Scopes", exact: true }).click();
    const icicle = page.locator(".scene[aria-label^='Self time by scope path']");
    await icicle.locator("rect").first().waitFor();
    await icicle.focus();
    await page.keyboard.press("ArrowDown");
    await page.locator(".tip").waitFor();
    await page.evaluate(() => (location.hash += "&zoom=jit(train_step)"));
    await page.locator(".crumbs").waitFor();
  },
  "breakdown filtered by kind and text": async (page) => {
    await page.locator(".part-name").first().click();
    await page.locator("#filter").fill("dot");
    await waitUntil(() => page.locator("#filter-status").innerText(), (text) => text !== "");
  },
  "filter without a match": async (page) => {
    await page.locator("#filter").fill("nothing like it");
    await page.locator(".none").waitFor();
  },
  "filter with an invalid expression": async (page) => {
    await page.getByRole("button", { name: "Regular expression" }).click();
    await page.locator("#filter").fill("a(");
    await page.locator(".field.bad").waitFor();
  },
  help: async (page) => {
    await page.locator("#filter").fill("");
    await page.locator("body").click({ position: { x: 2, y: 2 } });
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
  },
  "notes of a truncated file": async (page) => {
    await page.keyboard.press("Escape");
    await dropAndWait(page, truncated(synth(), 0.7));
    await page.locator(".strip").waitFor();
    await page.locator("#notes-button").click();
    await page.locator("#notes").waitFor();
  },
  "device picker": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator("#device-button").click();
    await page.locator("#device").getByRole("listbox").waitFor();
  },
  "step picker": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator("#step-button").click();
    await page.locator("#step").getByRole("listbox").first().waitFor();
  },
  "file picker": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator("#capture-button").click();
    await page.locator("#capture").waitFor();
  },
  "formula of a figure": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator("#how-hero-button").click();
    await page.locator("#how-hero").waitFor();
  },
  "File view": async (page) => {
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "File" }).click();
    await page.locator(".code-line code").first().waitFor();
  },
  "File view, with an open plane and a match": async (page) => {
    await page.locator(".file-planes .tree-name").first().click();
    await page.locator(".file-planes .leaf").first().waitFor();
    await page.locator("#find").fill("fusion");
    await page.locator(".code-line.at").waitFor();
  },
  "File view, with an invalid expression": async (page) => {
    await page.locator(".file-tools").getByRole("button", { name: ".*", exact: true }).click();
    await page.locator("#find").fill("a(");
    await page.locator(".field.bad").waitFor();
  },
  "File view, with an op panel": async (page) => {
    await page.locator("#find").fill("");
    await page.locator(".code-op").first().click();
    await page.locator(".panel-hlo").first().waitFor();
  },
  "share dialog, link": async (page) => {
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "Breakdown" }).click();
    await waitForTable(page);
    await share(page);
    await page.getByText(/All texts included/).click();
    await page.locator(".share-preview section").first().waitFor();
  },
  "share dialog, link that is too long": async (page) => {
    await page.getByRole("slider", { name: "Detail" }).fill("100");
    await page.locator(".share-caution").waitFor();
  },
  "share dialog, HTML file": async (page) => {
    await page.getByRole("tab", { name: "HTML file" }).click();
    await page.getByRole("radio", { name: /capture/ }).check();
    await page.locator(".share-rows").filter({ hasText: /\d/ }).waitFor();
  },
  "report file": async (page) => {
    await page.getByRole("tab", { name: "Report file" }).click();
    await page.getByRole("radio", { name: /every op/ }).check();
    const report = await save(page, "axe.rooflight");
    await page.keyboard.press("Escape");
    await dropFiles(page, [report]);
    await page.locator(".strip.summary").waitFor();
    await waitForTable(page);
  },
  "report file, memory": async (page) => {
    await page.getByRole("tab", { name: "Memory" }).click();
    await page.getByRole("tabpanel", { name: /^Memory/ }).first().waitFor();
  },
  "report file, File view": async (page) => {
    await page.getByRole("tab", { name: "File" }).click();
    await page.getByText("A summary has no files").waitFor();
  },
  "error beside an open capture": async (page) => {
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "Breakdown" }).click();
    await dropFiles(page, [unreadableFile()]);
    await page.getByRole("alert").waitFor();
  },
  "capture without device time": async (page) => {
    await dropFiles(page, [hostOnly()]);
    await page.locator(".empty").first().waitFor();
  },
  "compiled program without a capture": async (page) => {
    if (!programFile) return;
    await dropFiles(page, [programFile]);
    await page.locator(".computations .program").first().click();
    await page.locator(".code-line.at").waitFor();
  },
  "op graph of a compiled program": async (page) => {
    if (!programFile) return;
    await page.locator(".code-line.at ~ .code-line .code-op").first().click();
    await page.locator(".side-panel").getByRole("button", { name: "Graph", exact: true }).click();
    await page.locator(".graph .scene rect").first().waitFor();
  },
  "breakdown of a compiled program": async (page) => {
    if (!programFile) return;
    await page.evaluate(() => (location.hash = "v=1"));
    await page.locator(".empty").first().waitFor();
  },
};

for (const [width, height] of [[1440, 900], [390, 844]]) {
  onPage(`axe finds no accessibility violation at ${width} × ${height} pixels`, { width, height, timeout: 600_000 }, async ({ page }) => {
    const messages = [];
    for (const [state, reach] of Object.entries(STATES)) {
      await reach(page);
      for (const theme of ["light", "dark"]) {
        for (const { id, nodes } of await violations(page, theme)) {
          messages.push(`${state}, ${theme}: ${id}: ${nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}: ${nodes[0].failureSummary.split("\n")[1]?.trim()}`);
        }
      }
    }
    assert.deepEqual(messages, []);
  });
}
