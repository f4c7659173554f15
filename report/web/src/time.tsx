// SPDX-License-Identifier: Apache-2.0
// Where the time goes: factors, time by rank, waits, what caused them, and the worst places.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Canvas, type Drawing } from "./canvas";
import * as format from "./format";
import { hasTimes, where } from "./heading";
import type { CallRow, Cause, Efficiency, Even, Numbers, Run, WaitState } from "./model";
import { Bar, type Column, Figure, Legend, Section, Table } from "./widgets";

export const kComputing = "#0072b2";
export const kWaiting = "#e69f00";
export const kTransferring = "#949ba6";

type FactorKey = "parallel_efficiency" | "load_balance" | "communication_efficiency" | "serialisation_efficiency" | "transfer_efficiency";

function Factor(props: { of: FactorKey; value: number | null }): JSX.Element {
  const { value } = props;
  if (value === null) return <>unknown</>;
  return <><Bar share={value} /><Figure of={`efficiency.${props.of}`} value={value} text={format.percent(value)} /></>;
}

function Factors(props: { e: Efficiency }): JSX.Element {
  const { e } = props;
  const rows: [string, FactorKey, string, number][] = [
    ["parallel efficiency", "parallel_efficiency", "of all ranks' time is computation, between MPI calls", 0],
    ["load balance", "load_balance", "the mean rank's computation, of the most loaded one's", 1],
    ["communication efficiency", "communication_efficiency", "the most loaded rank's computation, of the run", 1],
    ["serialisation", "serialisation_efficiency", "the same on a network that takes no time: what dependences leave", 2],
    ["transfer", "transfer_efficiency", "what the real network and MPI leave of that", 2],
  ];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="factors"><table class="factors">
      <caption><span>Factors: each is the product of those indented below it</span></caption>
      <thead><tr><th scope="col">factor</th><th scope="col">share</th><th scope="col">what it is</th></tr></thead>
      <tbody>
        {rows.map(([name, key, what, depth]) => (
          <tr key={name}>
            <th scope="row" class={`depth${depth}`}>{name}</th>
            <td class="number"><Factor of={key} value={e[key]} /></td>
            <td>{what}</td>
          </tr>
        ))}
      </tbody>
    </table></div>
  );
}

// Of each rank: computing, waiting by kind, and the rest inside MPI.
interface Layer { name: string; colour: string; of: (rank: number) => number }
interface RankTimes { ranks: number; computing: (rank: number) => number; waits: Layer[]; inside: (rank: number) => number; other: (rank: number) => number }

const kWaitColours = ["#e69f00", "#d55e00", "#f0e442", "#cc79a7", "#56b4e9", "#009e73"]; // told apart by all eyes

// The kinds that take most by themselves, the others together.
function waitLayers(waits: NonNullable<Efficiency["waits"]>): Layer[] {
  const kinds = Object.entries(waits.by_rank_and_kind_seconds).sort((a, b) => waits.by_kind_seconds[b[0]]! - waits.by_kind_seconds[a[0]]!);
  const own = kinds.slice(0, kinds.length > kWaitColours.length ? kWaitColours.length - 1 : kinds.length);
  const rest = kinds.slice(own.length);
  const layers = own.map(([name, list], i): Layer => ({ name, colour: kWaitColours[i]!, of: (rank) => list[rank] ?? 0 }));
  if (rest.length > 0)
    layers.push({ name: "other waits", colour: kWaitColours[own.length]!, of: (rank) => rest.reduce((sum, [, list]) => sum + (list[rank] ?? 0), 0) });
  return layers;
}

// Of ranks with several threads that call MPI the mean of these, as their other times are.
function waitsOfRanks({ waits, by_rank: { threads } }: Efficiency): Efficiency["waits"] {
  if (!waits || !threads) return waits;
  const mean = (list: Numbers): number[] => Array.from(list, (seconds, rank) => seconds / (threads[rank] ?? 1));
  return { ...waits, by_rank_seconds: mean(waits.by_rank_seconds),
    by_rank_and_kind_seconds: Object.fromEntries(Object.entries(waits.by_rank_and_kind_seconds).map(([kind, list]) => [kind, mean(list)])) };
}

function rankTimes(e: Efficiency, waits: Efficiency["waits"]): RankTimes {
  const { useful_seconds: useful = [], inside_mpi_seconds: inside = [] } = e.by_rank;
  const waiting = waits?.by_rank_seconds ?? [];
  return { ranks: useful.length, computing: (rank) => useful[rank]!, waits: waits ? waitLayers(waits) : [], inside: (rank) => inside[rank] ?? 0,
    other: (rank) => Math.max(0, (inside[rank] ?? 0) - (waiting[rank] ?? 0)) };
}

