// SPDX-License-Identifier: Apache-2.0
// The graph of who talks to whom, drawn as what it is, with the evidence for its name.
import type { ComponentChildren, JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { Canvas, centred, type Drawing, type Drawn, layer, pixelOf, type Theme, type View } from "./canvas";
import { bendOf, countSeen, EdgePainter, type Edges, type Frame, isFilled, isSeen, kMostLevel, paintDots, type Points } from "./edges";
import * as format from "./format";
import { LitNote, useLit } from "./lit";
import { type Layout, type Matrix, matrixOf, type PackedRows, type Part, pairIndex, rowOf, type Run, type Topology, type Traffic } from "./model";
import { useSetting, useView } from "./state";
import { Choice, Figure, Section, Table } from "./widgets";

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

interface Extent { left: number; top: number; width: number; height: number }
const kExtents = new WeakMap<Points, Extent>();

function extentOf(layout: Points): Extent {
  const known = kExtents.get(layout);
  if (known) return known;
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < layout.x.length; ++i) {
    left = Math.min(left, layout.x[i]!);
    right = Math.max(right, layout.x[i]!);
    top = Math.min(top, layout.y[i]!);
    bottom = Math.max(bottom, layout.y[i]!);
  }
  const extent = { left, top, width: right - left || 1, height: bottom - top || 1 };
  kExtents.set(layout, extent);
  return extent;
}

function frameOf(layout: Points, width: number, height: number, view: View): Frame {
  const extent = extentOf(layout);
  const margin = Math.min(52, width / 8);
  const scale = Math.min((width - 2 * margin) / extent.width, (height - 2 * margin) / extent.height, 120);
  const [dx, dy] = [(width - scale * extent.width) / 2, (height - scale * extent.height) / 2];
  const spacing = Math.min(scale, Math.sqrt((extent.width * extent.height * scale * scale) / layout.x.length)) * view.zoom;
  return { scale: scale * view.zoom, left: (dx - extent.left * scale - view.x * width) * view.zoom,
    top: (dy - extent.top * scale - view.y * height) * view.zoom, spacing, bend: 1.2 * spacing };
}

const enlarged = (f: Frame, ratio: number): Frame =>
  ({ scale: f.scale * ratio, left: f.left * ratio, top: f.top * ratio, spacing: f.spacing * ratio, bend: f.bend * ratio });

const kMostLines = 1200; // that are drawn as lines, with as many widths as there are levels
const kMostDiscs = 1500;
const kChosenColour = "#d55e00";

function drawLines(edges: Edges, layout: Points, f: Frame, chosen: Uint8Array | null, { context: c, width, height, theme }: Drawing): void {
  const room = Math.min(1, f.spacing / 60); // lines between ranks that are close are thin
  for (let i = 0; i < edges.count; ++i) {
    const [a, b] = [edges.a[i]!, edges.b[i]!];
    const [x1, y1, x2, y2] = [f.left + layout.x[a]! * f.scale, f.top + layout.y[a]! * f.scale, f.left + layout.x[b]! * f.scale, f.top + layout.y[b]! * f.scale];
    if (!isSeen(x1, y1, x2, y2, width, height, f.bend)) continue;
    const share = edges.levels[i]! / kMostLevel;
    c.globalAlpha = chosen === null || chosen[i] ? Math.max(0.25, share) : 0.12;
    c.strokeStyle = chosen?.[i] ? kChosenColour : theme.accent;
    c.lineWidth = 0.75 + 4 * share * room + (chosen?.[i] ? 1 : 0);
    c.beginPath();
    c.moveTo(x1, y1);
    const bend = bendOf(f, x1, y1, x2, y2);
    if (bend) c.quadraticCurveTo(...bend, x2, y2);
    else c.lineTo(x2, y2);
    c.stroke();
  }
  c.globalAlpha = 1;
}

