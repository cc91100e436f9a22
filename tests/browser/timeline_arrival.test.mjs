// Tests how the Timeline view begins: it opens on the step of the page, keys work at once, and a link to a gap shows the gap,
// what the host did then, and the cause. The name of the selected event is whole.
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository, simulatedRun } from "./captures.mjs";
import { cliOutput } from "./expected_values.mjs";
import { onPage } from "./harness.mjs";
import { pickFiles, waitForPaint, waitForTable, waitUntil } from "./lib.mjs";
import { figures, pick } from "./page_helpers.mjs";

const capture = () => simulatedRun("--steps", "5").captures[0];
const loader = join(repository, "samples/gpu/loader.graphs.xplane.pb.xz");
const canvas = (page) => page.locator("#timeline-canvas");
const part = (page) => new URLSearchParams(new URL(page.url()).hash.slice(1)).get("timeline")?.match(/part:([^;]*)/)?.[1];

onPage("the timeline opens on the step of the page, and follows it", async ({ page }) => {
  const file = capture();
  const step = (number) => JSON.parse(cliOutput("breakdown", file, "--json", "--device", "0", "--step", number)).step_duration_ps;
  const inView = async () => (await figures(page))["In view"] ?? (await figures(page)).Range;
  await pickFiles(page, [file]);
  await waitForTable(page);
  await pick(page, "device", "TPU:0");
  const numbers = await stepNumbers(page);
  await pick(page, "step", `Step ${numbers[1]}`);
  await page.keyboard.press("6");
  await canvas(page).waitFor();
  const text = (ps) => `${(ps / 1e9).toFixed(2)} ms`;
  await waitUntil(inView, (shown) => shown === text(step(numbers[1])));
  assert.equal(part(page), undefined, "the address needs no part");
  // Another step of the page is another part.
  await page.keyboard.press("]");
  await waitUntil(inView, (shown) => shown === text(step(numbers[2])));
  // A part that the user chose is left when the step changes.
  await page.keyboard.press("w");
  await waitUntil(() => part(page));
  await page.keyboard.press("[");
  await waitUntil(inView, (shown) => shown === text(step(numbers[1])));
  assert.equal(part(page), undefined);
});

async function stepNumbers(page) {
  await page.locator("#step-button").click();
  const labels = await page.locator("#step [role=option] .entry-label").allInnerTexts();
  await page.keyboard.press("Escape");
  return labels.map((label) => label.match(/^Step (\d+)/)?.[1]).filter(Boolean);
}

onPage("keys work when the timeline has just been opened, and the help lists them as they are typed", async ({ page }) => {
  await pickFiles(page, [capture()]);
  await waitForTable(page);
  await page.keyboard.press("6");
  await canvas(page).waitFor();
  // Nothing is in view before the tracks have arrived.
  await waitUntil(async () => (await figures(page))["In view"]);
  const focused = () => page.evaluate(() => document.activeElement.id);
  assert.equal(await focused(), "timeline-canvas");
  await page.keyboard.press("ArrowRight");
  await page.locator(".timeline-event > b").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".timeline-event > b").waitFor({ state: "detached" });
  // A keyboard that moves along the tabs stays there.
  await page.keyboard.press("5");
  await page.locator("#tab-communication[aria-selected=true]").focus();
  await page.keyboard.press("ArrowRight");
  await canvas(page).waitFor();
  await waitForPaint(page);
  assert.equal(await focused(), "tab-timeline");
  await page.keyboard.press("w");
  const zoomed = await waitUntil(() => part(page));
  await page.keyboard.press("d");
  const later = await waitUntil(() => part(page), (now) => now !== zoomed);
  assert.ok(Number(later.split("-")[0]) > Number(zoomed.split("-")[0]));
  await page.keyboard.press("0");
  await waitUntil(() => part(page), (now) => now === "all");
  await page.keyboard.press("g");
  await page.locator(".timeline-sums").getByRole("button", { name: "Idle", exact: true, pressed: true }).waitFor();
  // In a field, letters are text.
  await page.locator("#filter").fill("");
  await page.locator("#filter").press("w");
  assert.equal(await page.locator("#filter").inputValue(), "w");
  await page.keyboard.press("Escape");
  await page.locator("#timeline-canvas").focus();
  await page.keyboard.press("?");
  const keys = page.locator(".keys section", { has: page.getByRole("heading", { name: "Timeline" }) });
  await keys.waitFor();
  const caps = await keys.locator("kbd").allInnerTexts();
  assert.ok(caps.includes("w") && caps.includes("g"), caps.join(" "));
  assert.ok(!caps.some((cap) => /^[A-Z]$/.test(cap)), `no key needs Shift: ${caps.join(" ")}`);
});

