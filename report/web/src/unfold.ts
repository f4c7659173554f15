// SPDX-License-Identifier: Apache-2.0
// Unfolds a rank's calls from the folded program, with when each began: from time stamps if the
// recording has them, else by letting each call last as long as it does on average at its place.
import { symbolsOf } from "./columns";
import type { ClassData, Folded } from "./model";

export interface Track {
  starts: Float64Array; ends: Float64Array; symbols: Int32Array; // of each call, in ns since MPI_Init was entered
  gaps: Float64Array; // before each call, since the one before
  least: Float64Array; // that a call at its place takes
  calls: [number, number][]; // symbol -> function, site
  isMeasured: boolean;
  isCut: boolean; // the rank has more calls
}

export const kMostCalls = 400_000; // that are unfolded of a rank

// Which place's times a call has, by the call before it.
class Places {
  private readonly exact = new Map<number, number>();
  private readonly other = new Map<number, number>(); // by call alone
  constructor(private readonly of: ClassData) {
    of.places.forEach(([before, call], i) => {
      this.exact.set(before * 0x100000 + call, i);
      if (before === -2 || !this.other.has(call)) this.other.set(call, i);
    });
  }
  index(before: number, call: number): number | undefined {
    return this.exact.get(before * 0x100000 + call) ?? this.other.get(call);
  }
  times(place: number | undefined, position: number): [gap: number, inside: number, least: number] {
    if (place === undefined) return [0, 0, 0];
    const { computation_ns, inside_ns, places } = this.of;
    const [, , gap, inside, least] = places[place]!;
    if (computation_ns && inside_ns) return [computation_ns[place]![position] ?? 0, inside_ns[place]![position] ?? 0, least];
    return [gap, inside, least];
  }
}

export function positionIn(of: ClassData, rank: number): number {
  let before = 0;
  for (let i = 0; i + 1 < of.ranks.length; i += 2) {
    const [first, count] = [of.ranks[i]!, of.ranks[i + 1]!];
    if (rank >= first && rank < first + count) return before + rank - first;
    before += count;
  }
  return -1;
}

// The ranks of a class from `first` to before `end`.
function ranksBetween(of: ClassData, first: number, end: number): { count: number; at: (i: number) => number } {
  const pieces: [number, number][] = [];
  let count = 0;
  for (let i = 0; i + 1 < of.ranks.length; i += 2) {
    const [low, high] = [Math.max(first, of.ranks[i]!), Math.min(end, of.ranks[i]! + of.ranks[i + 1]!)];
    if (high <= low) continue;
    pieces.push([low, high - low]);
    count += high - low;
  }
  const at = (i: number): number => {
    for (const [low, size] of pieces) {
      if (i < size) return low + i;
      i -= size;
    }
    return -1;
  };
  return { count, at };
}

// Columns of calls of which nobody knows how many there will be; arrays of JavaScript would take several times the memory.
class GrowingCalls {
  private times = [0, 1, 2, 3].map(() => new Float64Array(1024)); // starts, ends, gaps, least
  private symbols = new Int32Array(1024);

  set(i: number, symbol: number, ...times: number[]): void {
    if (i === this.symbols.length) this.grow();
    this.symbols[i] = symbol;
    for (let k = 0; k < 4; ++k) this.times[k]![i] = times[k]!;
  }

  private grow(): void {
    const size = 2 * this.symbols.length;
    const symbols = new Int32Array(size);
    symbols.set(this.symbols);
    this.symbols = symbols;
    this.times = this.times.map((list) => {
      const larger = new Float64Array(size);
      larger.set(list);
      return larger;
    });
  }

  first(count: number): Pick<Track, "starts" | "ends" | "gaps" | "least" | "symbols"> {
    const [starts, ends, gaps, least] = this.times.map((list) => list.slice(0, count)) as [Float64Array, Float64Array, Float64Array, Float64Array];
    return { starts, ends, gaps, least, symbols: this.symbols.slice(0, count) };
  }
}

export class Unfolder {
  private readonly places = new Map<ClassData, Places>();
  private readonly tracks = new Map<number, Track>();
  // Tracks that are moved afterwards cannot be shared.
  constructor(private readonly program: Folded, private readonly sharesTracks: boolean) {}

  // Undefined for a rank of which there is nothing.
  track(rank: number): Track | undefined {
    const known = this.tracks.get(rank);
    if (known) return known;
    const of = this.program.classes.find((each) => positionIn(each, rank) >= 0);
    if (!of) return undefined;
    if (this.isShared(of)) return this.shared(of, rank);
    if (this.tracks.size >= 256) this.tracks.clear(); // memory stays bounded
    const track = this.unfold(of, rank);
    this.tracks.set(rank, track);
    return track;
  }

