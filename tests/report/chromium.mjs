// SPDX-License-Identifier: Apache-2.0
// What tests of pages share: a browser, and waiting for what a page says.
import { createRequire } from "module";

export function requireFrom(modules) {
  return createRequire(`${modules}/`);
}

export function launch(modules, chromium) {
  return requireFrom(modules)("playwright-core").chromium.launch({ executablePath: chromium,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
}

// The driver's own waitForFunction evaluates text in the page, which the page's policy forbids.
export async function waitUntil(page, isSo, seconds = 100) {
  for (const end = Date.now() + 1000 * seconds; !(await page.evaluate(isSo));) {
    if (Date.now() > end) throw new Error(`${page.url()}: not so after ${seconds} s: ${isSo}`);
    await page.waitForTimeout(10);
  }
}

// Until the worker has answered what views asked it.
export async function answered(page) {
  await page.waitForTimeout(20); // views ask when they are drawn
  await waitUntil(page, () => document.documentElement.dataset.asking === undefined);
}

// Until what is asked twice is the same: pictures that are still being drawn are not.
export async function settled(page, ask) {
  for (let before = await ask(), i = 0; i < 100; ++i) {
    await page.waitForTimeout(100);
    const now = await ask();
    if (now === before) return now;
    before = now;
  }
  throw new Error(`${page.url()}: does not come to rest`);
}

// Visits files, some at a time: much of a visit is waiting.
export async function visitAll(files, visit, atOnce = 3) {
  const results = new Array(files.length);
  let next = 0;
  const work = async () => {
    while (next < files.length) {
      const i = next++;
      results[i] = await visit(files[i]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

export async function open(page, file) {
  await page.goto(`file://${file}`);
  await waitUntil(page, () => document.documentElement.dataset.ready === "1");
}
