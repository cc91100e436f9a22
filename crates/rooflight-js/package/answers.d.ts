// The answers of a session: the JSON documents of the command line. docs/CLI.md describes each field.
//
// Names that end in `_ps` are picoseconds, `pct_` and `_pct` are percentages, and `null` is an absent value. The command line
// may add fields, so do not rely on a list of all fields. `json()` has whole numbers above 2⁵³ exactly, such as
// nanoseconds since 1970, which a number of JavaScript rounds.

export type Kind = "compute" | "data_move" | "comm" | "fused" | "host" | "other" | "container";

export interface Note {
  severity: "info" | "caution" | "partial";
  code: string;
  message: string;
  where: string | null;
}

/** Self time by kind. */
export interface KindTimes {
  compute_duration_ps: number;
  data_move_duration_ps: number;
  comm_duration_ps: number;
  /** A part of `comm_duration_ps`. */
  fused_duration_ps: number;
  host_duration_ps: number;
  other_duration_ps: number;
}

export interface Totals extends KindTimes {
  n_events_total: number;
  n_events_unresolved: number;
  container_duration_ps: number;
  busy_duration_ps: number;
  union_ps: number;
  idle_duration_ps: number;
  unknown_categories: Record<string, number>;
}

export interface Periods {
  n: number;
  mean_dur_ps: number;
  median_dur_ps: number;
  min_dur_ps: number;
  max_dur_ps: number;
  std_dev_ps: number | null;
  q1_dur_ps: number;
  q3_dur_ps: number;
  interval95_ps: number | null;
}

/** The fields of every answer about a device and a step. */
export interface Head {
  status: "ok" | "partial" | "absent";
  view: string;
  files: string[];
  device: string | null;
  device_type: string | null;
  n_devices: number;
  step: string;
  n_steps: number;
  n_mean_steps: number | null;
  mean_kind: string | null;
  step_is: string | null;
  n_mean_devices: number | null;
  mean_periods: Periods | null;
  step_window_ps: [number, number] | null;
  step_duration_ps: number | null;
  not_in_file_ps: number | null;
  totals: Totals;
  notes: Note[];
}

/** A row of a breakdown. */
export interface Row {
  key: string;
  key_kind: string;
  kind: Kind;
  program: string | null;
  program_id: string | null;
  n_executions: number;
  total_dur_ps: number;
  inclusive_dur_ps: number;
  min_dur_ps: number;
  max_dur_ps: number;
  avg_dur_ps: number;
  pct_of_step: number | null;
  pct_of_kind: number | null;
  flops_sum: number | null;
  model_flops_sum: number | null;
  bytes_accessed_sum: number | null;
  hlo_categories: Record<string, { n_executions: number; total_dur_ps: number }>;
  hlo_op_breakdown: {
    signature: string;
    hlo_category: string | null;
    total_dur_ps: number;
    n_executions: number;
    pct_of_group: number | null;
  }[];
  op_group: string | null;
  phase: string | null;
  layer: string | null;
  dtypes: string[];
  shapes: string[];
  source_stack: string | null;
  source_inner: string | null;
  tf_op: string | null;
  example_hlo_op: string | null;
  example_hlo_op_dur_ps: number | null;
  kernel?: string;
}

/** A node of a breakdown by scope. */
export interface ScopeNode {
  key: string;
  key_kind: "scope" | "no_scope";
  path: string;
  kind: Kind;
  n_executions: number;
  total_dur_ps: number;
  own_dur_ps: number;
  pct_of_step: number | null;
  children: ScopeNode[];
}

export interface Breakdown<Group = Row> extends Head {
  by: string;
  filter: { text: string; within: string; regex: boolean; kind: Kind | null; scope: string } | null;
  shown: KindTimes & {
    n_groups: number;
    n_groups_all: number;
    n_groups_anywhere: number | null;
    n_events: number;
    total_dur_ps: number;
    pct_of_step: number | null;
  };
  groups: Group[];
}

