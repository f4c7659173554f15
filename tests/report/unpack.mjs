// SPDX-License-Identifier: Apache-2.0
// Says where what a page unpacks differs from the document that it was made of.
// usage: node unpack.mjs ESBUILD SOURCES PAGE DOCUMENT
import { execFileSync } from "child_process";
import { readFileSync } from "fs";

const [esbuild, sources, page, document] = process.argv.slice(2);
const entry = `export { decode } from "${sources}/decode"; export { rowOf } from "${sources}/model";`;
const bundle = execFileSync(esbuild, ["--bundle", "--format=esm", "--loader=ts"], { input: entry, cwd: sources });
const { decode, rowOf } = await import(`data:text/javascript;base64,${bundle.toString("base64")}`);

function difference(is, should, at) {
  if (is === should) return null;
  if (is !== null && typeof is === "object" && Object.hasOwn(is, "flat")) is = Array.from({ length: is.rows }, (_, i) => rowOf(is, i));
  if (is === null || should === null || typeof is !== "object" || typeof should !== "object") return `${at}: ${is}, not ${should}`;
  const [mine, others] = [Object.keys(is), Object.keys(should)];
  if (mine.length !== others.length) return `${at}: ${mine.length} entries, not ${others.length}`;
  for (const key of others) {
    const found = difference(is[key], should[key], `${at}.${key}`);
    if (found) return found;
  }
  return null;
}

const html = readFileSync(page, "utf8");
const data = /id="data">([^<]*)</.exec(html)[1];
console.log(JSON.stringify({ packed: data.length, difference: difference(await decode(data), JSON.parse(readFileSync(document, "utf8")), "") }));
