// SPDX-License-Identifier: Apache-2.0
// Plays the runs of documents as the page does, and writes what it finds as JSON.
// usage: node play.mjs ESBUILD SOURCES DOCUMENT...
import { execFileSync } from "child_process";
import { readFileSync } from "fs";

const [esbuild, sources, ...files] = process.argv.slice(2);
const entry = `export * from "${sources}/dependences"; export * from "${sources}/play"; export * from "${sources}/unfold";`;
const bundle = execFileSync(esbuild, ["--bundle", "--format=esm", "--loader=ts"], { input: entry, cwd: sources });
const { alignStarts, criticalPath, dependencesOf, play, Unfolder } = await import(`data:text/javascript;base64,${bundle.toString("base64")}`);

// Messages that end before they are sent, and calls that leave an operation for all before the last has come to it.
function tooEarly(tracks, all) {
  let [messages, operations] = [0, 0];
  all.ranks.forEach((mine, rank) => {
    mine.receiptCalls.forEach((call, i) => {
      if (tracks[rank].ends[call] < tracks[mine.senders[i]].starts[mine.sent[i]]) ++messages;
    });
    mine.partCalls.forEach((call, i) => {
      const { ranks, calls } = all.operations[mine.operations[i]];
      if (mine.waitsFor[i] === 0 && ranks.some((other, k) => tracks[rank].ends[call] < tracks[other].starts[calls[k]])) ++operations;
    });
  });
  return { messages, operations };
}

const lastOf = (list) => list[list.length - 1];

function look(file) {
  const { program } = JSON.parse(readFileSync(file, "utf8")).runs[0];
  const all = dependencesOf(program.dependences);
  const unfolder = new Unfolder(program, false);
  const tracks = all.ranks.map((_, rank) => unfolder.track(rank));
  alignStarts(tracks, program.functions);
  const before = tooEarly(tracks, all);
  const schedule = Math.max(...tracks.map((track) => lastOf(track.ends)));
  const broken = play(tracks, all);
  const isOrdered = tracks.every((track) => track.starts.every((start, i) => start >= (i > 0 ? track.ends[i - 1] : 0) && track.ends[i] >= start));
  const path = criticalPath(tracks, all, program.functions);
  const joins = path.stretches.every((stretch, i) => stretch.from <= stretch.to && (i === 0 || path.stretches[i - 1].from === stretch.to));
  return { broken, before, after: tooEarly(tracks, all), is_ordered: isOrdered, schedule_ns: schedule, spans_ns: program.spans_ns,
    receipts: all.ranks.reduce((sum, mine) => sum + mine.receiptCalls.length, 0), operations: all.operations.length,
    played_ns: Math.max(...tracks.map((track) => lastOf(track.ends))),
    path: { joins, hops: path.hops, whole_ns: path.whole, computing_ns: path.computing, ends: path.stretches.length,
      start_ns: lastOf(path.stretches).from, init_ns: Math.min(...tracks.map((track) => track.ends[0])) } };
}

console.log(JSON.stringify(files.map(look)));