export interface Figure {
  value: number | null;
  unit: "ps" | "fraction" | "bytes" | "flops" | "count";
  inputs: Record<string, number | null>;
  coverage_pct: number | null;
  at_least: boolean;
  absent: string | null;
}

export interface Finding {
  id: string;
  severity: "low" | "medium" | "high";
  confidence: string;
  confidence_reason: string;
  title: string;
  detail: string;
  why: string;
  at_stake_ps: number;
  claimed_ps: number;
  recoverable_ps: number;
  per_capture_ps: number | null;
  pct_of_period: number;
  stake_bytes: number | null;
  formula: string;
  inputs: Record<string, number | null>;
  evidence: {
    ops: {
      program: string | null;
      program_id: string | null;
      name: string;
      source: string | null;
      n_layers: number;
      time_ps: number;
    }[];
    n_ops: number;
    steps: number[];
    devices: string[];
    host_events: { name: string; total_ps: number }[];
    spans: { step: number; start_ps: number; end_ps: number }[];
  };
  overlaps: string[];
  try: {
    text: string;
    code: string | null;
    flag: string | null;
    value: string | null;
    default: string | null;
    set: string | null;
    chips: string[];
    verified_with: string | null;
  }[];
  worked_if: string;
  view: string;
}

/** The owners of time, and the time of each. */
export type Owners = Record<
  | "floor" | "excess" | "slower" | "opaque" | "transfer" | "late" | "dma" | "layout" | "loop" | "capture" | "recompile"
  | "input" | "sync" | "defrag" | "host" | "barrier" | "dependency" | "launch" | "unexplained"
  | "callback" | "requests",
  number
>;

export interface OverviewFields {
  verdict: string;
  critical_device: string;
  n_steady: number;
  has_steps: boolean;
  period_ps: number;
  periods: Periods | null;
  attainable: number;
  figures: Record<string, Figure>;
  model_guess: {
    n_parameters: number | null;
    n_sequences: number | null;
    sequence_length: number | null;
    tokens: number | null;
    attention_width: number | null;
    flops_per_token: number | null;
    is_training: boolean;
  } | null;
  ledger: Owners;
  kinds: { kind: Kind | "idle"; total_ps: number; needed_ps: number; lost_ps: number; not_judged_ps: number }[];
  recoverable_ps: number;
  findings: Finding[];
  options: Finding[];
  memory_findings: Finding[];
  quality: Finding[];
  thresholds: {
    id: string;
    name: string;
    measured: number;
    threshold: number;
    unit: string;
    at_stake_ps: number | null;
  }[];
  not_checked: { id: string; name: string; reason: string }[];
}

/** A capture without a device that has ops has the status `absent`. Its verdict says which events were lost, or is null. */
export type Overview =
  | (Head & OverviewFields & { status: "ok" | "partial" })
  | (Head & { [Name in Exclude<keyof OverviewFields, "verdict">]?: undefined } & { status: "absent"; verdict: string | null });

export interface Peaks {
  devices: string[];
  device_type: string | null;
  chip: string | null;
  devices_per_chip: number | null;
  tflops: Record<string, number>;
  hbm_gbps: number | null;
  memory_gbps: Record<string, number>;
  ridge_points: Record<string, number>;
  source: "profile" | "published" | "yours" | "mixed" | null;
  sources: Record<string, { source: string; from: string }>;
  offers: { of: string; tflops: number | null; gbps: number | null; source: string; from: string }[];
}

export interface RooflineFields {
  rooflined_dur_ps: number;
  n_executions_rooflined: number;
  dtype: string | null;
  peak_dtype: string | null;
  dtype_uncertain: boolean | null;
  dtype_mixed: boolean | null;
  cost_source: "capture" | "model_flops" | "yours" | null;
  rooflined_flops_sum: number | null;
  rooflined_bytes_sum: number | null;
  bytes_by_memory: Record<string, number> | null;
  arithmetic_intensity: number | null;
  ridge_point: number | null;
  bound: "compute" | "memory" | null;
  roof: string | null;
  t_compute_ps: number | null;
  t_hbm_ps: number | null;
  t_roofline_ps: number | null;
  mfu: number | null;
  hbm_util: number | null;
  memory_util: Record<string, number> | null;
  roofline_util: number | null;
  gap_ps: number | null;
  gap_pct: number | null;
  recoverable_ps: number | null;
  above_peak: boolean | null;
  above_peak_dur_ps: number | null;
  latency_bound: boolean | null;
  verdict: "fine" | "fair" | "far" | "above_peak" | null;
  checks: string[];
}

