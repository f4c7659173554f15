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
export async function waitUntil(page, isSo, seconds = 20) {
  for (const end = Date.now() + 1000 * seconds; !(await page.evaluate(isSo));) {
    if (Date.now() > end) throw new Error(`${page.url()}: not so after ${seconds} s: ${isSo}`);
    await page.waitForTimeout(10);
  }
}

export async function open(page, file) {
  await page.goto(`file://${file}`);
  await waitUntil(page, () => document.documentElement.dataset.ready === "1");
}
