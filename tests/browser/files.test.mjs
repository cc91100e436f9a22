// Tests the File view: figures, planes and lines must equal the command line's; the whole text of a program is shown
// and can be searched line by line; the URL keeps the place in the text; compiled programs open without a run.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { compiledProgram, synth, tpu } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, pickFiles, reload, requiredPath, waitForTable, waitUntil } from "./lib.mjs";
import { figures, opPanel } from "./page_helpers.mjs";

const inspect = (file) => JSON.parse(execFileSync(requiredPath("ROOFLIGHT_CLI"), ["inspect", "--json", file], { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }));
const formatCount = (n) => n.toLocaleString("en-US");
/** Formats a size in bytes with binary units and one decimal. */
function formatSize(n) {
  const [scale, unit] = [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]].find(([scale]) => n >= scale) ?? [1, "B"];
  return `${(n / scale).toLocaleString("en-US", { minimumFractionDigits: scale > 1 ? 1 : 0, maximumFractionDigits: 1 })} ${unit}`;
}

const tab = (page, name) => page.getByRole("tab", { name });
const planes = (page) => page.locator(".file-planes");
const programs = (page) => page.locator(".file-programs > .programs .program");
const code = (page) => page.locator(".code");
const findField = (page) => page.getByRole("textbox", { name: "Find in the text" });
const findStatus = (page) => page.locator(".find-status").innerText();
const opTitle = (page) => opPanel(page).getByRole("heading", { level: 2 });
/** The number of the current line, which a search or a link went to. */
const currentLine = async (page) => Number(await page.locator(".code-line.at .code-no").textContent());
/** Returns the texts of the cells of each row. */
const rowTexts = (locator) => locator.evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.replace(/\s+/g, " ").trim())));

/** Returns the lines in the document whose text has arrived, as [number, text]. */
const visibleLines = (page) =>
  page.locator(".code-line").evaluateAll((lines) => lines.flatMap((line) => (line.querySelector("code") ? [[Number(line.querySelector(".code-no").textContent), line.querySelector("code").textContent]] : [])));

async function openFileView(page, file) {
  await dropFiles(page, [file]);
  await waitForTable(page);
  await page.keyboard.press("8");
  await waitForLines(page);
}

/** Waits until every line in the document has its text. */
const waitForLines = (page) => waitUntil(async () => (await visibleLines(page)).length === (await page.locator(".code-line").count()) && (await visibleLines(page)).length > 0);

/** Saves the text with the button. Returns the name of the file and its lines. */
async function saveText(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save text" }).click()]);
  const text = readFileSync(await download.path(), "utf8");
  assert.ok(text.endsWith("\n"));
  return { name: download.suggestedFilename(), lines: text.split("\n").slice(0, -1) };
}

/** Returns the names of the instructions that a text defines, in order. */
const instructions = (lines) => lines.flatMap((line) => /^ +(?:ROOT )?%?(\S+) = /.exec(line)?.[1] ?? []);

/**
 * Asserts that the lines on screen equal the saved lines. Of a line over 4,000 characters, only the first 4,000 are
 * compared.
 */
async function assertLinesEqual(page, lines) {
  await waitForLines(page);
  for (const [number, text] of await visibleLines(page)) {
    const line = lines[number - 1];
    if (line.length > 4000) assert.equal(text.slice(0, 4000), line.slice(0, 4000), `line ${number}`);
    else assert.equal(text, line, `line ${number}`);
  }
}

for (const [kind, capture] of [["real", tpu], ["synthetic", synth]]) {
  onPage(`figures, planes and programs of a ${kind} capture equal the command line's`, { needs: capture() }, async ({ page }) => {
    await openFileView(page, capture());
    const report = inspect(capture());
    assert.deepEqual(await figures(page), {
      Size: formatSize(report.files[0].size_bytes),
      Files: "1",
      Planes: formatCount(report.planes.length),
      Lines: formatCount(report.planes.reduce((n, plane) => n + plane.lines.length, 0)),
      Events: formatCount(report.n_events_total),
      Programs: formatCount(report.programs.length),
    });
    const shownPlanes = (await rowTexts(planes(page).locator(".tree-group"))).map(([name, , events, bytes]) => [name, events, bytes]);
    assert.deepEqual(shownPlanes, report.planes.map((plane) => [plane.name, formatCount(plane.n_events), formatSize(plane.size_bytes)]));
    const shownPrograms = await programs(page).evaluateAll((all) => all.map((item) => item.querySelector(".mono").textContent));
    assert.deepEqual([...shownPrograms].sort(), report.programs.map((program) => program.name).sort());
    for (const program of report.programs) {
      const text = await programs(page).filter({ hasText: `id ${program.program_id}` }).innerText();
      assert.match(text.replace(/\s+/g, " "), new RegExp(`${program.name} .*${formatCount(program.n_executions)} executions?`));
      if (program.hlo_bytes) assert.ok(text.includes(`${formatSize(program.hlo_bytes)} of HLO`), text);
    }
  });
}

