// Tests the File view: figures, planes and lines must equal the command line's; the whole text of a program is shown
// and can be searched line by line; the URL keeps the place in the text; compiled programs open without a run.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { program, synth, tpu } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { dropFiles, need, opened, pickFiles, reload, until } from "./lib.mjs";
import { figures, opPanel } from "./reading.mjs";

const inspect = (file) => JSON.parse(execFileSync(need("ROOFLIGHT_CLI"), ["inspect", "--json", file], { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] }));
const count = (n) => n.toLocaleString("en-US");
/** Formats a size in bytes with binary units and one decimal. */
function size(n) {
  const [scale, unit] = [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]].find(([scale]) => n >= scale) ?? [1, "B"];
  return `${(n / scale).toLocaleString("en-US", { minimumFractionDigits: scale > 1 ? 1 : 0, maximumFractionDigits: 1 })} ${unit}`;
}

const tab = (page, name) => page.getByRole("tab", { name });
const planes = (page) => page.locator(".file-planes");
const programs = (page) => page.locator(".file-programs > .programs .program");
const code = (page) => page.locator(".code");
const find = (page) => page.getByRole("textbox", { name: "Find in the text" });
const said = (page) => page.locator(".find-status").innerText();
const title = (page) => opPanel(page).getByRole("heading", { level: 2 });
/** The number of the current line, which a search or a link went to. */
const at = async (page) => Number(await page.locator(".code-line.at .code-no").textContent());
/** Returns the texts of the cells of each row. */
const rows = (of) => of.evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent.replace(/\s+/g, " ").trim())));

/** Returns the lines in the document whose text has arrived, as [number, text]. */
const shown = (page) =>
  page.locator(".code-line").evaluateAll((lines) => lines.flatMap((line) => (line.querySelector("code") ? [[Number(line.querySelector(".code-no").textContent), line.querySelector("code").textContent]] : [])));

async function start(page, file) {
  await dropFiles(page, [file]);
  await opened(page);
  await page.keyboard.press("8");
  await shownLines(page);
}

/** Waits until every line in the document has its text. */
const shownLines = (page) => until(async () => (await shown(page)).length === (await page.locator(".code-line").count()) && (await shown(page)).length > 0);

