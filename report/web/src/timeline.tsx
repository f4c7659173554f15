// SPDX-License-Identifier: Apache-2.0
// Ranks by time: unfolded by a worker, each pixel the share of MPI in its time and what took most of it;
// with messages as arrows and the critical path as a line.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Canvas, type Drawing, layer, pixelOf } from "./canvas";
import { askLatest } from "./engine";
import * as format from "./format";
import { hasTimes, where } from "./heading";
import { LitNote, useLit } from "./lit";
import type { Run } from "./model";
import type { Arrow, Path } from "./play";
import { useSetting, useView } from "./state";
import { kGroups } from "./unfold";
import { Choice, Legend, Section, Table } from "./widgets";
import type { CallFacts, Calls, Rows } from "./protocol";

const kColours = ["#009e73", "#56b4e9", "#e69f00", "#cc79a7", "#949ba6"];
const kMostRows = 96;
const kFewRanks = 16; // that need no choice among them
const kBottom = 24;
const kTop = 4;

export type RankRow = [first: number, count: number];

// The ranks first to last, in at most kMostRows rows of about as many ranks each.
function rowsOf(first: number, last: number): RankRow[] {
  const ranks = last - first + 1;
  const rows = Math.min(ranks, kMostRows);
  const at = (i: number): number => first + Math.floor((i * ranks) / rows);
  return Array.from({ length: rows }, (_, i) => [at(i), at(i + 1) - at(i)]);
}

// "3-17" as a reader wrote it; all ranks if it says nothing.
function rangeOf(text: string, ranks: number): [number, number] {
  const match = /^\s*(\d+)\s*(?:-\s*(\d+))?\s*$/.exec(text);
  if (!match) return [0, ranks - 1];
  const first = Math.min(ranks - 1, Number(match[1]));
  return [first, Math.max(first, Math.min(ranks - 1, Number(match[2] ?? match[1])))];
}

// By halves of what is shown: up and down over the ranks, or fewer and more of them around one.
function rangeBy(step: "up" | "down" | "fewer" | "more", [first, last]: [number, number], around: number, ranks: number): string {
  const shown = last - first + 1;
  const count = step === "fewer" ? Math.max(1, Math.ceil(shown / 2)) : step === "more" ? Math.min(ranks, 2 * shown) : shown;
  const moved = Math.max(1, Math.floor(shown / 2));
  const wanted = step === "up" ? first - moved : step === "down" ? first + moved : around - Math.floor(((around - first) * count) / shown);
  const from = Math.max(0, Math.min(ranks - count, wanted));
  return count === ranks ? "" : `${from}-${from + count - 1}`;
}

const kSteps = { ArrowUp: "up", ArrowDown: "down", i: "fewer", o: "more" } as const;
const kStepNames = [["up", "↑ ranks before"], ["down", "↓ ranks after"], ["fewer", "fewer (i)"], ["more", "more (o)"]] as const;

// Room for the longest number of a rank.
const leftOf = (rows: RankRow[]): number => Math.max(46, 14 + 7 * String(rows[rows.length - 1]![0]).length);

// Where ranks and times are on the canvas.
interface Frame { x: (time: number) => number; y: (rank: number) => number; size: number; left: number; w: number }

function frameOf(rows: RankRow[], from: number, to: number, width: number, height: number): Frame {
  const left = leftOf(rows);
  const w = width - left - 6;
  const size = (height - kBottom - kTop) / rows.length;
  const first = rows[0]![0];
  const perRow = (rows[rows.length - 1]![0] + rows[rows.length - 1]![1] - first) / rows.length;
  return { size, left, w, x: (time) => left + ((time - from) / (to - from)) * w, y: (rank) => kTop + (Math.floor((rank - first) / perRow) + 0.5) * size };
}

const kPictures = new WeakMap<Rows, HTMLCanvasElement>();

// A row of pixels for each row, painted once: to move it takes no more than to show a picture.
function pictureOf(answer: Rows): HTMLCanvasElement {
  const known = kPictures.get(answer);
  if (known) return known;
  const canvas = layer(answer.width, answer.rows.length, (pixels) => answer.rows.forEach((row, r) => {
    for (let i = 0; row && i < answer.width; ++i) {
      const share = row.shares[i]!;
      if (share > 0) pixels[r * answer.width + i] = pixelOf(kColours[row.groups[i]!]!, Math.max(31, share));
    }
  }));
  kPictures.set(answer, canvas);
  return canvas;
}

