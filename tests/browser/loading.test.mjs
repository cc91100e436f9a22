// Tests a load in progress: the page shows the progress, stays responsive, and can cancel the load at once, whatever
// the worker does. Durations are measured in bench.mjs and not here.
import assert from "node:assert/strict";
import { ENDLESS_PLANE, synth, truncated, write } from "./captures.mjs";
import { holdReplies, onPage } from "./harness.mjs";
import { dropFiles, reload, waitForPaint, waitForTable, waitUntil } from "./lib.mjs";
import { column, compareNaturally, figures, firstRows, grid, sortBy, waitForRows } from "./page_helpers.mjs";

const cancelButton = (page) => page.getByRole("button", { name: "Cancel" });

async function startLoad(page, file = synth()) {
  await dropFiles(page, [file]);
  await page.getByRole("progressbar").waitFor();
}

onPage("a large capture is read to its end, and its progress never decreases", async ({ page }) => {
  // Values are recorded from the first frame on, because a fast machine shows the bar only for a moment.
  await page.addInitScript(() => {
    window.progressValues = [];
    new MutationObserver(() => {
      const bar = document.querySelector("[role=progressbar]");
      if (bar) window.progressValues.push(Number(bar.getAttribute("aria-valuenow")));
    }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["aria-valuenow"] });
  });
  await reload(page);
  await dropFiles(page, [synth({ mb: 50, devices: 4, ops: 400 })]);
  await waitForTable(page);
  const values = await page.evaluate(() => window.progressValues);
  assert.ok(values.every((value, i) => value >= 0 && value <= 100 && (i === 0 || value >= values[i - 1])), `the progress was ${values}`);
  // The first device is shown while the rest is read.
  await waitUntil(() => page.locator("#device-button").innerText(), (text) => /Mean of 4/.test(text));
  await page.locator("#device-button").click();
  await waitUntil(() => page.locator("#device").getByRole("option").count(), (n) => n === 6);
});

onPage("no task forces a layout while the page builds the view of a capture", async ({ page }) => {
  // The duration of a task depends on the machine. This test checks that no task forces a layout while it builds the
  // page.
  await page.addInitScript(() => {
    const firstCellText = () => document.querySelector("[role=grid] [data-row='0'] [role=gridcell]")?.textContent;
    new MutationObserver((_, observer) => {
      if (!firstCellText()) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => (window.rowsShown = true)));
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  await holdReplies(page);
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: ["devtools.timeline", "disabled-by-default-devtools.timeline"] });
  await startLoad(page);
  await page.evaluate(() => window.release());
  // The polling runs outside the page, because the trace must contain only the page's own frames and timers.
  await waitUntil(() => page.evaluate(() => window.rowsShown));
  const events = JSON.parse(await browser.stopTracing()).traceEvents.filter((event) => event.ph === "X");
  const isWithin = (outer) => (event) =>
    event.pid === outer.pid && event.tid === outer.tid && event.ts >= outer.ts && event.ts + event.dur <= outer.ts + outer.dur;
  const layouts = events.filter((event) => event.name === "Layout");
  const tasks = events.filter((event) => ["TimerFire", "HandlePostMessage"].includes(event.name));
  assert.ok(layouts.length > 1 && tasks.length > 4, `${layouts.length} layouts, ${tasks.length} tasks`);
  const forcedLayouts = tasks.map((task) => layouts.filter(isWithin(task)).map((layout) => [task.name, layout.args.beginData.dirtyObjects]));
  assert.deepEqual(forcedLayouts.flat(), []);
});

onPage("the page stays responsive while a file is read", async ({ page }) => {
  await holdReplies(page);
  await startLoad(page);
  assert.match(await page.getByRole("heading", { level: 1 }).innerText(), /synth-1-2-40\.xplane\.pb/);
  assert.ok((await page.getByRole("table", { name: "Stages of the load" }).getByRole("row").count()) >= 3);
  // Until the load ends, the names of the views are shown in grey and have no tab role.
  assert.equal(await page.locator(".tabs .tab.off").count(), 8);
  assert.equal(await page.getByRole("tab").count(), 0);
  await waitUntil(() => cancelButton(page).evaluate((button) => button === document.activeElement), Boolean);
  await page.getByRole("button", { name: "Keys and help" }).click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  assert.ok(await page.getByRole("progressbar").isVisible(), "Esc closes the dialog and does not cancel the load");
  assert.match(await page.getByRole("status").first().textContent(), /synth|%|read/i);
  await page.evaluate(() => window.release());
  await waitForTable(page);
  assert.equal(await page.getByRole("progressbar").count(), 0);
});

