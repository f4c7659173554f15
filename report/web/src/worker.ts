// SPDX-License-Identifier: Apache-2.0
// Holds what is large of the page's data, and unfolds, plays and bins it beside the page, so that the page stays quick.
// Where a browser refuses workers the page does this itself.
import { decode } from "./decode";
import type { Report, ReportDocument } from "./model";
import type { Message, Reply } from "./protocol";
import { RunServer } from "./run-server";

// @return what takes messages
export function serve(reply: (reply: Reply) => void): (message: Message) => Promise<void> {
  let document: ReportDocument | undefined;
  const servers: RunServer[] = [];
  let latest = -1;
  const serverOf = (run: number): RunServer => {
    if (run !== latest) servers[latest]?.forget(); // what was made for views of another run
    latest = run;
    return servers[run]!;
  };
  const open = async (text: string): Promise<Report> => {
    document = await decode(text);
    servers.push(...document.runs.map((run) => new RunServer(run)));
    return { ...document, runs: servers.map((server, index) => server.run(index)) };
  };
  return async (message) => {
    try {
      reply({ id: message.id, answer: message.what === "open" ? await open(message.text) : serverOf(message.run).answer(message.question) });
    } catch (error) {
      reply({ id: message.id, trouble: error instanceof Error ? error.message : String(error) });
    }
  };
}