// Played on a network that takes no time a rank may wait longer than it was inside MPI: the bars end where that does.
function layersOf(times: RankTimes): Layer[] {
  const shrunk = (rank: number): number => {
    const all = times.waits.reduce((sum, layer) => sum + layer.of(rank), 0);
    return all > times.inside(rank) ? times.inside(rank) / all : 1;
  };
  return [{ name: "computing", colour: kComputing, of: times.computing },
    ...times.waits.map((layer) => ({ ...layer, of: (rank: number) => layer.of(rank) * shrunk(rank) })),
    { name: times.waits.length > 0 ? "inside MPI, not waiting" : "inside MPI", colour: kTransferring, of: times.other }];
}

function drawRanks(times: RankTimes, layers: Layer[], most: number, { context: c, width, height, theme }: Drawing): void {
  const [left, bottom] = [52, 22];
  const [w, h] = [width - left - 4, height - bottom - 8];
  const bars = Math.min(times.ranks, Math.floor(w));
  for (let i = 0; i < bars; ++i) {
    const first = Math.floor((i * times.ranks) / bars);
    const last = Math.max(first + 1, Math.floor(((i + 1) * times.ranks) / bars));
    let y = h + 8;
    for (const layer of layers) {
      let sum = 0;
      for (let r = first; r < last; ++r) sum += layer.of(r);
      const size = (sum / (last - first) / most) * h;
      c.fillStyle = layer.colour;
      c.fillRect(left + (i * w) / bars, y - size, Math.max(1, w / bars - (w / bars > 4 ? 1 : 0)), size);
      y -= size;
    }
  }
  c.fillStyle = theme.text;
  c.textAlign = "right";
  c.fillText(format.seconds(most), left - 6, 16);
  c.fillText("0", left - 6, h + 8);
  c.textAlign = "left";
  c.fillText("rank 0", left, height - 6);
  c.textAlign = "right";
  if (times.ranks > 1) c.fillText(`${times.ranks - 1}`, left + w, height - 6);
}

function textOfRank(times: RankTimes, rank: number): string {
  const waits = times.waits.filter((layer) => layer.of(rank) > 0).map((layer) => `${layer.name} ${format.seconds(layer.of(rank))}`);
  return `rank ${rank}: computing ${format.seconds(times.computing(rank))}, ${waits.length > 0 ? `waiting: ${waits.join(", ")}; ` : ""}`
    + `${times.waits.length > 0 ? "else inside MPI" : "inside MPI"} ${format.seconds(times.other(rank))}`;
}

function ByRank(props: { e: Efficiency }): JSX.Element {
  const waits = useMemo(() => waitsOfRanks(props.e), [props.e]);
  const times = useMemo(() => rankTimes(props.e, waits), [props.e, waits]);
  const layers = useMemo(() => layersOf(times), [times]);
  const { ranks, computing, inside } = times;
  const [at, setAt] = useState<number | null>(null);
  const [isOpen, setOpen] = useState(false);
  const most = useMemo(() => {
    let longest = 0;
    for (let rank = 0; rank < ranks; ++rank) longest = Math.max(longest, computing(rank) + inside(rank));
    return longest || 1;
  }, [times]);
  const pick = (x: number | null, _y: number, width: number): void =>
    setAt(x === null || x < 52 ? null : Math.min(ranks - 1, Math.floor(((x - 52) / (width - 56)) * ranks)));
  return (
    <figure>
      <figcaption>Time by rank{ranks > 800 ? " (each bar is the mean of neighbouring ranks)" : ""}</figcaption>
      <Legend entries={layers.map((layer, i) => [layer.colour, i > 0 && i + 1 < layers.length && !/\bwait/.test(layer.name) ? `waiting: ${layer.name}` : layer.name] as const)} />
      {props.e.waits && !props.e.waits.measured && <p class="under">Waits are those of the run as it is played on a network that takes no time.</p>}
      <Canvas class="bars" label={`Bars of the time of each of ${ranks} ranks; the table below has the numbers`}
        draw={(drawing) => drawRanks(times, layers, most, drawing)} point={pick}
        onKey={(key) => key === "ArrowRight" ? (setAt(Math.min(ranks - 1, (at ?? -1) + 1)), true)
          : key === "ArrowLeft" ? (setAt(Math.max(0, (at ?? 1) - 1)), true) : false} />
      <p class="under hint" aria-live="polite">{at !== null && at < ranks ? textOfRank(times, at) : "point at a bar, or use ← and →, for its numbers"}</p>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>as a table</summary>
        {isOpen && <RankTable times={times} waits={waits} />}
      </details>
    </figure>
  );
}

