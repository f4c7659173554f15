// SPDX-License-Identifier: Apache-2.0
// Unfolds, plays and bins beside the page, so that it stays quick.
import { type Dependences, dependencesOf } from "./dependences";
import type { Folded } from "./model";
import { alignStarts, type Arrow, arrowsIn, criticalPath, type Path, play, type Tracks } from "./play";
import { addTime, beginsWithInit, firstBehind, groupOf, kGroups, type Row, rowFrom, type Track, Unfolder } from "./unfold";

export interface WantedLine { functionName: string; sites: string[] } // in small letters; sites: any if there are none
export type Request =
  | { what: "program"; program: Folded }
  | { what: "rows"; id: number; rows: [first: number, count: number][]; from: number; to: number; width: number; line: WantedLine | null }
  | { what: "traffic"; id: number; line: WantedLine }
  | { what: "call"; id: number; rank: number; time: number }
  | { what: "calls"; id: number; rank: number; from: number; to: number };
export interface Rows {
  what: "rows"; id: number; from: number; to: number; width: number; rows: (Row | null)[]; start: number; end: number;
  isMeasured: boolean; isPlayed: boolean; isCut: boolean; broken: number; isSampled: boolean;
  arrows: Arrow[] | null; path: Path | null; whyNoArrows: string;
}
export interface CallFacts { name: string; site: string; start: number; inside: number; before: number; index: number } // ns; index: 1 is the rank's first
export interface Call { what: "call"; id: number; text: CallFacts | null }
export interface Calls { what: "calls"; id: number; calls: CallFacts[]; isCut: boolean }
export interface Traffic { what: "traffic"; id: number; sources: Int32Array; destinations: Int32Array; messages: number; calls: number; whyNot: string }
export type Answer = Rows | Call | Calls | Traffic;

const kMostArrows = 1500;
const kMostListed = 2000; // calls
const kOfARow = 8; // different tracks that are unfolded for a row of many ranks

let program: Folded | undefined;
let unfolder: Unfolder | undefined;
let groups = new Uint8Array();
let all: Dependences | null = null;
let tracks: Tracks = []; // of all ranks, of runs with dependences
let path: Path | null = null;
let isPlayed = false;
let broken = 0;

// Behind MPI_Init, which takes longer than all of a short run.
function startOf(track: Track): number {
  if (track.ends.length === 0) return 0;
  return beginsWithInit(track, program!.functions) ? track.ends[0]! : track.starts[0]!;
}

function connect(): void {
  if (!program!.dependences.columns) return;
  all = dependencesOf(program!.dependences);
  tracks = all.ranks.map((_, rank) => unfolder!.track(rank));
  if (tracks.every((track) => !track?.isMeasured)) {
    alignStarts(tracks, program!.functions);
    broken = play(tracks, all);
    isPlayed = true;
  }
  path = criticalPath(tracks, all, program!.functions);
}

function rows(request: Extract<Request, { what: "rows" }>): Rows {
  let [isMeasured, isCut, start, end, isSampled] = [true, false, Infinity, 0, false];
  const chosen = request.rows.map(([first, count]) => unfolder!.tracksOf(first, count, kOfARow));
  for (const list of chosen) {
    for (const [track] of list) {
      isMeasured &&= track.isMeasured;
      isCut ||= track.isCut;
      start = Math.min(start, startOf(track));
      end = Math.max(end, track.ends[track.ends.length - 1] ?? 0);
    }
    isSampled ||= list.length === kOfARow;
  }
  if (start >= end) start = 0;
  const [from, to] = request.to > 0 ? [request.from, request.to] : [start, end || 1]; // else all of it
  const isSingle = request.rows.every(([, count]) => count === 1);
  const arrows = all && isSingle ? arrowsIn(tracks, all, request.rows.map(([first]) => first), from, to, kMostArrows) : [];
  return { what: "rows", id: request.id, from, to, width: request.width, isMeasured, isPlayed, isCut, broken, start, end, isSampled, arrows, path,
    whyNoArrows: all ? (isSingle ? "" : "rows are of several ranks") : program!.dependences.why_not ?? "",
    rows: chosen.map((list) => (list.length > 0 ? rowOf(list, from, to, request.width, request.line) : null)) };
}

