// The answers of a session: the JSON documents of the command line. The test `types_are_written_from_declarations`
// writes this file.
//
// Names that end in `_ps` are picoseconds, `pct_` and `_pct` are percentages, and `null` is an absent value. The command line
// may add fields, so do not rely on a list of all fields. `json()` has whole numbers above 2⁵³ exactly, such as
// nanoseconds since 1970, which a number of JavaScript rounds.

export interface Overview extends Head {
  /** The verdict in one or two sentences. */
  verdict: string;
  /** What to try first: the first advice of the finding that the verdict begins with. Null if it has none. */
  next_step: Suggestion | null;
  /** The device that all times are about. */
  critical_device: string;
  /** Number of steps that all times are about. */
  n_steady: number;
  /** False if the times are those of the whole capture or of `--window`. */
  has_steps: boolean;
  /** Length of a step, as a mean of the periods. */
  period_ps: number;
  /** Statistics of the periods of these steps. Null without steps. */
  periods: Periods | null;
  /** The share of the roofline that ops are expected to attain. */
  attainable: number;
  /** The figures by name. */
  figures: Record<string, Figure>;
  /** A guess of the chip, if the capture has costs of ops and does not name its chip. No figure uses it. Null if there is none. */
  chip_guess: ChipGuess | null;
  /** A guess of the useful FLOPs from the program. No figure uses it. Null if the program is unknown. */
  model_guess: ModelGuess | null;
  /** The time of each owner per step. */
  ledger: Owners;
  /** The time of a step by kind, and the part of it that the device needs. */
  kinds: KindShare[];
  /** The time of a step by module of the model, phase and kind. Null in a report of version 6 or older. */
  modules: Modules | null;
  /** The time of a step that could at most be gained: the sum of `lost_ps` of `kinds`. */
  to_gain_ps: number;
  /** Sum of the recoverable times of `findings`, at most `to_gain_ps`. */
  recoverable_ps: number;
  /** Findings in time, the most recoverable one first. Times are per step. */
  findings: Finding[];
  /** Findings that change memory, numerics or the model. */
  options: Finding[];
  /** Findings in bytes. */
  memory_findings: Finding[];
  /** Findings about the capture itself. */
  quality: Finding[];
  /** The rules that found nothing. */
  thresholds: Checked[];
  /** The rules that could not be checked. */
  not_checked: SkippedRule[];
  /** Notes on assumptions and on data that is missing. */
  notes: Note[];
}

export interface Head {
  /** Whether the figures are complete: `partial` if a file is damaged, cut, or has lost events, `absent` if the files have no data for the view. */
  status: "ok" | "partial" | "absent";
  /** Name of the command. `data-movement` has the value `non-compute`. */
  view: string;
  /** Names of the files that were read. */
  files: string[];
  /** The selected device. */
  device: string | null;
  /** Number of selected devices. */
  n_devices: number;
  /** Type of the device. */
  device_type: string | null;
  /** The selected step: a number as text, `mean`, `all`, or a range of time. */
  step: string;
  /** Number of steps in the capture. */
  n_steps: number;
  /** Number of steps of a mean. A mean divides times, amounts and counts, so counts may be fractions. Null if the figures are not a mean of steps. */
  n_mean_steps: number | null;
  /** The kind of the steps of a mean. Null if all steps are of one kind, or if the figures are not a mean of steps. */
  mean_kind: string | null;
  /** What begins a step and which programs run in it, as a sentence. Null if the figures are not a mean of steps. */
  step_is: string | null;
  /** Number of devices of a mean. Null if the figures are not a mean of devices. */
  n_mean_devices: number | null;
  /** Statistics of the periods of the steady steps. Null without a mean of steps. */
  mean_periods: Periods | null;
  /** Start and end of the step. Null for several devices and for a mean. */
  step_window_ps: [number, number] | null;
  /** Length of the window. If the file is cut within the step, the window ends with the last op in the file. */
  step_duration_ps: number | null;
  /** Time of the step or the range after the end of a cut file. It is no part of `step_duration_ps`, and counts as neither idle nor lost. Null if all of the window is in the file. */
  not_in_file_ps: number | null;
  /** Sums over all ops of the window. */
  totals: Totals;
}

export interface Periods {
  /** Number of durations. */
  n: number;
  /** The mean. */
  mean_dur_ps: number;
  /** The median. */
  median_dur_ps: number;
  /** The shortest. */
  min_dur_ps: number;
  /** The longest. */
  max_dur_ps: number;
  /** The standard deviation. Null for a single duration. */
  std_dev_ps: number | null;
  /** The first quartile. */
  q1_dur_ps: number;
  /** The third quartile. */
  q3_dur_ps: number;
  /** Half the width of the 95 % confidence interval of the mean. Null for a single duration. */
  interval95_ps: number | null;
}

export interface Totals extends KindTimes {
  /** Number of events in the window. */
  n_events_total: number;
  /** Number of events without metadata. */
  n_events_unresolved: number;
  /** Inclusive time of containers, which is in no sum. */
  container_duration_ps: number;
  /** Self time of all ops. The times by kind sum to it. */
  busy_duration_ps: number;
  /** Time in which any op runs. */
  union_ps: number;
  /** The rest of the window. */
  idle_duration_ps: number;
  /** Self time of each category that no rule knows. */
  unknown_categories: Record<string, number>;
}

export interface KindTimes {
  /** Self time of compute. */
  compute_duration_ps: number;
  /** Self time of data movement. */
  data_move_duration_ps: number;
  /** Self time of communication, with the ops that compute and communicate at once. */
  comm_duration_ps: number;
  /** The part of `comm_duration_ps` in ops that compute and communicate at once. */
  fused_duration_ps: number;
  /** Self time of transfers between host and device. */
  host_duration_ps: number;
  /** Self time of other ops, and of containers such as loops. */
  other_duration_ps: number;
}

export interface Suggestion {
  /** What to do, in words. */
  text: string;
  /** Code or a flag to copy. Null if the text says all. */
  code: string | null;
  /** Name of the flag, without `--`. Null if `code` is no flag. */
  flag: string | null;
  /** The value to set. Null without a flag. */
  value: string | null;
  /** The value that the compiler uses without the flag, or `auto` if the compiler decides. Null without a flag. */
  default: string | null;
  /** The value in the user's flags. Null if they do not set the flag, or if they are unknown. */
  set: string | null;
  /** The chips whose compiler accepts the flag. */
  chips: string[];
  /** The version of the compiler with which the flag was checked. Null without a flag. */
  verified_with: string | null;
}

export interface Figure {
  /** The value. Null if it is unknown. */
  value: number | null;
  /** The unit of the value. A `fraction` of 1 is everything, and a `count` is a number of things. */
  unit: "ps" | "fraction" | "bytes" | "flops" | "count";
  /** The numbers from which the value is computed, by name. */
  inputs: Record<string, number>;
  /** Share of the time for which the inputs are known. Null for figures that do not depend on costs of ops. */
  coverage_pct: number | null;
  /** Whether the sum has only the ops whose costs are known: less than 95 % of the time of compute. A sum with less than 5 % is null. */
  at_least: boolean;
  /** The reason if `value` is null. Null if there is a value. */
  absent: string | null;
}

export interface ChipGuess {
  /** Names of chips: one, or two that the capture does not tell apart. */
  chips: string[];
  /** What suggests them, in words. */
  reason: string;
}

export interface ModelGuess {
  /** Elements of all weights of the whole model, with all experts. Null if they are not recognised. */
  n_parameters: number | null;
  /** Sequences in a step of the whole job. Null if they are not recognised. */
  n_sequences: number | null;
  /** Tokens of a sequence. Null if they are not recognised. */
  sequence_length: number | null;
  /** Tokens in a step of the whole job. Null if they are not recognised. */
  tokens: number | null;
  /** Heads × head size, summed over layers. Null if no attention is recognised. */
  attention_width: number | null;
  /** FLOPs per token. Null if the number of parameters is unknown. */
  flops_per_token: number | null;
  /** Whether the program computes gradients. */
  is_training: boolean;
}

export interface Owners {
  /** Compute: min(roofline time ÷ `attainable`, self time). */
  floor: number;
  /** The rest of compute. */
  excess: number;
  /** Time of compute, copies and layout changes beyond the median of the devices, for a straggler. */
  slower: number;
  /** Time of compute ops whose cost or peak is unknown, and of ops that no rule classifies. */
  opaque: number;
  /** Communication without `late`. */
  transfer: number;
  /** Waits of communication for devices that arrive later. */
  late: number;
  /** Data movement: starts of asynchronous copies and slices, and the waits for them. */
  dma: number;
  /** Data movement: other copies and layout changes. */
  layout: number;
  /** Self time of loops and other containers. */
  loop: number;
  /** Idle time of the class `capture` of `gaps`. */
  capture: number;
  /** Idle time of the class `recompile` of `gaps`. */
  recompile: number;
  /** Idle time of the class `input` of `gaps`, with the ops that exchange data with the host, such as infeeds, and copies from the host to a GPU outside of programs. */
  input: number;
  /** Idle time of the class `sync` of `gaps`. */
  sync: number;
  /** Idle time of the class `defrag` of `gaps`. */
  defrag: number;
  /** Idle time of the class `host` of `gaps`. */
  host: number;
  /** Idle time of the class `barrier` of `gaps`. */
  barrier: number;
  /** Idle time of the class `dependency` of `gaps`. */
  dependency: number;
  /** Idle time of the class `launch` of `gaps`. */
  launch: number;
  /** Idle time of the class `unexplained` of `gaps`. */
  unexplained: number;
  /** Idle time of the class `callback` of `gaps`. */
  callback: number;
  /** Idle time of the class `requests` of `gaps`. */
  requests: number;
}

export interface KindShare {
  /** The kind of time, or `idle`. */
  kind: string;
  /** Time of the kind. */
  total_ps: number;
  /** The part of it that the device needs: the roofline time ÷ `attainable`. */
  needed_ps: number;
  /** The part that could at most be gained: compute above its roofline, communication, data movement, waits and idle time. */
  lost_ps: number;
  /** Time of ops without a roofline time, and the time in which a server waits for requests. */
  not_judged_ps: number;
}

export interface Modules {
  /** Self time of all ops. The times of `modules` and of `cells` sum to it. */
  busy_ps: number;
  /** The modules, most time first. `unknown` holds the ops that nothing names. */
  modules: ModuleSum[];
  /** The parts of the modules by phase and kind. */
  cells: ModuleCell[];
  /** The time by how the modules are known. */
  certainties: CertaintyShare[];
}

export interface ModuleSum {
  /** The module, such as `attention`, and `unknown` for ops that nothing names. */
  module: "embedding" | "attention" | "mlp" | "experts" | "norm" | "convolution" | "recurrent" | "head" | "loss" | "optimizer" | "gradient_sync" | "sampling" | "unknown";
  /** Self time. */
  total_ps: number;
  /** Share of the busy time. Null if the device is idle. */
  pct_of_busy: number | null;
  /** The part of `total_ps` of ops that have a roofline time. */
  judged_ps: number;
  /** Roofline time of these ops. */
  roofline_ps: number;
  /** The part of `judged_ps` beyond the roofline. */
  over_roofline_ps: number;
  /** Roofline time ÷ `judged_ps`. Null if no op has a roofline time. */
  pct_of_roofline: number | null;
  /** Number of layers that have the module. Null if its ops name no layer, or if a loop over layers has an unknown number of iterations. */
  n_layers: number | null;
  /** The identical ops with the most time. Null if no op has time. */
  largest: AlikeOps | null;
}

export interface AlikeOps {
  /** The op with the most time. */
  name: string;
  /** Its program. Null if it is unknown. */
  program: string | null;
  /** The id of its program. Null if it is unknown. */
  program_id: string | null;
  /** Number of ops. */
  n_ops: number;
  /** Self time of all of them. */
  total_ps: number;
  /** Innermost line of the user's code of the op. Null if it is unknown. */
  source: string | null;
}

export interface ModuleCell {
  /** The module. */
  module: "embedding" | "attention" | "mlp" | "experts" | "norm" | "convolution" | "recurrent" | "head" | "loss" | "optimizer" | "gradient_sync" | "sampling" | "unknown";
  /** The phase, as in the rows of the breakdown. */
  phase: string;
  /** The kind of time. */
  kind: "compute" | "fused" | "comm" | "data_move" | "host" | "container" | "other";
  /** Self time. */
  total_ps: number;
  /** Share of the busy time. Null if the device is idle. */
  pct_of_busy: number | null;
  /** Number of executions. A mean may be a fraction. */
  n_executions: number;
  /** The part of `total_ps` of ops that have a roofline time. Zero but for compute. */
  judged_ps: number;
  /** Roofline time of these ops. */
  roofline_ps: number;
  /** The part of `judged_ps` beyond the roofline. */
  over_roofline_ps: number;
  /** Roofline time ÷ `judged_ps`. Null if no op has a roofline time. */
  pct_of_roofline: number | null;
}

