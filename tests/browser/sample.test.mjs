// These tests open the sample from the landing page with one click and compare the result with the data that the sample
// was made from. None of the analyses of this project computes these expected values (see examples/synth).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { made, repository, synth } from "./captures.mjs";
import { onPage } from "./harness.mjs";
import { opened, pickFiles, stays, until } from "./lib.mjs";
import { figures, pick, settled } from "./reading.mjs";

const sample = (page) => page.getByRole("button", { name: "Open the sample" });

/** Saves the table as JSON and returns the parsed report. */
async function saved(page) {
  await page.locator("#save-button").click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: /JSON/ }).click()]);
  return JSON.parse(readFileSync(await download.path(), "utf8"));
}

onPage("one click opens the sample: its breakdown is what was put in", async ({ page, requests }) => {
  const options = readFileSync(join(repository, "samples/arguments.txt"), "utf8").trim().split(/\s+/).filter((word) => word !== "--no-trace");
  const { truth } = made(...options);
  assert.ok(!requests.some((url) => url.includes("sample")), "it is fetched when it is asked for");
  await sample(page).click();
  await opened(page);
  assert.ok(requests.some((url) => url.endsWith("/sample.xplane.pb.xz")));
  await page.locator("#notes-button").click();
  await page.getByText("The times in this capture are simulated").waitFor();
  await page.keyboard.press("Escape");

  for (const [n, device] of truth.devices.entries()) {
    await pick(page, "device", `TPU:${n}`);
    await pick(page, "step", /all|whole/i);
    await settled(page);
    const { groups, totals } = await saved(page);
    assert.equal(totals.busy_duration_ps, device.busy_ps);
    const found = new Map(groups.map((group) => [group.key, group]));
    for (const [at, op] of truth.ops.entries()) {
      if (!device.runs[at]) continue;
      const row = found.get(op.name);
      assert.deepEqual([row.total_dur_ps, row.n_executions, row.flops_sum, row.bytes_accessed_sum], [device.self_ps[at], device.runs[at], op.flops * device.runs[at], op.bytes_accessed * device.runs[at]], op.name);
    }
    assert.equal(found.size, device.runs.filter((n) => n).length);
  }
  // The figure on screen agrees with the saved report.
  const { Busy } = await figures(page);
  const [, number, unit] = Busy.match(/([\d.]+) (ms|s)\b/);
  const seconds = Number(number) / (unit === "ms" ? 1000 : 1);
  const truly = truth.devices.at(-1).busy_ps / 1e12;
  assert.ok(Math.abs(seconds / truly - 1) < 1e-4, `${Busy}, not ${truly} s`);
});

onPage("without the sample beside the page: said, and the page goes on", { expected: /404/ }, async ({ page }) => {
  await page.route("**/sample.xplane.pb.xz", (route) => route.fulfill({ status: 404 }));
  await sample(page).click();
  const alert = page.getByRole("alert");
  await alert.getByText("The sample could not be fetched").waitFor();
  assert.match(await alert.innerText(), /404/);
  assert.ok(await sample(page).isVisible());
});

onPage("a sample that comes late takes no place: what was opened meanwhile stays", async ({ page }) => {
  let come;
  const late = new Promise((done) => (come = done));
  await page.route("**/sample.xplane.pb.xz", async (route) => {
    await late;
    await route.continue().catch(() => {}); // given up by the page
  });
  await sample(page).click();
  await page.locator(".loading").getByRole("button", { name: "Cancel" }).waitFor();
  await pickFiles(page, [synth()]);
  await opened(page);
  const title = await page.title();
  come();
  await stays(() => page.title(), (now) => now === title, 1000);
  assert.ok(!title.startsWith("sample"));
});

onPage("a reload opens the sample again, as it was looked at", async ({ page }) => {
  await sample(page).click();
  await opened(page);
  await page.keyboard.press("5");
  await until(() => page.url(), (url) => url.includes("view=communication") || url.includes("view=comm"));
  await page.reload();
  await page.locator("#tab-communication[aria-selected=true]").waitFor();
  assert.match(await page.title(), /^sample/);
});
