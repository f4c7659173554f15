// SPDX-License-Identifier: Apache-2.0
// Ranks by time: unfolded by a worker, each pixel the share of MPI in its time and what took most of it.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import workerCode from "worker-code";
import { Canvas, type Drawing, kWhole, type View } from "./canvas";
import * as format from "./format";
import { hasTimes, where } from "./heading";
import type { Run } from "./model";
import { kGroups } from "./unfold";
import { Legend, Section } from "./widgets";
import type { Call, Request, Rows } from "./worker";

const kColours = ["#009e73", "#56b4e9", "#e69f00", "#cc79a7", "#949ba6"];
const kMostRows = 96;
const kLeft = 46;
const kBottom = 24;

function ranksShown(ranks: number): number[] {
  const rows = Math.min(ranks, kMostRows);
  return Array.from({ length: rows }, (_, i) => Math.floor((i * ranks) / rows));
}

function rgb(colour: string): [number, number, number] {
  const value = Number.parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function drawRows(answer: Rows, from: number, to: number, ranks: number[], { context: c, width, height, theme }: Drawing): void {
  const [w, h] = [width - kLeft - 6, height - kBottom - 4];
  const size = h / ranks.length;
  const toX = (time: number): number => kLeft + ((time - from) / (to - from)) * w;
  c.save();
  c.beginPath();
  c.rect(kLeft, 0, w, height);
  c.clip();
  const step = (answer.to - answer.from) / answer.width;
  const pixel = Math.max(1, toX(answer.from + step) - toX(answer.from)) + 0.5;
  answer.rows.forEach((row, r) => {
    if (!row) return;
    for (let i = 0; i < answer.width; ++i) {
      if (row.shares[i] === 0) continue;
      const [red, green, blue] = rgb(kColours[row.groups[i]!]!);
      c.fillStyle = `rgba(${red},${green},${blue},${Math.max(0.12, row.shares[i]! / 255)})`;
      c.fillRect(toX(answer.from + i * step), 4 + r * size, pixel, Math.max(1, size - (size > 5 ? 1 : 0)));
    }
  });
  c.restore();
  c.fillStyle = theme.text;
  c.textAlign = "right";
  const every = Math.max(1, Math.ceil(14 / size));
  ranks.forEach((rank, r) => {
    if (r % every === 0) c.fillText(String(rank), kLeft - 6, 4 + r * size + Math.min(size, 16) / 2 + 4);
  });
  const ticks = Math.max(2, Math.floor(w / 170));
  for (let i = 0; i <= ticks; ++i) {
    c.textAlign = i === 0 ? "left" : i === ticks ? "right" : "center";
    c.fillText(tickText(from + ((to - from) * i) / ticks, to - from), kLeft + (w * i) / ticks, height - 7);
  }
}

// As many digits as tell neighbouring ticks apart.
function tickText(time: number, span: number): string {
  const [unit, name] = span > 2e9 ? [1e9, "s"] : span > 2e6 ? [1e6, "ms"] : [1e3, "µs"];
  return `${(time / unit).toFixed(span / unit > 40 ? 0 : span / unit > 4 ? 1 : 2)} ${name}`;
}

function useWorker(run: Run, onAnswer: (answer: Rows | Call) => void): { current: Worker | null } {
  const worker = useRef<Worker | null>(null);
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([workerCode], { type: "text/javascript" }));
    const made = new Worker(url);
    URL.revokeObjectURL(url);
    made.onmessage = (event: MessageEvent<Rows | Call>) => onAnswer(event.data);
    made.postMessage({ what: "program", program: run.program } satisfies Request);
    worker.current = made;
    return () => made.terminate();
  }, [run]);
  return worker;
}

function callText(call: Call["text"], rank: number): string {
  if (!call) return `rank ${rank}: nothing more`;
  return `rank ${rank}, call ${format.whole(call.index)}: ${call.name}${where(call.site)}, ${format.duration(call.inside)} long, `
    + `from ${(call.start / 1e9).toFixed(6)} s on, behind ${format.duration(call.before)} of computation`;
}

function Picture(props: { run: Run }): JSX.Element {
  const ranks = ranksShown(props.run.info.ranks);
  const [view, setView] = useState<View>(kWhole);
  const [answer, setAnswer] = useState<Rows | null>(null);
  const [text, setText] = useState("");
  const [[start, whole], setWhole] = useState<[number, number]>([0, 0]);
  const hovered = useRef(0);
  const worker = useWorker(props.run, (got) => {
    if (got.what === "call") return setText(callText(got.text, hovered.current));
    setAnswer(got);
    setWhole((before) => (before[1] > 0 ? before : [got.start, got.end - got.start]));
  });
  const from = start + view.x * whole;
  const to = from + whole / view.zoom;
  useEffect(() => {
    worker.current?.postMessage({ what: "rows", id: 0, ranks, from, to: whole > 0 ? to : 0, width: 900 } satisfies Request);
  }, [view, whole, props.run]);
  const point = (x: number | null, y: number, width: number, height: number): void => {
    if (x === null || x < kLeft || whole === 0) return setText("");
    const row = Math.floor(((y - 4) / (height - kBottom - 4)) * ranks.length);
    if (row < 0 || row >= ranks.length) return setText("");
    hovered.current = ranks[row]!;
    const time = from + ((x - kLeft) / (width - kLeft - 6)) * (to - from);
    worker.current?.postMessage({ what: "call", id: 0, rank: ranks[row]!, time } satisfies Request);
  };
  const sampled = props.run.info.ranks > kMostRows ? ` ${kMostRows} of ${format.whole(props.run.info.ranks)} ranks, evenly spread.` : "";
  return (
    <figure>
      <figcaption>
        {answer === null ? "Unfolding…" : answer.isMeasured ? "As it was, by time stamps." : "Reconstructed: each call takes as long as it does on average there."}
        {sampled}{answer?.isCut ? " The beginning of the run only: it has more calls than are unfolded." : ""}
      </figcaption>
      <Legend entries={[...kGroups.map((name, i) => [kColours[i]!, name] as const), ["transparent", "computing"]]} />
      <Canvas class="timeline" label={`Timeline of ${ranks.length} ranks: what each does at what time`} axes="x" view={view} setView={setView}
        mostZoom={Math.max(1, whole / 1e4)} point={point} draw={(drawing) => answer && drawRows(answer, whole > 0 ? from : answer.from, whole > 0 ? to : answer.to, ranks, drawing)} />
      <p class="under" aria-live="off">{text || "point at a call for its numbers; + − 0 arrows zoom and move, the wheel after a click; paler pixels hold more computation"}</p>
    </figure>
  );
}

export function Timeline(props: { run: Run }): JSX.Element {
  const { run } = props;
  if (!hasTimes(run)) return <Section id="timeline" title="Timeline" lead="The recording has no times.">{null}</Section>;
  const isMeasured = (run.program.stamps ?? []).length > 0;
  const lead = isMeasured ? "What each rank did when, behind MPI_Init; clocks are those of the hosts."
    : "What each rank does when, behind MPI_Init. The recording has no time stamps (rondo record --times full keeps them), so ranks drift apart where really they wait.";
  return <Section id="timeline" title="Timeline" lead={lead}><Picture run={run} /></Section>;
}
