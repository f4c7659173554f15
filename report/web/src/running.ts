// SPDX-License-Identifier: Apache-2.0
// A run in time: its calls unfolded and played when somebody looks, binned by pixels, and the messages of its calls.
import { type Dependences, dependencesOf } from "./dependences";
import type { Folded } from "./model";
import type { IsLit } from "./pairs";
import { alignStarts, arrowsIn, criticalPath, type Path, play, type Tracks } from "./play";
import type { CallFacts, Calls, QuestionOf, Rows, Traffic, WantedLine } from "./protocol";
import { addTime, beginsWithInit, firstBehind, groupOf, kGroups, type Row, rowFrom, type Track, Unfolder } from "./unfold";

const kMostArrows = 1500;
const kMostListed = 2000; // calls
const kOfARow = 8; // different tracks that are unfolded for a row of many ranks

// All tracks of a run with dependences.
interface Played { all: Dependences; tracks: Tracks; path: Path | null; isPlayed: boolean; broken: number }

function played(program: Folded, unfolder: Unfolder): Played | null {
  if (!program.dependences.columns) return null;
  const all = dependencesOf(program.dependences);
  const tracks = all.ranks.map((_, rank) => unfolder.track(rank));
  const isPlayed = tracks.every((track) => !track?.isMeasured);
  if (isPlayed) alignStarts(tracks, program.functions);
  const broken = isPlayed ? play(tracks, all) : 0;
  return { all, tracks, isPlayed, broken, path: criticalPath(tracks, all, program.functions) };
}

export interface Lit { isLit: IsLit; traffic: Traffic }

export class Running {
  private readonly unfolder: Unfolder;
  private readonly groups: Uint8Array;
  private known: Played | null | undefined; // of large runs it takes a while

  constructor(private readonly program: Folded) {
    this.unfolder = new Unfolder(program, !program.dependences.columns);
    this.groups = Uint8Array.from(program.functions, groupOf);
  }

  private get played(): Played | null {
    if (this.known === undefined) this.known = played(this.program, this.unfolder);
    return this.known;
  }

  // Behind MPI_Init, which takes longer than all of a short run.
  private startOf(track: Track): number {
    if (track.ends.length === 0) return 0;
    return beginsWithInit(track, this.program.functions) ? track.ends[0]! : track.starts[0]!;
  }

  rows(question: QuestionOf<"rows">): Rows {
    const { width, line } = question;
    const run = this.played; // which moves tracks
    const chosen = question.rows.map(([first, count]) => this.unfolder.tracksOf(first, count, kOfARow));
    const tracks = chosen.flatMap((list) => list.map(([track]) => track));
    let [start, end] = [Infinity, 0];
    for (const track of tracks) {
      start = Math.min(start, this.startOf(track));
      end = Math.max(end, track.ends[track.ends.length - 1] ?? 0);
    }
    if (start >= end) start = 0;
    const [from, to] = question.to > 0 ? [question.from, question.to] : [start, end || 1]; // else all of it
    const known = new Map<Track, Float64Array>();
    const isSingle = question.rows.every(([, count]) => count === 1);
    const arrows = run && isSingle ? arrowsIn(run.tracks, run.all, question.rows.map(([first]) => first), from, to, kMostArrows) : [];
    return { from, to, width, start, end, arrows, path: run?.path ?? null, isPlayed: run?.isPlayed ?? false, broken: run?.broken ?? 0,
      isMeasured: tracks.every((track) => track.isMeasured), isCut: tracks.some((track) => track.isCut),
      isSampled: chosen.some((list) => list.length === kOfARow),
      whyNoArrows: run ? (isSingle ? "" : "rows are of several ranks") : this.program.dependences.why_not ?? "",
      rows: chosen.map((list) => (list.length > 0 ? this.rowOf(list, { from, to, width, line }, known) : null)) };
  }