function drawDiscs(layout: Points, f: Frame, picked: number | null, { context: c, width, height, theme }: Drawing): void {
  const digits = String(layout.x.length - 1).length;
  const radius = Math.max(1, Math.min(digits > 3 ? 20 : 13, f.spacing * 0.28));
  c.textAlign = "center";
  c.textBaseline = "middle";
  const size = Math.min(12, radius, (1.8 * radius) / (0.6 * digits));
  c.font = `${size}px system-ui, sans-serif`;
  c.lineWidth = 1;
  for (let rank = 0; rank < layout.x.length; ++rank) {
    const [x, y] = [f.left + layout.x[rank]! * f.scale, f.top + layout.y[rank]! * f.scale];
    if (x < -20 || y < -20 || x > width + 20 || y > height + 20) continue;
    drawRank(c, rank, x, y, radius, size >= 7, rank === picked, theme);
  }
}

function drawRank(c: CanvasRenderingContext2D, rank: number, x: number, y: number, radius: number, hasNumber: boolean, isPicked: boolean, theme: Theme): void {
  c.fillStyle = isPicked ? kChosenColour : theme.paper;
  c.strokeStyle = isPicked ? kChosenColour : theme.text;
  c.beginPath();
  c.arc(x, y, radius, 0, 2 * Math.PI);
  c.fill();
  if (radius > 3) c.stroke();
  if (!hasNumber) return;
  c.fillStyle = isPicked ? "#fff" : theme.text;
  c.fillText(String(rank), x, y);
}

// How many ranks are in view; counting ends behind `most`.
function ranksSeen(layout: Points, f: Frame, width: number, height: number, most: number): number {
  let count = 0;
  for (let rank = 0; rank < layout.x.length && count <= most; ++rank) {
    const [x, y] = [f.left + layout.x[rank]! * f.scale, f.top + layout.y[rank]! * f.scale];
    if (x >= 0 && y >= 0 && x <= width && y <= height) ++count;
  }
  return count;
}

// Of each level a pixel's colour.
function coloursOf(colour: string, alphaOf: (share: number) => number): Uint32Array {
  return Uint32Array.from({ length: kMostLevel + 1 }, (_, level) => pixelOf(colour, Math.round(255 * alphaOf(level / kMostLevel))));
}

const kSlice = 12; // ms
interface Seen { layout: Points; edges: Edges; picked: number | null; chosen: Uint8Array | null }

// In steps, so that the page obeys the next key before all of a large graph is there.
function* drawGraph({ layout, edges, picked, chosen }: Seen, drawing: Drawing, view: View): Drawn {
  const { context: c, width, height, ratio, theme } = drawing;
  const f = frameOf(layout, width, height, view);
  const areLines = countSeen(edges, layout, f, width, height, kMostLines) <= kMostLines;
  const areDiscs = ranksSeen(layout, f, width, height, kMostDiscs) <= kMostDiscs;
  if (areLines && areDiscs) {
    drawLines(edges, layout, f, chosen, drawing);
    drawDiscs(layout, f, picked, drawing);
    return;
  }
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  const large = enlarged(f, ratio);
  const painter = new EdgePainter(edges, layout, large, chosen, w, h);
  const plain = coloursOf(theme.accent, (share) => chosen ? 0.12 : Math.max(0.25, share));
  const lit = coloursOf(kChosenColour, (share) => Math.max(0.5, share));
  const area = pixelOf(theme.isDark ? "#e0e4e8" : "#202428", 60);
  const dot = theme.isDark ? pixelOf("#e0e4e8", 200) : pixelOf("#202428", 200);
  for (let isWhole = false; !isWhole;) {
    isWhole = painter.paintUntil(performance.now() + kSlice);
    const picture = layer(w, h, (pixels) => {
      if (isFilled(large)) paintDots(layout, large, pixels, w, h, area);
      painter.put(pixels, plain, lit);
      if (!areDiscs && !isFilled(large)) paintDots(layout, large, pixels, w, h, dot);
    });
    c.clearRect(0, 0, width, height);
    c.drawImage(picture, 0, 0, width, height);
    if (areDiscs) drawDiscs(layout, f, picked, drawing);
    else if (picked !== null) drawRank(c, picked, f.left + layout.x[picked]! * f.scale, f.top + layout.y[picked]! * f.scale, Math.max(4, f.spacing * 0.3), false, true, theme);
    if (!isWhole) yield;
  }
}

