// SPDX-License-Identifier: Apache-2.0
// Several runs side by side: how their efficiency changes, and what else differs.
import type { JSX } from "preact";
import * as format from "./format";
import type { Report } from "./model";
import { Section } from "./widgets";

type Row = [string, string[], number];

function differing(report: Report): Row[] {
  const { runs } = report;
  const scaled = report.scaling?.runs ?? [];
  const scaling = (name: string, value: (i: number) => number): Row => [name, runs.map((_, i) => (scaled[i] ? format.percent(value(i)) : "")), 1];
  return [
    ["ranks", runs.map((run) => format.whole(run.info.ranks)), 0],
    ["time", runs.map((run) => format.seconds(run.efficiency.runtime_seconds)), 0],
    ["speedup", scaled.map((run) => run.speedup.toFixed(2)), 0],
    scaling("global efficiency", (i) => scaled[i]!.global_efficiency),
    scaling("parallel efficiency", (i) => scaled[i]!.parallel_efficiency),
    scaling("load balance", (i) => scaled[i]!.load_balance),
    scaling("communication efficiency", (i) => scaled[i]!.communication_efficiency),
    scaling("computation scalability", (i) => scaled[i]!.computation_scalability),
    ["topology", runs.map((run) => run.topology.topology), 0],
    ["calls", runs.map((run) => format.count(run.info.calls)), 0],
    ["messages", runs.map((run) => format.count(run.stats.message_density.total_messages)), 0],
    ["bytes sent", runs.map((run) => format.bytes(run.stats.data_density.total_bytes)), 0],
    ["collective calls", runs.map((run) => format.count(run.stats.collectives_against_point_to_point.collective_calls)), 0],
    ["records of the program", runs.map((run) => (run.logical ? format.whole(run.logical.records) : "–")), 0],
  ];
}

export function Compare(props: { report: Report; names: string[] }): JSX.Element {
  const rows = differing(props.report);
  const isSame = (values: string[]): boolean => values.every((value) => value === values[0]);
  const ordered = [...rows.filter((row) => !isSame(row[1])), ...rows.filter((row) => isSame(row[1]))];
  return (
    <Section id="compare" title="Compare" lead="The runs side by side, what differs first. Scalability and speedup are against the first run, as strong scaling.">
      <div class="scroll" tabIndex={0} role="region" aria-label="runs side by side">
        <table class="compare">
          <caption>Runs side by side</caption>
          <thead><tr><th scope="col">what</th>{props.names.map((name, i) => <th scope="col" key={i}>{name}</th>)}</tr></thead>
          <tbody>
            {ordered.map(([name, values]) => (
              <tr key={name} class={isSame(values) ? "same" : "differs"}>
                <th scope="row">{name}{isSame(values) ? " (same)" : ""}</th>{values.map((value, i) => <td class="number" key={i}>{value}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