  // @param known  of tracks that other rows have, too, as those of ranks that nothing tells apart
  private rowOf(list: [Track, number][], { from, to, width, line }: Pick<QuestionOf<"rows">, "from" | "to" | "width" | "line">, known: Map<Track, Float64Array>): Row {
    const time = new Float64Array(width * kGroups.length);
    let ranks = 0;
    for (const [track, weight] of list) {
      let own = known.get(track);
      if (!own) {
        known.set(track, (own = new Float64Array(time.length)));
        addTime(own, track, this.groups, from, to, width, 1, line && this.symbolsOf(track.calls, line));
      }
      for (let i = 0; i < time.length; ++i) time[i]! += weight * own[i]!;
      ranks += weight;
    }
    return rowFrom(time, ((to - from) / width) * ranks, width);
  }

  private litLine = "";
  private litSymbols = new Map<[number, number][], Uint8Array>(); // by the calls of a class
  private lit: Lit | null = null;

  private forgetOther(line: WantedLine): void {
    const key = JSON.stringify(line);
    if (key !== this.litLine) [this.litSymbols, this.lit, this.litLine] = [new Map(), null, key];
  }

  // Which calls of a class are those of a line.
  private symbolsOf(calls: [number, number][], line: WantedLine): Uint8Array {
    this.forgetOther(line);
    const known = this.litSymbols.get(calls);
    if (known) return known;
    const isThere = Uint8Array.from(calls, ([name, site]) => Number(this.program.functions[name]!.toLowerCase() === line.functionName
      && (line.sites.length === 0 || line.sites.includes(this.program.sites[site]!))));
    this.litSymbols.set(calls, isThere);
    return isThere;
  }

  // Messages that a line sends, or that end with it.
  litBy(line: WantedLine): Lit {
    this.forgetOther(line);
    return (this.lit ??= this.trafficOf(line));
  }

  private trafficOf(line: WantedLine): Lit {
    const run = this.played;
    const ranks = run?.tracks.length ?? 0;
    const pairs = new Set<number>();
    let [messages, calls] = [0, 0];
    for (const of of this.program.classes) calls += this.symbolsOf(of.calls, line).reduce((sum, is) => sum + is, 0);
    const isOfLine = (rank: number, call: number): boolean => {
      const track = run!.tracks[rank];
      return track !== undefined && this.symbolsOf(track.calls, line)[track.symbols[call]!] === 1;
    };
    run?.all.ranks.forEach((mine, rank) => mine.receiptCalls.forEach((call, i) => {
      if (!isOfLine(rank, call) && !isOfLine(mine.senders[i]!, mine.sent[i]!)) return;
      ++messages;
      pairs.add(mine.senders[i]! * ranks + rank);
    }));
    return { isLit: (source, destination) => pairs.has(source * ranks + destination),
      traffic: { pairs: pairs.size, messages, calls, whyNot: run ? "" : this.program.dependences.why_not ?? "the page does not have them" } };
  }

  private factsOf(track: Track, i: number): CallFacts {
    const [name, site] = track.calls[track.symbols[i]!]!;
    return { name: this.program.functions[name]!, site: this.program.sites[site]!, start: track.starts[i]!, inside: track.ends[i]! - track.starts[i]!,
      before: track.starts[i]! - (i > 0 ? track.ends[i - 1]! : 0), index: i + 1 };
  }

  private trackOf(rank: number): Track | undefined {
    void this.played; // which moves tracks
    return this.unfolder.track(rank);
  }

  call({ rank, time }: QuestionOf<"call">): CallFacts | null {
    const track = this.trackOf(rank);
    const i = track ? firstBehind(track, time) : 0;
    return track && i < track.starts.length ? this.factsOf(track, i) : null;
  }

  // Those of one rank that are at least in part in a stretch of time.
  calls({ rank, from, to }: QuestionOf<"calls">): Calls {
    const track = this.trackOf(rank);
    const found: CallFacts[] = [];
    let i = track ? firstBehind(track, from) : 0;
    for (; track && i < track.starts.length && track.starts[i]! < to && found.length < kMostListed; ++i) found.push(this.factsOf(track, i));
    return { calls: found, isCut: track !== undefined && i < track.starts.length && track.starts[i]! < to };
  }
}
