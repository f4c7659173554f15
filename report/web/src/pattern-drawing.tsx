// SPDX-License-Identifier: Apache-2.0
// A pattern as its ranks and their messages: arrows from left to right in the order in which they depend
// on each other; of many ranks a circle with who sends to whom.
import type { JSX } from "preact";
import * as format from "./format";
import type { Pattern, PatternLink } from "./model";

const kMostRows = 24;
const kMostLines = 1500;
const kColumn = 44;
const kRow = 16;

interface Line { from: number; to: number; column: number } // ranks

// Columns of the links by what they depend on: an event comes one behind the messages that it gets. Nothing
// where they wait for each other in a circle, as receives that are posted before the sends do.
function depthsOf(pattern: Pattern, links: PatternLink[]): number[] | null {
  const depths = (pattern.parts ?? []).map((part) => new Int32Array(part.events.length));
  for (let round = 0; round < 32; ++round) {
    let isChanged = false;
    for (const link of links) {
      const [list, depth] = [depths[link.to_part], (depths[link.from_part]?.[link.from_event] ?? 0) + 1];
      for (let i = link.to_event; list && i < list.length && list[i]! < depth; ++i) {
        list[i] = depth;
        isChanged = true;
      }
    }
    if (!isChanged) return links.map((link) => depths[link.from_part]?.[link.from_event] ?? 0);
  }
  return null;
}

// Else: its sender's first, second, ... event that sends.
function turnsOf(links: PatternLink[]): number[] {
  const events = new Map<number, number[]>();
  for (const link of links) events.set(link.from_part, [...(events.get(link.from_part) ?? []), link.from_event]);
  for (const [part, list] of events) events.set(part, [...new Set(list)].sort((a, b) => a - b));
  return links.map((link) => events.get(link.from_part)!.indexOf(link.from_event));
}

function linesOf(pattern: Pattern): { lines: Line[]; columns: number } {
  const [parts, links] = [pattern.parts ?? [], (pattern.links ?? []).slice(0, kMostLines)];
  const places = depthsOf(pattern, links) ?? turnsOf(links);
  const order = [...new Set(places)].sort((a, b) => a - b);
  const lines = links.map((link, i) => ({ from: parts[link.from_part]?.rank ?? 0, to: parts[link.to_part]?.rank ?? 0, column: order.indexOf(places[i]!) }));
  return { lines, columns: order.length };
}

function Rows(props: { lines: Line[]; columns: number; ranks: number[]; label: string }): JSX.Element {
  const { lines, columns, ranks } = props;
  const row = new Map(ranks.map((rank, i) => [rank, i]));
  const width = 34 + columns * kColumn + 10;
  const height = ranks.length * kRow + 6;
  const y = (rank: number): number => row.get(rank)! * kRow + 11;
  return (
    <svg class="pattern" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={props.label}>
      {ranks.map((rank) => (
        <g key={rank}>
          <text x={26} y={y(rank) + 4} text-anchor="end">{rank}</text>
          <line class="rail" x1={32} x2={width - 4} y1={y(rank)} y2={y(rank)} />
        </g>
      ))}
      {lines.map((line, i) => {
        const x = 36 + line.column * kColumn;
        const [x1, y1, x2, y2] = [x, y(line.from), x + kColumn - 8, y(line.to)];
        const angle = Math.atan2(y2 - y1, x2 - x1);
        const head = [-0.4, 0.4].map((turn) => `${(x2 - 6 * Math.cos(angle + turn)).toFixed(1)},${(y2 - 6 * Math.sin(angle + turn)).toFixed(1)}`);
        return <g key={i}><line class="arrow" x1={x1} y1={y1} x2={x2} y2={y2} /><polygon class="head" points={`${x2},${y2} ${head.join(" ")}`} /></g>;
      })}
    </svg>
  );
}

function Circle(props: { lines: Line[]; ranks: number[]; label: string }): JSX.Element {
  const [radius, margin] = [92, 18];
  const at = new Map(props.ranks.map((rank, i) => [rank, (2 * Math.PI * i) / props.ranks.length - Math.PI / 2]));
  const x = (rank: number): number => margin + radius * (1 + Math.cos(at.get(rank)!));
  const y = (rank: number): number => margin + radius * (1 + Math.sin(at.get(rank)!));
  const size = 2 * (radius + margin);
  const every = Math.ceil(props.ranks.length / 16);
  return (
    <svg class="pattern" viewBox={`0 0 ${size} ${size}`} width={size} height={size} role="img" aria-label={props.label}>
      {props.lines.map((line, i) => <line key={i} class="arrow thin" x1={x(line.from)} y1={y(line.from)} x2={x(line.to)} y2={y(line.to)} />)}
      {props.ranks.map((rank, i) => i % every === 0 && (
        <text key={rank} x={margin + radius + (radius + 10) * Math.cos(at.get(rank)!)} y={margin + radius + 4 + (radius + 10) * Math.sin(at.get(rank)!)} text-anchor="middle">{rank}</text>
      ))}
    </svg>
  );
}

export function PatternDrawing(props: { pattern: Pattern }): JSX.Element | null {
  const { lines, columns } = linesOf(props.pattern);
  if (lines.length === 0) return null;
  const ranks = [...new Set(lines.flatMap((line) => [line.from, line.to]))].sort((a, b) => a - b);
  const label = `Drawing of pattern ${props.pattern.number}: ${lines.length} messages among ${ranks.length} ranks`;
  const { links = [], links_in_all: all, parts_in_all: parts } = props.pattern;
  const cut = all !== undefined && parts !== undefined
    ? `${format.whole(ranks.length)} of ${format.whole(parts)} ranks, with the ${format.whole(links.length)} of ${format.whole(all)} messages that they send each other`
    : links.length > kMostLines ? `the first ${format.whole(kMostLines)} of ${format.whole(links.length)} messages` : "";
  return (
    <div class="drawing scroll" tabIndex={0} role="region" aria-label={label}>
      {ranks.length <= kMostRows && columns <= 24 ? <Rows lines={lines} columns={columns} ranks={ranks} label={label} /> : <Circle lines={lines} ranks={ranks} label={label} />}
      {cut !== "" && <p class="none">{cut}</p>}
    </div>
  );
}
