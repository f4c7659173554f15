// SPDX-License-Identifier: Apache-2.0
// Sequences of numbers as the archive folds them, written out.
import type { ColumnData, NestData, Numbers } from "./model";

// At most `most` values, each handed to `add`: far quicker than a generator, for lists that are wanted as a whole.
export function addValues(column: ColumnData, most: number, add: (value: number) => void): void {
  let left = most;
  const put = (value: number): void => {
    if (left-- > 0) add(value);
  };
  if (column.runs) {
    for (let i = 0; i + 1 < column.runs.length; i += 2) {
      for (let k = 0; k < column.runs[i + 1]! && left > 0; ++k) put(column.runs[i]!);
    }
  } else if (column.values) {
    for (let i = 0; i < column.values.length; ++i) put(column.values[i]!);
  } else if (column.nest) {
    let value = column.first ?? 0;
    put(value);
    addSymbols(column.nest, () => left > 0, (symbol) => put(value += column.differences![symbol]!));
  }
}

function addSymbols(nest: NestData, goesOn: () => boolean, add: (symbol: number) => void): void {
  const counts = nest.loops.map((loop) => valuesOf(loop.counts));
  const walk = (body: Numbers): void => {
    for (let i = 0; i < body.length; ++i) {
      const term = body[i]!;
      if (term % 2 === 0) {
        add(term / 2);
        continue;
      }
      const loop = (term - 1) / 2;
      const rounds = counts[loop]!.next().value ?? 0;
      for (let round = 0; round < rounds && goesOn(); ++round) walk(nest.loops[loop]!.body);
    }
  };
  walk(nest.top);
}

export function* valuesOf(column: ColumnData): Generator<number> {
  if (column.runs) {
    for (let i = 0; i + 1 < column.runs.length; i += 2) {
      for (let k = 0; k < column.runs[i + 1]!; ++k) yield column.runs[i]!;
    }
  } else if (column.values) {
    for (let i = 0; i < column.values.length; ++i) yield column.values[i]!;
  } else if (column.nest) {
    let value = column.first ?? 0;
    yield value;
    for (const symbol of symbolsOf(column.nest)) yield (value += column.differences![symbol]!);
  }
}

interface Frame { body: Numbers; at: number; left: number }

// The sequence that a nest stands for; a term is a symbol * 2, or a loop * 2 + 1.
export function* symbolsOf(nest: NestData): Generator<number> {
  const counts = nest.loops.map((loop) => valuesOf(loop.counts));
  const frames: Frame[] = [{ body: nest.top, at: 0, left: 1 }];
  let idle = 0; // a file made up to hurt may loop without calls
  while (frames.length > 0 && idle < 1e5) {
    const frame = frames[frames.length - 1]!;
    ++idle;
    if (frame.at === frame.body.length) {
      frame.at = 0;
      if (--frame.left <= 0) frames.pop();
      continue;
    }
    const term = frame.body[frame.at++]!;
    if (term % 2 === 0) {
      idle = 0;
      yield term / 2;
      continue;
    }
    const loop = (term - 1) / 2;
    const rounds = counts[loop]!.next().value ?? 0;
    if (rounds > 0) frames.push({ body: nest.loops[loop]!.body, at: 0, left: rounds });
  }
}