onPage("a plane opens by mouse and by keyboard and lists its lines and stats", { needs: tpu() }, async ({ page }) => {
  await openFileView(page, tpu());
  const plane = inspect(tpu()).planes[0];
  const body = planes(page).locator("tbody").first();
  const lineRows = () => body.locator("tr:not(.tree-group):not(.tree-more)");
  await body.getByRole("button", { name: plane.name }).click();
  const lines = (await rowTexts(lineRows())).map(([name, used, events, bytes]) => ({ name, used, events, bytes }));
  assert.deepEqual(
    lines.map(({ used, ...line }) => line),
    plane.lines.map((line) => ({ name: line.display_name || line.name, events: formatCount(line.n_events), bytes: formatSize(line.size_bytes) })),
  );
  for (const [i, line] of plane.lines.entries()) {
    assert.equal(/not used/i.test(lines[i].used), line.used_for === "not_used", lines[i].used);
    assert.equal(/device clock/.test(lines[i].used), line.device_clock, lines[i].used);
  }
  const details = (await body.locator(".tree-more").innerText()).replace(/\s+/g, " ");
  assert.ok(details.includes(`distinct ops ${plane.n_ops}`) && details.includes("device_type_string TPU v6 Lite"), details);
  // ArrowLeft closes the plane, ArrowDown goes to the next plane and ArrowRight opens that one.
  await page.keyboard.press("ArrowLeft");
  await waitUntil(() => lineRows().count(), (n) => n === 0);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await planes(page).locator("tbody").nth(1).locator(".leaf").first().waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-expanded")), "true");
});

onPage("the shown text of a program equals the saved text, and only lines near the view are in the document", { needs: compiledProgram() }, async ({ page }) => {
  await dropFiles(page, [compiledProgram()]);
  await waitForLines(page);
  const { name, lines } = await saveText(page);
  assert.match(name, /^jit_train_step.*\.txt$/);
  assert.ok(lines.length > 5000, `${lines.length} lines`);
  assert.match(lines[0], /^HloModule jit_train_step/);
  await assertLinesEqual(page, lines);
  const assertFewLines = async () => assert.ok((await page.locator(".code-line").count()) < 300, "only lines near the view are in the document");
  await assertFewLines();
  // The text is compared in the middle and at the end.
  for (const part of [0.37, 1]) {
    await code(page).evaluate((node, part) => (node.scrollTop = node.scrollHeight * part), part);
    const expectedLine = Math.max(1, Math.floor(lines.length * part) - 1);
    await waitUntil(async () => (await visibleLines(page)).some(([number]) => number === expectedLine));
    await assertLinesEqual(page, lines);
    await assertFewLines();
  }
  assert.ok((await visibleLines(page)).some(([number]) => number === lines.length), "the last line is in the document");
  // Each name in the text is also in the file, as field 1 of an instruction's message. Only one-byte lengths are
  // expected.
  const names = instructions(lines);
  const bytes = readFileSync(compiledProgram()).toString("latin1");
  const missing = names.filter((name) => !(name.length < 128 && bytes.includes(`\x0a${String.fromCharCode(name.length)}${name}`)));
  assert.deepEqual(missing, []);
  const head = await page.locator(".file-status").innerText();
  assert.ok(head.includes(`${formatCount(names.length)} instructions`) && head.includes(`${formatCount(lines.length)} lines`), head);
});

