// SPDX-License-Identifier: Apache-2.0
// One rank's own program, which the worker has.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { askLatest } from "./engine";
import * as format from "./format";
import type { Run } from "./model";
import type { Own } from "./protocol";
import { useSetting } from "./state";

export function OwnProgram(props: { run: Run }): JSX.Element {
  const { run } = props;
  const [text, setText] = useSetting("rank", "0");
  const [isOpen, setOpen] = useState(text !== "0");
  const rank = Math.max(0, Math.min(run.info.ranks - 1, Number.parseInt(text, 10) || 0));
  const [own, setOwn] = useState<Own | null>(null);
  useEffect(() => {
    if (isOpen) askLatest<"own">("own", run, { what: "own", rank }, setOwn);
  }, [run, isOpen, rank]);
  const same = own?.same ?? 0;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>one rank's own program</summary>
      {isOpen && (
        <>
          <div class="choices">
            <label>rank <input type="number" min={0} max={run.info.ranks - 1} value={rank} onChange={(event) => setText(event.currentTarget.value)} /></label>
            <span class="none">{same > 0 ? `${format.ranks(same)} ${same === 1 ? "has" : "have"} the same; ` : ""}rondo print --rank {rank} has the arguments</span>
          </div>
          <pre class="program own" tabIndex={0}>{!own ? "" : own.lines.length > 0 ? own.lines.join("\n") : "nothing was recorded of it"}{own?.isCut ? "\n…" : ""}</pre>
        </>
      )}
    </details>
  );
}
