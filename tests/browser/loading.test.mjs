// Tests a load in progress: the page shows the progress, stays responsive, and can cancel the load at once, whatever
// the worker does. Durations are measured in bench.mjs and not here.
import assert from "node:assert/strict";
import { ENDLESS_PLANE, cut, synth, write } from "./captures.mjs";
import { holdLoads, onPage } from "./harness.mjs";
import { dropFiles, opened, painted, reload, until } from "./lib.mjs";
import { column, figures, grid, naturally, seenRows, settled, sortBy } from "./reading.mjs";

const cancel = (page) => page.getByRole("button", { name: "Cancel" });

async function loading(page, file = synth()) {
  await dropFiles(page, [file]);
  await page.getByRole("progressbar").waitFor();
}

onPage("a large capture: read to the end, and the page counts along", async ({ page }) => {
  // Values are recorded from the first frame on, because a fast machine shows the bar only for a moment.
  await page.addInitScript(() => {
    window.seen = [];
    new MutationObserver(() => {
      const bar = document.querySelector("[role=progressbar]");
      if (bar) window.seen.push(Number(bar.getAttribute("aria-valuenow")));
    }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["aria-valuenow"] });
  });
  await reload(page);
  await dropFiles(page, [synth({ mb: 50, devices: 4, ops: 400 })]);
  await opened(page);
  const seen = await page.evaluate(() => window.seen);
  assert.ok(seen.every((value, at) => value >= 0 && value <= 100 && (at === 0 || value >= seen[at - 1])), `it went ${seen}`);
  assert.match(await page.locator("#device-button").innerText(), /TPU:0/);
  await page.locator("#device-button").click();
  await until(() => page.locator("#device").getByRole("option").count(), (n) => n === 5);
});

onPage("what is shown is laid out in frames alone: no task of the page waits for it", async ({ page }) => {
  // The duration of a task depends on the machine. This test checks that no task forces a layout while it builds the
  // page.
  await page.addInitScript(() => {
    const shown = () => document.querySelector("[role=grid] [data-row='0'] [role=gridcell]")?.textContent;
    new MutationObserver((_, observer) => {
      if (!shown()) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => (window.rowsShown = true)));
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  await holdLoads(page);
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: ["devtools.timeline", "disabled-by-default-devtools.timeline"] });
  await loading(page);
  await page.evaluate(() => window.release());
  // The polling runs outside the page, because the trace must contain only the page's own frames and timers.
  await until(() => page.evaluate(() => window.rowsShown));
  const events = JSON.parse(await browser.stopTracing()).traceEvents.filter((event) => event.ph === "X");
  const within = (outer) => (event) =>
    event.pid === outer.pid && event.tid === outer.tid && event.ts >= outer.ts && event.ts + event.dur <= outer.ts + outer.dur;
  const layouts = events.filter((event) => event.name === "Layout");
  const tasks = events.filter((event) => ["TimerFire", "HandlePostMessage"].includes(event.name));
  assert.ok(layouts.length > 1 && tasks.length > 4, `${layouts.length} layouts, ${tasks.length} tasks`);
  const early = tasks.map((task) => layouts.filter(within(task)).map((layout) => [task.name, layout.args.beginData.dirtyObjects]));
  assert.deepEqual(early.flat(), []);
});

onPage("the page answers while a file is read", async ({ page }) => {
  await holdLoads(page);
  await loading(page);
  assert.match(await page.getByRole("heading", { level: 1 }).innerText(), /synth-1-2-40\.xplane\.pb/);
  assert.ok((await page.getByRole("table", { name: "Stages of the load" }).getByRole("row").count()) >= 3);
  // Until the load ends, the names of the views are shown in grey and have no tab role.
  assert.equal(await page.locator(".tabs .tab.off").count(), 5);
  assert.equal(await page.getByRole("tab").count(), 0);
  await until(() => cancel(page).evaluate((button) => button === document.activeElement), Boolean);
  await page.getByRole("button", { name: "Keys and help" }).click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  assert.ok(await page.getByRole("progressbar").isVisible(), "Esc closed the dialog, not the load");
  assert.match(await page.getByRole("status").first().textContent(), /synth|%|read/i);
  await page.evaluate(() => window.release());
  await opened(page);
  assert.equal(await page.getByRole("progressbar").count(), 0);
});