function drawRows(answer: Rows, { x, size }: Frame, { context: c, width, theme }: Drawing): void {
  const [left, right] = [x(answer.from), x(answer.to)];
  c.imageSmoothingEnabled = false;
  c.drawImage(pictureOf(answer), left, kTop, right - left, size * answer.rows.length);
  if (size <= 5) return;
  c.fillStyle = theme.paper; // between the rows
  for (let r = 1; r <= answer.rows.length; ++r) c.fillRect(0, kTop + r * size - 1, width, 1);
}

function drawArrows(arrows: Arrow[], { x, y }: Frame, c: CanvasRenderingContext2D, colour: string): void {
  c.strokeStyle = c.fillStyle = colour;
  c.lineWidth = 1;
  c.globalAlpha = arrows.length > 200 ? 0.5 : 0.85;
  for (const arrow of arrows) {
    const [x1, y1, x2, y2] = [x(arrow.sent), y(arrow.from), x(arrow.received), y(arrow.to)];
    const angle = Math.atan2(y2 - y1, x2 - x1);
    c.beginPath();
    c.moveTo(x1, y1);
    c.lineTo(x2, y2);
    c.stroke();
    c.beginPath();
    c.moveTo(x2, y2);
    for (const turn of [-0.35, 0.35]) c.lineTo(x2 - 7 * Math.cos(angle + turn), y2 - 7 * Math.sin(angle + turn));
    c.fill();
  }
  c.globalAlpha = 1;
}

const kCrowd = 5; // pixels

// A line with a rim, to be seen on any colour. Where it passes from rank to rank more often than pixels tell apart it is
// pale, or it would fill the rows.
function drawPath(path: Path, { x, y }: Frame, { context: c, width, theme }: Drawing): void {
  const [line, crowd] = [new Path2D(), new Path2D()];
  const stroke = (of: Path2D, from: [number, number], to: [number, number]): void => {
    of.moveTo(...from);
    of.lineTo(...to);
  };
  let before = Infinity; // the hop before
  const drawn = new Set<string>();
  path.stretches.forEach(({ rank, from, to }, i) => { // from the end to the start
    const [left, right] = [x(from), x(to)];
    if (right < 0 || left > width) return;
    if (right - left >= 2) stroke(line, [left, y(rank)], [right, y(rank)]);
    const next = path.stretches[i + 1];
    if (!next) return;
    const hop = `${Math.round(left)} ${rank} ${next.rank}`;
    if (!drawn.has(hop)) stroke(before - left < kCrowd ? crowd : line, [left, y(rank)], [left, y(next.rank)]);
    drawn.add(hop);
    before = left;
  });
  const draw = (of: Path2D, colour: string, lineWidth: number, alpha: number): void => {
    [c.strokeStyle, c.lineWidth, c.globalAlpha] = [colour, lineWidth, alpha];
    c.stroke(of);
    c.globalAlpha = 1;
  };
  draw(crowd, "#d00000", 1, 0.6);
  draw(line, theme.paper, 4, 1);
  draw(line, "#d00000", 2, 1);
}

function drawAxes(rows: RankRow[], from: number, to: number, { size, left, w }: Frame, { context: c, height, theme }: Drawing): void {
  c.fillStyle = theme.text;
  c.textAlign = "right";
  const every = Math.max(1, Math.ceil(14 / size));
  rows.forEach(([rank], r) => {
    if (r % every === 0) c.fillText(String(rank), left - 6, kTop + r * size + Math.min(size, 16) / 2 + 4);
  });
  const ticks = ticksOf(from, to, Math.max(2, Math.floor(w / 110)));
  c.textAlign = "center";
  for (const [time, text] of ticks) {
    const [x, half] = [left + ((time - from) / (to - from)) * w, c.measureText(text).width / 2];
    c.fillText(text, Math.max(half + 2, Math.min(left + w - half, x)), height - 7);
    c.fillRect(x, height - kBottom, 1, 4);
  }
}

interface Shown { answer: Rows; from: number; to: number; rows: RankRow[]; lines: string }

function drawAll(shown: Shown, drawing: Drawing): void {
  const { context: c, width, height, theme } = drawing;
  const frame = frameOf(shown.rows, shown.from, shown.to, width, height);
  c.save();
  c.beginPath();
  c.rect(frame.left, 0, frame.w, height - kBottom);
  c.clip();
  drawRows(shown.answer, frame, drawing);
  if ((shown.lines === "both" || shown.lines === "path") && shown.answer.path) drawPath(shown.answer.path, frame, drawing);
  if (shown.lines === "both" || shown.lines === "messages") drawArrows(shown.answer.arrows ?? [], frame, c, theme.text);
  c.restore();
  drawAxes(shown.rows, shown.from, shown.to, frame, drawing);
}

