// Tests the overview: it is the first view after a drop, its texts are those of the command line, findings open and lead
// to their evidence by mouse and by keyboard, and the page is accessible in all widths.
import assert from "node:assert/strict";
import { join } from "node:path";
import { violations } from "./accessibility.mjs";
import { cpu, repository, simulatedRun, synth, tpu, vllm } from "./captures.mjs";
import { cliOutput } from "./expected_values.mjs";
import { onPage } from "./harness.mjs";
import { pickFiles, waitUntil } from "./lib.mjs";
import { figures, pick } from "./page_helpers.mjs";

const sample = join(repository, "samples/sample.xplane.pb.xz");
const report = (file, ...options) => JSON.parse(cliOutput("overview", file, ...options, "--json"));

const verdict = (page) => page.locator(".verdict");
const finding = (page) => page.locator(".finding");
const summaries = (page) => page.locator(".finding summary");

async function open(page, ...files) {
  await pickFiles(page, files);
  await verdict(page).waitFor();
}

/** Asserts that the page shows what the command line prints. */
async function assertEqualsReport(page, expected) {
  await waitUntil(() => verdict(page).innerText(), (text) => text === expected.verdict).catch(() => {});
  assert.equal(await verdict(page).innerText(), expected.verdict);
  const lists = [expected.quality, expected.findings, expected.options, expected.memory_findings];
  const texts = lists.flat().map(({ headline, detail }) => [headline, detail]);
  const shown = await finding(page).locator(".finding-text").evaluateAll((all) => all.map((text) => [...text.children].map((part) => part.textContent)));
  assert.deepEqual(shown, texts);
  assert.equal(await page.locator(".rules:not(.skipped) li").count(), expected.thresholds.length);
  assert.equal(await page.locator(".rules.skipped li").count(), expected.not_checked.length);
}

/** The number of findings that are about time or bytes. */
function countDrawn({ findings, options, memory_findings }) {
  return findings.length + options.length + memory_findings.length;
}

onPage("a capture opens in the overview, which says what the command line says", { view: "" }, async ({ page }) => {
  await open(page, sample);
  const expected = report(sample);
  await assertEqualsReport(page, expected);
  assert.equal(await page.locator("#tab-overview").getAttribute("aria-selected"), "true");
  // The picker names the device of the overview.
  const device = () => page.locator("#device-button").innerText().then((text) => text.replace(/\s+/g, " ").trim());
  assert.equal(await device(), "Device TPU:5");
  assert.match(await page.locator(".overview-about").innerText(), /^TPU:5 \(TPU v5p\), the slowest device; mean of 3 steady steps\. A step is one event of the device’s “Steps” line: jit_train_step\.$/);
  // Each finding has a drawing within its row, and the row of a closed finding says what it shows.
  const drawings = await finding(page).locator(".finding-picture svg").evaluateAll((all) => all.map((svg) => [svg.children.length, svg.clientWidth]));
  assert.equal(drawings.length, countDrawn(expected), `${drawings}`);
  assert.ok(drawings.every(([n, width]) => n > 1 && width > 100), `${drawings}`);
  // The first finding is open, and all others are closed.
  const opened = await finding(page).evaluateAll((all) => all.map((one) => one.open));
  assert.deepEqual(opened, opened.map((_, at) => at === expected.quality.length));
  // The parts of the bar fill it.
  const widths = await page.locator(".overview-bar > rect[y='0']").evaluateAll((all) => all.map((rect) => parseFloat(rect.getAttribute("width"))));
  assert.ok(Math.abs(widths.reduce((sum, width) => sum + width, 0) - 100) < 0.1, `${widths}`);
  // Another step has its own findings.
  await page.evaluate(() => (location.hash += "&device=0&step=2"));
  await assertEqualsReport(page, report(sample, "--device", "0", "--step", "2"));
});

onPage("real captures say what limits them", { view: "", needs: tpu() }, async ({ page }) => {
  await open(page, tpu());
  const waits = report(tpu());
  await assertEqualsReport(page, waits);
  assert.match(await verdict(page).innerText(), /^The device waits for asynchronous copies: 759\.70 ms of a step of 783\.37 ms, 97\.0 %\. 23\.66 ms of it, 3\.0 %, can be recovered\.$/);
  // The finding is about copies, and so are the rows that it leads to.
  const at = waits.findings.findIndex((one) => one.id === "dma_wait");
  if (!(await finding(page).nth(waits.quality.length + at).evaluate((one) => one.open))) await summaries(page).nth(waits.quality.length + at).click();
  await finding(page).nth(waits.quality.length + at).getByRole("button", { name: "Communication", exact: true }).click();
  await page.locator(".comm").getByRole("button", { name: "Copies", exact: true, pressed: true }).waitFor();
  await page.keyboard.press("1");
  await verdict(page).waitFor();
  await pickFiles(page, [cpu()]);
  const expected = report(cpu());
  await waitUntil(() => verdict(page).innerText(), (text) => text === expected.verdict);
  await assertEqualsReport(page, expected);
});

