// SPDX-License-Identifier: Apache-2.0
// The document that `rondo report --json` writes, as far as the page reads it, and what the page has of it: all but what is
// large, which stays with the worker. Everything in it is untrusted: it is shown as text only.

export type Numbers = ArrayLike<number>; // typed arrays, where they are long
export interface Site { text: string; module?: string; offset?: number; function?: string; file?: string; line?: number }
export interface Spread { sum: number; least: number; mean: number; most: number; least_rank: number; most_rank: number }
export interface CallRow {
  function: string; site?: Site; is_start_or_end: boolean;
  calls: Spread; bytes: Spread; inside_mpi_ns: Spread;
}
export interface Ending { ranks: Numbers; kind: string; detail?: number; text: string; in_call?: string; in_call_ns?: number }
export interface Info {
  command: string; mpi: string; recorder: string; ranks: number; complete: boolean; notes: string;
  calls: number; span_ns: number; share_inside_mpi: number; archive_bytes: number; terms: number;
  hosts?: { name: string; ranks: number[] }[]; executables?: { name: string; ranks: number[] }[]; endings?: Ending[];
  cost: { per_call_ns: number; share_of_run: number };
  waited_for_processor_ns: number;
  shared_processors?: { host: string; ranks: number; processors: number; waited_for_processor_ns: number };
}
export interface WaitState { kind: string; function: string; site?: Site; seconds: number; waits: number; worst_rank: number; worst_seconds: number }
export interface Cause { what: string; rank: number; thread: number; function: string; site?: Site; seconds: number; direct_seconds: number }
export interface Balanced { function: string; site?: Site; mean_seconds: number; most_seconds: number; most_rank: number; balanced_runtime_seconds: number;
  instead_of_seconds: number; won_share: number }
export interface Even { runtime_seconds: number; instead_of_seconds: number; won_share: number }
export interface EvenAt extends Even { function: string; site?: Site; mostly_slowest_rank?: number }
export interface EvenInAll extends Even { mean_seconds: number }
export interface Efficiency {
  name: string; ranks: number; runtime_seconds: number; ideal_runtime_seconds: number | null; parallel_efficiency: number; load_balance: number;
  communication_efficiency: number; serialisation_efficiency: number | null; transfer_efficiency: number | null;
  by_rank: { useful_seconds?: Numbers; inside_mpi_seconds?: Numbers; startup_seconds?: Numbers; threads?: Numbers };
  waits: null | {
    measured: boolean; seconds: number; run_seconds: number; by_kind_seconds: Record<string, number>;
    by_rank_seconds: Numbers; by_rank_and_kind_seconds: Record<string, Numbers>; states: WaitState[]; causes: Cause[]; states_in_all: number; causes_in_all: number;
  };
  if_balanced: Balanced[]; if_even_in_each_pass?: EvenAt; if_at_once?: EvenAt; if_waited_later?: EvenAt; if_even_in_all?: EvenInAll; doubts: string[]; why_no_waits?: string;
}
export interface Columns {
  ranks: number; source_differences: Numbers; destination_offsets: Numbers; messages: Numbers; bytes: Numbers;
}
export interface Layout { x: Numbers; y: Numbers; order: Numbers; drawn_as: string }
export interface Part {
  where: string; topology: string; messages: number; bytes: number; direction: string; aliases?: { topology: string }[];
  pairs?: Columns; layout?: Layout; coordinates?: number[][] | PackedRows; // of runs of few ranks
}
export interface Topology {
  traffic: { collective_bytes_not_counted: number };
  topology: string; recognized: boolean; mixture: string[]; light: string[]; numbering: string; silent_ranks: number;
  aliases: { topology: string }[]; messages_explained: number; bytes_explained: number; speaks_of: string; not_counted: string;
  filtered: { pairs: number; messages: number; bytes: number }; to_self: Traffic; parts?: Part[]; phases?: Part[]; coordinates?: number[][] | PackedRows;
  degrees: { least: number; most: number; mean: number }; direction: string;
  offsets?: { offset: number[]; pairs: number; forward: Traffic; backward: Traffic }[];
  layout: Layout;
}
export interface Traffic { messages: number; bytes: number }
export type Statement =
  | { loop: string; head: string; body: Statement[] } // "in every 5th round" of "0..1 (every 5th)"
  | { if: string; body: Statement[] }
  | { phase: number; topologies: string[]; communicators: string[] }
  | { procedure: string; arguments?: Record<string, string> }
  | { call: string; what: string; remarks: string[]; executions: number; before_ns: number; inside_ns: number; at?: string; sites?: string[] };