export interface CertaintyShare {
  /** `certain` (the scope path names the module), `likely` (a function, a source file, a kernel or the nearest named instruction does), `guess` (neighbours in the data flow, the place in the step, or what the program computes), or `unknown`. */
  certainty: "certain" | "likely" | "guess" | "unknown";
  /** Self time. */
  total_ps: number;
  /** Share of the busy time. Null if the device is idle. */
  pct_of_busy: number | null;
}

export interface Finding {
  /** The rule. */
  id: string;
  /** `low`, `medium` or `high` by the share of a step. It is always `high` for findings about the capture. */
  severity: "low" | "medium" | "high";
  /** `low` is a guess, `medium` is likely, and `high` is measured. */
  confidence: "low" | "medium" | "high";
  /** The reason for the confidence. */
  confidence_reason: string;
  /** What was found. */
  title: string;
  /** The title with the place in the model: its modules and source lines, where they are known. */
  headline: string;
  /** The evidence in words and numbers. */
  detail: string;
  /** Why the finding costs time. */
  why: string;
  /** All time of a step that the finding is about. */
  at_stake_ps: number;
  /** The part of `at_stake_ps` that no other finding has claimed. */
  claimed_ps: number;
  /** The part of `claimed_ps` that disappears if the problem is fixed. */
  recoverable_ps: number;
  /** Time of the whole capture outside of its steady steps. Null if there is none. */
  per_capture_ps: number | null;
  /** `at_stake_ps` as a percentage of a step. */
  pct_of_period: number;
  /** The number of bytes that the finding is about. Null if it is about time. */
  stake_bytes: number | null;
  /** How the numbers are computed. */
  formula: string;
  /** The numbers in the formula, by name. */
  inputs: Record<string, number>;
  /** What the finding is seen by. */
  evidence: Evidence;
  /** Rules that may concern the same time. */
  overlaps: string[];
  /** What to try. */
  try: Suggestion[];
  /** A condition that a later capture meets if the change worked. */
  worked_if: string;
  /** The view of the page that shows the evidence. */
  view: "breakdown" | "roofline" | "memory" | "comm" | "file";
}

export interface Evidence {
  /** The ops with the most time, at most five. */
  ops: OpEvidence[];
  /** Number of all ops. */
  n_ops: number;
  /** The modules of the model that have most of the time of all ops: one, or two together. */
  modules: ("embedding" | "attention" | "mlp" | "experts" | "norm" | "convolution" | "recurrent" | "head" | "loss" | "optimizer" | "gradient_sync" | "sampling" | "unknown")[];
  /** Numbers of steps. */
  steps: number[];
  /** Names of devices. */
  devices: string[];
  /** The events of the host with the most time, at most five. */
  host_events: HostEventTime[];
  /** The longest stretches of time in the shown step, at most five, in the order of time. */
  spans: StepSpan[];
}

export interface OpEvidence {
  /** The program. Null if it is unknown. */
  program: string | null;
  /** The id of the program. Null if it is unknown. */
  program_id: string | null;
  /** Name of the op. Of the ops of several layers, it is the one with the most time. */
  name: string;
  /** The innermost source line in the user's own code. Null if it is unknown. */
  source: string | null;
  /** Number of unrolled layers whose like ops are summed here. It is 1 for an op alone. */
  n_layers: number;
  /** Number of ops that are summed here because they are alike: those of the layers, and those with the same deduplicated name. */
  n_alike: number;
  /** Time per step that the finding is about. */
  time_ps: number;
  /** Self time per step, as in the breakdown. It is more than `time_ps` if a part belongs to another finding, or passes beside another op. Null in a report. */
  self_time_ps: number | null;
}

export interface HostEventTime {
  /** Name of the event. */
  name: string;
  /** Its time per step. */
  total_ps: number;
}

export interface StepSpan {
  /** Number of the step. */
  step: number;
  /** Start, relative to the start of the step. */
  start_ps: number;
  /** End, relative to the start of the step. */
  end_ps: number;
}

export interface Checked {
  /** The rule. */
  id: string;
  /** What the rule checks. */
  name: string;
  /** What was measured. */
  measured: number;
  /** The value from which on the rule is a finding. For `warm_up` it is the value below which it is one. */
  threshold: number;
  /** The unit of `measured` and `threshold`. */
  unit: "ps" | "fraction" | "bytes" | "flops" | "count";
  /** The time at stake, per step. Null if the rule is not about time. */
  at_stake_ps: number | null;
}

export interface SkippedRule {
  /** The rule. */
  id: string;
  /** What the rule checks. */
  name: string;
  /** What is missing. */
  reason: string;
}

export interface Note {
  /** How much the note changes: `info` nothing, `caution` a figure depends on an assumption, `partial` data is missing. */
  severity: "info" | "caution" | "partial";
  /** The name of the note. */
  code: string;
  /** The fact, and the remedy if there is one. */
  message: string;
  /** The file, the plane or the line that the note is about. Null if it is the whole session. */
  where: string | null;
}

export interface AbsentOverview extends Head {
  /** What the capture lost, if no device has ops. The status is then `absent`, and other fields of an overview are missing. Null if nothing is known to be lost. */
  verdict: string | null;
  /** Notes on assumptions and on data that is missing. */
  notes: Note[];
}

export interface Breakdown extends BreakdownHead {
  /** The rows by self time, the largest first. With `--by scope` it is a tree. */
  groups: Row[];
  /** Notes on assumptions and on data that is missing. */
  notes: Note[];
}

export interface BreakdownHead extends Head {
  /** The grouping. */
  by: "op" | "dedup" | "op_group" | "category" | "kind" | "phase" | "layer" | "module" | "scope" | "source" | "program";
  /** The filter. Null without a filter. */
  filter: Filter | null;
  /** Sums over the ops that pass the filter. */
  shown: Shown;
}

export interface Filter {
  /** The text. */
  text: string;
  /** Where the text is searched. */
  within: "leaf" | "source" | "anywhere";
  /** Whether the text is a regular expression. */
  regex: boolean;
  /** The module of the model of the selected ops. Null for all modules. */
  module: "embedding" | "attention" | "mlp" | "experts" | "norm" | "convolution" | "recurrent" | "head" | "loss" | "optimizer" | "gradient_sync" | "sampling" | "unknown" | null;
  /** The kind of the selected ops. Null for all kinds. */
  kind: "compute" | "fused" | "comm" | "data_move" | "host" | "container" | "other" | null;
  /** The scope path of the selected ops, which may also lie below it. Empty for all ops. */
  scope: string;
}

export interface Shown extends KindTimes {
  /** Number of rows. */
  n_groups: number;
  /** Number of rows that there would be without the text of the filter. */
  n_groups_all: number;
  /** Number of rows that `--within anywhere` would match. Null unless the text of the filter matches no row. */
  n_groups_anywhere: number | null;
  /** Number of executions. */
  n_events: number;
  /** Self time of the ops. */
  total_dur_ps: number;
  /** The self time as a share of the window. */
  pct_of_step: number | null;
}

export interface Row {
  /** Name of the row: an op, a category, a source stack, and so on. */
  key: string;
  /** The grouping. With `--by source` it is `source_stack`, `tf_op` or `no_source`. */
  key_kind: string;
  /** The kind that most of the time belongs to: `compute`, `data_move`, `comm`, `host`, `other` or `container`. Ops of the kind `fused` have `comm` here, because their time is a part of communication; with `--by kind`, the `key` of their row is `fused`. Texts for people say “mixed” in place of a kind, a category or a shape if the ops of the row differ in it. */
  kind: "compute" | "fused" | "comm" | "data_move" | "host" | "container" | "other";
  /** Name of the program. Null where the ops belong to several programs. */
  program: string | null;
  /** Id of the program. Null where the ops belong to several programs, and where the program has no id. */
  program_id: string | null;
  /** Number of executions that start in the window. A mean may be a fraction. */
  n_executions: number;
  /** Self time. */
  total_dur_ps: number;
  /** Time that includes nested events. */
  inclusive_dur_ps: number;
  /** The shortest self time of an execution. Null if no execution starts in the window. */
  min_dur_ps: number | null;
  /** The longest self time of an execution. Null if no execution starts in the window. */
  max_dur_ps: number | null;
  /** The mean self time of an execution. Null if no execution starts in the window. */
  avg_dur_ps: number | null;
  /** Share of the window. */
  pct_of_step: number | null;
  /** Share of all time of the same kind. */
  pct_of_kind: number | null;
  /** FLOPs of all executions. Null if they are unknown. */
  flops_sum: number | null;
  /** FLOPs of the model of all executions, without recompute. Null if they are unknown. */
  model_flops_sum: number | null;
  /** Bytes that all executions access. Null if they are unknown. */
  bytes_accessed_sum: number | null;
  /** Executions and self time by category. */
  hlo_categories: Record<string, Share>;
  /** The time of the row by instruction. The list has at most 24 entries; if there are more, the last entry is `other` and sums the rest. The entries sum to the time of the row. */
  hlo_op_breakdown: SignatureShare[];
  /** Group of work, such as `matmul`. Null where the ops of the row differ. */
  op_group: string | null;
  /** Phase of training: `forward`, `backward`, `recompute` or `optimizer`. Other ops have `unknown` in a program that has forward or backward ops, and `inference / unknown` in any other program. Null where the ops of the row differ. */
  phase: string | null;
  /** Layer of the model. Null where the ops of the row differ. */
  layer: string | null;
  /** Module of the model, such as `attention`, and `unknown` where nothing names it. Null where the ops of the row differ. */
  module: "embedding" | "attention" | "mlp" | "experts" | "norm" | "convolution" | "recurrent" | "head" | "loss" | "optimizer" | "gradient_sync" | "sampling" | "unknown" | null;
  /** Element types of the results, by time. */
  dtypes: string[];
  /** Shapes of the results, by time. There are at most 8. */
  shapes: string[];
  /** Source stack of the op with the longest execution. */
  source_stack: string | null;
  /** Innermost line of the user's code of the op with the longest execution. */
  source_inner: string | null;
  /** GPU kernel of the longest execution. Present only where the row has another name than the kernel. */
  kernel?: string | null;
  /** Scope path of the op with the longest execution. */
  tf_op: string | null;
  /** The op with the longest execution. */
  example_hlo_op: string | null;
  /** Length of the longest execution. */
  example_hlo_op_dur_ps: number | null;
}

export interface Share {
  /** Number of executions that start in the window. */
  n_executions: number;
  /** Self time. */
  total_dur_ps: number;
}

export interface SignatureShare {
  /** `custom-call:<target>`, the name of a fusion without its numbers, or the opcode. */
  signature: string;
  /** The category that the compiler gives. Null if it gives none. */
  hlo_category: string | null;
  /** Self time. */
  total_dur_ps: number;
  /** Number of executions that start in the window. */
  n_executions: number;
  /** Share of the time of the row. */
  pct_of_group: number | null;
}

export interface ScopeBreakdown extends BreakdownHead {
  /** The scopes as a tree, by self time, the largest first. */
  groups: ScopeNode[];
  /** Notes on assumptions and on data that is missing. */
  notes: Note[];
}

export interface ScopeNode {
  /** The segment of the path. A node stands for several segments where each of them has one child alone. */
  key: string;
  /** `scope`, or `no_scope` for the node `<no scope>` of all ops without a path. */
  key_kind: string;
  /** The whole path. */
  path: string;
  /** The kind that most of the time belongs to, as in a row. */
  kind: "compute" | "fused" | "comm" | "data_move" | "host" | "container" | "other";
  /** Number of executions that start in the window. */
  n_executions: number;
  /** Self time of the ops at the node and below. The own time and the children sum to it. */
  total_dur_ps: number;
  /** Time of the ops at the node itself. */
  own_dur_ps: number;
  /** Share of the window. */
  pct_of_step: number | null;
  /** The nodes below. */
  children: ScopeNode[];
}

export interface Roofline extends Head {
  /** The grouping. */
  by: "op" | "dedup" | "op_group" | "category" | "kind" | "phase" | "layer" | "module" | "scope" | "source" | "program";
  /** The peaks of the first device. Null without a device. */
  peaks_used: Peaks | null;
  /** The peaks of each set of devices with equal peaks. */
  peaks_by_device: Peaks[];
  /** Self time of the selected ops. It is the sum of `rooflined_dur_ps` and the times in `skipped`. */
  considered_duration_ps: number;
  /** Averages over the ops that have a roofline time. */
  step_summary: StepSummary;
  /** Figures of the whole window. */
  window: WindowUse;
  /** Which of compute and memory reaches half of its peak in the window. Measured traffic of the memory counts before the estimate. Null where a share is unknown, or is below half and may be higher because costs are known in part. */
  used_much: "both" | "compute" | "memory" | "neither" | null;
  /** The programs, most time first. */
  programs: ProgramRoofline[];
  /** All steps. */
  steps: StepRoofline[];
  /** The ops without a roofline time, by reason. */
  skipped: Record<string, Skipped>;
  /** Kernels without a cost, most time first. */
  opaque_kernels: OpaqueKernel[];
  /** The rows by self time. */
  groups: RoofRow[];
  /** Notes on assumptions and on data that is missing. */
  notes: Note[];
}

