// SPDX-License-Identifier: Apache-2.0
// Prints an Arrow file as JSON: its columns with their types, the sizes of its batches, and its rows.
import { readFileSync } from 'node:fs';
import { tableFromIPC } from 'apache-arrow';

const table = tableFromIPC(readFileSync(process.argv[2]));
const names = table.schema.fields.map((field) => field.name);
console.log(JSON.stringify({
  columns: table.schema.fields.map((field) => [field.name, String(field.type)]),
  batches: table.batches.map((batch) => batch.numRows),
  rows: table.toArray().map((row) => names.map((name) => String(row[name]))),
}));
