// SPDX-License-Identifier: Apache-2.0
// The graph of who talks to whom, drawn as what it is, with the evidence for its name.
import type { ComponentChildren, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Canvas, type Drawing, layer, pixelOf, type View } from "./canvas";
import * as format from "./format";
import { type Lit, LitNote, useLit } from "./lit";
import { type Matrix, matrixOf, pairIndex, rowOf, type Run, type Topology } from "./model";
import { useView } from "./state";
import { Figure, Section, Table } from "./widgets";

// Pairs of ranks that talk, in either direction, the lightest first: parallel columns.
interface Edges { a: Int32Array; b: Int32Array; bytes: Float64Array; count: number }

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
  return { a: Int32Array.from(order, (i) => a[i]!), b: Int32Array.from(order, (i) => b[i]!), bytes: Float64Array.from(order, (i) => bytes[i]!), count };
}

interface Frame { x: (rank: number) => number; y: (rank: number) => number; spacing: number }

function frameOf(layout: Topology["layout"], width: number, height: number, view: View): Frame {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < layout.x.length; ++i) {
    left = Math.min(left, layout.x[i]!);
    right = Math.max(right, layout.x[i]!);
    top = Math.min(top, layout.y[i]!);
    bottom = Math.max(bottom, layout.y[i]!);
  }
  const margin = 52;
  const scale = Math.min((width - 2 * margin) / (right - left || 1), (height - 2 * margin) / (bottom - top || 1), 120);
  const [dx, dy] = [(width - scale * (right - left)) / 2, (height - scale * (bottom - top)) / 2];
  return {
    x: (rank) => ((dx + (layout.x[rank]! - left) * scale) / width - view.x) * width * view.zoom,
    y: (rank) => ((dy + (layout.y[rank]! - top) * scale) / height - view.y) * height * view.zoom,
    spacing: Math.min(scale, Math.sqrt(((right - left || 1) * (bottom - top || 1) * scale * scale) / layout.x.length)) * view.zoom,
  };
}

function addEdge(c: CanvasRenderingContext2D, f: Frame, x1: number, y1: number, x2: number, y2: number, length: number): void {
  const [dx, dy] = [x2 - x1, y2 - y1];
  c.moveTo(x1, y1);
  if (length > 1.9 * f.spacing && length > 0) { // around what lies between, as wraps of a torus do
    const bend = Math.min(0.18 * length, 1.2 * f.spacing);
    c.quadraticCurveTo((x1 + x2) / 2 - (dy / length) * bend, (y1 + y2) / 2 + (dx / length) * bend, x2, y2);
  } else {
    c.lineTo(x2, y2);
  }
}

type Chosen = (a: number, b: number) => boolean;

// Edges of like weight are one path, as drawing each by itself takes seconds where there are many.
function drawEdges(edges: Edges, f: Frame, isChosen: Chosen | null, { context: c, width, height, theme }: Drawing): void {
  const most = edges.bytes[edges.count - 1] || 1;
  const isMany = edges.count > 3000;
  const inPath = isMany ? 500 : 1;
  const room = Math.min(1, f.spacing / 60); // lines between ranks that are close are thin
  let [pending, level, wasChosen] = [0, -1, false];
  const flush = (): void => {
    if (pending > 0) c.stroke();
    pending = 0;
  };
  for (let i = 0; i < edges.count; ++i) {
    const [x1, y1, x2, y2] = [f.x(edges.a[i]!), f.y(edges.a[i]!), f.x(edges.b[i]!), f.y(edges.b[i]!)];
    if (Math.max(x1, x2) < -50 || Math.min(x1, x2) > width + 50 || Math.max(y1, y2) < -50 || Math.min(y1, y2) > height + 50) continue;
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (length < 1.5) continue; // below the dots of its ranks
    const chosen = isChosen !== null && isChosen(edges.a[i]!, edges.b[i]!);
    const own = Math.round(16 * Math.sqrt(edges.bytes[i]! / most));
    if (own !== level || chosen !== wasChosen || pending >= inPath) {
      flush();
      [level, wasChosen] = [own, chosen];
      c.globalAlpha = isChosen === null || chosen ? Math.max(0.25, own / 16) : 0.12;
      c.strokeStyle = chosen ? "#d55e00" : theme.accent;
      c.lineWidth = (isMany ? 0.5 + own / 16 : 0.75 + (own / 4) * room) + (chosen ? 1 : 0);
    }
    if (pending++ === 0) c.beginPath();
    addEdge(c, f, x1, y1, x2, y2, length);
  }
  flush();
  c.globalAlpha = 1;
}

