// SPDX-License-Identifier: Apache-2.0
// The run's time on other networks, as `rondo simulate` with lists of latencies and bandwidths has it:
// a network to choose by sliders, and all that were simulated.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Canvas, type Drawing } from "./canvas";
import * as format from "./format";
import type { Prediction, Run } from "./model";
import { useSetting } from "./state";
import { Section, Table } from "./widgets";

const latency = (p: Prediction): number => Number(p.network["latency_seconds"] ?? 0);
const bandwidth = (p: Prediction): number => Number((1 / Number(p.network["seconds_per_byte"] ?? 1)).toPrecision(6));

interface Grid { latencies: number[]; bandwidths: number[]; at: (l: number, b: number) => Prediction | undefined }

function gridOf(all: Prediction[]): Grid {
  const sorted = (of: (p: Prediction) => number): number[] => [...new Set(all.map(of))].sort((a, b) => a - b);
  const places = new Map(all.map((p) => [`${latency(p)} ${bandwidth(p)}`, p]));
  return { latencies: sorted(latency), bandwidths: sorted(bandwidth), at: (l, b) => places.get(`${l} ${b}`) };
}

// Where between its neighbours a value lies, by its logarithm.
function between(list: number[], value: number): [low: number, high: number, share: number] {
  let i = 0;
  while (i + 2 < list.length && list[i + 1]! <= value) ++i;
  const [low, high] = [list[i]!, list[Math.min(i + 1, list.length - 1)]!];
  const share = high > low && low > 0 ? Math.log(value / low) / Math.log(high / low) : 0;
  return [low, high, Math.max(0, Math.min(1, share))];
}

// Between four networks that were simulated: predicted, computing, communicating, waiting.
function interpolated(grid: Grid, l: number, b: number): number[] | null {
  const [l1, l2, u] = between(grid.latencies, l);
  const [b1, b2, v] = between(grid.bandwidths, b);
  const corners = [[l1, b1, (1 - u) * (1 - v)], [l2, b1, u * (1 - v)], [l1, b2, (1 - u) * v], [l2, b2, u * v]] as const;
  const sums = [0, 0, 0, 0];
  for (const [x, y, weight] of corners) {
    const p = grid.at(x, y);
    if (!p) return null;
    [p.predicted_seconds, p.computing_seconds, p.communicating_seconds, p.waiting_seconds].forEach((value, i) => { sums[i]! += weight * value; });
  }
  return sums;
}

const kSteps = 200;
const valueAt = (list: number[], step: number): number => {
  const [low, high] = [list[0]!, list[list.length - 1]!];
  return low > 0 ? low * Math.pow(high / low, step / kSteps) : low + ((high - low) * step) / kSteps;
};

// Time against one of both, at what the sliders say: side by side, or one below the other where there is no room.
function drawCurves(grid: Grid, l: number, b: number, { context: c, width, height, theme }: Drawing): void {
  const isNarrow = width < 560;
  const [left, right, top, bottom] = [58, 12, 22, 24];
  const w = isNarrow ? width - left - right : width / 2 - left - right;
  const h = (isNarrow ? height / 2 : height) - top - bottom;
  const curves = [
    { list: grid.latencies, now: l, time: (x: number) => interpolated(grid, x, b)?.[0] ?? 0, text: format.seconds, name: `latency, at ${format.bytes(b)}/s` },
    { list: grid.bandwidths, now: b, time: (x: number) => interpolated(grid, l, x)?.[0] ?? 0, text: (x: number) => `${format.bytes(x)}/s`, name: `bandwidth, at ${format.seconds(l)}` },
  ];
  const points = curves.map(({ list, time }) => Array.from({ length: 61 }, (_, i) => time(valueAt(list, (i * kSteps) / 60))));
  const most = Math.max(...points.flat()) * 1.05 || 1;
  curves.forEach((curve, k) => {
    const [x0, y0] = isNarrow ? [left, top + (k * height) / 2] : [left + (k * width) / 2, top];
    const y = (seconds: number): number => y0 + (1 - seconds / most) * h;
    const [first, last] = [curve.list[0]!, curve.list[curve.list.length - 1]!];
    c.strokeStyle = theme.line;
    c.strokeRect(x0, y0, w, h);
    c.fillStyle = theme.text;
    c.textAlign = "left";
    c.fillText(`time against ${curve.name}`, x0, y0 - 8);
    c.fillText(curve.text(first), x0, y0 + h + 16);
    c.textAlign = "right";
    c.fillText(curve.text(last), x0 + w, y0 + h + 16);
    for (const share of [0, 0.5, 1]) c.fillText(share === 0 ? "0" : format.seconds(share * most), x0 - 6, y(share * most) + 4);
    c.strokeStyle = theme.accent;
    c.lineWidth = 2;
    c.beginPath();
    points[k]!.forEach((seconds, i) => c.lineTo(x0 + (i * w) / 60, y(seconds)));
    c.stroke();
    c.fillStyle = "#d55e00";
    c.beginPath();
    c.arc(x0 + (Math.log(curve.now / first) / Math.log(last / first)) * w, y(curve.time(curve.now)), 5, 0, 2 * Math.PI);
    c.fill();
    c.lineWidth = 1;
  });
}