/** Time without a roofline time, by reason. */
export type Skipped = Record<string, { n_groups: number; dur_ps: number }>;

export interface StepSummary {
  weighted_avg_mfu: number | null;
  weighted_avg_hbm_util: number | null;
  weighted_avg_roofline_util: number | null;
  rooflined_dur_ps: number;
  rooflined_pct_of_compute: number | null;
  t_roofline_ps: number | null;
  gap_ps: number | null;
  gap_pct: number | null;
  recoverable_ps: number;
  recoverable_pct_of_step: number | null;
  above_peak_dur_ps: number;
  latency_bound_dur_ps: number;
  top_gaps: {
    key: string;
    program_id: string | null;
    rooflined_dur_ps: number;
    recoverable_ps: number;
    cumulative_pct: number;
  }[];
}

export interface Roofline extends Head {
  by: string;
  peaks_used: Peaks | null;
  peaks_by_device: Peaks[];
  considered_duration_ps: number;
  step_summary: StepSummary;
  window: {
    window_ps: number;
    flops_sum: number | null;
    model_flops_sum: number | null;
    bytes_accessed_sum: number | null;
    peak_tflops: number | null;
    mfu: number | null;
    model_mfu: number | null;
    hbm_util: number | null;
    hbm_util_measured: number | null;
    sm_active: number | null;
    useful_flops: number | null;
    useful_mfu: number | null;
    useful_devices: number | null;
    useful_devices_source: "yours" | "program" | "capture" | null;
  };
  used_much: "both" | "compute" | "memory" | "neither" | null;
  programs: (RooflineFields & { program: string | null; program_id: string | null; total_dur_ps: number })[];
  steps: {
    step: number;
    total_dur_ps: number;
    rooflined_dur_ps: number;
    arithmetic_intensity: number | null;
    t_roofline_ps: number | null;
    mfu: number | null;
    hbm_util: number | null;
    roofline_util: number | null;
    gap_ps: number | null;
    recoverable_ps: number | null;
  }[];
  skipped: Skipped;
  opaque_kernels: {
    hlo_op: string;
    program_id: string | null;
    custom_call_target: string | null;
    n_executions: number;
    total_dur_ps: number;
    source_inner: string | null;
  }[];
  groups: (Row & RooflineFields & { skipped: Skipped })[];
}

export interface Buffer {
  size_bytes: number;
  unpadded_bytes: number;
  shape: string;
  dtype: string | null;
  name: string;
  instruction: string;
  opcode: string;
  op_name: string;
  source: string | null;
  category: "Parameter" | "Output" | "Constant" | "Temporary";
  class: string;
  first: number;
  last: number;
}

export interface Sizes {
  n_parameters: number;
  n_sharing: number;
  sequences: number;
  length: number;
}