function partnersText(edges: Edges, rank: number, coordinates: number[]): string {
  const own: number[] = [];
  for (let i = edges.count; i-- > 0;) if (edges.a[i] === rank || edges.b[i] === rank) own.push(i); // the heaviest first
  const place = coordinates.length > 0 ? ` at (${coordinates.join(", ")})` : "";
  const list = own.slice(0, 6).map((i) => `${edges.a[i] === rank ? edges.b[i] : edges.a[i]} (${format.bytes(edges.bytes[i]!)})`).join(", ");
  return `rank ${rank}${place}: ${own.length} partner${own.length === 1 ? "" : "s"}${list === "" ? "" : `: ${list}${own.length > 6 ? ", …" : ""}`}`;
}

// A graph that can be looked at: of the whole run, a part of the program, or a phase.
interface Scene { layout: Layout; edges: Edges; coordinates: number[][] | PackedRows | undefined }

// Of each edge whether it is one of the rank that a reader points at, or of the line that is lit.
function chosenOf(edges: Edges, picked: number | null, lit: ((source: number, destination: number) => boolean) | null): Uint8Array | null {
  if (picked === null && lit === null) return null;
  const chosen = new Uint8Array(edges.count);
  for (let i = 0; i < edges.count; ++i) {
    const [a, b] = [edges.a[i]!, edges.b[i]!];
    if (picked !== null ? a === picked || b === picked : lit!(a, b) || lit!(b, a)) chosen[i] = 1;
  }
  return chosen;
}

function Graph(props: { run: Run; scene: Scene }): JSX.Element {
  const { layout, edges, coordinates } = props.scene;
  const [view, setView] = useView("topology");
  const [picked, setPicked] = useState<number | null>(null);
  const found = useLit(props.run);
  const lit = found && found.traffic.messages > 0 ? found : null;
  const chosen = useMemo(() => chosenOf(edges, picked, lit && lit.has), [edges, picked, lit]);
  const n = layout.x.length;
  const point = (x: number | null, y: number, width: number, height: number): void => {
    if (x === null) return setPicked(null);
    const f = frameOf(layout, width, height, view);
    let [nearest, distance] = [null as number | null, Math.max(10, f.spacing * 0.5)];
    for (let rank = 0; rank < n; ++rank) {
      const d = Math.hypot(f.left + layout.x[rank]! * f.scale - x, f.top + layout.y[rank]! * f.scale - y);
      if (d < distance) [nearest, distance] = [rank, d];
    }
    setPicked(nearest);
  };
  const size = useRef<[width: number, height: number]>([1, 1]);
  const onKey = (key: string): boolean => {
    if (key !== "n" && key !== "p") return false;
    const f = frameOf(layout, ...size.current, view);
    const at = (rank: number): [number, number] => [(f.left + layout.x[rank]! * f.scale) / size.current[0], (f.top + layout.y[rank]! * f.scale) / size.current[1]];
    const isSeen = (rank: number): boolean => at(rank).every((share) => share >= 0 && share <= 1);
    let next = picked === null ? 0 : (picked + (key === "n" ? 1 : n - 1)) % n;
    if (picked === null) while (next + 1 < n && !isSeen(next)) ++next; // the first in view
    setPicked(next);
    const [x, y] = at(next);
    if (!isSeen(next)) setView(centred(view.x + x / view.zoom, view.y + y / view.zoom, view.zoom));
    return true;
  };
  return (
    <figure>
      <figcaption>{layout.drawn_as === "" ? "The graph" : `Drawn as ${layout.drawn_as}`}; thicker lines carry more bytes</figcaption>
      <LitNote run={props.run} lit={found} />
      <Canvas class="graph" label={`Graph of ${n} ranks and ${edges.count} pairs that talk; the tables have the numbers`}
        view={view} setView={setView} mostZoom={Math.max(4, Math.sqrt(n))} point={point} onKey={onKey}
        draw={(drawing, v) => (size.current = [drawing.width, drawing.height], drawGraph({ layout, edges, picked, chosen }, drawing, v))} />
      <p class="under hint" aria-live="polite">
        {picked === null ? "point at a rank (or n and p) for its partners" : partnersText(edges, picked, rowOf(coordinates, picked))}
      </p>
    </figure>
  );
}

