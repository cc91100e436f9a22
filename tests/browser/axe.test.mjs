// Checks that axe finds no violation in any state of the page, in both themes, on a wide and on a narrow screen.
import assert from "node:assert/strict";
import { violations } from "./accessibility.mjs";
import { ENDLESS_PLANE, cut, hostOnly, program, synth, write } from "./captures.mjs";
import { holdLoads, onPage } from "./harness.mjs";
import { dropFiles, opened, until } from "./lib.mjs";
import { groupBy, settled } from "./reading.mjs";
import { save, share } from "./sharing.mjs";

const bad = () => write("bad.xplane.pb", ENDLESS_PLANE);
const compiled = program();

const drop = async (page, file) => {
  await dropFiles(page, [file]);
  await opened(page);
};

/** By state: the actions that leave the previous state and reach this one. The order matters. */
const STATES = {
  landing: async () => {},
  "landing, a file that could not be read": async (page) => {
    await dropFiles(page, [bad()]);
    await page.getByRole("alert").waitFor();
  },
  loading: async (page) => {
    await holdLoads(page);
    await dropFiles(page, [synth()]);
    await page.getByRole("progressbar").waitFor();
  },
  breakdown: async (page) => {
    await page.evaluate(() => window.release());
    await opened(page);
  },
  "keyboard in the table, with its tooltip": async (page) => {
    await page.locator("[data-row='0'] [data-column='1']").focus();
    await page.keyboard.press("ArrowLeft");
    await page.locator(".tip, [role=tooltip]").first().waitFor();
  },
  "by kind": async (page) => {
    await page.keyboard.press("Escape");
    await groupBy(page, "Kind");
  },
  "a row opened": async (page) => {
    await page.locator("[data-row='0'] .fold").click();
    await page.locator(".row.inner").first().waitFor();
  },
  "rows selected": async (page) => {
    await page.locator("[data-row='0'] [data-column='1']").click();
    await page.locator("[aria-selected=true][data-row]").first().waitFor();
  },
  "an op's panel": async (page) => {
    await groupBy(page, "Op");
    await page.locator("[data-row='0'] [data-column='0']").focus();
    await page.keyboard.press("Enter");
    await page.locator(".op-hlo").first().waitFor();
  },
  "an op's graph": async (page) => {
    await page.locator(".op-panel").getByRole("button", { name: "Graph", exact: true }).click();
    await page.locator(".graph .scene rect").first().waitFor();
  },
  "keyboard in the graph, with its tooltip": async (page) => {
    await page.locator(".graph .scene").focus();
    await page.keyboard.press("ArrowDown");
    await page.locator(".tip").waitFor();
  },
  "an op's graph as a table": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator("#graph-menu-button").click();
    await page.getByRole("menuitem", { name: "Show as a table" }).click();
    await page.locator(".graph .chart-table td").first().waitFor();
  },
  "save menu": async (page) => {
    await page.getByRole("button", { name: "Close the graph" }).click();
    // Esc would first hide a tooltip, so the panel is closed with its button.
    await page.locator(".op-panel").getByRole("button", { name: "Close" }).click();
    await page.locator("#save-button").click();
    await page.locator("#save").getByRole("menuitem").first().waitFor();
  },
  "column list": async (page) => {
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
  "steps": async (page) => {
    await page.getByRole("button", { name: "Steps", exact: true }).click();
    await page.locator(".spread").waitFor();
  },
  "devices": async (page) => {
    await page.getByRole("button", { name: "Devices", exact: true }).click();
    await page.locator(".scene").waitFor();
  },
  "non-compute, a category and opcodes opened": async (page) => {
    await page.getByRole("button", { name: "Non-compute", exact: true }).click();
    await page.locator(".data-movement .tree-name").first().click();
    await page.locator(".data-movement .tree-group + *").first().waitFor();
    await page.locator(".data-movement-program summary").first().click();
  },
  "how non-compute is computed": async (page) => {
    await page.locator("#how-data-movement-button").click();
    await page.locator("#how-data-movement").waitFor();
  },
  "roofline, a mark told": async (page) => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("3");
    await page.locator(".roofline-canvas [fill='var(--k-compute)']").first().waitFor();
    await page.locator(".roofline .scene").focus();
    await page.keyboard.press("ArrowRight");
    await page.locator(".tip").waitFor();
    await page.keyboard.press("+");
  },
  "other peaks": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator("#peaks-button").click();
    await page.locator("#peaks input").first().waitFor();
  },
  "what kernels cost": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator("#kernels-button").click();
    await page.locator("#kernels").getByRole("button", { name: "Add" }).click();
    await page.locator("#kernels .bad").waitFor();
  },
  "what a step has to compute": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator("#useful-button").click();
    await page.locator("#useful input").first().waitFor();
  },
  "roofline by step, as a table": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator(".table-tools").getByRole("button", { name: "Steps", exact: true }).click();
    await page.locator("#roofline-menu-button").click();
    await page.getByRole("menuitem", { name: "Show as a table" }).click();
    await page.locator(".roofline .chart-table td").first().waitFor();
  },
  "memory, a buffer left out": async (page) => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.keyboard.press("4");
    await page.locator(".memory > .empty, .map-canvas .scene rect").first().waitFor();
    // Without a program's memory, the view shows only which data it requires.
    if (await page.locator(".memory > .empty").count()) return;
    await page.locator(".map-canvas .scene rect").first().click();
    await page.locator(".what-if").waitFor();
  },
  "communication, a span told": async (page) => {
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
  "mesh and topology": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator("#wiring-button").click();
    await page.locator("#wiring").getByLabel("Chips").fill("4x");
    await page.locator("#wiring").getByLabel("Chips").press("Enter");
    await page.locator("#wiring .bad").waitFor();
  },
  "bandwidth, flags and devices": async (page) => {
    await page.keyboard.press("Escape");
    for (const [pane, there] of [["Flags", ".found"], ["Devices", ".found"], ["Bandwidth", ".comm-bandwidth .scene"]]) {
      await page.locator(".comm-pane").getByRole("button", { name: pane, exact: true }).click();
      await page.locator(`.comm-pane ${there}`).waitFor();
    }
  },
  "copies, who comes last": async (page) => {
    await page.getByRole("button", { name: "Copies", exact: true }).click();
    await page.locator(".comm > .empty, .comm-pane .segmented").first().waitFor();
    if (await page.locator(".comm > .empty").count()) return;
    await page.locator(".comm-pane").getByRole("button", { name: "Devices", exact: true }).click();
    await page.locator(".comm-pane .found").waitFor();
  },
  "zoomed into a scope": async (page) => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("2");
    await page.getByRole("button", { name: "Scopes", exact: true }).click();
    await page.locator(".scene").focus();
    await page.keyboard.press("ArrowDown");
    await page.locator(".tip").waitFor();
    await page.evaluate(() => (location.hash += "&zoom=jit(train_step)"));
    await page.locator(".crumbs").waitFor();
  },
  "filtered by kind and text": async (page) => {
    await page.locator(".part-name").first().click();
    await page.locator("#filter").fill("dot");
    await until(() => page.locator("#filter-status").innerText(), (said) => said !== "");
  },
  "nothing matches": async (page) => {
    await page.locator("#filter").fill("nothing like it");
    await page.locator(".none").waitFor();
  },
  "an expression that is none": async (page) => {
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
  "notes, of a partial file": async (page) => {
    await page.keyboard.press("Escape");
    await drop(page, cut(synth(), 0.7));
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
    await page.locator("#step").getByRole("listbox").waitFor();
  },
  "file picker": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator("#capture-button").click();
    await page.locator("#capture").waitFor();
  },
  "how it is computed": async (page) => {
    await page.keyboard.press("Escape");
    await page.locator("#how-hero-button").click();
    await page.locator("#how-hero").waitFor();
  },
  "the file's planes and text": async (page) => {
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "File" }).click();
    await page.locator(".code-line code").first().waitFor();
  },
  "a plane opened, something found": async (page) => {
    await page.locator(".file-planes .tree-name").first().click();
    await page.locator(".file-planes .leaf").first().waitFor();
    await page.locator("#find").fill("fusion");
    await page.locator(".code-line.at").waitFor();
  },
  "an expression that is none, in the text": async (page) => {
    await page.locator(".file-tools").getByRole("button", { name: ".*", exact: true }).click();
    await page.locator("#find").fill("a(");
    await page.locator(".field.bad").waitFor();
  },
  "an op's panel beside the text": async (page) => {
    await page.locator("#find").fill("");
    await page.locator(".code-op").first().click();
    await page.locator(".op-hlo").first().waitFor();
  },
  "what leaves with a link": async (page) => {
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "Breakdown" }).click();
    await opened(page);
    await share(page);
    await page.getByText(/All texts included/).click();
    await page.locator(".share-preview section").first().waitFor();
  },
  "a link that is too long": async (page) => {
    await page.getByRole("slider", { name: "Detail" }).fill("100");
    await page.locator(".share-caution").waitFor();
  },
  "what leaves with an HTML file": async (page) => {
    await page.getByRole("tab", { name: "HTML file" }).click();
    await page.getByRole("radio", { name: /capture/ }).check();
    await page.locator(".share-rows").filter({ hasText: /\d/ }).waitFor();
  },
  "a summary": async (page) => {
    await page.getByRole("tab", { name: "Report file" }).click();
    await page.getByRole("radio", { name: /every op/ }).check();
    const report = await save(page, "axe.rooflight");
    await page.keyboard.press("Escape");
    await dropFiles(page, [report]);
    await page.locator(".strip.summary").waitFor();
    await opened(page);
  },
  "memory of a summary": async (page) => {
    await page.getByRole("tab", { name: "Memory" }).click();
    await page.getByRole("tabpanel", { name: /^Memory/ }).first().waitFor();
  },
  "files of a summary": async (page) => {
    await page.getByRole("tab", { name: "File" }).click();
    await page.getByText("A summary has no files").waitFor();
  },
  "an error beside what is open": async (page) => {
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "Breakdown" }).click();
    await dropFiles(page, [bad()]);
    await page.getByRole("alert").waitFor();
  },
  "no device time": async (page) => {
    await dropFiles(page, [hostOnly()]);
    await page.locator(".empty").first().waitFor();
  },
  "a program alone": async (page) => {
    if (!compiled) return;
    await dropFiles(page, [compiled]);
    await page.locator(".computations .program").first().click();
    await page.locator(".code-line.at").waitFor();
  },
  "a compiled op's graph": async (page) => {
    if (!compiled) return;
    await page.locator(".code-line.at ~ .code-line .code-op").first().click();
    await page.locator(".op-panel").getByRole("button", { name: "Graph", exact: true }).click();
    await page.locator(".graph .scene rect").first().waitFor();
  },
  "why programs alone have no breakdown": async (page) => {
    if (!compiled) return;
    await page.evaluate(() => (location.hash = "v=1"));
    await page.locator(".empty").first().waitFor();
  },
};

for (const [width, height] of [[1440, 900], [390, 844]]) {
  onPage(`axe finds no violation: ${width} × ${height}`, { width, height, timeout: 600_000 }, async ({ page }) => {
    const found = [];
    for (const [state, reach] of Object.entries(STATES)) {
      await reach(page);
      for (const theme of ["light", "dark"]) {
        for (const { id, nodes } of await violations(page, theme)) {
          found.push(`${state}, ${theme}: ${id}: ${nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}: ${nodes[0].failureSummary.split("\n")[1]?.trim()}`);
        }
      }
    }
    assert.deepEqual(found, []);
  });
}