// Round times, of which neighbours differ by 1, 2 or 5 of a digit, with as many digits as that takes.
function ticksOf(from: number, to: number, most: number): [time: number, text: string][] {
  const [unit, name] = to - from > 2e9 ? [1e9, "s"] : to - from > 2e6 ? [1e6, "ms"] : [1e3, "µs"];
  const least = (to - from) / unit / most;
  const digit = 10 ** Math.floor(Math.log10(least));
  const step = digit * [1, 2, 5, 10].find((factor) => factor * digit >= least * 0.999)!;
  const digits = Math.max(0, -Math.floor(Math.log10(step * 1.001)));
  const first = Math.ceil(from / unit / step);
  const count = Math.floor(to / unit / step) - first + 1;
  if (count < 2) return ticksOf(from, to, 2 * most); // one alone says nothing of how long
  return Array.from({ length: count }, (_, i) => {
    const value = (first + i) * step;
    return [value * unit, `${value.toFixed(digits)} ${name}`];
  });
}

function callText(call: CallFacts | null, rank: number): string {
  if (!call) return `rank ${rank}: nothing more`;
  return `rank ${rank}, call ${format.whole(call.index)}: ${call.name}${where(call.site)}, ${format.duration(call.inside)} long, `
    + `from ${(call.start / 1e9).toFixed(6)} s on, after ${format.duration(call.before)} of computation`;
}

function captionOf(answer: Rows | null, rows: RankRow[]): string {
  if (answer === null) return "Unfolding…";
  const how = answer.isMeasured ? "As it was, by time stamps."
    : answer.isPlayed ? "Reconstructed: each call takes as long as it does on average there, and ends when what it waits for has come."
    : "Reconstructed: each call takes as long as it does on average there.";
  const most = Math.max(...rows.map(([, count]) => count));
  return how + (most > 1 ? ` Each row is ${most} ranks together${answer.isSampled ? ", of which 8 of a kind stand for all" : ""}.` : "")
    + (answer.isCut ? " The beginning of the run only: it has more calls than are unfolded." : "")
    + (answer.broken > 0 ? ` ${format.whole(answer.broken)} calls wait for what was not recorded, and were let go on.` : "");
}

function pathText(path: Path): string {
  const share = path.whole > 0 ? path.computing / path.whole : 0;
  return `Critical path: ${format.duration(path.whole)} long, ${format.percent(share)} of it computing, `
    + (path.hops === 0 ? "all of it on one rank." : `passing from rank to rank ${format.whole(path.hops)} time${path.hops === 1 ? "" : "s"}.`);
}

function messagesText(answer: Rows): string {
  if (answer.whyNoArrows !== "") return `Messages are not drawn: ${answer.whyNoArrows}.`;
  if (answer.arrows === null) return "Zoom in to see messages as arrows: here they are too many.";
  if (answer.arrows.length === 0) return "No messages in view.";
  return answer.arrows.length === 1 ? "1 message in view." : `${format.whole(answer.arrows.length)} messages in view.`;
}

