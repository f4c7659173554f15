// SPDX-License-Identifier: Apache-2.0
// What the ranks do together again and again, with what it is called, why, and what to do about it.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import * as format from "./format";
import type { Pattern, Run } from "./model";
import { PatternDrawing } from "./pattern-drawing";
import { Bar, Figure, Section, Table } from "./widgets";

const kPlaces = 8;

function Places(props: { pattern: Pattern }): JSX.Element | null {
  const places = props.pattern.places ?? [];
  if (places.length === 0) return null;
  return (
    <details>
      <summary>where: {places.length} place{places.length === 1 ? "" : "s"}</summary>
      <ul>
        {places.slice(0, kPlaces).map((p, i) => (
          <li key={i}>rank {p.rank}, calls {p.first_call} to {p.last_call}, {format.whole(p.executions)} times{p.site ? `, ${p.site}` : ""}{p.phase ? `, phase ${p.phase}` : ""}</li>
        ))}
        {places.length > kPlaces && <li>and {places.length - kPlaces} more</li>}
      </ul>
    </details>
  );
}

function Parts(props: { pattern: Pattern }): JSX.Element | null {
  const parts = props.pattern.parts ?? [];
  if (parts.length === 0) return null;
  return (
    <details>
      <summary>what its ranks call</summary>
      {parts.slice(0, 8).map((part, i) => <pre key={i} tabIndex={0}>{part.events.slice(0, 40).join("\n")}{part.events.length > 40 ? "\n…" : ""}</pre>)}
      {parts.length > 8 && <p>and {format.whole((props.pattern.parts_in_all ?? parts.length) - 8)} more kinds of ranks</p>}
    </details>
  );
}

// Texts in the order in which they come first, with how often they come: phases of a long pattern repeat.
function counted(texts: string[]): [string, number][] {
  const times = new Map<string, number>();
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1);
  return [...times];
}

function Card(props: { pattern: Pattern; most: number; all: number }): JSX.Element {
  const { pattern } = props;
  const figure = (key: "bytes" | "messages" | "executions" | "collective_bytes", text: string): JSX.Element =>
    <Figure of={`patterns.${pattern.number - 1}.${key}`} value={pattern[key]} text={text} />;
  const share = props.all > 0 ? ` (${format.percent(pattern.bytes / props.all)})` : "";
  const traffic = <>{figure("bytes", format.bytes(pattern.bytes))}{share} in {figure("messages", format.whole(pattern.messages))} message{pattern.messages === 1 ? "" : "s"}</>;
  const collective = pattern.collective_bytes > 0 ? figure("collective_bytes", format.bytes(pattern.collective_bytes)) : null;
  const names = (pattern.documented ?? []).map((known) => known.what || known.name);
  return (
    <article class="card">
      <h3>{pattern.number}. {names.length > 0 ? names[0] : `without a name, among ${format.ranks(pattern.ranks)}`}</h3>
      <p>
        <Bar share={props.most > 0 ? pattern.bytes / props.most : 0} />
        {pattern.messages === 0 ? "collective operations alone" : traffic}
        {collective === null ? "" : pattern.messages === 0 ? <> with {collective}</> : <>, {collective} in collective operations</>},{" "}
        {figure("executions", pattern.executions === 1 ? "once" : `${format.whole(pattern.executions)} times`)}
        {pattern.topology === "" ? "" : `; graph: ${pattern.topology}`}
      </p>
      {pattern.is_cut ? <p class="aside">rondo patterns draws it, and says where it is.</p> : <PatternDrawing pattern={pattern} />}
      {names.length > 1 && (
        <ul>{counted(names.slice(1)).map(([name, times]) => <li key={name}>also {name}{times > 1 ? `, ${format.whole(times)} times` : ""}</li>)}</ul>
      )}
      {(pattern.advice ?? []).map((advice) => <p key={advice} class="advice"><strong>Advice:</strong> {advice}</p>)}
      {(pattern.documented ?? []).length > 0 && (
        <details>
          <summary>evidence</summary>
          <ul>{counted(pattern.documented!.flatMap((known) => known.evidence.map((text) => `${known.name}: ${text}`))).map(([text]) => <li key={text}>{text}</li>)}</ul>
        </details>
      )}
      <Parts pattern={pattern} />
      <Places pattern={pattern} />
    </article>
  );
}

const nameOf = (pattern: Pattern): string => pattern.documented?.[0]?.what || pattern.documented?.[0]?.name || "without a name";

function PatternTable(props: { patterns: Pattern[] }): JSX.Element {
  return (
    <details>
      <summary>as a table</summary>
      <Table id="patterns" caption="Patterns of communication" rows={props.patterns} columns={[
        { title: "number", value: (p) => p.number }, { title: "name", value: nameOf }, { title: "ranks", value: (p) => p.ranks },
        { title: "executions", value: (p) => p.executions, text: (p) => format.whole(p.executions) },
        { title: "messages", value: (p) => p.messages, text: (p) => format.whole(p.messages) },
        { title: "bytes", value: (p) => p.bytes, unit: "B", text: (p) => format.bytes(p.bytes), bar: true }, { title: "graph", value: (p) => p.topology }]} />
    </details>
  );
}

export function Patterns(props: { run: Run }): JSX.Element {
  const [shown, setShown] = useState(4);
  const found = props.run.patterns?.patterns;
  if (!found) return <Section id="patterns" title="Patterns" lead={props.run.left_out.find((text) => text.includes("patterns")) ?? "None were looked for."}>{null}</Section>;
  const most = found.reduce((m, pattern) => Math.max(m, pattern.bytes), 0);
  const all = props.run.stats.data_density.total_bytes;
  const lead = found.length === 0 ? "Ranks repeat nothing together." : found.length === 1 ? "1 pattern of communication repeats." : `${format.whole(found.length)} patterns of communication repeat; those with most traffic first.`;
  return (
    <Section id="patterns" title="Patterns" lead={lead}>
      <div class="cards">{found.slice(0, shown).map((pattern) => <Card key={pattern.number} pattern={pattern} most={most} all={all} />)}</div>
      {found.length > shown && <button type="button" onClick={() => setShown(shown + 20)}>more of {found.length}</button>}
      {found.length > 0 && <PatternTable patterns={found} />}
    </Section>
  );
}