onPage("the page lists notes while files are read", async ({ page }) => {
  await holdReplies(page);
  await startLoad(page, truncated(synth(), 0.6, "cut.xplane.pb"));
  await page.locator(".loading-notes").getByText(/\d+ notes? so far/).waitFor();
  assert.match(await page.locator(".loading-notes li").first().innerText(), /cut\.xplane\.pb/);
  await page.evaluate(() => window.release());
  await waitForTable(page);
});

for (const [method, cancelLoad] of [["the button", (page) => cancelButton(page).click()], ["Esc", (page) => page.keyboard.press("Escape")]]) {
  onPage(`without an open capture, a load cancelled by ${method} returns to the landing page`, async ({ page }) => {
    await holdReplies(page);
    await startLoad(page);
    await cancelLoad(page);
    await page.getByText("Drop a capture anywhere").waitFor();
    await waitUntil(() => page.workers().length, (n) => n === 0);
    await page.evaluate(() => window.release());
    assert.equal(await grid(page).count(), 0, "the cancelled load does not open");
    await dropFiles(page, [synth()]);
    await waitForTable(page);
  });

  onPage(`with an open capture, a load cancelled by ${method} restores the capture`, async ({ page }) => {
    await dropFiles(page, [synth({ devices: 1 })]);
    await waitForTable(page);
    await sortBy(page, "Count", "descending");
    // The table draws as many rows as fit, once it has been laid out.
    await waitForPaint(page);
    const screenState = async () => JSON.stringify([await figures(page), await firstRows(page), await page.title()]);
    const before = await screenState();
    // This worker runs an endless loop, so the page can only terminate it.
    await page.evaluate(() => {
      const RealWorker = window.Worker;
      window.Worker = class extends RealWorker {
        constructor() {
          super(URL.createObjectURL(new Blob(["for (;;);"], { type: "text/javascript" })));
        }
      };
      window.restore = () => (window.Worker = RealWorker);
    });
    await startLoad(page);
    // Before the worker's first message, the page shows the total size and the current stage and file, and not "0 B".
    const text = await page.locator(".loading").innerText();
    assert.match(text, /[\d,.]+ [KM]iB to read/);
    assert.doesNotMatch(text, /(^|\s)0 B/);
    assert.match(await page.locator(".stages .now").innerText(), /Detect format.*synth-1-2-40\.xplane\.pb/s);
    assert.ok(!(await grid(page).isVisible()));
    await cancelLoad(page);
    await waitForTable(page);
    await waitUntil(screenState, (state) => state === before);
    await waitUntil(() => page.workers().length, (n) => n === 1);
    await sortBy(page, "Op", "ascending");
    const names = await column(page, "Op");
    assert.deepEqual(names, [...names].sort(compareNaturally));
    await page.evaluate(() => window.restore());
    await dropFiles(page, [synth()]);
    await page.locator("#capture-button").getByText("synth-1-2-40").waitFor();
    await waitForRows(page);
  });
}

onPage("a second drop replaces the load in progress", async ({ page }) => {
  await holdReplies(page);
  await startLoad(page, synth({ devices: 1 }));
  await startLoad(page, synth({ devices: 2 }));
  await waitUntil(() => page.workers().length, (n) => n === 1);
  await page.evaluate(() => window.release());
  await waitForTable(page);
  assert.equal(await page.title(), "synth-1-2-40.xplane.pb · Rooflight");
});

onPage("a file that fails during another load shows an error and ends the load", async ({ page }) => {
  await holdReplies(page);
  await startLoad(page);
  await dropFiles(page, [write("endless.xplane.pb", ENDLESS_PLANE)]);
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByRole("progressbar").count(), 0);
});

onPage("the worker reads the files, and the page reads none", async ({ page }) => {
  // The page and the worker run the same program, so every function that could read a file in the page is watched.
  await page.evaluate(() => {
    window.reads = [];
    for (const owner of ["Blob", "FileReader", "Response"]) {
      for (const name of ["arrayBuffer", "text", "stream", "bytes", "readAsArrayBuffer", "readAsText"]) {
        const original = Object.hasOwn(window[owner].prototype, name) && window[owner].prototype[name];
        if (!original) continue;
        window[owner].prototype[name] = function (...args) {
          window.reads.push(`${owner}.${name}`);
          return original.apply(this, args);
        };
      }
    }
  });
  await page.evaluate(() => new Blob(["x"]).text());
  assert.deepEqual(await page.evaluate(() => window.reads.splice(0)), ["Blob.text"], "the watch records a read");
  await dropFiles(page, [synth()]);
  await waitForTable(page);
  assert.deepEqual(await page.evaluate(() => window.reads), [], "the page reads no file");
});
