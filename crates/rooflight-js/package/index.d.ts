import type {
  AbsentOverview, Breakdown, Comm, Compare, DataMovement, Flags, Gap, Gaps, Inspect, Memory, Overview, Roofline, Row,
  ScopeBreakdown, Summary,
} from "./answers.js";

export type * from "./answers.js";

/** The kind of time of an op. */
export type Kind = Row["kind"];

/** What a device waited for. */
export type IdleClass = Gap["class"];

/** A capture without a device that has ops has the status `absent`, and of the fields of an overview only the verdict. */
export type OverviewAnswer =
  | (Overview & { status: "ok" | "partial" })
  | (AbsentOverview & { [Name in Exclude<keyof Overview, keyof AbsentOverview>]?: undefined } & { status: "absent" });

/** Bytes of a capture, with the name that answers show. */
export interface NamedData {
  name?: string;
  data: Blob | ArrayBuffer | ArrayBufferView;
}

/** A capture, a program, an archive or a report file with captures. Only Node.js reads paths of files and folders. */
export type Input = Blob | ArrayBuffer | ArrayBufferView | NamedData | string;

export interface Progress {
  /** The stage: `recognise` the format, `inflate`, `read` the events, `analyse` them. */
  stage: "recognise" | "inflate" | "read" | "analyse";
  bytesDone: number;
  bytesTotal: number;
}

export interface RequestOptions {
  /** Rejects the promise with the reason of the signal. A computation that has begun goes on in the worker. */
  signal?: AbortSignal;
}

