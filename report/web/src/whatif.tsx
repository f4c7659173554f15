// SPDX-License-Identifier: Apache-2.0
// The run's time on other networks: one to choose by sliders, and all that were simulated, as `rondo simulate` with lists of
// latencies and bandwidths has them.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import * as format from "./format";
import type { Prediction, Run } from "./model";
import { OwnNetwork, usePlayed } from "./network";
import type { Network, Outcome } from "./simulate";
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

// Between four networks that were simulated.
function interpolated(grid: Grid, { latency: l, bandwidth: b }: Network): Outcome | undefined {
  const [l1, l2, u] = between(grid.latencies, l);
  const [b1, b2, v] = between(grid.bandwidths, b);
  const corners = [[l1, b1, (1 - u) * (1 - v)], [l2, b1, u * (1 - v)], [l1, b2, (1 - u) * v], [l2, b2, u * v]] as const;
  const sum: Outcome = { predicted: 0, computing: 0, communicating: 0, waiting: 0, stuck: 0 };
  for (const [x, y, weight] of corners) {
    const p = grid.at(x, y);
    if (!p) return undefined;
    sum.predicted += weight * p.predicted_seconds;
    sum.computing += weight * p.computing_seconds;
    sum.communicating += weight * p.communicating_seconds;
    sum.waiting += weight * p.waiting_seconds;
  }
  return sum;
}

function PlayedNetwork(props: { run: Run; measured: number }): JSX.Element {
  return <OwnNetwork {...props} limits={null} predict={usePlayed(props.run)} />;
}

function Sliders(props: { run: Run; grid: Grid; measured: number }): JSX.Element | null {
  const { run, grid, measured } = props;
  if (run.whyNotPlayed === "") return <PlayedNetwork key={run.index} run={run} measured={measured} />;
  if (grid.latencies.length < 2 || grid.bandwidths.length < 2) return null;
  const limits = [grid.latencies, grid.bandwidths].map((list): [number, number] => [list[0]!, list[list.length - 1]!]);
  return (
    <>
      <OwnNetwork run={run} measured={measured} limits={limits} predict={(networks) => networks.map((network) => interpolated(grid, network))} />
      <p class="remark">the page does not play this run itself: {run.whyNotPlayed}</p>
    </>
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
      <Sliders run={props.run} grid={grid} measured={measured} />
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