function drawRank(c: CanvasRenderingContext2D, rank: number, x: number, y: number, radius: number, text: string): void {
  c.beginPath();
  c.arc(x, y, radius, 0, 2 * Math.PI);
  c.fill();
  if (radius > 3) c.stroke();
  if (radius < 8) return;
  c.fillStyle = text;
  c.fillText(String(rank), x, y);
}

// Of ranks that are closer than dots are large.
function drawDots(layout: Topology["layout"], f: Frame, { context, width, height, ratio, theme }: Drawing): void {
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  const colour = theme.isDark ? pixelOf("#e0e4e8", 200) : pixelOf("#202428", 200);
  const dots = layer(w, h, (pixels) => {
    for (let rank = 0; rank < layout.x.length; ++rank) {
      const [x, y] = [Math.floor(f.x(rank) * ratio), Math.floor(f.y(rank) * ratio)];
      if (x >= 0 && y >= 0 && x < w && y < h) pixels[y * w + x] = colour;
    }
  });
  context.drawImage(dots, 0, 0, width, height);
}

function drawGraph(layout: Topology["layout"], edges: Edges, picked: number | null, lit: Lit | null, drawing: Drawing, view: View): void {
  const { context: c, width, height, theme } = drawing;
  const f = frameOf(layout, width, height, view);
  const isChosen: Chosen | null = picked !== null ? (a, b) => a === picked || b === picked : lit ? (a, b) => lit.has(a, b) || lit.has(b, a) : null;
  drawEdges(edges, f, isChosen, drawing);
  const radius = Math.max(1, Math.min(13, f.spacing * 0.28));
  c.textAlign = "center";
  c.textBaseline = "middle";
  c.font = `${Math.max(8, Math.min(12, radius))}px system-ui, sans-serif`;
  c.lineWidth = 1;
  const areDots = radius < 1.5;
  if (areDots) drawDots(layout, f, drawing);
  for (let rank = 0; rank < layout.x.length; ++rank) {
    if (areDots && rank !== picked) continue;
    const [x, y] = [f.x(rank), f.y(rank)];
    if (x < -20 || y < -20 || x > width + 20 || y > height + 20) continue;
    const isPicked = rank === picked;
    c.fillStyle = isPicked ? "#d55e00" : theme.paper;
    c.strokeStyle = isPicked ? "#d55e00" : theme.text;
    drawRank(c, rank, x, y, radius, isPicked ? "#fff" : theme.text);
  }
}

function partnersText(edges: Edges, rank: number, coordinates: number[]): string {
  const own: number[] = [];
  for (let i = edges.count; i-- > 0;) if (edges.a[i] === rank || edges.b[i] === rank) own.push(i); // the heaviest first
  const place = coordinates.length > 0 ? ` at (${coordinates.join(", ")})` : "";
  const list = own.slice(0, 6).map((i) => `${edges.a[i] === rank ? edges.b[i] : edges.a[i]} (${format.bytes(edges.bytes[i]!)})`).join(", ");
  return `rank ${rank}${place}: ${own.length} partner${own.length === 1 ? "" : "s"}${list === "" ? "" : `: ${list}${own.length > 6 ? ", …" : ""}`}`;
}

function Graph(props: { run: Run; edges: Edges }): JSX.Element {
  const { layout, coordinates } = props.run.topology;
  const [view, setView] = useView("topology");
  const [picked, setPicked] = useState<number | null>(null);
  const found = useLit(props.run);
  const lit = found && found.traffic.messages > 0 ? found : null;
  const n = layout.x.length;
  const point = (x: number | null, y: number, width: number, height: number): void => {
    if (x === null) return setPicked(null);
    const f = frameOf(layout, width, height, view);
    let [nearest, distance] = [null as number | null, Math.max(10, f.spacing * 0.5)];
    for (let rank = 0; rank < n; ++rank) {
      const d = Math.hypot(f.x(rank) - x, f.y(rank) - y);
      if (d < distance) [nearest, distance] = [rank, d];
    }
    setPicked(nearest);
  };
  const onKey = (key: string): boolean => {
    if (key !== "n" && key !== "p") return false;
    setPicked(picked === null ? 0 : (picked + (key === "n" ? 1 : n - 1)) % n);
    return true;
  };
  return (
    <figure>
      <figcaption>{layout.drawn_as === "" ? "The graph" : `Drawn as ${layout.drawn_as}`}; thicker lines carry more bytes</figcaption>
      <LitNote run={props.run} lit={found} />
      <Canvas class="graph" label={`Graph of ${n} ranks and ${props.edges.count} pairs that talk; the tables have the numbers`}
        view={view} setView={setView} mostZoom={Math.max(4, Math.sqrt(n))} point={point} onKey={onKey}
        draw={(drawing, v) => drawGraph(layout, props.edges, picked, lit, drawing, v)} />
      <p class="under" aria-live="polite">
        {picked === null ? "point at a rank (or n and p) for its partners" : partnersText(props.edges, picked, rowOf(coordinates, picked))}
      </p>
    </figure>
  );
}

