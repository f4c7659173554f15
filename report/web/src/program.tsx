// SPDX-License-Identifier: Apache-2.0
// The logical program as text that folds up, with the share of calls and of computation beside each line;
// and each rank's own program.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import * as format from "./format";
import { callsIn, useLine } from "./lit";
import type { Logical, Procedure, Run, Statement } from "./model";
import { OwnProgram } from "./own-program";
import { useSetting } from "./state";
import { Bar, Choice, Section } from "./widgets";

interface Weights { calls: number; computation_ns: number; inside_ns: number }
type Quantity = keyof Weights;
const kNothing: Weights = { calls: 0, computation_ns: 0, inside_ns: 0 };

// A body that calls procedures has no sum of its own: their calls are counted where they are written.
function hasSum(statements: Statement[]): boolean {
  return statements.every((s) => ("body" in s ? hasSum(s.body) : !("procedure" in s)));
}

function weightsOf(statement: Statement): Weights {
  if ("call" in statement) {
    const { executions, before_ns, inside_ns } = statement;
    return { calls: executions, computation_ns: executions * before_ns, inside_ns: executions * inside_ns };
  }
  if (!("body" in statement)) return kNothing; // of procedures: where they are written
  return sumOf(statement.body);
}

const plus = (a: Weights, b: Weights): Weights => ({ calls: a.calls + b.calls, computation_ns: a.computation_ns + b.computation_ns, inside_ns: a.inside_ns + b.inside_ns });

function sumOf(statements: Statement[]): Weights {
  return statements.map(weightsOf).reduce(plus, kNothing);
}

function inBrackets(words: string[]): string {
  return words.length > 0 ? `(${words.join(", ")})` : "";
}

// In the order of the parameters, as the JSON has names in the order of the alphabet.
function callOf(statement: { procedure: string; arguments?: Record<string, string> }, called: Procedure | undefined): string {
  const given = statement.arguments ?? {};
  return `call ${statement.procedure}${inBrackets((called?.parameters ?? []).filter((name) => name in given).map((name) => `${name}=${given[name]}`))}`;
}

function headOf(statement: Statement, procedures: Map<string, Procedure>): string {
  if ("loop" in statement) return `${statement.head}:`;
  if ("if" in statement) return statement.if.startsWith("rank") ? `${statement.if}:` : `if ${statement.if}:`;
  if ("phase" in statement) return `phase ${statement.phase}: ${statement.topologies.join(", ")}`;
  if ("procedure" in statement) return callOf(statement, procedures.get(statement.procedure));
  const what = statement.what === "" ? "" : ` ${statement.what}`;
  return `${statement.call}${what}${statement.remarks.length > 0 ? `  ${statement.remarks.join("  ")}` : ""}`;
}

interface Shared {
  all: Weights; show: Quantity; find: string; numbers: Map<Statement, number>; line: number;
  choose: (line: number) => void; procedures: Map<string, Procedure>;
}
interface LineProps extends Shared { statement: Statement; depth: number; isCopy: boolean } // of a procedure: without shares

function Fold(props: { text: string; isOpen: boolean; toggle: () => void }): JSX.Element {
  return <button type="button" class="fold" aria-expanded={props.isOpen} onClick={props.toggle}>{props.isOpen ? "▾" : "▸"} {props.text}</button>;
}

function Leaf(props: { text: string; number: number | undefined; shared: Shared }): JSX.Element {
  const { number, shared } = props;
  if (number === undefined) return <span class="leaf">{props.text}</span>;
  const isLit = shared.line === number;
  return <button type="button" class={`leaf fold${isLit ? " chosen" : ""}`} aria-pressed={isLit} title="light its messages and calls in the other views"
    onClick={() => shared.choose(isLit ? -1 : number)}>{isLit ? "● " : ""}{props.text}</button>;
}

// Of a call means, of what has calls in it sums over all ranks.
function remarkOf(statement: Statement | null, weights: Weights): string {
  const calls = format.calls(weights.calls);
  if (weights.computation_ns + weights.inside_ns === 0) return calls;
  if (statement && "call" in statement)
    return `${calls}, ${format.duration(statement.inside_ns)} each, ${format.duration(statement.before_ns)} of computation before it`;
  return `${calls}, ${format.duration(weights.inside_ns)} inside MPI, ${format.duration(weights.computation_ns)} of computation, of all ranks`;
}

