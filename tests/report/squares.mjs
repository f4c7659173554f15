// SPDX-License-Identifier: Apache-2.0
// Looks for pairs that a picture of a matrix or a graph does not show, at random zooms of random runs, and says how many there are.
// usage: node squares.mjs ESBUILD SOURCES
import { execFileSync } from "child_process";

const [esbuild, sources] = process.argv.slice(2);
const entry = `export { levelsAt, squaresOf } from "${sources}/squares"; export { EdgeGrid } from "${sources}/edge-grid";`;
const bundle = execFileSync(esbuild, ["--bundle", "--format=esm", "--loader=ts"], { input: entry, cwd: sources });
const { levelsAt, squaresOf, EdgeGrid } = await import(`data:text/javascript;base64,${bundle.toString("base64")}`);

let state = 24;
const random = (end) => (state = (state * 48271) % 2147483647) % end;

function pairsOf(ranks, count) {
  const all = new Map();
  for (let i = 0; i < count; ++i) {
    const source = random(ranks);
    const destination = random(2) ? (source + 1 + random(5)) % ranks : random(ranks); // near ones, and any
    all.set(source * ranks + destination, [source, destination]);
  }
  const list = [...all.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return { ranks, source: Int32Array.from(list, ([s]) => s), destination: Int32Array.from(list, ([, d]) => d) };
}

const shuffled = (n) => {
  const list = Int32Array.from({ length: n }, (_, i) => i);
  for (let i = n; i-- > 1;) {
    const other = random(i + 1);
    [list[i], list[other]] = [list[other], list[i]];
  }
  return list;
};

// The highest level within a pixel of a place.
function near(pixels, width, height, x, y) {
  let most = 0;
  for (let py = Math.max(0, y - 1); py <= Math.min(height - 1, y + 1); ++py)
    for (let px = Math.max(0, x - 1); px <= Math.min(width - 1, x + 1); ++px) most = Math.max(most, pixels[py * width + px]);
  return most;
}

// Whether a pair is within about a pixel of a place.
function isNear(talk, ranks, column, row, perX, perY) {
  for (let r = Math.floor(row - 2 * perY); r <= row + 2 * perY; ++r)
    for (let c = Math.floor(column - 2 * perX); c <= column + 2 * perX; ++c) if (talk.has(r * ranks + c)) return true;
  return false;
}

const found = { pairs: 0, hidden: 0, empty: 0, edges: 0, hidden_edges: 0 };
for (const ranks of [1, 5, 64, 700, 5000, 40000]) {
  const pairs = pairsOf(ranks, Math.min(20000, 4 * ranks));
  const levels = Uint16Array.from(pairs.source, () => 1 + random(511));
  for (const place of [null, shuffled(ranks)]) {
    const squares = squaresOf(pairs, place, levels);
    for (let zoom = 1; zoom <= Math.max(1, ranks / 4); zoom *= 1.9) {
      const [width, height] = [200 + random(300), 200 + random(300)];
      const [x, y] = [(random(1000) / 1000) * (1 - 1 / zoom), (random(1000) / 1000) * (1 - 1 / zoom)];
      const pixels = levelsAt(squares, ranks, { x, y, zoom, width, height, gap: 0 });
      const at = (rank, corner, size) => ((place ? place[rank] : rank) / ranks - corner) * size * zoom;
      pairs.source.forEach((source, i) => {
        const [px, py] = [Math.floor(at(pairs.destination[i], x, width)), Math.floor(at(source, y, height))];
        if (px < 0 || py < 0 || px >= width || py >= height) return;
        ++found.pairs;
        if (near(pixels, width, height, px, py) < levels[i]) ++found.hidden;
      });
      if (ranks > 64) continue;
      const talk = new Set(Array.from(pairs.source, (source, i) => (place ? place[source] : source) * ranks + (place ? place[pairs.destination[i]] : pairs.destination[i])));
      pixels.forEach((level, i) => {
        if (level > 0 && !isNear(talk, ranks, x * ranks + ((i % width) / width / zoom) * ranks, y * ranks + (Math.floor(i / width) / height / zoom) * ranks, ranks / zoom / width, ranks / zoom / height)) ++found.empty;
      });
    }
  }
  const side = Math.ceil(Math.sqrt(ranks));
  const scattered = { x: Float64Array.from({ length: ranks }, () => random(1000)), y: Float64Array.from({ length: ranks }, () => random(1000)) };
  const onGrid = { x: Float64Array.from({ length: ranks }, (_, rank) => rank % side), y: Float64Array.from({ length: ranks }, (_, rank) => Math.floor(rank / side)) };
  const edges = { a: pairs.source, b: pairs.destination, bytes: new Float64Array(pairs.source.length), levels: Uint8Array.from(pairs.source, () => 1 + random(16)), count: pairs.source.length };
  for (const [points, width] of [[scattered, 1000], [onGrid, side]]) {
    const grid = new EdgeGrid(edges, points, { left: 0, top: 0, width, height: width });
    for (const scale of [0.1, 0.24, 0.49, 0.7, 3]) {
      const frame = { scale, left: -random(200), top: -random(200), spacing: scale, bend: 1.2 * scale };
      const picture = grid.paint(frame, null, 400, 300);
      for (let i = 0; i < edges.count; ++i) {
        for (const end of [edges.a[i], edges.b[i]]) {
          const [x, y] = [Math.floor(frame.left + points.x[end] * scale), Math.floor(frame.top + points.y[end] * scale)];
          if (x < 0 || y < 0 || x >= 400 || y >= 300) continue;
          ++found.edges;
          if (near(picture, 400, 300, x, y) < edges.levels[i]) ++found.hidden_edges;
        }
      }
    }
  }
}
console.log(JSON.stringify(found));
