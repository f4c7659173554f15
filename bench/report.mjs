// SPDX-License-Identifier: Apache-2.0
// How quick pages are in Chromium, as JSON: first paint, until all sections stand, until the timeline is drawn; of steps of zooming and
// moving how long the page obeys nothing, its CPU time, and how long it takes until the worker has answered and what it said is drawn; of
// moves of sliders how long it takes until the predicted time is there.
// usage: node report.mjs MODULES CHROMIUM PAGE...
import { readFileSync } from "fs";
import { launch, waitUntil } from "../tests/report/chromium.mjs";

const [modules, chromium, ...files] = process.argv.slice(2);
const kRound = ["+", "+", "+", "ArrowRight", "ArrowLeft", "-", "+", "ArrowRight", "-", "0"];
const kSteps = [...kRound, ...kRound, ...kRound, ...kRound];
const browser = await launch(modules, chromium);

// Keys that a canvas gets: of what follows each the longest stretch in which the page obeys nothing (0: none above 50 ms), by the clock,
// and the CPU time of all of it, which depends less on what else the machine does.
async function steps(page, selector) {
  const canvas = page.locator(selector).first();
  if ((await canvas.count()) === 0) return { longest: [], cpu: [], drawn: [] };
  await canvas.focus();
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const cpuMs = async () => 1000 * (await session.send("Performance.getMetrics")).metrics.find((each) => each.name === "TaskDuration").value;
  const times = { longest: [], cpu: [], drawn: [] };
  for (const key of kSteps) {
    const [before, cpuBefore] = [await page.evaluate(() => globalThis.busy.length), await cpuMs()];
    await page.evaluate(() => { globalThis.drawn = 0; });
    await page.keyboard.press(key);
    await page.waitForTimeout(250);
    await waitUntil(page, () => document.documentElement.dataset.asking === undefined);
    times.cpu.push((await cpuMs()) - cpuBefore);
    times.drawn.push(await page.evaluate(() => globalThis.drawn));
    times.longest.push(await page.evaluate((from) => Math.max(0, ...globalThis.busy.slice(from)), before));
  }
  await session.detach();
  return times;
}

// Moves of the sliders of What if: how long each takes until the network that they say has its answer; nothing where there are none.
const kMoves = [...Array(6).fill("ArrowRight"), ...Array(3).fill("ArrowLeft"), "PageUp", "PageDown"];
async function moves(page) {
  const sliders = page.locator("#whatif input[type=range]");
  await waitUntil(page, () => document.documentElement.dataset.asking === undefined, 120);
  if ((await sliders.count()) === 0) return [];
  await page.evaluate(() => new MutationObserver(() => {
    if (globalThis.answeredAt === 0 && document.querySelector("#whatif .predicted")?.textContent.startsWith("Playing") === false)
      globalThis.answeredAt = performance.now();
  }).observe(document.querySelector("#whatif"), { subtree: true, childList: true, characterData: true, attributes: true }));
  const times = [];
  for (let i = 0; i < (await sliders.count()); ++i) {
    await sliders.nth(i).focus();
    for (const key of kMoves) {
      await page.evaluate(() => { globalThis.answeredAt = 0; });
      const value = await sliders.nth(i).inputValue();
      await page.keyboard.press(key);
      if ((await sliders.nth(i).inputValue()) === value) continue; // it is at its end
      await waitUntil(page, () => globalThis.answeredAt > 0);
      times.push(await page.evaluate(() => globalThis.answeredAt - globalThis.pressedAt));
      await waitUntil(page, () => document.documentElement.dataset.asking === undefined);
    }
  }
  return times;
}

// What the page's process holds, its worker's memory with it; an empty page holds some 40 MB.
async function memory() {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const kB = ({ id }) => Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, "utf8"))[1]);
  return Math.max(...processInfo.filter(({ type }) => type === "renderer").map(kB)) * 1024;
}

async function visit(file) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.addInitScript(() => {
    globalThis.busy = []; // stretches of more than 50 ms, in ms
    globalThis.pressedAt = 0;
    globalThis.drawn = 0; // ms from a key until all that was asked was answered, and the frame after that
    addEventListener("keydown", () => { globalThis.pressedAt = performance.now(); }, { capture: true });
    new MutationObserver(() => {
      if (document.documentElement.dataset.asking === undefined) requestAnimationFrame(() => { globalThis.drawn = performance.now() - globalThis.pressedAt; });
    }).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-asking"] });
    new PerformanceObserver((list) => globalThis.busy.push(...list.getEntries().map((entry) => entry.duration))).observe({ entryTypes: ["longtask"] });
  });
  const start = Date.now();
  await page.goto(`file://${file}`);
  const since = async (isSo) => {
    await waitUntil(page, isSo, 120);
    return Date.now() - start;
  };
  const ready = await since(() => document.documentElement.dataset.ready === "1");
  const timeline = await since(() => !document.querySelector("#timeline figcaption")?.textContent.startsWith("Unfolding"));
  const found = { ready_ms: ready, timeline_ms: timeline };
  found.first_ms = Math.round(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0));
  found.heap_bytes = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
  found.memory_bytes = await memory();
  for (const [name, selector] of [["matrix", "canvas.square"], ["graph", "canvas.graph"], ["timeline", "canvas.timeline"]])
    found[`${name}_steps_ms`] = await steps(page, selector);
  found.sliders_answer_ms = await moves(page);
  await page.close();
  return found;
}

try {
  const results = [];
  for (const file of files) results.push(await visit(file));
  console.log(JSON.stringify(results));
} finally {
  await browser.close();
}