export interface MemorySpace {
  color: number;
  memory_space: string;
  basis: "trace" | "schedule" | "constant" | "live_ranges";
  peak_bytes: number;
  peak_unpadded_bytes: number;
  peak_position: number | null;
  peak_instruction: string | null;
  peak_in_schedule: {
    instruction: string;
    place: number;
    of: number;
    part: "forward" | "turn" | "backward" | null;
  } | null;
  total_allocation_bytes: number | null;
  indefinite_bytes: number;
  parameter_bytes: number;
  live_out_bytes: number;
  constant_bytes: number;
  timeline: number[];
  n_alive: number;
  alive: Buffer[];
  rollups: Record<
    "category" | "class" | "dtype" | "opcode" | "scope" | "source",
    { key: string; size_bytes: number; unpadded_bytes: number; n: number }[]
  >;
  padding: {
    wasted_bytes: number;
    n: number;
    worst: { instruction: string; shape: string; size_bytes: number; wasted_bytes: number; overhead: number | null }[];
  };
  long_lived: Buffer[];
  jumps: { position: number; size_bytes: number; after_bytes: number; instruction: string; shape: string }[];
  vocabulary: {
    dims: number[];
    size_bytes: number;
    buffers: Buffer[];
    chunks: number;
    chunked_peak_bytes: number | null;
    saves_bytes: number | null;
  } | null;
  estimate: {
    n_parameters: number | null;
    counted: boolean;
    by_class: Record<string, { expected_bytes: number | null; measured_bytes: number }>;
  };
  fit: {
    program: Sizes;
    with: Sizes;
    estimate_bytes: number | null;
    note: string | null;
    capacity_bytes: number | null;
    most_parameters: number | null;
    most_sequences: number | null;
    by_class: Record<string, { rule_bytes: number | null; measured_bytes: number; estimate_bytes: number | null }>;
  } | null;
}

export interface Memory extends Head {
  programs: {
    name: string;
    program_id: string | null;
    file: string | null;
    spaces: MemorySpace[];
    note: string | null;
  }[];
  runtime: {
    device: string;
    allocator: string | null;
    ordinal: number | null;
    n_events: number;
    peak_in_use_bytes: number;
    peak_ps: number;
    peak_step: number | null;
    reserved_bytes: number;
    allocated_bytes: number;
    available_bytes: number | null;
    capacity_bytes: number | null;
    fragmentation: number | null;
    lifetime_peak_bytes: number | null;
    persistent_bytes: number;
    transient_bytes: number;
    timeline: { at_ps: number; least_bytes: number; most_bytes: number; most_at_ps: number; last_bytes: number }[];
  }[];
  cross_check: {
    device: string;
    program: string | null;
    static_peak_bytes: number | null;
    runtime_peak_bytes: number | null;
    capacity_bytes: number | null;
    capacity_source: string | null;
    used: number | null;
    headroom_bytes: number | null;
    is_tight: boolean;
    fragmentation: number | null;
    is_fragmented: boolean;
  }[];
}

/** Times of communication in flight. */
export interface InFlight {
  in_flight_ps: number;
  exposed_ps: number;
  overlapped_ps: number;
  overlap_pct: number | null;
  waited_ps: number;
}

export interface CommSums extends InFlight {
  n_executions: number;
  stall_ps: number;
  issue_ps: number;
  fused_ps: number;
  bytes: number;
  n_unsized: number;
}

export interface CommRow extends Omit<CommSums, "n_unsized"> {
  key: string;
  primitive: string | null;
  network: string | null;
  op: string | null;
  program: string | null;
  program_id: string | null;
  source: string | null;
  scope: string | null;
  core: "tensor" | "sparse" | null;
  sync: "sync" | "async" | "fused" | "mixed" | null;
  groups: string | null;
  group_size: number | null;
  group_stride: number | null;
  first_group: number[] | null;
  n_groups: number | null;
  axis: string | null;
  role: string | null;
  n_ops: number;
  bytes_per_execution: number | null;
  wall_ps: number;
  alg_gbps: number | null;
  bus_gbps: number | null;
  peak_gbps: number | null;
  util: number | null;
}

/** A collective between slices. Times and bytes are means of one execution. */
export interface DcnCollective {
  rendezvous: string;
  op: string;
  program: string | null;
  program_id: string | null;
  primitive: string;
  n_slices: number | null;
  n_executions: number;
  message_bytes: number | null;
  sent_bytes: number | null;
  sent_is_at_least: boolean;
  in_flight_ps: number;
  stall_ps: number;
  exposed_ps: number;
  slack_ps: number;
  gbps: number | null;
  peak_gbps: number | null;
  util: number | null;
  gbps_to_hide: number | null;
  time_at_peak_ps: number | null;
  missing_work_ps: number | null;
}