onPage("a search in the text finds every matching line, as plain text and as a regular expression", { needs: compiledProgram() }, async ({ page }) => {
  await dropFiles(page, [compiledProgram()]);
  await waitForLines(page);
  const { lines } = await saveText(page);
  const linesMatching = (expression) => lines.flatMap((line, i) => (expression.test(line) ? [i + 1] : []));
  const statusText = (n, i) => `${formatCount(i)} of ${formatCount(n)} lines`;

  await page.keyboard.press("/");
  await page.keyboard.type("all-reduce");
  const matches = linesMatching(/all-reduce/i);
  assert.ok(matches.length > 3);
  await waitUntil(() => findStatus(page), (status) => status === statusText(matches.length, 1));
  assert.equal(await currentLine(page), matches[0]);
  // Enter goes to the next match and Shift+Enter to the previous one. Both wrap around.
  await page.keyboard.press("Enter");
  await waitUntil(() => currentLine(page), (line) => line === matches[1]);
  assert.equal(await findStatus(page), statusText(matches.length, 2));
  await page.keyboard.press("Shift+Enter");
  await waitUntil(() => currentLine(page), (line) => line === matches[0]);
  await page.keyboard.press("Shift+Enter");
  await waitUntil(() => currentLine(page), (line) => line === matches.at(-1));
  await page.keyboard.press("Enter");
  await waitUntil(() => currentLine(page), (line) => line === matches[0]);
  await page.getByRole("button", { name: "Next match" }).click();
  await waitUntil(() => currentLine(page), (line) => line === matches[1]);
  // The current line is visible, and other lines with a match are marked.
  await waitForLines(page);
  const [frame, line] = [await code(page).boundingBox(), await page.locator(".code-line.at").boundingBox()];
  assert.ok(line.y >= frame.y && line.y + line.height <= frame.y + frame.height);
  const markedLines = await page.locator(".code-line.hit .code-no").allTextContents();
  const visibleMatches = (await visibleLines(page)).map(([number]) => number).filter((number) => matches.includes(number) && number !== matches[1]);
  assert.deepEqual(markedLines.map(Number), visibleMatches);
  // The current line has another style than the marked lines.
  const lineStyle = (className) => page.locator(`.code-line.${className} .code-no`).first().evaluate((node) => getComputedStyle(node).backgroundColor + getComputedStyle(node).boxShadow);
  assert.notEqual(await lineStyle("at"), await lineStyle("hit"));

  // A dot matches only a dot until the search is a regular expression.
  const text = "fusion.1. = f32";
  await findField(page).fill(text);
  const literalCount = linesMatching(/fusion\.1\. = f32/i).length;
  await waitUntil(() => findStatus(page), (status) => (literalCount ? status.endsWith(`${formatCount(literalCount)} lines`) : status === "no line"));
  await page.getByRole("button", { name: ".*", exact: true }).click();
  const regexCount = linesMatching(/fusion.1. = f32/i).length;
  assert.ok(regexCount > literalCount);
  await waitUntil(() => findStatus(page), (status) => status.endsWith(regexCount === 1 ? "1 line" : `${formatCount(regexCount)} lines`));
  for (const [pattern, expression] of [["^ENTRY|^}", /^ENTRY|^}/i], ["bf16\\[\\d+,\\d+\\]", /bf16\[\d+,\d+\]/i]]) {
    await findField(page).fill(pattern);
    const n = linesMatching(expression).length;
    assert.ok(n > 1, `${pattern}: ${n}`);
    await waitUntil(() => findStatus(page), (status) => status.endsWith(`${formatCount(n)} lines`));
  }
  await findField(page).fill("fusion(");
  await waitUntil(() => findStatus(page), (status) => / at column \d+/.test(status));
  await page.locator(".field.bad").waitFor();
  await findField(page).press("Escape");
  await waitUntil(() => findStatus(page), (status) => status === "");
  assert.equal(await findField(page).inputValue(), "");
  assert.equal(await page.locator(".code-line.hit").count(), 0);
});

onPage("an instruction in the text opens its panel, and a computation scrolls to its line", { needs: tpu() }, async ({ page }) => {
  await openFileView(page, tpu());
  const { lines } = await saveText(page);
  const entry = lines.findIndex((line) => line.startsWith("ENTRY")) + 1;
  assert.ok(entry > 0);
  await page.locator(".computations .program").first().click();
  await waitUntil(() => currentLine(page), (line) => line === entry);
  const line = lines.find((line) => /%copy-done\.2 = /.test(line));
  await page.locator(".code-op").filter({ hasText: /^%?copy-done\.2$/ }).click();
  await waitUntil(() => opTitle(page).innerText(), (name) => name === "copy-done.2");
  const shape = /copy-done\.2 = (\S+)/.exec(line)[1];
  await waitUntil(() => page.locator(".panel-hlo").first().innerText(), (text) => text.startsWith(`%copy-done.2 = ${shape}`));
  await waitUntil(() => page.url(), (url) => /view=file/.test(url) && /op=copy-done\.2@/.test(url));
  await page.keyboard.press("Escape");
  await opPanel(page).waitFor({ state: "detached" });
  assert.equal(await tab(page, "File").getAttribute("aria-selected"), "true");
});

