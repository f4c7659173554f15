// SPDX-License-Identifier: Apache-2.0
// Plays the runs of documents on networks as the page's worker does, and writes what it predicts as JSON, with how many steps and
// milliseconds that took.
// usage: node predict.mjs ESBUILD SOURCES NETWORKS DOCUMENT...   (NETWORKS: a list as JSON; null is infinity)
import { execFileSync } from "child_process";
import { readFileSync } from "fs";

const [esbuild, sources, text, ...files] = process.argv.slice(2);
const entry = `export { scheduleOf } from "${sources}/schedule"; export { Simulation } from "${sources}/simulate";`;
const bundle = execFileSync(esbuild, ["--bundle", "--format=esm", "--loader=ts"], { input: entry, cwd: sources });
const { scheduleOf, Simulation } = await import(`data:text/javascript;base64,${bundle.toString("base64")}`);
const networks = JSON.parse(text).map((network) => ({ ...network, rendezvous: network.rendezvous ?? Infinity, bandwidth: network.bandwidth ?? Infinity }));

function look(file) {
  const { schedule } = JSON.parse(readFileSync(file, "utf8")).runs[0];
  if (!schedule || schedule.why_not) return { why_not: schedule?.why_not ?? "no schedule" };
  const read = scheduleOf(schedule);
  const simulation = new Simulation(read);
  const start = performance.now();
  const outcomes = networks.map((network) => simulation.play(network));
  return { outcomes, steps: read.kinds.length, activities: read.from.length, ms: (performance.now() - start) / networks.length };
}

console.log(JSON.stringify(files.map(look)));