/** Time without compute and without that traffic in flight. */
export interface CommRest {
  data_movement_ps: number;
  communication_ps: number;
  other_ps: number;
  idle_ps: number;
}

export interface Comm extends Head {
  comm_totals: CommSums;
  sparse_core_totals: CommSums | null;
  dma: CommSums;
  dcn: DcnCollective[];
  primitives: (CommSums & {
    primitive: string;
    network: string | null;
    core: "tensor" | "sparse";
    flags: string[];
    flag_settings: { flag: string; value: string; default: string; verified_with: string }[];
  })[];
  rows: CommRow[];
  dma_rows: CommRow[];
  steps: (InFlight & {
    step: number;
    duration_ps: number;
    compute_busy_ps: number;
    idle_ps: number;
    rest: CommRest;
    dma: InFlight;
    dma_rest: CommRest;
  })[];
  balance: {
    n_steps: number;
    worst_spread_pct: number | null;
    mean_spread_pct: number | null;
    worst_step: number | null;
    slowest: string | null;
    critical_device: string | null;
    devices: { device: string; n_last: number; n_executions: number; late_ps: number; waited_ps: number }[];
    collectives: {
      op: string;
      program_id: string | null;
      n_executions: number;
      n_devices: number;
      total_spread_ps: number;
      max_spread_ps: number;
      straggler: string | null;
      n_last: number;
    }[];
    n_unmatched: number;
    straggler: { device: string; delay_ps: number; pct_of_window: number } | null;
  } | null;
  pairing: {
    from_async_line: number;
    from_flows: number;
    from_starts_and_dones: number;
    synchronous: number;
    unpaired: number;
    unpaired_pct: number | null;
    other: number;
    device_clock: boolean;
  };
  link: { chip: string; one_way_gbps: number; source: string; devices_per_chip: number } | null;
}

export type IdleClass =
  | "recompile" | "input" | "sync" | "defrag" | "host" | "launch" | "barrier" | "dependency" | "capture" | "unexplained"
  | "callback" | "requests";

export interface Gaps extends Head {
  window_ps: number;
  busy_ps: number;
  idle_ps: number;
  n_gaps: number;
  classes: { class: IdleClass; total_ps: number; n_gaps: number }[];
  in_loops: { n_gaps: number; total_ps: number };
  n_runs: number;
  n_linked_runs: number;
  gaps: {
    device: string;
    step: number | null;
    start_ps: number;
    total_ps: number;
    class: IdleClass;
    parts: { class: IdleClass; total_ps: number }[];
    after: string | null;
    before: string | null;
    program: string | null;
    host_events: { name: string; total_ps: number }[];
    untraced_thread: string | null;
    untraced_ps: number | null;
  }[];
}

export interface DataMovementRow {
  key: string;
  key_kind: "category" | "source_stack" | "tf_op" | "no_source";
  hlo_category: string;
  kind: Kind;
  n_executions: number;
  total_dur_ps: number;
  stall_dur_ps: number;
  pct_of_step: number | null;
  moved_bytes: number | null;
  n_executions_with_bytes: number;
  dtype_change: boolean | null;
  dim_order_change: boolean | null;
  tiling_change: boolean | null;
  memory_space_change: boolean | null;
  shape_change: boolean | null;
  changes: Record<
    "dtype" | "dim_order" | "tiling" | "memory_space" | "shape",
    { yes_ps: number; no_ps: number; undetectable_ps: number; mixed: boolean }
  >;
  undetectable: Record<string, number>;
  memory_space_moves: { from: number; to: number; total_dur_ps: number }[];
  shapes_in: string[];
  shapes_out: string[];
  source_inner: string | null;
  tf_op: string | null;
  example_hlo_op: string | null;
}

