// SPDX-License-Identifier: Apache-2.0
// How the document comes out of the page's own text: JSON, and long lists of numbers as columns of bytes behind it
// (docs/formats/page.md), which become typed arrays.
import { addValues } from "./columns";
import { type ColumnData, type NestData, type Numbers, type ReportDocument, rowOf } from "./model";

class Bytes {
  private at = 0;
  constructor(private readonly bytes: Uint8Array) {}

  // Up to 2^53: shifts of JavaScript would end at 32 bits.
  number(): number {
    let [value, factor] = [0, 1];
    for (;; factor *= 128) {
      const byte = this.bytes[this.at++]!;
      value += (byte & 127) * factor;
      if (!(byte & 128)) return value;
    }
  }

  signed(): number {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  list(next: () => number): number[] {
    return Array.from({ length: this.number() }, next);
  }

  take(count: number): Uint8Array {
    return this.bytes.subarray(this.at, (this.at += count));
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }
}

function nestOf(bytes: Bytes): NestData {
  const top = bytes.list(() => bytes.number());
  const loops = Array.from({ length: bytes.number() }, () => ({ body: bytes.list(() => bytes.number()), counts: columnOf(bytes) }));
  return { top, loops };
}

function columnOf(bytes: Bytes): ColumnData {
  const kind = bytes.number();
  if (kind === 0) return { runs: Array.from({ length: bytes.number() }, () => [bytes.signed(), bytes.number()]).flat() };
  if (kind === 2) return { values: bytes.list(() => bytes.signed()) };
  return { first: bytes.signed(), differences: bytes.list(() => bytes.signed()), nest: nestOf(bytes) };
}

function doublesOf(bytes: Bytes, count: number): Float64Array {
  const parts = bytes.take(8 * count); // the lowest byte of all, the next one of all, ...
  const turned = new Uint8Array(8 * count);
  for (let part = 0; part < 8; ++part) for (let i = 0; i < count; ++i) turned[8 * i + part] = parts[part * count + i]!;
  return new Float64Array(turned.buffer);
}

function foldedOf(bytes: Bytes, count: number): Float64Array {
  const list = new Float64Array(count);
  let n = 0;
  addValues(columnOf(bytes), count, (value) => { list[n++] = value; });
  return list;
}

const kDifferences = 1, kDoubles = 2, kFolded = 3, kChosen = 4; // 0: whole numbers

function valuesOf(bytes: Bytes): Float64Array {
  const kind = bytes.number();
  const count = bytes.number();
  if (kind === kDoubles) return doublesOf(bytes, count);
  if (kind === kFolded) return foldedOf(bytes, count);
  if (kind === kChosen) {
    const of = doublesOf(bytes, bytes.number());
    return foldedOf(bytes, count).map((i) => of[i]!);
  }
  const list = new Float64Array(count);
  for (let i = 0; i < count; ++i) list[i] = bytes.signed() + (kind === kDifferences && i > 0 ? list[i - 1]! : 0);
  return list;
}

// In as little room as there is; with nothing among the numbers a plain list.
function compact(list: Float64Array): Numbers {
  if (list.some(Number.isNaN)) return Array.from(list, (value) => (Number.isNaN(value) ? null : value)) as number[];
  return list.every((value) => value === (value | 0)) ? Int32Array.from(list) : list;
}

interface Reference { column: number; width?: number }

// Lists that stand for columns are lists again, wherever they are.
function withLists(value: unknown, columns: Numbers[], name = ""): unknown {
  if (Array.isArray(value)) {
    if (typeof value[0] === "object") value.forEach((inner, i) => { value[i] = withLists(inner, columns); });
    return value;
  }
  if (typeof value !== "object" || value === null) return value;
  if ("column" in value) {
    const { column, width } = value as Reference;
    const flat = columns[column]!;
    if (width === undefined) return flat;
    const rows = { rows: flat.length / width, flat };
    return name === "coordinates" ? rows : Array.from({ length: rows.rows }, (_, i) => rowOf(rows, i));
  }
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) record[key] = withLists(record[key], columns, key);
  return record;
}

export async function decode(text: string): Promise<ReportDocument> {
  const binary = atob(text.trim());
  const packed = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) packed[i] = binary.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Bytes(new Uint8Array(await new Response(stream).arrayBuffer()));
  const json = new TextDecoder().decode(bytes.take(bytes.number()));
  const columns: Numbers[] = [];
  while (!bytes.isAtEnd) columns.push(compact(valuesOf(bytes)));
  return withLists(JSON.parse(json), columns) as ReportDocument;
}
