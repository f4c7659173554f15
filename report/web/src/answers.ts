// SPDX-License-Identifier: Apache-2.0
// Answers of the worker as views use them.
import { useRef, useState } from "preact/hooks";
import { askLatest } from "./engine";
import type { Run } from "./model";
import type { Answers, Kind, QuestionOf } from "./protocol";

export interface Answered<K extends Kind> { question: QuestionOf<K>; answer: Answers[K] }

// Asks what is not what it asked last; when that is answered the view is drawn again.
// @return the latest that was answered, which may be to a question before
export function useAnswers<K extends Kind>(kind: string, run: Run): (question: QuestionOf<K>) => Answered<K> | null {
  const [answered, setAnswered] = useState<Answered<K> | null>(null);
  const asked = useRef("");
  return (question) => {
    const key = JSON.stringify(question);
    if (key !== asked.current) {
      asked.current = key;
      askLatest<K>(kind, run, question, (answer) => setAnswered({ question, answer }));
    }
    return answered;
  };
}
