// Tests the graph of an op: the drawn neighbours must be the op's operands and users in the program; the graph can be
// walked, expanded, zoomed, dragged and saved.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { program, synth, tpu } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { opened, pickFiles, reload, until } from "./lib.mjs";
import { opPanel } from "./reading.mjs";

const title = (page) => opPanel(page).getByRole("heading", { level: 2 });
const told = (page, name) => until(() => title(page).innerText(), (is) => is === name);
const graph = (page) => page.getByRole("region", { name: "Graph", exact: true });
const scene = (page) => graph(page).locator("svg.scene");
/** The names on the nodes. The middle of a long name is replaced by "…". */
const nodes = (page) => scene(page).locator("text.mono.dense").allTextContents();
const rects = (page) => scene(page).locator("rect").count();
/** The visible part of the drawing: x, y, width, height. */
const box = async (page) => (await scene(page).getAttribute("viewBox")).split(" ").map(Number);
/** Whether the text on a node, which may be shortened with "…", can be the name. */
const names = (written, name) => {
  const [start, end = ""] = written.split("…");
  return written.includes("…") ? name.startsWith(start) && name.endsWith(end) : written === name;
};
const drawn = async (page, name) => (await nodes(page)).some((written) => names(written, name));
/** Returns the neighbours that the panel lists, as [role, name]. */
const listed = (page) =>
  opPanel(page).locator(".op-hops li").evaluateAll((all) => all.map((one) => [one.querySelector(".sub").textContent, one.querySelector("button").textContent.trim()]));
/** Waits for the graph around an op. */
const around = (page, name) => until(() => scene(page).getAttribute("aria-label"), (label) => label?.startsWith(`Around ${name}: `));
/** The description of the node that the keyboard is on: the part of the chart's label after "users below". */
const on = async (page) => (await scene(page).getAttribute("aria-label")).split("users below")[1];

async function menu(page, entry) {
  await graph(page).getByRole("button", { name: "Save or show this chart" }).click();
  await page.getByRole("menuitem", { name: entry }).click();
}