/** Saves the text with the button. Returns the name of the file and its lines. */
async function saved(page) {
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
async function same(page, lines) {
  await shownLines(page);
  for (const [number, text] of await shown(page)) {
    const line = lines[number - 1];
    if (line.length > 4000) assert.equal(text.slice(0, 4000), line.slice(0, 4000), `line ${number}`);
    else assert.equal(text, line, `line ${number}`);
  }
}

for (const [what, of] of [["of a real run", tpu], ["that was made", synth]]) {
  onPage(`figures, planes and programs of a capture ${what} are the command line's`, { needs: of() }, async ({ page }) => {
    await start(page, of());
    const told = inspect(of());
    assert.deepEqual(await figures(page), {
      Size: size(told.files[0].size_bytes),
      Files: "1",
      Planes: count(told.planes.length),
      Lines: count(told.planes.reduce((n, plane) => n + plane.lines.length, 0)),
      Events: count(told.n_events_total),
      Programs: count(told.programs.length),
    });
    const seen = (await rows(planes(page).locator(".tree-group"))).map(([name, , events, bytes]) => [name, events, bytes]);
    assert.deepEqual(seen, told.planes.map((plane) => [plane.name, count(plane.n_events), size(plane.size_bytes)]));
    const listed = await programs(page).evaluateAll((all) => all.map((one) => one.querySelector(".mono").textContent));
    assert.deepEqual([...listed].sort(), told.programs.map((program) => program.name).sort());
    for (const program of told.programs) {
      const says = await programs(page).filter({ hasText: `id ${program.program_id}` }).innerText();
      assert.match(says.replace(/\s+/g, " "), new RegExp(`${program.name} .*${count(program.n_executions)} runs?`));
      if (program.hlo_bytes) assert.ok(says.includes(`${size(program.hlo_bytes)} of HLO`), says);
    }
  });
}

onPage("a plane opens: its lines and stats, by mouse and by keyboard", { needs: tpu() }, async ({ page }) => {
  await start(page, tpu());
  const plane = inspect(tpu()).planes[0];
  const body = planes(page).locator("tbody").first();
  const open = () => body.locator("tr:not(.tree-group):not(.tree-more)");
  await body.getByRole("button", { name: plane.name }).click();
  const lines = (await rows(open())).map(([name, used, events, bytes]) => ({ name, used, events, bytes }));
  assert.deepEqual(
    lines.map(({ used, ...line }) => line),
    plane.lines.map((line) => ({ name: line.display_name || line.name, events: count(line.n_events), bytes: size(line.size_bytes) })),
  );
  for (const [i, line] of plane.lines.entries()) {
    assert.equal(/not used/i.test(lines[i].used), line.used_for === "not_used", lines[i].used);
    assert.equal(/device clock/.test(lines[i].used), line.device_clock, lines[i].used);
  }
  const more = (await body.locator(".tree-more").innerText()).replace(/\s+/g, " ");
  assert.ok(more.includes(`distinct ops ${plane.n_ops}`) && more.includes("device_type_string TPU v6 Lite"), more);
  // ArrowLeft closes the plane, ArrowDown goes to the next plane and ArrowRight opens that one.
  await page.keyboard.press("ArrowLeft");
  await until(() => open().count(), (n) => n === 0);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await planes(page).locator("tbody").nth(1).locator(".leaf").first().waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-expanded")), "true");
});

onPage("a program's text is what is saved, down to its last line, and few lines exist", { needs: program() }, async ({ page }) => {
  await dropFiles(page, [program()]);
  await shownLines(page);
  const { name, lines } = await saved(page);
  assert.match(name, /^jit_train_step.*\.txt$/);
  assert.ok(lines.length > 5000, `${lines.length}`);
  assert.match(lines[0], /^HloModule jit_train_step/);
  await same(page, lines);
  const few = async () => assert.ok((await page.locator(".code-line").count()) < 300, "only what can be seen exists");
  await few();
  // The text is compared in the middle and at the end.
  for (const part of [0.37, 1]) {
    await code(page).evaluate((node, part) => (node.scrollTop = node.scrollHeight * part), part);
    const wanted = Math.max(1, Math.floor(lines.length * part) - 1);
    await until(async () => (await shown(page)).some(([number]) => number === wanted));
    await same(page, lines);
    await few();
  }
  assert.ok((await shown(page)).some(([number]) => number === lines.length), "the last line is there");
  // Each name in the text is also in the file, as field 1 of an instruction's message. Only one-byte lengths are
  // expected.
  const names = instructions(lines);
  const bytes = readFileSync(program()).toString("latin1");
  const missing = names.filter((name) => !(name.length < 128 && bytes.includes(`\x0a${String.fromCharCode(name.length)}${name}`)));
  assert.deepEqual(missing, []);
  const head = await page.locator(".file-status").innerText();
  assert.ok(head.includes(`${count(names.length)} instructions`) && head.includes(`${count(lines.length)} lines`), head);
});

onPage("what is looked for is found in as many lines as it is in", { needs: program() }, async ({ page }) => {
  await dropFiles(page, [program()]);
  await shownLines(page);
  const { lines } = await saved(page);
  const holding = (expression) => lines.flatMap((line, i) => (expression.test(line) ? [i + 1] : []));
  const told = (n, i) => `${count(i)} of ${count(n)} lines`;

  await page.keyboard.press("/");
  await page.keyboard.type("all-reduce");
  const plain = holding(/all-reduce/i);
  assert.ok(plain.length > 3);
  await until(() => said(page), (is) => is === told(plain.length, 1));
  assert.equal(await at(page), plain[0]);
  // Enter goes to the next match and Shift+Enter to the previous one. Both wrap around.
  await page.keyboard.press("Enter");
  await until(() => at(page), (line) => line === plain[1]);
  assert.equal(await said(page), told(plain.length, 2));
  await page.keyboard.press("Shift+Enter");
  await until(() => at(page), (line) => line === plain[0]);
  await page.keyboard.press("Shift+Enter");
  await until(() => at(page), (line) => line === plain.at(-1));
  await page.keyboard.press("Enter");
  await until(() => at(page), (line) => line === plain[0]);
  await page.getByRole("button", { name: "Next match" }).click();
  await until(() => at(page), (line) => line === plain[1]);
  // The current line is visible, and other lines with a match are marked.
  await shownLines(page);
  const [frame, line] = [await code(page).boundingBox(), await page.locator(".code-line.at").boundingBox()];
  assert.ok(line.y >= frame.y && line.y + line.height <= frame.y + frame.height);
  const marked = await page.locator(".code-line.hit .code-no").allTextContents();
  const near = (await shown(page)).map(([number]) => number).filter((number) => plain.includes(number) && number !== plain[1]);
  assert.deepEqual(marked.map(Number), near);
  // The current line has another style than the marked lines.
  const look = (line) => page.locator(`.code-line.${line} .code-no`).first().evaluate((node) => getComputedStyle(node).backgroundColor + getComputedStyle(node).boxShadow);
  assert.notEqual(await look("at"), await look("hit"));

  // A dot matches only a dot until the search is a regular expression.
  const text = "fusion.1. = f32";
  await find(page).fill(text);
  const dotted = holding(/fusion\.1\. = f32/i).length;
  await until(() => said(page), (is) => (dotted ? is.endsWith(`${count(dotted)} lines`) : is === "no line"));
  await page.getByRole("button", { name: ".*", exact: true }).click();
  const any = holding(/fusion.1. = f32/i).length;
  assert.ok(any > dotted);
  await until(() => said(page), (is) => is.endsWith(any === 1 ? "1 line" : `${count(any)} lines`));
  for (const [pattern, expression] of [["^ENTRY|^}", /^ENTRY|^}/i], ["bf16\\[\\d+,\\d+\\]", /bf16\[\d+,\d+\]/i]]) {
    await find(page).fill(pattern);
    const n = holding(expression).length;
    assert.ok(n > 1, `${pattern}: ${n}`);
    await until(() => said(page), (is) => is.endsWith(`${count(n)} lines`));
  }
  await find(page).fill("fusion(");
  await until(() => said(page), (is) => / at column \d+/.test(is));
  await page.locator(".field.bad").waitFor();
  await find(page).press("Escape");
  await until(() => said(page), (is) => is === "");
  assert.equal(await find(page).inputValue(), "");
  assert.equal(await page.locator(".code-line.hit").count(), 0);
});

