// SPDX-License-Identifier: Apache-2.0
// What a page asks its worker, and what it answers.
import type { Arrow, Path } from "./play";
import type { Quantity, Shades } from "./pairs";
import type { Network, Outcome } from "./simulate";
import type { Row } from "./unfold";

export interface WantedLine { functionName: string; sites: string[] } // in small letters; sites: any if there are none
type Line = WantedLine | null;
export type WhichMatrix = "matrix" | "matrix_with_collectives";
export interface Box { left: number; top: number; right: number; bottom: number } // in units of a layout
export interface Pixels { width: number; height: number; ratio: number } // of a canvas, in the page's; ratio: of the screen's to them
export interface ViewOf { x: number; y: number; zoom: number }

export type Question =
  | { what: "rows"; rows: [first: number, count: number][]; from: number; to: number; width: number; line: Line }
  | { what: "traffic"; line: WantedLine }
  | { what: "call"; rank: number; time: number }
  | { what: "calls"; rank: number; from: number; to: number }
  | { what: "own"; rank: number }
  | { what: "squares"; of: WhichMatrix; quantity: Quantity; shades: Shades; isByPlace: boolean; line: Line; view: ViewOf; pixels: Pixels }
  | { what: "pair"; of: WhichMatrix; source: number; destination: number }
  | { what: "pairs"; of: WhichMatrix; most: number }
  | { what: "graph"; scene: string; picked: number | null; line: Line; view: ViewOf; pixels: Pixels }
  | { what: "rank"; scene: string; rank?: number; near?: { x: number; y: number; within: number }; firstIn?: Box }
  | { what: "places"; scene: string }
  | { what: "predict"; networks: Network[]; most: number }; // ms that it may take, but for the first

export interface Rows {
  from: number; to: number; width: number; rows: (Row | null)[]; start: number; end: number;
  isMeasured: boolean; isPlayed: boolean; isCut: boolean; broken: number; isSampled: boolean;
  arrows: Arrow[] | null; path: Path | null; whyNoArrows: string;
}
export interface CallFacts { name: string; site: string; start: number; inside: number; before: number; index: number } // ns; index: 1 is the rank's first
export interface Calls { calls: CallFacts[]; isCut: boolean }
export interface Traffic { pairs: number; messages: number; calls: number; whyNot: string }
export interface Own { lines: string[]; isCut: boolean; same: number } // same: other ranks with the same program
export interface Squared { levels: Uint16Array; width: number; height: number } // of each pixel, 0 where nobody talks
export interface Pair { messages: number; bytes: number }
export interface PairColumns { source: Int32Array; destination: Int32Array; messages: Float64Array; bytes: Float64Array }
// Few edges as lines, in units of the layout; of many what their pixels are.
export interface Lines { ends: Float64Array; levels: Uint8Array; chosen: Uint8Array | null } // ends: x, y, x, y of each
export interface Discs { ranks: Int32Array; x: Float64Array; y: Float64Array }
export interface Drawn {
  lines: Lines | null; discs: Discs | null; // null: more than are drawn so
  levels: Uint8Array | null; dots: Uint8Array | null; width: number; height: number; isFilled: boolean; hasChosen: boolean;
}
export interface RankFacts { rank: number; x: number; y: number; coordinates: number[]; partners: number; heaviest: [rank: number, bytes: number][] }
export interface Places {
  partners: Int32Array; sent: Float64Array; received: Float64Array; bytes: Float64Array;
  coordinates: string[] | null;
}

export interface Answers {
  rows: Rows; traffic: Traffic; call: CallFacts | null; calls: Calls; own: Own; squares: Squared; pair: Pair | null; pairs: PairColumns;
  graph: Drawn; rank: RankFacts | null; places: Places; predict: Outcome[]; // of the first networks
}
export type Kind = keyof Answers;
export type QuestionOf<K extends Kind> = Extract<Question, { what: K }>;

export type Message = { id: number; what: "open"; text: string } | { id: number; what: "ask"; run: number; question: Question };
export interface Reply { id: number; answer?: unknown; trouble?: string }
