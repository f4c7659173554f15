// SPDX-License-Identifier: Apache-2.0
// Who sends what to whom: parallel columns, sorted by source and destination.
import type { Columns, MatrixFacts } from "./model";

export interface Matrix {
  ranks: number; source: Int32Array; destination: Int32Array; messages: Float64Array; bytes: Float64Array;
}

// Where a pair stands in the columns.
export function pairIndex(matrix: Matrix, source: number, destination: number): number | undefined {
  let [low, high] = [0, matrix.source.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const difference = matrix.source[middle]! - source || matrix.destination[middle]! - destination;
    if (difference < 0) low = middle + 1;
    else high = middle;
  }
  return matrix.source[low] === source && matrix.destination[low] === destination ? low : undefined;
}

export function matrixOf(columns: Columns): Matrix {
  const n = columns.messages.length;
  const source = new Int32Array(n);
  const destination = new Int32Array(n);
  let before = 0;
  for (let i = 0; i < n; ++i) {
    before += columns.source_differences[i]!;
    source[i] = before;
    destination[i] = before + columns.destination_offsets[i]!;
  }
  return { ranks: columns.ranks, source, destination,
    messages: Float64Array.from(columns.messages), bytes: Float64Array.from(columns.bytes) };
}

export function factsOf(matrix: Matrix): MatrixFacts {
  const facts: MatrixFacts = { ranks: matrix.ranks, pairs: matrix.source.length, least: { messages: Infinity, bytes: Infinity }, most: { messages: 0, bytes: 0 } };
  for (const of of ["messages", "bytes"] as const) {
    for (const value of matrix[of]) {
      if (value > 0 && value < facts.least[of]) facts.least[of] = value;
      if (value > facts.most[of]) facts.most[of] = value;
    }
  }
  return facts;
}

export type Quantity = "bytes" | "messages" | "rate";
export interface Shades { least: number; most: number; isLog: boolean }
export const valuesBy = (quantity: Quantity): "messages" | "bytes" => (quantity === "messages" ? "messages" : "bytes");

export function shadesOf(facts: MatrixFacts, quantity: Quantity, isLog: boolean): Shades {
  const [least, most] = [facts.least[valuesBy(quantity)], facts.most[valuesBy(quantity)]];
  // Over less than two decades nearly equal values would get the ends of the scale.
  return { least: Math.max(1e-9, Math.min(least, most / 100)), most: most || 1, isLog };
}

function shade({ least, most, isLog }: Shades, value: number): number {
  if (!isLog) return value / most;
  return most > least && value > 0 ? Math.log(value / least) / Math.log(most / least) : value > 0 ? 1 : 0;
}

export type IsLit = (source: number, destination: number) => boolean;
export const kLit = 256; // in levels: 1 to 255 are colours

// What each pair is shown as; where several share a pixel the highest is seen, the heaviest of lit ones if there are.
export function levelsOf(matrix: Matrix, values: Float64Array, shades: Shades, isLit: IsLit | null): Uint16Array {
  const levels = new Uint16Array(values.length);
  let [before, level] = [NaN, 0];
  for (let i = 0; i < levels.length; ++i) {
    const value = values[i]!;
    if (value !== before) [before, level] = [value, 1 + Math.round(254 * shade(shades, value))];
    levels[i] = level + (isLit?.(matrix.source[i]!, matrix.destination[i]!) ? kLit : 0);
  }
  return levels;
}

// The heaviest pairs, by their places in the columns.
export function heaviest(matrix: Matrix, most: number): Uint32Array {
  const all = Uint32Array.from({ length: matrix.bytes.length }, (_, i) => i);
  all.sort((a, b) => matrix.bytes[b]! - matrix.bytes[a]! || a - b);
  return all.slice(0, most);
}
