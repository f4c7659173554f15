// SPDX-License-Identifier: Apache-2.0
// One rank's own program as lines of text, as it was folded: its loops, calls and call sites, with times.
import { valuesOf } from "./columns";
import * as format from "./format";
import type { ClassData, ColumnData, Folded, Numbers } from "./model";
import type { Own } from "./protocol";
import { positionIn } from "./unfold";

const kMostLines = 2000;

// "249", or "3..20 (12 times)" of a loop that is entered several times.
function countsText(column: ColumnData): string {
  let [least, most, times] = [Infinity, -Infinity, 0];
  for (const value of valuesOf(column)) {
    least = Math.min(least, value);
    most = Math.max(most, value);
    if (++times >= 100_000) break;
  }
  if (times === 0) return "0";
  const entered = times > 1 ? `  # entered ${format.whole(times)}${times >= 100_000 ? " or more" : ""} times` : "";
  return `${least === most ? format.whole(least) : `${format.whole(least)}..${format.whole(most)}`}:${entered}`;
}

// Time inside a call at all its places, mean of the class.
function insideOf(of: ClassData): Map<number, [least: number, most: number]> {
  const times = new Map<number, [number, number]>();
  for (const [, call, , inside] of of.places) {
    const [least, most] = times.get(call) ?? [Infinity, 0];
    times.set(call, [Math.min(least, inside), Math.max(most, inside)]);
  }
  return times;
}

function linesOf(program: Folded, of: ClassData): string[] {
  const lines: string[] = [];
  const times = insideOf(of);
  const add = (terms: Numbers, depth: number): void => {
    for (let i = 0; i < terms.length; ++i) {
      const term = terms[i]!;
      if (lines.length > kMostLines || depth > 100) return;
      const indent = "  ".repeat(depth);
      if (term % 2 === 1) {
        const loop = of.nest.loops[(term - 1) / 2]!;
        lines.push(`${indent}loop ${countsText(loop.counts)}`);
        add(loop.body, depth + 1);
        continue;
      }
      const [name, site] = of.calls[term / 2]!;
      const inside = times.get(term / 2);
      const time = inside && inside[1] > 0 ? `  # ${format.duration(inside[0])}${inside[1] > inside[0] ? ` to ${format.duration(inside[1])}` : ""} on average` : "";
      lines.push(`${indent}${program.functions[name]}${program.sites[site] ? `  in ${program.sites[site]}` : ""}${time}`);
    }
  };
  add(of.nest.top, 0);
  return lines;
}

export function ownProgram(program: Folded, rank: number): Own {
  const of = program.classes.find((each) => positionIn(each, rank) >= 0);
  const lines = of ? linesOf(program, of) : [];
  let same = -1;
  for (let i = 1; of && i < of.ranks.length; i += 2) same += of.ranks[i]!;
  return { lines: lines.slice(0, kMostLines), isCut: lines.length > kMostLines, same: Math.max(0, same) };
}