function RankTable({ times, waits }: { times: RankTimes; waits: Efficiency["waits"] }): JSX.Element {
  const rows = useMemo(() => Array.from({ length: times.ranks }, (_, rank) => rank), [times]);
  const column = (title: string, value: (rank: number) => number): Column<number> => ({ title, value, unit: "s", text: (rank) => format.seconds(value(rank)), bar: true });
  const kinds = Object.entries(waits?.by_rank_and_kind_seconds ?? {});
  return (
    <Table id="ranks" caption="Time by rank" rows={rows} columns={[{ title: "rank", value: (rank) => rank }, column("computing", times.computing),
      column("waiting", (rank) => waits?.by_rank_seconds[rank] ?? 0), column("else inside MPI", times.other),
      ...(kinds.length > 1 ? kinds.map(([kind, list]) => column(kind, (rank) => list[rank] ?? 0)) : [])]} />
  );
}

export function CallTable(props: { id: string; caption: string; rows: CallRow[]; hasSites: boolean }): JSX.Element {
  const total = props.rows.reduce((sum, row) => sum + (row.is_start_or_end ? 0 : row.inside_mpi_ns.sum), 0);
  const hasSites = props.hasSites && props.rows.some((row) => row.site);
  const times: Column<CallRow>[] = [
      { title: "inside MPI", value: (r) => r.inside_mpi_ns.sum, unit: "ns", text: (r) => format.duration(r.inside_mpi_ns.sum), bar: (r) => !r.is_start_or_end },
      { title: "share", value: (r) => (r.is_start_or_end || total === 0 ? 0 : r.inside_mpi_ns.sum / total),
        text: (r) => (r.is_start_or_end || total === 0 ? "–" : format.percent(r.inside_mpi_ns.sum / total)) },
      { title: "most of a rank", value: (r) => r.inside_mpi_ns.most,
        unit: "ns", text: (r) => `${format.duration(r.inside_mpi_ns.most)} (rank ${r.inside_mpi_ns.most_rank})` }];
  return (
    <Table id={props.id} caption={props.caption} rows={props.rows} columns={[
      { title: "function", value: (r) => r.function },
      ...(hasSites ? [{ title: "where", value: (r: CallRow) => r.site?.text ?? "" }] : []),
      { title: "calls", value: (r) => r.calls.sum, text: (r) => format.count(r.calls.sum) },
      ...(props.rows.some((row) => row.inside_mpi_ns.sum > 0) ? times : []), // else it was recorded without
      { title: "bytes", value: (r) => r.bytes.sum, unit: "B", text: (r) => format.bytes(r.bytes.sum) }]} />
  );
}

const firstOf = (shown: number, all: number): string => (shown < all ? `, the first ${shown} of ${format.whole(all)}` : "");

function Waits(props: { waits: NonNullable<Efficiency["waits"]> }): JSX.Element {
  const { waits } = props;
  if (waits.causes.length + waits.states.length === 0) return <p class="under">No rank waits for another.</p>;
  return (
    <div class="columns wide">
      <Table id="causes" caption={`Whose fault it is: what made the others wait${firstOf(waits.causes.length, waits.causes_in_all)}`} rows={waits.causes} columns={[
        { title: "waiting", value: (c: Cause) => c.seconds, unit: "s", text: (c) => format.seconds(c.seconds), bar: true },
        { title: "of all", value: (c) => c.seconds / (waits.seconds || 1), text: (c) => format.percent(c.seconds / (waits.seconds || 1)) },
        { title: "rank", value: (c) => c.rank, text: (c) => (c.thread ? `${c.rank} thread ${c.thread}` : String(c.rank)) },
        { title: "was", value: (c) => `${c.what === "computation" ? "computing before" : "in"} ${c.function}${where(c.site?.text)}` }]} />
      <Table id="states" caption={`What ranks wait for${firstOf(waits.states.length, waits.states_in_all)}`} rows={waits.states} columns={[
        { title: "kind", value: (s: WaitState) => s.kind },
        { title: "sum", value: (s) => s.seconds, unit: "s", text: (s) => format.seconds(s.seconds), bar: true },
        { title: "waits", value: (s) => s.waits, text: (s) => format.count(s.waits) },
        { title: "worst rank", value: (s) => s.worst_rank },
        { title: "where", value: (s) => `${s.function}${where(s.site?.text)}` }]} />
    </div>
  );
}