function Evidence(props: { t: Topology }): JSX.Element {
  const { t } = props;
  const figure = (of: string, value: number, text: string): JSX.Element => <Figure of={`topology.${of}`} value={value} text={text} />;
  const { filtered, degrees } = t;
  const rows: [string, ComponentChildren][] = [
    ["name", t.topology],
    ["also called", t.aliases.map((alias) => alias.topology).join(", ")],
    ["numbering", t.numbering],
    ["direction", t.direction],
    ["explains", t.recognized && <>{figure("messages_explained", t.messages_explained, format.percent(t.messages_explained))} of the messages,{" "}
      {figure("bytes_explained", t.bytes_explained, format.percent(t.bytes_explained))} of the bytes</>],
    ["partners", degrees.least === degrees.most
      ? <>{figure("degrees.least", degrees.least, `${degrees.least}`)} of each rank</>
      : <>{figure("degrees.least", degrees.least, `${degrees.least}`)} to {figure("degrees.most", degrees.most, `${degrees.most}`)} of a rank,{" "}
        {figure("degrees.mean", degrees.mean, degrees.mean.toFixed(1))} on average</>],
    ["left out as light", filtered.pairs > 0
      ? <>{figure("filtered.pairs", filtered.pairs, format.whole(filtered.pairs))} pair{filtered.pairs === 1 ? "" : "s"}, {figure("filtered.bytes", filtered.bytes, format.bytes(filtered.bytes))}</>
      : t.light.join("; ")],
    ["silent", t.silent_ranks > 0 && <>{figure("silent_ranks", t.silent_ranks, format.ranks(t.silent_ranks))} {t.silent_ranks === 1 ? "talks" : "talk"} to nobody</>],
  ];
  return (
    <table class="evidence">
      <caption>Evidence</caption>
      <tbody>{rows.filter((row) => row[1]).map(([name, value]) => <tr key={name}><th scope="row">{name}</th><td>{value}</td></tr>)}</tbody>
    </table>
  );
}

export function TopologyView(props: { run: Run }): JSX.Element {
  const { run } = props;
  const t = run.topology;
  const edges = useMemo(() => edgesOf(matrixOf(run.matrix)), [run.matrix]);
  if (edges.count === 0) return <Section id="topology" title="Topology" lead="No rank talks to another, so they form nothing.">{null}</Section>;
  return (
    <Section id="topology" title="Topology" lead={t.recognized || t.mixture.length > 0 ? `The ranks form a ${t.topology}.` : `The graph has no known form (${t.topology}).`}>
      <div class="columns">
        {t.layout.x.length > 0 && <Graph run={run} edges={edges} />}
        <div>
          <Evidence t={t} />
          {t.offsets && (
            <Table id="offsets" caption="Offsets between partners" rows={t.offsets} columns={[
              { title: "offset", value: (o) => `(${o.offset.join(",")})` }, { title: "pairs", value: (o) => o.pairs },
              { title: "bytes", value: (o) => o.forward.bytes + o.backward.bytes, text: (o) => format.bytes(o.forward.bytes + o.backward.bytes), bar: true }]} />
          )}
          {t.parts && t.parts.length > 0 && (
            <Table id="parts" caption="Parts of the program" rows={t.parts} columns={[
              { title: "where", value: (p) => p.where }, { title: "forms", value: (p) => p.topology || "collectives only" },
              { title: "messages", value: (p) => p.messages ?? 0, text: (p) => format.count(p.messages ?? 0) },
              { title: "bytes", value: (p) => p.bytes ?? 0, text: (p) => format.bytes(p.bytes ?? 0), bar: true }]} />
          )}
        </div>
      </div>
    </Section>
  );
}
