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
type Channels = Map<number, number[]>; // by sender * ranks + receiver: the calls that send

function channelsOf(ranks: RankColumns[]): Channels {
  const channels: Channels = new Map();
  ranks.forEach(({ sends }, rank) => {
    const receivers = numbers(sends.receiver);
    numbers(sends.call).forEach((call, i) => {
      const key = rank * ranks.length + rank + receivers[i]!;
      const list = channels.get(key);
      if (list) list.push(call);
      else channels.set(key, [call]);
    });
  });
  return channels;
}

function readRank(data: RankColumns, rank: number, ranks: number, channels: Channels): RankDependences & { comms: number[] } {
  const { receipts, parts } = data;
  const ended = numbers(parts.call);
  const senders = numbers(receipts.sender).map((offset) => rank + offset);
  const next = new Map<number, number>(); // of each sender
  const sent = numbers(receipts.skipped).map((skipped, i) => {
    const index = (next.get(senders[i]!) ?? 0) + skipped;
    next.set(senders[i]!, index + 1);
    return channels.get(senders[i]! * ranks + rank)?.[index] ?? -1;
  });
  return {
    receiptCalls: Int32Array.from(numbers(receipts.call)), senders: Int32Array.from(senders), sent: Int32Array.from(sent),
    partCalls: Int32Array.from(ended), began: Int32Array.from(numbers(parts.began), (offset, i) => ended[i]! + offset),
    operations: new Int32Array(ended.length), waitsFor: Uint8Array.from(numbers(parts.waits_for)),
    roots: Int32Array.from(numbers(parts.root)), comms: numbers(parts.comm),
  };
}

// The j-th part of each rank on a communicator is in the j-th operation there.
export function dependencesOf(data: DependenceData): Dependences {
  const operations: Operation[] = [];
  const numbersOf = new Map<string, number>();
  const columns = (data.of_rank ?? []).map((index) => data.columns![index]!);
  const channels = channelsOf(columns);
  const ranks = columns.map((column, rank) => {
    const mine = readRank(column, rank, columns.length, channels);
    const counts = new Map<number, number>();
    const order = Array.from(mine.began.keys()).sort((a, b) => mine.began[a]! - mine.began[b]! || a - b);
    for (const part of order) {
      const comm = mine.comms[part]!;
      const before = counts.get(comm) ?? 0;
      counts.set(comm, before + 1);
      const key = `${comm} ${before}`;
      const known = numbersOf.get(key) ?? operations.length;
      if (known === operations.length) {
        numbersOf.set(key, known);
        operations.push({ ranks: [], calls: [] });
      }
      operations[known]!.ranks.push(rank);
      operations[known]!.calls.push(mine.began[part]!);
      mine.operations[part] = known;
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
