// SPDX-License-Identifier: Apache-2.0
// Makes the screenshots of docs/report.md and README.md from pages of LAMMPS on 8 ranks, BT and MG on 16.
// usage: node report_pictures.mjs MODULES CHROMIUM LAMMPS.html BT.html MG.html FOLDER
import { launch, open, waitUntil } from "../tests/report/chromium.mjs";

const [modules, chromium, lammps, bt, mg, folder] = process.argv.slice(2);
const browser = await launch(modules, chromium);

// A section, or the top of the page, as it stands in a window.
async function picture(file, name, what, { width = 1000, height = 640, address = "", keys = [], mostHeight = 1150 } = {}) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: "light" });
  await open(page, `${file}${address}`);
  await waitUntil(page, () => !document.querySelector("#timeline figcaption")?.textContent.startsWith("Unfolding"), 60);
  for (const [selector, key] of keys) {
    await page.locator(selector).focus();
    await page.keyboard.press(key);
  }
  await page.evaluate(() => document.activeElement?.blur());
  await page.waitForTimeout(500);
  await page.evaluate(() => scrollTo(0, 0)); // a focus scrolls to its canvas
  const path = `${folder}/report-${name}.png`;
  if (what === "window") {
    await page.screenshot({ path });
  } else {
    const box = await page.locator(what).boundingBox();
    await page.screenshot({ path, fullPage: true, clip: { ...box, height: Math.min(box.height, mostHeight) } });
  }
  await page.close();
}

try {
  await picture(lammps, "heading", "window", { width: 1100, height: 620 });
  await picture(lammps, "time", "#time", { width: 1148, mostHeight: 760 });
  await picture(bt, "talk", "#talk", { width: 1000 });
  await picture(bt, "topology", "#topology", { keys: [["canvas.graph", "n"]] });
  await picture(mg, "program", "#program");
  await picture(bt, "patterns", "#patterns");
  const zoom = Array.from({ length: 8 }, () => ["canvas.timeline", "+"]);
  await picture(mg, "timeline", "#timeline", { keys: [...zoom, ["canvas.timeline", "ArrowRight"]] });
  await picture(mg, "whatif", "#whatif");
} finally {
  await browser.close();
}