onPage("a healthy run has no finding, and all rules are in a list", { view: "" }, async ({ page }) => {
  const { captures: [file] } = simulatedRun("--steps", "8", "--healthy");
  await open(page, file);
  await assertEqualsReport(page, report(file));
  assert.match(await verdict(page).innerText(), /^No finding is worth 2\.0 % of a step\./);
  assert.match(await page.locator(".findings h2").first().innerText(), /rules were checked, and none reached its threshold/);
});

onPage("the devices of several hosts are lines of their hosts", { view: "" }, async ({ page }) => {
  const { captures } = simulatedRun("--steps", "8", "--hosts", "4", "--devices", "8", "--healthy", "--fault", "slow-host");
  await open(page, ...captures);
  await waitUntil(() => page.locator(".overview-about").innerText(), (text) => text.startsWith("worker-3 TPU:0 ("));
  assert.match(await verdict(page).innerText(), /^The device waits for input data/);
  const hosts = page.locator(".host-rows li");
  assert.deepEqual(await hosts.locator(".host-name").allInnerTexts(), ["worker-0", "worker-1", "worker-2", "worker-3"]);
  assert.deepEqual(await hosts.evaluateAll((all) => all.map((host) => host.querySelectorAll("circle").length)), [2, 2, 2, 2]);
  assert.deepEqual(await hosts.evaluateAll((all) => all.map((host) => host.className)), ["", "", "", "critical"]);
});

onPage("findings open by keyboard and lead to their view", { view: "", permissions: ["clipboard-read", "clipboard-write"] }, async ({ page }) => {
  await open(page, sample);
  await summaries(page).first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.ok(await summaries(page).nth(2).evaluate((summary) => summary === document.activeElement));
  await page.keyboard.press("Enter");
  assert.ok(await finding(page).nth(2).evaluate((one) => one.open));
  await page.keyboard.press("ArrowUp");
  assert.ok(await summaries(page).nth(1).evaluate((summary) => summary === document.activeElement));
  // The straggler is seen in the communication.
  await finding(page).nth(2).getByRole("button", { name: "Communication" }).click();
  await page.locator(".comm-pane").getByRole("button", { name: "Devices", exact: true, pressed: true }).waitFor();
  await page.keyboard.press("1");
  await verdict(page).waitFor();
  await page.getByRole("button", { name: "Copy Markdown" }).click();
  const copied = await waitUntil(() => page.evaluate(() => navigator.clipboard.readText()), (text) => text.length > 100);
  assert.equal(copied, cliOutput("overview", sample, "--markdown"));
});

onPage("evidence leads to an op, a time, a device and a step, and keys lead to the view and copy", { view: "", permissions: ["clipboard-read", "clipboard-write"] }, async ({ page }) => {
  await open(page, sample);
  const found = report(sample);
  const at = (id) => found.findings.findIndex((one) => one.id === id);
  const opened = async (n) => {
    if (!(await finding(page).nth(n).evaluate((one) => one.open))) await summaries(page).nth(n).click();
    return finding(page).nth(n);
  };
  const copies = await opened(at("layout_copies"));
  const { ops, spans } = found.findings[at("layout_copies")].evidence;
  await copies.locator(".finding-body .link.mono").first().click();
  await waitUntil(() => page.locator(".side-panel h2").first().innerText(), (name) => name.includes(ops[0].name));
  await page.keyboard.press("Escape");
  // The time in the timeline is as long as the one in the command line's answer.
  await copies.getByRole("button", { name: /^at / }).first().click();
  await page.locator(".timeline-figures, .timeline").first().waitFor();
  const [start, end] = await waitUntil(() => page.url().match(/range(?::|%3A)(\d+)-(\d+)/)?.slice(1).map(Number), (range) => range !== undefined);
  assert.equal(end - start, spans[0].end_ps - spans[0].start_ps);
  // The sums below are those of the device of the overview.
  await waitUntil(() => page.locator(".timeline-rows, .timeline").last().innerText(), (text) => text.includes(`${found.critical_device}, the selected range`));
  await page.keyboard.press("1");
  await verdict(page).waitFor();
  const slow = await opened(at("straggler"));
  const [device] = found.findings[at("straggler")].evidence.devices;
  await slow.getByRole("button", { name: device, exact: true }).click();
  await waitUntil(() => page.locator("[role=tab][aria-selected=true]").getAttribute("id"), (id) => id === "tab-breakdown");
  await waitUntil(() => page.locator(".pickers").innerText(), (text) => text.includes(device));
  await page.keyboard.press("1");
  await page.getByRole("button", { name: /^Step \d+ in the breakdown$/ }).first().click();
  await waitUntil(() => page.url(), (url) => /step=\d+/.test(url));
  await page.keyboard.press("1");
  await verdict(page).waitFor();
  await page.keyboard.press("y");
  await waitUntil(() => page.evaluate(() => navigator.clipboard.readText()), (text) => text.includes("| "));
  await summaries(page).first().focus();
  await page.keyboard.press("ArrowRight");
  await waitUntil(() => page.locator("[role=tab][aria-selected=true]").getAttribute("id"), (id) => id !== "tab-overview");
});