// The evidence of a finding has a link to each gap, and “See” leads to the longest one.
for (const link of [/^at /, /^Timeline$/]) onPage(`the link ${link} of a finding shows the gap, the host and the cause`, { view: "" }, async ({ page }) => {
  await pickFiles(page, [loader]);
  const finding = page.locator(".finding", { hasText: "The device waits for the host" });
  await finding.waitFor();
  if (!(await finding.evaluate((one) => one.open))) await finding.locator("summary").click();
  await finding.getByRole("button", { name: link }).first().click();
  await canvas(page).waitFor();
  const sums = page.locator(".timeline-sums");
  await sums.getByRole("button", { name: "Idle", exact: true, pressed: true }).waitFor();
  await sums.locator(".tree").getByText("Host overhead").first().waitFor();
  await waitUntil(() => sums.innerText(), (text) => /nothing traced on \S+ for \d/.test(text));
  assert.doesNotMatch(await sums.innerText(), /No op runs here/);
  // The host is unfolded, and its first thread is in sight.
  await page.getByRole("button", { name: /^\/host:CPU/, expanded: true }).waitFor();
  const scroller = await page.locator(".timeline-scroll").boundingBox();
  const thread = page.locator(".timeline-track", { has: page.getByText("python3", { exact: true }) }).first();
  const isInSight = (box) => box !== null && box.y >= scroller.y && box.y + 20 < scroller.y + scroller.height;
  await waitUntil(() => thread.boundingBox(), isInSight);
  const idle = page.locator(".timeline-track", { has: page.getByText("Idle", { exact: true }) }).first();
  assert.ok(isInSight(await idle.boundingBox()), "the idle time is in sight, too");
  // The tracks stay where the user scrolls them.
  await page.locator(".timeline-scroll").evaluate((node) => node.scrollTo(0, 0));
  await waitForPaint(page);
  await page.keyboard.press("w");
  await waitForPaint(page);
  assert.equal(await page.locator(".timeline-scroll").evaluate((node) => node.scrollTop), 0);
  // The sums of a gap lead to its cause.
  await sums.getByRole("button", { name: "Sums", exact: true }).click();
  await sums.getByRole("button", { name: "Show what it waits for" }).click();
  await sums.locator(".tree").getByText("Host overhead").first().waitFor();
});

onPage("the name of the selected event is whole", { view: "" }, async ({ page }) => {
  await pickFiles(page, [loader]);
  await page.locator("#tab-timeline").click();
  await canvas(page).waitFor();
  await page.locator("#filter").fill("fusion");
  await page.locator(".timeline-tools").getByText(/events?, /).waitFor();
  await page.getByRole("button", { name: "Next hit" }).click();
  const name = page.locator(".timeline-event > b");
  await name.waitFor();
  for (const width of [1440, 900, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await waitForPaint(page);
    const [inner, outer, page_] = await name.evaluate((node) => [node.scrollWidth, node.clientWidth, document.documentElement.scrollWidth]);
    assert.ok(inner <= outer + 1, `${inner} of ${outer} at ${width}`);
    assert.ok(page_ <= width, `the page is not wider than ${width}`);
    const first = await page.locator(".timeline-event > *").first().evaluate((node) => node.tagName);
    assert.equal(first, "B");
  }
});