  // Tracks of ranks that follow each other, each with how many it stands for: for itself, for all of a
  // class that nothing tells apart, or, of more than `most` of a class, for its share.
  tracksOf(first: number, count: number, most: number): [Track, number][] {
    const result: [Track, number][] = [];
    for (const of of this.program.classes) {
      const mine = ranksBetween(of, first, first + count);
      const wanted = Math.min(mine.count, this.isShared(of) ? 1 : most);
      for (let i = 0; i < wanted; ++i) result.push([this.track(mine.at(Math.floor((i * mine.count) / wanted)))!, mine.count / wanted]);
    }
    return result;
  }

  private isShared(of: ClassData): boolean {
    return this.sharesTracks && !of.inside_ns && (this.program.stamps ?? []).length === 0;
  }

  private readonly ofClass = new Map<ClassData, Track>();
  private shared(of: ClassData, rank: number): Track {
    const known = this.ofClass.get(of);
    if (known) return known;
    const track = this.unfold(of, rank);
    this.ofClass.set(of, track);
    return track;
  }

  private unfold(of: ClassData, rank: number): Track {
    const stamps = this.program.stamps?.find((each) => each.rank === rank);
    if (!this.places.has(of)) this.places.set(of, new Places(of));
    const places = this.places.get(of)!;
    const position = positionIn(of, rank);
    const calls = new GrowingCalls();
    let [end, before, i] = [stamps?.begins_ns ?? 0, -1, 0]; // ranks enter MPI_Init one after the other
    let isCut = false;
    for (const symbol of symbolsOf(of.nest)) {
      if (i >= kMostCalls || (stamps && i >= stamps.gaps_ns.length)) {
        isCut = true;
        break;
      }
      const [gap, inside, least] = stamps ? [stamps.gaps_ns[i]!, stamps.inside_ns[i]!, 0] : places.times(places.index(before, symbol), position);
      calls.set(i++, symbol, end + gap, end + gap + inside, gap, least);
      end += gap + inside;
      before = symbol;
    }
    return { ...calls.first(i), calls: of.calls, isMeasured: stamps !== undefined, isCut };
  }
}

export function beginsWithInit(track: Track, functions: string[]): boolean {
  return track.symbols.length > 0 && /^MPI_Init/.test(functions[track.calls[track.symbols[0]!]![0]]!);
}

// The first call that ends behind a time.
export function firstBehind(track: Track, time: number): number {
  let [low, high] = [0, track.ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (track.ends[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const kGroups = ["send", "receive", "wait", "collective", "other"] as const;

export function groupOf(name: string): number {
  if (/^MPI_(I?[bsr]?send|Psend|Start|Put|.*send_init)/i.test(name) && !/sendrecv/i.test(name)) return 0;
  if (/recv|probe|MPI_Get$/i.test(name)) return 1;
  if (/wait|test/i.test(name)) return 2;
  if (/bcast|reduce|gather|scatter|alltoall|barrier|scan|neighbor/i.test(name)) return 3;
  return 4;
}

export interface Row { groups: Uint8Array; shares: Uint8Array } // of each pixel: the group with most time, and 255 * share inside MPI

// Adds the time that a track spends in each group, by pixel, `weight` times.
export function addTime(time: Float64Array, track: Track, groups: Uint8Array, from: number, to: number, width: number, weight: number,
  isLit: Uint8Array | null): void {
  const step = (to - from) / width;
  for (let i = firstBehind(track, from); i < track.starts.length && track.starts[i]! < to; ++i) {
    if (isLit && isLit[track.symbols[i]!] === 0) continue;
    const group = groups[track.calls[track.symbols[i]!]![0]]!;
    const [start, end] = [Math.max(0, track.starts[i]! - from), Math.min(to - from, track.ends[i]! - from)];
    const last = Math.min(width - 1, Math.floor(end / step));
    for (let pixel = Math.min(width - 1, Math.floor(start / step)); pixel <= last; ++pixel)
      time[pixel * kGroups.length + group]! += weight * Math.max(0, Math.min(end, (pixel + 1) * step) - Math.max(start, pixel * step));
  }
}

export function rowFrom(time: Float64Array, whole: number, width: number): Row {
  const row: Row = { groups: new Uint8Array(width), shares: new Uint8Array(width) };
  for (let pixel = 0; pixel < width; ++pixel) {
    let [sum, most] = [0, 0];
    for (let group = 0; group < kGroups.length; ++group) {
      const of = time[pixel * kGroups.length + group]!;
      sum += of;
      if (of > most) [most, row.groups[pixel]] = [of, group];
    }
    row.shares[pixel] = Math.round(255 * Math.min(1, sum / whole));
  }
  return row;
}
