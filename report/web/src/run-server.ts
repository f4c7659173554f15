// SPDX-License-Identifier: Apache-2.0
// What the worker knows of a run, and how it answers: by the run in time, its matrices, and its graphs.
import type { Layout, Part, Run, RunDocument, ScenePart } from "./model";
import { ownProgram } from "./own-lines";
import { factsOf, heaviest, type IsLit, levelsOf, type Matrix, matrixOf, pairIndex, valuesBy } from "./pairs";
import type { Answers, Kind, Question, QuestionOf, WantedLine, WhichMatrix } from "./protocol";
import { Running } from "./running";
import { Scene } from "./scene";
import { scheduleOf } from "./schedule";
import { Simulation } from "./simulate";
import { levelsAt, type Squares, squaresOf } from "./squares";

const kMostPyramids = 4; // that are kept: a matrix in two orders, as it was shown before and is now

const isIdentity = (order: ArrayLike<number>): boolean => {
  for (let i = 0; i < order.length; ++i) if (order[i] !== i) return false;
  return true;
};

// The place of each rank; null where that is its number.
function placesOf(order: ArrayLike<number>, ranks: number): Int32Array | null {
  if (order.length !== ranks || isIdentity(order)) return null;
  const places = new Int32Array(ranks);
  for (let i = 0; i < ranks; ++i) places[order[i]!] = i;
  return places;
}

export class RunServer {
  private readonly running: Running;
  private readonly matrices: Partial<Record<WhichMatrix, Matrix>> = {};
  private readonly places: Int32Array | null;
  private readonly pyramids = new Map<string, Squares[]>(); // by what they show, the latest last
  private readonly scenes = new Map<string, Scene>();

  constructor(private readonly document: RunDocument) {
    this.running = new Running(document.program);
    this.places = placesOf(document.topology.layout.order, document.matrix.ranks);
  }

  // What the page has of it.
  run(index: number): Run {
    const { matrix, matrix_with_collectives: more, program, schedule, topology, ...rest } = this.document;
    const { layout, coordinates: _, parts, phases, ...named } = topology;
    const partOf = (kind: string) => (part: Part, i: number): ScenePart => {
      const { pairs, layout: own, coordinates: __, ...facts } = part;
      return { ...facts, ...(pairs && own ? { pairs: factsOf(matrixOf(pairs)), layout: this.scene(`${kind}${i + 1}`).facts } : {}) };
    };
    return { ...rest, index, whyNotPlayed: schedule ? schedule.why_not ?? "" : "the page has no more of it", matrix: factsOf(this.matrix("matrix")), isMeasured: (program.stamps ?? []).length > 0,
      ...(more ? { matrix_with_collectives: factsOf(this.matrix("matrix_with_collectives")) } : {}),
      topology: { ...named, layout: this.scene("whole").facts, order: this.places && Int32Array.from(layout.order),
        ...(parts ? { parts: parts.map(partOf("part")) } : {}), ...(phases ? { phases: phases.map(partOf("phase")) } : {}) } };
  }

  forget(): void {
    this.pyramids.clear();
  }

  private matrix(which: WhichMatrix): Matrix {
    return (this.matrices[which] ??= matrixOf(this.document[which] ?? this.document.matrix));
  }

  // "whole", "part3" or "phase1"
  private scene(key: string): Scene {
    let scene = this.scenes.get(key);
    if (!scene) this.scenes.set(key, (scene = this.madeScene(key)));
    return scene;
  }

  private madeScene(key: string): Scene {
    const { topology } = this.document;
    const [, kind, number] = /^(part|phase)(\d+)$/.exec(key) ?? [];
    const part = kind ? topology[kind === "part" ? "parts" : "phases"]?.[Number(number) - 1] : undefined;
    if (!part?.pairs || !part.layout) return new Scene(topology.layout, this.matrix("matrix"), topology.coordinates);
    return new Scene(part.layout as Layout, matrixOf(part.pairs), part.coordinates);
  }

  private litBy(line: WantedLine | null): IsLit | null {
    const lit = line && this.running.litBy(line);
    return lit && lit.traffic.messages > 0 ? lit.isLit : null;
  }

  private pyramid({ of, quantity, shades, isByPlace, line }: QuestionOf<"squares">): Squares[] {
    const key = JSON.stringify([of, quantity, shades, isByPlace, line]);
    let squares = this.pyramids.get(key);
    this.pyramids.delete(key);
    if (!squares) {
      const matrix = this.matrix(of);
      const levels = levelsOf(matrix, matrix[valuesBy(quantity)], shades, this.litBy(line));
      squares = squaresOf(matrix, isByPlace ? this.places : null, levels);
      if (this.pyramids.size >= kMostPyramids) this.pyramids.delete(this.pyramids.keys().next().value!);
    }
    this.pyramids.set(key, squares);
    return squares;
  }

  private squares(question: QuestionOf<"squares">): Answers["squares"] {
    const { view, pixels } = question;
    const { ranks } = this.matrix(question.of);
    const [width, height] = [Math.round(pixels.width * pixels.ratio), Math.round(pixels.height * pixels.ratio)];
    const gap = (width * view.zoom) / ranks >= 10 ? Math.round(pixels.ratio) : 0;
    return { width, height, levels: levelsAt(this.pyramid(question), ranks, { ...view, width, height, gap }) };
  }

  private pair({ of, source, destination }: QuestionOf<"pair">): Answers["pair"] {
    const matrix = this.matrix(of);
    const i = pairIndex(matrix, source, destination);
    return i === undefined ? null : { messages: matrix.messages[i]!, bytes: matrix.bytes[i]! };
  }

  private pairs({ of, most }: QuestionOf<"pairs">): Answers["pairs"] {
    const matrix = this.matrix(of);
    const chosen = heaviest(matrix, most);
    return { source: Int32Array.from(chosen, (i) => matrix.source[i]!), destination: Int32Array.from(chosen, (i) => matrix.destination[i]!),
      messages: Float64Array.from(chosen, (i) => matrix.messages[i]!), bytes: Float64Array.from(chosen, (i) => matrix.bytes[i]!) };
  }

  private simulation: Simulation | undefined;

  private predict({ networks, most }: QuestionOf<"predict">): Answers["predict"] {
    const { schedule } = this.document;
    if (!schedule || schedule.why_not !== undefined) return [];
    this.simulation ??= new Simulation(scheduleOf(schedule));
    const found: Answers["predict"] = [];
    for (const start = performance.now(); found.length < networks.length && (found.length === 0 || performance.now() - start < most);)
      found.push(this.simulation.play(networks[found.length]!));
    return found;
  }

  answer(question: Question): Answers[Kind] {
    switch (question.what) {
      case "rows": return this.running.rows(question);
      case "traffic": return this.running.litBy(question.line).traffic;
      case "call": return this.running.call(question);
      case "calls": return this.running.calls(question);
      case "own": return ownProgram(this.document.program, question.rank);
      case "squares": return this.squares(question);
      case "pair": return this.pair(question);
      case "pairs": return this.pairs(question);
      case "graph": return this.scene(question.scene).draw(question, this.litBy(question.line));
      case "rank": return this.scene(question.scene).rank(question);
      case "places": return this.scene(question.scene).places();
      case "predict": return this.predict(question);
    }
  }
}