onPage("notes are listed while files are read", async ({ page }) => {
  await holdLoads(page);
  await loading(page, cut(synth(), 0.6, "cut.xplane.pb"));
  await page.locator(".loading-notes").getByText(/\d+ notes? so far/).waitFor();
  assert.match(await page.locator(".loading-notes li").first().innerText(), /cut\.xplane\.pb/);
  await page.evaluate(() => window.release());
  await opened(page);
});

for (const [how, press] of [["the button", (page) => cancel(page).click()], ["Esc", (page) => page.keyboard.press("Escape")]]) {
  onPage(`cancelled by ${how}, with nothing open: the landing page`, async ({ page }) => {
    await holdLoads(page);
    await loading(page);
    await press(page);
    await page.getByText("Drop a capture anywhere").waitFor();
    await until(() => page.workers().length, (n) => n === 0);
    await page.evaluate(() => window.release());
    assert.equal(await grid(page).count(), 0, "what was cancelled does not come back");
    await dropFiles(page, [synth()]);
    await opened(page);
  });

  onPage(`cancelled by ${how}, with a capture open: it is as it was`, async ({ page }) => {
    await dropFiles(page, [synth({ devices: 1 })]);
    await opened(page);
    await sortBy(page, "Count", "descending");
    // The table draws as many rows as fit, once it has been laid out.
    await painted(page);
    const shown = async () => JSON.stringify([await figures(page), await seenRows(page), await page.title()]);
    const before = await shown();
    // This worker runs an endless loop, so the page can only terminate it.
    await page.evaluate(() => {
      const Real = window.Worker;
      window.Worker = class extends Real {
        constructor() {
          super(URL.createObjectURL(new Blob(["for (;;);"], { type: "text/javascript" })));
        }
      };
      window.restore = () => (window.Worker = Real);
    });
    await loading(page);
    // Before the worker's first message, the page shows the total size and the current stage and file, and not "0 B".
    const said = await page.locator(".loading").innerText();
    assert.match(said, /[\d,.]+ [KM]iB to read/);
    assert.doesNotMatch(said, /(^|\s)0 B/);
    assert.match(await page.locator(".stages .now").innerText(), /Detect format.*synth-1-2-40\.xplane\.pb/s);
    assert.ok(!(await grid(page).isVisible()));
    await press(page);
    await opened(page);
    await until(shown, (now) => now === before);
    await until(() => page.workers().length, (n) => n === 1);
    await sortBy(page, "Op", "ascending");
    const names = await column(page, "Op");
    assert.deepEqual(names, [...names].sort(naturally));
    await page.evaluate(() => window.restore());
    await dropFiles(page, [synth()]);
    await page.locator("#capture-button").getByText("synth-1-2-40").waitFor();
    await settled(page);
  });
}

onPage("a second drop replaces the load under way", async ({ page }) => {
  await holdLoads(page);
  await loading(page, synth({ devices: 1 }));
  await loading(page, synth({ devices: 2 }));
  await until(() => page.workers().length, (n) => n === 1);
  await page.evaluate(() => window.release());
  await opened(page);
  assert.equal(await page.title(), "synth-1-2-40.xplane.pb · Rooflight");
});

onPage("a file that fails while another is read: the first is told, nothing hangs", async ({ page }) => {
  await holdLoads(page);
  await loading(page);
  await dropFiles(page, [write("endless.xplane.pb", ENDLESS_PLANE)]);
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByRole("progressbar").count(), 0);
});

onPage("files are read in the worker: the page reads none", async ({ page }) => {
  // The page and the worker run the same program, so every function that could read a file in the page is watched.
  await page.evaluate(() => {
    window.reads = [];
    for (const of of ["Blob", "FileReader", "Response"]) {
      for (const name of ["arrayBuffer", "text", "stream", "bytes", "readAsArrayBuffer", "readAsText"]) {
        const real = Object.hasOwn(window[of].prototype, name) && window[of].prototype[name];
        if (!real) continue;
        window[of].prototype[name] = function (...given) {
          window.reads.push(`${of}.${name}`);
          return real.apply(this, given);
        };
      }
    }
  });
  await page.evaluate(() => new Blob(["x"]).text());
  assert.deepEqual(await page.evaluate(() => window.reads.splice(0)), ["Blob.text"], "it is heard");
  await dropFiles(page, [synth()]);
  await opened(page);
  assert.deepEqual(await page.evaluate(() => window.reads), [], "nothing was read in the page");
});
