// Tests the Timeline view: every event is drawn, the sums of a range equal the command line's, the search finds events of
// the whole capture, and the address keeps what is shown. Mouse and keyboard do the same. tests/native/timeline.rs compares
// pictures and sums with a plain sum over all events.
import assert from "node:assert/strict";
import fs from "node:fs";
import { cpu, simulatedRun, tpu } from "./captures.mjs";
import { cliOutput } from "./expected_values.mjs";
import { onPage } from "./harness.mjs";
import { pickFiles, waitForPaint, waitUntil } from "./lib.mjs";
import { figures, heads, renderedRows, rowCount, waitForRows } from "./page_helpers.mjs";

const capture = () => simulatedRun("--steps", "3").captures[0];
const canvas = (page) => page.locator("#timeline-canvas");
const status = (page) => page.locator("#timeline-event");
const parameters = (page) => new URLSearchParams(new URL(page.url()).hash.slice(1));
const place = (page) => Object.fromEntries((parameters(page).get("timeline") ?? "").split(";").filter(Boolean).map((pair) => {
  const at = pair.indexOf(":");
  return [pair.slice(0, at), pair.slice(at + 1)];
}));

/** Opens a file and its timeline, shows the whole capture, and waits until the tracks are drawn. */
async function openTimeline(page, file) {
  await pickFiles(page, [file]);
  await page.locator("#tab-timeline").click();
  await canvas(page).waitFor();
  await page.getByRole("button", { name: "Show the whole capture" }).click();
  await waitForPicture(page);
}

/** The share of the pixels of the canvas that are drawn. They are read from a copy, so that the canvas stays on the GPU. */
const ink = (page) => canvas(page).evaluate((node) => {
  const copy = document.createElement("canvas");
  const [width, height] = [(copy.width = 300), (copy.height = 150)];
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(node, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  let n = 0;
  for (let at = 3; at < data.length; at += 4) n += data[at] > 0 ? 1 : 0;
  return n / (width * height);
});

async function waitForPicture(page) {
  await canvas(page).waitFor();
  await waitUntil(() => ink(page), (share) => share > 0.02);
  await waitForRows(page);
  await waitForPaint(page);
}

/** Drags over a part of the canvas, between two fractions of its width. */
async function dragRange(page, from, to) {
  const box = await canvas(page).boundingBox();
  const y = box.y + 30;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * (from + to) / 2, y, { steps: 4 });
  await page.mouse.move(box.x + box.width * to, y, { steps: 4 });
  await page.mouse.up();
  await waitUntil(() => place(page).range);
  await waitForRows(page);
}

/** The table of sums, as { name: [self time, count] }. */
async function sums(page) {
  await waitForRows(page);
  const names = (await heads(page)).map((head) => head.name);
  const [self, count] = [names.indexOf("Self"), names.indexOf("Count")];
  return Object.fromEntries((await renderedRows(page)).filter(([, cells]) => cells[0]).map(([, cells]) => [cells[0], [cells[self], cells[count]]]));
}

onPage("the sums of a range equal the command line's", async ({ page }) => {
  const file = capture();
  await openTimeline(page, file);
  await dragRange(page, 0.2, 0.55);
  const [start, end] = place(page).range.split("-").map(Number);
  assert.ok(start < end);
  const report = JSON.parse(cliOutput("breakdown", file, "--json", "--by", "kind", "--device", "0", "--window", `${start}..${end}`));
  assert.equal(report.step_duration_ps, end - start, "the range is the window");
  const shown = await figures(page);
  assert.equal(shown.Range, `${((end - start) / 1e9).toFixed(2)} ms`);
  const expected = report.groups.map((row) => row.n_executions.toLocaleString("en"));
  assert.deepEqual(Object.values(await sums(page)).map(([, count]) => count), expected);
  const kinds = await sums(page);
  const busy = report.groups.reduce((sum, row) => sum + row.total_dur_ps, 0);
  const shownBusy = Object.values(kinds).reduce((sum, [self]) => sum + Number(self.replace("<", "").replaceAll(",", "")), 0);
  assert.ok(Math.abs(shownBusy - busy / 1e9) < 0.01, `${shownBusy} for ${busy}`);

  // The same range in another view has the same sums.
  await page.getByRole("button", { name: "Open range in breakdown" }).click();
  await page.locator("#tab-breakdown[aria-selected=true]").waitFor();
  await waitUntil(() => page.url(), (url) => url.includes(`step=${start}..${end}`));
  assert.equal((await figures(page)).Range, shown.Range);
});