let litSymbols = new Map<[number, number][], Uint8Array>(); // by the calls of a class
let litLine = "";

// Which calls of a class are those of a line.
function symbolsOfLine(calls: [number, number][], line: WantedLine): Uint8Array {
  const key = JSON.stringify(line);
  if (key !== litLine) [litSymbols, litLine] = [new Map(), key];
  const known = litSymbols.get(calls);
  if (known) return known;
  const isThere = Uint8Array.from(calls, ([name, site]) => Number(program!.functions[name]!.toLowerCase() === line.functionName
    && (line.sites.length === 0 || line.sites.includes(program!.sites[site]!))));
  litSymbols.set(calls, isThere);
  return isThere;
}

// Messages that a line sends, or that end with it.
function traffic(request: Extract<Request, { what: "traffic" }>): Traffic {
  const pairs = new Map<number, [number, number]>();
  let messages = 0;
  let calls = 0;
  for (const of of program!.classes) calls += symbolsOfLine(of.calls, request.line).reduce((sum, is) => sum + is, 0);
  const isLit = (rank: number, call: number): boolean => {
    const track = tracks[rank];
    return track !== undefined && symbolsOfLine(track.calls, request.line)[track.symbols[call]!] === 1;
  };
  all?.ranks.forEach((mine, rank) => mine.receiptCalls.forEach((call, i) => {
    if (!isLit(rank, call) && !isLit(mine.senders[i]!, mine.sent[i]!)) return;
    ++messages;
    pairs.set(mine.senders[i]! * tracks.length + rank, [mine.senders[i]!, rank]);
  }));
  return { what: "traffic", id: request.id, sources: Int32Array.from(pairs.values(), ([source]) => source),
    destinations: Int32Array.from(pairs.values(), ([, destination]) => destination), messages, calls,
    whyNot: all ? "" : program!.dependences.why_not ?? "the page does not have them" };
}

function rowOf(list: [Track, number][], from: number, to: number, width: number, line: WantedLine | null): Row {
  const time = new Float64Array(width * kGroups.length);
  let ranks = 0;
  for (const [track, weight] of list) {
    addTime(time, track, groups, from, to, width, weight, line && symbolsOfLine(track.calls, line));
    ranks += weight;
  }
  return rowFrom(time, ((to - from) / width) * ranks, width);
}

function factsOf(track: Track, i: number): CallFacts {
  const [name, site] = track.calls[track.symbols[i]!]!;
  return { name: program!.functions[name]!, site: program!.sites[site]!, start: track.starts[i]!, inside: track.ends[i]! - track.starts[i]!,
    before: track.starts[i]! - (i > 0 ? track.ends[i - 1]! : 0), index: i + 1 };
}

function call(request: Extract<Request, { what: "call" }>): Call {
  const track = unfolder!.track(request.rank);
  const i = track ? firstBehind(track, request.time) : 0;
  return { what: "call", id: request.id, text: track && i < track.starts.length ? factsOf(track, i) : null };
}

// Those of one rank that are at least in part in a stretch of time.
function calls(request: Extract<Request, { what: "calls" }>): Calls {
  const track = unfolder!.track(request.rank);
  const found: CallFacts[] = [];
  let i = track ? firstBehind(track, request.from) : 0;
  for (; track && i < track.starts.length && track.starts[i]! < request.to && found.length < kMostListed; ++i) found.push(factsOf(track, i));
  return { what: "calls", id: request.id, calls: found, isCut: track !== undefined && i < track.starts.length && track.starts[i]! < request.to };
}

onmessage = (event: MessageEvent<Request>): void => {
  const request = event.data;
  if (request.what === "program") {
    program = request.program;
    unfolder = new Unfolder(program, !program.dependences.columns);
    groups = Uint8Array.from(program.functions, groupOf);
    connect();
  } else {
    postMessage(request.what === "rows" ? rows(request) : request.what === "traffic" ? traffic(request)
      : request.what === "calls" ? calls(request) : call(request));
  }
};
