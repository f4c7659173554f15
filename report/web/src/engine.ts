// SPDX-License-Identifier: Apache-2.0
// The worker of a run, which several views ask.
import workerCode from "worker-code";
import type { Run } from "./model";
import type { Answer, Request } from "./worker";

type Question = Request extends infer R ? (R extends { id: number } ? Omit<R, "id"> : never) : never;

class Engine {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private readonly latest = new Map<string, (() => void) | null>(); // what to ask when the one under way is answered
  private number = 0;

  constructor(readonly run: Run) {
    const url = URL.createObjectURL(new Blob([workerCode], { type: "text/javascript" }));
    this.worker = new Worker(url);
    URL.revokeObjectURL(url);
    this.worker.onmessage = (event: MessageEvent<Answer>) => {
      this.waiting.get(event.data.id)?.(event.data);
      this.waiting.delete(event.data.id);
    };
    this.worker.postMessage({ what: "program", program: run.program } satisfies Request);
  }

  ask(question: Question, then: (answer: Answer) => void): void {
    this.waiting.set(++this.number, then);
    this.worker.postMessage({ ...question, id: this.number } as Request);
  }

  // Of questions of one kind that come before the last was answered only the newest is asked.
  askLatest(kind: string, question: Question, then: (answer: Answer) => void): void {
    const send = (): void => {
      this.latest.set(kind, null);
      this.ask(question, (answer) => {
        const next = this.latest.get(kind);
        this.latest.delete(kind);
        then(answer);
        next?.();
      });
    };
    if (this.latest.has(kind)) this.latest.set(kind, send);
    else send();
  }

  end(): void {
    this.worker.terminate();
  }
}

let current: Engine | undefined;

export function engineOf(run: Run): Engine {
  if (current?.run !== run) {
    current?.end();
    current = new Engine(run);
  }
  return current;
}