onPage("each program has its own text, and the URL keeps the program, the line and the search", { needs: tpu() }, async ({ page }) => {
  await openFileView(page, tpu());
  const programButton = programs(page).filter({ hasText: "jit__psum" });
  await programButton.click();
  await waitUntil(() => visibleLines(page), (lines) => lines[0]?.[1].startsWith("HloModule jit__psum"));
  await page.getByRole("button", { name: ".*", exact: true }).click();
  await findField(page).fill("%\\S+ = ");
  const { lines } = await saveText(page);
  const matches = lines.flatMap((line, i) => (/%\S+ = /i.test(line) ? [i + 1] : []));
  assert.ok(matches.length > 2);
  await waitUntil(() => currentLine(page).catch(() => 0), (line) => line === matches[0]);
  await findField(page).press("Enter");
  await findField(page).press("Enter");
  await waitUntil(() => currentLine(page), (line) => line === matches[2]);
  await waitUntil(() => page.url(), (url) => url.includes(`line=${matches[2]}`));
  const address = page.url();
  assert.match(address, /#v=1&view=file&capture=[^&]+&program=\d+&line=\d+&find=[^&]+&find-regex=1$/);
  await reload(page);
  await pickFiles(page, [tpu()]);
  await waitForLines(page);
  assert.equal(await programButton.getAttribute("aria-pressed"), "true");
  assert.equal(await currentLine(page), matches[2]);
  assert.equal(await findField(page).inputValue(), "%\\S+ = ");
  assert.equal(await page.getByRole("button", { name: ".*", exact: true }).getAttribute("aria-pressed"), "true");
  await waitUntil(() => findStatus(page), (status) => status === `3 of ${matches.length} lines`);
  await assertLinesEqual(page, lines);
  assert.equal(page.url(), address);
});

onPage("a compiled program without a capture shows its text, the reason for the missing breakdown, and the panels of instructions", { needs: compiledProgram() }, async ({ page }) => {
  await dropFiles(page, [compiledProgram()]);
  await waitForLines(page);
  assert.equal(await tab(page, "File").getAttribute("aria-selected"), "true");
  assert.deepEqual(await figures(page), { Size: formatSize(readFileSync(compiledProgram()).length), Files: "1", Planes: "0", Lines: "0", Events: "0", Programs: "1" });
  assert.match(await planes(page).innerText(), /No planes/);
  await tab(page, "Breakdown").click();
  await page.getByRole("heading", { name: "Compiled programs only, no timings" }).waitFor();
  assert.match(await page.locator(".empty").first().innerText(), /have no timings/);
  await page.keyboard.press("8");
  await waitForLines(page);
  await page.locator(".computations .program").first().click();
  await waitForLines(page);
  // After scrolling away, a second click on the computation shows its line again.
  const code = page.locator(".code");
  await code.evaluate((node) => (node.scrollTop = node.scrollTop > 0 ? 0 : node.scrollHeight));
  await waitUntil(() => page.locator(".code-line.at").count(), (n) => n === 0);
  await page.locator(".computations .program").first().click();
  await waitUntil(() => page.locator(".code-line.at").count(), (n) => n === 1);
  await waitForLines(page);
  const op = page.locator(".code-line.at ~ .code-line .code-op").first();
  const name = (await op.innerText()).replace(/^%/, "");
  await op.click();
  await waitUntil(() => opTitle(page).innerText(), (text) => text === name);
  await waitUntil(() => page.locator(".panel-hlo").first().innerText(), (text) => text.startsWith(`%${name} = `));
  await waitUntil(() => page.url(), (url) => decodeURIComponent(url).includes(`op=${name}@#0`));
});

onPage("Enter in the text opens the panel of the found instruction, and Esc returns to the text", { needs: tpu() }, async ({ page }) => {
  await openFileView(page, tpu());
  await page.keyboard.press("/");
  await page.keyboard.type("%copy-done.2 =");
  await page.locator(".code-line.at").waitFor();
  const isTextFocused = () => page.evaluate(() => document.activeElement.classList.contains("code"));
  for (let i = 0; i < 6 && !(await isTextFocused()); i += 1) await page.keyboard.press("Tab");
  assert.ok(await isTextFocused());
  await page.keyboard.press("Enter");
  await waitUntil(() => opTitle(page).innerText({ timeout: 5_000 }), (name) => name === "copy-done.2");
  await page.keyboard.press("Escape");
  await opPanel(page).waitFor({ state: "detached" });
  assert.ok(await isTextFocused());
});
