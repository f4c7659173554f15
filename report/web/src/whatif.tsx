// SPDX-License-Identifier: Apache-2.0
// The run's time on other networks, as `rondo simulate` with lists of latencies and bandwidths has it.
import type { JSX } from "preact";
import * as format from "./format";
import type { Prediction, Run } from "./model";
import { Section, Table } from "./widgets";

const latency = (p: Prediction): number => Number(p.network["latency_seconds"] ?? 0);
const bandwidth = (p: Prediction): number => Number((1 / Number(p.network["seconds_per_byte"] ?? 1)).toPrecision(6));

export function WhatIf(props: { run: Run }): JSX.Element | null {
  const { sweep } = props.run;
  if (!sweep?.predictions || sweep.predictions.length === 0) {
    const why = sweep?.why_not ?? props.run.left_out.find((text) => text.includes("networks")) ?? "The run was not played.";
    return <Section id="whatif" title="What if" lead={why}>{null}</Section>;
  }
  const all = sweep.predictions;
  const latencies = [...new Set(all.map(latency))].sort((a, b) => a - b);
  const bandwidths = [...new Set(all.map(bandwidth))].sort((a, b) => a - b);
  const [least, most] = [Math.min(...all.map((p) => p.predicted_seconds)), Math.max(...all.map((p) => p.predicted_seconds))];
  const cell = (l: number, b: number): JSX.Element => {
    const p = all.find((each) => latency(each) === l && bandwidth(each) === b);
    const share = p && most > least ? (p.predicted_seconds - least) / (most - least) : 0;
    return <td key={b} class="number heat" style={{ "--heat": `${Math.round(share * 55)}%` }} data-value={p?.predicted_seconds}>{p ? format.seconds(p.predicted_seconds) : ""}</td>;
  };
  return (
    <Section id="whatif" title="What if" lead={"The run's time on other networks, simulated without contention; it took "
      + `${format.seconds(props.run.efficiency.runtime_seconds)} when it was recorded.`}>
      <div class="scroll" tabIndex={0} role="region" aria-label="predicted times">
        <table class="sweep">
          <caption>Predicted time by latency (down) and bandwidth (across)</caption>
          <thead><tr><th scope="col">latency</th>{bandwidths.map((b) => <th scope="col" key={b}>{format.bytes(b)}/s</th>)}</tr></thead>
          <tbody>{latencies.map((l) => <tr key={l}><th scope="row">{format.seconds(l)}</th>{bandwidths.map((b) => cell(l, b))}</tr>)}</tbody>
        </table>
      </div>
      <details>
        <summary>as a list</summary>
        <Table id="sweep" caption="Predictions, seconds summed over ranks" rows={all} columns={[
          { title: "latency", value: latency, text: (p) => format.seconds(latency(p)) },
          { title: "bandwidth", value: bandwidth, text: (p) => `${format.bytes(bandwidth(p))}/s` },
          { title: "predicted", value: (p) => p.predicted_seconds, text: (p) => format.seconds(p.predicted_seconds), bar: true },
          { title: "computing", value: (p) => p.computing_seconds, text: (p) => format.seconds(p.computing_seconds) },
          { title: "communicating", value: (p) => p.communicating_seconds, text: (p) => format.seconds(p.communicating_seconds) },
          { title: "waiting", value: (p) => p.waiting_seconds, text: (p) => format.seconds(p.waiting_seconds) }]} />
      </details>
    </Section>
  );
}
