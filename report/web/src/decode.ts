// SPDX-License-Identifier: Apache-2.0
// How the document comes out of the page's own text.
import { addValues } from "./columns";
import { type ColumnData, type ReportDocument, rowOf } from "./model";

interface Packed { packed: ColumnData; count: number; of?: (number | null)[]; width?: number }

// Lists of numbers that were packed as what they fold to are lists again, wherever they are.
function unpack(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) {
    if (typeof value[0] === "object") value.forEach((inner, i) => { value[i] = unpack(inner); });
    return value;
  }
  if (typeof value !== "object" || value === null) return value;
  if ("packed" in value) {
    const { width, count } = value as Packed;
    const flat = listOf(value as Packed);
    if (width === undefined) return flat;
    const rows = { rows: count / width, flat: flat as number[] };
    return name === "coordinates" ? rows : Array.from({ length: rows.rows }, (_, i) => rowOf(rows, i));
  }
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) record[key] = unpack(record[key], key);
  return record;
}

function listOf({ packed, count, of }: Packed): (number | null)[] {
  unpack(packed); // long lists in it are packed, too
  const list: (number | null)[] = new Array(count);
  let n = 0;
  addValues(packed, count, (value) => { list[n++] = of ? of[value]! : value; });
  return list;
}

export async function decode(text: string): Promise<ReportDocument> {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return unpack(JSON.parse(await new Response(stream).text())) as ReportDocument;
}
