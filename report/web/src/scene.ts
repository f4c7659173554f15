// SPDX-License-Identifier: Apache-2.0
// A graph that can be looked at, of the whole run, a part of the program, or a phase: what of it a view shows.
import { EdgeGrid } from "./edge-grid";
import { countSeen, type Edges, type Frame, frameOf, isFilled, isSeen, kMostLevel, paintDots, type Points } from "./edges";
import { type Extent, type LayoutFacts, type Numbers, type PackedRows, rowOf } from "./model";
import { type IsLit, type Matrix, pairIndex } from "./pairs";
import type { Box, Discs, Drawn, Lines, Places, QuestionOf, RankFacts } from "./protocol";

const kMostLines = 1200; // that are drawn as lines, with as many widths as there are levels
const kMostDiscs = 1500;
const kHeaviest = 6; // partners that are named

function edgesOf(matrix: Matrix): Edges {
  const n = matrix.source.length;
  const [a, b, bytes] = [new Int32Array(n), new Int32Array(n), new Float64Array(n)];
  let count = 0;
  for (let i = 0; i < n; ++i) {
    const [source, destination] = [matrix.source[i]!, matrix.destination[i]!];
    const back = source === destination ? i : pairIndex(matrix, destination, source);
    if (source === destination || (back !== undefined && source > destination)) continue; // with the other direction
    a[count] = Math.min(source, destination);
    b[count] = Math.max(source, destination);
    bytes[count++] = matrix.bytes[i]! + (back === undefined ? 0 : matrix.bytes[back]!);
  }
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  const isEven = bytes.subarray(0, count).every((value) => value === bytes[0]);
  if (!isEven) order.sort((x, y) => bytes[x]! - bytes[y]!);
  const most = count > 0 ? bytes[order[count - 1]!]! || 1 : 1;
  return { a: Int32Array.from(order, (i) => a[i]!), b: Int32Array.from(order, (i) => b[i]!), bytes: Float64Array.from(order, (i) => bytes[i]!),
    levels: Uint8Array.from(order, (i) => Math.max(1, Math.round(kMostLevel * Math.sqrt(bytes[i]! / most)))), count };
}

function extentOf({ x, y }: Points): Extent {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < x.length; ++i) {
    left = Math.min(left, x[i]!);
    right = Math.max(right, x[i]!);
    top = Math.min(top, y[i]!);
    bottom = Math.max(bottom, y[i]!);
  }
  return { left, top, width: right - left || 1, height: bottom - top || 1 };
}

// Of each edge whether it is one of the rank that a reader points at, or of the line that is lit.
function chosenOf(edges: Edges, picked: number | null, isLit: IsLit | null): Uint8Array | null {
  if (picked === null && isLit === null) return null;
  const chosen = new Uint8Array(edges.count);
  for (let i = 0; i < edges.count; ++i) {
    const [a, b] = [edges.a[i]!, edges.b[i]!];
    if (picked !== null ? a === picked || b === picked : isLit!(a, b) || isLit!(b, a)) chosen[i] = 1;
  }
  return chosen;
}

export class Scene {
  private readonly points: Points;
  readonly facts: LayoutFacts;
  private madeEdges: Edges | undefined;
  private madeGrid: EdgeGrid | undefined;

  constructor(layout: { x: Numbers; y: Numbers; drawn_as: string }, private readonly matrix: Matrix, private readonly coordinates: number[][] | PackedRows | undefined) {
    this.points = { x: Float64Array.from(layout.x), y: Float64Array.from(layout.y) };
    this.facts = { drawn_as: layout.drawn_as, count: this.points.x.length, extent: extentOf(this.points) };
  }

  private get edges(): Edges {
    return (this.madeEdges ??= edgesOf(this.matrix));
  }

  private get grid(): EdgeGrid {
    return (this.madeGrid ??= new EdgeGrid(this.edges, this.points, this.facts.extent));
  }

  draw({ picked, view, pixels }: QuestionOf<"graph">, isLit: IsLit | null): Drawn {
    const { edges, points } = this;
    const { width, height, ratio } = pixels;
    const f = frameOf(this.facts, width, height, view);
    const areLines = countSeen(edges, points, f, width, height, kMostLines) <= kMostLines;
    const discs = this.discs(f, width, height);
    const chosen = chosenOf(edges, picked, isLit);
    const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
    const large = frameOf(this.facts, width, height, view, ratio);
    const drawn = { discs, width: w, height: h, isFilled: isFilled(large), hasChosen: chosen !== null };
    if (areLines && discs) return { ...drawn, lines: this.lines(f, width, height, chosen), levels: null, dots: null };
    return { ...drawn, lines: null, levels: this.grid.paint(large, chosen, w, h), dots: discs && !drawn.isFilled ? null : paintDots(points, large, w, h) };
  }