onPage("pointer and wheel zoom, pan and select", async ({ page }) => {
  await openTimeline(page, capture());
  const box = await canvas(page).boundingBox();
  // The timeline of a mean of all steps shows the whole capture, so that the address need not say so.
  await waitUntil(() => place(page).part ?? "all", (part) => part === "all");
  await page.mouse.move(box.x + box.width / 2, box.y + 60);
  await page.keyboard.down("Control");
  for (let n = 0; n < 6; n++) await page.mouse.wheel(0, -100);
  await page.keyboard.up("Control");
  const zoomed = await settledPart(page);
  const length = ([from, to]) => to - from;
  const part = zoomed.split("-").map(Number);
  await page.keyboard.down("Shift");
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 - 200, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await waitUntil(() => place(page).part, (now) => now !== zoomed);
  const panned = (await settledPart(page)).split("-").map(Number);
  assert.equal(length(panned), length(part), "a pan keeps the length");
  assert.ok(panned[0] > part[0], "a drag to the left shows later events");
  assert.equal(place(page).range, undefined, "a pan selects no range");

  // A click on the steps selects a step.
  await page.mouse.click(box.x + box.width / 2, box.y + 24 + 9);
  await waitUntil(() => status(page).textContent(), (text) => /TPU:0, Steps: /.test(text));
  await waitUntil(() => place(page).event, (event) => /^\d+-\d+-\d+$/.test(event));
  // The tooltip of an event has its duration.
  await page.mouse.move(box.x + box.width / 2 + 5, box.y + 24 + 10);
  await page.locator(".tip").getByText("Duration").waitFor();
  // A click beside all events removes the selection.
  await page.mouse.click(box.x + box.width / 2, box.y + 5);
  await waitUntil(() => place(page).event, (event) => event === undefined);
  await page.getByRole("button", { name: "Show the whole capture" }).click();
  await waitUntil(() => place(page).part, (now) => now === "all");

  // An answer that comes when another view is shown is ignored.
  await page.evaluate(() => {
    document.querySelector("#timeline-canvas").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    document.querySelector("#tab-breakdown").click();
  });
  await page.locator(".breakdown [role=grid][aria-busy=false]").waitFor();
  await waitForPaint(page);
});

/** Returns the visible part of the capture in the address, once it does not change any more: the address follows the view after a while. */
async function settledPart(page) {
  for (let before; ; ) {
    const part = place(page).part;
    if (part && part !== "all" && part === before) return part;
    before = part;
    await page.waitForTimeout(600);
  }
}

onPage("the keyboard alone walks events, zooms and opens an op", async ({ page }) => {
  await openTimeline(page, capture());
  await canvas(page).focus();
  await page.keyboard.press("ArrowRight");
  await waitUntil(() => status(page).textContent(), (text) => /Steps: /.test(text));
  const first = await status(page).textContent();
  await page.keyboard.press("ArrowRight");
  await waitUntil(() => status(page).textContent(), (text) => text !== first);
  await page.keyboard.press("f");
  const start = (part) => Number(part.split("-")[0]);
  const part = await settledPart(page);
  await page.keyboard.press("a");
  const earlier = await waitUntil(() => place(page).part, (now) => now !== part);
  assert.ok(start(earlier) < start(part));
  await page.keyboard.press("s");
  await waitUntil(() => place(page).part, (now) => now !== earlier);
  await page.keyboard.press("r");
  await waitUntil(() => place(page).range);
  await page.keyboard.press("Escape");
  await waitUntil(() => place(page).event, (event) => event === undefined);
  await page.keyboard.press("Escape");
  await waitUntil(() => place(page).range, (range) => range === undefined);
  await page.keyboard.press("0");
  await waitUntil(() => place(page).part, (now) => now === "all");

  // An op of a search is opened with Enter.
  await page.keyboard.press("/");
  await page.keyboard.type("fusion");
  await page.locator(".timeline-tools").getByText(/events?, /).waitFor();
  await page.getByRole("button", { name: "Next hit" }).focus();
  await page.keyboard.press("Enter");
  await waitUntil(() => status(page).textContent(), (text) => /fusion/.test(text));
  await canvas(page).focus();
  await page.keyboard.press("Enter");
  await page.locator(".side-panel").waitFor();
  // The panel finds all executions of its op.
  const name = await page.locator("#op-name").innerText();
  await page.locator(".side-panel").getByRole("button", { name: "Find in timeline" }).click();
  await waitUntil(() => page.locator("#filter").inputValue(), (text) => text === name);
  await waitUntil(() => place(page).find, (text) => text === name);
});

