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

interface Series { name: string; colour: string; messages: (bin: SizeBin) => number; bytes: (bin: SizeBin) => number }

const kSeries: Series[] = [
  { name: "point-to-point", colour: kComputing, messages: (bin) => bin.point_to_point_messages, bytes: (bin) => bin.point_to_point_bytes },
  { name: "one-sided", colour: "#009e73", messages: (bin) => bin.one_sided_messages, bytes: (bin) => bin.one_sided_bytes },
  { name: "collective", colour: kWaiting, messages: (bin) => bin.collective_calls, bytes: (bin) => bin.collective_bytes }];

// Of each size a bar for each kind of messages, with what it stands for beside it.
function Bars(props: { bins: SizeBin[]; all: Series[]; isBytes: boolean }): JSX.Element {
  const { bins, all, isBytes } = props;
  const of = (series: Series, bin: SizeBin): number => (isBytes ? series.bytes : series.messages)(bin);
  const most = Math.max(1, ...bins.flatMap((bin) => all.map((series) => of(series, bin))));
  const text = isBytes ? format.bytes : format.count;
  return (
    <div class="sizes" role="img" aria-label="Bars of message sizes; the table has the numbers">
      {bins.map((bin) => (
        <div class="size" key={nameOf(bin)}>
          <span>{nameOf(bin)}</span>
          <div>
            {all.map((series) => {
              const value = of(series, bin);
              return value > 0 && (
                <div key={series.name} title={`${nameOf(bin)}: ${series.name} ${text(value)}`}>
                  <i style={{ width: `${(value / most) * 100}%`, background: series.colour }} />{text(value)}{series === all[0] ? "" : ` ${series.name}`}
                </div>
              );
            })}
          </div>
        </div>
      ))}
    </div>
  );
}

export function Sizes(props: { run: Run }): JSX.Element {
  const { stats } = props.run;
  const [show] = useSetting("sizes.show", "messages", ["messages", "bytes"]);
  const against = stats.collectives_against_point_to_point;
  const last = stats.message_sizes.reduce((at, bin, i) => (bin.point_to_point_messages + bin.collective_calls + bin.one_sided_messages > 0 ? i : at), 0);
  const bins = stats.message_sizes.slice(0, Math.max(4, last + 1));
  const shown = kSeries.filter((_, i) => i !== 1 || against.one_sided_messages > 0); // few programs have one-sided ones
  const isSomething = bins.some((bin) => shown.some((series) => series.messages(bin) > 0));
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
          <Legend entries={shown.map(({ colour, name }) => [colour, name === "collective" ? "collective calls" : name])} />
          <Bars bins={bins} all={shown} isBytes={show === "bytes"} />
        </>
      )}
      <div class={against.one_sided_messages > 0 ? "columns wide" : "columns"}>
        <Table id="measurements" caption="Measurements" rows={rows} atFirst={rows.length} columns={[
          { title: "what", value: (row) => row[0] }, { title: "value", value: (row) => row[2], text: (row) => row[3], of: (row) => `stats.${row[1]}` }]} />
        {stats.collectives.length > 0 && <Table id="collectives" caption="Collective operations" rows={stats.collectives} columns={[
          { title: "function", value: (c) => c.function }, { title: "calls", value: (c) => c.calls, text: (c) => format.whole(c.calls), bar: true },
          { title: "bytes", value: (c) => c.bytes, unit: "B", text: (c) => format.bytes(c.bytes) }]} />}
        {isSomething && <Table id="bins" caption="Message sizes" rows={stats.message_sizes} atFirst={bins.length} columns={[
          { title: "up to", value: (b) => b.up_to_bytes ?? Infinity, unit: "B", text: nameOf },
          { title: "messages", value: (b) => b.point_to_point_messages, text: (b) => format.whole(b.point_to_point_messages) },
          { title: "bytes", value: (b) => b.point_to_point_bytes, unit: "B", text: (b) => format.bytes(b.point_to_point_bytes) },
          ...(against.one_sided_messages > 0 ? [
            { title: "one-sided", value: (b: SizeBin) => b.one_sided_messages, text: (b: SizeBin) => format.whole(b.one_sided_messages) },
            { title: "their bytes", value: (b: SizeBin) => b.one_sided_bytes, unit: "B", text: (b: SizeBin) => format.bytes(b.one_sided_bytes) }] : []),
          { title: "collective calls", value: (b) => b.collective_calls, text: (b) => format.whole(b.collective_calls) }]} />}
      </div>
    </Section>
  );
}
