// SPDX-License-Identifier: Apache-2.0
// The graph of who talks to whom, drawn as what it is, with the evidence for its name.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Canvas, type Drawing, kWhole, type View } from "./canvas";
import * as format from "./format";
import { type Matrix, matrixOf, type Run, type Topology } from "./model";
import { Section, Table } from "./widgets";

interface Edge { a: number; b: number; bytes: number; messages: number }

function edgesOf(matrix: Matrix): Edge[] {
  const edges = new Map<number, Edge>();
  for (let i = 0; i < matrix.source.length; ++i) {
    const [a, b] = [Math.min(matrix.source[i]!, matrix.destination[i]!), Math.max(matrix.source[i]!, matrix.destination[i]!)];
    if (a === b) continue;
    const key = a * matrix.ranks + b;
    const edge = edges.get(key) ?? { a, b, bytes: 0, messages: 0 };
    edge.bytes += matrix.bytes[i]!;
    edge.messages += matrix.messages[i]!;
    edges.set(key, edge);
  }
  return [...edges.values()].sort((x, y) => x.bytes - y.bytes);
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

function strokeEdge(c: CanvasRenderingContext2D, f: Frame, edge: Edge): void {
  const [x1, y1, x2, y2] = [f.x(edge.a), f.y(edge.a), f.x(edge.b), f.y(edge.b)];
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = Math.hypot(dx, dy);
  c.beginPath();
  c.moveTo(x1, y1);
  if (length > 1.9 * f.spacing && length > 0) { // around what lies between, as wraps of a torus do
    const bend = Math.min(0.18 * length, 1.2 * f.spacing);
    c.quadraticCurveTo((x1 + x2) / 2 - (dy / length) * bend, (y1 + y2) / 2 + (dx / length) * bend, x2, y2);
  } else {
    c.lineTo(x2, y2);
  }
  c.stroke();
}

function drawGraph(layout: Topology["layout"], edges: Edge[], picked: number | null, drawing: Drawing, view: View): void {
  const { context: c, width, height, theme } = drawing;
  const f = frameOf(layout, width, height, view);
  const most = edges[edges.length - 1]?.bytes || 1;
  const isMany = edges.length > 3000;
  for (const edge of edges) {
    const isPicked = picked !== null && (edge.a === picked || edge.b === picked);
    const share = Math.sqrt(edge.bytes / most);
    c.globalAlpha = picked === null || isPicked ? Math.max(0.25, share) : 0.12;
    c.strokeStyle = isPicked ? "#d55e00" : theme.accent;
    c.lineWidth = isMany ? 0.5 + share : 0.75 + 4 * share;
    strokeEdge(c, f, edge);
  }
  c.globalAlpha = 1;
  const radius = Math.max(1, Math.min(13, f.spacing * 0.28));
  c.textAlign = "center";
  c.textBaseline = "middle";
  c.font = `${Math.max(8, Math.min(12, radius))}px system-ui, sans-serif`;
  for (let rank = 0; rank < layout.x.length; ++rank) {
    const [x, y] = [f.x(rank), f.y(rank)];
    if (x < -20 || y < -20 || x > width + 20 || y > height + 20) continue;
    c.fillStyle = rank === picked ? "#d55e00" : theme.paper;
    c.strokeStyle = rank === picked ? "#d55e00" : theme.text;
    c.lineWidth = 1;
    c.beginPath();
    c.arc(x, y, radius, 0, 2 * Math.PI);
    c.fill();
    if (radius > 3) c.stroke();
    if (radius < 8) continue;
    c.fillStyle = rank === picked ? "#fff" : theme.text;
    c.fillText(String(rank), x, y);
  }
}

function partnersText(edges: Edge[], rank: number, coordinates: number[] | undefined): string {
  const own = edges.filter((edge) => edge.a === rank || edge.b === rank).sort((x, y) => y.bytes - x.bytes);
  const place = coordinates && coordinates.length > 0 ? ` at (${coordinates.join(", ")})` : "";
  const list = own.slice(0, 6).map((edge) => `${edge.a === rank ? edge.b : edge.a} (${format.bytes(edge.bytes)})`).join(", ");
  return `rank ${rank}${place}: ${own.length} partner${own.length === 1 ? "" : "s"}${list === "" ? "" : `: ${list}${own.length > 6 ? ", …" : ""}`}`;
}

function Graph(props: { run: Run; edges: Edge[] }): JSX.Element {
  const { layout, coordinates } = props.run.topology;
  const [view, setView] = useState<View>(kWhole);
  const [picked, setPicked] = useState<number | null>(null);
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
      <Canvas class="graph" label={`Graph of ${n} ranks and ${props.edges.length} pairs that talk; the tables have the numbers`}
        view={view} setView={setView} mostZoom={Math.max(4, Math.sqrt(n))} point={point} onKey={onKey}
        draw={(drawing, v) => drawGraph(layout, props.edges, picked, drawing, v)} />
      <p class="under" aria-live="polite">
        {picked === null ? "point at a rank (or n and p) for its partners" : partnersText(props.edges, picked, coordinates?.[picked])}
      </p>
    </figure>
  );
}

function Evidence(props: { t: Topology }): JSX.Element {
  const { t } = props;
  const rows: [string, string][] = [
    ["name", t.topology],
    ["also called", t.aliases.map((alias) => alias.topology).join(", ")],
    ["numbering", t.numbering],
    ["direction", t.direction],
    ["explains", t.recognized ? `${format.percent(t.messages_explained)} of the messages, ${format.percent(t.bytes_explained)} of the bytes` : ""],
    ["partners", `${t.degrees.least} to ${t.degrees.most} of a rank, ${t.degrees.mean.toFixed(1)} on average`],
    ["left out as light", t.filtered.pairs > 0 ? `${t.filtered.pairs} pairs, ${format.bytes(t.filtered.bytes)}` : t.light.join("; ")],
    ["silent", t.silent_ranks > 0 ? `${format.ranks(t.silent_ranks)} talk to nobody` : ""],
  ];
  return (
    <table class="evidence">
      <caption>Evidence</caption>
      <tbody>{rows.filter((row) => row[1] !== "").map(([name, value]) => <tr key={name}><th scope="row">{name}</th><td>{value}</td></tr>)}</tbody>
    </table>
  );
}

export function TopologyView(props: { run: Run }): JSX.Element {
  const { run } = props;
  const t = run.topology;
  const edges = useMemo(() => edgesOf(matrixOf(run.matrix)), [run]);
  if (edges.length === 0) return <Section id="topology" title="Topology" lead="No rank talks to another, so they form nothing."><Evidence t={t} /></Section>;
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