onPage("a search finds all events, and the address keeps everything", async ({ page, server }) => {
  const file = capture();
  await openTimeline(page, file);
  await page.locator("#filter").fill("no such op; at all: 5%");
  await page.getByText("No event matches.").waitFor();
  await page.locator("#filter").fill("all-reduce");
  const found = await waitUntil(() => page.locator(".timeline-tools [role=status]").textContent(), (text) => /\d events/.test(text));
  await page.getByRole("button", { name: "Next hit" }).click();
  const first = await waitUntil(() => status(page).textContent(), (text) => /all-reduce/.test(text));
  await page.getByRole("button", { name: "Next hit" }).click();
  const second = await waitUntil(() => status(page).textContent(), (text) => text !== first);
  await page.getByRole("button", { name: "Previous hit" }).click();
  await waitUntil(() => status(page).textContent(), (text) => text === first);
  assert.notEqual(first, second);
  // The hits are a table, too, and a row selects its event.
  const rowsOf = (name) => page.locator(".timeline-sums").getByRole("button", { name, exact: true }).click();
  await rowsOf("Hits");
  await page.getByRole("grid", { name: "Events that the search found" }).waitFor();
  await waitForRows(page);
  assert.ok((await renderedRows(page)).filter(([, cells]) => cells[0]).every(([, cells]) => cells[0].includes("all-reduce")));
  await page.locator("[data-row='1'] [data-column='0']").click();
  await waitUntil(() => status(page).textContent(), (text) => text !== first);
  await page.locator("[data-row='0'] [data-column='0']").click();
  await waitUntil(() => status(page).textContent(), (text) => text === first);
  await rowsOf("Events");
  await page.getByRole("grid", { name: "Events in the range" }).waitFor();
  await waitForRows(page);
  assert.ok((await rowCount(page)) > 500);
  await rowsOf("Sums");
  await dragRange(page, 0.3, 0.4);
  await page.getByRole("button", { name: /^TPU:1/ }).click();
  await page.locator(".timeline-sums").getByRole("button", { name: "Op", exact: true }).click();
  await waitUntil(() => place(page).by, (by) => by === "op");
  const kept = place(page);
  assert.equal(kept.find, "all-reduce");
  const groups = () => page.locator(".timeline-group").evaluateAll((all) => all.map((group) => [group.querySelector("b")?.textContent, group.getAttribute("aria-expanded")]));
  const [before, url] = [await groups(), page.url()];
  assert.deepEqual(before.slice(0, 2).map(([, open]) => open), ["true", "true"]);

  await page.goto("about:blank");
  await page.goto(url);
  await pickFiles(page, [file]);
  await waitForPicture(page);
  await waitUntil(() => status(page).textContent(), (text) => text === first);
  assert.deepEqual(place(page), kept);
  assert.deepEqual(await groups(), before);
  assert.equal(await page.locator(".timeline-tools [role=status]").textContent(), found);

  // A part that cannot be read is reported, and the rest is shown.
  await page.goto("about:blank");
  await page.goto(`${server.url}#v=1&view=timeline&timeline=part:9-5`);
  await pickFiles(page, [file]);
  await waitForPicture(page);
  await page.getByText(/Its part for the timeline is part:9-5, which Rooflight does not know\./).waitFor();
});

