// SPDX-License-Identifier: Apache-2.0
// The order in which a schedule is played. Who waits for whom hangs on which messages ask first, not on how fast the network is:
// so the order is found once for all networks, and playing them is a walk through a list.
import { kBegin, kBuffered, kCompute, kFinish, kProbe, kPut, kReceive, kSend, kSynchronous, type Schedule } from "./schedule";

// What is done to the clock of an activity, after it has computed.
export const kNothing = 0, kSends = 1, kPosts = 2, kMeets = 3, kPuts = 4, kBegins = 5, kTakes = 6, kWaits = 7;

// What is waited for: by which time it is over, when the other side came, and whether it is received with that.
export const kByFirst = 0, kByLeft = 1, kByActivity = 2; // bits 0 and 1
export const kNobody = 0, kSender = 4, kReceiver = 8, kThoseBehind = 12; // bits 2 and 3
export const kCosts = 16;

export interface Order {
  count: number;
  kinds: Uint8Array; activities: Int32Array;
  objects: Int32Array; // a message, what is put (behind the messages), an activity, or a list of what is waited for
  bytes: Float64Array;
  computing: Float64Array; // before that, ns
  waitFrom: Int32Array; waitKinds: Uint8Array; waitObjects: Int32Array; waitBytes: Float64Array; // by list
  computed: number; // ns, all together
  stuck: number; // ranks that wait for ever
}

const kSent = 1, kPosted = 2, kAsks = 4, kReceived = 8, kLeft = 16; // of messages; kLeft: the sender goes on

class Orderer {
  private readonly state: Uint8Array;
  private readonly sentBy: Int32Array; // activity of a message
  private readonly receiver: Int32Array; // that waits for a message, + 1; likewise
  private readonly sender: Int32Array;
  private readonly prober: Int32Array;
  private readonly owner: Int32Array; // of what goes on behind
  private readonly next: Int32Array;
  private readonly pending: Int32Array;
  private readonly held: Float64Array; // computed, and not in the list so far
  private readonly ready: number[] = [];
  private readonly list: Order;
  private lists = 0; // of what is waited for
  private waits = 0;

  constructor(private readonly of: Schedule, rendezvous: number) {
    const [messages, activities, most] = [of.messages, of.from.length, of.kinds.length + of.messages + of.from.length];
    [this.state, this.sentBy] = [new Uint8Array(messages), new Int32Array(messages)];
    [this.receiver, this.sender, this.prober] = Array.from({ length: 3 }, () => new Int32Array(messages)) as [Int32Array, Int32Array, Int32Array];
    [this.owner, this.pending] = [new Int32Array(activities), new Int32Array(activities)];
    this.next = of.from.slice();
    this.held = new Float64Array(activities);
    for (let i = 0; i < of.kinds.length; ++i) {
      const asks = of.modes[i] === kSynchronous || (of.modes[i] !== kBuffered && of.values[i]! > rendezvous);
      if (of.kinds[i] === kSend && asks) this.state[of.args[i]!] = kAsks;
    }
    this.list = { count: 0, kinds: new Uint8Array(most), activities: new Int32Array(most), objects: new Int32Array(most), bytes: new Float64Array(most),
      computing: new Float64Array(most), waitFrom: new Int32Array(of.waitFrom.length + 1), waitKinds: new Uint8Array(of.waitKinds.length),
      waitObjects: new Int32Array(of.waitKinds.length), waitBytes: new Float64Array(of.waitKinds.length), computed: 0, stuck: 0 };
  }

  order(): Order {
    const { list, of: { ranks, to } } = this;
    for (let rank = ranks - 1; rank >= 0; --rank) this.ready.push(rank);
    while (this.ready.length > 0) this.goOn(this.ready.pop()!);
    for (let activity = 0; activity < this.held.length; ++activity) this.flush(activity);
    for (let rank = 0; rank < ranks; ++rank) if (this.next[rank]! < to[rank]!) ++list.stuck;
    return list;
  }