function Picture(props: { run: Run }): JSX.Element {
  const ranks = props.run.info.ranks;
  const [range, setRange] = useSetting("timeline.ranks", "");
  const [lines] = useSetting("timeline.lines", "both", ["both", "messages", "path", "neither"]);
  const [first, last] = rangeOf(range, ranks);
  const rows = rowsOf(first, last);
  const step = (to: (typeof kSteps)[keyof typeof kSteps]): void =>
    setRange(rangeBy(to, [first, last], hovered.current >= first && hovered.current <= last ? hovered.current : Math.floor((first + last) / 2), ranks));
  const hovered = useRef(-1);
  const [view, setView] = useView("timeline");
  const [answer, setAnswer] = useState<Rows | null>(null);
  const [text, setText] = useState("");
  const [[start, whole], setWhole] = useState<[number, number]>([0, 0]);
  const lit = useLit(props.run);
  const from = start + view.x * whole;
  const to = from + whole / view.zoom;
  useEffect(() => {
    askLatest<"rows">("rows", props.run, { what: "rows", rows, from, to: whole > 0 ? to : 0, width: 900, line: lit?.line ?? null }, (got) => {
      setAnswer(got);
      setWhole((before) => (before[1] > 0 ? before : [got.start, got.end - got.start]));
    });
  }, [view.x, view.zoom, range, whole, props.run, lit]);
  const point = (x: number | null, y: number, width: number, height: number): void => {
    const left = leftOf(rows);
    if (x === null || x < left || whole === 0) return setText("");
    const row = rows[Math.floor(((y - kTop) / (height - kBottom - kTop)) * rows.length)];
    if (!row) return setText("");
    hovered.current = row[0];
    const time = from + ((x - left) / (width - left - 6)) * (to - from);
    askLatest<"call">("call", props.run, { what: "call", rank: row[0], time }, (call) => setText(callText(call, row[0])));
  };
  const hasLines = answer !== null && answer.path !== null;
  return (
    <figure>
      <figcaption>{captionOf(answer, rows)}</figcaption>
      <div class="choices">
        {hasLines && <Choice label="draw" setting="timeline.lines" options={[["both", "messages and critical path"], ["messages", "messages"],
          ["path", "critical path"], ["neither", "neither"]]} />}
        {ranks > 2 && <label>ranks <input type="text" size={9} placeholder={`0-${ranks - 1}`} value={range} onChange={(event) => setRange(event.currentTarget.value)} /></label>}
        {ranks > kFewRanks && kStepNames.map(([to, name]) => <button type="button" key={to} onClick={() => step(to)}>{name}</button>)}
      </div>
      <Legend entries={[...kGroups.map((name, i) => [kColours[i]!, name] as const), ["transparent", "computing"], ...(hasLines ? [["#d00000", "critical path"] as const] : [])]} />
      <LitNote run={props.run} lit={lit} isTimeline />
      <Canvas class="timeline" label={`Timeline of ${rows.length} rows of ranks: what each does at what time`} axes="x" view={view} setView={setView}
        mostZoom={Math.max(1, whole / 1e4)} point={point}
        onKey={(key) => { const to = kSteps[key as keyof typeof kSteps]; if (to) step(to); return to !== undefined; }}
        draw={(drawing) => { if (answer) drawAll({ answer, from: whole > 0 ? from : answer.from, to: whole > 0 ? to : answer.to, rows, lines }, drawing); }} />
      <p class="under hint" aria-live="off">{text || `point at a call for its numbers; + − 0 ← → zoom and move${ranks > kFewRanks ? ", ↑ ↓ i o choose ranks" : ""}, the wheel after a click; paler pixels hold more computation`}</p>
      {answer && <p class="under messages">{hasLines ? `${pathText(answer.path!)} ` : ""}{messagesText(answer)}</p>}
      <CallsInView run={props.run} from={from} to={to} />
    </figure>
  );
}

// The calls of one rank in the stretch of time that is shown.
function CallsInView(props: { run: Run; from: number; to: number }): JSX.Element {
  const { run, from, to } = props;
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useSetting("timeline.rank", "0");
  const [found, setFound] = useState<Calls | null>(null);
  const rank = Math.max(0, Math.min(run.info.ranks - 1, Number.parseInt(text, 10) || 0));
  useEffect(() => {
    if (isOpen && to > from) askLatest<"calls">("calls", run, { what: "calls", rank, from, to }, setFound);
  }, [run, isOpen, rank, from, to]);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>calls in view as a table</summary>
      {isOpen && <div class="choices"><label>rank <input type="number" min={0} max={run.info.ranks - 1} value={rank} onChange={(event) => setText(event.currentTarget.value)} /></label></div>}
      {isOpen && found && <Table id="calls" caption={`Calls of rank ${rank} in view${found.isCut ? `, the first ${format.whole(found.calls.length)}` : ""}`} rows={found.calls} columns={[
        { title: "call", value: (call) => call.index, text: (call) => format.whole(call.index) }, { title: "function", value: (call) => call.name },
        { title: "where", value: (call) => call.site }, { title: "starts at", value: (call) => call.start, unit: "ns", text: (call) => `${(call.start / 1e9).toFixed(6)} s` },
        { title: "takes", value: (call) => call.inside, unit: "ns", text: (call) => format.duration(call.inside), bar: true },
        { title: "computing before", value: (call) => call.before, unit: "ns", text: (call) => format.duration(call.before) }]} />}
    </details>
  );
}

export function Timeline(props: { run: Run }): JSX.Element {
  const { run } = props;
  if (!hasTimes(run)) return <Section id="timeline" title="Timeline" lead="The recording has no times.">{null}</Section>;
  const lead = run.isMeasured ? "What each rank did when, after MPI_Init; clocks are those of the hosts."
    : "What each rank does when, after MPI_Init. The recording has no time stamps (rondo record --times full keeps them), so what differs from one pass to the next is not seen.";
  return <Section id="timeline" title="Timeline" lead={lead}><Picture run={run} /></Section>;
}
