// SPDX-License-Identifier: Apache-2.0
// Opens pages in Chromium and writes what it finds on them as JSON.
// usage: node browse.mjs MODULES CHROMIUM PAGE...
// Views that are opened again and sliders take half of a page's time: they are used on pages called +PAGE only. Accessibility
// takes a quarter: it is not looked at on pages called -PAGE.
import { readFileSync } from "fs";
import { answered, launch, open, requireFrom, settled, visitAll, waitUntil } from "./chromium.mjs";

const [modules, chromium, ...names] = process.argv.slice(2);
const files = names.map((name) => name.replace(/^[-+]/, ""));
const isUsedWhole = (file) => names.includes(`+${file}`);
const isLookedAtByAxe = (file) => !names.includes(`-${file}`);
const axe = readFileSync(requireFrom(modules).resolve("axe-core/axe.min.js"), "utf8");
const browser = await launch(modules, chromium);

// What stands on the page, in full digits.
function read() {
  const number = (cell) => Number(cell.dataset.value);
  return {
    command: document.querySelector("h1").textContent, sentences: [...document.querySelectorAll(".sentences li")].map((item) => item.textContent),
    warning: document.querySelector(".warning")?.textContent ?? "",
    sections: [...document.querySelectorAll("main section")].map((section) => section.id), text: document.body.innerText,
    sweep: [...document.querySelectorAll(".sweep td")].map(number), compared: document.querySelectorAll(".compare thead th").length - 1,
    axis: [...(document.querySelector(".axis.top")?.children ?? [])].map((label) => label.textContent), images: document.images.length, timeline: document.querySelector("#timeline figcaption")?.textContent ?? "",
  };
}

// The last pixels of a canvas that are not of one colour: a chart that was drawn.
function isDrawn(canvas) {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const words = new Uint32Array(data.buffer);
  return words.some((word) => word !== words[0]);
}

async function useKeys(page) {
  const found = {};
  const square = page.locator("canvas.square").first();
  if ((await square.count()) > 0) {
    await square.focus();
    await page.keyboard.press("d");
    await answered(page);
    found.pair = await page.locator("#talk .under").textContent();
    await page.keyboard.press("+");
    await answered(page);
    found.isMatrixDrawn = await square.evaluate(isDrawn);
  }
  await page.locator("#table-sites thead button").first().focus();
  await page.keyboard.press("Enter");
  await waitUntil(page, () => location.hash.includes("sort"));
  found.address = await page.evaluate(() => location.hash);
  const timeline = page.locator("canvas.timeline");
  if ((await timeline.count()) > 0) {
    await waitUntil(page, () => !document.querySelector("#timeline figcaption").textContent.startsWith("Unfolding"));
    await settled(page, () => timeline.evaluate((canvas) => canvas.toDataURL()));
    found.isTimelineDrawn = await timeline.evaluate(isDrawn);
  }
  return found;
}

// Keys go on from what is in view, not from rank 0.
async function useKeysInside(page) {
  const graph = page.locator("canvas.graph");
  if ((await graph.count()) === 0 || !/Graph of \d{5} ranks/.test(await graph.getAttribute("aria-label"))) return {};
  const found = {};
  for (const [name, canvas, key, section] of [["inner_pair", page.locator("canvas.square").first(), "d", "#talk"], ["inner_rank", graph, "n", "#topology"]]) {
    await canvas.focus();
    for (const each of ["0", ..."++++++++++", key]) await page.keyboard.press(each);
    await answered(page);
    found[name] = await page.locator(`${section} .under`).first().textContent();
    await page.keyboard.press("0");
  }
  return found;
}

// A view that was zoomed is the same where its address is opened again.
async function useAddress(page, file) {
  const timeline = page.locator("canvas.timeline");
  if ((await timeline.count()) === 0) return {};
  const picture = () => timeline.evaluate((canvas) => canvas.toDataURL());
  const said = () => page.locator("#timeline .messages").textContent();
  const [whole, arrows] = [await picture(), await said()];
  await timeline.focus();
  for (const key of ["+", "+", "ArrowRight"]) await page.keyboard.press(key);
  await page.waitForTimeout(450); // addresses are not written with each key
  const [before, address, text] = [await settled(page, picture), await page.evaluate(() => location.hash), await said()];
  await page.goto("about:blank");
  await page.goto(`file://${file}${address}`);
  await waitUntil(page, () => document.querySelector("#timeline .messages"));
  await settled(page, picture);
  return { arrows, zoomed_address: address, is_zoomed: before !== whole, is_same_view: (await picture()) === before && (await said()) === text };
}

