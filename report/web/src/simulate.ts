// SPDX-License-Identifier: Apache-2.0
// Plays a schedule on a network without contention, by the rules of `rondo simulate` (docs/simulate.md): messages meet receives,
// those above the threshold of the rendezvous ask first, and what is waited for ends in the order of its arrival.
import { kBegins, kByActivity, kByLeft, kCosts, kMeets, kPosts, kPuts, kReceiver, kSender, kSends, kTakes, kThoseBehind, kWaits, type Order,
  orderOf } from "./order";
import { kSend, type Schedule } from "./schedule";

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

const kStart = 0, kFirst = 1, kPosted = 2, kLeft = 3; // times of a message: its sender came to it, its first byte or the question is there, ...
const kOthers = 12; // bits of what is waited for that say for whom
const kMostOrders = 4; // that are kept

// The sizes of messages: between two of them all thresholds are the same.
function sizesOf({ kinds, values }: Schedule): Float64Array {
  const sizes = new Set<number>();
  for (let i = 0; i < kinds.length; ++i) if (kinds[i] === kSend) sizes.add(values[i]!);
  return Float64Array.from(sizes).sort();
}

export class Simulation {
  private readonly sizes: Float64Array;
  private readonly orders = new Map<number, Order>(); // by how many sizes do not ask, the latest last
  private readonly times: Float64Array; // four of each message and of all that is put
  private readonly clock: Float64Array; // of activities
  private readonly by: Int32Array; // two of each message: the rank without which it was not sent, the one that takes it
  private readonly rankOf: Int32Array; // of activities
  // Of what goes on behind: when the last one had come to it, and who; when the last other one had, -1: nobody.
  private readonly last: Float64Array;
  private readonly lastBy: Int32Array;
  private readonly latest: Float64Array;
  private waiting = 0;
  private readonly sorted: number[] = [];
  private readonly ends: number[] = [];

  constructor(private readonly of: Schedule) {
    this.sizes = sizesOf(of);
    this.times = new Float64Array(4 * (of.messages + of.puts));
    this.by = new Int32Array(2 * of.messages);
    [this.clock, this.last, this.latest] = [new Float64Array(of.from.length), new Float64Array(of.from.length), new Float64Array(of.from.length)];
    [this.rankOf, this.lastBy] = [Int32Array.from(of.from, (_, activity) => activity), new Int32Array(of.from.length)];
  }

  private orderFor(rendezvous: number): Order {
    const key = this.sizes.filter((size) => size <= rendezvous).length;
    const order = this.orders.get(key) ?? orderOf(this.of, rendezvous);
    this.orders.delete(key);
    if (this.orders.size >= kMostOrders) this.orders.delete(this.orders.keys().next().value!);
    this.orders.set(key, order);
    return order;
  }

  play(network: Network): Outcome {
    const order = this.orderFor(network.rendezvous);
    this.clock.fill(0);
    this.latest.fill(-1);
    this.waiting = 0;
    this.walk(order, network);
    let [predicted, whole] = [0, 0];
    for (let rank = 0; rank < this.of.ranks; ++rank) {
      predicted = Math.max(predicted, this.clock[rank]!);
      whole += this.clock[rank]!;
    }
    const computing = order.computed * 1e-9 * network.computing;
    return { predicted, computing, communicating: whole - computing - this.waiting, waiting: this.waiting, stuck: order.stuck };
  }