function Line(props: LineProps): JSX.Element {
  const { statement, depth, all, show, find, isCopy } = props;
  const isCall = "procedure" in statement;
  const [isOpen, setOpen] = useState(depth < 6 && !isCall);
  const weights = weightsOf(statement);
  const share = all[show] > 0 ? weights[show] / all[show] : 0;
  const text = headOf(statement, props.procedures);
  const isFound = find !== "" && text.toLowerCase().includes(find.toLowerCase());
  const isUnsummed = "body" in statement && !hasSum(statement.body);
  const isBare = isCopy || isCall || "phase" in statement || isUnsummed;
  const remark = isCall ? "counted where it is written" : remarkOf(statement, weights);
  const at = "call" in statement && statement.at ? `, ${statement.at}` : "";
  const body = "body" in statement ? statement.body : isCall ? props.procedures.get(statement.procedure)?.statements : undefined;
  return (
    <>
      <div class={`line${isFound ? " found" : ""}`}>
        <span class="share">{!isBare && <Bar share={share} />}<span class="sum">{isBare ? "" : format.percent(share)}</span></span>
        <code style={{ paddingLeft: `${depth * 1.4}em` }}>
          {body ? <Fold text={text} isOpen={isOpen} toggle={() => setOpen(!isOpen)} /> : <Leaf text={text} number={props.numbers.get(statement)} shared={props} />}
          <span class="aside" data-calls={"call" in statement && !isCopy ? `${statement.call} ${statement.executions}` : undefined}>{isBare && !isCall ? "" : `  # ${remark}${at}`}</span>
        </code>
      </div>
      {body && isOpen && body.map((inner, i) => <Line key={i} {...props} statement={inner} depth={depth + 1} isCopy={isCopy || isCall} />)}
    </>
  );
}

function ProcedureText(props: Shared & { procedure: Procedure }): JSX.Element {
  const { name, parameters, statements } = props.procedure;
  const [isOpen, setOpen] = useState(true);
  const weights = sumOf(statements);
  const share = props.all[props.show] > 0 ? weights[props.show] / props.all[props.show] : 0;
  const isSummed = hasSum(statements);
  return (
    <div class="procedure">
      <div class="line">
        <span class="share">{isSummed && <Bar share={share} />}<span class="sum">{isSummed ? format.percent(share) : ""}</span></span>
        <code><Fold text={`procedure ${name}${inBrackets(parameters)}:`} isOpen={isOpen} toggle={() => setOpen(!isOpen)} />
          <span class="aside">{!isSummed ? "" : `  # ${remarkOf(null, weights)}`}</span></code>
      </div>
      {isOpen && statements.map((statement, i) => <Line key={i} {...props} statement={statement} depth={1} isCopy={false} />)}
    </div>
  );
}

function Text(props: { run: Run; logical: Logical }): JSX.Element {
  const { run, logical } = props;
  const [find, setFind] = useState("");
  const [show] = useSetting("program.show", "calls", ["calls", "inside_ns", "computation_ns"]);
  const [, line, choose] = useLine(run);
  const numbers = useMemo(() => new Map<Statement, number>(callsIn(run).map((call, i) => [call, i])), [run]);
  const procedures = useMemo(() => new Map(logical.procedures.map((procedure) => [procedure.name, procedure])), [logical]);
  const all = useMemo(() => sumOf([...logical.procedures, ...logical.programs].flatMap((part) => part.statements)), [logical]);
  const shared: Shared = { all, show: show as Quantity, find, numbers, line, choose, procedures };
  return (
    <>
      <div class="choices">
        {all.computation_ns + all.inside_ns > 0 && <Choice label="share of" setting="program.show" options={[["calls", "calls"], ["inside_ns", "time inside MPI"], ["computation_ns", "computation before calls"]]} />}
        <label>find <input type="search" value={find} onInput={(event) => setFind(event.currentTarget.value)} /></label>
      </div>
      <div class="program scroll" tabIndex={0} role="region" aria-label="logical program">
        {logical.topologies.map((t) => <div class="line on" key={t.name}><span class="share" /><code># on {t.name}: {t.directions.join(", ")}</code></div>)}
        {logical.procedures.map((procedure) => <ProcedureText key={procedure.name} {...shared} procedure={procedure} />)}
        {logical.programs.map((program, i) => (
          <div key={i}>
            {program.ranks && <div class="line"><span class="share" /><code>{program.ranks}:</code></div>}
            {program.statements.map((statement, k) => <Line key={k} {...shared} statement={statement} depth={program.ranks ? 1 : 0} isCopy={false} />)}
          </div>
        ))}
      </div>
      <p class="under hint">choose a call to light its messages and calls in the matrix, the topology and the timeline</p>
    </>
  );
}

export function Program(props: { run: Run }): JSX.Element {
  const { run } = props;
  const { logical } = run;
  if (!logical) {
    return (
      <Section id="program" title="The program" lead={run.left_out.find((text) => text.includes("logical")) ?? "There is none."}>
        <OwnProgram run={run} />
      </Section>
    );
  }
  const off = logical.off_topology.calls;
  const lead = `What all ranks do, in ${format.whole(logical.records)} records: peers are named by their direction. `
    + (logical.led ? `Ranks are counted from the one that leads, which changes from step to step: led ${logical.led}. ` : "")
    + (off > 0 ? `${format.count(off)} point-to-point calls are off the topology${logical.lossless ? "" : " and left out"}.` : "");
  return (
    <Section id="program" title="The program" lead={lead}>
      <Text run={run} logical={logical} />
      <OwnProgram run={run} />
    </Section>
  );
}
