// SPDX-License-Identifier: Apache-2.0
// Lets a worker unpack what the page is about and draws its views, in the order of the questions people ask.
import { render } from "preact";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Compare } from "./compare";
import { Heading } from "./heading";
import { Talk } from "./matrix";
import { greet, open } from "./engine";
import type { Report } from "./model";
import { Patterns } from "./patterns";
import { Program } from "./program";
import { Sizes } from "./sizes";
import { sectionOfAddress, setSection, useSetting } from "./state";
import { Time } from "./time";
import { Timeline } from "./timeline";
import { TopologyView } from "./topology";
import { WhatIf } from "./whatif";

const kSections: [string, string][] = [["time", "Time"], ["talk", "Who talks"], ["sizes", "Sizes"], ["topology", "Topology"], ["program", "Program"],
  ["patterns", "Patterns"], ["timeline", "Timeline"], ["whatif", "What if"]];

const kFirstLook = 30; // ms

function showTheme(theme: string): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  dispatchEvent(new Event("themechange"));
}

function Theme(): JSX.Element {
  const [theme, setTheme] = useSetting("theme", "system", ["system", "light", "dark"]);
  useEffect(() => {
    const print = matchMedia("print"); // paper is light
    const show = (): void => showTheme(print.matches ? "light" : theme);
    show();
    print.addEventListener("change", show);
    return () => print.removeEventListener("change", show);
  }, [theme]);
  return (
    <label class="choice">colours{" "}
      <select value={theme} onChange={(event) => setTheme(event.currentTarget.value)}>
        <option value="system">as the system</option><option value="light">light</option><option value="dark">dark</option>
      </select>
    </label>
  );
}

// A plain link would drop the settings that stand behind the section's name.
function go(event: MouseEvent, section: string): void {
  event.preventDefault();
  setSection(section);
  document.getElementById(section)?.scrollIntoView();
}

function onLink(event: MouseEvent): void {
  const link = (event.target as Element).closest?.("a[href^='#']");
  if (link) go(event, link.getAttribute("href")!.slice(1));
}

function namesOf(report: Report): string[] {
  return report.runs.map((run, i) => (report.runs.filter((each) => each.name === run.name).length > 1 ? `${run.name} (${i + 1})` : run.name));
}

function Page(props: { report: Report }): JSX.Element {
  const { report } = props;
  const names = namesOf(report);
  const [chosen, choose] = useSetting("run", "1");
  const index = Math.max(0, Math.min(report.runs.length - 1, Number.parseInt(chosen, 10) - 1 || 0));
  const run = report.runs[index]!;
  const [isWhole, setWhole] = useState(false); // what is seen first stands before the rest, which takes long of large runs
  useEffect(() => {
    document.documentElement.dataset["seen"] = "1";
    setTimeout(() => setWhole(true), kFirstLook);
  }, []);
  useEffect(() => {
    if (!isWhole) return;
    const section = sectionOfAddress();
    if (section !== "") document.getElementById(section)?.scrollIntoView();
    document.documentElement.dataset["ready"] = "1";
  }, [isWhole]);
  return (
    <div onClick={onLink}>
      <nav aria-label="Sections">
        <strong>Rondo</strong>
        {report.runs.length > 1 && (
          <label class="choice">run{" "}
            <select value={String(index + 1)} onChange={(event) => choose(event.currentTarget.value)}>
              {names.map((name, i) => <option key={i} value={String(i + 1)}>{name}</option>)}
            </select>
          </label>
        )}
        {report.runs.length > 1 && <a href="#compare">Compare</a>}
        {kSections.map(([id, title]) => <a key={id} href={`#${id}`}>{title}</a>)}
        <Theme />
      </nav>
      <main key={index}>
        <Heading run={run} />
        {report.runs.length > 1 && <Compare report={report} names={names} />}
        <Time run={run} />
        {isWhole && (
          <>
            <Talk run={run} />
            <Sizes run={run} />
            <TopologyView run={run} />
            <Program run={run} />
            <Patterns run={run} />
            <Timeline run={run} />
            <WhatIf run={run} />
          </>
        )}
        <footer>{run.info.recorder !== "" && `Recorded with ${run.info.recorder}. `}The page was written by Rondo, whose commands print the same numbers.</footer>
      </main>
    </div>
  );
}

// @param code  this program, for a worker
async function start(code: string): Promise<void> {
  const place = document.getElementById("page")!;
  const data = document.getElementById("data")!;
  try {
    const report = await open(code, data.textContent ?? "");
    data.remove();
    place.replaceChildren();
    render(<Page report={report} />, place);
  } catch (error) {
    place.textContent = `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}. `
      + "It needs a browser of 2023 or later.";
  }
}

// A worker runs this program, too; it has no document.
if (typeof document === "undefined") greet();
else void start(document.currentScript?.textContent ?? "");
