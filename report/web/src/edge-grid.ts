// SPDX-License-Identifier: Apache-2.0
// The edges of a large graph in a grid of cells, so that a picture looks at those in view only; and where cells are smaller than
// pixels in squares of 1, 4, 16, ... cells, as a matrix is in squares.ts: of each the highest level of its short edges.
import { type Edges, type Frame, kBendMargin, kChosen, paintEdge, Plane, type Points } from "./edges";
import type { Extent } from "./model";

const kShort = 2; // cells, that a short edge is long at most
const kMostOfACell = 1 / kShort; // pixels of a cell, where short edges are no longer than a pixel

interface Level { side: number; columns: number; rows: number; levels: Uint8Array } // side: cells of the grid

export class EdgeGrid {
  private readonly cell: number; // its size in units of the layout
  private readonly columns: number;
  private readonly rows: number;
  private readonly starts: Int32Array; // of each cell's edges, by their middles
  private readonly inCells: Int32Array;
  private readonly long: Int32Array;
  private readonly pyramid: Level[];

  constructor(private readonly edges: Edges, private readonly points: Points, private readonly extent: Extent) {
    this.cell = Math.max(1, Math.sqrt((extent.width * extent.height) / Math.max(1, points.x.length)));
    this.columns = Math.floor(extent.width / this.cell) + 1;
    this.rows = Math.floor(extent.height / this.cell) + 1;
    const cellOf = Int32Array.from({ length: edges.count }, (_, i) => this.cellOf(i));
    this.long = Int32Array.from(Array.from(cellOf.keys()).filter((i) => cellOf[i]! < 0));
    this.starts = new Int32Array(this.columns * this.rows + 1);
    for (const cell of cellOf) if (cell >= 0) ++this.starts[cell + 1]!;
    for (let cell = 0; cell + 1 < this.starts.length; ++cell) this.starts[cell + 1]! += this.starts[cell]!;
    this.inCells = new Int32Array(edges.count - this.long.length);
    const next = this.starts.slice();
    cellOf.forEach((cell, i) => { if (cell >= 0) this.inCells[next[cell]!++] = i; });
    this.pyramid = [this.finest()];
    for (let last = this.pyramid[0]!; last.columns * last.rows > 4096; last = coarser(last)) this.pyramid.push(coarser(last));
  }

  private cellOf(i: number): number { // -1: it is long
    const { edges: { a, b }, points: { x, y }, extent, cell } = this;
    const [x1, y1, x2, y2] = [x[a[i]!]!, y[a[i]!]!, x[b[i]!]!, y[b[i]!]!];
    if (Math.hypot(x2 - x1, y2 - y1) > kShort * cell) return -1;
    return Math.floor(((y1 + y2) / 2 - extent.top) / cell) * this.columns + Math.floor(((x1 + x2) / 2 - extent.left) / cell);
  }

  private finest(): Level {
    const levels = new Uint8Array(this.columns * this.rows);
    for (let cell = 0; cell < levels.length; ++cell)
      for (let k = this.starts[cell]!; k < this.starts[cell + 1]!; ++k) levels[cell] = Math.max(levels[cell]!, this.edges.levels[this.inCells[k]!]!);
    return { side: 1, columns: this.columns, rows: this.rows, levels };
  }

  // @return of each pixel the highest level of the edges on it, those that are chosen above the others
  paint(f: Frame, chosen: Uint8Array | null, width: number, height: number): Uint8Array {
    const plane = new Plane(width, height);
    const perCell = this.cell * f.scale;
    const level = this.pyramid.filter((each) => each.side * perCell <= 1).pop();
    if (level && perCell <= kMostOfACell) this.paintLevel(level, f, plane);
    else this.paintCells(f, plane);
    for (const i of this.long) paintEdge(plane, this.edges, this.points, f, i, this.edges.levels[i]!);
    for (let i = 0; chosen && i < chosen.length; ++i) if (chosen[i]) paintEdge(plane, this.edges, this.points, f, i, this.edges.levels[i]! + kChosen);
    return plane.levels;
  }

  // Of cells of a size, in units of the layout, those that may reach into a picture.
  private inView(size: number, f: Frame, width: number, height: number, margin: number): [firstColumn: number, endColumn: number, firstRow: number, endRow: number] {
    const at = (pixel: number, corner: number, origin: number): number => ((pixel - corner) / f.scale - origin) / size;
    const [columns, rows] = [Math.ceil((this.columns * this.cell) / size), Math.ceil((this.rows * this.cell) / size)];
    return [Math.max(0, Math.floor(at(0, f.left, this.extent.left)) - margin), Math.min(columns, Math.ceil(at(width, f.left, this.extent.left)) + margin),
      Math.max(0, Math.floor(at(0, f.top, this.extent.top)) - margin), Math.min(rows, Math.ceil(at(height, f.top, this.extent.top)) + margin)];
  }

  private paintCells(f: Frame, plane: Plane): void {
    const [first, end, top, bottom] = this.inView(this.cell, f, plane.width, plane.height, kShort + kBendMargin);
    for (let row = top; row < bottom; ++row) {
      for (let k = this.starts[row * this.columns + first]!, stop = this.starts[row * this.columns + end]!; k < stop; ++k)
        paintEdge(plane, this.edges, this.points, f, this.inCells[k]!, this.edges.levels[this.inCells[k]!]!);
    }
  }

  private paintLevel({ side, columns, levels }: Level, f: Frame, plane: Plane): void {
    const size = side * this.cell;
    const [first, end, top, bottom] = this.inView(size, f, plane.width, plane.height, 1);
    for (let row = top; row < bottom; ++row) {
      const y = Math.floor(f.top + (this.extent.top + (row + 0.5) * size) * f.scale);
      if (y < 0 || y >= plane.height) continue;
      for (let column = first; column < Math.min(end, columns); ++column) {
        const x = Math.floor(f.left + (this.extent.left + (column + 0.5) * size) * f.scale);
        if (x < 0 || x >= plane.width) continue;
        const at = y * plane.width + x;
        const level = levels[row * columns + column]!;
        if (level > plane.levels[at]!) plane.levels[at] = level;
      }
    }
  }
}

function coarser(fine: Level): Level {
  const [columns, rows] = [Math.ceil(fine.columns / 2), Math.ceil(fine.rows / 2)];
  const levels = new Uint8Array(columns * rows);
  for (let row = 0; row < fine.rows; ++row) {
    for (let column = 0; column < fine.columns; ++column) {
      const at = (row >> 1) * columns + (column >> 1);
      levels[at] = Math.max(levels[at]!, fine.levels[row * fine.columns + column]!);
    }
  }
  return { side: 2 * fine.side, columns, rows, levels };
}
