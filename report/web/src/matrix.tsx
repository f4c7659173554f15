// SPDX-License-Identifier: Apache-2.0
// Who talks to whom: the communication matrix as pixels, in the order of the ranks and of their topology.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useAnswers } from "./answers";
import { Canvas, centred, type Drawing, drawMoved, layer, type Theme, type View } from "./canvas";
import * as format from "./format";
import { type Line, LitNote, useLit } from "./lit";
import type { MatrixFacts, Run } from "./model";
import { kLit, type Quantity, type Shades, shadesOf, valuesBy } from "./pairs";
import type { Pair, PairColumns, Squared, WhichMatrix } from "./protocol";
import { useSetting, useView } from "./state";
import { Choice, Section, Table } from "./widgets";

// Cividis, from little to much; the same for all eyes. On dark paper little is dark, on white it is light.
const kRamp: [number, number, number][] = [[0, 32, 77], [62, 76, 108], [124, 123, 120], [187, 173, 108], [255, 233, 69]];

function rampColour(share: number): [number, number, number] {
  const place = Math.max(0, Math.min(1, share)) * (kRamp.length - 1);
  const i = Math.min(kRamp.length - 2, Math.floor(place));
  const [a, b] = [kRamp[i]!, kRamp[i + 1]!];
  return [0, 1, 2].map((k) => Math.round(a[k]! + (b[k]! - a[k]!) * (place - i))) as [number, number, number];
}

function lookup(theme: Theme): Uint32Array {
  const table = new Uint32Array(256);
  for (let i = 0; i < 256; ++i) {
    const share = theme.isDark ? 0.15 + (0.85 * i) / 255 : 1 - i / 255;
    const [r, g, b] = rampColour(share);
    table[i] = (255 << 24) | (b << 16) | (g << 8) | r;
  }
  return table;
}

// The picture of an answer, by which colours it was painted.
const kPainted = new WeakMap<Squared, [string, HTMLCanvasElement]>();

function pictureOf(answer: Squared, hasLit: boolean, theme: Theme): HTMLCanvasElement {
  const key = `${theme.isDark} ${hasLit}`;
  const known = kPainted.get(answer);
  if (known?.[0] === key) return known[1];
  const colours = lookup(theme);
  const faint = theme.isDark ? 0xff3a332e : 0xffe6e2de;
  const picture = layer(answer.width, answer.height, (pixels) => {
    for (let i = 0; i < pixels.length; ++i) {
      const level = answer.levels[i]!;
      if (level > 0) pixels[i] = hasLit && level < kLit ? faint : colours[level % kLit]!;
    }
  });
  kPainted.set(answer, [key, picture]);
  return picture;
}

interface Place { row: number; column: number }

const kMostLabels = 8;

// Numbers of the ranks along an edge: of round places, as many as there is room for.
function Axis(props: { side: "top" | "left"; ranks: number; from: number; zoom: number; rankAt: (place: number) => number }): JSX.Element {
  const { ranks, from, zoom } = props;
  const least = ranks / zoom / kMostLabels;
  const digit = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  const step = [1, 2, 5, 10].find((factor) => factor * digit >= least)! * digit;
  const first = Math.max(0, Math.ceil((from * ranks - 0.5) / step));
  const labels: JSX.Element[] = [];
  for (let place = first * step; place < ranks; place += step) {
    const at = ((place + 0.5) / ranks - from) * zoom;
    if (at > 1) break;
    labels.push(<span key={place} style={{ [props.side === "top" ? "left" : "top"]: `${(100 * at).toFixed(2)}%` }}>{props.rankAt(place)}</span>);
  }
  return <div class={`axis ${props.side}`} aria-hidden="true">{labels}</div>;
}

interface Shown { of: WhichMatrix; quantity: Quantity; shades: Shades; line: Line | null }