  // Nothing is looked for or allocated at a step.
  private walk(order: Order, { latency, overhead, bandwidth, computing }: Network): void {
    const { count, kinds, activities, objects, bytes, computing: ns } = order;
    const { times, by, rankOf, clock: clocks, of: { ranks } } = this;
    const [perByte, perNs] = [1 / bandwidth, 1e-9 * computing];
    let waiting = 0;
    for (let i = 0; i < count; ++i) {
      const activity = activities[i]!;
      const object = objects[i]!;
      let clock = clocks[activity]! + ns[i]! * perNs;
      const at = 4 * object;
      switch (kinds[i]!) {
        case kSends:
          times[at + kStart] = activity < ranks ? clock : this.last[activity]!;
          by[2 * object] = activity < ranks ? activity : this.lastBy[activity]!;
          clock += overhead;
          times[at + kFirst] = clock + latency; // or the question, which takes as long
          times[at + kLeft] = clock;
          break;
        case kTakes: {
          const before = clock;
          const end = times[at + kFirst]! + bytes[i]! * perByte;
          if (end > clock) clock = end;
          const came = times[at + kStart]!;
          if (activity >= ranks) this.hear(activity, came, by[2 * object]!);
          else if (came > before) waiting += Math.min(came, clock) - before;
          clock += overhead;
          break;
        }
        case kPosts:
          times[at + kPosted] = clock;
          by[2 * object + 1] = rankOf[activity]!;
          break;
        case kMeets: {
          const goes = Math.max(times[at + kFirst]!, times[at + kPosted]!) + latency;
          times[at + kFirst] = goes + latency;
          times[at + kLeft] = goes + bytes[i]! * perByte;
          break;
        }
        case kPuts: {
          const put = bytes[i]!;
          clock += overhead;
          times[at + kLeft] = put < 0 ? clock + 2 * latency + (-1 - put) * perByte : clock + latency + put * perByte;
          break;
        }
        case kBegins:
          clocks[object] = this.last[object] = clock;
          rankOf[object] = this.lastBy[object] = rankOf[activity]!;
          break;
        case kWaits: clock = this.waitForAll(order, activity, object, clock, overhead, perByte);
      }
      clocks[activity] = clock;
    }
    this.waiting += waiting;
  }

  // Who asks for it has waited for who came to it last, not for those on the way that did something else meanwhile.
  private hear(activity: number, came: number, rank: number): void {
    if (came > this.last[activity]!) {
      this.last[activity] = came;
      this.lastBy[activity] = rank;
    }
    if (rank !== this.rankOf[activity] && came > this.latest[activity]!) this.latest[activity] = came;
  }

  // It ends in the order of its arrival.
  private waitForAll(order: Order, activity: number, list: number, clock: number, overhead: number, perByte: number): number {
    const { sorted, ends } = this;
    const [low, high] = [order.waitFrom[list]!, order.waitFrom[list + 1]!];
    for (let k = low; k < high; ++k) { // few: sorted as they come
      const end = this.endOf(order.waitKinds[k]!, order.waitObjects[k]!);
      let at = k - low;
      for (; at > 0 && ends[at - 1]! > end; --at) {
        ends[at] = ends[at - 1]!;
        sorted[at] = sorted[at - 1]!;
      }
      ends[at] = end;
      sorted[at] = k;
    }
    for (let at = 0; at < high - low; ++at) {
      const k = sorted[at]!;
      const costs = (order.waitKinds[k]! & kCosts) > 0;
      const end = ends[at]! + (costs ? order.waitBytes[k]! * perByte : 0);
      const before = clock;
      if (end > clock) clock = end;
      const other = this.otherCame(order.waitKinds[k]!, order.waitObjects[k]!);
      if (other >= 0 && activity >= this.of.ranks) this.hear(activity, other, this.otherRank(order.waitKinds[k]!, order.waitObjects[k]!));
      else if (other >= 0) this.waiting += Math.max(0, Math.min(other, clock) - before);
      if (costs) clock += overhead;
    }
    return clock;
  }

  private endOf(kind: number, object: number): number {
    const by = kind & 3;
    return by === kByActivity ? this.clock[object]! : this.times[4 * object + (by === kByLeft ? kLeft : kFirst)]!;
  }

  // When the other side came to its part of what is over; -1: there is none, or it is this rank.
  private otherCame(kind: number, object: number): number {
    switch (kind & kOthers) {
      case kSender: return this.times[4 * object + kStart]!;
      case kReceiver: return this.times[4 * object + kPosted]!;
      case kThoseBehind: return this.latest[object]!;
      default: return -1;
    }
  }

  private otherRank(kind: number, object: number): number {
    return (kind & kOthers) === kThoseBehind ? -1 : this.by[2 * object + Number((kind & kOthers) === kReceiver)]!;
  }
}
