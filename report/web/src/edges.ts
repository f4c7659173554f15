// SPDX-License-Identifier: Apache-2.0
// Many edges and dots, painted pixel by pixel: as lines of a canvas 10^5 of them take a second.
import type { LayoutFacts } from "./model";

export interface Frame { scale: number; left: number; top: number; spacing: number; bend: number } // pixels, of points: left + x * scale
export interface Points { x: Float64Array; y: Float64Array }

// @param ratio  of the pixels that are meant to those of width and height
export function frameOf({ count, extent }: LayoutFacts, width: number, height: number, view: { x: number; y: number; zoom: number }, ratio = 1): Frame {
  const margin = Math.min(52, width / 8);
  const scale = Math.min((width - 2 * margin) / extent.width, (height - 2 * margin) / extent.height, 120);
  const [dx, dy] = [(width - scale * extent.width) / 2, (height - scale * extent.height) / 2];
  const spacing = Math.min(scale, scale * Math.sqrt(((extent.width + 1) * (extent.height + 1)) / count)) * view.zoom * ratio; // a step of a grid is 1
  return { scale: scale * view.zoom * ratio, left: (dx - extent.left * scale - view.x * width) * view.zoom * ratio,
    top: (dy - extent.top * scale - view.y * height) * view.zoom * ratio, spacing, bend: 1.2 * spacing };
}

// Pairs of ranks that talk, in either direction, the lightest first: parallel columns.
export interface Edges { a: Int32Array; b: Int32Array; bytes: Float64Array; levels: Uint8Array; count: number } // levels: 1 to kMostLevel, by weight

export const kMostLevel = 16;
export const kChosen = 32; // in a pixel's level
const kPieces = 8; // of a curve

export const isSeen = (x1: number, y1: number, x2: number, y2: number, width: number, height: number, margin: number): boolean =>
  Math.max(x1, x2) >= -margin && Math.min(x1, x2) <= width + margin && Math.max(y1, y2) >= -margin && Math.min(y1, y2) <= height + margin;

// How many edges are in view; counting ends behind `most`.
export function countSeen(edges: Edges, points: Points, f: Frame, width: number, height: number, most: number): number {
  let count = 0;
  const { scale, left, top } = f;
  for (let i = 0; i < edges.count && count <= most; ++i) {
    const [a, b] = [edges.a[i]!, edges.b[i]!];
    const [x1, y1, x2, y2] = [left + points.x[a]! * scale, top + points.y[a]! * scale, left + points.x[b]! * scale, top + points.y[b]! * scale];
    if (isSeen(x1, y1, x2, y2, width, height, f.bend)) ++count;
  }
  return count;
}

// Where an edge that goes around what lies between bends to; null: it is straight.
export function bendOf(f: Frame, x1: number, y1: number, x2: number, y2: number): [number, number] | null {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length <= 1.9 * f.spacing) return null;
  const bend = Math.min(0.18 * length, f.bend);
  return [(x1 + x2) / 2 - ((y2 - y1) / length) * bend, (y1 + y2) / 2 + ((x2 - x1) / length) * bend];
}

// Of each pixel the highest level so far.
export class Plane {
  readonly levels: Uint8Array;
  constructor(readonly width: number, readonly height: number) {
    this.levels = new Uint8Array(width * height);
  }

  line(x1: number, y1: number, x2: number, y2: number, level: number): void {
    const { width, height, levels } = this;
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(x2 - x1), Math.abs(y2 - y1))));
    const [dx, dy] = [(x2 - x1) / steps, (y2 - y1) / steps];
    // only steps that are within the picture
    const range = (from: number, by: number, size: number): [number, number] => by === 0 ? (from >= 0 && from < size ? [0, steps] : [1, 0])
      : by > 0 ? [Math.ceil(-from / by), Math.floor((size - from) / by)] : [Math.ceil((size - from) / by), Math.floor(-from / by)];
    const [fx, lx] = range(x1, dx, width);
    const [fy, ly] = range(y1, dy, height);
    for (let i = Math.max(0, fx, fy), last = Math.min(steps, lx, ly); i <= last; ++i) {
      const [x, y] = [Math.floor(x1 + i * dx), Math.floor(y1 + i * dy)];
      if (x < 0 || y < 0 || x >= width || y >= height) continue;
      const at = y * width + x;
      if (level > levels[at]!) levels[at] = level;
    }
  }

  curve(x1: number, y1: number, [cx, cy]: [number, number], x2: number, y2: number, level: number): void {
    let [x, y] = [x1, y1];
    for (let i = 1; i <= kPieces; ++i) {
      const t = i / kPieces;
      const [nx, ny] = [(1 - t) * (1 - t) * x1 + 2 * t * (1 - t) * cx + t * t * x2, (1 - t) * (1 - t) * y1 + 2 * t * (1 - t) * cy + t * t * y2];
      this.line(x, y, nx, ny, level);
      [x, y] = [nx, ny];
    }
  }
}

export const kBendMargin = 2; // steps of a grid that a bent edge reaches out of its ends' square at most

// @param f  in pixels of the picture
export function paintEdge(plane: Plane, { a, b }: Edges, { x, y }: Points, f: Frame, i: number, level: number): void {
  const [x1, y1] = [f.left + x[a[i]!]! * f.scale, f.top + y[a[i]!]! * f.scale];
  const [x2, y2] = [f.left + x[b[i]!]! * f.scale, f.top + y[b[i]!]! * f.scale];
  if (!isSeen(x1, y1, x2, y2, plane.width, plane.height, f.bend)) return;
  const bend = bendOf(f, x1, y1, x2, y2);
  if (bend) plane.curve(x1, y1, bend, x2, y2, level);
  else plane.line(x1, y1, x2, y2, level);
}

// Whether ranks are so close that their dots would hide what is between them.
export const isFilled = (f: Frame): boolean => f.spacing < 3;

// Discs of one colour, no larger than a few pixels; of ranks that are closer than pixels what they fill together.
// @return of each pixel whether it is one of theirs
export function paintDots(points: Points, f: Frame, width: number, height: number): Uint8Array {
  const pixels = new Uint8Array(width * height);
  const { scale, left, top, spacing } = f;
  const isArea = isFilled(f);
  if (spacing < 1) { // each is a pixel at most
    for (let rank = 0; rank < points.x.length; ++rank) {
      const [x, y] = [Math.floor(left + points.x[rank]! * scale), Math.floor(top + points.y[rank]! * scale)];
      if (x >= 0 && y >= 0 && x < width && y < height) pixels[y * width + x] = 1;
    }
    return pixels;
  }
  const r = isArea ? spacing / 2 : Math.max(1, Math.round(spacing * 0.25));
  for (let rank = 0; rank < points.x.length; ++rank) {
    const [x, y] = [left + points.x[rank]! * scale, top + points.y[rank]! * scale];
    if (x < -r || y < -r || x > width + r || y > height + r) continue;
    const [x1, y1] = [Math.floor(x - r), Math.floor(y - r)];
    const [x2, y2] = isArea ? [Math.max(x1 + 1, Math.ceil(x + r)), Math.max(y1 + 1, Math.ceil(y + r))] : [Math.floor(x + r) + 1, Math.floor(y + r) + 1];
    for (let py = Math.max(0, y1); py < Math.min(height, y2); ++py) {
      for (let px = Math.max(0, x1); px < Math.min(width, x2); ++px)
        if (isArea || Math.hypot(px + 0.5 - x, py + 0.5 - y) <= r + 0.3) pixels[py * width + px] = 1;
    }
  }
  return pixels;
}