export interface OpenOptions {
  /** Ends the worker, and rejects the promise with the reason of the signal. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

/** The options of all methods about a step. */
export interface ViewOptions extends RequestOptions {
  /** `mean` of the steady steps (the default), a number, `busiest`, or `all` for the whole capture. */
  step?: "mean" | "busiest" | "all" | number;
  /** A part of the timeline in place of a step, such as `12.5ms..14ms`. */
  window?: string;
  /** `mean`, `all` for the sum of all devices, a number, or a name such as `TPU:0`. */
  device?: string | number;
  /** The largest number of rows. */
  top?: number;
}

export type GroupBy =
  | "op" | "dedup" | "op_group" | "category" | "kind" | "phase" | "layer" | "scope" | "source" | "program";

export interface FilterOptions {
  /** Keeps the ops whose texts contain this text. */
  filter?: string;
  within?: "leaf" | "source" | "anywhere";
  /** Whether the filter is a regular expression. */
  regex?: boolean;
  kind?: Kind;
  /** Keeps the ops at or below a scope path. */
  scope?: string;
}

export interface MachineOptions {
  /** The axes of the device mesh, such as `data=4,model=8`. */
  mesh?: string;
  /** The chips along each dimension of the machine, such as `4x4x4`. */
  topology?: string;
  /** Whether every dimension of the topology has wrap-around links (a torus). */
  wrap?: boolean;
  /** The bandwidth of the data center network between slices of TPUs, in GB/s of a device. */
  dcn?: number;
  /** The bandwidth of the network between hosts of GPUs, in GB/s of a device. */
  network?: number;
}

export interface OverviewOptions extends Omit<ViewOptions, "top">, MachineOptions {
  /** The share of the roofline that ops are expected to attain. Default: 0.8. */
  attainable?: number;
  /** The tokens in one step of the whole job. */
  tokens?: number;
  /** The FLOPs per token. Default: 6 × `parameters`. */
  flopsPerToken?: number;
  /** The parameters of the whole model. */
  parameters?: number;
  jobDevices?: number;
  /** Uses the published peaks of this chip, such as `v6e`. */
  chip?: string;
  peaks?: "profile" | "published";
  /** The peak of one device for data types, such as `{ bf16: 459 }`. */
  peakTflops?: Record<string, number>;
  peakHbmGbps?: number;
  /** The XLA flags of the run. */
  flags?: string;
}

export interface BreakdownOptions extends ViewOptions, FilterOptions {
  by?: GroupBy;
}

export interface RooflineOptions extends ViewOptions, FilterOptions {
  by?: GroupBy;
  /** Includes ops of all kinds of time, not only compute. */
  allKinds?: boolean;
  /** Uses the published peaks of this chip. */
  chip?: string;
  peaks?: "profile" | "published";
  /** The peak of one device for data types, such as `{ bf16: 459 }`. */
  peakTflops?: Record<string, number>;
  peakHbmGbps?: number;
  /** FLOPs and bytes of kernels, such as `{ "attention*": "1e12,3e9" }`. */
  kernelCost?: Record<string, string>;
  batch?: number;
  sequence?: number;
  flopsPerToken?: number;
  jobDevices?: number;
}

export interface MemoryOptions extends ViewOptions {
  /** One memory: 0 is HBM, 1 is the VMEM of a TPU. */
  color?: number;
  /** One program, by name or id. */
  program?: string;
  vocabulary?: number;
  parameters?: number;
  fitParameters?: string | number;
  fitDevices?: string | number;
  fitSequences?: string | number;
  fitLength?: string | number;
  chip?: string;
}

export interface CommOptions extends ViewOptions, MachineOptions {
  by?: "op" | "source" | "group" | "primitive";
}

export interface FlagsOptions extends Omit<ViewOptions, "top">, MachineOptions {
  /** The flags, as in `LIBTPU_INIT_ARGS` or `XLA_FLAGS`. Without them, the defaults are judged. */
  flags?: string;
}

export interface SummaryOptions extends ViewOptions {
  attainable?: number;
}

export interface CompareOptions extends RequestOptions {
  /** The share of the baseline below which a difference is noise. Default: 0.01. */
  band?: number;
  /** The share by which the experiment may exceed the baseline; `gate` has the result. */
  failOver?: number;
  on?: "period" | "peak-hbm" | "exposed";
  rowsOver?: number;
  /** Ops of the baseline, each with the op of the experiment that it is paired with by hand. */
  pair?: Record<string, string>;
  /** Groups the ops; `groups` has the groups, besides the ops in `rows`. */
  by?: "op" | "op_group" | "kind" | "scope" | "source";
  /** Leaves out source lines. Default: false. */
  withoutSources?: boolean;
  top?: number;
}

/** The options and the answer of each command. */
export interface Commands {
  overview: OverviewOptions;
  breakdown: BreakdownOptions;
  roofline: RooflineOptions;
  memory: MemoryOptions;
  comm: CommOptions;
  gaps: ViewOptions;
  "data-movement": ViewOptions;
  flags: FlagsOptions;
  summary: SummaryOptions;
  inspect: RequestOptions;
}

/**
 * Opens captures as one session, in a worker of its own. Several captures are the hosts of one run.
 *
 * Rejects with an `UnreadableCaptureError` if no file could be read, and with a `CaptureNotFoundError` for a path that does
 * not exist.
 */
export function open(files: Input | Iterable<Input> | ArrayLike<Input>, options?: OpenOptions): Promise<Session>;

/**
 * Captures that are open as one session. Each method answers with the JSON document of the command of the same name.
 *
 * Methods reject with an `ArgumentError` for a value that an option does not accept, and with a `RooflightError` if the
 * capture has no such step or device. Requests are answered in order.
 */
export class Session {
  private constructor();
  /** The sentences about parts that could not be read. Empty if all of the input was read. */
  readonly partial: string[];
  /** Says what limits the run, what each limit costs, and what to try. */
  overview(options?: OverviewOptions): Promise<OverviewAnswer>;
  /** Divides the self time of ops into groups. By scope, the groups are a tree. */
  breakdown(options: BreakdownOptions & { by: "scope" }): Promise<ScopeBreakdown>;
  breakdown(options?: BreakdownOptions): Promise<Breakdown>;
  /** Compares ops with the peak FLOP/s and the peak bandwidth of their device. */
  roofline(options?: RooflineOptions): Promise<Roofline>;
  /** Lists what fills memory at its peak. */
  memory(options?: MemoryOptions): Promise<Memory>;
  /** Lists collectives: time in flight, exposed and overlapped time, bus bandwidth. */
  comm(options?: CommOptions): Promise<Comm>;
  /** Lists the times without an op, and what the device waited for. */
  gaps(options?: ViewOptions): Promise<Gaps>;
  /** Lists copies, layout changes and waits, and what each of them changes. */
  dataMovement(options?: ViewOptions): Promise<DataMovement>;
  /** Judges the XLA flags of the run. */
  flags(options?: FlagsOptions): Promise<Flags>;
  /** The main figures of every other method. */
  summary(options?: SummaryOptions): Promise<Summary>;
  /** Lists the files, planes and programs. */
  inspect(options?: RequestOptions): Promise<Inspect>;
  /** Compares this session, the baseline, with another one, the experiment. Both are read again. */
  compare(other: Session | Input | Iterable<Input> | ArrayLike<Input>, options?: CompareOptions): Promise<Compare>;
  /** Returns the JSON of a command as a text, byte for byte as the command line prints it. */
  json<Name extends keyof Commands>(command: Name, options?: Commands[Name]): Promise<string>;
  /** Ends the worker and frees its memory. Requests without an answer are rejected. */
  close(): void;
}

/** A capture or an argument cannot be used. The message is the sentence that the command line prints. */
export class RooflightError extends Error {}
/** A path does not exist. */
export class CaptureNotFoundError extends RooflightError {}
/** No file could be read. */
export class UnreadableCaptureError extends RooflightError {}
/** An option does not accept the value. */
export class ArgumentError extends RooflightError {}
