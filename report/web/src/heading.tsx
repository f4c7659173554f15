// SPDX-License-Identifier: Apache-2.0
// What a reader sees first: which run, and the three sentences that matter, each a link to what shows it.
import type { ComponentChildren, JSX } from "preact";
import * as format from "./format";
import type { Ending, Numbers, Run } from "./model";
import { Figure, Words } from "./widgets";

interface Sentence { text: string; section: string }

function topologySentence(run: Run): Sentence {
  const t = run.topology;
  if (run.matrix.pairs === 0) return { text: "No rank sends a message to another.", section: "talk" };
  const explained = run.stats.data_density.total_bytes > 0 ? `${format.percent(t.bytes_explained)} of the bytes` : `${format.percent(t.messages_explained)} of the messages`;
  const collective = t.traffic.collective_bytes_not_counted;
  const share = collective / (run.stats.data_density.total_bytes + run.stats.collectives_against_point_to_point.collective_bytes);
  const rest = collective > 0 && share >= 0.1 ? ` Collective operations carry ${format.percent(share)} of all bytes beside them.` : "";
  const name = t.recognized || t.mixture.length > 0
    ? `The ranks form ${format.withArticle(t.topology)}, which explains ${explained} that they send each other.${rest}`
    : `Who talks to whom has no known form: ranks have ${t.degrees.least} to ${t.degrees.most} partners.`;
  return { text: name, section: "topology" };
}

// Where ranks waited for processors, that hides what they waited for in MPI.
function sharedProcessors(run: Run): string | null {
  const shared = run.info.shared_processors;
  const spans = run.info.ranks * run.info.span_ns;
  if (!shared) return run.info.waited_for_processor_ns >= 0.1 * spans ? "ranks waited for processors that others had" : null;
  if (shared.waited_for_processor_ns < 0.05 * spans) return null;
  return `${format.ranks(shared.ranks)} shared ${shared.processors} processor${shared.processors === 1 ? "" : "s"}`;
}

const kSigterm = 15; // which a launcher sends to the others when a rank has ended
const kToldHow = ["aborted", "fatal_error", "signal", "exited"]; // others were lost, most often as one of these ended the run

const unfinished = (run: Run): Ending[] => (run.info.endings ?? []).filter((ending) => ending.kind !== "finalized");
const endingText = ({ ranks, text }: Ending): string => `${ranks.length === 1 ? "rank" : "ranks"} ${format.ranges(Array.from(ranks))}: ${text}`;

// Ranks that stayed in a call when the run was ended, where that is most of what is not computation.
function stuck(run: Run, mpi: number): string | null {
  const inCalls = unfinished(run).filter((ending) => ending.in_call !== undefined && ending.in_call_ns !== undefined);
  const sum = (list: Ending[]): number => list.reduce((ns, ending) => ns + ending.in_call_ns! * ending.ranks.length, 0);
  if (inCalls.length === 0 || sum(inCalls) < 0.5e9 * mpi * run.efficiency.runtime_seconds * run.info.ranks) return null;
  const most = inCalls.reduce((a, b) => (sum([b]) > sum([a]) ? b : a));
  return `${format.ranks(most.ranks.length)} did not come back from ${most.in_call}`;
}

function timeSentence(run: Run): Sentence {
  const e = run.efficiency;
  if (!hasTimes(run)) return { text: "The recording has no times, so nobody knows where they went.", section: "time" };
  const mpi = 1 - e.parallel_efficiency;
  const factors: [string, number][] = [["the load is uneven: load balance is", e.load_balance]];
  if (e.serialisation_efficiency !== null) {
    factors.push(["ranks wait for each other: serialisation efficiency is", e.serialisation_efficiency]);
    if (e.transfer_efficiency !== null)
      factors.push(["MPI and the network take their time: transfer efficiency is", e.transfer_efficiency]);
  } else {
    factors.push(["ranks communicate: communication efficiency is", e.communication_efficiency]);
  }
  const [why, share] = factors.reduce((a, b) => (b[1] < a[1] ? b : a));
  const kept = stuck(run, mpi);
  if (kept) return { text: `${format.percent(mpi)} of all ranks' time is not computation, above all because ${kept}.`, section: "ended" };
  const shared = sharedProcessors(run);
  if (shared) return { text: `${format.percent(mpi)} of all ranks' time is not computation, above all because ${shared}.`, section: "time" };
  if (mpi < 0.0005) return { text: "All of the ranks' time is computation.", section: "time" };
  const because = mpi < 0.05 ? "" : `, above all because ${why} ${format.percent(share)}`;
  return { text: `${format.percent(mpi)} of all ranks' time is not computation${because}.`, section: "time" };
}