export interface Peaks {
  /** The devices with these peaks. */
  devices: string[];
  /** Type of the devices in the capture. */
  device_type: string | null;
  /** Name of the chip in the table of chips. Null if the chip is unknown. */
  chip: string | null;
  /** Number of device planes per chip. Null if the chip is unknown. */
  devices_per_chip: number | null;
  /** TFLOP/s by data type. */
  tflops: Record<string, number>;
  /** Bandwidth of HBM in GB/s. Null if it is unknown. */
  hbm_gbps: number | null;
  /** GB/s by memory. */
  memory_gbps: Record<string, number>;
  /** FLOP per byte by data type. */
  ridge_points: Record<string, number>;
  /** Source of the compute peak of bf16, or of f16 without bf16, and of the HBM peak. `mixed` where the two have different sources. Null if both peaks are unknown. */
  source: "profile" | "published" | "yours" | "mixed" | null;
  /** The source of each peak, by data type or memory. */
  sources: Record<string, PeakOrigin>;
  /** Every peak that is available. */
  offers: Peak[];
}

export interface PeakOrigin {
  /** The source of the peak: the capture, the figures of the vendor, or the user. */
  source: "profile" | "published" | "yours";
  /** The source in words: the name of a stat, or a web page. */
  from: string;
}

export interface Peak {
  /** The data type or the memory. */
  of: string;
  /** A compute peak in TFLOP/s. Null for a memory. */
  tflops: number | null;
  /** The bandwidth of a memory in GB/s. Null for compute. */
  gbps: number | null;
  /** The source of the peak: the capture, the figures of the vendor, or the user. */
  source: "profile" | "published" | "yours";
  /** The source in words: the name of a stat, or a web page. */
  from: string;
}

export interface StepSummary {
  /** Average of `mfu` over `rooflined_dur_ps`, weighted by time. */
  weighted_avg_mfu: number | null;
  /** Average of `hbm_util` over `rooflined_dur_ps`, weighted by time. */
  weighted_avg_hbm_util: number | null;
  /** Average of `roofline_util` over `rooflined_dur_ps`, weighted by time. */
  weighted_avg_roofline_util: number | null;
  /** Self time of the ops with a roofline time. */
  rooflined_dur_ps: number;
  /** The share of `rooflined_dur_ps` in `considered_duration_ps`. */
  rooflined_pct_of_compute: number | null;
  /** Sum of the roofline times. */
  t_roofline_ps: number | null;
  /** The roofline gap. It is negative above the peak. */
  gap_ps: number | null;
  /** The roofline gap as a share of the time. */
  gap_pct: number | null;
  /** Sum of the positive gaps. Ops above their roof do not reduce it. */
  recoverable_ps: number;
  /** The share of `recoverable_ps` in the window. */
  recoverable_pct_of_step: number | null;
  /** Time of ops above the peak. */
  above_peak_dur_ps: number;
  /** Time of ops that latency limits. */
  latency_bound_dur_ps: number;
  /** The rows with the largest gaps: 20 unless `--top` is given, and at most 100. `summary` has none. */
  top_gaps: GapRank[];
}

export interface GapRank {
  /** Key of the row. */
  key: string;
  /** Id of the program of the row, as decimal digits. Null if the ops have no program or several. */
  program_id: string | null;
  /** Self time of the ops that have a roofline time. */
  rooflined_dur_ps: number;
  /** The sum of the positive gaps of ops. */
  recoverable_ps: number;
  /** The share of this row and of all rows before it in all recoverable time. */
  cumulative_pct: number;
}

export interface WindowUse {
  /** Length of the window, idle time included. Of several devices, it is the sum. */
  window_ps: number;
  /** FLOPs of all ops except loops. An asynchronous pair counts at its done. Null if no op has FLOPs. */
  flops_sum: number | null;
  /** FLOPs of the model without recompute, of the same ops. */
  model_flops_sum: number | null;
  /** Bytes that the same ops access. */
  bytes_accessed_sum: number | null;
  /** The peak of bf16, or of f16 on a GPU without bf16. Null if it is unknown or the devices differ. */
  peak_tflops: number | null;
  /** All FLOPs that ran ÷ (peak × window). Text calls it “HFU”. */
  mfu: number | null;
  /** FLOPs of the model ÷ (peak × window). Text calls it “MFU”. */
  model_mfu: number | null;
  /** Bytes of HBM ÷ (bandwidth × window). */
  hbm_util: number | null;
  /** The traffic of the memory ÷ its bandwidth, by counters that CUPTI sampled. Null where the capture has no such counters, or where samples cover less than 80 % of the window. */
  hbm_util_measured: number | null;
  /** The cycles in which multiprocessors were active ÷ cycles at the clock of the driver, by counters that CUPTI sampled. Null where the capture has no such counters, or where samples cover less than 80 % of the window. */
  sm_active: number | null;
  /** The useful FLOPs by `--batch`, `--sequence` and `--flops-per-token`. */
  useful_flops: number | null;
  /** `useful_flops` ÷ (peak × window). Text calls it “MFU from tokens”. */
  useful_mfu: number | null;
  /** Number of devices that share a step. Null without useful FLOPs. */
  useful_devices: number | null;
  /** The source of that number: the user, the compiled program, or the devices in the capture. */
  useful_devices_source: "yours" | "program" | "capture" | null;
}

export interface ProgramRoofline extends RooflineFields {
  /** Name of the program. */
  program: string | null;
  /** Id of the program in the capture, as decimal digits. */
  program_id: string | null;
  /** Self time of the selected ops of the program. */
  total_dur_ps: number;
}

export interface RooflineFields {
  /** Self time of the ops that have a roofline time. Where no op has one, this and `n_executions_rooflined` are 0, `checks` is empty, and the other fields from `dtype` to `verdict` are null. */
  rooflined_dur_ps: number;
  /** Executions of the ops that have a roofline time. */
  n_executions_rooflined: number;
  /** Data type of the operands of the dot or convolution, else of the result. Null if it is unknown or the ops differ. */
  dtype: string | null;
  /** The type whose peak is used. Null if the ops differ. */
  peak_dtype: "bf16" | "fp8" | "int8" | "int4" | "f32" | "f64" | "fp4" | "f16" | null;
  /** Whether operands are unknown. `mfu` is then an upper bound. */
  dtype_uncertain: boolean | null;
  /** Whether the data types of operands differ. */
  dtype_mixed: boolean | null;
  /** The source of the costs: the estimates in the capture, only the FLOPs of the model in the capture, or values of the user. */
  cost_source: "capture" | "model_flops" | "yours" | null;
  /** FLOPs of all executions. */
  rooflined_flops_sum: number | null;
  /** Bytes of all executions, over all memories. */
  rooflined_bytes_sum: number | null;
  /** The bytes by memory. */
  bytes_by_memory: Record<string, number> | null;
  /** FLOP per byte of HBM. Null if the ops move no bytes through HBM. */
  arithmetic_intensity: number | null;
  /** Peak FLOP/s ÷ bandwidth of HBM, in FLOP per byte of HBM. Null if it is unknown or the ops differ. */
  ridge_point: number | null;
  /** The kind of the resource with the longest time. */
  bound: "compute" | "memory" | null;
  /** The limit itself: compute, or a memory and a direction. */
  roof: "compute" | "hbm" | "vmem_read" | "vmem_write" | "cmem_read" | "cmem_write" | null;
  /** The compute time: FLOPs ÷ peak FLOP/s. */
  t_compute_ps: number | null;
  /** The HBM time: bytes of HBM ÷ HBM bandwidth. */
  t_hbm_ps: number | null;
  /** The roofline time: the sum over the ops of the largest of the compute time and the times of all memories with a peak. */
  t_roofline_ps: number | null;
  /** The fraction of the peak FLOP/s that the ops reach: `t_compute_ps` ÷ `rooflined_dur_ps`. */
  mfu: number | null;
  /** The fraction of the HBM bandwidth that the ops reach: `t_hbm_ps` ÷ `rooflined_dur_ps`. Null without a known bandwidth. */
  hbm_util: number | null;
  /** The fraction of the bandwidth of each memory with a peak. */
  memory_util: Record<string, number> | null;
  /** The fraction of the roofline that the ops reach: `t_roofline_ps` ÷ `rooflined_dur_ps`. */
  roofline_util: number | null;
  /** The roofline gap: `rooflined_dur_ps` − `t_roofline_ps`. It is negative above the peak. */
  gap_ps: number | null;
  /** The roofline gap as a share of the time. */
  gap_pct: number | null;
  /** The sum of the positive gaps of ops. */
  recoverable_ps: number | null;
  /** Whether the ops together are faster than the peak permits. */
  above_peak: boolean | null;
  /** Self time of the ops that are faster than the peak permits. */
  above_peak_dur_ps: number | null;
  /** Whether every utilisation is below 20 % and an execution takes less than 10 µs. */
  latency_bound: boolean | null;
  /** `fine` from 90 % of the roofline, `fair` from 50 %, `far` below, and `above_peak` above 100 %. Null without a roofline time or an execution. */
  verdict: "above_peak" | "fine" | "fair" | "far" | null;
  /** Possible causes of the verdict, the likeliest first. */
  checks: ("retiling_copies" | "unexpected_collectives" | "fusion_failure" | "latency" | "cost_estimate")[];
}

export interface StepRoofline {
  /** Number of the step. */
  step: number;
  /** Self time of the selected ops in the step. */
  total_dur_ps: number;
  /** The part of it that has a roofline time. If it is 0, the other fields may be null. */
  rooflined_dur_ps: number;
  /** FLOP per byte of HBM. */
  arithmetic_intensity: number | null;
  /** The roofline time. */
  t_roofline_ps: number | null;
  /** The fraction of the peak FLOP/s that the ops reach. */
  mfu: number | null;
  /** The fraction of the HBM bandwidth that the ops reach. */
  hbm_util: number | null;
  /** The fraction of the roofline that the ops reach. */
  roofline_util: number | null;
  /** The roofline gap. It is negative above the peak. */
  gap_ps: number | null;
  /** The sum of the positive gaps of ops. */
  recoverable_ps: number | null;
}

export interface Skipped {
  /** Number of ops without a roofline time, by program and name. */
  n_groups: number;
  /** Their self time. */
  dur_ps: number;
}

export interface OpaqueKernel {
  /** Name of the op. */
  hlo_op: string;
  /** Id of the program of the op, as decimal digits. */
  program_id: string | null;
  /** Target of the custom call, such as `tpu_custom_call`. */
  custom_call_target: string | null;
  /** Number of executions that start in the window. */
  n_executions: number;
  /** Self time of the op. */
  total_dur_ps: number;
  /** The innermost source line in the user’s own code. */
  source_inner: string | null;
}

export interface RoofRow extends Row, RooflineFields {
  /** The ops of the row without a roofline time, by reason. `rooflined_dur_ps` and their times sum to `total_dur_ps`. */
  skipped: Record<string, Skipped>;
}

export interface Memory extends Head {
  /** All programs. Programs that ran in the capture come first, and of these the one with the highest peak in HBM. Programs without a known peak come last, in the order in which the text of `inspect` lists them. */
  programs: MemoryProgram[];
  /** The allocators of each device. */
  runtime: AllocatorMemory[];
  /** The peak of the programs, the peak of the allocator, and the capacity, by device. */
  cross_check: CrossCheck[];
  /** Notes on assumptions and on data that is missing. */
  notes: Note[];
}

export interface MemoryProgram {
  /** Name of the program. */
  name: string;
  /** Id of the program in the capture, as decimal digits. */
  program_id: string | null;
  /** Name of the file with its HLO. Null if the session has no HLO of it. */
  file: string | null;
  /** The memories of the device. */
  spaces: MemorySpace[];
  /** Name of a note: why nothing is known, or what the figures leave out. */
  note: string | null;
}

export interface MemorySpace extends SpaceMemory {
  /** Bytes that are alive before each event, and at the end. */
  timeline: number[];
  /** Number of the buffers that are alive at the peak. */
  n_alive: number;
  /** The buffers at the peak, the largest first. They sum to the peak. */
  alive: Buffer[];
  /** Sums of `alive` by `category`, `class`, `opcode`, `scope`, `source` and `dtype`. */
  rollups: Record<string, RollUpRow[]>;
  /** The padding at the peak. */
  padding: Padding;
  /** At most 50 temporaries of more than 100 MiB that live for more than half of the trace. */
  long_lived: Buffer[];
  /** At most 20 rises of the curve, the largest first. */
  jumps: Jump[];
  /** Temporaries at the peak with a dimension of the vocabulary. Null where there are none. */
  vocabulary: Vocabulary | null;
  /** The classes at the peak, compared with a rule of thumb. */
  estimate: Estimate;
  /** The peak for the sizes of the options. Null if the weights or the tokens are not recognised. */
  fit: MemoryFit | null;
}

