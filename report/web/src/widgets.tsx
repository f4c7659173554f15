// SPDX-License-Identifier: Apache-2.0
// Small parts that all views use: sections, choices, tables to sort, filter and copy.
import type { ComponentChildren, JSX } from "preact";
import { Fragment } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useSetting } from "./state";

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function Section(props: { id: string; title: string; lead?: ComponentChildren; children: ComponentChildren }): JSX.Element {
  return (
    <section id={props.id} aria-labelledby={`${props.id}-title`}>
      <h2 id={`${props.id}-title`}><a href={`#${props.id}`}>{props.title}</a></h2>
      {props.lead && <p class="lead">{typeof props.lead === "string" ? <Words text={capital(props.lead)} /> : props.lead}</p>}
      {props.children}
    </section>
  );
}

// Options of a command line are not broken over lines.
export function Words(props: { text: string }): JSX.Element {
  const parts = props.text.split(/(--[a-z][\w-]*(?: [\w.]+)?)/);
  return <>{parts.map((part, i) => (i % 2 === 1 ? <span key={i} class="whole">{part}</span> : part))}</>;
}

// A number as people read it, which names what it is in the documents of the commands: tests compare it with theirs.
export function Figure(props: { of: string; value: number; text: string }): JSX.Element {
  return <span data-of={props.of} data-value={props.value}>{props.text}</span>;
}

export function Choice(props: { label: string; setting: string; options: readonly (readonly [string, string])[] }): JSX.Element {
  const [value, set] = useSetting(props.setting, props.options[0]![0], props.options.map((option) => option[0]));
  return (
    <label class="choice">
      {props.label}{" "}
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {props.options.map(([key, text]) => <option key={key} value={key}>{text}</option>)}
      </select>
    </label>
  );
}

export interface Column<Row> {
  title: string;
  value: (row: Row) => number | string;
  unit?: string; // of the value, for copies
  text?: (row: Row) => string; // default: the value
  bar?: boolean | ((row: Row) => boolean); // the share of the largest value behind the text; of which rows
  of?: (row: Row) => string; // what a number is in the documents of the commands, as of a Figure
}

function csvField(value: number | string): string {
  const text = String(value);
  const safe = typeof value === "string" && /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csvOf<Row>(columns: Column<Row>[], rows: Row[]): string {
  const lines = [columns.map(({ title, unit }) => csvField(unit === undefined ? title : `${title} [${unit}]`)), ...rows.map((row) => columns.map((c) => csvField(c.value(row))))];
  return lines.map((line) => line.join(",")).join("\n") + "\n";
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // pages from a disk may not; the old way asks nobody
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

function sorted<Row>(rows: Row[], columns: Column<Row>[], order: string): Row[] {
  const at = Math.abs(Number.parseInt(order, 10)) - 1;
  const column = columns[at];
  if (!column) return rows;
  const sign = order.startsWith("-") ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    return sign * (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en"));
  });
}

const hasBar = <Row,>({ bar }: Column<Row>, row: Row): boolean => (typeof bar === "function" ? bar(row) : bar === true);

const kRowsAtFirst = 10;
const kMostNarrow = 4; // columns that a phone has room for: of more, each row is a few lines there, which are no table to browsers but for their roles

export function Table<Row>(props: { id: string; caption: string; columns: Column<Row>[]; rows: Row[]; atFirst?: number }): JSX.Element {
  const { columns } = props;
  const [order, setOrder] = useSetting(`${props.id}.sort`, "0");
  const [filter, setFilter] = useState("");
  const [shown, setShown] = useState(props.atFirst ?? kRowsAtFirst);
  const [isCopied, setCopied] = useState(false);
  const rows = useMemo(() => {
    const wanted = filter.toLowerCase();
    const kept = wanted === "" ? props.rows
      : props.rows.filter((row) => columns.some((c) => (c.text?.(row) ?? String(c.value(row))).toLowerCase().includes(wanted)));
    return sorted(kept, columns, order);
  }, [props.rows, filter, order]);
  const most = columns.map((c) => (c.bar ? props.rows.reduce((m, row) => (hasBar(c, row) ? Math.max(m, Number(c.value(row))) : m), 0) : 0));
  const copyAll = async (): Promise<void> => {
    await copy(csvOf(columns, rows));
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div class="table" id={`table-${props.id}`}>
      <div class="scroll" tabIndex={0} role="region" aria-label={props.caption}>
        <table role="table" class={columns.length > kMostNarrow ? "many" : ""}>
          <caption><span>{props.caption}</span></caption>
          <thead role="rowgroup">
            <tr role="row">{columns.map((c, i) => <Head key={c.title} title={c.title} index={i + 1} order={order} set={setOrder} />)}</tr>
          </thead>
          <tbody role="rowgroup">
            {rows.slice(0, shown).map((row, r) => (
              <tr role="row" key={r}>{columns.map((c, i) => <Cell key={i} column={c} row={row} most={most[i]!} />)}</tr>
            ))}
            {rows.length === 0 && <tr role="row"><td role="cell" colSpan={columns.length} class="none">none</td></tr>}
          </tbody>
        </table>
      </div>
      <div class="tools">
        {props.rows.length > (props.atFirst ?? kRowsAtFirst) && (
          <label>filter <input type="search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} /></label>
        )}
        {rows.length > shown && <button type="button" onClick={() => setShown(shown * 10)}>more of {rows.length}</button>}
        {rows.length > 0 && <button type="button" onClick={copyAll}>{isCopied ? "copied" : "copy as CSV"}</button>}
      </div>
    </div>
  );
}

function Head(props: { title: string; index: number; order: string; set: (order: string) => void }): JSX.Element {
  const isThis = Math.abs(Number(props.order)) === props.index;
  const isDown = isThis && props.order.startsWith("-");
  return (
    <th scope="col" role="columnheader" aria-sort={isThis ? (isDown ? "descending" : "ascending") : "none"}>
      <button type="button" onClick={() => props.set(isDown ? `${props.index}` : `-${props.index}`)}>
        {props.title}{isThis ? (isDown ? " ▾" : " ▴") : ""}
      </button>
    </th>
  );
}

function Cell<Row>(props: { column: Column<Row>; row: Row; most: number }): JSX.Element {
  const value = props.column.value(props.row);
  const text = props.column.text?.(props.row) ?? String(value);
  const isNumber = typeof value === "number";
  return (
    <td role="cell" data-title={props.column.title} class={isNumber ? "number" : ""}>
      {hasBar(props.column, props.row) && props.most > 0 && <Bar share={Number(value) / props.most} />}
      {props.column.of && isNumber ? <Figure of={props.column.of(props.row)} value={value} text={text} /> : <Breakable text={text} />}
    </td>
  );
}

// Long names of C++ may go on in the next line behind a scope, and before an offset.
function Breakable(props: { text: string }): JSX.Element {
  const parts = props.text.split(/(?<=::)|(?=\+0x)/);
  return <>{parts.map((part, i) => <Fragment key={i}>{i > 0 && <wbr />}{part}</Fragment>)}</>;
}

export function Bar(props: { share: number }): JSX.Element {
  return <span class="bar" aria-hidden="true"><span style={{ width: `${Math.max(0, Math.min(1, props.share)) * 100}%` }} /></span>;
}

export function Legend(props: { entries: readonly (readonly [string, string])[] }): JSX.Element {
  return (
    <ul class="legend">
      {props.entries.map(([colour, text]) => <li key={text}><span class="swatch" style={{ background: colour }} />{text}</li>)}
    </ul>
  );
}
