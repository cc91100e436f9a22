// These tests open the samples from the landing page with one click and compare the result with the data that the sample
// was made from. None of the analyses of this project computes these expected values (see examples/synth).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository, simulatedRun, synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { assertStays, pickFiles, waitForTable, waitUntil } from "./lib.mjs";
import { figures, pick, waitForRows } from "./page_helpers.mjs";

const gpuButton = (page) => page.getByRole("button", { name: "Open an H100 capture" });
const sampleButton = (page) => page.getByRole("button", { name: "Open the sample" });

/** Returns version and licence of the package. */
function manifest() {
  const text = readFileSync(join(repository, "Cargo.toml"), "utf8");
  const value = (name) => text.match(new RegExp(`^${name} = "(.*)"`, "m"))[1];
  return { version: value("version"), license: value("license") };
}

/** Saves the table as JSON and returns the parsed report. */
async function saveReport(page) {
  await page.locator("#save-button").click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: /JSON/ }).click()]);
  return JSON.parse(readFileSync(await download.path(), "utf8"));
}

onPage("one click opens the sample, and its breakdown equals the simulated values", async ({ page, requests }) => {
  const options = readFileSync(join(repository, "samples/arguments.txt"), "utf8").trim().split(/\s+/).filter((word) => word !== "--no-trace");
  const { truth } = simulatedRun(...options);
  assert.ok(!requests.some((url) => url.includes("sample")), "the page does not fetch the sample before the click");
  await sampleButton(page).click();
  await waitForTable(page);
  assert.ok(requests.some((url) => url.endsWith("/sample.xplane.pb.xz")));
  await page.locator("#notes-button").click();
  await page.getByText("The times in this capture are simulated").waitFor();
  await page.keyboard.press("Escape");

  for (const [n, device] of truth.devices.entries()) {
    await pick(page, "device", `TPU:${n}`);
    await pick(page, "step", /all|whole/i);
    await waitForRows(page);
    const { groups, totals } = await saveReport(page);
    assert.equal(totals.busy_duration_ps, device.busy_ps);
    const groupsByName = new Map(groups.map((group) => [group.key, group]));
    for (const [i, op] of truth.ops.entries()) {
      if (!device.runs[i]) continue;
      const row = groupsByName.get(op.name);
      assert.deepEqual([row.total_dur_ps, row.n_executions, row.flops_sum, row.bytes_accessed_sum], [device.self_ps[i], device.runs[i], op.flops * device.runs[i], op.bytes_accessed * device.runs[i]], op.name);
    }
    assert.equal(groupsByName.size, device.runs.filter((n) => n).length);
  }
  // The figure on screen agrees with the saved report.
  const { Busy } = await figures(page);
  const [, number, unit] = Busy.match(/([\d.]+) (ms|s)\b/);
  const seconds = Number(number) / (unit === "ms" ? 1000 : 1);
  const expectedSeconds = truth.devices.at(-1).busy_ps / 1e12;
  assert.ok(Math.abs(seconds / expectedSeconds - 1) < 1e-4, `${Busy} in place of ${expectedSeconds} s`);
});

onPage("when the sample cannot be fetched, the landing page shows an error", { expected: /404/ }, async ({ page }) => {
  await page.route("**/sample.xplane.pb.xz", (route) => route.fulfill({ status: 404 }));
  await sampleButton(page).click();
  const alert = page.getByRole("alert");
  await alert.getByText("The sample could not be fetched").waitFor();
  assert.match(await alert.innerText(), /404/);
  assert.ok(await sampleButton(page).isVisible());
});

onPage("a late sample does not replace a capture that was opened in the meantime", async ({ page }) => {
  let answerRequest;
  const answered = new Promise((done) => (answerRequest = done));
  await page.route("**/sample.xplane.pb.xz", async (route) => {
    await answered;
    await route.continue().catch(() => {}); // given up by the page
  });
  await sampleButton(page).click();
  await page.locator(".loading").getByRole("button", { name: "Cancel" }).waitFor();
  await pickFiles(page, [synth()]);
  await waitForTable(page);
  const title = await page.title();
  answerRequest();
  await assertStays(() => page.title(), (current) => current === title, 1000);
  assert.ok(!title.startsWith("sample"));
});

onPage("a reload opens the sample again in the same view", async ({ page }) => {
  await sampleButton(page).click();
  await waitForTable(page);
  await page.keyboard.press("5");
  await waitUntil(() => page.url(), (url) => url.includes("view=communication") || url.includes("view=comm"));
  await page.reload();
  await page.locator("#tab-communication[aria-selected=true]").waitFor();
  assert.match(await page.title(), /^sample/);
});

onPage("one click opens the capture of an H100, and a reload opens it again", async ({ page, requests }) => {
  await gpuButton(page).click();
  await waitForTable(page);
  const url = requests.find((url) => url.endsWith("/xla.graphs.xplane.pb.xz"));
  assert.ok(url && !requests.some((url) => url.endsWith("/sample.xplane.pb.xz")));
  assert.match(await page.title(), /^h100/);
  const size = await page.evaluate(async (url) => (await (await fetch(url)).arrayBuffer()).byteLength, url);
  assert.ok(size > 0 && size < 100_000, `the capture stays small, and has ${size} bytes`);
  await page.reload();
  await waitForTable(page);
  assert.match(await page.title(), /^h100/);
});

onPage("the landing page names version and licence, and how to check that nothing leaves the tab", async ({ page }) => {
  const { version, license } = manifest();
  const text = await page.locator(".landing").innerText();
  assert.ok(text.includes(`Rooflight ${version} · open source, ${license.replace(" OR ", " or ")}`), text);
  assert.match(text, /Turn off your network and try/);
  assert.match(text, /jax\.profiler\.trace/);
});