export interface SpaceMemory {
  /** The number of the memory: 0 is the main memory of the device. */
  color: number;
  /** Its name: `HBM`, `VMEM`, `S(n)`, or `device memory` for colour 0 of a device that is not a TPU. */
  memory_space: string;
  /** What the curve and the peak are computed from. */
  basis: "trace" | "schedule" | "constant" | "live_ranges";
  /** The peak: the most bytes that are alive at once. */
  peak_bytes: number;
  /** The peak without padding. Buffers that are alive all the time count with their padding here, too. */
  peak_unpadded_bytes: number;
  /** The event that first reaches the peak. The curve has the peak at index `peak_position + 1` of `timeline`. Null where nothing is allocated or freed. */
  peak_position: number | null;
  /** The instruction of that event. */
  peak_instruction: string | null;
  /** The place of the peak in the schedule of the entry. Null if the place is unknown. */
  peak_in_schedule: Moment | null;
  /** Size of all allocations. Null for HLO text. */
  total_allocation_bytes: number | null;
  /** Memory that is alive all the time. */
  indefinite_bytes: number;
  /** The part of `indefinite_bytes` that is parameters. */
  parameter_bytes: number;
  /** The part of `indefinite_bytes` that may outlive the program. A parameter that is updated in place counts here and in `parameter_bytes`. */
  live_out_bytes: number;
  /** The part of `indefinite_bytes` that is constants. */
  constant_bytes: number;
}

export interface Moment {
  /** The instruction of the entry that runs or calls the instruction of the event. */
  instruction: string;
  /** Its place in the schedule, from 0. */
  place: number;
  /** Number of instructions in the schedule. */
  of: number;
  /** The part of a training step: `forward` (0–50 % of the schedule), `turn` (50–70 %) or `backward` (70–100 %). Null if the program computes no gradient. */
  part: "forward" | "turn" | "backward" | null;
}

export interface Buffer {
  /** Size with padding. */
  size_bytes: number;
  /** Size without padding. Null if the shape is unknown. */
  unpadded_bytes: number | null;
  /** The shape. Empty if it is unknown. */
  shape: string;
  /** The element type. Null for the pointer table of a tuple, or if it is unknown. */
  dtype: string | null;
  /** The path of the argument for a parameter (`state[0]['w1']`), else the instruction. */
  name: string;
  /** The instruction that defines the buffer. `fusion.1{0}` is the first part of its result. Empty if it is unknown. */
  instruction: string;
  /** The opcode of the instruction. Empty if it is unknown. */
  opcode: string;
  /** The scope path of the instruction. Empty if it is unknown. */
  op_name: string;
  /** The innermost source line of the instruction. */
  source: string | null;
  /** The role of the buffer in the program. */
  category: "Parameter" | "Output" | "Constant" | "Temporary";
  /** The role of the buffer in the model. */
  class: "weights" | "optimizer" | "inputs" | "logits" | "experts" | "attention" | "gradients" | "activations" | "communication" | "temporaries" | "outputs" | "constants";
  /** The event that allocates the buffer. 0 for a buffer that is alive all the time. */
  first: number;
  /** The event that frees the buffer, or the number of events if none frees it. */
  last: number;
}

export interface RollUpRow {
  /** The property that the buffers share. Empty for buffers without it. */
  key: string;
  /** Size of the buffers with padding. */
  size_bytes: number;
  /** Size of the buffers without padding. A buffer of unknown shape counts with its padding. */
  unpadded_bytes: number;
  /** Number of the buffers. */
  n: number;
}

export interface Padding {
  /** Size of all padding at the peak. */
  wasted_bytes: number;
  /** Number of buffers with padding. */
  n: number;
  /** At most 50 buffers with the most padding, the most first. */
  worst: Padded[];
}

export interface Padded {
  /** The instruction that defines the buffer. */
  instruction: string;
  /** The shape of the buffer. */
  shape: string;
  /** Size with padding. */
  size_bytes: number;
  /** Size of the padding. */
  wasted_bytes: number;
  /** Padded ÷ unpadded size − 1. Null if the buffer has no element. */
  overhead: number | null;
}

export interface Jump {
  /** The event that causes the rise. */
  position: number;
  /** Height of the rise. */
  size_bytes: number;
  /** Size of all live buffers after the event. */
  after_bytes: number;
  /** The instruction that defines the buffer which the event allocates. */
  instruction: string;
  /** The shape of this buffer. */
  shape: string;
}

export interface Vocabulary {
  /** Sizes of vocabularies in this program, the largest first. */
  dims: number[];
  /** Size of all temporaries at the peak with such a dimension. */
  size_bytes: number;
  /** These temporaries, the largest first. */
  buffers: Buffer[];
  /** The number of pieces in which the loss is assumed to be computed. */
  chunks: number;
  /** The peak by a replay that splits these buffers into `chunks` pieces. */
  chunked_peak_bytes: number;
  /** The peak − `chunked_peak_bytes`. */
  saves_bytes: number;
}

export interface Estimate {
  /** Number of parameters on one device. Null if it is not given and no buffer is a weight. */
  n_parameters: number | null;
  /** Whether the parameters were counted from the weights. */
  counted: boolean;
  /** The sizes by class. Per parameter, weights take 2 bytes, gradients 2, and the two moments and the master weights of Adam 4 each. */
  by_class: Record<string, EstimateRow>;
}

export interface EstimateRow {
  /** Size by the rule of thumb. Null if the number of parameters is unknown. */
  expected_bytes: number | null;
  /** Size of the buffers of this class that are alive at the peak. */
  measured_bytes: number;
}

export interface MemoryFit {
  /** The sizes of the program. */
  program: Sizes;
  /** The sizes of the options, or those of the program where there is no option. */
  with: Sizes;
  /** The estimated peak. Null above 8 EiB. */
  estimate_bytes: number | null;
  /** Why there is no estimate. Null if there is one. */
  note: string | null;
  /** The memory of the device. Null if it is unknown. */
  capacity_bytes: number | null;
  /** The largest number of parameters with a peak below 90 % of the capacity. Null if the capacity is unknown or too small. */
  most_parameters: number | null;
  /** The largest number of sequences on a device with a peak below 90 % of the capacity, or null likewise. */
  most_sequences: number | null;
  /** The sizes by class. */
  by_class: Record<string, MemoryFitClass>;
}

export interface Sizes {
  /** Number of parameters of the whole model. */
  n_parameters: number;
  /** Number of devices that share one copy of the parameters. */
  n_sharing: number;
  /** Number of sequences on one device. */
  sequences: number;
  /** Number of tokens of a sequence on one device. */
  length: number;
}

export interface MemoryFitClass {
  /** Size by the rule of thumb for the sizes of the program. Null if the class has no rule. */
  rule_bytes: number | null;
  /** Size at the peak. */
  measured_bytes: number;
  /** The estimated size. Null above 8 EiB. */
  estimate_bytes: number | null;
}

export interface AllocatorMemory {
  /** The device of the allocator. If events do not name it, the name of the allocator. */
  device: string;
  /** Name of the allocator. */
  allocator: string | null;
  /** Number of the device in the events. */
  ordinal: number | null;
  /** Number of events of the allocator. */
  n_events: number;
  /** The most bytes in use: the largest sum of reserved and allocated memory. */
  peak_in_use_bytes: number;
  /** The first moment of that peak on the clock of events. */
  peak_ps: number;
  /** The step of that moment. Null outside of steps, or if the clocks cannot be compared. */
  peak_step: number | null;
  /** The part of the peak for programs. */
  reserved_bytes: number;
  /** The part of the peak for arrays. */
  allocated_bytes: number;
  /** Memory that is free at the peak. Null if events do not have it. */
  available_bytes: number | null;
  /** The sum of the reserved, allocated and available bytes at the peak. */
  capacity_bytes: number | null;
  /** The fragmentation that the allocator reports at its peak, as a fraction. */
  fragmentation: number | null;
  /** The most bytes that the allocator recorded as allocated since the start of the process, also before the capture, without what it reserves for programs. */
  lifetime_peak_bytes: number | null;
  /** The least memory in use. */
  persistent_bytes: number;
  /** The rest of the peak. */
  transient_bytes: number;
  /** The memory in use over time, in at most 1,000 columns. */
  timeline: UseColumn[];
}

export interface UseColumn {
  /** Time of the first event of the column. */
  at_ps: number;
  /** The least memory in use. */
  least_bytes: number;
  /** The most memory in use. */
  most_bytes: number;
  /** Time of the first event with the most memory in use. */
  most_at_ps: number;
  /** The memory in use after the last event, until the next column. */
  last_bytes: number;
}

export interface CrossCheck {
  /** Name of the device. */
  device: string;
  /** The program with the highest peak, of those that ran. */
  program: string | null;
  /** The peak of that program. */
  static_peak_bytes: number | null;
  /** The peak of the allocator. */
  runtime_peak_bytes: number | null;
  /** The memory of the device. Null if no allocator and no chip gives it. */
  capacity_bytes: number | null;
  /** The source of the capacity: `allocator`, or the name of the chip whose published memory counts. */
  capacity_source: string | null;
  /** The larger peak ÷ the capacity. */
  used: number | null;
  /** The capacity − the larger peak. It is negative if the memory is too small. */
  headroom_bytes: number | null;
  /** Whether `used` is above 90 %. */
  is_tight: boolean;
  /** The fragmentation that the allocator reports at its peak, as a fraction. */
  fragmentation: number | null;
  /** Whether the fragmentation is above 10 %. */
  is_fragmented: boolean;
}

export interface Comm extends Head {
  /** Sums of the collectives of the device's own core. */
  comm_totals: CommSums;
  /** Sums of the collectives of its SparseCores. Null without SparseCores, and no sum adds it to `comm_totals`. */
  sparse_core_totals: CommSums | null;
  /** Sums of copies and slices between memories that run beside the core. Synchronous copies are data movement. */
  dma: CommSums;
  /** The sums by primitive, network and core. */
  primitives: PrimitiveSums[];
  /** The collectives, the longest exposed time first. */
  rows: CommRow[];
  /** The copies, the longest exposed time first. */
  dma_rows: CommRow[];
  /** The collectives between slices, the longest time in flight first. */
  dcn: DcnCollective[];
  /** All steps. */
  steps: StepComm[];
  /** The comparison of devices. Null for one device. */
  balance: Balance | null;
  /** The executions by the way in which they were found. */
  pairing: Pairing;
  /** The links of the chip. Null where they are not known. */
  link: LinkPeak | null;
  /** Notes on assumptions and on data that is missing. */
  notes: Note[];
}

export interface CommSums extends InFlight {
  /** Executions that start in the window. */
  n_executions: number;
  /** Self time of `-done` halves and of synchronous collectives, on the clock of `breakdown`. */
  stall_ps: number;
  /** Self time of `-start` and `-update` halves. */
  issue_ps: number;
  /** Self time of ops that compute and communicate at once. For `comm_totals`, `stall_ps`, `issue_ps` and `fused_ps` sum to `comm_duration_ps`. */
  fused_ps: number;
  /** Bytes of the executions with a known size. */
  bytes: number;
  /** Number of the executions without a known size. */
  n_unsized: number;
}

export interface InFlight {
  /** Length of the union of the times in flight. */
  in_flight_ps: number;
  /** The part of `in_flight_ps` in which the same core computes nothing. */
  exposed_ps: number;
  /** The other part of `in_flight_ps`. */
  overlapped_ps: number;
  /** `overlapped_ps` as a share of `in_flight_ps`. */
  overlap_pct: number | null;
  /** The stall, on the clock of `in_flight_ps`. */
  waited_ps: number;
}

export interface PrimitiveSums extends CommSums {
  /** The primitive. */
  primitive: "all-reduce" | "all-gather" | "reduce-scatter" | "all-to-all" | "ragged-all-to-all" | "collective-permute" | "collective-broadcast" | "send" | "recv" | "unknown" | "copy" | "slice";
  /** The network, as in a row. */
  network: "DCN" | "ICI" | "chip" | "NVLink" | "Infinity Fabric" | "PCIe" | "network" | "host" | null;
  /** The core that runs it. */
  core: "tensor" | "sparse";
  /** XLA flags to test on this chip, where the core waits for the primitive. Flags that are known to be on by default, that the compiler of the chip refuses, or whose chip was not checked are never listed. The capture does not record which flags were set. */
  flags: string[];
  /** These flags with the values to set. */
  flag_settings: FlagSetting[];
}

export interface FlagSetting {
  /** Name of the flag. */
  flag: string;
  /** The value to try. */
  value: string;
  /** The default. `auto` where the compiler decides. */
  default: string;
  /** The version of the compiler that was checked. */
  verified_with: string;
}

