// SPDX-License-Identifier: Apache-2.0
// Several runs side by side: how their efficiency changes, and what else differs.
import type { JSX } from "preact";
import * as format from "./format";
import type { Report, Run, ScaledRun } from "./model";
import { type Column, Section, Table } from "./widgets";

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

// Lines over the number of ranks, each with marks of its own.
const kLines: [keyof ScaledRun, string, string, string][] = [
  ["global_efficiency", "global efficiency", "var(--text)", "M-5,0L0,-5L5,0L0,5Z"], ["load_balance", "load balance", "#0072b2", "M-4,-4H4V4H-4Z"],
  ["communication_efficiency", "communication efficiency", "#d55e00", "M0,-5L5,4H-5Z"],
  ["computation_scalability", "computation scalability", "#009e73", "M-4,-4L4,4M-4,4L4,-4"]];

function Scaling(props: { runs: ScaledRun[] }): JSX.Element {
  const runs = [...props.runs].sort((a, b) => a.ranks - b.ranks);
  const [width, height, left, right, top, bottom] = [720, 260, 52, 12, 12, 40];
  const [least, last] = [Math.log(runs[0]!.ranks), Math.log(runs[runs.length - 1]!.ranks)];
  const most = Math.max(1, ...runs.flatMap((run) => kLines.map(([key]) => Number(run[key]))));
  const x = (run: ScaledRun): number => left + ((Math.log(run.ranks) - least) / (last - least)) * (width - left - right);
  const y = (value: number): number => top + (1 - value / most) * (height - top - bottom);
  const shares = [0, 0.25, 0.5, 0.75, 1].map((share) => share * (most > 1.02 ? most : 1));
  return (
    <figure>
      <figcaption>Efficiencies over the number of ranks</figcaption>
      <ul class="legend">
        {kLines.map(([key, name, colour, mark]) => (
          <li key={key}><svg class="mark" width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true"><path d={mark} style={{ "--mark": colour }} /></svg>{name}</li>
        ))}
      </ul>
      <div class="scroll" tabIndex={0} role="region" aria-label="efficiencies over the number of ranks">
        <svg class="scaling" viewBox={`0 0 ${width} ${height}`} role="img" aria-label="Lines of efficiencies over the number of ranks; the table has the numbers">
          {shares.map((share) => <g key={share}><line class="rail" x1={left} x2={width - right} y1={y(share)} y2={y(share)} /><text x={left - 6} y={y(share) + 4} text-anchor="end">{format.percent(share)}</text></g>)}
          {runs.map((run, i) => <text key={i} x={x(run)} y={height - 22} text-anchor={i === 0 ? "start" : i + 1 === runs.length ? "end" : "middle"}>{format.whole(run.ranks)}</text>)}
          <text x={(left + width) / 2} y={height - 5} text-anchor="middle">ranks</text>
          {kLines.map(([key, name, colour, mark]) => [key, name, colour, mark, runs.filter((run) => run[key] !== null)] as const).map(([key, name, colour, mark, known]) => (
            <g key={key} style={{ "--mark": colour }}>
              <path class="run" d={`M${known.map((run) => `${x(run).toFixed(1)},${y(Number(run[key])).toFixed(1)}`).join("L")}`} />
              {known.map((run, i) => <path key={i} d={mark} transform={`translate(${x(run).toFixed(1)},${y(Number(run[key])).toFixed(1)})`}>
                <title>{`${run.name}, ${run.ranks} ranks: ${name} ${format.percent(Number(run[key]))}`}</title></path>)}
            </g>
          ))}
        </svg>
      </div>
    </figure>
  );
}

export function Compare(props: { report: Report; names: string[] }): JSX.Element {
  const { scaling } = props.report;
  const rows = differing(props.report);
  const isSame = ({ values }: Row): boolean => values.every((value) => value === values[0]);
  const ordered = [...rows.filter((row) => !isSame(row)), ...rows.filter(isSame)];
  const isOverRanks = scaling !== undefined && new Set(scaling.runs.map((run) => run.ranks)).size > 1;
  const column = (name: string, run: number): Column<Row> => ({ title: name, value: (row) => row.values[run] ?? "–",
    text: (row) => (typeof row.values[run] === "number" ? row.text(row.values[run] as number) : String(row.values[run] ?? "–")), of: (row) => `${run} ${row.of}` });
  return (
    <Section id="compare" title="Compare" lead="The runs side by side, what differs first. Scalability and speedup are against the first run, as strong scaling.">
      <div class="compare">
        <Table id="compared" caption="Runs side by side" rows={ordered} atFirst={ordered.length}
          columns={[{ title: "what", value: (row) => `${row.name}${isSame(row) ? " (same)" : ""}` }, ...props.names.map(column)]} />
      </div>
      {isOverRanks && <Scaling runs={scaling.runs} />}
    </Section>
  );
}