// A line of the program is lit elsewhere, a rank has a program of its own.
async function useProgram(page) {
  const found = {};
  const sends = page.locator("#program button.leaf", { hasText: /^(i|s)?send/ });
  if ((await sends.count()) > 0) {
    await sends.first().click();
    await waitUntil(page, () => document.querySelector("#talk .lit") && document.querySelector("#timeline .lit"));
    found.lit = await page.locator("#talk .lit").textContent();
  }
  await page.locator("#program details summary").click();
  await waitUntil(page, () => document.querySelector("pre.own")?.textContent !== "");
  found.own = await page.locator("pre.own").textContent();
  found.drawings = await page.locator("svg.pattern").count();
  found.first_drawing = await page.locator(".card").first().locator("svg.pattern .head").count().catch(() => 0);
  return found;
}

// What is predicted after each move, and the command that predicts the same.
async function useSliders(page) {
  const sliders = page.locator("#whatif input[type=range]");
  const keys = [["ArrowRight", 7], ["Home", 1], ["ArrowRight", 45], ["Home", 1], ["ArrowLeft", 3]]; // of each slider: which, how often
  const moves = [];
  const look = async () => {
    await answered(page);
    moves.push(await page.evaluate(() => ({ predicted: Number(document.querySelector(".predicted strong")?.dataset.value),
      said: document.querySelector(".predicted").textContent, command: document.querySelector("#whatif .network")?.textContent ?? "" })));
  };
  if ((await sliders.count()) > 0) await look();
  for (let i = 0; i < (await sliders.count()); ++i) {
    await sliders.nth(i).focus();
    for (let times = 0; times < keys[i][1]; ++times) await page.keyboard.press(keys[i][0]);
    await look();
  }
  return moves;
}

const picturesOf = (page) => page.evaluate(() => [...document.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL()));
const kRefusals = {
  throws: () => { globalThis.Worker = class { constructor() { throw new Error("refused"); } }; },
  fails: () => { globalThis.Worker = class extends EventTarget { constructor() { super(); setTimeout(() => this.onerror(new Event("error", { cancelable: true }))); } terminate() {} }; },
};

// Browsers that refuse workers show the same, with the page's own program.
async function withoutWorker(file) {
  const found = {};
  const pictures = [];
  for (const refusal of [() => undefined, ...Object.values(kRefusals)]) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.addInitScript(refusal);
    await open(page, file);
    await answered(page);
    pictures.push(await settled(page, () => picturesOf(page).then(String)));
    found.workers = [...(found.workers ?? []), await page.evaluate(() => document.documentElement.dataset.worker)];
    await page.close();
  }
  return { ...found, is_same: pictures.every((each) => each === pictures[0]) };
}

// What makes a page hard to use for some.
async function violationsOn(page) {
  await page.evaluate(axe); // the page's policy does not hold for what the browser's driver runs
  const { violations } = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
  return violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`);
}

async function visit(file) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const complaints = [];
  page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => { if (!/^(file|blob|data):/.test(request.url())) complaints.push(`asks for ${request.url()}`); });
  const start = Date.now();
  await open(page, file);
  const found = { file, ready_ms: Date.now() - start, complaints, worker: await page.evaluate(() => document.documentElement.dataset.worker) };
  Object.assign(found, await useKeys(page), await page.evaluate(read), await useKeysInside(page));
  if (isUsedWhole(file)) Object.assign(found, await useAddress(page, file));
  Object.assign(found, await useProgram(page));
  if (isUsedWhole(file)) found.sliders = await useSliders(page);
  if (isLookedAtByAxe(file)) found.violations = await violationsOn(page);
  found.heap_bytes = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
  found.too_wide = [];
  for (const width of [400, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (over > 0) found.too_wide.push(`${over} px at ${width}`);
  }
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.setViewportSize({ width: 760, height: 900 });
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (over > 0) found.too_wide.push(`${over} px on paper`);
  found.paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.close();
  if (file === files[0]) found.refused = await withoutWorker(file);
  return found;
}

try {
  console.log(JSON.stringify(await visitAll(files, visit)));
} finally {
  await browser.close();
}