export interface CommRow {
  /** Name of the row: the op, or what its ops have in common. */
  key: string;
  /** The primitive. In `dma_rows` it is `copy` or `slice`. */
  primitive: "all-reduce" | "all-gather" | "reduce-scatter" | "all-to-all" | "ragged-all-to-all" | "collective-permute" | "collective-broadcast" | "send" | "recv" | "unknown" | "copy" | "slice" | null;
  /** `DCN` for transfers between slices of TPUs over the data center network, whose primitive is that of the transfer. `ICI` for other collectives of TPUs, and `chip` within one chip. For GPUs it is `NVLink`, `Infinity Fabric` or `PCIe` within a host, by the model, and `network` between hosts. Copies from and to the memory of the host have `PCIe`, and collectives of CPUs `host`. Null where it is unknown, and for copies within a device. */
  network: "DCN" | "ICI" | "chip" | "NVLink" | "Infinity Fabric" | "PCIe" | "network" | "host" | null;
  /** The op. An asynchronous pair has the name of its start. */
  op: string | null;
  /** The program. */
  program: string | null;
  /** Id of the program in the capture, as decimal digits. */
  program_id: string | null;
  /** The innermost source line. */
  source: string | null;
  /** The scope path. */
  scope: string | null;
  /** The core that runs it. */
  core: "tensor" | "sparse";
  /** How it is executed: `fused` computes and communicates at once. */
  sync: "sync" | "async" | "fused" | "mixed";
  /** The groups of devices, as HLO writes them. */
  groups: string | null;
  /** Devices in a group. */
  group_size: number | null;
  /** Distance between neighbours of a group. */
  group_stride: number | null;
  /** The devices of the first group, at most 16. */
  first_group: number[] | null;
  /** Number of groups. */
  n_groups: number | null;
  /** The axes along which a group extends: of the mesh of `--mesh`, else of the topology, else of a mesh that HLO names. */
  axis: string | null;
  /** The likely role in training, a guess from the primitive. */
  role: "fsdp_weights" | "fsdp_gradients" | "data_or_tensor_parallel" | "expert_parallel" | "pipeline_or_ring" | null;
  /** Number of ops of the row. */
  n_ops: number;
  /** Executions that start in the window. A mean may be a fraction. 0 for ops whose other halves are outside of the capture. */
  n_executions: number;
  /** Bytes of the message of one execution, from shapes: the result of an all-gather, broadcast, recv, copy or slice, and the operands of all others. Null for unknown collectives. */
  bytes_per_execution: number | null;
  /** Bytes of all messages. */
  bytes: number | null;
  /** Self time of `-done` halves and of synchronous ops, on the clock of `breakdown`: compute waits. */
  stall_ps: number;
  /** Self time of `-start` and `-update` halves. */
  issue_ps: number;
  /** Self time of ops that compute and communicate at once. */
  fused_ps: number;
  /** Length of the union of the times in flight. */
  in_flight_ps: number;
  /** The part of `in_flight_ps` in which the same core computes nothing. */
  exposed_ps: number;
  /** The other part of `in_flight_ps`. */
  overlapped_ps: number;
  /** `overlapped_ps` as a share of `in_flight_ps`. */
  overlap_pct: number | null;
  /** The stall, on the clock of `in_flight_ps`. */
  waited_ps: number;
  /** Sum of the lengths of the executions that start in the window. The window does not cut them. */
  wall_ps: number;
  /** Algorithm bandwidth in 10⁹ bytes per second: bytes ÷ wall time. Null where executions take less than 100 ns on average. */
  alg_gbps: number | null;
  /** Bus bandwidth in 10⁹ bytes per second: `alg_gbps` × 2(N−1)/N for an all-reduce, × (N−1)/N for an all-gather, a reduce-scatter and an all-to-all, × 1 for other primitives. Copies and unknown collectives have none. */
  bus_gbps: number | null;
  /** Bandwidth of the network for one device in one direction. For ICI it is that of one link, × 2 with `--wrap`, × the number of axes. For DCN it is as published or `--dcn`, for NVLink half of the published sum of both directions, for Infinity Fabric that of one link × the number of other devices of the group, for PCIe that of its generation, and for a network between hosts `--network`. */
  peak_gbps: number | null;
  /** `bus_gbps` ÷ `peak_gbps`, and `alg_gbps` ÷ `peak_gbps` for copies. Null for ICI without a topology. */
  util: number | null;
}

export interface DcnCollective {
  /** Name of the transfer in the Megascale runtime. */
  rendezvous: string;
  /** The send of the transfer. */
  op: string;
  /** The program. */
  program: string | null;
  /** Id of the program in the capture, as decimal digits. */
  program_id: string | null;
  /** What the transfer does. */
  primitive: "all-reduce" | "all-gather" | "reduce-scatter" | "all-to-all" | "ragged-all-to-all" | "collective-permute" | "collective-broadcast" | "send" | "recv" | "unknown" | "copy" | "slice";
  /** Number of slices of the target in the program. Null if it is unknown. */
  n_slices: number | null;
  /** Executions that start in the window. All other fields are means of one execution. */
  n_executions: number;
  /** Bytes of the result. */
  message_bytes: number | null;
  /** Bytes that a device sends for n slices: 2(n−1)/n of the message for an all-reduce, (n−1)/n for an all-gather and an all-to-all, n−1 for a reduce-scatter, and 1 for a permute. Where n is unknown it is 2. */
  sent_bytes: number | null;
  /** Whether the number of slices is unknown: `sent_bytes` and the rates are then at least what they say. */
  sent_is_at_least: boolean;
  /** Time from the start of the send to the end of the wait for the result. */
  in_flight_ps: number;
  /** Self time of the four ops. */
  stall_ps: number;
  /** Time in flight without compute. */
  exposed_ps: number;
  /** Time from the start of the send to the start of the wait for the result, without ops of the runtime: the work that is scheduled meanwhile. */
  slack_ps: number;
  /** Bytes sent ÷ the time in flight. */
  gbps: number | null;
  /** Bandwidth of the network for one device. */
  peak_gbps: number | null;
  /** `gbps` ÷ `peak_gbps`. */
  util: number | null;
  /** Bytes sent ÷ the slack: the bandwidth at which the scheduled work would hide the transfer. Null where nothing is scheduled. */
  gbps_to_hide: number | null;
  /** Bytes sent ÷ the bandwidth of the network. */
  time_at_peak_ps: number | null;
  /** The part of `time_at_peak_ps` that the slack does not cover. */
  missing_work_ps: number | null;
}

export interface StepComm extends InFlight {
  /** Number of the step. */
  step: number;
  /** Length of the step. */
  duration_ps: number;
  /** Time with compute. */
  compute_busy_ps: number;
  /** Time without any op. */
  idle_ps: number;
  /** The time in which the core computes nothing and has no collective in flight. Null for a report. */
  rest: CommRest | null;
  /** The times in flight of copies. */
  dma: InFlight;
  /** The time in which the core computes nothing and has no copy in flight. Null for a report. */
  dma_rest: CommRest | null;
}

export interface CommRest {
  /** Time of data movement. */
  data_movement_ps: number;
  /** Time of communication. */
  communication_ps: number;
  /** Time of other ops. */
  other_ps: number;
  /** Time without an op. */
  idle_ps: number;
}

export interface Balance {
  /** Number of steps that several devices have. */
  n_steps: number;
  /** The largest spread of a step: (longest − shortest) ÷ mean. */
  worst_spread_pct: number | null;
  /** The mean spread of a step. */
  mean_spread_pct: number | null;
  /** The step with the largest spread. */
  worst_step: number | null;
  /** The slowest device in that step. */
  slowest: string | null;
  /** The device on which the length of a step depends: the one that waits least. Devices whose wait is within 1 % of the window of the shortest wait count as equal; the first of them is taken. Null where no device is compared. */
  critical_device: string | null;
  /** The compared devices in the file of the first selected device. The device that waits least is first. */
  devices: Arrival[];
  /** At most 100 collectives by the skew of their arrivals. */
  collectives: ArrivalSpread[];
  /** Number of collectives that cannot be compared, because their groups are unknown or their executions differ in number. */
  n_unmatched: number;
  /** The device that all others wait for. Null where the delay is at most 1 % of the window. */
  straggler: Straggler | null;
}

export interface Arrival {
  /** Name of the device. */
  device: string;
  /** Executions at which the device arrives last. */
  n_last: number;
  /** Compared executions, without permutes. */
  n_executions: number;
  /** Sum of the delays of its last arrivals after the second to last device. */
  late_ps: number;
  /** Sum, over the executions, of the time that the core waits minus the shortest wait in the group. A collective ends for the whole group at once, so the last device to arrive waits 0, and no clocks are compared. The core waits for the whole length of a synchronous collective, and for the done of an asynchronous one. Null for a report. */
  waited_ps: number | null;
}

export interface ArrivalSpread {
  /** The collective. */
  op: string;
  /** Id of the program in the capture, as decimal digits. */
  program_id: string | null;
  /** Number of compared executions. */
  n_executions: number;
  /** Number of devices. */
  n_devices: number;
  /** Sum of the differences between the longest and the shortest wait. */
  total_spread_ps: number;
  /** The largest of these differences. */
  max_spread_ps: number;
  /** The device that is last most often. Null if there is none. */
  straggler: string | null;
  /** The executions at which that device is last. */
  n_last: number;
}

export interface Straggler {
  /** Name of the device. */
  device: string;
  /** The median wait of the others − the wait of this device. */
  delay_ps: number;
  /** The delay as a share of the window. */
  pct_of_window: number;
}

export interface Pairing {
  /** Asynchronous executions from one event of the async line. */
  from_async_line: number;
  /** Asynchronous executions from several events of one flow. */
  from_flows: number;
  /** Asynchronous executions from a start and a done on the line of ops. */
  from_starts_and_dones: number;
  /** Synchronous executions. */
  synchronous: number;
  /** Halves without their other half. */
  unpaired: number;
  /** These halves as a share of all asynchronous executions. */
  unpaired_pct: number | null;
  /** Asynchronous work that is neither a collective nor a copy. */
  other: number;
  /** Whether the device's own clock is used, and not the event clock. */
  device_clock: boolean;
}

export interface LinkPeak {
  /** Name of the chip. */
  chip: string;
  /** Bandwidth of one link in one direction. */
  one_way_gbps: number;
  /** Where the figure comes from. */
  source: string;
  /** Devices of a chip. */
  devices_per_chip: number;
}

export interface Gaps extends Head {
  /** Length of the window. */
  window_ps: number;
  /** Time in which any op runs. It can differ slightly from `totals`, which may use the clock of the device. */
  busy_ps: number;
  /** Sum of all gaps. `busy_ps` and `idle_ps` sum to `window_ps`. */
  idle_ps: number;
  /** Number of gaps. */
  n_gaps: number;
  /** The idle time by class, the longest class first. The times sum to `idle_ps`. */
  classes: ClassTime[];
  /** The gaps of at least 1 µs between the ops of a loop. They are self time of the loop and not part of `idle_ps`. */
  in_loops: GapsInLoops;
  /** Number of program runs in the window. On GPUs, kernels count instead of runs. */
  n_runs: number;
  /** Number of those whose host call is in the capture. */
  n_linked_runs: number;
  /** The gaps, the longest first, and at most 1,000. */
  gaps: Gap[];
  /** Notes on assumptions and on data that is missing. */
  notes: Note[];
}

export interface ClassTime {
  /** The class: what the device waited for. */
  class: "capture" | "recompile" | "input" | "sync" | "defrag" | "host" | "barrier" | "dependency" | "launch" | "unexplained" | "callback" | "requests";
  /** Idle time of the class. */
  total_ps: number;
  /** Number of gaps that have time of the class. */
  n_gaps: number;
}

export interface GapsInLoops {
  /** Number of gaps. */
  n_gaps: number;
  /** Their time. */
  total_ps: number;
}

export interface Gap {
  /** Name of the device. */
  device: string;
  /** Number of the step in which the gap starts. Null outside of steps. */
  step: number | null;
  /** Start of the gap on the clock of events. */
  start_ps: number;
  /** Length of the gap. */
  total_ps: number;
  /** The class with most of the time. */
  class: "capture" | "recompile" | "input" | "sync" | "defrag" | "host" | "barrier" | "dependency" | "launch" | "unexplained" | "callback" | "requests";
  /** The gap by class, the longest class first. The times sum to `total_ps`. */
  parts: GapPart[];
  /** The op that ends before the gap. */
  after: string | null;
  /** The op that starts after the gap. */
  before: string | null;
  /** The program that starts after the gap. */
  program: string | null;
  /** Events of the host in the gap, the longest first. */
  host_events: HostEventTime[];
  /** A thread of the host that had work and recorded nothing. */
  untraced_thread: string | null;
  /** The time for which that thread recorded nothing. */
  untraced_ps: number | null;
}

export interface GapPart {
  /** The class. */
  class: "capture" | "recompile" | "input" | "sync" | "defrag" | "host" | "barrier" | "dependency" | "launch" | "unexplained" | "callback" | "requests";
  /** Its time in the gap. */
  total_ps: number;
}

export interface DataMovement extends Head {
  /** The sum of `data_move_duration_ps` and `comm_duration_ps`. */
  non_compute_duration_ps: number;
  /** Self time of ops that wait: `-done` halves and synchronous collectives. */
  stall_duration_ps: number;
  /** The part of the stall that belongs to communication. */
  exposed_comm_duration_ps: number;
  /** The categories, the one with the most time first. */
  by_category: DataMovementRow[];
  /** The sources of each category, in the order of the categories. `--top` limits the sources of each category. */
  by_source_within_category: DataMovementRow[];
  /** Executions by opcode of each program. */
  opcodes: ProgramOpcodes[];
  /** Notes on assumptions and on data that is missing. */
  notes: Note[];
}