function actSentence(run: Run): Sentence {
  const e = run.efficiency;
  const ended = unfinished(run);
  const culprit = ended.find((ending) => kToldHow.includes(ending.kind) && !(ending.kind === "signal" && ending.detail === kSigterm)) ?? ended[0];
  if (!run.info.complete && culprit) return { text: `First to act on: the run did not end as it should; ${endingText(culprit)}.`, section: "ended" };
  const first = e.if_balanced[0];
  const worst = run.sites.find((row) => !row.is_start_or_end && row.inside_mpi_ns.sum > 0);
  const turns = e.if_even_in_each_pass;
  const once = e.if_at_once;
  const later = e.if_waited_later;
  const won = Math.max(...[first, turns, once, later].map((each) => each?.won_share ?? 0));
  const inTransfer = e.ideal_runtime_seconds === null ? 0 : 1 - e.ideal_runtime_seconds / e.runtime_seconds;
  if (worst && hasTimes(run) && sharedProcessors(run)) {
    return { text: "First to act on: record with a processor for each rank, since times inside MPI say little without; "
      + `most of that time is in ${worst.function}${where(worst.site?.text)}.`, section: "time" };
  }
  if (worst && hasTimes(run) && inTransfer >= 0.01 && inTransfer > won) {
    return { text: `First to act on: if MPI and the network took no time, the run would be ${format.percent(inTransfer)} shorter; `
      + `most time inside MPI is in ${worst.function}${where(worst.site?.text)}.`, section: "time" };
  }
  if (once && once.won_share === won) {
    return { text: `First to act on: ranks compute one after the other before ${once.function}${where(once.site?.text)}; `
      + `if they did so at once, the run would be ${format.percent(won)} shorter.`, section: "time" };
  }
  if (later && later.won_share === won) {
    return { text: `First to act on: if ${later.function}${where(later.site?.text)} came behind what ranks compute next, `
      + `the run would be ${format.percent(won)} shorter, as far as that needs nothing of what arrives.`, section: "time" };
  }
  if (turns && turns.won_share === won) {
    return { text: "First to act on: ranks are slow in turns; if in each pass all computed equally long before "
      + `${turns.function}${where(turns.site?.text)}, the run would be ${format.percent(won)} shorter.`, section: "time" };
  }
  if (first) {
    return { text: `First to act on: if all ranks computed alike before ${first.function}${where(first.site?.text)}, `
      + `the run would be ${format.percent(won)} shorter.`, section: "time" };
  }
  if (worst) {
    return { text: `Most time inside MPI is in ${worst.function}${where(worst.site?.text)}: `
      + `${format.duration(worst.inside_mpi_ns.sum)}, summed over ranks.`, section: "time" };
  }
  const advice = run.patterns?.patterns.find((pattern) => (pattern.advice ?? []).length > 0);
  if (advice) return { text: `To look at: ${advice.advice![0]}.`, section: "patterns" };
  return { text: "Nothing in it asks to be acted on.", section: "program" };
}

export const where = (site: string | undefined): string => (site ? ` in ${site}` : "");
const isPositive = (list: Numbers): boolean => {
  for (let i = 0; i < list.length; ++i) if (list[i]! > 0) return true;
  return false;
};
export const hasTimes = ({ efficiency: { by_rank: { useful_seconds = [], inside_mpi_seconds = [] } } }: Run): boolean =>
  isPositive(useful_seconds) || isPositive(inside_mpi_seconds);

function Fact(props: { name: string; children: ComponentChildren }): JSX.Element {
  return <div class="fact"><dt>{props.name}</dt><dd>{props.children}</dd></div>;
}

const kMostHosts = 4; // that are named

// The command is rank 0's: where ranks ran several programs, each is named.
function title({ info, name }: Run): string {
  const programs = (info.executables ?? []).map((each) => `${each.name} on ${each.ranks.length === 1 ? "rank" : "ranks"} ${format.ranges(Array.from(each.ranks))}`);
  return programs.length > 0 ? programs.join(", ") : info.command || name;
}

export function Heading(props: { run: Run }): JSX.Element {
  const { run } = props;
  const { info } = run;
  const bytes = run.stats.data_density.total_bytes + run.stats.collectives_against_point_to_point.collective_bytes;
  const cost = info.cost.share_of_run;
  const hosts = info.hosts ?? [];
  const names = hosts.slice(0, kMostHosts).map((each) => each.name).join(", ");
  const host = hosts.length > kMostHosts ? ` on ${hosts.length} hosts: ${names}, …` : hosts.length > 0 ? ` on ${names}` : "";
  return (
    <header>
      <h1>{title(run)}</h1>
      <dl class="facts">
        <Fact name="ranks"><Figure of="info.ranks" value={info.ranks} text={format.whole(info.ranks)} />{host}</Fact>
        <Fact name="time">{info.span_ns > 0 ? <Figure of="info.span_ns" value={info.span_ns} text={format.duration(info.span_ns)} /> : "unknown"}</Fact>
        <Fact name="calls"><Figure of="info.calls" value={info.calls} text={format.count(info.calls)} /></Fact>
        <Fact name="handed to MPI">
          <Figure of="stats.data_density.total_bytes + stats.collectives_against_point_to_point.collective_bytes" value={bytes} text={format.bytes(bytes)} />
        </Fact>
        {info.mpi !== "" && <Fact name="MPI">{info.mpi}</Fact>}
        <Fact name="recording">{info.complete ? "complete" : "not complete"}</Fact>
        <Fact name="cost of recording">
          {cost > 0 ? <><Figure of="info.cost.share_of_run" value={cost} text={format.percent(cost)} /> of the run</> : "unknown"}
        </Fact>
      </dl>
      {!info.complete && <Incomplete run={run} />}
      <ol class="sentences">
        {[topologySentence(run), timeSentence(run), actSentence(run)].map((s) => <li key={s.text}><a href={`#${s.section}`}>{s.text}</a></li>)}
      </ol>
      {[...(info.complete ? [info.notes] : []), ...run.efficiency.doubts, ...run.loss, ...run.left_out].filter((text) => text !== "").map((text) => <p key={text} class="remark"><Words text={text} /></p>)}
    </header>
  );
}

const kMostEndings = 8;

function Incomplete(props: { run: Run }): JSX.Element {
  const { info } = props.run;
  const endings = unfinished(props.run);
  return (
    <div class="warning" role="note" id="ended">
      <strong>The recording is not complete.</strong> {info.notes}
      <ul>
        {endings.slice(0, kMostEndings).map((ending, i) => <li key={i}>{endingText(ending)}</li>)}
        {endings.length > kMostEndings && <li>and {endings.length - kMostEndings} more groups of ranks: rondo info lists them</li>}
      </ul>
    </div>
  );
}
