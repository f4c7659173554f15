// SPDX-License-Identifier: Apache-2.0
// Several runs side by side: how their efficiency changes, and what else differs.
import type { JSX } from "preact";
import * as format from "./format";
import type { Report, Run, ScaledRun } from "./model";
import { Figure, Section } from "./widgets";

interface Row { name: string; of: string; values: (number | string | null)[]; text: (value: number) => string }

const places = (value: number): string => value.toFixed(2);

function differing(report: Report): Row[] {
  const { runs } = report;
  const of = (name: string, key: string, text: (value: number) => string, value: (run: Run) => number | string | null): Row => ({ name, of: key, text, values: runs.map(value) });
  const scaling = (name: string, key: keyof ScaledRun & string, text = format.percent): Row =>
    ({ name, of: `scaling.${key}`, text, values: runs.map((_, i) => report.scaling?.runs[i]?.[key] ?? null) });
  return [
    of("ranks", "info.ranks", format.whole, (run) => run.info.ranks),
    of("time", "efficiency.runtime_seconds", format.seconds, (run) => run.efficiency.runtime_seconds),
    scaling("speedup", "speedup", places),
    scaling("global efficiency", "global_efficiency"),
    scaling("parallel efficiency", "parallel_efficiency"),
    scaling("load balance", "load_balance"),
    scaling("communication efficiency", "communication_efficiency"),
    scaling("computation scalability", "computation_scalability"),
    of("topology", "topology.topology", String, (run) => run.topology.topology),
    of("calls", "info.calls", format.count, (run) => run.info.calls),
    of("messages", "stats.message_density.total_messages", format.count, (run) => run.stats.message_density.total_messages),
    of("bytes sent", "stats.data_density.total_bytes", format.bytes, (run) => run.stats.data_density.total_bytes),
    of("collective calls", "stats.collectives_against_point_to_point.collective_calls", format.count, (run) => run.stats.collectives_against_point_to_point.collective_calls),
    of("records of the program", "logical.records", format.whole, (run) => run.logical?.records ?? null),
  ];
}

function Value(props: { row: Row; run: number }): JSX.Element {
  const value = props.row.values[props.run]!;
  if (value === null) return <>–</>;
  if (typeof value === "string") return <>{value}</>;
  return <Figure of={`${props.run} ${props.row.of}`} value={value} text={props.row.text(value)} />;
}

export function Compare(props: { report: Report; names: string[] }): JSX.Element {
  const rows = differing(props.report);
  const isSame = ({ values }: Row): boolean => values.every((value) => value === values[0]);
  const ordered = [...rows.filter((row) => !isSame(row)), ...rows.filter(isSame)];
  return (
    <Section id="compare" title="Compare" lead="The runs side by side, what differs first. Scalability and speedup are against the first run, as strong scaling.">
      <div class="scroll" tabIndex={0} role="region" aria-label="runs side by side">
        <table class="compare">
          <caption>Runs side by side</caption>
          <thead><tr><th scope="col">what</th>{props.names.map((name, i) => <th scope="col" key={i}>{name}</th>)}</tr></thead>
          <tbody>
            {ordered.map((row) => (
              <tr key={row.name} class={isSame(row) ? "same" : "differs"}>
                <th scope="row">{row.name}{isSame(row) ? " (same)" : ""}</th>{row.values.map((_, i) => <td class="number" key={i}><Value row={row} run={i} /></td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
