// SPDX-License-Identifier: Apache-2.0
// Plays a run without time stamps: no message comes before it was sent, no collective operation ends
// before those have come whom it waits for. Each rank keeps to its schedule of mean times; one that is
// late catches up where it would have waited, for its means have such waits in them.
import { callIn, type Dependences, kAll, kEarlier, kRoot, lowerBound } from "./dependences";
import { beginsWithInit, type Track } from "./unfold";

export type Tracks = (Track | undefined)[];

// Ranks leave MPI_Init together, having entered it one after the other: no time before it is known of them.
export function alignStarts(tracks: Tracks, functions: string[]): void {
  const first = tracks.map((track) => (track && track.ends.length > 0 && beginsWithInit(track, functions) ? track.ends[0]! : null));
  const last = first.reduce((most: number, end) => Math.max(most, end ?? 0), 0);
  tracks.forEach((track, rank) => {
    const own = first[rank];
    if (!track || own === null || own === undefined) return;
    for (let i = 0; i < track.ends.length; ++i) {
      track.starts[i]! += last - own;
      track.ends[i]! += last - own;
    }
    track.gaps[0]! += last - own;
  });
}

// Moves the calls of tracks that were not measured.
// @return how many calls ended without what they need, as all ranks would have waited for good
export function play(tracks: Tracks, all: Dependences): number {
  return new Player(tracks, all).run();
}

const kNotCome = NaN;

// Each rank runs until it has to wait for one that has not come so far, and again when that one has. Runs of 10^6 messages are
// played while a reader looks, so that nothing here is looked for or allocated for each call.
class Player {
  private readonly next: Int32Array; // call of each rank
  private readonly begun: Int32Array; // calls of each rank whose start is known
  private readonly schedule: Float64Array[]; // when calls would end by their means alone
  private readonly receipt: Int32Array; // the first of each rank that has not come
  private readonly part: Int32Array; // likewise, in operations
  private readonly comings: { calls: Int32Array; operations: Int32Array }[]; // of each rank to operations, ascending
  private readonly coming: Int32Array; // the next of them
  private readonly missing: Int32Array; // ranks that have not come to an operation
  private readonly latest: Float64Array; // when the last so far came to it
  private waiters: number[][]; // by the rank they wait for: its call, who waits, ...
  private atOperation = new Map<number, number[]>(); // ranks that wait for all
  private ready: number[] = [];

  constructor(private readonly tracks: Tracks, private readonly all: Dependences) {
    const ranks = tracks.length;
    [this.next, this.begun, this.receipt, this.part, this.coming] = Array.from({ length: 5 }, () => new Int32Array(ranks)) as
      [Int32Array, Int32Array, Int32Array, Int32Array, Int32Array];
    this.schedule = tracks.map((track) => track?.ends.slice() ?? new Float64Array());
    this.waiters = tracks.map(() => []);
    this.missing = new Int32Array(all.operations.length);
    this.latest = new Float64Array(all.operations.length);
    const pairs: [call: number, operation: number][][] = tracks.map(() => []);
    all.operations.forEach(({ ranks: members, calls }, operation) => members.forEach((rank, i) => {
      if (calls[i]! >= (tracks[rank]?.starts.length ?? 0)) return; // its track is cut
      pairs[rank]!.push([calls[i]!, operation]);
      ++this.missing[operation]!;
    }));
    this.comings = pairs.map((list) => {
      list.sort((a, b) => a[0] - b[0]);
      return { calls: Int32Array.from(list, ([call]) => call), operations: Int32Array.from(list, ([, operation]) => operation) };
    });
  }

  run(): number {
    let broken = 0;
    this.ready = Array.from(this.tracks.keys()).reverse();
    for (;;) {
      while (this.ready.length > 0) this.goOn(this.ready.pop()!, false);
      const stuck = this.tracks.findIndex((track, rank) => track && this.next[rank]! < track.starts.length);
      if (stuck < 0) return broken;
      ++broken; // lost messages, or a recording that was cut short
      this.waiters = this.tracks.map(() => []);
      this.atOperation = new Map();
      this.ready = Array.from(this.tracks.keys()).filter((rank) => rank !== stuck);
      this.goOn(stuck, true);
    }
  }