onPage("threads of a host and a capture of another platform are drawn", { needs: tpu() }, async ({ page }) => {
  await openTimeline(page, tpu());
  await page.getByRole("button", { name: /more threads$/ }).scrollIntoViewIfNeeded();
  const n = await page.locator(".timeline-track").count();
  await page.getByRole("button", { name: /more threads$/ }).click();
  await waitUntil(() => page.locator(".timeline-track").count(), (now) => now > n + 20);
  // The call that enqueued a run is a click or a key away.
  await canvas(page).evaluate((node) => node.closest(".timeline-scroll").scrollTo(0, 0));
  // The browser sends the event of a scroll with its next frame. Until then, the key starts at the tracks of before.
  await waitForPaint(page);
  await canvas(page).focus();
  await page.keyboard.press("ArrowRight");
  await waitUntil(() => status(page).textContent(), (text) => /TPU:0, XLA Modules: /.test(text));
  const run = await status(page).textContent();
  // A button is pressed when the page is at rest: the links of an event stand beside each other.
  const follow = async (name) => {
    await waitForRows(page);
    await waitForPaint(page);
    await page.getByRole("button", { name }).first().click();
  };
  await follow(/^Started by .*DoEnqueueProgram/);
  await waitUntil(() => status(page).textContent(), (text) => /DoEnqueueProgram/.test(text));
  await follow(/^Starts jit_f/);
  await waitUntil(() => status(page).textContent(), (text) => text === run);
  await canvas(page).focus();
  await page.keyboard.press("j");
  await waitUntil(() => status(page).textContent(), (text) => /^\/host:CPU, /.test(text));
  // The gaps of the range are listed by what the device waited for.
  await page.getByRole("button", { name: "Show the whole capture" }).click();
  await page.locator(".timeline-sums").getByRole("button", { name: "Idle", exact: true }).click();
  await page.locator(".timeline-sums .tree").getByText("Other devices", { exact: true }).first().waitFor();
  // A gap of the list is a button that shows it.
  await page.locator(".timeline-sums .tree").getByRole("button", { name: "Other devices" }).click();
  await page.locator(".timeline-sums .tree").getByRole("button", { name: /^at / }).first().click();
  const part = await waitUntil(() => place(page).part, (part) => part?.includes("-"));
  const [from, to] = part.split("-").map(Number);
  assert.ok(to - from < 60e12);
  await openTimeline(page, cpu());
});

/** The middle of a track by its name, in px of the window. */
async function trackMiddle(page, name, nth = 0) {
  const track = await page.locator(".timeline-track", { has: page.getByText(name, { exact: true }) }).nth(nth).boundingBox();
  return track.y + track.height / 2;
}

onPage("idle time is a strip that tells what the device waited for", { needs: tpu() }, async ({ page }) => {
  await openTimeline(page, tpu());
  const box = await canvas(page).boundingBox();
  const y = (await trackMiddle(page, "Idle")) - 3;
  // The longest gap of the capture is in front of the loop.
  await page.mouse.move(box.x + box.width * 0.17, y);
  const tip = page.locator(".tip").filter({ hasText: "TPU:0 is idle" });
  await tip.waitFor();
  assert.match(await tip.innerText(), /aited for/);
  await page.mouse.click(box.x + box.width * 0.17, y);
  const range = await waitUntil(() => place(page).range);
  assert.equal(place(page).rows, "idle");
  const report = JSON.parse(cliOutput("gaps", tpu(), "--json", "--device", "0", "--window", range.replace("-", "..")));
  assert.equal(report.totals.busy_duration_ps, 0, "the range is idle");
  await page.getByRole("button", { name: "Zoom to range" }).click();
  await waitUntil(() => place(page).part);
});

onPage("tracks are pinned, times measured and links drawn", { needs: tpu() }, async ({ page }) => {
  await openTimeline(page, tpu());
  await canvas(page).focus();
  await page.keyboard.press("ArrowRight");
  await waitUntil(() => status(page).textContent(), (text) => /XLA Modules/.test(text));
  await page.keyboard.press("p");
  await page.locator(".timeline-pins").getByText("XLA Modules", { exact: true }).waitFor();
  await page.locator(".timeline-track", { hasText: "Idle" }).hover();
  await page.getByRole("button", { name: "Pin Idle" }).first().click();
  await waitUntil(() => place(page).pins, (pins) => /^\d+-\d+,idle-0$/.test(pins));
  // Pinned tracks do not scroll.
  const middle = await trackMiddle(page, "XLA Modules");
  await canvas(page).evaluate((node) => node.closest(".timeline-scroll").scrollTo(0, 300));
  await waitForPaint(page);
  assert.equal(await trackMiddle(page, "XLA Modules"), middle);
  await page.mouse.click((await canvas(page).boundingBox()).x + 700, middle);
  await waitUntil(() => status(page).textContent(), (text) => /XLA Modules/.test(text));
  await page.locator(".timeline-pins").getByRole("button", { name: "Unpin XLA Modules" }).click();
  await waitUntil(() => place(page).pins, (pins) => pins === "idle-0");
  await canvas(page).evaluate((node) => node.closest(".timeline-scroll").scrollTo(0, 0));

  // Both ends of a measured time snap to events.
  await page.getByRole("button", { name: "Measure", exact: true }).click();
  const box = await canvas(page).boundingBox();
  const y = await trackMiddle(page, "XLA Modules");
  await page.mouse.move(box.x + box.width * 0.08, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.168, y, { steps: 6 });
  await page.mouse.up();
  await waitUntil(() => place(page).measure);
  assert.equal(place(page).range, undefined);
  await canvas(page).focus();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await waitUntil(() => place(page).measure, (measure) => measure === undefined);
  // The keyboard measures events.
  await page.keyboard.press("ArrowRight");
  await waitUntil(() => status(page).textContent(), (text) => text !== "");
  await page.keyboard.press("m");
  const first = (await waitUntil(() => place(page).measure)).split("-").map(Number);
  const before = await status(page).textContent();
  await page.keyboard.press("ArrowRight");
  await waitUntil(() => status(page).textContent(), (text) => text !== before);
  await page.keyboard.press("m");
  const second = (await waitUntil(() => place(page).measure, (now) => now !== first.join("-"))).split("-").map(Number);
  assert.ok(second[0] === first[0] && second[1] > first[1]);

  await page.getByRole("button", { name: "Links", exact: true }).click();
  await page.getByText(/^the first 500 of [\d,]+ links$/).waitFor();
  await waitUntil(() => place(page).flows, (flows) => flows === "all");
});