function Plane(props: {
  run: Run; shown: Shown; order: Int32Array | null; title: string; view: View; setView: (view: View) => void;
  pair: Place | null; setPair: (pair: Place | null) => void;
}): JSX.Element {
  const { run, shown, order, view, pair } = props;
  const n = run.matrix.ranks;
  const answered = useAnswers<"squares">(`squares ${order !== null}`, run);
  const place = useMemo(() => {
    if (!order) return null;
    const places = new Int32Array(n);
    order.forEach((rank, i) => { places[rank] = i; });
    return places;
  }, [order, n]);
  const rankIn = (at: number): number => (order ? order[at]! : at);
  const rankAt = (share: number): number => rankIn(Math.max(0, Math.min(n - 1, Math.floor(share * n))));
  const point = (x: number | null, y: number, width: number, height: number): void =>
    props.setPair(x === null ? null : { row: rankAt(view.y + y / height / view.zoom), column: rankAt(view.x + x / width / view.zoom) });
  const draw = (drawing: Drawing): void => {
    const { context, width, height, ratio, theme } = drawing;
    const made = answered({ what: "squares", ...shown, isByPlace: order !== null, view, pixels: { width, height, ratio } });
    if (made) drawMoved(drawing, pictureOf(made.answer, made.question.line !== null, theme), made.question.view, view);
    if (!pair) return;
    const cell = (width * view.zoom) / n;
    const at = (rank: number, corner: number): number => ((place ? place[rank]! : rank) / n - corner) * width * view.zoom;
    context.strokeStyle = theme.text;
    context.lineWidth = 1.5;
    context.strokeRect(at(pair.column, view.x) - 1, at(pair.row, view.y) - 1, Math.max(4, cell + 1), Math.max(4, cell + 1));
  };
  const onKey = (key: string): boolean => {
    const steps: Record<string, [number, number]> = { w: [-1, 0], s: [1, 0], a: [0, -1], d: [0, 1] };
    const step = steps[key];
    if (!step) return false;
    const index = (rank: number): number => (place ? place[rank]! : rank);
    const next = (rank: number, by: number): number => rankAt((Math.max(0, Math.min(n - 1, index(rank) + by)) + 0.5) / n);
    const at = (rank: number): number => (index(rank) + 0.5) / n;
    const isSeen = (rank: number, corner: number): boolean => at(rank) >= corner && at(rank) <= corner + 1 / view.zoom;
    const from = pair && isSeen(pair.row, view.y) && isSeen(pair.column, view.x) ? pair : { row: rankAt(view.y), column: rankAt(view.x) };
    const to = { row: next(from.row, step[0]), column: next(from.column, step[1]) };
    props.setPair(to);
    if (!isSeen(to.row, view.y) || !isSeen(to.column, view.x)) props.setView(centred(at(to.column), at(to.row), view.zoom));
    return true;
  };
  return (
    <figure class="plane">
      <figcaption>{props.title}</figcaption>
      <div class="squared" style={{ "--room": `${String(n - 1).length + 1}ch` }}>
      <Axis side="top" ranks={n} from={view.x} zoom={view.zoom} rankAt={rankIn} />
      <Axis side="left" ranks={n} from={view.y} zoom={view.zoom} rankAt={rankIn} />
      <Canvas class="square" label={`Matrix of who sends to whom, ${props.title}: senders in rows, receivers in columns`} draw={draw}
        view={view} setView={props.setView} mostZoom={Math.max(1, n / 4)} point={point} onKey={onKey} />
      </div>
    </figure>
  );
}

function textOfPair(source: number, destination: number, pair: Pair | null, spanNs: number): string {
  const name = `rank ${source} → rank ${destination}`;
  if (!pair) return `${name}: no messages`;
  const { messages, bytes } = pair;
  const rate = spanNs > 0 ? `, ${format.bytes(bytes / (spanNs / 1e9))}/s` : "";
  return `${name}: ${format.whole(messages)} message${messages === 1 ? "" : "s"}, ${format.bytes(bytes)} (${format.whole(bytes)} B)${rate}`;
}

function Scale(props: { isEven: boolean; shades: Shades; quantity: Quantity; spanNs: number }): JSX.Element {
  const text = (value: number): string => props.quantity === "messages" ? format.count(value)
    : props.quantity === "bytes" ? format.bytes(value) : `${format.bytes(value / (props.spanNs / 1e9))}/s`;
  if (props.isEven) return <p class="scale"><span>{text(props.shades.most)} of each pair that talks; blank: nothing sent</span></p>;
  const least = props.shades.isLog ? text(props.shades.least) : "0";
  return <p class="scale"><span>{least}</span><span class="ramp" aria-hidden="true" /><span>{text(props.shades.most)}</span>
    <span class="none">{props.shades.isLog ? "logarithmic" : "linear"}; blank: nothing sent</span></p>;
}

// The numbers of the pair that a reader points at.
function PairText(props: { run: Run; of: WhichMatrix; place: Place | null }): JSX.Element {
  const { run, of, place } = props;
  const answered = useAnswers<"pair">("pair", run);
  const made = place && answered({ what: "pair", of, source: place.row, destination: place.column });
  return (
    <p class="under hint" aria-live="polite">
      {made ? textOfPair(made.question.source, made.question.destination, made.answer, run.info.span_ns)
        : "point at a pair (or w a s d) for its numbers; + − 0 arrows, drag and double click zoom, the wheel after a click"}
    </p>
  );
}