// What no single rank is to blame for: other ranks in other passes, other places on other ranks, or when ranks wait.
function EvenedOut(props: { e: Efficiency }): JSX.Element {
  const { if_even_in_each_pass: turns, if_at_once: once, if_waited_later: later, if_even_in_all: sums, if_balanced } = props.e;
  const others = [...if_balanced.map((b) => b.balanced_runtime_seconds), ...[turns, once, later].flatMap((each) => (each ? [each.runtime_seconds] : []))];
  // As the command has it: where one place alone wins nearly as much, that is what to do.
  const all = sums && others.every((seconds) => seconds - sums.runtime_seconds >= 0.1 * sums.instead_of_seconds) ? sums : null;
  const wouldTake = (even: Even): JSX.Element =>
    <><b>{format.runtime(even.runtime_seconds)}</b> instead of {format.runtime(even.instead_of_seconds)} ({format.percent(even.won_share)} less)</>;
  const lines: [Even, JSX.Element][] = [];
  if (once) {
    lines.push([once, <p id="at-once">Ranks compute one after the other before {once.function}{where(once.site?.text)}: the run would
      take {wouldTake(once)}, if they did so at once.</p>]);
  }
  if (turns) {
    lines.push([turns, <p id="in-turns">Ranks are slow in turns: the run would take {wouldTake(turns)}, if in each pass all ranks computed equally long before {" "}
      {turns.function}{where(turns.site?.text)}; {turns.mostly_slowest_rank === undefined ? "which rank is slow changes from pass to pass" : `mostly rank ${turns.mostly_slowest_rank} is the slow one`}.</p>]);
  }
  if (later) {
    lines.push([later, <p id="later">The run would take {wouldTake(later)}, if {later.function}{where(later.site?.text)} came behind what ranks compute next, as far as
      that needs nothing of what arrives.</p>]);
  }
  lines.sort(([a], [b]) => a.runtime_seconds - b.runtime_seconds); // what wins most first, as the command has them
  return (
    <>
      {lines.map(([, line]) => line)}
      {all && <p id="in-all">The run would take {wouldTake(all)}, if all ranks computed {format.seconds(all.mean_seconds)} over the whole run.</p>}
    </>
  );
}

export function Time(props: { run: Run }): JSX.Element {
  const { run } = props;
  const e = run.efficiency;
  if (!hasTimes(run)) {
    return (
      <Section id="time" title="Where the time goes" lead="The recording has no times; rondo record --times histogram keeps them.">
        <CallTable id="sites" caption="Call sites" rows={run.sites} hasSites />
      </Section>
    );
  }
  return (
    <Section id="time" title="Where the time goes" lead={`${format.ranks(e.ranks)}, ${format.seconds(e.runtime_seconds)} without start-up. `
      + "Computation is the time between MPI calls."}>
      <div class="columns"><Factors e={e} /><ByRank e={e} /></div>
      {e.if_balanced.length > 0 && (
        <Table id="balanced" caption="What balancing would win" rows={e.if_balanced} columns={[
          { title: "the run would take", value: (b) => b.balanced_runtime_seconds, unit: "s", text: (b) => format.runtime(b.balanced_runtime_seconds) },
          { title: "instead of", value: (b) => b.instead_of_seconds, unit: "s", text: (b) => format.runtime(b.instead_of_seconds) },
          { title: "shorter by", value: (b) => b.won_share, text: (b) => format.percent(b.won_share) },
          { title: "if all ranks computed", value: (b) => b.mean_seconds, unit: "s", text: (b) => format.seconds(b.mean_seconds) },
          { title: "instead of up to", value: (b) => b.most_seconds, unit: "s", text: (b) => `${format.seconds(b.most_seconds)} (rank ${b.most_rank})` },
          { title: "before", value: (b) => `${b.function}${where(b.site?.text)}` }]} />
      )}
      <EvenedOut e={e} />
      <CallTable id="sites" caption="The worst places: call sites, sums over ranks" rows={run.sites} hasSites />
      {e.waits ? <Waits waits={e.waits} /> : <p class="remark">{e.why_no_waits}</p>}
      <details><summary>by function</summary><CallTable id="functions" caption="MPI functions, sums over ranks" rows={run.functions} hasSites={false} /></details>
    </Section>
  );
}