onPage("a search by scope, source or regular expression", async ({ page }) => {
  await openTimeline(page, capture());
  const chip = (name) => page.locator(".timeline-tools").getByRole("button", { name, exact: true }).click();
  const shown = () => page.locator(".timeline-tools [role=status]").first().textContent();
  const result = (words) => waitUntil(shown, (text) => words.test(text));
  await page.locator("#filter").fill("all-(reduce|gather)");
  await result(/No event matches/);
  await chip("Regular expression");
  await result(/\d events/);
  await page.locator("#filter").fill("all-(reduce");
  await result(/at column/);
  await chip("Regular expression");
  await page.locator("#filter").fill("train_step");
  const leaf = await result(/\d events/);
  await chip("anywhere");
  await waitUntil(shown, (text) => /\d events/.test(text) && text !== leaf);
  await chip("leaf");
  await waitUntil(shown, (text) => text === leaf);
  // Enter in the field goes from hit to hit, also before the answer to the new text has come.
  await page.locator("#filter").fill("fusion");
  await page.locator("#filter").press("Enter");
  const first = await waitUntil(() => status(page).textContent(), (text) => /fusion/.test(text));
  await page.locator("#filter").press("Enter");
  await waitUntil(() => status(page).textContent(), (text) => text !== first);
  await page.locator("#filter").press("Shift+Enter");
  await waitUntil(() => status(page).textContent(), (text) => text === first);
});

onPage("a range is saved as a picture, as a capture and for Perfetto", async ({ page }) => {
  const file = capture();
  await openTimeline(page, file);
  await dragRange(page, 0.3, 0.5);
  const range = place(page).range.replace("-", "..");
  const save = async (name) => {
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("menuitem", { name }).click();
    const download = await saved;
    return { name: download.suggestedFilename(), path: await download.path() };
  };
  const svg = await save("Save picture as SVG");
  assert.match(svg.name, /timeline\.svg$/);
  const text = fs.readFileSync(svg.path, "utf8");
  for (const words of ["XLA Ops", "TPU:0", "Idle", "event clock"]) assert.ok(text.includes(words), words);
  assert.ok(text.split("<rect").length > 100);
  const png = await save("Save picture as PNG");
  assert.deepEqual([...fs.readFileSync(png.path).subarray(1, 4)], [...Buffer.from("PNG")]);
  const part = await save("Save range as a capture (XSpace)");
  assert.match(part.name, /\.xplane\.pb$/);
  const copy = `${part.path}.xplane.pb`;
  fs.copyFileSync(part.path, copy);
  const report = (of) => JSON.parse(cliOutput("breakdown", of, "--json", "--device", "0", "--window", range));
  const [whole, cut] = [report(file), report(copy)];
  // Ops that read the result of an op, which the part may lack, can tell its module.
  const plain = ({ groups }) => groups.map(({ module, ...row }) => row);
  assert.deepEqual(plain(cut), plain(whole), "the same window has the same rows");
  assert.ok(fs.statSync(copy).size < fs.statSync(file).size);
  const trace = JSON.parse(fs.readFileSync((await save("Save range as trace JSON for Perfetto")).path, "utf8"));
  assert.ok(trace.traceEvents.filter((event) => event.ph === "X").length > 100);
});

