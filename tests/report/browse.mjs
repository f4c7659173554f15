// SPDX-License-Identifier: Apache-2.0
// Opens pages in Chromium and writes what it finds on them as JSON.
// usage: node browse.mjs MODULES CHROMIUM PAGE...
import { readFileSync } from "fs";
import { createRequire } from "module";

const [modules, chromium, ...files] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const browser = await require("playwright-core").chromium.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });

// What stands on the page, in full digits.
function read() {
  const number = (cell) => (cell.dataset.value === "" ? null : Number(cell.dataset.value));
  const table = (selector) => Object.fromEntries([...document.querySelectorAll(`${selector} tr`)]
    .filter((row) => row.querySelector("td[data-value]"))
    .map((row) => [row.querySelector("th").textContent, number(row.querySelector("td[data-value]"))]));
  return {
    command: document.querySelector("h1").textContent, sentences: [...document.querySelectorAll(".sentences li")].map((item) => item.textContent),
    warning: document.querySelector(".warning")?.textContent ?? "", factors: table(".factors"), measurements: table("#measurements"),
    sections: [...document.querySelectorAll("main section")].map((section) => section.id), text: document.body.innerText,
    sweep: [...document.querySelectorAll(".sweep td")].map(number), compared: document.querySelectorAll(".compare thead th").length - 1,
    images: document.images.length, timeline: document.querySelector("#timeline figcaption")?.textContent ?? "",
  };
}

// The last pixels of a canvas that are not of one colour: a chart that was drawn.
function isDrawn(canvas) {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const words = new Uint32Array(data.buffer);
  return words.some((word) => word !== words[0]);
}

// The driver's own waitForFunction evaluates text in the page, which the page's policy forbids.
async function waitUntil(page, isSo) {
  for (const end = Date.now() + 20000; !(await page.evaluate(isSo));) {
    if (Date.now() > end) throw new Error(`${page.url()}: not so after 20 s: ${isSo}`);
    await page.waitForTimeout(10);
  }
}

async function useKeys(page) {
  const found = {};
  const square = page.locator("canvas.square").first();
  if ((await square.count()) > 0) {
    await square.focus();
    await page.keyboard.press("d");
    found.pair = await page.locator("#talk .under").textContent();
    await page.keyboard.press("+");
    found.isMatrixDrawn = await square.evaluate(isDrawn);
  }
  await page.locator("#table-sites thead button").first().focus();
  await page.keyboard.press("Enter");
  found.address = await page.evaluate(() => location.hash);
  const timeline = page.locator("canvas.timeline");
  if ((await timeline.count()) > 0) {
    await waitUntil(page, () => !document.querySelector("#timeline figcaption").textContent.startsWith("Unfolding"));
    await page.waitForTimeout(150);
    found.isTimelineDrawn = await timeline.evaluate(isDrawn);
  }
  return found;
}

async function visit(file) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const complaints = [];
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => { if (!/^(file|blob|data):/.test(request.url())) complaints.push(`asks for ${request.url()}`); });
  const start = Date.now();
  await page.goto(`file://${file}`);
  await waitUntil(page, () => document.documentElement.dataset.ready === "1");
  const found = { file, ready_ms: Date.now() - start, complaints };
  Object.assign(found, await useKeys(page), await page.evaluate(read));
  await page.evaluate(axe); // the page's policy does not hold for what the browser's driver runs
  const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
  found.violations = violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`);
  found.heap_bytes = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
  found.too_wide = [];
  for (const width of [400, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (over > 0) found.too_wide.push(`${over} px at ${width}`);
  }
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
