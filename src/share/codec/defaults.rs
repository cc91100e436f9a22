//! This module makes empty rows for the reader to fill. Their types implement no `Default`, because an empty row must
//! not be shown.

use crate::analysis::base::{DeviceChoice, Header, Mean, Peaks, Status, StepChoice, Totals};
use crate::analysis::breakdown::{AcrossDevices, Group, SignatureTime, StepStats, StepTime};
use crate::analysis::comm::{
    Arrival, ArrivalSpread, Comm, CommRow, Core, DcnCollective, DeviceGroup, Execution, Overlap, Pairing, Primitive,
    PrimitiveSums, Traffic,
};
use crate::analysis::memory::{AllocatorMemory, Buffer, BufferId, Category, MemoryClass, UseAt};
use crate::analysis::roofline::{
    Bound, CostSource, GapRank, OpaqueKernel, ProgramRoofline, RooflineFigures, RooflinePosition, StepRoofline,
    WindowUse,
};
use crate::share::report::{CommPart, MemoryPart, Origin, Report, RooflinePart};
use xla_profile::profile::{Note, NoteCode, Severity};
use xla_profile::units::{Count, Picos};

const ZERO: Picos = Picos::ZERO;

pub fn report() -> Report {
    let header = Header {
        status: Status::Absent,
        device: None,
        n_devices: 0,
        device_type: None,
        step: String::new(),
        mean: Mean::default(),
        n_steps: 0,
        window: None,
        step_duration: None,
        not_in_file: None,
        peaks: Peaks::default(),
    };
    let figures = RooflineFigures {
        header: header.clone(),
        totals: Totals::default(),
        considered: ZERO,
        coverage: None,
        peaks: Vec::new(),
        step: None,
        programs: Vec::new(),
        skipped: Vec::new(),
        opaque: Vec::new(),
        gaps: Vec::new(),
        latency_bound: ZERO,
        window: WindowUse::default(),
        notes: Vec::new(),
    };
    let comm = Comm {
        dcn: Vec::new(),
        header: header.clone(),
        totals: Totals::default(),
        tensor: Traffic::default(),
        sparse: None,
        copies: Traffic::default(),
        rows: Vec::new(),
        copy_rows: Vec::new(),
        primitives: Vec::new(),
        steps: Vec::new(),
        balance: None,
        pairing: Pairing::default(),
        link: None,
        notes: Vec::new(),
    };
    let origin = Origin {
        files: Vec::new(),
        devices: Vec::new(),
        device: DeviceChoice::default(),
        step: StepChoice::default(),
        n_hosts: None,
        n_events: 0,
        partial: None,
        level: 0,
        has_sources: false,
        is_anonymous: false,
    };
    Report {
        origin,
        header,
        totals: Totals::default(),
        rows: Vec::new(),
        rest: Vec::new(),
        groups: Vec::new(),
        roofline: RooflinePart { figures, steps: Vec::new(), n_rows: 0, more: (0, ZERO) },
        phases: Vec::new(),
        steps: StepStats::default(),
        memory: MemoryPart::default(),
        comm: CommPart { comm, more: (0, ZERO), more_copies: (0, ZERO) },
        overview: None,
        comparison: None,
        notes: Vec::new(),
    }
}

pub fn note() -> Note {
    Note::new(Severity::Info, NoteCode::Unknown, "")
}

pub fn group() -> Group {
    Group::empty(String::new())
}

pub fn signature_time() -> SignatureTime {
    SignatureTime { signature: String::new(), category: None, total: ZERO, n: Count::ZERO }
}

pub fn roof() -> RooflinePosition {
    RooflinePosition {
        total: ZERO,
        n: Count::ZERO,
        flops: 0.0,
        bytes: 0.0,
        level_bytes: [0.0; 5],
        dtype: None,
        precision: None,
        dtype_uncertain: false,
        dtype_mixed: false,
        cost: CostSource::Capture,
        intensity: None,
        ridge: None,
        bound: Bound::Compute,
        t_compute: ZERO,
        t_memory: [ZERO; 5],
        t_roof: ZERO,
        bound_total: [ZERO; 6],
        mfu: None,
        level_util: [None; 5],
        util: None,
        gap: 0,
        gap_fraction: None,
        recoverable: ZERO,
        above: ZERO,
        latency_bound: false,
    }
}