export interface DataMovementRow {
  /** The category or the source. */
  key: string;
  /** The type of the key: `category`, or `source_stack`, `tf_op` or `no_source` for a source. */
  key_kind: string;
  /** The category. Where the stat of the category is missing, the text of the op gives the category. */
  hlo_category: string;
  /** The kind that most of the time belongs to. Ops of the kind `fused` have `comm` here. */
  kind: "compute" | "fused" | "comm" | "data_move" | "host" | "container" | "other";
  /** Number of executions that start in the window. */
  n_executions: number;
  /** Self time. */
  total_dur_ps: number;
  /** The part of the self time in ops that wait. */
  stall_dur_ps: number;
  /** The self time as a share of the window. */
  pct_of_step: number | null;
  /** Bytes that are read and written, without padding. The bytes of an asynchronous pair count at its done. Null if no execution has known bytes. */
  moved_bytes: number | null;
  /** Number of executions whose bytes are known. */
  n_executions_with_bytes: number;
  /** Whether the element type changes: the answer with more time. Null if “undetectable” has the most time; null does not mean no. */
  dtype_change: boolean | null;
  /** Whether the order of the dimensions in memory changes: the answer with more time. Null if “undetectable” has the most time; null does not mean no. */
  dim_order_change: boolean | null;
  /** Whether the tiles of the layout change: the answer with more time. Null if “undetectable” has the most time; null does not mean no. */
  tiling_change: boolean | null;
  /** Whether the memory space changes: the answer with more time. Null if “undetectable” has the most time; null does not mean no. */
  memory_space_change: boolean | null;
  /** Whether the logical dimensions change: the answer with more time. Null if “undetectable” has the most time; null does not mean no. */
  shape_change: boolean | null;
  /** The time by answer for `dtype`, `dim_order`, `tiling`, `memory_space` and `shape`. */
  changes: Record<string, Tally>;
  /** The undetectable time by reason. An op counts once under each of its reasons. */
  undetectable: Record<string, number>;
  /** The time of ops that move one array from one memory space to another. */
  memory_space_moves: SpaceMove[];
  /** Shapes that are read, by time. There are at most 8. */
  shapes_in: string[];
  /** Shapes that are written, by time. There are at most 8. */
  shapes_out: string[];
  /** Innermost line of the user's code of the op with the most time. */
  source_inner: string | null;
  /** Scope path of the op with the most time. */
  tf_op: string | null;
  /** The op with the most time. */
  example_hlo_op: string | null;
}

export interface Tally {
  /** Self time of ops that make the change. The three times sum to the row. */
  yes_ps: number;
  /** Self time of ops that do not make it. */
  no_ps: number;
  /** Self time of ops for which it is unknown. */
  undetectable_ps: number;
  /** Whether the ops differ. */
  mixed: boolean;
}

export interface SpaceMove {
  /** The memory space that is read: the number of `S(n)`. 0 is the main memory, 1 is VMEM, 5 is the memory of the host. */
  from: number;
  /** The memory space that is written. */
  to: number;
  /** Self time. */
  total_dur_ps: number;
}

export interface ProgramOpcodes {
  /** Name of the program. Null if it is unknown. */
  program: string | null;
  /** Id of the program. Null if it is unknown. */
  program_id: string | null;
  /** Number of executed ops. An asynchronous copy counts once. */
  n_executions: number;
  /** Executions of dots and convolutions. Convolution fusions count here. The instructions inside of fusions do not. */
  n_dot_convolution: number;
  /** Executions of exponentials, without the instructions inside of fusions. */
  n_exponential: number;
  /** Executions of reductions, without the instructions inside of fusions. */
  n_reduce: number;
  /** Executions of copies, without the instructions inside of fusions. An asynchronous copy counts once. */
  n_copy: number;
  /** Executions of transposes, without the instructions inside of fusions. */
  n_transpose: number;
  /** Executions of fusions. */
  n_fusion: number;
  /** Bytes that copies read and write. */
  copy_bytes: number;
  /** Executions and self time by opcode, the most executions first. */
  by_opcode: OpcodeCount[];
  /** Dots and convolutions in the bodies of fusions and of calls, times the executions of the op. An instruction with events of its own is an op and is not counted here, and neither are the functions of reductions and sorts. Null if the HLO of a fusion or a call is missing. */
  n_dot_convolution_in_fusions: number | null;
  /** Exponentials in the bodies of fusions and of calls, counted in the same way. */
  n_exponential_in_fusions: number | null;
  /** Reductions in the bodies of fusions and of calls, counted in the same way. */
  n_reduce_in_fusions: number | null;
  /** Copies in the bodies of fusions and of calls, counted in the same way. */
  n_copy_in_fusions: number | null;
  /** Transposes in the bodies of fusions and of calls, counted in the same way. */
  n_transpose_in_fusions: number | null;
  /** The instructions in the bodies of fusions and of calls by opcode, without parameters and constants. Null if the HLO of a fusion or a call is missing. */
  by_opcode_in_fusions: BodyOpcode[] | null;
}

export interface OpcodeCount {
  /** The opcode, or `<none>` for ops without HLO text. */
  opcode: string;
  /** Number of executions. */
  n_executions: number;
  /** Self time. */
  total_dur_ps: number;
}

export interface BodyOpcode {
  /** The opcode. */
  opcode: string;
  /** Number of executions. */
  n_executions: number;
}

export interface Flags extends Head {
  /** The compiler whose defaults are used, with its version. Null if the platform is unknown. */
  compiler: string | null;
  /** The compiler that the capture states, if its version is not that of `compiler`. Unknown flags then stay in `changed_flags`. Null if it is the same, or if the capture states none. */
  compiler_of_capture: string | null;
  /** Number of XLA flags in the text. */
  n_flags: number;
  /** Number of other options in the text. */
  n_other_options: number;
  /** Whether the text has more than 4,096 flags or 256 KiB. The rest is ignored. */
  is_cut: boolean;
  /** The verdicts, problems first, then by stall. */
  rows: FlagRow[];
  /** The text with all changes. Null if there is nothing to change. */
  changed_flags: string | null;
  /** Notes on assumptions and on data that is missing. */
  notes: Note[];
}

export interface FlagRow {
  /** What the flags do in this run. */
  verdict: "refused" | "conflict" | "to_try" | "no_effect" | "unknown" | "working" | "set" | "default";
  /** Names of the flags, or `name=value` for flags to try. */
  flags: string[];
  /** The reason, with what was measured. */
  text: string;
  /** The primitive that the flags concern. Null if they concern no primitive alone. */
  primitive: "all-reduce" | "all-gather" | "reduce-scatter" | "all-to-all" | "ragged-all-to-all" | "collective-permute" | "collective-broadcast" | "send" | "recv" | "unknown" | "copy" | "slice" | null;
  /** The stall of the primitive. Null if the flags concern no primitive alone. */
  stall_ps: number | null;
  /** What the change of this row is, in words. Null if there is none. */
  change: string | null;
}

export interface Summary extends Head {
  /** The verdict of `overview`. Null if no device has the step. */
  verdict: string | null;
  /** Rows of `breakdown`, one per kind. */
  kinds: Row[];
  /** Rows of `breakdown`: the sources with the most time. */
  by_source: Row[];
  /** The sources that `by_source` leaves out. */
  tail: Tail;
  /** The steps of each device. */
  step_stats: StepStats;
  /** The `step_summary` of `roofline`, with an empty `top_gaps`. */
  roofline: StepSummary;
  /** The peaks of programs and of allocators. */
  memory: MemoryPeaks;
  /** Sums over collectives, as in `comm`. */
  comm_totals: CommSums;
  /** Sums over copies and slices, as in `comm`. */
  dma: CommSums;
  /** The time of one device, divided among owners. Null where no device has the step. */
  ledger: Ledger | null;
  /** Notes on assumptions and on data that is missing. */
  notes: Note[];
}

export interface Tail {
  /** Number of sources. */
  n_groups: number;
  /** Their self time. */
  dur_ps: number;
}

export interface StepStats {
  /** The steps of each device. */
  devices: DeviceSteps[];
  /** The lengths of the events of each step, compared between devices. Periods are compared where a step has several runs and no event. */
  across_devices: AcrossDevices[];
}

export interface DeviceSteps {
  /** Name of the device. */
  device: string;
  /** Statistics of the lengths of all steps. Null if there are no steps. */
  all: Periods | null;
  /** Statistics of the periods of the steady steps. Null where no step has a period. */
  steady: Periods | null;
  /** Whether fewer than three steps are steady. Then `steady` describes all steps with a period. */
  few_steps: boolean;
  /** How the steps were found: `line`, `annotation`, `sequence`, `program` or `none`. */
  found_by: string;
  /** Time from the first to the last op that is in no step. */
  outside_ps: number;
  /** The kinds of steps. */
  kinds: StepKind[];
  /** The steps, in order of their start. */
  steps: StepTime[];
}

export interface StepKind {
  /** Name of the kind: that of its host annotation, the role of its program (such as `decode`), or the program. */
  name: string;
  /** Number of steps of the kind. */
  n_steps: number;
  /** Number of the first step of the kind. */
  first_step: number;
  /** Share of the sum of all periods. Null if no step has a period. */
  share: number | null;
  /** The mean period. Null if no step of the kind has a period. */
  mean_period_ps: number | null;
  /** The median period. */
  median_period_ps: number | null;
  /** The period that nine tenths of the steps do not exceed. */
  p90_period_ps: number | null;
}

export interface StepTime extends KindTimes {
  /** Number of the step. */
  step: number;
  /** Name of the step's event, or of its program. */
  name: string;
  /** Time from the start of the step to the start of the next one. Null for the last step. */
  period_ps: number | null;
  /** Length of the step's event, which leaves out the time between steps. */
  dur_ps: number;
  /** Whether the step counts for means. */
  is_steady: boolean;
  /** Why the step does not count for means, and null for a steady step: `no_period` (the last step, and steps that the clock of the device and that of the events order differently), `first`, `compile` (the host compiles or loads a program in more than 1 % of the step, and less than half of the steps compile), `lost_ops` (less than 80 % of the median number of ops), `cut` (the file ends within the step), `lost` (the step is in a span whose events were lost) or `other_kind` (the mean is of another kind of steps). */
  not_steady: "no_period" | "first" | "compile" | "lost_ops" | "cut" | "lost" | "other_kind" | null;
  /** Self time of all ops in the period or, for the last step, in the event. */
  busy_ps: number;
  /** Time without an op in the period or, for the last step, in the event. */
  idle_ps: number;
  /** Number of executions of ops that start in the step. */
  n_ops: number;
}

export interface AcrossDevices {
  /** Number of the step. */
  step: number;
  /** Number of devices that have the step. */
  n_devices: number;
  /** The shortest length. */
  min_dur_ps: number;
  /** The longest length. */
  max_dur_ps: number;
  /** The mean length. */
  mean_dur_ps: number;
  /** The device with the longest step. */
  slowest_device: string;
  /** (longest − shortest) ÷ mean. */
  spread_pct: number;
}

export interface MemoryPeaks {
  /** Programs, those that ran first, and of these the one with the highest peak in HBM. */
  programs: ProgramPeaks[];
  /** The memory in use that the allocators recorded. */
  runtime: AllocatorPeak[];
}

export interface ProgramPeaks {
  /** Name of the program. */
  name: string;
  /** Id of the program. Null if it has none. */
  program_id: string | null;
  /** The peak in each memory. Empty if the buffers of the program are unknown. */
  spaces: SpacePeak[];
}

export interface SpacePeak {
  /** Colour of the memory. */
  color: number;
  /** Name of the colour: `HBM`, `VMEM`, `S(n)`, or `device memory` for colour 0 of a device that is not a TPU. */
  memory_space: string;
  /** The most bytes that are alive at once. */
  peak_bytes: number;
}

export interface AllocatorPeak {
  /** Name of the device. */
  device: string;
  /** Name of the allocator. Null if the events do not have it. */
  allocator: string | null;
  /** The largest sum of reserved and allocated memory. */
  peak_in_use_bytes: number;
  /** Sum of the reserved, allocated and available bytes at that moment. Null if the events do not have the available bytes. */
  capacity_bytes: number | null;
}

export interface Ledger {
  /** Name of the device. Of several devices, it is the one that waits least for the others, because the length of a step depends on it. */
  device: string;
  /** Number of steps. 1 for the whole capture. */
  n_steps: number;
  /** Sum of the periods of the steps on the event clock. For the whole capture, its length. */
  window_ps: number;
  /** Share of the roofline that ops are expected to attain. */
  attainable: number;
  /** The time of each owner. Each instant has one owner, so the times sum to `window_ps`. */
  owners: Owners;
  /** Sum over the ops that do not communicate of the time of the device beyond the median of the devices, as a mean over the steps. Null where no other device is compared. */
  excess_over_devices_ps: number | null;
}

