// SPDX-License-Identifier: Apache-2.0
// The logical program as text that folds up, with the share of calls and of computation beside each line.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import * as format from "./format";
import type { Logical, Run, Statement } from "./model";
import { useSetting } from "./state";
import { Bar, Choice, Section } from "./widgets";

interface Weights { calls: number; computation_ns: number }

function weightsOf(statement: Statement): Weights {
  if ("call" in statement) return { calls: statement.executions, computation_ns: statement.executions * statement.before_ns };
  if (!("body" in statement)) return { calls: 0, computation_ns: 0 };
  return sumOf(statement.body);
}

function sumOf(statements: Statement[]): Weights {
  return statements.map(weightsOf).reduce((a, b) => ({ calls: a.calls + b.calls, computation_ns: a.computation_ns + b.computation_ns }),
    { calls: 0, computation_ns: 0 });
}

function headOf(statement: Statement): string {
  if ("loop" in statement) return `loop ${statement.loop}:`;
  if ("if" in statement) return statement.if.startsWith("rank") ? `${statement.if}:` : `if ${statement.if}:`;
  if ("phase" in statement) return `phase ${statement.phase}: ${statement.topologies.join(", ")}`;
  const what = statement.what === "" ? "" : ` ${statement.what}`;
  return `${statement.call}${what}${statement.remarks.length > 0 ? `  ${statement.remarks.join("  ")}` : ""}`;
}

interface LineProps { statement: Statement; depth: number; all: Weights; show: "calls" | "computation_ns"; find: string }

function Line(props: LineProps): JSX.Element {
  const { statement, depth, all, show, find } = props;
  const [isOpen, setOpen] = useState(depth < 6);
  const weights = weightsOf(statement);
  const share = all[show] > 0 ? weights[show] / all[show] : 0;
  const text = headOf(statement);
  const isFound = find !== "" && text.toLowerCase().includes(find.toLowerCase());
  const remark = show === "calls" ? `${format.whole(weights.calls)} calls`
    : "call" in statement ? `${format.duration(statement.before_ns)} before each` : format.duration(weights.computation_ns);
  const hasBody = "body" in statement;
  return (
    <>
      <div class={`line${isFound ? " found" : ""}`} title={remark}>
        <span class="share"><Bar share={share} /><span class="sum">{"phase" in statement ? "" : format.percent(share)}</span></span>
        <code style={{ paddingLeft: `${depth * 1.4}em` }}>
          {hasBody
            ? <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>{isOpen ? "▾" : "▸"} {text}</button>
            : <span class="leaf">{text}</span>}
          <span class="aside">{"phase" in statement ? "" : `  # ${remark}`}</span>
        </code>
      </div>
      {hasBody && isOpen && statement.body.map((inner, i) => <Line key={i} {...props} statement={inner} depth={depth + 1} />)}
    </>
  );
}

function Text(props: { logical: Logical }): JSX.Element {
  const { logical } = props;
  const [find, setFind] = useState("");
  const [show] = useSetting("program.show", "calls", ["calls", "computation_ns"]);
  const all = sumOf(logical.programs.flatMap((program) => program.statements));
  return (
    <>
      <div class="choices">
        {all.computation_ns > 0 && <Choice label="share of" setting="program.show" options={[["calls", "calls"], ["computation_ns", "computation before calls"]]} />}
        <label>find <input type="search" value={find} onInput={(event) => setFind(event.currentTarget.value)} /></label>
      </div>
      <div class="program scroll" tabIndex={0} role="region" aria-label="logical program">
        {logical.topologies.map((t) => <div class="line on" key={t.name}><span class="share" /><code># on {t.name}: {t.directions.join(", ")}</code></div>)}
        {logical.programs.map((program, i) => (
          <div key={i}>
            {program.ranks && <div class="line"><span class="share" /><code>{program.ranks}:</code></div>}
            {program.statements.map((statement, k) => (
              <Line key={k} statement={statement} depth={program.ranks ? 1 : 0} all={all} show={show as "calls"} find={find} />
            ))}
          </div>
        ))}
      </div>
    </>
  );
}

export function Program(props: { run: Run }): JSX.Element {
  const { logical } = props.run;
  if (!logical) return <Section id="program" title="The program" lead={props.run.left_out.find((text) => text.includes("logical")) ?? "There is none."}>{null}</Section>;
  const off = logical.off_topology.calls;
  const lead = `What all ranks do, in ${format.whole(logical.records)} records: peers are named by their direction. `
    + (off > 0 ? `${format.count(off)} point-to-point calls are off the topology${logical.lossless ? "" : " and left out"}.` : "");
  return <Section id="program" title="The program" lead={lead}><Text logical={logical} /></Section>;
}