export interface DataMovement extends Head {
  non_compute_duration_ps: number;
  stall_duration_ps: number;
  exposed_comm_duration_ps: number;
  by_category: DataMovementRow[];
  by_source_within_category: DataMovementRow[];
  opcodes: {
    program: string | null;
    program_id: string | null;
    n_executions: number;
    n_dot_convolution: number;
    n_exponential: number;
    n_reduce: number;
    n_copy: number;
    n_transpose: number;
    n_fusion: number;
    copy_bytes: number | null;
    by_opcode: { opcode: string; n_executions: number; total_dur_ps: number }[];
    n_dot_convolution_in_fusions: number | null;
    n_exponential_in_fusions: number | null;
    n_reduce_in_fusions: number | null;
    n_copy_in_fusions: number | null;
    n_transpose_in_fusions: number | null;
    by_opcode_in_fusions: { opcode: string; n_executions: number }[] | null;
  }[];
}

export interface Flags extends Head {
  compiler: string | null;
  compiler_of_capture: string | null;
  n_flags: number;
  n_other_options: number;
  is_cut: boolean;
  rows: {
    verdict: "refused" | "conflict" | "to_try" | "no_effect" | "unknown" | "working" | "set" | "default";
    flags: string[];
    text: string;
    primitive: string | null;
    stall_ps: number | null;
    change: string | null;
  }[];
  changed_flags: string | null;
}

export interface Summary extends Head {
  verdict: string | null;
  kinds: Row[];
  by_source: Row[];
  tail: { n_groups: number; dur_ps: number };
  step_stats: {
    devices: {
      device: string;
      all: Periods | null;
      steady: Periods | null;
      few_steps: boolean;
      found_by: "line" | "annotation" | "sequence" | "program" | "none";
      outside_ps: number;
      kinds: {
        name: string;
        n_steps: number;
        first_step: number;
        share: number | null;
        mean_period_ps: number | null;
        median_period_ps: number | null;
        p90_period_ps: number | null;
      }[];
      steps: (KindTimes & {
        step: number;
        name: string;
        period_ps: number | null;
        dur_ps: number;
        is_steady: boolean;
        not_steady: "no_period" | "first" | "compile" | "lost_ops" | "cut" | "lost" | null;
        busy_ps: number;
        idle_ps: number;
        n_ops: number;
      })[];
    }[];
    across_devices: {
      step: number;
      n_devices: number;
      min_dur_ps: number;
      max_dur_ps: number;
      mean_dur_ps: number;
      slowest_device: string;
      spread_pct: number | null;
    }[];
  };
  roofline: StepSummary;
  memory: {
    programs: {
      name: string;
      program_id: string | null;
      spaces: { color: number; memory_space: string; peak_bytes: number }[];
    }[];
    runtime: {
      device: string;
      allocator: string | null;
      peak_in_use_bytes: number;
      capacity_bytes: number | null;
    }[];
  };
  comm_totals: CommSums;
  dma: CommSums;
  ledger: {
    device: string;
    n_steps: number;
    window_ps: number;
    attainable: number;
    owners: Owners;
    excess_over_devices_ps: number | null;
  } | null;
}

export interface Inspect {
  status: "ok" | "partial" | "absent";
  view: string;
  files: { name: string; format: string; size_bytes: number }[];
  hosts: string[];
  planes: {
    name: string;
    id: number;
    role: "device" | "host" | "metadata" | "other";
    file: string;
    size_bytes: number;
    metadata_bytes: number;
    n_events: number;
    n_metadata: number;
    n_ops: number;
    origin_ns: number | null;
    stats: Record<string, unknown>;
    stat_counts: Record<string, { on_events: number; on_metadata: number }>;
    lines: {
      name: string;
      display_name: string | null;
      id: number;
      timestamp_ns: number;
      n_events: number;
      size_bytes: number;
      span_ps: [number, number] | null;
      device_clock: boolean;
      used_for: string;
    }[];
  }[];
  programs: {
    name: string;
    program_id: string | null;
    hlo_from: "capture" | "hlo_proto" | "hlo_text" | "events";
    hlo_file: string | null;
    hlo_bytes: number | null;
    n_executions: number | null;
    run_duration_ps: number | null;
    busy_duration_ps: number | null;
  }[];
  n_events_total: number;
  quality: { what: string; where: string | null; n: number | null; consequence: string; remedy: string | null }[];
  notes: Note[];
}

