// SPDX-License-Identifier: Apache-2.0
// Writes all numbers of pages as JSON: tables as they are copied, figures with what they are of, lines of the program, charts.
// usage: node numbers.mjs MODULES CHROMIUM PAGE...
import { answered, launch, open, visitAll, waitUntil } from "./chromium.mjs";

const [modules, chromium, ...files] = process.argv.slice(2);
const browser = await launch(modules, chromium);

// Pressing its button is how a reader gets a table, too.
async function tables() {
  const found = {};
  for (const table of document.querySelectorAll(".table")) {
    const button = [...table.querySelectorAll(".tools button")].find((each) => /^cop/.test(each.textContent)); // "copied" for a while
    globalThis.copied = "";
    button?.click();
    for (let i = 0; button && globalThis.copied === "" && i < 100; ++i) await new Promise((then) => setTimeout(then, 5));
    found[table.id.replace("table-", "")] = { csv: globalThis.copied, caption: table.querySelector("caption").textContent };
  }
  return found;
}

function others() {
  const number = (element) => Number(element.dataset.value);
  const all = (selector) => [...document.querySelectorAll(selector)];
  return {
    figures: all("[data-of]").map((element) => [element.dataset.of, number(element), element.textContent]),
    lines: all("#program [data-calls]").map((element) => element.dataset.calls),
    heads: all("#program .fold[aria-expanded]").map((element) => element.textContent.slice(2)), // behind its triangle
    remarks: all("#program [data-calls]").map((element) => element.textContent.trim()),
    cards: all(".card").map((card) => ({ text: card.textContent, heads: card.querySelectorAll("svg.pattern .head").length })),
    bars: all("svg.sizes title").map((title) => title.textContent),
    latencies: all(".sweep tbody th").map(number), bandwidths: all(".sweep thead th[data-value]").map(number), cells: all(".sweep td").map(number),
    sentences: all(".sentences li").map((item) => item.textContent),
    labels: all("canvas").map((canvas) => canvas.getAttribute("aria-label")),
  };
}

async function whole(page) {
  await page.evaluate(() => { // closed parts have tables, too; of long texts all lines
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  await waitUntil(page, () => document.querySelector("#table-calls")); // which a worker has
  await answered(page);
  for (const more = page.locator("#patterns > button"); (await more.count()) > 0;) await more.first().click();
  for (let folds = page.locator("#program .fold[aria-expanded=false]"), i = 0; (await folds.count()) > 0 && i < 200; ++i) await folds.first().click();
}

async function visit(file) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.addInitScript(() => { navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }; });
  await open(page, file);
  await whole(page);
  const found = { ...(await page.evaluate(others)), tables: await page.evaluate(tables) };
  const withCollectives = page.locator("#talk select").nth(2);
  if ((await withCollectives.count()) > 0) {
    await withCollectives.selectOption("pairs");
    await whole(page);
    found.with_collectives = (await page.evaluate(tables)).pairs;
  }
  await page.close();
  return found;
}

try {
  console.log(JSON.stringify(await visitAll(files, visit)));
} finally {
  await browser.close();
}
