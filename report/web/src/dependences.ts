// SPDX-License-Identifier: Apache-2.0
// What each rank's calls have to wait for, unfolded from the columns of the page's data.
import type { ColumnData, DependenceData } from "./model";
import { valuesOf } from "./columns";

export interface RankDependences {
  receiptCalls: Int32Array; senders: Int32Array; sent: Int32Array; // messages, by the call that ended with them
  partCalls: Int32Array; began: Int32Array; operations: Int32Array; waitsFor: Uint8Array; roots: Int32Array;
}

export interface Operation { ranks: number[]; calls: number[] } // ascending ranks, the call that each came with

export interface Dependences { ranks: RankDependences[]; operations: Operation[] }

export const kAll = 0, kRoot = 1, kEarlier = 3;
const kMostValues = 1_000_000; // a file made up to hurt may say more

function numbers(column: ColumnData): number[] {
  const list: number[] = [];
  for (const value of valuesOf(column)) {
    if (list.length >= kMostValues) break;
    list.push(value);
  }
  return list;
}

type RankColumns = NonNullable<DependenceData["columns"]>[number];

// What ranks that do the same have in common, with ranks as differences to their own.
interface Kind {
  sends: Map<number, number[]>; // by receiver: the calls that send to it
  receiptCalls: Int32Array; senders: number[]; indices: Int32Array; // of the message among those of its sender
  partCalls: Int32Array; began: Int32Array; waitsFor: Uint8Array; roots: Int32Array; comms: number[]; order: number[];
}

function kindOf({ sends, receipts, parts }: RankColumns): Kind {
  const toReceiver = new Map<number, number[]>();
  const receivers = numbers(sends.receiver);
  numbers(sends.call).forEach((call, i) => {
    const list = toReceiver.get(receivers[i]!);
    if (list) list.push(call);
    else toReceiver.set(receivers[i]!, [call]);
  });
  const senders = numbers(receipts.sender);
  const next = new Map<number, number>(); // of each sender
  const indices = Int32Array.from(numbers(receipts.skipped), (skipped, i) => {
    const index = (next.get(senders[i]!) ?? 0) + skipped;
    next.set(senders[i]!, index + 1);
    return index;
  });
  const ended = numbers(parts.call);
  const began = Int32Array.from(numbers(parts.began), (offset, i) => ended[i]! + offset);
  return { sends: toReceiver, receiptCalls: Int32Array.from(numbers(receipts.call)), senders, indices, partCalls: Int32Array.from(ended), began,
    waitsFor: Uint8Array.from(numbers(parts.waits_for)), roots: Int32Array.from(numbers(parts.root)), comms: numbers(parts.comm),
    order: Array.from(began.keys()).sort((a, b) => began[a]! - began[b]! || a - b) };
}

function readRank(kinds: Kind[], rank: number): RankDependences {
  const kind = kinds[rank]!;
  const { senders, indices } = kind;
  const sent = new Int32Array(senders.length);
  for (let i = 0; i < sent.length; ++i) sent[i] = kinds[rank + senders[i]!]?.sends.get(-senders[i]!)?.[indices[i]!] ?? -1;
  return { receiptCalls: kind.receiptCalls, senders: Int32Array.from(senders, (offset) => rank + offset), sent, partCalls: kind.partCalls,
    began: kind.began, operations: new Int32Array(kind.partCalls.length), waitsFor: kind.waitsFor, roots: kind.roots };
}

// The j-th part of each rank on a communicator is in the j-th operation there.
export function dependencesOf(data: DependenceData): Dependences {
  const operations: Operation[] = [];
  const numbersOf = new Map<number, number[]>(); // of operations, by communicator
  const known = (data.columns ?? []).map(kindOf);
  const kinds = Array.from(data.of_rank ?? [], (index) => known[index]!);
  const ranks = kinds.map((kind, rank) => {
    const mine = readRank(kinds, rank);
    const counts = new Map<number, number>();
    for (const part of kind.order) {
      const comm = kind.comms[part]!;
      const before = counts.get(comm) ?? 0;
      counts.set(comm, before + 1);
      let list = numbersOf.get(comm);
      if (!list) numbersOf.set(comm, (list = []));
      if (list.length === before) {
        list.push(operations.length);
        operations.push({ ranks: [], calls: [] });
      }
      const operation = list[before]!;
      operations[operation]!.ranks.push(rank);
      operations[operation]!.calls.push(mine.began[part]!);
      mine.operations[part] = operation;
    }
    return mine;
  });
  return { ranks, operations };
}

// The first entry of an ascending list that is not below a value.
export function lowerBound(list: ArrayLike<number>, value: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The call that a rank came to an operation with.
export function callIn(operation: Operation, rank: number): number | undefined {
  const i = lowerBound(operation.ranks, rank);
  return operation.ranks[i] === rank ? operation.calls[i] : undefined;
}
