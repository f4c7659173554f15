// SPDX-License-Identifier: Apache-2.0
// Unfolds and bins beside the page, so that it stays quick.
import type { Folded } from "./model";
import { firstBehind, groupOf, type Row, rowOf, type Track, Unfolder } from "./unfold";

export type Request =
  | { what: "program"; program: Folded }
  | { what: "rows"; id: number; ranks: number[]; from: number; to: number; width: number }
  | { what: "call"; id: number; rank: number; time: number };
export interface Rows { what: "rows"; id: number; from: number; to: number; width: number; rows: (Row | null)[]; isMeasured: boolean; isCut: boolean; start: number; end: number }
export interface Call { what: "call"; id: number; text: { name: string; site: string; start: number; inside: number; before: number; index: number } | null }

let program: Folded | undefined;
let unfolder: Unfolder | undefined;
let groups = new Uint8Array();

// Behind MPI_Init, which takes longer than all of a short run.
function startOf(track: Track): number {
  if (track.ends.length === 0) return 0;
  const name = program!.functions[track.calls[track.symbols[0]!]![0]]!;
  return /^MPI_Init/.test(name) ? track.ends[0]! : track.starts[0]!;
}

function rows(request: Extract<Request, { what: "rows" }>): Rows {
  let [isMeasured, isCut, start, end] = [true, false, Infinity, 0];
  const result = request.ranks.map((rank) => {
    const track = unfolder!.track(rank);
    if (!track) return null;
    isMeasured &&= track.isMeasured;
    isCut ||= track.isCut;
    start = Math.min(start, startOf(track));
    end = Math.max(end, track.ends[track.ends.length - 1] ?? 0);
    return track;
  });
  if (start >= end) start = 0;
  const [from, to] = request.to > 0 ? [request.from, request.to] : [start, end || 1]; // else all of it
  return { what: "rows", id: request.id, from, to, width: request.width, isMeasured, isCut, start, end,
    rows: result.map((track) => track && rowOf(track, groups, from, to, request.width)) };
}

function call(request: Extract<Request, { what: "call" }>): Call {
  const track = unfolder!.track(request.rank);
  const i = track ? firstBehind(track, request.time) : 0;
  if (!track || i >= track.starts.length) return { what: "call", id: request.id, text: null };
  const [name, site] = track.calls[track.symbols[i]!]!;
  return { what: "call", id: request.id, text: { name: program!.functions[name]!, site: program!.sites[site]!, start: track.starts[i]!,
    inside: track.ends[i]! - track.starts[i]!, before: track.starts[i]! - (i > 0 ? track.ends[i - 1]! : 0), index: i + 1 } };
}

onmessage = (event: MessageEvent<Request>): void => {
  const request = event.data;
  if (request.what === "program") {
    program = request.program;
    unfolder = new Unfolder(program);
    groups = Uint8Array.from(program.functions, groupOf);
  } else {
    postMessage(request.what === "rows" ? rows(request) : call(request));
  }
};