  private put(kind: number, activity: number, object: number, bytes: number): void {
    const { list } = this;
    const i = list.count++;
    list.kinds[i] = kind;
    list.activities[i] = activity;
    list.objects[i] = object;
    list.bytes[i] = bytes;
    list.computing[i] = this.held[activity]!;
    list.computed += this.held[activity]!;
    this.held[activity] = 0;
  }

  private flush(activity: number): void {
    if (this.held[activity]! > 0) this.put(kNothing, activity, 0, 0);
  }

  // Until it has to wait for what others have not done yet.
  private goOn(activity: number): void {
    const { kinds, modes, args, values, to, ranks, messages } = this.of;
    const end = to[activity]!;
    for (let i = this.next[activity]!; i < end; ++i) {
      const arg = args[i]!;
      switch (kinds[i]!) {
        case kCompute: this.held[activity]! += values[i]!; break;
        case kSend:
          this.put(kSends, activity, arg, 0);
          this.sentBy[arg] = activity;
          this.state[arg]! |= this.state[arg]! & kAsks ? kSent : kSent | kLeft;
          this.meet(arg, activity);
          if (this.prober[arg]! > 0) this.wake(this.prober[arg]! - 1);
          break;
        case kReceive:
          if (arg < 0) break;
          this.state[arg]! |= kPosted;
          if (this.state[arg]! & kAsks) this.put(kPosts, activity, arg, 0); // else nobody wants to know when
          this.meet(arg, activity);
          break;
        case kPut: this.put(kPuts, activity, messages + arg, modes[i] === kSynchronous ? -1 - values[i]! : values[i]!); break;
        case kBegin:
          this.put(kBegins, activity, arg, 0);
          this.ready.push(arg);
          break;
        case kFinish:
          if (this.mustWait(activity, arg)) {
            this.next[activity] = i;
            return;
          }
          this.finish(activity, arg);
      }
    }
    this.next[activity] = end;
    this.flush(activity);
    if (activity >= ranks && this.owner[activity]! > 0) this.wake(this.owner[activity]! - 1);
  }

  private meet(message: number, activity: number): void {
    const state = this.state[message]!;
    if ((state & (kSent | kPosted)) !== (kSent | kPosted)) return;
    if (state & kAsks) {
      this.put(kMeets, activity, message, this.of.bytes[message]!);
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

  private finish(activity: number, finish: number): void {
    const { waitFrom, waitKinds, waitArgs, bytes, messages } = this.of;
    const { list } = this;
    const first = this.waits;
    for (let k = waitFrom[finish]!; k < waitFrom[finish + 1]!; ++k) {
      const [kind, arg] = [waitKinds[k]!, waitArgs[k]!];
      if (kind === kSend && !(this.state[arg]! & kAsks) && this.sentBy[arg] === activity) continue; // over when it was begun
      list.waitKinds[this.waits] = this.codeOf(kind, arg);
      list.waitObjects[this.waits] = kind === kPut ? messages + arg : arg;
      list.waitBytes[this.waits++] = kind === kReceive ? bytes[arg]! : 0;
    }
    if (this.waits === first) return;
    if (this.waits === first + 1 && list.waitKinds[first] === (kByFirst | kSender | kCosts)) {
      this.waits = first;
      this.put(kTakes, activity, list.waitObjects[first]!, list.waitBytes[first]!);
      return;
    }
    list.waitFrom[this.lists + 1] = this.waits;
    this.put(kWaits, activity, this.lists++, 0);
  }

  private codeOf(kind: number, arg: number): number {
    if (kind === kBegin) return kByActivity | kThoseBehind;
    if (kind === kPut) return kByLeft | kNobody;
    const isToSelf = this.of.isToSelf[arg] === 1;
    if (kind === kSend) return kByLeft | (this.state[arg]! & kAsks && !isToSelf ? kReceiver : kNobody);
    const costs = kind === kReceive && !(this.state[arg]! & kReceived); // else it was only asked for, or has cost what it costs
    if (costs) this.state[arg]! |= kReceived;
    return kByFirst | (isToSelf ? kNobody : kSender) | (costs ? kCosts : 0);
  }
}

export const orderOf = (schedule: Schedule, rendezvous: number): Order => new Orderer(schedule, rendezvous).order();
