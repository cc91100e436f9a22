// Tests the graph of an op: the drawn neighbours must be the op's operands and users in the program; a click or a
// key selects a neighbour; the graph can be expanded, zoomed, dragged and saved.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { compiledProgram, synth, tpu } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { pickFiles, reload, waitForTable, waitUntil } from "./lib.mjs";
import { opPanel } from "./page_helpers.mjs";

const opTitle = (page) => opPanel(page).getByRole("heading", { level: 2 });
const waitForOp = (page, name) => waitUntil(() => opTitle(page).innerText(), (text) => text === name);
const graph = (page) => page.getByRole("region", { name: "Graph", exact: true });
const scene = (page) => graph(page).locator("svg.scene");
/** The names on the nodes. The middle of a long name is replaced by "…". */
const nodeNames = (page) => scene(page).locator("text.mono.dense").allTextContents();
const rectCount = (page) => scene(page).locator("rect").count();
/** The visible part of the drawing: x, y, width, height. */
const viewBox = async (page) => (await scene(page).getAttribute("viewBox")).split(" ").map(Number);
/** Whether the text on a node, which may be shortened with "…", can be the name. */
const matchesName = (shown, name) => {
  const [start, end = ""] = shown.split("…");
  return shown.includes("…") ? name.startsWith(start) && name.endsWith(end) : shown === name;
};
const isDrawn = async (page, name) => (await nodeNames(page)).some((shown) => matchesName(shown, name));
/** Returns the neighbours that the panel lists, as [role, name]. */
const listedNeighbours = (page) =>
  opPanel(page).locator(".op-hops li").evaluateAll((items) => items.map((item) => [item.querySelector(".sub").textContent, item.querySelector("button").textContent.trim()]));
/** Waits for the graph around an op. The graph is drawn before its size is measured; until then its visible part is empty. */
const waitForGraph = async (page, name) => {
  await waitUntil(() => scene(page).getAttribute("aria-label"), (label) => label?.startsWith(`Around ${name}: `));
  await waitUntil(() => viewBox(page), ([, , width]) => width > 0);
};
/** The description of the node that the keyboard is on: the part of the chart's label after "users below". */
const focusedNodeLabel = async (page) => (await scene(page).getAttribute("aria-label")).split("users below")[1];

async function chooseMenuEntry(page, entry) {
  await graph(page).getByRole("button", { name: "Save or show this chart" }).click();
  await page.getByRole("menuitem", { name: entry }).click();
}