  // Until the rank has to wait for one that has not come so far.
  private goOn(rank: number, isForced: boolean): void {
    const [track, mine] = [this.tracks[rank], this.all.ranks[rank]];
    if (!track) return;
    const { starts, ends, gaps, least } = track;
    const schedule = this.schedule[rank]!;
    const count = starts.length;
    let call = this.next[rank]!;
    for (; call < count; ++call) {
      if (this.begun[rank] === call) {
        starts[call] = (call > 0 ? ends[call - 1]! : 0) + gaps[call]!;
        this.begin(rank, call);
      }
      const inside = schedule[call]! - (call > 0 ? schedule[call - 1]! : 0) - gaps[call]!;
      ends[call] = starts[call]! + inside;
      if (!mine || (mine.receiptCalls[this.receipt[rank]!] !== call && mine.partCalls[this.part[rank]!] !== call)) continue;
      const others = this.whenOthersCame(rank, call, isForced);
      if (Number.isNaN(others)) break;
      isForced = false;
      ends[call] = Math.max(starts[call]! + Math.min(inside, least[call]!), schedule[call]!, others);
    }
    this.next[rank] = call;
  }

  private begin(rank: number, call: number): void {
    this.begun[rank] = call + 1;
    const waiting = this.waiters[rank]!;
    if (waiting.length > 0) this.wake(waiting, call);
    const { calls, operations } = this.comings[rank]!;
    for (; calls[this.coming[rank]!] === call; ++this.coming[rank]!) {
      const operation = operations[this.coming[rank]!]!;
      this.latest[operation] = Math.max(this.latest[operation]!, this.tracks[rank]!.starts[call]!);
      if (--this.missing[operation]! > 0) continue;
      for (const waiter of this.atOperation.get(operation) ?? []) this.ready.push(waiter);
      this.atOperation.delete(operation);
    }
  }

  private wake(waiting: number[], call: number): void {
    let kept = 0;
    for (let i = 0; i < waiting.length; i += 2) {
      if (waiting[i]! <= call) {
        this.ready.push(waiting[i + 1]!);
        continue;
      }
      waiting[kept] = waiting[i]!;
      waiting[kept + 1] = waiting[i + 1]!;
      kept += 2;
    }
    waiting.length = kept;
  }

  // When another rank came to a call; not yet: the one that needs it is told then.
  private whenCame(other: number, needed: number, rank: number, isForced: boolean): number {
    const track = this.tracks[other];
    if (other === rank || !track || needed < 0 || needed >= track.starts.length) return -Infinity;
    if (needed < this.begun[other]!) return track.starts[needed]!;
    if (isForced) return -Infinity;
    this.waiters[other]!.push(needed, rank);
    return kNotCome;
  }

  // When the last came whom a call waits for.
  private whenOthersCame(rank: number, call: number, isForced: boolean): number {
    const { receiptCalls, senders, sent, partCalls, operations, waitsFor, roots } = this.all.ranks[rank]!;
    let late = -Infinity;
    let receipt = this.receipt[rank]!;
    for (; receiptCalls[receipt] === call; ++receipt) {
      const came = this.whenCame(senders[receipt]!, sent[receipt]!, rank, isForced);
      if (Number.isNaN(came)) return kNotCome;
      if (came > late) late = came;
    }
    let part = this.part[rank]!;
    for (; partCalls[part] === call; ++part) {
      const number = operations[part]!;
      if (waitsFor[part] === kAll) {
        if (this.missing[number]! > 0 && !isForced) {
          const list = this.atOperation.get(number);
          if (list) list.push(rank);
          else this.atOperation.set(number, [rank]);
          return kNotCome;
        }
        late = Math.max(late, this.latest[number]!);
        continue;
      }
      for (const [other, needed] of someOf(this.all, waitsFor[part]!, number, rank, roots[part]!)) {
        const came = this.whenCame(other, needed, rank, isForced);
        if (Number.isNaN(came)) return kNotCome;
        if (came > late) late = came;
      }
    }
    this.receipt[rank] = receipt;
    this.part[rank] = part;
    return late;
  }
}

// Those for whom a rank waits in an operation that is not for all: the root, or ranks before it.
function someOf(all: Dependences, waitsFor: number, number: number, rank: number, root: number): [rank: number, call: number][] {
  const operation = all.operations[number]!;
  if (waitsFor === kRoot) {
    const call = callIn(operation, root);
    return call === undefined ? [] : [[root, call]];
  }
  if (waitsFor !== kEarlier) return [];
  const before = lowerBound(operation.ranks, rank);
  return operation.ranks.slice(0, before).map((other, i) => [other, operation.calls[i]!]);
}

export interface Stretch { rank: number; from: number; to: number } // ns
export interface Path { stretches: Stretch[]; hops: number; computing: number; whole: number; isCut: boolean }