export interface Inspect {
  /** Whether the files were read completely: `partial` if only a part of them could be read. */
  status: "ok" | "partial" | "absent";
  /** Name of the command. */
  view: string;
  /** The files that were read. */
  files: FileInfo[];
  /** Names of the hosts in the captures. */
  hosts: string[];
  /** The planes, in the order of the files. */
  planes: FilePlane[];
  /** The programs, by id. */
  programs: FileProgram[];
  /** Number of events of all planes. */
  n_events_total: number;
  /** The gaps in the data, the most serious first. */
  quality: FileFinding[];
  /** Notes on assumptions and on data that is missing. */
  notes: Note[];
}

export interface FileInfo {
  /** Name of the file, with its folder if it was opened with one. */
  name: string;
  /** The format in words, such as `XSpace, gzip`. */
  format: string;
  /** Stored bytes of the file. */
  size_bytes: number;
}

export interface FilePlane {
  /** Name of the plane. */
  name: string;
  /** The id in the file. */
  id: number;
  /** What the plane holds. */
  role: "device" | "host" | "metadata" | "other";
  /** Name of the file of the plane. */
  file: string;
  /** The unpacked bytes of the plane. */
  size_bytes: number;
  /** Those of them outside of its lines. */
  metadata_bytes: number;
  /** Number of events. */
  n_events: number;
  /** Number of metadata entries of events. */
  n_metadata: number;
  /** Number of distinct ops. */
  n_ops: number;
  /** The earliest timestamp of the lines with events, in ns. `span_ps` counts from it. Null without events. */
  origin_ns: number | null;
  /** The stats of the plane by name: texts and numbers. Bytes are an object with their number, `n_bytes`. */
  stats: Record<string, unknown>;
  /** The stats of events and of metadata, by name. */
  stat_counts: Record<string, StatUse>;
  /** The lines of the plane. */
  lines: FileLine[];
}

export interface StatUse {
  /** Number of its occurrences on events. */
  on_events: number;
  /** Number of its occurrences on metadata of events. */
  on_metadata: number;
}

export interface FileLine {
  /** Name of the line. */
  name: string;
  /** The display name. Null if it is the name, or if there is none. */
  display_name: string | null;
  /** The id in the file. */
  id: number;
  /** Start of the line's time, in ns. */
  timestamp_ns: number;
  /** Number of its events. */
  n_events: number;
  /** Number of its bytes. */
  size_bytes: number;
  /** The first start and the last end on the event clock, after `origin_ns` of the plane. Null without events. */
  span_ps: [number, number] | null;
  /** Whether every event has a time on the clock of the device. */
  device_clock: boolean;
  /** What the events are used for. `gaps` are the threads of a host and the waits of runs, which tell what a device waited for. */
  used_for: "ops" | "steps" | "modules" | "async" | "gaps" | "counters" | "not_used";
}

export interface FileProgram {
  /** Name of the program, without its id. */
  name: string;
  /** The id of the program. Null if none is known. */
  program_id: string | null;
  /** Where the HLO comes from: `capture`, a file of its own (`hlo_proto`, `hlo_text`), or `events` if only the texts of events are known. */
  hlo_from: "capture" | "hlo_proto" | "events" | "hlo_text";
  /** Name of the file of the HLO. Null if there is none. */
  hlo_file: string | null;
  /** Bytes of the HLO. Null if there is none. */
  hlo_bytes: number | null;
  /** Number of the module runs, on all devices and over the whole capture. Null if the program did not run. */
  n_executions: number | null;
  /** Total length of the module runs, over the same range. Null if the program did not run. */
  run_duration_ps: number | null;
  /** Self time of its ops, over the same range. It is also null if no op names its program, as in trace JSON. */
  busy_duration_ps: number | null;
}

export interface FileFinding {
  /** The kind of the gap. */
  what: "truncated" | "dropped" | "profiler" | "clock" | "unresolved" | "unpaired" | "missing";
  /** A plane, a device or a file. Null for the session. */
  where: string | null;
  /** Number of events, stats or devices. Null if there is nothing to count. */
  n: number | null;
  /** The effect on the figures. */
  consequence: string;
  /** A way to close the gap. Null if none is known. */
  remedy: string | null;
}

export interface Compare {
  /** Whether the figures are complete: `partial` if only a part of a side was read. */
  status: "ok" | "partial" | "absent";
  /** Name of the command. */
  view: string;
  /** Whether B differs from A by more than the steps and captures vary. It is `too_few_steps` if a side has no steps, and `incomparable` if the sides do different work and the work in a step is unknown. */
  verdict: "regression" | "improvement" | "within_noise" | "too_few_steps" | "incomparable";
  /** The verdict in words. */
  sentence: string;
  /** The part of the work that explains the difference. Null if the difference is noise, or if no part explains half of it. */
  cause: MainCause | null;
  /** What is certain of the whole and changes many ops: another batch, another type, or more layers. */
  whole_causes: Cause[];
  /** The unit of work. All fields in ps are per unit, but for `period_ps`, `periods_ps` and `median_ps` of a side. */
  unit: "step" | "million_tokens";
  /** The baseline. */
  a: ComparedSide;
  /** The experiment. */
  b: ComparedSide;
  /** The time of A. */
  a_ps: number;
  /** The time of B. */
  b_ps: number;
  /** The difference B − A, which is positive if B is slower. It is that of the means. */
  delta_ps: number;
  /** The difference as a share of A. Null if A takes no time. */
  change: number | null;
  /** The Hodges–Lehmann shift of the lengths of the steps. Null with fewer than 4 steps on a side. */
  shift_ps: number | null;
  /** The 95 % interval of the shift. Null with fewer than 4 steps on a side. */
  interval_ps: [number, number] | null;
  /** The two-sided p-value of the Mann–Whitney test over the lengths of the steps. Null with fewer than 4 steps on a side. */
  p: number | null;
  /** Number of steps of A and of B whose length is known. */
  n: [number, number];
  /** The share of A below which a difference is noise between captures. */
  band: number;
  /** The gate. It is only there with `--fail-over` or `--rows-over`. */
  gate?: Gate | null;
  /** Sentences about what the reports of the sides leave out, about times that are too large, and about pairs of `--pair` whose ops do not exist. */
  notes: string[];
  /** What both sides should share. */
  parity: Parity[];
  /** The owners of time, the largest difference first. Their differences sum to `delta_ps`. */
  waterfall: WaterfallPart[];
  /** The matched ops, and the ops of one side, the largest difference first. */
  rows: RowDelta[];
  /** Number of all rows. */
  n_rows: number;
  /** The property by which `groups` sums the rows. It is only there with `--by`. */
  by?: "op" | "op_group" | "kind" | "scope" | "source" | "common_scope" | null;
  /** The groups of the rows, the largest difference first. They are only there with `--by`. */
  groups?: GroupDelta[] | null;
  /** Number of all groups. It is only there with `--by`. */
  n_groups?: number | null;
  /** The scopes of both sides, the largest difference first. */
  scopes: ScopeDelta[];
  /** Number of all scopes. */
  n_scopes: number;
  /** The ops of both sides by the deepest scope that both have, else by module, else by group of work. Each op is in one pair. The largest difference is first. */
  pairs: WorkPair[];
  /** Number of all pairs. */
  n_pairs: number;
  /** The shares of the time of A and of B whose ops have a counterpart: a partner of their own, or a pair of both sides. Null if the pairs are unknown, as in a comparison that was shared. */
  paired_pct: [number, number] | null;
  /** The shares of the time of A and of B by tier, in percent. `only_in_one` has the shares of the ops that only one side has. */
  matched_pct: Record<string, [number, number]>;
  /** The figures of `overview`. */
  figures: FigureDelta[];
  /** The findings that one side alone has. Those of B are first. */
  findings: FindingDelta[];
  /** Memory. */
  memory: MemoryDelta;
  /** Communication. */
  comm: CommDelta;
  /** The differences of the programs that both sides run. */
  program_changes: ProgramDiff;
}

export interface Cause {
  /** The sort of change. */
  kind: "replaced" | "fusion" | "dtype" | "copies" | "recompute" | "shape" | "groups" | "executions" | "loop" | "speed" | "one_side" | "session";
  /** What changed, where the kind does not say it. Empty otherwise. */
  label: string;
  /** The evidence of A in words, such as the work that other work replaced. Empty if there is none. */
  a: string;
  /** The evidence of B in words. Empty if there is none. */
  b: string;
  /** Number of ops of A that the change concerns. */
  n_ops_a: number;
  /** Number of ops of B that the change concerns. */
  n_ops_b: number;
  /** Time of these ops in A, per unit. */
  a_ps: number;
  /** Time of these ops in B, per unit. */
  b_ps: number;
  /** The difference. */
  delta_ps: number;
}

export interface ComparedSide {
  /** Names of its files. */
  files: string[];
  /** The device on which its steps depend. */
  device: string;
  /** Type of the device. */
  device_type: string | null;
  /** Number of devices. */
  n_devices: number;
  /** Number of steps. 0 if the window is the whole capture. */
  n_steps: number;
  /** The kind of the steps. Null if all steps are of one kind, or if a report does not tell. */
  step_kind: string | null;
  /** Mean length of a step. */
  period_ps: number;
  /** Length of each step. Empty if a report leaves some out. */
  periods_ps: number[];
  /** Median length of a step. Null without steps. */
  median_ps: number | null;
  /** Tokens of a step of the whole job, a guess from the inputs of the program. Null if they are unknown. */
  tokens: number | null;
  /** Whether only a part of the side was read. */
  is_partial: boolean;
  /** The level of detail of a report, from 0 to 100. Null for a capture. */
  report_level: number | null;
}

export interface Parity {
  /** Name of the property. */
  key: string;
  /** Its label. */
  label: string;
  /** The value of A. Null if A does not tell. */
  a: string | null;
  /** The value of B. Null if B does not tell. */
  b: string | null;
  /** Whether both are equal. Null if a side does not tell. */
  is_equal: boolean | null;
}

export interface WaterfallPart {
  /** The owner of the time, as in `ledger` of `overview`. */
  owner: "floor" | "excess" | "slower" | "opaque" | "transfer" | "late" | "dma" | "layout" | "loop" | "capture" | "recompile" | "input" | "sync" | "defrag" | "host" | "barrier" | "dependency" | "launch" | "unexplained" | "callback" | "requests";
  /** Its label. */
  label: string;
  /** Its time in A, per unit. */
  a_ps: number;
  /** Its time in B, per unit. */
  b_ps: number;
  /** The difference. */
  delta_ps: number;
  /** The part of each op, the largest first. Empty if a side is a report. */
  children: WaterfallOp[];
}

export interface WaterfallOp {
  /** Name of the op. */
  name: string;
  /** Its part of the difference. */
  delta_ps: number;
}

export interface RowDelta {
  /** The op with the most time: that of B, or that of A if B has none. */
  name: string;
  /** The kind of the op. */
  kind: "compute" | "fused" | "comm" | "data_move" | "host" | "container" | "other";
  /** The evidence by which the ops were matched, such as `exact`, `scope_and_shape` or `name`. `by_hand` is a pair of `--pair`, `layer_group` the same scope but for loops and numbers of layers, and `left_out` the ops that a report leaves out, by kind. Null for ops of one side. */
  tier: "by_hand" | "exact" | "scope_and_shape" | "scope" | "source" | "name" | "neighbours" | "scope_group" | "layer_group" | "left_out" | null;
  /** How far a match of this tier can be relied on, from 0 to 1. Null for ops of one side. */
  weight: number | null;
  /** Whether other pairs were possible. */
  ambiguous: boolean;
  /** The ops of A. Null if B alone has them. */
  a: ComparedOps | null;
  /** The ops of B. Null if A alone has them. */
  b: ComparedOps | null;
  /** The difference. It is `count_ps` + `work_ps` + `efficiency_ps` where all of them are known. */
  delta_ps: number;
  /** The part of the difference that another number of executions makes. 0 for ops of one side. */
  count_ps: number;
  /** The part that another roofline time makes: more or less work. Null without roofline times. */
  work_ps: number | null;
  /** The rest of the difference: the same work takes another time. Null without roofline times. */
  efficiency_ps: number | null;
  /** The two-sided p-value of the Mann–Whitney test over steps. Null with fewer than 4 steps on a side. */
  p: number | null;
  /** The verdict, as that of the whole comparison. That on ops of B alone is `new`, and on those of A alone `gone`. Of all rows that differ, at most 5 % are expected to differ by chance (Benjamini and Hochberg). */
  verdict: string;
}

export interface ComparedOps {
  /** Names of the ops, the one with the most time first. */
  ops: string[];
  /** Id of the program of the first op, as decimal digits. Null if its events name none. */
  program_id: string | null;
  /** Scope path of the op with the most time. */
  scope: string | null;
  /** The innermost source line in the user's own code of the op with the most time, as `source_inner` of `breakdown`. */
  source: string | null;
  /** Group of work of that op, such as matmul. */
  op_group: string | null;
  /** Executions, per unit. */
  n_executions: number;
  /** Self time, per unit. */
  self_ps: number;
  /** Roofline time, per unit. Null if it is unknown. */
  roofline_ps: number | null;
}