/** Returns the edges that the chart's table lists, as [from, to, data that flows]. */
async function edges(page) {
  await menu(page, "Show as a table");
  const rows = await graph(page).locator(".chart-table tbody tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  await menu(page, "Show as a picture");
  await scene(page).waitFor();
  return rows;
}

/** Opens the real capture, the panel of an op and its graph. */
async function start(page, name = "copy-done.2") {
  await pickFiles(page, [tpu()]);
  await opened(page);
  await page.locator("[data-row]").getByText(name, { exact: true }).click();
  await told(page, name);
  await opPanel(page).getByRole("button", { name: "Graph", exact: true }).click();
  await around(page, name);
}

onPage("around an op are its operands and users; a click walks, the browser's Back returns", { needs: tpu() }, async ({ page }) => {
  await start(page);
  const all = await listed(page);
  assert.deepEqual(all, [["operand", "copy-start.2"], ["user", "broadcast_add_fusion.1"]]);
  for (const [, name] of all) assert.ok(await drawn(page, name), name);
  assert.ok(await drawn(page, "copy-done.2"));
  await until(() => page.url(), (url) => /op=copy-done\.2@\d+&graph=1/.test(url));

  // Operands are drawn above the op, users below.
  const y = async (name) => {
    const at = (await nodes(page)).findIndex((written) => names(written, name));
    return (await scene(page).locator("text.mono.dense").nth(at).boundingBox()).y;
  };
  assert.ok((await y("copy-start.2")) < (await y("copy-done.2")) && (await y("copy-done.2")) < (await y("broadcast_add_fusion.1")));

  const user = (await nodes(page)).find((written) => names(written, "broadcast_add_fusion.1"));
  const node = await scene(page).getByText(user, { exact: true }).boundingBox();
  await page.mouse.click(node.x + 10, node.y + 5);
  await told(page, "broadcast_add_fusion.1");
  await around(page, "broadcast_add_fusion.1");
  await until(() => page.url(), (url) => /op=broadcast_add_fusion\.1@\d+&graph=1/.test(url));
  await until(() => listed(page), (of) => of.some(([, name]) => name === "copy-done.2"));
  for (const [, name] of await listed(page)) assert.ok(await drawn(page, name), name);
  await page.goBack();
  await told(page, "copy-done.2");
  await around(page, "copy-done.2");
});

onPage("by keyboard: arrows to a fusion, Space opens and closes its inside, Enter goes there", { needs: tpu() }, async ({ page }) => {
  await start(page);
  await scene(page).focus();
  await page.keyboard.press("ArrowDown");
  await until(() => on(page), (is) => is.includes("copy-done.2"));
  await page.keyboard.press("ArrowDown");
  const inside = Number(/, (\d+) instructions inside/.exec(await until(() => on(page), (is) => is.includes("broadcast_add_fusion.1")))[1]);
  const [before, many] = [await nodes(page), await rects(page)];
  await page.keyboard.press("Space");
  await until(async () => (await nodes(page)).length, (n) => n === before.length + inside);
  assert.ok((await rects(page)) >= many + inside, "each has its own rectangle");
  assert.match(await on(page), /opened/);
  const open = await nodes(page);
  await page.keyboard.press("Space");
  await until(async () => (await nodes(page)).length, (n) => n === before.length);
  assert.equal(await rects(page), many);
  // The nodes inside were the instructions that the fusion's own panel lists.
  await page.keyboard.press("Enter");
  await told(page, "broadcast_add_fusion.1");
  await opPanel(page).locator("summary", { hasText: "Fused computation" }).click();
  const lines = (await opPanel(page).locator("details details pre").innerText()).split("\n");
  const fused = lines.map((line) => /^\s*(?:ROOT )?%?(\S+) = /.exec(line)[1]);
  assert.equal(fused.length, inside);
  for (const name of fused) assert.ok(open.some((written) => names(written, name)), name);
});

onPage("by mouse: plus on a fusion opens it, minus closes it", { needs: tpu() }, async ({ page }) => {
  await start(page);
  const many = (await nodes(page)).length;
  // The sign is in the upper right corner of the node. The only `line` elements of the drawing belong to such signs.
  const press = async () => {
    const sign = await scene(page).locator("line").first().boundingBox();
    await page.mouse.click(sign.x + sign.width / 2, sign.y + 1);
  };
  await press();
  await until(async () => (await nodes(page)).length, (n) => n > many);
  assert.equal(await title(page).innerText(), "copy-done.2", "that is no step to another op");
  await press();
  await until(async () => (await nodes(page)).length, (n) => n === many);
});

onPage("keys, buttons and wheel zoom, a hand moves it, Fit shows all again", { needs: tpu() }, async ({ page }) => {
  await start(page);
  const near = (is, wanted) => assert.ok(is.every((value, i) => Math.abs(value - wanted[i]) < 1), `${is} is not ${wanted}`);
  const all = await box(page);
  const [x, y, width, height] = all;
  const zoomed = (by) => [x + (width - width / by) / 2, y + (height - height / by) / 2, width / by, height / by];
  await scene(page).focus();
  for (const [press, by] of [
    [() => page.keyboard.press("+"), 1.25],
    [() => page.keyboard.press("0"), 1],
    [() => page.keyboard.press("-"), 0.8],
    [() => graph(page).getByRole("button", { name: "Fit" }).click(), 1],
    [() => graph(page).getByRole("button", { name: "Zoom in" }).click(), 1.25],
    [() => graph(page).getByRole("button", { name: "Zoom out" }).click(), 1],
  ]) {
    await press();
    near(await until(() => box(page), (now) => Math.abs(now[2] - width / by) < 1), zoomed(by));
  }
  // The wheel zooms around the point under the pointer.
  const frame = await scene(page).boundingBox();
  const [px, py] = [80, 60];
  await page.mouse.move(frame.x + px, frame.y + py);
  await page.mouse.wheel(0, -300);
  const near1 = await until(() => box(page), (now) => now[2] < width - 1);
  const under = ([x, y, w]) => [x + (px * w) / frame.width, y + (py * w) / frame.width];
  near(under(near1), under(all));
  await page.mouse.wheel(0, 300);
  near(await until(() => box(page), (now) => now[2] > width - 1), all);

  await page.mouse.down();
  await page.mouse.move(frame.x + px + 40, frame.y + py + 30);
  await page.mouse.move(frame.x + px + 110, frame.y + py + 70);
  await page.mouse.up();
  const scale = frame.width / width;
  near(await until(() => box(page), (now) => now[0] !== x), [x - 110 / scale, y - 70 / scale, width, height]);
  // A drag that begins on a node also moves the drawing and is no click.
  const node = await scene(page).getByText("copy-start.2", { exact: true }).boundingBox();
  await page.mouse.move(node.x + 5, node.y + 5);
  await page.mouse.down();
  await page.mouse.move(node.x + 60, node.y + 5, { steps: 4 });
  await page.mouse.up();
  near(await until(() => box(page), (now) => now[0] < x - 111 / scale), [x - 165 / scale, y - 70 / scale, width, height]);
  assert.equal(await title(page).innerText(), "copy-done.2");
  await scene(page).focus();
  await page.keyboard.press("0");
  near(await until(() => box(page), (now) => Math.abs(now[0] - x) < 1), all);
});

onPage("the address keeps it: a reload shows it again; Esc closes the graph, then the panel", { needs: tpu() }, async ({ page }) => {
  await start(page);
  await until(() => page.url(), (url) => url.includes("graph=1"));
  const before = await nodes(page);
  await reload(page);
  assert.equal(await graph(page).count(), 0, "nothing is open");
  await pickFiles(page, [tpu()]);
  await opened(page);
  await around(page, "copy-done.2");
  await told(page, "copy-done.2");
  assert.deepEqual(await nodes(page), before);
  await page.mouse.move(2, 2);
  await page.keyboard.press("Escape");
  await graph(page).waitFor({ state: "detached" });
  assert.equal(await title(page).innerText(), "copy-done.2");
  assert.equal(await page.evaluate(() => document.activeElement.id), "op-name");
  await until(() => page.url(), (url) => !url.includes("graph=1"));
  await page.keyboard.press("Escape");
  await opPanel(page).waitFor({ state: "detached" });
  assert.ok(await page.getByRole("grid").isVisible());
});

onPage("saved as a picture it names the op; as a table it lists its edges", { needs: tpu() }, async ({ page }) => {
  await start(page);
  const [download] = await Promise.all([page.waitForEvent("download"), menu(page, "Save SVG")]);
  assert.equal(download.suggestedFilename(), "host graph.svg");
  const svg = readFileSync(await download.path(), "utf8");
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.match(svg, />copy-done\.2</);
  assert.doesNotMatch(svg, /var\(--/, "colours are those of the page");
  const rows = await edges(page);
  const hlo = await opPanel(page).locator(".op-hlo").first().innerText();
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
  const open = call.indexOf("(", shape);
  const inside = call.slice(open, end(open) + 1);
  return [...inside.matchAll(/%([\w.-]+)/g)].map((found) => found[1]);
}

onPage("in a large program, too, its edges are those of the text", { needs: program() }, async ({ page }) => {
  await pickFiles(page, [program()]);
  await page.locator(".code-line code").first().waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save text" }).click()]);
  const lines = readFileSync(await download.path(), "utf8").split("\n");
  // Only the entry computation is compared, because each name occurs there once.
  const entry = lines.slice(lines.findIndex((line) => line.startsWith("ENTRY")));
  const takes = new Map(entry.filter((line) => / = /.test(line)).map((line) => [/^\s*(?:ROOT )?%?(\S+) = /.exec(line)[1], operands(line)]));
  const users = (name) => [...takes].filter(([, of]) => of.includes(name)).map(([user]) => user);
  const some = [...takes].filter(([name, of]) => /fusion/.test(name) && of.length >= 3 && of.length <= 6 && new Set(of).size === of.length && users(name).length >= 2 && users(name).length <= 5);
  assert.ok(some.length >= 3, `${some.length} of ${takes.size}`);
  for (const [name, of] of some.slice(0, 3)) {
    await page.evaluate((name) => (location.hash = `v=1&view=file&op=${encodeURIComponent(`${name}@#0`)}&graph=1`), name);
    await told(page, name);
    await around(page, name);
    const rows = await edges(page);
    assert.deepEqual(rows.filter(([, to, flows]) => to === name && flows !== "runs before it").map(([from]) => from).sort(), [...of].sort(), `operands of ${name}`);
    assert.deepEqual(rows.filter(([from, , flows]) => from === name && flows !== "runs before it").map(([, to]) => to).sort(), users(name).sort(), `users of ${name}`);
    for (const other of [...of, ...users(name)]) assert.ok(await drawn(page, other), `${other} beside ${name}`);
  }
});

onPage("by keyboard one walks on from where one went: the graph keeps the focus", { needs: tpu() }, async ({ page }) => {
  await start(page);
  await scene(page).focus();
  let from = "copy-done.2";
  for (const name of ["broadcast_add_fusion.1", "copy-start.3", "copy-done.3"]) {
    // The first arrow goes to the op in the middle, the second to the node below it.
    for (const to of [from, name]) {
      await page.keyboard.press("ArrowDown");
      await until(() => on(page), (is) => is.includes(to));
    }
    await page.keyboard.press("Enter");
    await told(page, name);
    await around(page, name);
    from = name;
  }
  assert.ok(await page.evaluate(() => document.activeElement.matches(".graph .scene")));
});

onPage("another file has neither the panel nor the graph of the one before", { needs: tpu() }, async ({ page }) => {
  await start(page);
  await pickFiles(page, [synth()]);
  await opPanel(page).waitFor({ state: "detached" });
  await opened(page);
  await page.locator("[data-row='0'] [data-column='0']").focus();
  await page.keyboard.press("Enter");
  await opPanel(page).locator(".op-hlo").first().waitFor();
  assert.equal(await graph(page).count(), 0);
  assert.doesNotMatch(page.url(), /graph=1/);
});
