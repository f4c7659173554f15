// SPDX-License-Identifier: Apache-2.0
// Plays a schedule on a network without contention, by the rules of `rondo simulate` (docs/simulate.md): messages meet receives,
// those above the threshold of the rendezvous ask first, and what is waited for ends in the order of its arrival.
import { kBegin, kBuffered, kCompute, kFinish, kProbe, kPut, kReceive, kSend, kSynchronous, type Schedule } from "./schedule";

export interface Network {
  latency: number; overhead: number; // s
  bandwidth: number; // bytes/s
  rendezvous: number; // bytes; Infinity: no message asks first
  computing: number; // factor
}
export interface Outcome {
  predicted: number; // s: the end of the last rank
  computing: number; communicating: number; waiting: number; // s of all ranks together
  stuck: number; // ranks that wait for ever
}

const kSent = 1, kPosted = 2, kAsks = 4, kReceived = 8, kLeft = 16; // of messages; kLeft: the sender goes on

export class Simulation {
  private readonly state: Uint8Array;
  private readonly start: Float64Array; // of messages: when their sender came to them
  private readonly first: Float64Array; // when the first byte, or the question, is there
  private readonly posted: Float64Array;
  private readonly left: Float64Array; // when the sender goes on
  private readonly putEnds: Float64Array;
  private readonly receiver: Int32Array; // that waits for a message, + 1; likewise
  private readonly sender: Int32Array;
  private readonly prober: Int32Array;
  private readonly owner: Int32Array; // of what goes on behind
  private readonly clock: Float64Array;
  private readonly next: Int32Array;
  private readonly pending: Int32Array;
  private readonly latest: Float64Array; // of what goes on behind: when whom it waited for last had come; -1: nobody
  private ready: number[] = [];
  private computing = 0;
  private waiting = 0;

  constructor(private readonly of: Schedule) {
    const [messages, activities] = [of.messages, of.from.length];
    this.state = new Uint8Array(messages);
    [this.start, this.first, this.posted, this.left] = Array.from({ length: 4 }, () => new Float64Array(messages)) as [Float64Array, Float64Array, Float64Array, Float64Array];
    [this.receiver, this.sender, this.prober] = Array.from({ length: 3 }, () => new Int32Array(messages)) as [Int32Array, Int32Array, Int32Array];
    this.putEnds = new Float64Array(of.puts);
    [this.clock, this.latest] = [new Float64Array(activities), new Float64Array(activities)];
    [this.owner, this.next, this.pending] = Array.from({ length: 3 }, () => new Int32Array(activities)) as [Int32Array, Int32Array, Int32Array];
  }

  play(network: Network): Outcome {
    const { ranks, from, to } = this.of;
    for (const list of [this.state, this.receiver, this.sender, this.prober, this.owner, this.clock, this.pending]) list.fill(0);
    this.latest.fill(-1);
    this.next.set(from);
    this.computing = this.waiting = 0;
    for (let rank = ranks - 1; rank >= 0; --rank) this.ready.push(rank);
    while (this.ready.length > 0) this.goOn(this.ready.pop()!, network);
    let [predicted, whole, stuck] = [0, 0, 0];
    for (let rank = 0; rank < ranks; ++rank) {
      predicted = Math.max(predicted, this.clock[rank]!);
      whole += this.clock[rank]!;
      if (this.next[rank]! < to[rank]!) ++stuck;
    }
    return { predicted, computing: this.computing, communicating: whole - this.computing - this.waiting, waiting: this.waiting, stuck };
  }

  // Until it has to wait for what others have not done yet.
  private goOn(activity: number, network: Network): void {
    const { kinds, modes, args, values, to, ranks } = this.of;
    const { overhead, latency, rendezvous } = network;
    const [perByte, perNs] = [1 / network.bandwidth, 1e-9 * network.computing];
    const end = to[activity]!;
    let clock = this.clock[activity]!;
    let i = this.next[activity]!;
    for (; i < end; ++i) {
      const arg = args[i]!;
      switch (kinds[i]!) {
        case kCompute: {
          const seconds = values[i]! * perNs;
          clock += seconds;
          this.computing += seconds;
          break;
        }
        case kSend: {
          this.start[arg] = clock;
          clock += overhead;
          this.first[arg] = clock + latency; // or the handshake, which takes as long
          this.left[arg] = clock;
          const asks = modes[i] === kSynchronous || (modes[i] !== kBuffered && values[i]! > rendezvous);
          this.state[arg]! |= kSent | (asks ? kAsks : kLeft);
          this.meet(arg, latency, perByte);
          if (this.prober[arg]! > 0) this.wake(this.prober[arg]! - 1);
          break;
        }
        case kReceive:
          if (arg < 0) break;
          this.posted[arg] = clock;
          this.state[arg]! |= kPosted;
          this.meet(arg, latency, perByte);
          break;
        case kPut:
          clock += overhead;
          this.putEnds[arg] = clock + (modes[i] === kSynchronous ? 2 : 1) * latency + values[i]! * perByte;
          break;
        case kBegin:
          this.clock[arg] = clock;
          this.ready.push(arg);
          break;
        case kFinish:
          if (this.mustWait(activity, arg)) {
            this.clock[activity] = clock;
            this.next[activity] = i;
            return;
          }
          clock = this.finish(activity, arg, clock, overhead, perByte);
      }
    }
    this.clock[activity] = clock;
    this.next[activity] = end;
    if (activity >= ranks && this.owner[activity]! > 0) this.wake(this.owner[activity]! - 1);
  }