export interface ComparedSide {
  files: string[];
  device: string;
  device_type: string | null;
  n_devices: number;
  n_steps: number;
  step_kind: string | null;
  period_ps: number;
  periods_ps: number[];
  median_ps: number | null;
  tokens: number | null;
  is_partial: boolean;
  report_level: number | null;
}

export interface ComparedOps {
  ops: string[];
  program_id: string | null;
  scope: string | null;
  source: string | null;
  op_group: string | null;
  n_executions: number;
  self_ps: number;
  roofline_ps: number | null;
}

export interface ComparedProgram {
  peak_bytes: number;
  peak_instruction: string | null;
  n_buffers: number;
  basis: string;
}

export interface ComparedComm {
  ops: string[];
  n_executions: number;
  bytes: number;
  exposed_ps: number;
  stall_ps: number;
  bus_rate: number | null;
}

export interface Difference {
  a_ps: number;
  b_ps: number;
  delta_ps: number;
}

export interface DifferenceBytes {
  a_bytes: number;
  b_bytes: number;
  delta_bytes: number;
}

export interface Compare {
  status: "ok" | "partial";
  view: string;
  verdict: "regression" | "improvement" | "within_noise" | "too_few_steps" | "incomparable";
  sentence: string;
  unit: "step" | "million_tokens";
  a: ComparedSide;
  b: ComparedSide;
  a_ps: number;
  b_ps: number;
  delta_ps: number;
  change: number | null;
  shift_ps: number | null;
  interval_ps: [number, number] | null;
  p: number | null;
  n: [number, number];
  band: number;
  gate?: {
    on: string;
    limit: number | null;
    change: number | null;
    rows_over: number | null;
    slower_rows: string[];
    new_rows: string[];
    result: "passed" | "failed" | "inconclusive";
  };
  notes: string[];
  parity: { key: string; label: string; a: string | null; b: string | null; is_equal: boolean | null }[];
  waterfall: (Difference & { owner: string; label: string; children: { name: string; delta_ps: number }[] })[];
  rows: {
    name: string;
    kind: Kind;
    tier: string | null;
    weight: number | null;
    ambiguous: boolean;
    a: ComparedOps | null;
    b: ComparedOps | null;
    delta_ps: number;
    count_ps: number;
    work_ps: number | null;
    efficiency_ps: number | null;
    p: number | null;
    verdict: string;
  }[];
  n_rows: number;
  by?: "op_group" | "kind" | "scope" | "source";
  groups?: (Difference & { name: string; kind: Kind | null; n_rows: number })[];
  n_groups?: number;
  scopes: (Difference & { path: string; name: string })[];
  n_scopes: number;
  matched_pct: Record<string, [number, number]>;
  figures: { name: string; unit: string; a: number | null; b: number | null }[];
  findings: { id: string; title: string; is_new: boolean }[];
  memory: {
    program: {
      name: string;
      a: ComparedProgram;
      b: ComparedProgram;
      delta_bytes: number;
      parts: (DifferenceBytes & { class: string })[];
    } | null;
    absent: string | null;
    in_use: DifferenceBytes | null;
  };
  comm: {
    exposed: Difference | null;
    stall: Difference | null;
    rows: {
      primitive: string;
      core: "tensor" | "sparse";
      group_size: number | null;
      group_stride: number | null;
      scope: string | null;
      a: ComparedComm | null;
      b: ComparedComm | null;
      exposed_delta_ps: number;
      stall_delta_ps: number;
      bytes_delta: number;
    }[];
    n_rows: number;
    absent: string | null;
  };
  program_changes: {
    programs: { name: string; is_same: boolean }[];
    only_in_a: string[];
    only_in_b: string[];
    absent: string | null;
    delta_ps: number;
    changes: {
      name: string;
      kind: "added" | "removed" | "changed";
      delta_ps: number;
      what: { property: string; a: string; b: string }[];
    }[];
    n_changes: number;
    n_without_time: { added: number; removed: number; changed: number };
    n_moved: number;
    opcodes: { opcode: string; a: number; b: number }[];
  };
}