interface RankRow { rank: number; partners: number; sent: number; received: number; bytes: number }

function rankRows(matrix: Matrix, edges: Edges): RankRow[] {
  const rows = Array.from({ length: matrix.ranks }, (_, rank): RankRow => ({ rank, partners: 0, sent: 0, received: 0, bytes: 0 }));
  for (let i = 0; i < edges.count; ++i) {
    ++rows[edges.a[i]!]!.partners;
    ++rows[edges.b[i]!]!.partners;
  }
  for (let i = 0; i < matrix.source.length; ++i) {
    rows[matrix.source[i]!]!.sent += matrix.messages[i]!;
    rows[matrix.source[i]!]!.bytes += matrix.bytes[i]!;
    rows[matrix.destination[i]!]!.received += matrix.messages[i]!;
  }
  return rows;
}

// Put together when it is looked at: of many ranks that takes a while.
function Ranks(props: { matrix: Matrix; scene: Scene }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { matrix, scene } = props;
  const rows = useMemo(() => (isOpen ? rankRows(matrix, scene.edges) : []), [isOpen, matrix, scene.edges]);
  const place = (row: RankRow): string => rowOf(scene.coordinates, row.rank).join(", ");
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>ranks as a table</summary>
      {isOpen && <Table id="places" caption="Ranks and their places" rows={rows} columns={[{ title: "rank", value: (row) => row.rank },
        ...(scene.coordinates ? [{ title: "coordinates", value: place }] : []), { title: "partners", value: (row) => row.partners },
        { title: "messages sent", value: (row) => row.sent, text: (row) => format.count(row.sent) },
        { title: "messages received", value: (row) => row.received, text: (row) => format.count(row.received) },
        { title: "bytes sent", value: (row) => row.bytes, unit: "B", text: (row) => format.bytes(row.bytes), bar: true }]} />}
    </details>
  );
}

const messagesText = (n: number): string => `${format.whole(n)} message${n === 1 ? "" : "s"}`;

function Facts(props: { caption: string; rows: [string, ComponentChildren][] }): JSX.Element {
  return (
    <table class="evidence">
      <caption>{props.caption}</caption>
      <tbody>{props.rows.filter((row) => row[1]).map(([name, value]) => <tr key={name}><th scope="row">{name}</th><td>{value}</td></tr>)}</tbody>
    </table>
  );
}

// Of a part that is chosen; all is what the whole run sends.
function PartEvidence(props: { part: Part; all: Traffic }): JSX.Element {
  const { part, all } = props;
  const [messages, bytes] = [part.messages ?? 0, part.bytes ?? 0];
  const of = (value: number, whole: number): string => (whole > 0 ? ` (${format.percent(value / whole)})` : "");
  return <Facts caption="Evidence, of this part" rows={[["name", part.topology], ["also called", part.aliases?.map((alias) => alias.topology).join(", ")],
    ["direction", part.direction], ["sends", `${messagesText(messages)}${of(messages, all.messages)}, ${format.bytes(bytes)}${of(bytes, all.bytes)} of the run's`]]} />;
}

function Evidence(props: { t: Topology; isOfAll: boolean }): JSX.Element {
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
      ? <>{figure("filtered.pairs", filtered.pairs, format.whole(filtered.pairs))} pair{filtered.pairs === 1 ? "" : "s"} with{" "}
        {figure("filtered.messages", filtered.messages, messagesText(filtered.messages))}, {figure("filtered.bytes", filtered.bytes, format.bytes(filtered.bytes))}</>
      : t.light.join("; ")],
    ["to itself", t.to_self.messages > 0 && <>{figure("to_self.messages", t.to_self.messages, messagesText(t.to_self.messages))},{" "}
      {figure("to_self.bytes", t.to_self.bytes, format.bytes(t.to_self.bytes))} that ranks send to themselves</>],
    ["silent", t.silent_ranks > 0 && <>{figure("silent_ranks", t.silent_ranks, format.ranks(t.silent_ranks))} {t.silent_ranks === 1 ? "talks" : "talk"} to nobody</>],
  ];
  return <Facts caption={`Evidence${props.isOfAll ? ", of the whole run" : ""}`} rows={rows} />;
}

