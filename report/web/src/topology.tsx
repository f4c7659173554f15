// SPDX-License-Identifier: Apache-2.0
// The graph of who talks to whom, drawn as what it is, with the evidence for its name.
import type { ComponentChildren, JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { type Answered, useAnswers } from "./answers";
import { Canvas, centred, type Drawing, drawMoved, layer, pixelOf, type Theme, type View } from "./canvas";
import { bendOf, type Frame, frameOf, kChosen, kMostLevel } from "./edges";
import { askLatest } from "./engine";
import * as format from "./format";
import { LitNote, useLit } from "./lit";
import type { LayoutFacts, Run, ScenePart, SceneTopology, Traffic } from "./model";
import type { Discs, Drawn, Lines, QuestionOf, RankFacts } from "./protocol";
import { useSetting, useView } from "./state";
import { Choice, Figure, Section, Table } from "./widgets";

const kChosenColour = "#d55e00";

interface Seen { facts: LayoutFacts; made: Answered<"graph">; picked: RankFacts | null }

// Lines are in units of the layout: they stand where they belong in each view.
function drawLines({ ends, levels, chosen }: Lines, f: Frame, { context: c, theme }: Drawing): void {
  const room = Math.min(1, f.spacing / 60); // lines between ranks that are close are thin
  levels.forEach((level, i) => {
    const [x1, y1, x2, y2] = [0, 1, 2, 3].map((k) => (k % 2 ? f.top : f.left) + ends[4 * i + k]! * f.scale) as [number, number, number, number];
    const share = level / kMostLevel;
    c.globalAlpha = chosen === null || chosen[i] ? Math.max(0.25, share) : 0.12;
    c.strokeStyle = chosen?.[i] ? kChosenColour : theme.accent;
    c.lineWidth = 0.75 + 4 * share * room + (chosen?.[i] ? 1 : 0);
    c.beginPath();
    c.moveTo(x1, y1);
    const bend = bendOf(f, x1, y1, x2, y2);
    if (bend) c.quadraticCurveTo(...bend, x2, y2);
    else c.lineTo(x2, y2);
    c.stroke();
  });
  c.globalAlpha = 1;
}

function drawDiscs({ ranks, x, y }: Discs, count: number, f: Frame, picked: number, { context: c, theme }: Drawing): void {
  const digits = String(count - 1).length;
  const radius = Math.max(1, Math.min(digits > 3 ? 20 : 13, f.spacing * 0.28));
  c.textAlign = "center";
  c.textBaseline = "middle";
  const size = Math.min(12, radius, (1.8 * radius) / (0.6 * digits));
  c.font = `${size}px system-ui, sans-serif`;
  c.lineWidth = 1;
  ranks.forEach((rank, i) => drawRank(c, rank, f.left + x[i]! * f.scale, f.top + y[i]! * f.scale, radius, size >= 7, rank === picked, theme));
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

// Of each level a pixel's colour.
function coloursOf(colour: string, alphaOf: (share: number) => number): Uint32Array {
  return Uint32Array.from({ length: kMostLevel + 1 }, (_, level) => pixelOf(colour, Math.round(255 * alphaOf(level / kMostLevel))));
}

const kPainted = new WeakMap<Drawn, [string, HTMLCanvasElement]>(); // by whether colours are those of dark paper

function pictureOf(answer: Drawn, levels: Uint8Array, theme: Theme): HTMLCanvasElement {
  const key = String(theme.isDark);
  const known = kPainted.get(answer);
  if (known?.[0] === key) return known[1];
  const plain = coloursOf(theme.accent, (share) => answer.hasChosen ? 0.12 : Math.max(0.25, share));
  const lit = coloursOf(kChosenColour, (share) => Math.max(0.5, share));
  const ink = pixelOf(theme.isDark ? "#e0e4e8" : "#202428", answer.isFilled ? 60 : 200);
  const picture = layer(answer.width, answer.height, (pixels) => {
    for (let i = 0; i < pixels.length; ++i) {
      const level = levels[i]!;
      if (answer.dots?.[i] && (!answer.isFilled || level === 0)) pixels[i] = ink; // dots lie above lines, what they fill together below
      else if (level > 0) pixels[i] = level >= kChosen ? lit[level - kChosen]! : plain[level]!;
    }
  });
  kPainted.set(answer, [key, picture]);
  return picture;
}

function drawGraph({ facts, made, picked }: Seen, drawing: Drawing, view: View): void {
  const { question, answer } = made;
  const f = frameOf(facts, drawing.width, drawing.height, view);
  if (answer.lines) drawLines(answer.lines, f, drawing);
  else if (answer.levels) drawMoved(drawing, pictureOf(answer, answer.levels, drawing.theme), question.view, view);
  if (answer.discs) drawDiscs(answer.discs, facts.count, f, picked?.rank ?? -1, drawing);
  else if (picked) drawRank(drawing.context, picked.rank, f.left + picked.x * f.scale, f.top + picked.y * f.scale, Math.max(4, f.spacing * 0.3), false, true, drawing.theme);
}

function partnersText({ rank, coordinates, partners, heaviest }: RankFacts): string {
  const place = coordinates.length > 0 ? ` at (${coordinates.join(", ")})` : "";
  const list = heaviest.map(([other, bytes]) => `${other} (${format.bytes(bytes)})`).join(", ");
  return `rank ${rank}${place}: ${partners} partner${partners === 1 ? "" : "s"}${list === "" ? "" : `: ${list}${partners > heaviest.length ? ", …" : ""}`}`;
}

// A graph that can be looked at: of the whole run, a part of the program, or a phase.
interface SceneFacts { key: string; layout: LayoutFacts }

function Graph(props: { run: Run; scene: SceneFacts }): JSX.Element {
  const { run, scene } = props;
  const { layout } = scene;
  const [view, setView] = useView("topology");
  const [picked, setPicked] = useState<RankFacts | null>(null);
  const found = useLit(run);
  const line = found && found.traffic.messages > 0 ? found.line : null;
  const answered = useAnswers<"graph">("graph", run);
  const pick = (question: Omit<QuestionOf<"rank">, "what" | "scene">, then: (rank: RankFacts | null) => void = () => undefined): void =>
    askLatest<"rank">("rank", run, { what: "rank", scene: scene.key, ...question }, (rank) => {
      setPicked(rank);
      then(rank);
    });
  const point = (x: number | null, y: number, width: number, height: number): void => {
    if (x === null) return setPicked(null);
    const f = frameOf(layout, width, height, view);
    pick({ near: { x: (x - f.left) / f.scale, y: (y - f.top) / f.scale, within: Math.max(10, f.spacing * 0.5) / f.scale } });
  };
  const size = useRef<[width: number, height: number]>([1, 1]);
  const onKey = (key: string): boolean => {
    if (key !== "n" && key !== "p") return false;
    const [width, height] = size.current;
    const f = frameOf(layout, width, height, view);
    const n = layout.count;
    const box = { left: -f.left / f.scale, top: -f.top / f.scale, right: (width - f.left) / f.scale, bottom: (height - f.top) / f.scale };
    pick(picked ? { rank: (picked.rank + (key === "n" ? 1 : n - 1)) % n } : { firstIn: box }, (rank) => {
      if (!rank || (rank.x >= box.left && rank.x <= box.right && rank.y >= box.top && rank.y <= box.bottom)) return;
      setView(centred(view.x + (f.left + rank.x * f.scale) / width / view.zoom, view.y + (f.top + rank.y * f.scale) / height / view.zoom, view.zoom));
    });
    return true;
  };
  const draw = (drawing: Drawing): void => {
    const { width, height, ratio } = drawing;
    size.current = [width, height];
    const made = answered({ what: "graph", scene: scene.key, picked: picked?.rank ?? null, line, view, pixels: { width, height, ratio } });
    if (made) drawGraph({ facts: layout, made, picked }, drawing, view);
  };
  return (
    <figure>
      <figcaption>{layout.drawn_as === "" ? "The graph" : `Drawn as ${format.withArticle(layout.drawn_as)}`}; thicker lines carry more bytes</figcaption>
      <LitNote run={props.run} lit={found} />
      <Canvas class="graph" label={`Graph of ${layout.count} ranks; the tables have the numbers`}
        view={view} setView={setView} mostZoom={Math.max(4, Math.sqrt(layout.count))} point={point} onKey={onKey} draw={draw} />
      <p class="under hint" aria-live="polite">
        {picked === null ? "point at a rank (or n and p) for its partners" : partnersText(picked)}
      </p>
    </figure>
  );
}

// Put together when it is looked at: of many ranks that takes a while.
function Ranks(props: { run: Run; scene: SceneFacts }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>ranks as a table</summary>
      {isOpen && <RankTable {...props} />}
    </details>
  );
}

function RankTable(props: { run: Run; scene: SceneFacts }): JSX.Element | null {
  const made = useAnswers<"places">("places", props.run)({ what: "places", scene: props.scene.key });
  const rows = useMemo(() => Array.from(made?.answer.sent.keys() ?? []), [made]);
  if (!made) return null;
  const { partners, sent, received, bytes, coordinates } = made.answer;
  return <Table id="places" caption="Ranks and their places" rows={rows} columns={[{ title: "rank", value: (i) => i },
    ...(coordinates ? [{ title: "coordinates", value: (i: number) => coordinates[i]! }] : []), { title: "partners", value: (i) => partners[i]! },
    { title: "messages sent", value: (i) => sent[i]!, text: (i) => format.count(sent[i]!) },
    { title: "messages received", value: (i) => received[i]!, text: (i) => format.count(received[i]!) },
    { title: "bytes sent", value: (i) => bytes[i]!, unit: "B", text: (i) => format.bytes(bytes[i]!), bar: true }]} />;
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
function PartEvidence(props: { part: ScenePart; all: Traffic }): JSX.Element {
  const { part, all } = props;
  const [messages, bytes] = [part.messages ?? 0, part.bytes ?? 0];
  const of = (value: number, whole: number): string => (whole > 0 ? ` (${format.percent(value / whole)})` : "");
  return <Facts caption="Evidence, of this part" rows={[["name", part.topology], ["also called", part.aliases?.map((alias) => alias.topology).join(", ")],
    ["direction", part.direction], ["sends", `${messagesText(messages)}${of(messages, all.messages)}, ${format.bytes(bytes)}${of(bytes, all.bytes)} of the run's`]]} />;
}

function Evidence(props: { t: SceneTopology; isOfAll: boolean }): JSX.Element {
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

const nameOfPart = (part: ScenePart): string => `${part.where}: ${part.topology}`;

// What the choice has, by its key: the whole, parts of the program, phases that it marked.
function scenesOf(run: Run): { key: string; name: string; part: ScenePart | null }[] {
  const { parts = [], phases = [] } = run.topology;
  const listed = (list: ScenePart[], kind: string): { key: string; name: string; part: ScenePart | null }[] =>
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
  if (run.matrix.pairs === 0) return <Section id="topology" title="Topology" lead="No rank talks to another, so they form nothing.">{null}</Section>;
  const scene: SceneFacts = { key, layout: part?.layout ?? t.layout };
  return (
    <Section id="topology" title="Topology" lead={t.recognized || t.mixture.length > 0 ? `The ranks form ${format.withArticle(t.topology)}.` : `The graph has no known form (${t.topology}).`}>
      {scenes.length > 1 && <div class="choices"><Choice label="show" setting="topology.part" options={scenes.map((each) => [each.key, each.name] as const)} /></div>}
      <div class="columns">
        <div>
          {scene.layout.count > 0 && <Graph key={key} run={run} scene={scene} />}
          <Ranks key={key} run={run} scene={scene} />
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

function Parts(props: { id: string; caption: string; parts: ScenePart[] }): JSX.Element {
  return (
    <Table id={props.id} caption={props.caption} rows={props.parts} columns={[
      { title: "where", value: (p) => p.where }, { title: "forms", value: (p) => p.topology || "collectives only" },
      { title: "messages", value: (p) => p.messages ?? 0, text: (p) => format.count(p.messages ?? 0) },
      { title: "bytes", value: (p) => p.bytes ?? 0, unit: "B", text: (p) => format.bytes(p.bytes ?? 0), bar: true }]} />
  );
}