pub fn program_roof() -> ProgramRoofline {
    ProgramRoofline { program: None, program_id: None, total: ZERO, roof: None }
}

pub fn step_roof() -> StepRoofline {
    StepRoofline { number: 0, total: ZERO, roof: None }
}

pub fn opaque() -> OpaqueKernel {
    OpaqueKernel { op: String::new(), program_id: None, target: None, n: Count::ZERO, total: ZERO, source_inner: None }
}

pub fn gap() -> GapRank {
    GapRank { key: String::new(), program_id: None, total: ZERO, recoverable: ZERO, cumulative: 0.0 }
}

pub fn across_devices() -> AcrossDevices {
    AcrossDevices { number: 0, n_devices: 0, min: ZERO, max: ZERO, mean: ZERO, slowest: String::new(), spread: 0.0 }
}

pub fn step() -> StepTime {
    StepTime {
        number: 0,
        name: String::new(),
        length: ZERO,
        duration: ZERO,
        not_steady: None,
        busy: ZERO,
        idle: ZERO,
        by_kind: [ZERO; 7],
        n_ops: 0,
    }
}

pub fn buffer() -> Buffer {
    Buffer {
        id: BufferId::default(),
        size: 0,
        unpadded: None,
        shape: String::new(),
        dtype: None,
        instruction: String::new(),
        opcode: String::new(),
        op_name: String::new(),
        source: None,
        category: Category::default(),
        class: MemoryClass::default(),
        first: 0,
        last: 0,
    }
}

pub fn allocator() -> AllocatorMemory {
    AllocatorMemory {
        label: String::new(),
        device: None,
        ordinal: None,
        allocator: None,
        plane: String::new(),
        file: 0,
        n_events: 0,
        peak: UseAt::default(),
        capacity: None,
        fragmentation: None,
        lifetime_peak: None,
        persistent: 0,
        transient: 0,
        timeline: Vec::new(),
        steps: Vec::new(),
    }
}

pub fn primitive() -> PrimitiveSums {
    PrimitiveSums {
        primitive: Primitive::Unknown,
        network: None,
        core: Core::Tensor,
        traffic: Traffic::default(),
        flags: Vec::new(),
    }
}

pub fn dcn_collective() -> DcnCollective {
    DcnCollective {
        rendezvous: String::new(),
        op: String::new(),
        program: None,
        program_id: None,
        primitive: Primitive::Unknown,
        n_slices: None,
        n: Count::ZERO,
        bytes: None,
        sent: None,
        in_flight: ZERO,
        stall: ZERO,
        exposed: ZERO,
        slack: ZERO,
        peak: None,
    }
}

pub fn comm_row() -> CommRow {
    CommRow {
        key: String::new(),
        primitive: None,
        network: None,
        op: None,
        program: None,
        program_id: None,
        source: None,
        scope: None,
        core: Core::Tensor,
        execution: Execution::Sync,
        group: None,
        role: None,
        n_ops: 0,
        n: Count::ZERO,
        bytes_each: None,
        bytes: None,
        stall: ZERO,
        issue: ZERO,
        fused: ZERO,
        overlap: Overlap::default(),
        wall: ZERO,
        alg_rate: None,
        bus_rate: None,
        peak: None,
        util: None,
    }
}

pub fn device_group() -> DeviceGroup {
    DeviceGroup {
        text: String::new(),
        size: None,
        stride: None,
        first: Vec::new(),
        n_groups: None,
        axis: None,
        n_axes: None,
    }
}

pub fn arrival() -> Arrival {
    Arrival { device: String::new(), n_last: 0, n: 0, late: ZERO, waited: None }
}

pub fn arrival_spread() -> ArrivalSpread {
    ArrivalSpread {
        op: String::new(),
        program_id: None,
        n: 0,
        n_devices: 0,
        total: ZERO,
        max: ZERO,
        straggler: None,
        n_last: 0,
    }
}