const kMostStretches = 20_000;

// From the end of the last rank back to where a rank has left MPI_Init: where a call waited, on to the rank that it waited for.
export function criticalPath(tracks: Tracks, all: Dependences, functions: string[]): Path {
  const lasts = new Lasts(tracks, all);
  const endOf = (track: Track | undefined): number => track?.ends[track.ends.length - 1] ?? -Infinity;
  let rank = tracks.reduce((best, track, i) => (endOf(track) > endOf(tracks[best]) ? i : best), 0);
  const path: Path = { stretches: [], hops: 0, computing: 0, whole: 0, isCut: false };
  const end = endOf(tracks[rank]);
  if (end === -Infinity) return path;
  let to = end;
  const first = tracks.map((track) => Number(track !== undefined && beginsWithInit(track, functions)));
  for (let call = tracks[rank]!.ends.length - 1; call >= first[rank]! && path.hops < 1e6; --call) { // clocks of hosts may make circles
    const last = lasts.of(rank, call);
    if (last && last.start > tracks[rank]!.starts[call]! && last.start <= to) {
      if (path.stretches.length >= kMostStretches) path.isCut = true;
      else path.stretches.push({ rank, from: last.start, to });
      ++path.hops;
      [rank, call, to] = [last.rank, last.call, last.start];
    }
    if (call > 0) path.computing += tracks[rank]!.gaps[call]!;
  }
  const start = Math.min(to, first[rank] === 1 ? tracks[rank]!.ends[0]! : tracks[rank]!.starts[0]!);
  path.stretches.push({ rank, from: start, to });
  path.whole = end - start;
  return path;
}

interface Coming { rank: number; call: number; start: number }

// Who came last of those that a call waits for.
class Lasts {
  private readonly known = new Map<number, Coming | null>(); // of operations that are for all
  constructor(private readonly tracks: Tracks, private readonly all: Dependences) {}

  of(rank: number, call: number): Coming | null {
    const mine = this.all.ranks[rank];
    let last: Coming | null = null;
    const take = (other: number, needed: number): void => {
      const start = this.tracks[other]?.starts[needed];
      if (start !== undefined && (!last || start > last.start)) last = { rank: other, call: needed, start };
    };
    if (!mine) return last;
    for (let i = lowerBound(mine.receiptCalls, call); mine.receiptCalls[i] === call; ++i) take(mine.senders[i]!, mine.sent[i]!);
    for (let i = lowerBound(mine.partCalls, call); mine.partCalls[i] === call; ++i) {
      const number = mine.operations[i]!;
      if (mine.waitsFor[i] === kAll) {
        const of = this.ofAll(number);
        if (of) take(of.rank, of.call);
      }
      for (const [other, needed] of someOf(this.all, mine.waitsFor[i]!, number, rank, mine.roots[i]!)) take(other, needed);
    }
    return last;
  }

  private ofAll(number: number): Coming | null {
    const known = this.known.get(number);
    if (known !== undefined) return known;
    let last: Coming | null = null;
    this.all.operations[number]!.ranks.forEach((rank, i) => {
      const call = this.all.operations[number]!.calls[i]!;
      const start = this.tracks[rank]?.starts[call];
      if (start !== undefined && (!last || start > last.start)) last = { rank, call, start };
    });
    this.known.set(number, last);
    return last;
  }
}

export interface Arrow { from: number; to: number; sent: number; received: number } // ranks, ns

// Messages between ranks that are at least in part in a stretch of time; null: more than `most`.
export function arrowsIn(tracks: Tracks, all: Dependences, ranks: number[], from: number, to: number, most: number): Arrow[] | null {
  const isShown = new Set(ranks);
  const arrows: Arrow[] = [];
  for (const rank of ranks) {
    const [track, mine] = [tracks[rank], all.ranks[rank]];
    if (!track || !mine) continue;
    let first = lowerBound(track.ends, from);
    for (let i = lowerBound(mine.receiptCalls, first); i < mine.receiptCalls.length; ++i) {
      const call = mine.receiptCalls[i]!;
      if (track.starts[call] === undefined || track.starts[call]! > to + (to - from)) break; // long under way: left out
      const sent = tracks[mine.senders[i]!]?.starts[mine.sent[i]!];
      if (sent === undefined || sent > to || !isShown.has(mine.senders[i]!)) continue;
      arrows.push({ from: mine.senders[i]!, to: rank, sent, received: track.ends[call]! });
      if (arrows.length > most) return null;
    }
  }
  return arrows;
}
