// SPDX-License-Identifier: Apache-2.0
// A run's schedule, unfolded from the page's data (docs/formats/page.md): what each rank does, with messages and what
// is waited for by their numbers, so that playing it looks up nothing.
import { addValues } from "./columns";
import type { ColumnData, ScheduleData } from "./model";

export const kCompute = 0, kSend = 1, kReceive = 2, kProbe = 3, kPut = 4, kBegin = 6, kFinish = 7; // what is done
const kWait = 5, kEnd = 7; // kinds of steps that are no more than a part of it
export const kSynchronous = 1, kBuffered = 2; // modes
const kMostSteps = 1_000_000; // a file made up to hurt may say more

// An activity is a rank, or what goes on behind one: ranks come first. Of what is waited for, what[i] is by which step it was made.
export interface Schedule {
  ranks: number;
  from: Int32Array; to: Int32Array; // of each activity, in what follows
  kinds: Uint8Array; modes: Uint8Array; args: Int32Array; values: Float64Array; // message, put, activity or wait; ns or bytes
  waitFrom: Int32Array; waitKinds: Uint8Array; waitArgs: Int32Array; // by the number of a finish
  messages: number; bytes: Float64Array; isToSelf: Uint8Array; // by message
  puts: number;
}

function numbers(column: ColumnData): Int32Array {
  const list: number[] = [];
  addValues(column, kMostSteps, (value) => list.push(value));
  return Int32Array.from(list);
}

// The steps of one activity, while they are collected.
interface Steps { kinds: number[]; modes: number[]; args: number[]; values: number[]; waits: number[] }
const noSteps = (): Steps => ({ kinds: [], modes: [], args: [], values: [], waits: [] });

class Reader {
  private readonly columns: Int32Array[];
  private readonly computing: Int32Array[];
  private readonly sent: Map<number, number[]>[] = []; // of each rank: messages by receiver
  private readonly bytes: number[] = [];
  private readonly isToSelf: number[] = [];
  private readonly waitFrom = [0];
  private readonly waitKinds: number[] = [];
  private readonly waitArgs: number[] = [];
  private readonly behind: Steps[] = [];
  private puts = 0;

  constructor(private readonly data: ScheduleData) {
    this.columns = data.columns.map(numbers);
    this.computing = data.computing.map(({ which }) => numbers(which));
    for (let rank = 0; rank < data.of_rank.length; ++rank) this.sent.push(this.sendsOf(rank));
  }

  private sendsOf(rank: number): Map<number, number[]> {
    const { kinds, peers, bytes, of_rank } = this.data;
    const sent = new Map<number, number[]>();
    for (const code of this.columns[of_rank[rank]!] ?? []) {
      if ((kinds[code]! & 7) !== kSend) continue;
      const message = this.bytes.push(bytes[code]!) - 1;
      this.isToSelf.push(Number(peers[code] === 0));
      const list = sent.get(peers[code]!);
      if (list) list.push(message);
      else sent.set(peers[code]!, [message]);
    }
    return sent;
  }

  read(): Schedule {
    const ranks = this.data.of_rank.length;
    const steps = Array.from({ length: ranks }, (_, rank) => this.rank(rank, ranks)).concat(this.behind);
    const counts = steps.map(({ kinds }) => kinds.length);
    const from = new Int32Array(steps.length);
    for (let i = 1; i < from.length; ++i) from[i] = from[i - 1]! + counts[i - 1]!;
    const all = counts.reduce((sum, count) => sum + count, 0);
    const [kinds, modes, args, values] = [new Uint8Array(all), new Uint8Array(all), new Int32Array(all), new Float64Array(all)];
    steps.forEach((each, i) => {
      kinds.set(each.kinds, from[i]);
      modes.set(each.modes, from[i]);
      args.set(each.args, from[i]);
      values.set(each.values, from[i]);
    });
    return { ranks, from, to: from.map((first, i) => first + counts[i]!), kinds, modes, args, values, waitFrom: Int32Array.from(this.waitFrom),
      waitKinds: Uint8Array.from(this.waitKinds), waitArgs: Int32Array.from(this.waitArgs), messages: this.bytes.length,
      bytes: Float64Array.from(this.bytes), isToSelf: Uint8Array.from(this.isToSelf), puts: this.puts };
  }

  private rank(rank: number, ranks: number): Steps {
    const { kinds, peers, bytes, numbers: more, of_rank, computing, computing_of_rank } = this.data;
    const own = noSteps();
    const [ns, which] = [computing[computing_of_rank[rank]!]?.ns ?? [], this.computing[computing_of_rank[rank]!] ?? []];
    const sent = new Map<number, number>(); // how many to each receiver
    const next = new Map<number, number>(); // of each sender
    const made: [kind: number, arg: number][] = []; // requests
    let computed = 0;
    let steps = own;
    const put = (kind: number, arg: number, value: number, mode = 0): void => {
      steps.kinds.push(kind);
      steps.args.push(arg);
      steps.values.push(value);
      steps.modes.push(mode);
    };
    for (const code of this.columns[of_rank[rank]!] ?? []) {
      const [kind, mode, peer, number] = [kinds[code]! & 7, (kinds[code]! >> 3) & 3, peers[code]!, more[code]!];
      let request: [kind: number, arg: number] | undefined;
      if (kind === kCompute) put(kind, 0, ns[which[computed++]!] ?? 0);
      else if (kind === kWait) request = made[made.length - number];
      else if (kind === kSend) {
        const index = sent.get(peer) ?? 0;
        sent.set(peer, index + 1);
        made.push((request = [kind, this.sent[rank]!.get(peer)![index]!]));
      } else if (kind === kReceive || kind === kProbe) {
        const index = (next.get(peer) ?? 0) + number;
        if (kind === kReceive) next.set(peer, index + 1);
        made.push((request = [kind, this.sent[rank + peer]?.get(-peer)?.[index] ?? -1]));
      } else if (kind === kPut) made.push((request = [kind, this.puts++]));
      else if (kind === kBegin && steps === own) {
        const activity = ranks + this.behind.length;
        put(kind, activity, 0);
        made.push([kind, activity]);
        this.behind.push((steps = noSteps()));
      } else if (kind === kEnd) steps = own;
      if (request && kind !== kWait) put(kind, request[1], bytes[code]!, mode);
      if (request && (kind === kWait || kinds[code]! & 32)) steps.waits.push(...request);
      if (kinds[code]! & 64) {
        put(kFinish, this.waitFrom.length - 1, 0);
        for (let i = 0; i < steps.waits.length; i += 2) {
          this.waitKinds.push(steps.waits[i]!);
          this.waitArgs.push(steps.waits[i + 1]!);
        }
        steps.waits = [];
        this.waitFrom.push(this.waitKinds.length);
      }
    }
    return own;
  }
}

export const scheduleOf = (data: ScheduleData): Schedule => new Reader(data).read();
