// SPDX-License-Identifier: Apache-2.0
// One rank's own program, as it was folded: its loops, calls and call sites, with times.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { valuesOf } from "./columns";
import * as format from "./format";
import type { ClassData, ColumnData, Folded, Run } from "./model";
import { useSetting } from "./state";
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
  const add = (terms: number[], depth: number): void => {
    for (const term of terms) {
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

export function OwnProgram(props: { run: Run }): JSX.Element {
  const { program, info } = props.run;
  const [text, setText] = useSetting("rank", "0");
  const [isOpen, setOpen] = useState(text !== "0");
  const rank = Math.max(0, Math.min(info.ranks - 1, Number.parseInt(text, 10) || 0));
  const of = isOpen ? program.classes.find((each) => positionIn(each, rank) >= 0) : undefined;
  const lines = of ? linesOf(program, of) : [];
  const same = of ? of.ranks.reduce((sum, count, i) => sum + (i % 2 === 1 ? count : 0), 0) - 1 : 0;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>one rank's own program</summary>
      {isOpen && (
        <>
          <div class="choices">
            <label>rank <input type="number" min={0} max={info.ranks - 1} value={rank} onChange={(event) => setText(event.currentTarget.value)} /></label>
            <span class="none">{same > 0 ? `${format.ranks(same)} ${same === 1 ? "has" : "have"} the same; ` : ""}rondo print --rank {rank} has the arguments</span>
          </div>
          <pre class="program own" tabIndex={0}>{lines.length > 0 ? lines.slice(0, kMostLines).join("\n") : "nothing was recorded of it"}{lines.length > kMostLines ? "\n…" : ""}</pre>
        </>
      )}
    </details>
  );
}