export interface Procedure { name: string; parameters: string[]; statements: Statement[] }
export interface Logical {
  program: string; records: number; lossless: boolean; led?: string; topologies: { name: string; directions: string[] }[];
  procedures: Procedure[]; programs: { ranks?: string; statements: Statement[] }[]; off_topology: { calls: number; bytes: number };
}
export interface Documented { name: string; what: string; evidence: string[]; collective: string; times: number }
export interface PatternPlace { rank: number; site: string; phase: string; executions: number; first_call: number; last_call: number }
export interface PatternPart { rank: number; events: string[]; executions: number; site: string }
export interface PatternLink { from_part: number; from_event: number; to_part: number; to_event: number; messages: number; bytes: number }
export interface Pattern {
  number: number; advice?: string[]; bytes: number; messages: number; executions: number; occurrences: number; direction: string;
  documented?: Documented[]; topology: string; ranks: number; inside_mpi_ns: number; places?: PatternPlace[]; parts?: PatternPart[];
  collective_bytes: number; links?: PatternLink[]; links_in_all?: number; parts_in_all?: number; is_cut?: boolean; // of patterns of which some ranks stand for all
}
export interface Sweep { why_not?: string; predictions?: Prediction[] }
export interface Prediction {
  network: Record<string, unknown>; predicted_seconds: number; computing_seconds: number;
  communicating_seconds: number; waiting_seconds: number;
}
export interface SizeBin {
  above_bytes: number | null; up_to_bytes: number | null; point_to_point_messages: number; point_to_point_bytes: number;
  one_sided_messages: number; one_sided_bytes: number; collective_calls: number; collective_bytes: number;
}
export interface Density { minimum: number; maximum: number; mean: number }
export interface Stats {
  ranks: number; pairs: number; share_of_pairs: number;
  message_density: { total_messages: number; messages_per_pair: Density; messages_per_rank: Density };
  data_density: { total_bytes: number; bytes_per_pair: Density; bytes_per_rank: Density };
  collectives_against_point_to_point: {
    point_to_point_messages: number; point_to_point_bytes: number; one_sided_messages: number; one_sided_bytes: number;
    collective_calls: number; collective_bytes: number; collective_share_of_calls: number; collective_share_of_bytes: number;
  };
  collectives: { function: string; calls: number; bytes: number }[];
  message_sizes: SizeBin[];
}
export interface NestData { top: Numbers; loops: { body: Numbers; counts: ColumnData }[] }
export interface ColumnData { runs?: Numbers; values?: Numbers; first?: number; differences?: Numbers; nest?: NestData }
export interface ClassData {
  ranks: Numbers; calls: [number, number][]; nest: NestData; places: [number, number, number, number, number][]; // call before, call, mean computation and time inside, least inside
  computation_ns?: Numbers[]; inside_ns?: Numbers[];
}
export interface DependenceData {
  why_not?: string; of_rank?: Numbers;
  columns?: {
    sends: Record<"call" | "receiver", ColumnData>; receipts: Record<"call" | "sender" | "skipped", ColumnData>;
    parts: Record<"call" | "began" | "comm" | "waits_for" | "root", ColumnData>;
  }[];
}
export interface Folded {
  functions: string[]; sites: string[]; classes: ClassData[]; spans_ns: Numbers;
  stamps?: { rank: number; begins_ns: number; gaps_ns: Numbers; inside_ns: Numbers }[];
  dependences: DependenceData;
}
export interface ScheduleData {
  why_not?: string; kinds: Numbers; peers: Numbers; bytes: Numbers; numbers: Numbers; columns: ColumnData[]; of_rank: Numbers;
  computing: { ns: Numbers; which: ColumnData }[]; computing_of_rank: Numbers;
}
export interface RunDocument {
  name: string; info: Info; efficiency: Efficiency; topology: Topology; stats: Stats; matrix: Columns;
  matrix_with_collectives?: Columns; functions: CallRow[]; sites: CallRow[]; logical?: Logical;
  patterns?: { patterns: Pattern[] }; sweep?: Sweep; schedule?: ScheduleData; left_out: string[]; loss: string[]; program: Folded;
}
export interface ScaledRun {
  name: string; ranks: number; runtime_seconds: number; ideal_runtime_seconds: number | null; parallel_efficiency: number; load_balance: number;
  communication_efficiency: number; computation_scalability: number | null; global_efficiency: number | null; speedup: number;
}
export interface ReportDocument { schema: number; runs: RunDocument[]; scaling?: { scaling: string; runs: ScaledRun[] } }

// What the page has instead of what stays with the worker.
export interface Extent { left: number; top: number; width: number; height: number }
export interface LayoutFacts { drawn_as: string; count: number; extent: Extent }
export interface MatrixFacts { ranks: number; pairs: number; least: Record<"messages" | "bytes", number>; most: Record<"messages" | "bytes", number> }
export interface ScenePart extends Omit<Part, "pairs" | "layout" | "coordinates"> { pairs?: MatrixFacts; layout?: LayoutFacts }
export interface SceneTopology extends Omit<Topology, "layout" | "coordinates" | "parts" | "phases"> {
  layout: LayoutFacts; order: Int32Array | null; // of ranks by their places, where it is not that of their numbers
  parts?: ScenePart[]; phases?: ScenePart[];
}
export interface Run extends Omit<RunDocument, "matrix" | "matrix_with_collectives" | "program" | "schedule" | "topology"> {
  index: number; whyNotPlayed: string; // in the page, on networks of the reader's choice; empty: it is
  matrix: MatrixFacts; matrix_with_collectives?: MatrixFacts; topology: SceneTopology; isMeasured: boolean;
}
export interface Report extends Omit<ReportDocument, "runs"> { runs: Run[] }

export interface PackedRows { rows: number; flat: Numbers } // the first numbers of all rows, then the second ones, ...

// A row of a list of lists, which of 10^6 ranks would be as many lists.
export function rowOf(list: number[][] | PackedRows | undefined, i: number): number[] {
  if (list === undefined || Array.isArray(list)) return list?.[i] ?? [];
  return Array.from({ length: list.flat.length / list.rows }, (_, k) => list.flat[k * list.rows + i]!);
}