export function Talk(props: { run: Run }): JSX.Element {
  const { run } = props;
  const [quantity] = useSetting("matrix.show", "bytes", ["bytes", "messages", "rate"]);
  const [scale] = useSetting("matrix.scale", "log", ["log", "linear"]);
  const [counted] = useSetting("matrix.collectives", "no", ["no", "pairs"]);
  const of = counted === "pairs" && run.matrix_with_collectives ? "matrix_with_collectives" : "matrix";
  const matrix: MatrixFacts = run[of] ?? run.matrix;
  const shades = useMemo(() => shadesOf(matrix, quantity as Quantity, scale === "log"), [matrix, quantity, scale]);
  const [view, setView] = useView("matrix");
  const [pair, setPair] = useState<Place | null>(null);
  const { order } = run.topology;
  const lead = matrix.pairs === 0 ? "No rank sends a message to another." : `${run.topology.speaks_of}. ${run.topology.not_counted === "" ? "" : `Not counted: ${inPage(run.topology.not_counted, run.matrix_with_collectives !== undefined)}.`}`;
  const lit = useLit(run);
  const shown: Shown = { of, quantity: quantity as Quantity, shades, line: lit !== null && lit.traffic.messages > 0 ? lit.line : null };
  const plane = { run, shown, view, setView, pair, setPair };
  return (
    <Section id="talk" title="Who talks to whom" lead={lead}>
      {(matrix.pairs > 0 || run.matrix_with_collectives) && <div class="choices">
        <Choice label="show" setting="matrix.show" options={[["bytes", "bytes"], ["messages", "messages"], ...(run.info.span_ns > 0 ? [["rate", "bytes/s"] as const] : [])]} />
        <Choice label="scale" setting="matrix.scale" options={[["log", "logarithmic"], ["linear", "linear"]]} />
        {run.matrix_with_collectives && (
          <Choice label="collectives" setting="matrix.collectives" options={[["no", "not counted"], ["pairs", "as messages"]]} />
        )}
      </div>}
      {matrix.pairs > 0 && <Scale isEven={matrix.least[valuesBy(quantity as Quantity)] === matrix.most[valuesBy(quantity as Quantity)]} shades={shades} quantity={quantity as Quantity} spanNs={run.info.span_ns} />}
      <LitNote run={run} lit={lit} />
      {matrix.pairs > 0 && (
        <div class="planes">
          <Plane {...plane} order={null} title="by rank: rows send, columns receive" />
          {order && <Plane {...plane} order={order} title={`by place in the ${run.topology.topology}`} />}
        </div>
      )}
      {matrix.pairs > 0 && (
        <PairText run={run} of={of} place={pair} />
      )}
      {matrix.pairs > 0 && <Pairs run={run} of={of} />}
    </Section>
  );
}

const kMostRows = 5000;

// The page has a choice for what the command line has an option for, if not too many ranks talk to all.
const inPage = (text: string, hasChoice: boolean): string =>
  text.replace("--collectives pairs adds them", hasChoice ? "the choice \u201ccollectives\u201d adds them" : "rondo matrix --collectives pairs adds them");

// Sorted when it is looked at: of large runs that takes a while.
function Pairs(props: { run: Run; of: WhichMatrix }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>pairs as a table</summary>
      {isOpen && <PairTable {...props} />}
    </details>
  );
}

function PairTable(props: { run: Run; of: WhichMatrix }): JSX.Element | null {
  const { run, of } = props;
  const made = useAnswers<"pairs">("pairs", run)({ what: "pairs", of, most: kMostRows });
  const rows = useMemo(() => Array.from(made?.answer.source.keys() ?? []), [made]);
  if (made?.question.of !== of) return null;
  const { source, destination, messages, bytes }: PairColumns = made.answer;
  const all = run[of]?.pairs ?? 0;
  const cut = all > kMostRows ? `the heaviest ${format.whole(kMostRows)} of ${format.whole(all)}` : "heaviest first";
  return (
    <Table id="pairs" caption={`Pairs of ranks, ${cut}`} rows={rows} columns={[
      { title: "from", value: (i) => source[i]! }, { title: "to", value: (i) => destination[i]! },
      { title: "messages", value: (i) => messages[i]!, text: (i) => format.whole(messages[i]!) },
      { title: "bytes", value: (i) => bytes[i]!, unit: "B", text: (i) => format.bytes(bytes[i]!), bar: true }]} />
  );
}