onPage("fingers pan, zoom and select", { hasTouch: true }, async ({ page }) => {
  await openTimeline(page, capture());
  const box = await canvas(page).boundingBox();
  const client = await page.context().newCDPSession(page);
  const y = box.y + 60;
  const touch = (type, ...xs) => client.send("Input.dispatchTouchEvent", { type, touchPoints: xs.map((x, id) => ({ x: box.x + box.width * x, y, id })) });
  await touch("touchStart", 0.4, 0.6);
  for (let n = 1; n <= 5; n++) await touch("touchMove", 0.4 - 0.05 * n, 0.6 + 0.05 * n);
  await touch("touchEnd");
  const zoomed = await waitUntil(() => place(page).part);
  await touch("touchStart", 0.6);
  for (let n = 1; n <= 5; n++) await touch("touchMove", 0.6 - 0.04 * n);
  await touch("touchEnd");
  await waitUntil(() => place(page).part, (now) => now !== zoomed);
  assert.equal(place(page).range, undefined, "a finger pans");
  // After a long press it selects.
  await touch("touchStart", 0.3);
  await page.waitForTimeout(700);
  for (let n = 1; n <= 5; n++) await touch("touchMove", 0.3 + 0.05 * n);
  await touch("touchEnd");
  await waitUntil(() => place(page).range);
});

onPage("the clocks of hosts are aligned, and the sums of a range stay those of the event clock", { timeout: 300_000 }, async ({ page }) => {
  const { captures } = simulatedRun("--steps", "3", "--devices", "8", "--hosts", "2", "--host-skew", "4900");
  await pickFiles(page, captures);
  await page.locator("#tab-timeline").click();
  await waitForPicture(page);
  const alignSwitch = page.locator("#align-hosts");
  assert.equal(await alignSwitch.getAttribute("aria-pressed"), "true", "the clocks differ by more than a step");
  assert.match(await alignSwitch.getAttribute("title"), /worker-1: −4\.90 s ± [\d.]+ [pnµ]s, by \d+ common collectives\.$/);
  const group = page.locator(".timeline-group").filter({ hasText: "worker-1 TPU:0" });
  const unit = page.locator(".timeline-unit");
  await waitUntil(() => group.textContent(), (text) => /aligned by −4\.90 s ± [\d.]+ [pnµ]s/.test(text));
  assert.match(await unit.textContent(), /aligned clocks/);

  // The sums are those of the device of the selected event, which is on the host whose clock is ahead.
  await group.scrollIntoViewIfNeeded();
  await waitForPaint(page);
  const [head, area] = [await group.boundingBox(), await canvas(page).boundingBox()];
  await page.mouse.click(area.x + area.width * 0.4, head.y + head.height / 2);
  await waitUntil(() => status(page).textContent(), (text) => text.startsWith("worker-1 TPU:0, XLA Ops: "));
  await dragRange(page, 0.2, 0.55);
  const displayed = place(page).range.split("-").map(Number);
  const shown = await sums(page);
  await page.getByRole("button", { name: "Open range in breakdown" }).click();
  await page.locator("#tab-breakdown[aria-selected=true]").waitFor();
  const url = await waitUntil(() => page.url(), (url) => /step=\d+\.\.\d+/.test(url));
  const range = /step=(\d+)\.\.(\d+)/.exec(url).slice(1).map(Number);
  const offset = range[0] - displayed[0];
  assert.ok(Math.abs(offset - 4.9e12) < 1e9, `the host's clock is ahead by ${offset} ps`);
  assert.equal(range[1] - displayed[1], offset, "the range keeps its length");
  const report = JSON.parse(cliOutput("breakdown", ...captures, "--json", "--by", "kind", "--device", "worker-1 TPU:0", "--window", range.join("..")));
  const expected = report.groups.map((row) => row.n_executions.toLocaleString("en"));
  assert.deepEqual(Object.values(shown).map(([, count]) => count), expected);

  // Without the alignment, the same range is at its time on the event clock, with the same sums.
  await page.locator("#tab-timeline").click();
  await waitForPicture(page);
  await alignSwitch.click();
  await waitUntil(() => place(page).range, (now) => now === range.join("-"));
  assert.equal(place(page).align, "off");
  assert.equal(await alignSwitch.getAttribute("aria-pressed"), "false");
  await waitUntil(() => unit.textContent(), (text) => /event clock/.test(text));
  assert.doesNotMatch(await group.textContent(), /aligned/);
  assert.deepEqual(await sums(page), shown);
  await alignSwitch.click();
  await waitUntil(() => place(page).range, (now) => now === displayed.join("-"));
  assert.equal(place(page).align, undefined);
  assert.deepEqual(await sums(page), shown);
});