onPage("an instruction of the text opens its panel; a computation goes to its line", { needs: tpu() }, async ({ page }) => {
  await start(page, tpu());
  const { lines } = await saved(page);
  const entry = lines.findIndex((line) => line.startsWith("ENTRY")) + 1;
  assert.ok(entry > 0);
  await page.locator(".computations .program").first().click();
  await until(() => at(page), (line) => line === entry);
  const line = lines.find((line) => /%copy-done\.2 = /.test(line));
  await page.locator(".code-op").filter({ hasText: /^%?copy-done\.2$/ }).click();
  await until(() => title(page).innerText(), (name) => name === "copy-done.2");
  const shape = /copy-done\.2 = (\S+)/.exec(line)[1];
  await until(() => page.locator(".op-hlo").first().innerText(), (text) => text.startsWith(`%copy-done.2 = ${shape}`));
  await until(() => page.url(), (url) => /view=file/.test(url) && /op=copy-done\.2@/.test(url));
  await page.keyboard.press("Escape");
  await opPanel(page).waitFor({ state: "detached" });
  assert.equal(await tab(page, "File").getAttribute("aria-selected"), "true");
});

onPage("each program has its own text; the address keeps program, line and what is looked for", { needs: tpu() }, async ({ page }) => {
  await start(page, tpu());
  const which = programs(page).filter({ hasText: "jit__psum" });
  await which.click();
  await until(() => shown(page), (lines) => lines[0]?.[1].startsWith("HloModule jit__psum"));
  await page.getByRole("button", { name: ".*", exact: true }).click();
  await find(page).fill("%\\S+ = ");
  const { lines } = await saved(page);
  const own = lines.flatMap((line, i) => (/%\S+ = /i.test(line) ? [i + 1] : []));
  assert.ok(own.length > 2);
  await until(() => at(page).catch(() => 0), (line) => line === own[0]);
  await find(page).press("Enter");
  await find(page).press("Enter");
  await until(() => at(page), (line) => line === own[2]);
  await until(() => page.url(), (url) => url.includes(`line=${own[2]}`));
  const address = page.url();
  assert.match(address, /#v=1&view=file&capture=[^&]+&program=\d+&line=\d+&find=[^&]+&find-regex=1$/);
  await reload(page);
  await pickFiles(page, [tpu()]);
  await shownLines(page);
  assert.equal(await which.getAttribute("aria-pressed"), "true");
  assert.equal(await at(page), own[2]);
  assert.equal(await find(page).inputValue(), "%\\S+ = ");
  assert.equal(await page.getByRole("button", { name: ".*", exact: true }).getAttribute("aria-pressed"), "true");
  await until(() => said(page), (is) => is === `3 of ${own.length} lines`);
  await same(page, lines);
  assert.equal(page.url(), address);
});

onPage("a program dropped alone: its text, why there is no breakdown, an instruction's panel", { needs: program() }, async ({ page }) => {
  await dropFiles(page, [program()]);
  await shownLines(page);
  assert.equal(await tab(page, "File").getAttribute("aria-selected"), "true");
  assert.deepEqual(await figures(page), { Size: size(readFileSync(program()).length), Files: "1", Planes: "0", Lines: "0", Events: "0", Programs: "1" });
  assert.match(await planes(page).innerText(), /No planes/);
  await tab(page, "Breakdown").click();
  await page.getByRole("heading", { name: "Compiled programs only, no timings" }).waitFor();
  assert.match(await page.locator(".empty").first().innerText(), /have no timings/);
  await page.keyboard.press("8");
  await shownLines(page);
  await page.locator(".computations .program").first().click();
  await shownLines(page);
  // After scrolling away, a second click on the computation shows its line again.
  const code = page.locator(".code");
  await code.evaluate((node) => (node.scrollTop = node.scrollTop > 0 ? 0 : node.scrollHeight));
  await until(() => page.locator(".code-line.at").count(), (n) => n === 0);
  await page.locator(".computations .program").first().click();
  await until(() => page.locator(".code-line.at").count(), (n) => n === 1);
  await shownLines(page);
  const op = page.locator(".code-line.at ~ .code-line .code-op").first();
  const name = (await op.innerText()).replace(/^%/, "");
  await op.click();
  await until(() => title(page).innerText(), (is) => is === name);
  await until(() => page.locator(".op-hlo").first().innerText(), (text) => text.startsWith(`%${name} = `));
  await until(() => page.url(), (url) => decodeURIComponent(url).includes(`op=${name}@#0`));
});

onPage("by keyboard: looked for, Enter in the text opens its panel, Esc leads back to the text", { needs: tpu() }, async ({ page }) => {
  await start(page, tpu());
  await page.keyboard.press("/");
  await page.keyboard.type("%copy-done.2 =");
  await page.locator(".code-line.at").waitFor();
  const inText = () => page.evaluate(() => document.activeElement.classList.contains("code"));
  for (let at = 0; at < 6 && !(await inText()); at += 1) await page.keyboard.press("Tab");
  assert.ok(await inText());
  await page.keyboard.press("Enter");
  await until(() => title(page).innerText({ timeout: 5_000 }), (name) => name === "copy-done.2");
  await page.keyboard.press("Escape");
  await opPanel(page).waitFor({ state: "detached" });
  assert.ok(await inText());
});