const nameOfPart = (part: Part): string => `${part.where}: ${part.topology}`;

// What the choice has, by its key: the whole, parts of the program, phases that it marked.
function scenesOf(run: Run): { key: string; name: string; part: Part | null }[] {
  const { parts = [], phases = [] } = run.topology;
  const listed = (list: Part[], kind: string): { key: string; name: string; part: Part | null }[] =>
    list.flatMap((part, i) => (part.pairs && part.layout ? [{ key: `${kind}${i + 1}`, name: `${kind} ${i + 1}, ${nameOfPart(part)}`, part }] : []));
  const [ofParts, ofPhases] = [listed(parts, "part"), listed(phases, "phase")];
  return [{ key: "whole", name: "the whole run", part: null }, ...(parts.length > 1 ? ofParts : []), ...ofPhases];
}

export function TopologyView(props: { run: Run }): JSX.Element {
  const { run } = props;
  const t = run.topology;
  const scenes = useMemo(() => scenesOf(run), [run]);
  const [key] = useSetting("topology.part", "whole", scenes.map((each) => each.key));
  const part = scenes.find((each) => each.key === key)!.part;
  const matrix = matrixOf(part?.pairs ?? run.matrix);
  const edges = useMemo(() => edgesOf(matrix), [matrix]);
  if (run.matrix.messages.length === 0) return <Section id="topology" title="Topology" lead="No rank talks to another, so they form nothing.">{null}</Section>;
  const scene: Scene = { layout: part?.layout ?? t.layout, edges, coordinates: part ? part.coordinates : t.coordinates };
  return (
    <Section id="topology" title="Topology" lead={t.recognized || t.mixture.length > 0 ? `The ranks form a ${t.topology}.` : `The graph has no known form (${t.topology}).`}>
      {scenes.length > 1 && <div class="choices"><Choice label="show" setting="topology.part" options={scenes.map((each) => [each.key, each.name] as const)} /></div>}
      <div class="columns">
        <div>
          {scene.layout.x.length > 0 && <Graph key={key} run={run} scene={scene} />}
          <Ranks key={key} matrix={matrix} scene={scene} />
        </div>
        <div>
          {part && <PartEvidence part={part} all={{ messages: run.stats.message_density.total_messages, bytes: run.stats.data_density.total_bytes }} />}
          <Evidence t={t} isOfAll={part !== null} />
          {t.offsets && (
            <Table id="offsets" caption="Offsets between partners" rows={t.offsets} columns={[
              { title: "offset", value: (o) => `(${o.offset.join(",")})` }, { title: "pairs", value: (o) => o.pairs },
              { title: "bytes", value: (o) => o.forward.bytes + o.backward.bytes, unit: "B", text: (o) => format.bytes(o.forward.bytes + o.backward.bytes), bar: true }]} />
          )}
          {t.parts && t.parts.length > 0 && <Parts id="parts" caption="Parts of the program" parts={t.parts} />}
          {t.phases && t.phases.length > 0 && <Parts id="phases" caption="Phases that the program marks" parts={t.phases} />}
        </div>
      </div>
    </Section>
  );
}

function Parts(props: { id: string; caption: string; parts: Part[] }): JSX.Element {
  return (
    <Table id={props.id} caption={props.caption} rows={props.parts} columns={[
      { title: "where", value: (p) => p.where }, { title: "forms", value: (p) => p.topology || "collectives only" },
      { title: "messages", value: (p) => p.messages ?? 0, text: (p) => format.count(p.messages ?? 0) },
      { title: "bytes", value: (p) => p.bytes ?? 0, unit: "B", text: (p) => format.bytes(p.bytes ?? 0), bar: true }]} />
  );
}