  // What both have come to, and when it is there.
  private meet(message: number, latency: number, perByte: number): void {
    const state = this.state[message]!;
    if ((state & (kSent | kPosted)) !== (kSent | kPosted)) return;
    if (state & kAsks) {
      const goes = Math.max(this.first[message]!, this.posted[message]!) + latency;
      this.first[message] = goes + latency;
      this.left[message] = goes + this.of.bytes[message]! * perByte;
      this.state[message] = state | kLeft;
      if (this.sender[message]! > 0) this.wake(this.sender[message]! - 1);
    }
    if (this.receiver[message]! > 0) this.wake(this.receiver[message]! - 1);
  }

  private wake(activity: number): void {
    if (--this.pending[activity]! === 0) this.ready.push(activity);
  }

  private mustWait(activity: number, finish: number): boolean {
    const { waitFrom, waitKinds, waitArgs, to } = this.of;
    for (let k = waitFrom[finish]!; k < waitFrom[finish + 1]!; ++k) {
      const arg = waitArgs[k]!;
      const state = this.state[arg]!;
      let waiters: Int32Array | undefined;
      switch (waitKinds[k]!) {
        case kSend: if (!(state & kLeft)) waiters = this.sender; break;
        case kReceive: if ((state & (kSent | kPosted)) !== (kSent | kPosted)) waiters = this.receiver; break;
        case kProbe: if (!(state & kSent)) waiters = this.prober; break;
        case kBegin: if (this.next[arg]! < to[arg]!) waiters = this.owner;
      }
      if (!waiters) continue;
      waiters[arg] = activity + 1;
      ++this.pending[activity]!;
    }
    return this.pending[activity]! > 0;
  }

  private order: number[] = [];
  private ends: number[] = [];

  // When what is waited for is over, which ends in the order of its arrival.
  private finish(activity: number, finish: number, clock: number, overhead: number, perByte: number): number {
    const { waitFrom } = this.of;
    const [low, high] = [waitFrom[finish]!, waitFrom[finish + 1]!];
    if (high - low === 1) return this.complete(activity, low, this.endOf(low), clock, overhead, perByte);
    const { order, ends } = this;
    for (let k = low; k < high; ++k) { // few: sorted as they come
      const end = this.endOf(k);
      let at = k - low;
      for (; at > 0 && ends[at - 1]! > end; --at) {
        ends[at] = ends[at - 1]!;
        order[at] = order[at - 1]!;
      }
      ends[at] = end;
      order[at] = k;
    }
    for (let at = 0; at < high - low; ++at) clock = this.complete(activity, order[at]!, ends[at]!, clock, overhead, perByte);
    return clock;
  }

  private endOf(wait: number): number {
    const arg = this.of.waitArgs[wait]!;
    switch (this.of.waitKinds[wait]!) {
      case kSend: return this.left[arg]!;
      case kPut: return this.putEnds[arg]!;
      case kBegin: return this.clock[arg]!;
      default: return this.first[arg]!;
    }
  }

  private complete(activity: number, wait: number, end: number, clock: number, overhead: number, perByte: number): number {
    const [kind, arg] = [this.of.waitKinds[wait]!, this.of.waitArgs[wait]!];
    const before = clock;
    let costs = 0;
    if (kind === kReceive && !(this.state[arg]! & kReceived)) { // else it was only asked for, and has cost what it costs
      this.state[arg]! |= kReceived;
      end += this.of.bytes[arg]! * perByte;
      costs = overhead;
    }
    if (end > clock) clock = end;
    const other = this.otherCame(kind, arg);
    if (other >= 0 && activity >= this.of.ranks) this.latest[activity] = Math.max(this.latest[activity]!, other);
    else if (other >= 0) this.waiting += Math.max(0, Math.min(other - before, clock - before));
    return clock + costs;
  }

  // When the other side came to its part of what is over; -1: there is none, or it is this rank.
  private otherCame(kind: number, arg: number): number {
    if (kind === kPut) return -1;
    if (kind === kBegin) return this.latest[arg]!;
    if (this.of.isToSelf[arg]) return -1;
    if (kind !== kSend) return this.start[arg]!;
    return this.state[arg]! & kAsks ? this.posted[arg]! : -1;
  }
}