function Sliders(props: { grid: Grid; measured: number }): JSX.Element | null {
  const { grid } = props;
  const [l, setL] = useSetting("whatif.latency", String(kSteps / 4));
  const [b, setB] = useSetting("whatif.bandwidth", String(kSteps / 2));
  const step = (text: string): number => Math.max(0, Math.min(kSteps, Number(text) || 0));
  const [now, width] = [valueAt(grid.latencies, step(l)), valueAt(grid.bandwidths, step(b))];
  const found = interpolated(grid, now, width);
  if (!found || grid.latencies.length < 2 || grid.bandwidths.length < 2) return null;
  const [predicted, computing, communicating, waiting] = found as [number, number, number, number];
  const all = computing + communicating + waiting || 1;
  return (
    <figure>
      <figcaption>A network of your own, between those that were simulated</figcaption>
      <div class="choices">
        <label>latency <input type="range" min={0} max={kSteps} value={step(l)} onInput={(event) => setL(event.currentTarget.value)} /> <output>{format.seconds(now)}</output></label>
        <label>bandwidth <input type="range" min={0} max={kSteps} value={step(b)} onInput={(event) => setB(event.currentTarget.value)} /> <output>{format.bytes(width)}/s</output></label>
      </div>
      <p class="predicted" aria-live="polite">
        <strong>{format.seconds(predicted)}</strong>{props.measured > 0 && `, against ${format.seconds(props.measured)} as it was recorded`}: {format.percent(computing / all)} of all ranks' time
        computing, {format.percent(communicating / all)} communicating, {format.percent(waiting / all)} waiting
      </p>
      <Canvas class="curves" label="Predicted time against latency and against bandwidth" draw={(drawing) => drawCurves(grid, now, width, drawing)} />
    </figure>
  );
}

export function WhatIf(props: { run: Run }): JSX.Element | null {
  const { sweep } = props.run;
  const all = sweep?.predictions ?? [];
  const grid = useMemo(() => gridOf(all), [sweep]);
  if (all.length === 0) {
    const why = sweep?.why_not ?? props.run.left_out.find((text) => text.includes("networks")) ?? "The run was not played.";
    const [first, ...more] = why.split("\n");
    return <Section id="whatif" title="What if" lead={first}>{more.length > 0 && <pre class="program why" tabIndex={0}>{more.join("\n")}</pre>}</Section>;
  }
  const measured = props.run.efficiency.runtime_seconds;
  const [least, most] = [Math.min(...all.map((p) => p.predicted_seconds)), Math.max(...all.map((p) => p.predicted_seconds))];
  const cell = (l: number, b: number): JSX.Element => {
    const p = grid.at(l, b);
    const share = p && most > least ? (p.predicted_seconds - least) / (most - least) : 0;
    return <td key={b} class="number heat" style={{ "--heat": `${Math.round(share * 55)}%` }} data-value={p?.predicted_seconds}>{p ? format.seconds(p.predicted_seconds) : ""}</td>;
  };
  return (
    <Section id="whatif" title="What if" lead={"The run's time on other networks, simulated without contention; "
      + (measured > 0 ? `it took ${format.seconds(measured)} when it was recorded.` : "the recording has no times, so computing takes none.")}>
      <Sliders grid={grid} measured={measured} />
      <div class="scroll" tabIndex={0} role="region" aria-label="predicted times">
        <table class="sweep">
          <caption><span>Predicted time by latency (down) and bandwidth (across)</span></caption>
          <thead><tr><th scope="col">latency</th>{grid.bandwidths.map((b) => <th scope="col" key={b} data-value={b}>{format.bytes(b)}/s</th>)}</tr></thead>
          <tbody>{grid.latencies.map((l) => <tr key={l}><th scope="row" data-value={l}>{format.seconds(l)}</th>{grid.bandwidths.map((b) => cell(l, b))}</tr>)}</tbody>
        </table>
      </div>
      <details>
        <summary>as a list</summary>
        <Table id="sweep" caption="Predictions, seconds summed over ranks" rows={all} columns={[
          { title: "latency", value: latency, unit: "s", text: (p) => format.seconds(latency(p)) },
          { title: "bandwidth", value: bandwidth, unit: "B/s", text: (p) => `${format.bytes(bandwidth(p))}/s` },
          { title: "predicted", value: (p) => p.predicted_seconds, unit: "s", text: (p) => format.seconds(p.predicted_seconds), bar: true },
          { title: "computing", value: (p) => p.computing_seconds, unit: "s", text: (p) => format.seconds(p.computing_seconds) },
          { title: "communicating", value: (p) => p.communicating_seconds, unit: "s", text: (p) => format.seconds(p.communicating_seconds) },
          { title: "waiting", value: (p) => p.waiting_seconds, unit: "s", text: (p) => format.seconds(p.waiting_seconds) }]} />
      </details>
    </Section>
  );
}