export interface GroupDelta {
  /** Name of the group. That of a kind is its name in JSON. */
  name: string;
  /** The kind of its rows. Null if they differ in it. */
  kind: "compute" | "fused" | "comm" | "data_move" | "host" | "container" | "other" | null;
  /** Number of its rows. A matched row belongs to the group of its op of B, or of A if B does not tell. */
  n_rows: number;
  /** Self time in A. */
  a_ps: number;
  /** Self time in B. */
  b_ps: number;
  /** The sum of the differences of its rows. */
  delta_ps: number;
}

export interface ScopeDelta {
  /** The path of the scope, with `*` for the number of an unrolled layer. That of a node “N smaller”, which sums small scopes, is the path of their parent. */
  path: string;
  /** Name of the scope. */
  name: string;
  /** Time in A of all ops at and below the scope, per unit. */
  a_ps: number;
  /** Time in B of all ops at and below the scope, per unit. */
  b_ps: number;
  /** The difference. */
  delta_ps: number;
}

export interface WorkPair {
  /** The scope without transformations, loops and numbers of layers, the module of the model, or the group of work. */
  name: string;
  /** What the ops have in common: `scope`, `module`, `op_group`, or `one_side` for ops without a counterpart. */
  level: "scope" | "module" | "op_group" | "one_side" | "work" | "phase" | "owner";
  /** Time in A, per unit. */
  a_ps: number;
  /** Time in B, per unit. */
  b_ps: number;
  /** The difference. Those of all pairs sum to those of all rows. */
  delta_ps: number;
  /** Number of ops of A. */
  n_ops_a: number;
  /** Number of ops of B. */
  n_ops_b: number;
  /** Time in A of the ops that have no partner of their own in B. */
  unmatched_a_ps: number;
  /** Time in B of the ops that have no partner of their own in A. */
  unmatched_b_ps: number;
  /** The phases of a training step. Empty if none is known. */
  phases: PhaseDelta[];
  /** What changed, the strongest evidence first. */
  causes: Cause[];
}

export interface PhaseDelta {
  /** The phase. */
  phase: string;
  /** Time in A, per unit. */
  a_ps: number;
  /** Time in B, per unit. */
  b_ps: number;
  /** The difference. */
  delta_ps: number;
}

export interface FigureDelta {
  /** Name of the figure, as in `overview`. */
  name: string;
  /** The unit of its values. */
  unit: "ps" | "fraction" | "bytes" | "flops" | "count";
  /** The value of A. Null if A does not have the figure. */
  a: number | null;
  /** The value of B. Null if B does not have the figure. */
  b: number | null;
}

export interface FindingDelta {
  /** Name of its rule. */
  id: string;
  /** Its title. */
  title: string;
  /** Whether B alone has the finding. Otherwise A alone has it. */
  is_new: boolean;
}

export interface MemoryDelta {
  /** The program with the highest peak in HBM, of the programs that have the same name and a known peak on both sides. Programs that ran come before others with higher peaks. Null if there is none. */
  program: PeakDelta | null;
  /** Why `program` is null. */
  absent: string | null;
  /** The largest memory in use by the allocators of devices. Null if a side has no events of allocators. */
  in_use: BytesDelta | null;
}

export interface PeakDelta {
  /** Name of the program. */
  name: string;
  /** Its peak in A. */
  a: ComparedProgram;
  /** Its peak in B. */
  b: ComparedProgram;
  /** The difference of the peaks. */
  delta_bytes: number;
  /** The classes of buffers, the largest difference first. Each side uses its own peak, so the classes sum to the peaks, and their differences to `delta_bytes`. */
  parts: ClassDelta[];
}

export interface ComparedProgram {
  /** The peak, with padding. */
  peak_bytes: number;
  /** The instruction that first reaches the peak. Null if the program starts at its peak. */
  peak_instruction: string | null;
  /** Number of buffers that are alive at the peak. */
  n_buffers: number;
  /** The source of the curve, as in `memory`. */
  basis: "trace" | "schedule" | "constant" | "live_ranges";
}

export interface ClassDelta {
  /** The class of buffers. */
  class: "weights" | "optimizer" | "inputs" | "logits" | "experts" | "attention" | "gradients" | "activations" | "communication" | "temporaries" | "outputs" | "constants";
  /** Its bytes at the peak of A. */
  a_bytes: number;
  /** Its bytes at the peak of B. */
  b_bytes: number;
  /** The difference. */
  delta_bytes: number;
}

export interface BytesDelta {
  /** Bytes in A. */
  a_bytes: number;
  /** Bytes in B. */
  b_bytes: number;
  /** The difference. */
  delta_bytes: number;
}

export interface CommDelta {
  /** Exposed time, the sum over all rows. Null if collectives are not compared. */
  exposed: TimeDelta | null;
  /** Stall, the sum over all rows. Null if collectives are not compared. */
  stall: TimeDelta | null;
  /** The collectives of both sides: those with the same `primitive`, `core`, `group_size`, `group_stride` and `scope` are one row. The largest difference of exposed time is first. */
  rows: CommRowDelta[];
  /** Number of all rows. */
  n_rows: number;
  /** Why collectives are not compared, as when a report leaves them out. Null if they are compared. */
  absent: string | null;
}

export interface TimeDelta {
  /** Time in A, per unit. */
  a_ps: number;
  /** Time in B, per unit. */
  b_ps: number;
  /** The difference. */
  delta_ps: number;
}

export interface CommRowDelta {
  /** The primitive. */
  primitive: "all-reduce" | "all-gather" | "reduce-scatter" | "all-to-all" | "ragged-all-to-all" | "collective-permute" | "collective-broadcast" | "send" | "recv" | "unknown" | "copy" | "slice";
  /** The core that runs them. */
  core: "tensor" | "sparse";
  /** Devices in a group. Null if it is unknown. */
  group_size: number | null;
  /** Distance between neighbours of a group. Null if it is unknown or not constant. */
  group_stride: number | null;
  /** The scope path. Null if it is unknown. */
  scope: string | null;
  /** The collectives of A. Null if B alone has such collectives. */
  a: ComparedComm | null;
  /** The collectives of B. Null if A alone has such collectives. */
  b: ComparedComm | null;
  /** The difference of the exposed time. A side without such collectives counts as 0. The differences of all rows sum to that of `comm`. */
  exposed_delta_ps: number;
  /** The difference of the stall. A side without such collectives counts as 0. The differences of all rows sum to that of `comm`. */
  stall_delta_ps: number;
  /** The difference of the bytes. A side without such collectives counts as 0. Null if the bytes of a side are unknown. */
  bytes_delta: number | null;
}

export interface ComparedComm {
  /** Names of the ops, the one with the longest exposed time first. */
  ops: string[];
  /** Executions, per unit. */
  n_executions: number;
  /** Bytes of the messages, per unit. Null if a size is unknown. */
  bytes: number | null;
  /** Time in flight without compute, per unit. */
  exposed_ps: number;
  /** Self time of waits and of synchronous ops, per unit. */
  stall_ps: number;
  /** Bandwidth in bytes per second. Deprecated: use `bus_gbps`. */
  bus_rate: number | null;
  /** Bus bandwidth in 10⁹ bytes per second, the mean over the time of the executions. Null if that of an op is unknown. */
  bus_gbps: number | null;
}

export interface ProgramDiff {
  /** The pairs of programs whose HLO is compared. */
  programs: ProgramPair[];
  /** Names of the programs that A alone runs. */
  only_in_a: string[];
  /** Names of the programs that B alone runs. */
  only_in_b: string[];
  /** Why no programs are compared. Null if some are. */
  absent: string | null;
  /** The sum of the differences of all changes of ops. */
  delta_ps: number;
  /** The changes of ops, the largest difference first. */
  changes: ProgramChange[];
  /** Number of all changes of ops. */
  n_changes: number;
  /** Numbers of the changes of instructions that no op of the captures stands for. */
  n_without_time: ChangeCounts;
  /** Number of ops that run in another order. */
  n_moved: number;
  /** The opcodes whose number of instructions differs, the largest difference first. Instructions inside fusions are not counted. */
  opcodes: OpcodeDelta[];
}

export interface ProgramPair {
  /** Name of the program. */
  name: string;
  /** Whether both sides are the same apart from names, ids, sources and the order of independent instructions. */
  is_same: boolean;
}

export interface ChangeCounts {
  /** Number of instructions that B alone has. */
  added: number;
  /** Number of instructions that A alone has. */
  removed: number;
  /** Number of instructions that differ. */
  changed: number;
}

export interface OpcodeDelta {
  /** The opcode. */
  opcode: string;
  /** Number of its instructions in A. */
  a: number;
  /** Number of its instructions in B. */
  b: number;
}

export interface MainCause {
  /** The work and what changed there. `level` may also be `work` for a sort of work such as all-gathers, `phase` for a phase of a training step, and `owner` for an owner of time such as a class of idle time. */
  work: WorkPair;
  /** The owner of the time, if `level` is `owner`. Null otherwise. */
  owner: "floor" | "excess" | "slower" | "opaque" | "transfer" | "late" | "dma" | "layout" | "loop" | "capture" | "recompile" | "input" | "sync" | "defrag" | "host" | "barrier" | "dependency" | "launch" | "unexplained" | "callback" | "requests" | null;
  /** Its difference as a share of the whole difference. */
  share: number;
  /** The cause in words. */
  sentence: string | null;
}

export interface ProgramChange {
  /** The op with the most time of its row. */
  name: string;
  /** Whether the op is new in B (`added`), gone (`removed`), or differs. */
  kind: "added" | "removed" | "changed";
  /** The properties that differ. Empty for ops of one side. */
  what: ChangedProperty[];
  /** The difference of its row. */
  delta_ps: number;
}

export interface ChangedProperty {
  /** The property. `opcode` includes the target of a custom call, and `memory_space` is that of the result or of an operand. `grouping` means that another number of ops does the work: fusions were split or merged. Precision and sharding are compared only if the HLO of both sides has them. */
  property: "opcode" | "shape" | "dtype" | "layout" | "memory_space" | "fused_set" | "groups" | "precision" | "sharding" | "grouping" | "attributes";
  /** The text of A. Empty if A has no such property. */
  a: string;
  /** The text of B. Empty if B has no such property. */
  b: string;
}

export interface Gate {
  /** What the gate compares. */
  on: "period" | "peak-hbm" | "exposed";
  /** B may exceed A by this share. Null without `--fail-over`. */
  limit: number | null;
  /** The change of the figure as a share of A. For the period, it is that of the medians, while `delta_ps` is that of the means. Null if a side does not tell, or if the figure of A is 0 and that of B is not. */
  change: number | null;
  /** An op that is slower may exceed its baseline by this share of the time of A. Null without `--rows-over`. */
  rows_over: number | null;
  /** Names of the ops of both sides that are slower by more than `rows_over`. */
  slower_rows: string[];
  /** Names of the ops of B alone that take longer than `rows_over`. */
  new_rows: string[];
  /** The result. It is `inconclusive` if the captures do not tell. */
  result: "passed" | "inconclusive" | "failed";
}

export interface CompareSeries {
  /** Whether the figures are complete: `partial` if only a part of a capture was read. */
  status: "ok" | "partial" | "absent";
  /** Name of the view. */
  view: string;
  /** The order of the captures. */
  order: "time" | "name";
  /** Number of the capture with which all others are compared, counted from 1. */
  base: number;
  /** The unit of times. */
  unit: "step" | "million_tokens";
  /** The captures in their order. */
  captures: SeriesCapture[];
  /** The time (`period`) and the figures of `overview`. */
  series: FigureSeries[];
}

export interface SeriesCapture {
  /** Names of its files. */
  files: string[];
  /** When the profile was started, in nanoseconds since 1970. Null if the capture does not record it. */
  start_ns: number | null;
  /** The device on which its steps depend. */
  device: string;
  /** Number of steps. */
  n_steps: number;
  /** Median of the lengths of the steps, per unit. Null without steps. */
  median_ps: number | null;
  /** The change of the median from that of the base, as a share of the base. */
  change: number | null;
  /** The verdict on the difference from the base. */
  verdict: "regression" | "improvement" | "within_noise" | "too_few_steps" | "incomparable";
  /** Whether only a part of the capture was read. */
  is_partial: boolean;
}

export interface FigureSeries {
  /** `period`, or the name of the figure in `overview`. */
  name: string;
  /** The unit of the values. */
  unit: "ps" | "fraction" | "bytes" | "flops" | "count";
  /** The values in the order of the captures. Null for a capture that does not have the figure. */
  values: (number | null)[];
  /** The largest usual difference of neighbours. Null with fewer than 8 values. */
  fence: number | null;
  /** The difference beyond which the figure has changed: the fence, else the band. Null without values. */
  limit: number | null;
  /** The places where the figure changes for good. */
  changes: ChangePoint[];
}

export interface ChangePoint {
  /** Number of the first capture after the change, counted from 1. */
  capture: number;
  /** Median of the three values before the change. */
  before: number;
  /** Median of the three values after the change. */
  after: number;
  /** The owners of time of the captures around the change, as in `compare`. It is only there for changes of `period`. */
  waterfall?: WaterfallPart[] | null;
}
