// SPDX-License-Identifier: Apache-2.0
// A line of the program that a reader chose: its calls and its messages are lit in the other views.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ask } from "./engine";
import * as format from "./format";
import type { Run, Statement } from "./model";
import { useSetting } from "./state";
import type { Traffic } from "./protocol";

export interface Line { functionName: string; sites: string[]; text: string }

// All calls of the logical program, in the order of its text: a line is known by its place among them.
export function callsIn(run: Run): Extract<Statement, { call: string }>[] {
  const calls: Extract<Statement, { call: string }>[] = [];
  const add = (statements: Statement[]): void => {
    for (const statement of statements) {
      if ("call" in statement) calls.push(statement);
      else if ("body" in statement) add(statement.body);
    }
  };
  for (const procedure of run.logical?.procedures ?? []) add(procedure.statements);
  for (const program of run.logical?.programs ?? []) add(program.statements);
  return calls;
}

export function useLine(run: Run): [Line | null, number, (index: number) => void] {
  const [setting, set] = useSetting("line", "");
  const index = setting === "" ? -1 : Number.parseInt(setting, 10);
  const call = index >= 0 ? callsIn(run)[index] : undefined;
  const line = call ? { functionName: `mpi_${call.call}`, sites: call.sites ?? [], text: `${call.call} ${call.what}`.trim() } : null;
  return [line, line ? index : -1, (next) => set(next < 0 ? "" : String(next))];
}

export interface Lit { line: Line; traffic: Traffic }

export function useLit(run: Run): Lit | null {
  const [line, index] = useLine(run);
  const [lit, setLit] = useState<Lit | null>(null);
  useEffect(() => {
    if (!line) return setLit(null);
    let isWanted = true;
    ask<"traffic">(run, { what: "traffic", line }, (traffic) => { if (isWanted) setLit({ line, traffic }); });
    return () => { isWanted = false; };
  }, [run, index]);
  return lit;
}

export function LitNote(props: { run: Run; lit: Lit | null; isTimeline?: boolean }): JSX.Element | null {
  const [, , choose] = useLine(props.run);
  if (!props.lit) return null;
  const { line, traffic } = props.lit;
  const sites = line.sites.filter((site) => site !== "");
  const where = sites.length === 0 ? ": all calls of the function, as it is not known which of them stand here" : sites.length === 1 ? ` in ${sites[0]}` : "";
  const what = props.isTimeline ? `only the calls of ${traffic.calls > 0 ? "it" : "it, of which there are none in what is unfolded,"} are drawn`
    : traffic.whyNot !== "" ? `its messages cannot be told apart: ${traffic.whyNot}`
    : traffic.messages === 0 ? "no message is sent or ends with it"
    : `${format.whole(traffic.messages)} messages between ${format.whole(traffic.pairs)} pairs, the others are faint`;
  return (
    <p class="lit" role="status">
      Lit: <a href="#program">{line.text}</a>{where}; {what}.{" "}
      <button type="button" onClick={() => choose(-1)}>all again</button>
    </p>
  );
}