onPage("the program suggests its useful FLOPs, and the user confirms them", { view: "" }, async ({ page }) => {
  const dense = join(repository, "samples/gpu/xla.graphs.xplane.pb.xz");
  await open(page, dense);
  const { model_guess: guess } = report(dense);
  const label = page.locator("dt", { hasText: "MFU, useful FLOPs" });
  assert.ok((await page.locator(".overview-side").innerText()).includes("4 sequences per step with 1,024 tokens each"));
  assert.equal(await label.count(), 0);
  await page.getByRole("button", { name: "Use this guess" }).click();
  await label.waitFor();
  const figures = report(dense, "--tokens", `${guess.tokens}`, "--flops-per-token", `${guess.flops_per_token}`).figures;
  const shown = await page.locator(".figure", { has: label }).locator("dd").innerText();
  assert.equal(shown.replace(/\s/g, ""), `${(100 * figures.useful_mfu.value).toFixed(1)}%`);
  assert.equal(await page.getByRole("button", { name: "Use this guess" }).count(), 0);
  // The address keeps what the user confirmed.
  await waitUntil(() => decodeURIComponent(page.url()), (url) => url.includes(`${guess.flops_per_token}`));
  // A token of the sample does not use all experts, so that its guess exceeds the FLOPs that ran.
  await open(page, sample);
  await page.locator(".overview-side").getByText(/1\.25 × the FLOPs that ran, so it is too high/).waitFor();
  assert.equal(await page.getByRole("button", { name: "Use this guess" }).count(), 0);
});

onPage("a capture that does not name its chip is judged once the user has chosen it", { view: "", needs: vllm() }, async ({ page }) => {
  await open(page, vllm());
  await assertEqualsReport(page, report(vllm()));
  await page.getByText(/[Ll]ooks like TPU v7x.* Until you choose it, compute is not judged\./).waitFor();
  for (const theme of ["dark", "light"]) assert.deepEqual(await violations(page, theme), []);
  await page.locator("#overview-chip-button").click();
  await page.getByRole("option", { name: /^TPU v6e/ }).click();
  await assertEqualsReport(page, report(vllm(), "--chip", "v6e"));
  await page.getByText("You chose this chip.").waitFor();
  await page.locator(".figure dt", { hasText: /^MFU/ }).waitFor();
  // The roofline has the same peaks.
  await waitUntil(() => decodeURIComponent(page.url()), (url) => url.includes("chip:TPU v6e"));
  await page.getByRole("tab", { name: /^Roofline/ }).click();
  await page.locator(".peaks-button", { hasText: "918" }).waitFor();
});

onPage("tokens and FLOPs per token give the useful MFU, here and in the roofline", { view: "" }, async ({ page }) => {
  await open(page, sample);
  const labels = () => page.locator(".figure dt").allInnerTexts();
  assert.ok(!(await labels()).some((label) => /useful/.test(label)));
  await page.locator(".overview-side").getByRole("button", { name: /Enter FLOPs/ }).click();
  const fields = page.locator("#useful input");
  await fields.nth(0).fill("16");
  await fields.nth(1).fill("2048");
  await fields.nth(2).fill("6e9");
  await page.locator("#useful").getByRole("button", { name: "Apply" }).click();
  await waitUntil(labels, (all) => all.some((label) => /useful/.test(label)));
  const { figures } = report(sample, "--tokens", "32768", "--flops-per-token", "6e9");
  const percent = (figures.useful_mfu.value * 100).toFixed(1);
  const figure = page.locator(".figure", { hasText: "MFU, useful FLOPs" });
  assert.match(await figure.locator("dd").innerText(), new RegExp(`^${percent}`));
  await waitUntil(() => page.url(), (url) => /roofline=/.test(url));
});