  private lines(f: Frame, width: number, height: number, chosen: Uint8Array | null): Lines {
    const { edges, points } = this;
    const seen: number[] = [];
    for (let i = 0; i < edges.count; ++i) {
      const [a, b] = [edges.a[i]!, edges.b[i]!];
      if (isSeen(f.left + points.x[a]! * f.scale, f.top + points.y[a]! * f.scale, f.left + points.x[b]! * f.scale, f.top + points.y[b]! * f.scale, width, height, f.bend))
        seen.push(i);
    }
    return { ends: Float64Array.from(seen.flatMap((i) => [edges.a[i]!, edges.b[i]!].flatMap((rank) => [points.x[rank]!, points.y[rank]!]))),
      levels: Uint8Array.from(seen, (i) => edges.levels[i]!), chosen: chosen && Uint8Array.from(seen, (i) => chosen[i]!) };
  }

  // Null: too many are in view.
  private discs(f: Frame, width: number, height: number): Discs | null {
    const { x, y } = this.points;
    const ranks: number[] = [];
    for (let rank = 0; rank < x.length && ranks.length <= kMostDiscs; ++rank) {
      const [px, py] = [f.left + x[rank]! * f.scale, f.top + y[rank]! * f.scale];
      if (px >= -20 && py >= -20 && px <= width + 20 && py <= height + 20) ranks.push(rank);
    }
    return ranks.length > kMostDiscs ? null : { ranks: Int32Array.from(ranks), x: Float64Array.from(ranks, (rank) => x[rank]!), y: Float64Array.from(ranks, (rank) => y[rank]!) };
  }

  rank({ rank, near, firstIn }: QuestionOf<"rank">): RankFacts | null {
    const found = rank ?? (near ? this.nearest(near) : this.firstIn(firstIn!));
    if (found === null) return null;
    const { edges } = this;
    const own: number[] = [];
    for (let i = edges.count; i-- > 0;) if (edges.a[i] === found || edges.b[i] === found) own.push(i); // the heaviest first
    return { rank: found, x: this.points.x[found]!, y: this.points.y[found]!, coordinates: rowOf(this.coordinates, found), partners: own.length,
      heaviest: own.slice(0, kHeaviest).map((i) => [edges.a[i] === found ? edges.b[i]! : edges.a[i]!, edges.bytes[i]!]) };
  }

  private nearest({ x, y, within }: { x: number; y: number; within: number }): number | null {
    let [nearest, distance] = [null as number | null, within];
    for (let rank = 0; rank < this.facts.count; ++rank) {
      const d = Math.hypot(this.points.x[rank]! - x, this.points.y[rank]! - y);
      if (d < distance) [nearest, distance] = [rank, d];
    }
    return nearest;
  }

  private firstIn({ left, top, right, bottom }: Box): number {
    const { x, y } = this.points;
    for (let rank = 0; rank < x.length; ++rank) if (x[rank]! >= left && x[rank]! <= right && y[rank]! >= top && y[rank]! <= bottom) return rank;
    return 0;
  }

  // Of each rank what a table has.
  places(): Places {
    const { edges, matrix, coordinates } = this;
    const n = matrix.ranks;
    const [partners, sent, received, bytes] = [new Int32Array(n), new Float64Array(n), new Float64Array(n), new Float64Array(n)];
    for (let i = 0; i < edges.count; ++i) {
      ++partners[edges.a[i]!]!;
      ++partners[edges.b[i]!]!;
    }
    for (let i = 0; i < matrix.source.length; ++i) {
      sent[matrix.source[i]!]! += matrix.messages[i]!;
      bytes[matrix.source[i]!]! += matrix.bytes[i]!;
      received[matrix.destination[i]!]! += matrix.messages[i]!;
    }
    return { partners, sent, received, bytes, coordinates: coordinates ? Array.from(sent, (_, rank) => rowOf(coordinates, rank).join(", ")) : null };
  }
}
