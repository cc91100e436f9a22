//! This module defines the codes of notes, each with a stable name and one sentence. The sentence explains the code,
//! and the message of a note has the numbers.

use crate::keyed_enum;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

keyed_enum! {
    /// The kind of a note. Its name is part of the JSON contract and never changes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum NoteCode {
        /// A collective moved more bytes per second than its network carries, so its sizes, its groups or the topology are
        /// wrong.
        AboveLinkPeak = "above_link_peak",
        /// An op took less time than its cost needs at peak, so its cost estimate is too large or part of its work ran
        /// elsewhere.
        AbovePeak = "above_peak",
        /// The compiler reuses the addresses of a buffer before the heap trace frees it; an address counts once.
        AddressesShared = "addresses_shared",
        /// Events are sums over many executions and have no position in time.
        AggregatedEvents = "aggregated_events",
        /// Events of an allocator lie far after the others and are left out.
        AllocatorClock = "allocator_clock",
        /// Only some devices have a line of asynchronous ops, so transfers in flight are known of these alone.
        AsyncLineOneDevice = "async_line_one_device",
        /// The profiler dropped trace buffers, so a span of a device has no events.
        BuffersDropped = "buffers_dropped",
        /// The capture does not split bytes by memory, so all of them count as HBM traffic.
        BytesNotSplit = "bytes_not_split",
        /// Events are dated before the capture began, so a clock is wrong.
        ClockBeforeCapture = "clock_before_capture",
        /// The clocks of the hosts differ.
        ClockSkew = "clock_skew",
        /// Kernels ran in CUDA graphs, which do not name the instruction of each kernel.
        CommandBuffers = "command_buffers",
        /// FLOPs and bytes are computed from the shapes of instructions, because the capture has none.
        CostsByShapes = "costs_by_shapes",
        /// Data formatting takes more than 5 % of the step.
        DataFormattingShare = "data_formatting_share",
        /// Runs of programs are derived from ops, because no line has them.
        DerivedRuns = "derived_runs",
        /// Runs start before the host has enqueued them: the clock of the device is behind that of its host.
        DeviceClockBehind = "device_clock_behind",
        /// The events of a device end before its work does.
        DeviceEndsEarly = "device_ends_early",
        /// The events of a device start after its work does.
        DeviceStartsLate = "device_starts_late",
        /// Programs ran, and the capture was taken without events of devices.
        DeviceTraceOff = "device_trace_off",
        /// The program runs on more devices than the capture has.
        DevicesMissing = "devices_missing",
        /// One collective causes most of the stall.
        DominantCollective = "dominant_collective",
        /// The operands of ops allow more than one compute type.
        DtypeUncertain = "dtype_uncertain",
        /// A file was opened twice, or a copy of it; it counts once.
        DuplicateFile = "duplicate_file",
        /// Overlap is computed on the clock of events, because not all lines have the clock of the device.
        EventClockForOverlap = "event_clock_for_overlap",
        /// Ops and steps are compared on the clock of events, because steps have no clock of the device.
        EventClockForSteps = "event_clock_for_steps",
        /// The profiler dropped events of a GPU, because it has a limit on their number.
        EventsDropped = "events_dropped",
        /// Few steps are steady, or none, so a mean over steps rests on little.
        FewSteps = "few_steps",
        /// A file could not be read.
        FileNotRead = "file_not_read",
        /// A file of the folder is neither a capture nor a program.
        FilesPassedOver = "files_passed_over",
        /// The files of one run lie in several folders.
        FoldersJoined = "folders_joined",
        /// Events of a heap trace are invalid and are ignored.
        HeapTraceDamaged = "heap_trace_damaged",
        /// The HLO of a program could not be read.
        HloUnreadable = "hlo_unreadable",
        /// The capture was taken without events of the host.
        HostMissing = "host_missing",
        /// Copies move data between the device and the memory of the host.
        HostOffload = "host_offload",
        /// Steps of the hosts cannot be compared, because their numbers do not match.
        HostsNotAligned = "hosts_not_aligned",
        /// A line has times outside its plane and is left out.
        ImplausibleTime = "implausible_time",
        /// The graph around an op is limited to the computation that contains the op.
        Inside = "inside",
        /// The file is a trace of PyTorch, not of XLA.
        KinetoTrace = "kineto_trace",
        /// The host launched kernels that are not in the capture, so idle time is unknown.
        LaunchesWithoutKernels = "launches_without_kernels",
        /// Files or planes were left out by choice.
        LeftOut = "left_out",
        /// The capture has more lines than its size justifies, and the events of the rest are left out.
        LinesLeftOut = "lines_left_out",
        /// Several lines of ops run at the same time, so busy time is a sum over lines.
        LinesSideBySide = "lines_side_by_side",
        /// Memory is estimated from live ranges, because the program has no buffer assignment.
        LiveRanges = "live_ranges",
        /// Texts of a trace exceed the limit of the reader and are cut.
        LongTexts = "long_texts",
        /// A member of an archive is not read.
        MembersPassedOver = "members_passed_over",
        /// A program names more memories than any real program has, and the rest is left out.
        MemoriesLeftOut = "memories_left_out",
        /// The compiler merged ops of several scopes; each counts under its first scope.
        MergedPaths = "merged_paths",
        /// Only some events of a line have the clock of the device.
        MixedClock = "mixed_clock",
        /// The peaks of data types come from several sources.
        MixedPeakSources = "mixed_peak_sources",
        /// The FLOPs of the model count for ops without FLOPs of their own.
        ModelFlopsUsed = "model_flops_used",
        /// The calls of grouped matmuls suggest a number of mixture-of-experts layers.
        MoeLayers = "moe_layers",
        /// Events have a negative start or duration.
        NegativeTime = "negative_time",
        /// The capture has no allocator events.
        NoAllocatorEvents = "no_allocator_events",
        /// The capture has no line of asynchronous ops, so time in flight comes from start and done ops.
        NoAsyncLine = "no_async_line",
        /// A program has no buffer assignment.
        NoBufferAssignment = "no_buffer_assignment",
        /// The capacity of a memory is unknown, so peaks cannot be compared with it.
        NoCapacity = "no_capacity",
        /// No collective ran in the window.
        NoCollectives = "no_collectives",
        /// A program has no heap trace for a memory, so its live ranges come from the schedule.
        NoHeapTrace = "no_heap_trace",
        /// An op has no HLO.
        NoHlo = "no_hlo",
        /// The bandwidth of the chip's links is unknown.
        NoLinkPeak = "no_link_peak",
        /// The bandwidth of the network between hosts is unknown.
        NoNetworkPeak = "no_network_peak",
        /// The device has no known peak for a compute type.
        NoPeakForDtype = "no_peak_for_dtype",
        /// The events of an op do not have the program of the op.
        NoProgram = "no_program",
        /// The capture holds no HLO.
        NoPrograms = "no_programs",
        /// A program has neither a heap trace nor a schedule, so only buffers that live for the whole program count.
        NoSchedule = "no_schedule",
        /// A device has no steps.
        NoSteps = "no_steps",
        /// A program has nothing in the requested memory.
        NoSuchMemory = "no_such_memory",
        /// An op did not run in the window.
        NoTime = "no_time",
        /// Axes and peaks need the topology of the machine.
        NoTopology = "no_topology",
        /// The capture has no device with ops.
        NoTpuOps = "no_tpu_ops",
        /// MFU from useful FLOPs needs steps and positive numbers.
        NoUsefulMfu = "no_useful_mfu",
        /// A program does not have the instruction of an op.
        NotInProgram = "not_in_program",
        /// Device numbers are assumed to follow the topology.
        NumberingAssumed = "numbering_assumed",
        /// Groups do not fit the mesh.
        OffMesh = "off_mesh",
        /// Groups do not fit the topology.
        OffTopology = "off_topology",
        /// The graph around an op shows one hop, because no program holds the op.
        OneHop = "one_hop",
        /// A GPU only copied data in the window.
        OnlyCopies = "only_copies",
        /// The files hold programs and no capture.
        OnlyPrograms = "only_programs",
        /// Custom kernels have no cost.
        OpaqueKernels = "opaque_kernels",
        /// The HLO of the capture does not contain some ops.
        OpsWithoutHlo = "ops_without_hlo",
        /// Asynchronous events that are neither collectives nor copies do not count in any figure.
        OtherAsync = "other_async",
        /// Counters and flows of a trace are not events of a line and are left out.
        OtherEvents = "other_events",
        /// A dump holds other stages of a program than the one that is read.
        OtherStages = "other_stages",
        /// Steps of a device overlap.
        OverlappingSteps = "overlapping_steps",
        /// No parameter has the name of a weight or of optimizer state, so all of them count as inputs.
        ParametersUnnamed = "parameters_unnamed",
        /// A file is damaged, cut or capped, so sums cover only a part.
        PartialFile = "partial_file",
        PeaksDiffer = "peaks_differ",
        /// Planes and lines without events are not listed.
        PlanesNotListed = "planes_not_listed",
        /// The profiler reported an error.
        ProfilerError = "profiler_error",
        /// The profiler reported an error, so events are missing.
        ProfilerErrors = "profiler_errors",
        /// The profiler reported a warning.
        ProfilerWarning = "profiler_warning",
        /// The program of an op was found by its name.
        ProgramByName = "program_by_name",
        /// The name of a file gives another program id than the capture, and the module’s name joins them.
        ProgramIdDiffers = "program_id_differs",
        /// Rooflight numbers the programs, because the capture does not have their ids.
        ProgramNumbers = "program_numbers",
        /// A program of one name is compiled again for each step.
        ProgramsOneRunEach = "programs_one_run_each",
        /// The published HBM bandwidth counts, because the profile’s figure counts half of the transfers.
        PublishedHbm = "published_hbm",
        /// Published peaks count, because the capture has none.
        PublishedPeaks = "published_peaks",
        /// The host ran programs whose events on the device are not in the capture.
        RunsWithoutDevice = "runs_without_device",
        /// A trace JSON is of the same capture as an XSpace; it counts once.
        SameCapture = "same_capture",
        /// Layers of a scan share one loop body.
        ScannedLayers = "scanned_layers",
        /// A memory has several heap traces, and the curve follows the one with the most events.
        SeveralHeapTraces = "several_heap_traces",
        /// The files are of several runs, and one of them is shown.
        SeveralRuns = "several_runs",
        /// Two instructions call the same computation, and the graph draws its content once.
        Shared = "shared",
        /// Buffers have negative sizes, which count as 0.
        SizesDamaged = "sizes_damaged",
        /// Shorter spans are not drawn.
        SpansLeftOut = "spans_left_out",
        /// SparseCore planes are listed and not summed.
        SparseCoreApart = "sparse_core_apart",
        /// Waits last longer than the exposed time of the transfers that they wait for.
        StallBeyondExposed = "stall_beyond_exposed",
        /// Devices need different times for the same step.
        StepImbalance = "step_imbalance",
        /// Steps have too few ops, so events of them were lost.
        StepLostOps = "step_lost_ops",
        /// A device does not have the requested step.
        StepMissing = "step_missing",
        /// The file is cut within a step, and the rest of the step counts as neither idle nor lost.
        StepNotInFile = "step_not_in_file",
        /// Steps are marks of the host, or a sequence of programs that repeats.
        StepsBy = "steps_by",
        /// Steps are runs of programs, because the capture has no line of steps.
        StepsFromModules = "steps_from_modules",
        /// There are several kinds of steps, such as prefill and decode.
        StepsKinds = "steps_kinds",
        /// Several events of the line of steps make one step of the program.
        StepsMerged = "steps_merged",
        /// The page lists the first steps alone.
        StepsNotListed = "steps_not_listed",
        /// Some steps are not on all hosts.
        StepsOfSomeHosts = "steps_of_some_hosts",
        /// Programs ran outside of all steps.
        StepsOutside = "steps_outside",
        /// A short sequence of programs repeats, each of which is dispatched alone.
        StepsPattern = "steps_pattern",
        /// A way to find steps does not fit the runs of programs.
        StepsRejected = "steps_rejected",
        /// The other devices wait for one device.
        Straggler = "straggler",
        /// The session is a report without its capture.
        Summary = "summary",
        /// A report sums some ops, and a filter cannot see their names.
        SummaryFilter = "summary_filter",
        /// Times are so large that sums over them are capped.
        TimeOverflow = "time_overflow",
        /// A trace JSON lacks a part of the XSpace.
        TraceJson = "trace_json",
        /// The profiler dropped traces, because its buffer was full.
        TracesDropped = "traces_dropped",
        /// The changes of some data movement cannot be detected.
        UndetectableChanges = "undetectable_changes",
        /// A newer version of Rooflight wrote the note.
        Unknown = "unknown",
        /// Ops have no known category.
        UnknownCategories = "unknown_categories",
        /// The requested chip is not in the table.
        UnknownChip = "unknown_chip",
        /// The replica groups of collectives are unknown.
        UnknownGroups = "unknown_groups",
        /// The network of collectives is unknown.
        UnknownNetwork = "unknown_network",
        /// The peaks of the device are unknown.
        UnknownPeaks = "unknown_peaks",
        /// The sizes of collectives are unknown.
        UnknownSizes = "unknown_sizes",
        /// The host calls that enqueued runs of programs are unknown.
        UnlinkedRuns = "unlinked_runs",
        /// Events of a trace begin without an end, or end without a begin.
        UnmatchedEvents = "unmatched_events",
        /// The host events of some gaps are not named, because that would need many more reads than there are events.
        UnnamedHostEvents = "unnamed_host_events",
        /// Stats have an id without a name.
        UnnamedStats = "unnamed_stats",
        /// An async start has no done, or an async done has no start.
        Unpaired = "unpaired",
        /// Events have no metadata.
        UnresolvedEvents = "unresolved_events",
        /// Events of a trace have no plausible time and are left out.
        UntimedEvents = "untimed_events",
        /// The useful FLOPs of a step are shared by a number of devices.
        UsefulDevices = "useful_devices",
        /// Ops without a matmul are compared with the peak of the matrix units, because none is published for vector units.
        VectorWork = "vector_work",
        /// Waits last nearly as long as the transfers that they wait for.
        WaitsMirrorTransfers = "waits_mirror_transfers",
        /// The MFU of the window exceeds 100 %, so a cost or a peak is wrong.
        WindowAbovePeak = "window_above_peak",
    }
}

impl fmt::Display for NoteCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

impl FromStr for NoteCode {
    type Err = std::convert::Infallible;

    /// Parses the name of a code. A name of a newer version is [`NoteCode::Unknown`], so parsing never fails.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Ok(Self::from_key(name).unwrap_or(Self::Unknown))
    }
}

impl PartialEq<&str> for NoteCode {
    fn eq(&self, name: &&str) -> bool {
        self.key() == *name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_read_back() {
        for (index, code) in NoteCode::ALL.iter().enumerate() {
            assert_eq!(code.key().parse(), Ok(*code));
            assert!(NoteCode::ALL[..index].iter().all(|before| before.key() < code.key()), "{code} is out of order");
        }
        assert_eq!("from_the_future".parse(), Ok(NoteCode::Unknown));
    }
}