for (const width of [390, 1440, 2560]) {
  onPage(`the overview is accessible and fits at ${width} pixels`, { view: "", width, height: 900 }, async ({ page }) => {
    await open(page, sample);
    for (const theme of ["light", "dark"]) {
      const found = await violations(page, theme);
      assert.deepEqual(found.map(({ id, nodes }) => [id, nodes[0]?.html.slice(0, 160)]), [], theme);
    }
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${overflow} pixels too wide`);
    const inner = await page.locator(".overview").evaluate((view) => view.scrollWidth - view.clientWidth);
    assert.ok(inner <= 0, `the view is ${inner} pixels too wide`);
  });
}

onPage("a link opens in the overview, with the same verdict and findings", { view: "", permissions: ["clipboard-read", "clipboard-write"] }, async ({ page }) => {
  await open(page, synth());
  const texts = () => page.locator(".verdict, .finding-text").allInnerTexts();
  const before = await texts();
  await page.keyboard.press("l");
  await page.getByRole("dialog").getByRole("button", { name: "Copy link" }).click();
  const link = await waitUntil(() => page.evaluate(() => navigator.clipboard.readText()), (text) => text.includes("report="));
  await page.goto("about:blank");
  await page.goto(link);
  await verdict(page).waitFor();
  assert.equal(await page.locator(".strip.summary").count(), 1);
  const after = await texts();
  // Source lines are not sent.
  assert.equal(after[0], before[0].replace(/ \([\w./]+\.py:\d+(, [\w./]*:\d+)*\)/, ""));
  assert.equal(after.length, before.length);
  // A link without lines of source leaves out the details that name them.
  for (const [at, text] of after.entries()) if (at > 0) assert.ok(before[at].startsWith(text.trim().split("\n")[0]), text);
});

onPage("all views show the device of the overview, unless the user chooses a mean, which the views say", { view: "" }, async ({ page }) => {
  await open(page, sample);
  const device = () => page.locator("#device-button").innerText().then((text) => text.replace(/\s+/g, " ").trim());
  const exposed = async () => (await figures(page))["Exposed comm."];
  await waitUntil(device, (text) => text === "Device TPU:5");
  const ofOverview = await waitUntil(exposed);
  for (const [key, view] of [["2", ".breakdown"], ["3", ".roofline"], ["5", ".comm"], ["6", ".timeline"], ["2", ".breakdown"]]) {
    await page.keyboard.press(key);
    await page.locator(view).first().waitFor();
    assert.equal(await device(), "Device TPU:5", view);
    assert.equal(await page.locator(".device-strip").count(), 0, view);
  }
  // The same figure has the same value in two views.
  await waitUntil(exposed, (share) => share === ofOverview);
  // A mean that the user chooses stays, and both the overview and the other views say what they show.
  await pick(page, "device", "Mean of 8");
  await waitUntil(() => page.url(), (url) => /device=mean/.test(url));
  assert.match(await page.locator(".device-strip").innerText(), /The figures are the mean of 8 devices; those of Overview are of TPU:5 alone/);
  await page.keyboard.press("1");
  await verdict(page).waitFor();
  await waitUntil(device, (text) => text === "Device TPU:5");
  assert.match(await page.locator(".overview-others").innerText(), /^The other views show the mean of 8 devices\. Show TPU:5 in all views$/);
  // The sums of the timeline are those of one device, which is beside the first figure.
  await page.keyboard.press("6");
  await waitUntil(() => page.locator(".timeline .figure.hero .figure-scope").allInnerTexts(), ([scope]) => scope?.trim() === "TPU:0");
  await page.keyboard.press("2");
  await waitUntil(device, (text) => text === "Device Mean of 8");
  await page.getByRole("button", { name: "Show TPU:5 here" }).click();
  await waitUntil(device, (text) => text === "Device TPU:5");
});

onPage("a finding leads to its device and its ops", { view: "" }, async ({ page }) => {
  await open(page, sample);
  const device = () => page.locator("#device-button").innerText().then((text) => text.replace(/\s+/g, " ").trim());
  const at = report(sample).findings.findIndex((one) => one.id === "layout_copies");
  if (!(await finding(page).nth(at).evaluate((one) => one.open))) await summaries(page).nth(at).click();
  await finding(page).nth(at).getByRole("button", { name: "Breakdown" }).click();
  await waitUntil(() => page.locator("#filter-status").innerText(), (text) => /^145 of 1,019 ops/.test(text));
  assert.equal(await device(), "Device TPU:5");
  assert.equal(await page.locator(".device-strip").count(), 0);
  await page.getByRole("button", { name: "145 ops of a finding: show all again" }).click();
  await waitUntil(() => page.getByRole("button", { name: /of a finding/ }).count(), (n) => n === 0);
});
