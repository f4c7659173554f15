// SPDX-License-Identifier: Apache-2.0
// The page's side of the worker, which all views ask. It runs the page's own program, so that the file has it once.
import type { Report, Run } from "./model";
import type { Answers, Kind, Message, QuestionOf, Reply } from "./protocol";
import { serve } from "./worker";

const kPatience = 5000; // ms until a worker has said that it is there

type Wait = { then: (answer: never) => void; fail: ((why: string) => void) | undefined };
const waiting = new Map<number, Wait>();
const latest = new Map<string, (() => void) | null>(); // what to ask when the one under way is answered
let number = 0;
let post: (message: Message) => void = () => undefined;

function onReply({ id, answer, trouble }: Reply): void {
  const wait = waiting.get(id);
  waiting.delete(id);
  if (waiting.size === 0) delete document.documentElement.dataset["asking"];
  if (trouble === undefined) wait?.then(answer as never);
  else if (wait?.fail) wait.fail(trouble);
  else throw new Error(trouble);
}

export function greet(): void {
  const handle = serve((reply) => postMessage(reply));
  onmessage = (event: MessageEvent<Message>) => void handle(event.data);
  postMessage({ id: 0 } satisfies Reply);
}

// A worker that has greeted; null where the browser refuses it.
function started(code: string): Promise<Worker | null> {
  return new Promise((then) => {
    try {
      const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
      const worker = new Worker(url);
      const refused = (): void => {
        worker.terminate();
        then(null);
      };
      const timer = setTimeout(refused, kPatience);
      worker.onerror = (event) => {
        event.preventDefault();
        refused();
      };
      worker.onmessage = () => {
        clearTimeout(timer);
        URL.revokeObjectURL(url);
        worker.onerror = null;
        then(worker);
      };
    } catch {
      then(null);
    }
  });
}

// @param code  the page's program
export async function open(code: string, text: string): Promise<Report> {
  const worker = await started(code);
  if (worker) {
    worker.onmessage = (event: MessageEvent<Reply>) => onReply(event.data);
    post = (message) => worker.postMessage(message);
  } else {
    const handle = serve(onReply);
    post = (message) => setTimeout(() => void handle(message)); // as late as from a worker
  }
  document.documentElement.dataset["worker"] = worker ? "beside" : "none";
  return new Promise((then, fail) => {
    waiting.set(++number, { then, fail: (why) => fail(new Error(why)) });
    post({ id: number, what: "open", text });
  });
}

export function ask<K extends Kind>(run: Run, question: QuestionOf<K>, then: (answer: Answers[K]) => void): void {
  document.documentElement.dataset["asking"] = "1"; // what is shown may not be what is wanted
  waiting.set(++number, { then, fail: undefined });
  post({ id: number, what: "ask", run: run.index, question });
}

// Of questions of one kind that come before the last was answered only the newest is asked.
export function askLatest<K extends Kind>(kind: string, run: Run, question: QuestionOf<K>, then: (answer: Answers[K]) => void): void {
  const send = (): void => {
    latest.set(kind, null);
    ask<K>(run, question, (answer) => {
      const next = latest.get(kind);
      latest.delete(kind);
      then(answer);
      next?.();
    });
  };
  if (latest.has(kind)) latest.set(kind, send);
  else send();
}
