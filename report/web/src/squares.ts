// SPDX-License-Identifier: Apache-2.0
// The pairs of a matrix in squares of 1, 4, 16, ... ranks, so that a picture of it looks at about as many as it has pixels.
// A square has the highest level of its pairs: one that talks is never lost among those that do not.

export interface Squares { side: number; starts: Int32Array; columns: Int32Array; levels: Uint16Array } // of row r: starts[r] to starts[r + 1]

export interface Pairs { ranks: number; source: Int32Array; destination: Int32Array }

const kFactor = 4;
const kFewRows = 512; // that need no larger squares

// Of single ranks, in the order of the places that they are shown at.
function finest(pairs: Pairs, place: Int32Array | null, levels: Uint16Array): Squares {
  const { ranks, source, destination } = pairs;
  const starts = new Int32Array(ranks + 1);
  const at = (rank: number): number => (place ? place[rank]! : rank);
  for (let i = 0; i < source.length; ++i) ++starts[at(source[i]!) + 1]!;
  for (let row = 0; row < ranks; ++row) starts[row + 1]! += starts[row]!;
  const next = starts.slice();
  const [columns, sorted] = [new Int32Array(source.length), new Uint16Array(source.length)];
  for (let i = 0; i < source.length; ++i) {
    const to = next[at(source[i]!)]!++;
    columns[to] = at(destination[i]!);
    sorted[to] = levels[i]!;
  }
  return { side: 1, starts, columns, levels: sorted };
}

function coarser(fine: Squares): Squares {
  const rows = Math.ceil((fine.starts.length - 1) / kFactor);
  const starts = new Int32Array(rows + 1);
  const best = new Uint16Array(rows); // of the row at hand
  const [columns, levels] = [new Int32Array(fine.columns.length), new Uint16Array(fine.columns.length)];
  let count = 0;
  for (let row = 0; row < rows; ++row) {
    const end = fine.starts[Math.min(fine.starts.length - 1, (row + 1) * kFactor)]!;
    for (let i = fine.starts[row * kFactor]!; i < end; ++i) {
      const column = Math.floor(fine.columns[i]! / kFactor);
      if (best[column] === 0) columns[count++] = column;
      if (fine.levels[i]! > best[column]!) best[column] = fine.levels[i]!;
    }
    for (let i = starts[row]!; i < count; ++i) {
      levels[i] = best[columns[i]!]!;
      best[columns[i]!] = 0;
    }
    starts[row + 1] = count;
  }
  return { side: fine.side * kFactor, starts, columns: columns.slice(0, count), levels: levels.slice(0, count) };
}

// The finest first.
// @param levels  of each pair, above 0
export function squaresOf(pairs: Pairs, place: Int32Array | null, levels: Uint16Array): Squares[] {
  const all = [finest(pairs, place, levels)];
  while (all[all.length - 1]!.starts.length > kFewRows) all.push(coarser(all[all.length - 1]!));
  return all;
}

export interface Window { x: number; y: number; zoom: number; width: number; height: number; gap: number } // pixels; gap: between large squares

// The highest level at each pixel, 0 where nobody talks. Each square is at least one pixel large.
export function levelsAt(all: Squares[], ranks: number, { x, y, zoom, width, height, gap }: Window): Uint16Array {
  const pixels = new Uint16Array(width * height);
  const [perRankX, perRankY] = [(width * zoom) / ranks, (height * zoom) / ranks];
  const squares = all.filter(({ side }) => side * Math.max(perRankX, perRankY) <= 1).pop() ?? all[0]!;
  const [sizeX, sizeY] = [squares.side * perRankX, squares.side * perRankY];
  const [x0, y0] = [x * width * zoom, y * height * zoom];
  const rows = squares.starts.length - 1;
  const lastRow = Math.min(rows, Math.ceil((y0 + height) / sizeY) + 1);
  // behind the last pixel of a square that begins at `start`: what reaches into the picture is seen
  const endOf = (start: number, size: number): number => Math.max(Math.floor(start) + 1, Math.floor(Math.floor(start) + size) - gap, start + size > 0 ? 1 : 0);
  for (let row = Math.max(0, Math.floor(y0 / sizeY) - 1); row < lastRow; ++row) {
    const top = row * sizeY - y0;
    const [from, to] = [Math.max(0, Math.floor(top)), Math.min(height, endOf(top, sizeY))];
    if (from >= to) continue;
    for (let i = squares.starts[row]!, end = squares.starts[row + 1]!; i < end; ++i) {
      const start = squares.columns[i]! * sizeX - x0;
      if (start >= width) continue;
      const [left, right] = [Math.floor(start), Math.min(width, endOf(start, sizeX))];
      const level = squares.levels[i]!;
      for (let py = from; py < to; ++py) {
        for (let at = py * width + Math.max(0, left), stop = py * width + right; at < stop; ++at) if (level > pixels[at]!) pixels[at] = level;
      }
    }
  }
  return pixels;
}