/** Returns the edges that the chart's table lists, as [from, to, data that flows]. */
async function edgeRows(page) {
  await chooseMenuEntry(page, "Show as a table");
  const rows = await graph(page).locator(".chart-table tbody tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  await chooseMenuEntry(page, "Show as a picture");
  await scene(page).waitFor();
  return rows;
}

/** Opens the real capture, the panel of an op and its graph. */
async function openGraph(page, name = "copy-done.2") {
  await pickFiles(page, [tpu()]);
  await waitForTable(page);
  await page.locator("[data-row]").getByText(name, { exact: true }).click();
  await waitForOp(page, name);
  await opPanel(page).getByRole("button", { name: "Graph", exact: true }).click();
  await waitForGraph(page, name);
}

onPage("the graph shows the operands and users of an op, a click selects a neighbour, and the browser's Back returns", { needs: tpu() }, async ({ page }) => {
  await openGraph(page);
  const neighbours = await listedNeighbours(page);
  assert.deepEqual(neighbours, [["operand", "copy-start.2"], ["user", "broadcast_add_fusion.1"]]);
  for (const [, name] of neighbours) assert.ok(await isDrawn(page, name), name);
  assert.ok(await isDrawn(page, "copy-done.2"));
  await waitUntil(() => page.url(), (url) => /op=copy-done\.2@\d+&graph=1/.test(url));

  // Operands are drawn above the op, users below.
  const nodeTop = async (name) => {
    const index = (await nodeNames(page)).findIndex((shown) => matchesName(shown, name));
    return (await scene(page).locator("text.mono.dense").nth(index).boundingBox()).y;
  };
  assert.ok((await nodeTop("copy-start.2")) < (await nodeTop("copy-done.2")) && (await nodeTop("copy-done.2")) < (await nodeTop("broadcast_add_fusion.1")));

  const user = (await nodeNames(page)).find((shown) => matchesName(shown, "broadcast_add_fusion.1"));
  const node = await scene(page).getByText(user, { exact: true }).boundingBox();
  await page.mouse.click(node.x + 10, node.y + 5);
  await waitForOp(page, "broadcast_add_fusion.1");
  await waitForGraph(page, "broadcast_add_fusion.1");
  await waitUntil(() => page.url(), (url) => /op=broadcast_add_fusion\.1@\d+&graph=1/.test(url));
  await waitUntil(() => listedNeighbours(page), (list) => list.some(([, name]) => name === "copy-done.2"));
  for (const [, name] of await listedNeighbours(page)) assert.ok(await isDrawn(page, name), name);
  await page.goBack();
  await waitForOp(page, "copy-done.2");
  await waitForGraph(page, "copy-done.2");
});

onPage("arrow keys reach a fusion, Space expands and collapses it, and Enter selects it", { needs: tpu() }, async ({ page }) => {
  await openGraph(page);
  await scene(page).focus();
  await page.keyboard.press("ArrowDown");
  await waitUntil(() => focusedNodeLabel(page), (label) => label.includes("copy-done.2"));
  await page.keyboard.press("ArrowDown");
  const insideCount = Number(/, (\d+) instructions inside/.exec(await waitUntil(() => focusedNodeLabel(page), (label) => label.includes("broadcast_add_fusion.1")))[1]);
  const [nodesBefore, rectsBefore] = [await nodeNames(page), await rectCount(page)];
  await page.keyboard.press("Space");
  await waitUntil(async () => (await nodeNames(page)).length, (n) => n === nodesBefore.length + insideCount);
  assert.ok((await rectCount(page)) >= rectsBefore + insideCount, "each instruction has its own rectangle");
  assert.match(await focusedNodeLabel(page), /opened/);
  const openedNodes = await nodeNames(page);
  await page.keyboard.press("Space");
  await waitUntil(async () => (await nodeNames(page)).length, (n) => n === nodesBefore.length);
  assert.equal(await rectCount(page), rectsBefore);
  // The nodes inside were the instructions that the fusion's own panel lists.
  await page.keyboard.press("Enter");
  await waitForOp(page, "broadcast_add_fusion.1");
  await opPanel(page).locator("summary", { hasText: "Fused computation" }).click();
  const lines = (await opPanel(page).locator("details details pre").innerText()).split("\n");
  const fusedNames = lines.map((line) => /^\s*(?:ROOT )?%?(\S+) = /.exec(line)[1]);
  assert.equal(fusedNames.length, insideCount);
  for (const name of fusedNames) assert.ok(openedNodes.some((shown) => matchesName(shown, name)), name);
});

onPage("a click on the plus sign of a fusion expands it, and a click on the minus sign collapses it", { needs: tpu() }, async ({ page }) => {
  await openGraph(page);
  const countBefore = (await nodeNames(page)).length;
  // The sign is in the upper right corner of the node. The only `line` elements of the drawing belong to such signs.
  const clickSign = async () => {
    const sign = await scene(page).locator("line").first().boundingBox();
    await page.mouse.click(sign.x + sign.width / 2, sign.y + 1);
  };
  await clickSign();
  await waitUntil(async () => (await nodeNames(page)).length, (n) => n > countBefore);
  assert.equal(await opTitle(page).innerText(), "copy-done.2", "the graph stays at the same op");
  await clickSign();
  await waitUntil(async () => (await nodeNames(page)).length, (n) => n === countBefore);
});

onPage("keys, buttons and the wheel zoom the graph, a drag moves it, and Fit shows all of it", { needs: tpu() }, async ({ page }) => {
  await openGraph(page);
  const assertClose = (actual, expected) => assert.ok(actual.every((value, i) => Math.abs(value - expected[i]) < 1), `${actual} is not ${expected}`);
  const wholeBox = await viewBox(page);
  const [x, y, width, height] = wholeBox;
  const zoomedBox = (factor) => [x + (width - width / factor) / 2, y + (height - height / factor) / 2, width / factor, height / factor];
  await scene(page).focus();
  for (const [action, factor] of [
    [() => page.keyboard.press("+"), 1.25],
    [() => page.keyboard.press("0"), 1],
    [() => page.keyboard.press("-"), 0.8],
    [() => graph(page).getByRole("button", { name: "Fit" }).click(), 1],
    [() => graph(page).getByRole("button", { name: "Zoom in" }).click(), 1.25],
    [() => graph(page).getByRole("button", { name: "Zoom out" }).click(), 1],
  ]) {
    await action();
    assertClose(await waitUntil(() => viewBox(page), (box) => Math.abs(box[2] - width / factor) < 1), zoomedBox(factor));
  }
  // The wheel zooms around the point under the pointer.
  const frame = await scene(page).boundingBox();
  const [px, py] = [80, 60];
  await page.mouse.move(frame.x + px, frame.y + py);
  await page.mouse.wheel(0, -300);
  const zoomedIn = await waitUntil(() => viewBox(page), (box) => box[2] < width - 1);
  const pointUnder = ([x, y, w]) => [x + (px * w) / frame.width, y + (py * w) / frame.width];
  assertClose(pointUnder(zoomedIn), pointUnder(wholeBox));
  await page.mouse.wheel(0, 300);
  assertClose(await waitUntil(() => viewBox(page), (box) => box[2] > width - 1), wholeBox);

  await page.mouse.down();
  await page.mouse.move(frame.x + px + 40, frame.y + py + 30);
  await page.mouse.move(frame.x + px + 110, frame.y + py + 70);
  await page.mouse.up();
  const scale = frame.width / width;
  assertClose(await waitUntil(() => viewBox(page), (box) => box[0] !== x), [x - 110 / scale, y - 70 / scale, width, height]);
  // A drag that begins on a node also moves the drawing and is no click.
  const node = await scene(page).getByText("copy-start.2", { exact: true }).boundingBox();
  await page.mouse.move(node.x + 5, node.y + 5);
  await page.mouse.down();
  await page.mouse.move(node.x + 60, node.y + 5, { steps: 4 });
  await page.mouse.up();
  assertClose(await waitUntil(() => viewBox(page), (box) => box[0] < x - 111 / scale), [x - 165 / scale, y - 70 / scale, width, height]);
  assert.equal(await opTitle(page).innerText(), "copy-done.2");
  await scene(page).focus();
  await page.keyboard.press("0");
  assertClose(await waitUntil(() => viewBox(page), (box) => Math.abs(box[0] - x) < 1), wholeBox);
});

onPage("a reload restores the graph from the URL, and Esc closes the graph and then the panel", { needs: tpu() }, async ({ page }) => {
  await openGraph(page);
  await waitUntil(() => page.url(), (url) => url.includes("graph=1"));
  const before = await nodeNames(page);
  await reload(page);
  assert.equal(await graph(page).count(), 0, "no graph is open before the file is");
  await pickFiles(page, [tpu()]);
  await waitForTable(page);
  await waitForGraph(page, "copy-done.2");
  await waitForOp(page, "copy-done.2");
  assert.deepEqual(await nodeNames(page), before);
  await page.mouse.move(2, 2);
  await page.keyboard.press("Escape");
  await graph(page).waitFor({ state: "detached" });
  assert.equal(await opTitle(page).innerText(), "copy-done.2");
  assert.equal(await page.evaluate(() => document.activeElement.id), "op-name");
  await waitUntil(() => page.url(), (url) => !url.includes("graph=1"));
  await page.keyboard.press("Escape");
  await opPanel(page).waitFor({ state: "detached" });
  assert.ok(await page.getByRole("grid").isVisible());
});

onPage("the saved SVG names the op, and the table lists the edges", { needs: tpu() }, async ({ page }) => {
  await openGraph(page);
  const [download] = await Promise.all([page.waitForEvent("download"), chooseMenuEntry(page, "Save SVG")]);
  assert.equal(download.suggestedFilename(), "host graph.svg");
  const svg = readFileSync(await download.path(), "utf8");
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.match(svg, />copy-done\.2</);
  assert.doesNotMatch(svg, /var\(--/, "the SVG has no CSS variables");
  const rows = await edgeRows(page);
  const hlo = await opPanel(page).locator(".panel-hlo").first().innerText();
  const operand = /copy-done\(\((.*)\) %(\S+)\)/.exec(hlo);
  assert.deepEqual(rows.filter(([, to]) => to === "copy-done.2").map(([from]) => from), [operand[2]]);
  assert.deepEqual(rows.filter(([from]) => from === "copy-done.2").map(([, to]) => to), ["broadcast_add_fusion.1"]);
  assert.match(rows.find(([, to]) => to === "broadcast_add_fusion.1")[2], /^operand \d+, f32\[5,1024,1024,256\], 5\.0 GiB$/);
});

/** Returns the names of the operands in a line of HLO text: the names between the brackets after the opcode. */
function operands(line) {
  const call = /^\s*(?:ROOT )?%?\S+ = (.*)$/.exec(line)?.[1] ?? "";
  let depth = 0;
  const end = (from) => {
    for (let i = from; i < call.length; i += 1) {
      if ("({[".includes(call[i])) depth += 1;
      if (")}]".includes(call[i])) depth -= 1;
      if (depth === 0 && (call[i] === " " || call[i] === ")")) return i;
    }
    return call.length;
  };
  const shape = call.startsWith("(") ? end(0) + 1 : end(0);
  const openBracket = call.indexOf("(", shape);
  const argumentText = call.slice(openBracket, end(openBracket) + 1);
  return [...argumentText.matchAll(/%([\w.-]+)/g)].map((found) => found[1]);
}

onPage("the edges in a large program equal the operands in its text", { needs: compiledProgram() }, async ({ page }) => {
  await pickFiles(page, [compiledProgram()]);
  await page.locator(".code-line code").first().waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save text" }).click()]);
  const lines = readFileSync(await download.path(), "utf8").split("\n");
  // Only the entry computation is compared, because each name occurs there once.
  const entry = lines.slice(lines.findIndex((line) => line.startsWith("ENTRY")));
  const operandsByName = new Map(entry.filter((line) => / = /.test(line)).map((line) => [/^\s*(?:ROOT )?%?(\S+) = /.exec(line)[1], operands(line)]));
  const users = (name) => [...operandsByName].filter(([, operandNames]) => operandNames.includes(name)).map(([user]) => user);
  const candidates = [...operandsByName].filter(([name, operandNames]) => /fusion/.test(name) && operandNames.length >= 3 && operandNames.length <= 6 && new Set(operandNames).size === operandNames.length && users(name).length >= 2 && users(name).length <= 5);
  assert.ok(candidates.length >= 3, `${candidates.length} candidates of ${operandsByName.size} instructions`);
  for (const [name, operandNames] of candidates.slice(0, 3)) {
    await page.evaluate((name) => (location.hash = `v=1&view=file&op=${encodeURIComponent(`${name}@#0`)}&graph=1`), name);
    await waitForOp(page, name);
    await waitForGraph(page, name);
    const rows = await edgeRows(page);
    assert.deepEqual(rows.filter(([, to, data]) => to === name && data !== "runs before it").map(([from]) => from).sort(), [...operandNames].sort(), `operands of ${name}`);
    assert.deepEqual(rows.filter(([from, , data]) => from === name && data !== "runs before it").map(([, to]) => to).sort(), users(name).sort(), `users of ${name}`);
    for (const neighbour of [...operandNames, ...users(name)]) assert.ok(await isDrawn(page, neighbour), `${neighbour} is drawn beside ${name}`);
  }
});

onPage("the graph keeps the focus after Enter selects a neighbour", { needs: tpu() }, async ({ page }) => {
  await openGraph(page);
  await scene(page).focus();
  let from = "copy-done.2";
  for (const name of ["broadcast_add_fusion.1", "copy-start.3", "copy-done.3"]) {
    // The first arrow goes to the op in the middle, the second to the node below it.
    for (const to of [from, name]) {
      await page.keyboard.press("ArrowDown");
      await waitUntil(() => focusedNodeLabel(page), (label) => label.includes(to));
    }
    await page.keyboard.press("Enter");
    await waitForOp(page, name);
    await waitForGraph(page, name);
    from = name;
  }
  assert.ok(await page.evaluate(() => document.activeElement.matches(".graph .scene")));
});

onPage("another file opens without the panel and the graph of the previous file", { needs: tpu() }, async ({ page }) => {
  await openGraph(page);
  await pickFiles(page, [synth()]);
  await opPanel(page).waitFor({ state: "detached" });
  await waitForTable(page);
  await page.locator("[data-row='0'] [data-column='0']").focus();
  await page.keyboard.press("Enter");
  await opPanel(page).locator(".panel-hlo").first().waitFor();
  assert.equal(await graph(page).count(), 0);
  assert.doesNotMatch(page.url(), /graph=1/);
});
