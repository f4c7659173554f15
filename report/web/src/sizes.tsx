// SPDX-License-Identifier: Apache-2.0
// The five measurements, and how large messages are.
import type { JSX } from "preact";
import * as format from "./format";
import type { Run, SizeBin } from "./model";
import { kComputing, kWaiting } from "./time";
import { useSetting } from "./state";
import { Choice, Legend, Section, Table } from "./widgets";

function nameOf(bin: SizeBin): string {
  if (bin.up_to_bytes === null) return `> ${format.bytes(bin.above_bytes ?? 0)}`;
  return `≤ ${format.bytes(bin.up_to_bytes)}`;
}

const kAgainst = "collectives_against_point_to_point";

interface BarsProps { bins: SizeBin[]; isBytes: boolean }

function Bars(props: BarsProps): JSX.Element {
  const { bins, isBytes } = props;
  const p2p = (bin: SizeBin): number => (isBytes ? bin.point_to_point_bytes : bin.point_to_point_messages);
  const collective = (bin: SizeBin): number => (isBytes ? bin.collective_bytes : bin.collective_calls);
  const most = Math.max(1, ...bins.map((bin) => Math.max(p2p(bin), collective(bin))));
  const text = isBytes ? format.bytes : format.count;
  const [width, height, step] = [720, 220, 720 / bins.length];
  const bar = (value: number): number => (value === 0 ? 0 : Math.max(2, (value / most) * (height - 50)));
  return (
    <svg class="sizes" viewBox={`0 0 ${width} ${height}`} role="img" aria-label="Bars of message sizes; the table has the numbers">
      {bins.map((bin, i) => {
        const x = i * step;
        return (
          <g key={i}>
            <rect x={x + 4} y={height - 22 - bar(p2p(bin))} width={step / 2 - 5} height={bar(p2p(bin))} fill={kComputing}>
              <title>{`${nameOf(bin)}: point-to-point ${text(p2p(bin))}`}</title>
            </rect>
            <rect x={x + step / 2} y={height - 22 - bar(collective(bin))} width={step / 2 - 5} height={bar(collective(bin))} fill={kWaiting}>
              <title>{`${nameOf(bin)}: collective ${text(collective(bin))}`}</title>
            </rect>
            {([[p2p(bin), step / 4 + 1], [collective(bin), (3 * step) / 4 - 2]] as const).map(([value, at]) => value > 0
              && <text key={at} x={x + at} y={height - 27 - bar(value)} text-anchor="middle">{text(value)}</text>)}
            <text x={x + step / 2} y={height - 6} text-anchor="middle">{nameOf(bin)}</text>
          </g>
        );
      })}
    </svg>
  );
}

export function Sizes(props: { run: Run }): JSX.Element {
  const { stats } = props.run;
  const [show] = useSetting("sizes.show", "messages", ["messages", "bytes"]);
  const against = stats.collectives_against_point_to_point;
  const last = stats.message_sizes.reduce((at, bin, i) => (bin.point_to_point_messages + bin.collective_calls + bin.one_sided_messages > 0 ? i : at), 0);
  const bins = stats.message_sizes.slice(0, Math.max(4, last + 1));
  const isSomething = bins.some((bin) => bin.point_to_point_messages + bin.collective_calls > 0);
  const { message_density: messages, data_density: data } = stats;
  const rows: [string, string, number, string][] = [
    ["pairs that talk", "pairs", stats.pairs, `${format.whole(stats.pairs)} (${format.percent(stats.share_of_pairs)} of all)`],
    ["messages", "message_density.total_messages", messages.total_messages, format.whole(messages.total_messages)],
    ["messages of a pair, mean", "message_density.messages_per_pair.mean", messages.messages_per_pair.mean, format.count(messages.messages_per_pair.mean)],
    ["bytes", "data_density.total_bytes", data.total_bytes, format.bytes(data.total_bytes)],
    ["bytes of a pair, mean", "data_density.bytes_per_pair.mean", data.bytes_per_pair.mean, format.bytes(data.bytes_per_pair.mean)],
    ["one-sided messages", `${kAgainst}.one_sided_messages`, against.one_sided_messages, format.whole(against.one_sided_messages)],
    ["collective calls", `${kAgainst}.collective_calls`, against.collective_calls, `${format.whole(against.collective_calls)} (${format.percent(against.collective_share_of_calls)})`],
    ["bytes of collectives", `${kAgainst}.collective_bytes`, against.collective_bytes, `${format.bytes(against.collective_bytes)} (${format.percent(against.collective_share_of_bytes)})`],
  ];
  return (
    <Section id="sizes" title="Sizes and measurements" lead="How much is sent, in how many messages, of which sizes, and what share of it is in collective operations.">
      {isSomething && (
        <>
          <div class="choices"><Choice label="show" setting="sizes.show" options={[["messages", "messages"], ["bytes", "bytes"]]} /></div>
          <Legend entries={[[kComputing, "point-to-point"], [kWaiting, "collective calls"]]} />
          <div class="scroll" tabIndex={0} role="region" aria-label="bars of message sizes"><Bars bins={bins} isBytes={show === "bytes"} /></div>
        </>
      )}
      <div class="columns">
        <Table id="measurements" caption="Measurements" rows={rows} atFirst={rows.length} columns={[
          { title: "what", value: (row) => row[0] }, { title: "value", value: (row) => row[2], text: (row) => row[3], of: (row) => `stats.${row[1]}` }]} />
        <Table id="collectives" caption="Collective operations" rows={stats.collectives} columns={[
          { title: "function", value: (c) => c.function }, { title: "calls", value: (c) => c.calls, text: (c) => format.whole(c.calls), bar: true },
          { title: "bytes", value: (c) => c.bytes, unit: "B", text: (c) => format.bytes(c.bytes) }]} />
        <Table id="bins" caption="Message sizes" rows={stats.message_sizes} columns={[
          { title: "up to", value: (b) => b.up_to_bytes ?? Infinity, unit: "B", text: nameOf },
          { title: "messages", value: (b) => b.point_to_point_messages, text: (b) => format.whole(b.point_to_point_messages) },
          { title: "bytes", value: (b) => b.point_to_point_bytes, unit: "B", text: (b) => format.bytes(b.point_to_point_bytes) },
          { title: "collective calls", value: (b) => b.collective_calls, text: (b) => format.whole(b.collective_calls) }]} />
      </div>
    </Section>
  );
}
