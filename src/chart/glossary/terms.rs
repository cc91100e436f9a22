//! This module declares the terms on screen, by topic. It is plain data. The page shows it, and a test writes it into
//! `docs/GLOSSARY.md`.

use super::{Term, Topic};

/// All terms, in the order of the glossary.
pub const TERMS: &[Term] = &[
    // Efficiency
    Term::new(Topic::Efficiency, &["MFU", "Model FLOPs utilization"])
        .meaning("MFU is the FLOPs that the model needs, divided by the FLOPs that the peak of the chip allows in the same time.")
        .formula("Σ FLOPs without recomputation ÷ (peak × step time)")
        .usual("Training of large language models reaches 35 to 55 %. Decoding reaches a few percent, because memory limits it.")
        .source("Chowdhery et al., “PaLM”, 2022")
        .labels(&["MFU, useful FLOPs", "Useful MFU", "MFU (model FLOPs)", "MFU, latest"]),
    Term::new(Topic::Efficiency, &["HFU", "Hardware FLOPs utilization"])
        .meaning("HFU is MFU with all FLOPs that ran, recomputation included.")
        .formula("Σ FLOPs as run ÷ (peak × step time)")
        .usual("It equals MFU without recomputation, and is up to a third larger if the whole forward pass is recomputed.")
        .source("Chowdhery et al., “PaLM”, 2022")
        .labels(&["HFU (FLOPs as run)"]),
    Term::new(Topic::Efficiency, &["FLOP", "TFLOP/s"])
        .meaning("A FLOP is a floating-point operation; a multiply-add counts as two, and a TFLOP/s is 10¹² of them in a second.")
        .source("Roofline"),
    Term::new(Topic::Efficiency, &["Peak"])
        .meaning("A peak is the largest FLOP/s of a chip for a data type, or the largest bytes/s of a memory or a link.")
        .usual("Rooflight takes 80 % of it as attainable.")
        .source("Roofline")
        .labels(&["% of peak"]),
    Term::new(Topic::Efficiency, &["Roofline"])
        .meaning("The roofline is the largest FLOP/s that an op can reach with its arithmetic intensity: memory bandwidth limits it on the left, and compute on the right.")
        .formula("min(peak FLOP/s, FLOP per byte × peak bytes/s)")
        .source("Williams, Waterman and Patterson, 2009"),
    Term::new(Topic::Efficiency, &["Roofline time"])
        .meaning("The roofline time is the least time that an op needs for its FLOPs and its bytes on this chip.")
        .formula("max(FLOPs ÷ peak FLOP/s, bytes ÷ peak bytes/s)")
        .source("Roofline")
        .labels(&["At roof + gap"]),
    Term::new(Topic::Efficiency, &["At roof", "Roofline efficiency"])
        .meaning("This share tells how close an op, or a sum of ops, is to its roofline time.")
        .formula("Σ roofline time ÷ Σ self time")
        .usual("Large matmuls reach 70 to 90 %. At 90 %, only fewer bytes or FLOPs help, as by a fusion.")
        .source("Rooflight"),
    Term::new(Topic::Efficiency, &["Gap", "Roofline gap"])
        .meaning("The gap is the time of an op beyond its roofline time.")
        .formula("self time − roofline time")
        .source("Rooflight")
        .labels(&["Potential savings", "Cumulative gap"]),
    Term::new(Topic::Efficiency, &["Arithmetic intensity", "FLOP/B"])
        .meaning("The arithmetic intensity is the number of FLOPs for each byte that an op moves.")
        .formula("FLOPs ÷ bytes")
        .usual("Elementwise ops have less than 1, and large matmuls several hundred.")
        .source("Roofline"),
    Term::new(Topic::Efficiency, &["Compute bound, memory bound", "Ridge point"])
        .meaning("An op with more FLOP per byte than the ridge point of the chip is limited by compute, and an op with less by memory bandwidth.")
        .formula("ridge point = peak FLOP/s ÷ peak bytes/s")
        .usual("The ridge point for bf16 is 166 FLOP per byte on TPU v5p, and 295 on H100 SXM.")
        .source("Roofline")
        .labels(&["Bound", "Compute-bound", "Memory-bound"]),
    Term::new(Topic::Efficiency, &["HBM bandwidth"])
        .meaning("HBM is the main memory of a chip, and this share tells how much of its bandwidth the step uses.")
        .formula("Σ bytes of HBM ÷ (bandwidth × step time)")
        .usual("A step that memory limits, such as decoding, can come close to 80 %. The bytes are estimates of the compiler.")
        .source("Rooflight")
        .labels(&["HBM", "HBM, measured", "HBM bandwidth, measured"]),
    Term::new(Topic::Efficiency, &["Coverage"])
        .meaning("The coverage is the share of the time whose costs are known, which a sum or a mean stands for.")
        .usual("Below 80 %, read the figure with care. Kernels without a cost estimate are the usual reason.")
        .source("Rooflight"),
    Term::new(Topic::Efficiency, &["At most to gain"])
        .meaning("This is the time of a step beyond what its compute needs at the attainable share of the roofline.")
        .formula("step time − roofline time ÷ attainable share − time that is not judged")
        .usual("It is a bound: part of it, such as communication that nothing can hide, cannot be gained.")
        .source("Rooflight"),
    Term::new(Topic::Efficiency, &["Needed, not judged"])
        .meaning("Needed is the time of compute at the attainable share of the roofline, and not judged is the time of ops whose costs are unknown.")
        .source("Rooflight"),
    Term::new(Topic::Efficiency, &["SMs active"])
        .meaning("This is the share of the cycles in which the multiprocessors of a GPU had work, as its counters measured.")
        .source("CUPTI, sm__cycles_active")
        .labels(&["SMs active, measured"]),
    // Time
    Term::new(Topic::Time, &["Step"])
        .meaning("A step is one iteration of the program, usually one training step, from its start to the start of the next one.")
        .source("xprof")
        .labels(&["Time per step"]),
    Term::new(Topic::Time, &["Steady step"])
        .meaning("A steady step is not the first one, has no compilation, and has the usual number of ops, so means are taken over steady steps.")
        .source("Rooflight"),
    Term::new(Topic::Time, &["Kind of steps"])
        .meaning("Steps of one kind run the same programs, such as the prefill steps and the decode steps of a server.")
        .source("Rooflight"),
    Term::new(Topic::Time, &["Self time"])
        .meaning("The self time of an op is its time without the ops inside it, so that self times can be added.")
        .formula("duration − durations of the ops inside")
        .source("xprof")
        .labels(&["Self", "% of kind"]),
    Term::new(Topic::Time, &["Inclusive time"])
        .meaning("The inclusive time of an op includes the ops inside it, such as the body of a loop.")
        .source("xprof, “total time”")
        .labels(&["Inclusive"]),
    Term::new(Topic::Time, &["Busy"])
        .meaning("Busy is the time in which a device runs ops.")
        .formula("Σ self time of all ops")
        .usual("It can exceed the step if ops run on several lines at the same time.")
        .source("Rooflight"),
    Term::new(Topic::Time, &["Idle"])
        .meaning("Idle is the time in which a device runs no op.")
        .formula("(step time − time with an op) ÷ step time")
        .usual("It is below 1 % if the host keeps ahead of the device.")
        .source("xprof"),
    Term::new(Topic::Time, &["Idle gap"])
        .meaning("An idle gap is a stretch of time without any op on a device.")
        .source("Rooflight"),
    Term::new(Topic::Time, &["Waiting on host"])
        .meaning("The device is idle because the host has not yet started the next program.")
        .formula("idle time before the host enqueued the next run ÷ step time")
        .usual("It is near 0: the host should enqueue programs well before the device needs them.")
        .source("Rooflight")
        .labels(&["Idle, waiting on host"]),
    Term::new(Topic::Time, &["Straggler", "Slowest device"])
        .meaning("A straggler is the device that the others wait for, so its work decides the length of the step.")
        .source("xprof"),
    Term::new(Topic::Time, &["Device spread"])
        .meaning("The device spread tells how much the duration of a step differs between devices.")
        .formula("mean over steps of (longest − shortest) ÷ mean duration")
        .usual("It is below 1 %, even with a straggler: collectives make all devices wait for the slowest one. More is uneven work.")
        .source("Rooflight"),
    Term::new(Topic::Time, &["Finding"])
        .meaning("A finding is something that limits the program, with its time, its evidence and what to try.")
        .source("Rooflight")
        .labels(&["First finding"]),
    Term::new(Topic::Time, &["At stake, recoverable"])
        .meaning("At stake is all time that a finding is about, and recoverable is the part of it that disappears if the problem is fixed.")
        .source("Rooflight")
        .labels(&["At stake"]),
    // Ops and programs
    Term::new(Topic::Ops, &["Op"])
        .meaning("An op is an instruction of a compiled program, as it ran on a device.")
        .source("xprof"),
    Term::new(Topic::Ops, &["HLO"])
        .meaning("HLO is the instruction set of XLA, in which compiled programs are written.")
        .source("XLA"),
    Term::new(Topic::Ops, &["Fusion"])
        .meaning("A fusion is one kernel that XLA makes of several instructions, which saves their traffic with memory.")
        .source("XLA"),
    Term::new(Topic::Ops, &["Kind"])
        .meaning("The kind of an op is the resource that it uses: compute, communication, data movement or the host.")
        .source("Rooflight")
        .labels(&["Kinds of time"]),
    Term::new(Topic::Ops, &["Data movement"])
        .meaning("Data movement is the time of copies and layout changes, which compute nothing.")
        .usual("It is a few percent of a step. More is often a layout that two ops do not share.")
        .source("xprof, “data formatting”"),
    Term::new(Topic::Ops, &["Host ops"])
        .meaning("Host ops are ops that exchange data with the host: infeed, outfeed, and calls of Python in the middle of a program.")
        .source("XLA"),
    Term::new(Topic::Ops, &["Loop overhead"])
        .meaning("Loop overhead is the time of loops, calls and branches themselves, without the ops inside them.")
        .source("Rooflight"),
    Term::new(Topic::Ops, &["Category"])
        .meaning("The category is the class of an op that the compiler assigns, such as “convolution fusion” for a matmul on TPU.")
        .source("xprof"),
    Term::new(Topic::Ops, &["Op group"])
        .meaning("The op group is the sort of work of an op, such as matmul, attention or reduction.")
        .source("Rooflight"),
    Term::new(Topic::Ops, &["Phase"])
        .meaning("The phase is the part of a training step that an op belongs to: forward, backward, recompute or optimizer.")
        .source("Rooflight"),
    Term::new(Topic::Ops, &["Recompute", "Rematerialization"])
        .meaning("Recomputation repeats a part of the forward pass in the backward pass, which takes time and saves memory.")
        .usual("It is at most a quarter of the FLOPs of a step, if the whole forward pass is repeated.")
        .source("JAX, jax.checkpoint"),
    Term::new(Topic::Ops, &["Layer"])
        .meaning("The layer of an op comes from its scope; a loop over layers has one body, so its layers are one row.")
        .source("Rooflight"),
    Term::new(Topic::Ops, &["Module of the model"])
        .labels(&["Module"])
        .meaning(
            "The module is the part of the model that an op belongs to, such as attention, MLP, loss or optimizer, by its \
             scope, its source, its kernel or its neighbours.",
        )
        .source("Flax, PyTorch"),
    Term::new(Topic::Ops, &["Scope", "Op name"])
        .meaning("The scope is the path of an op in your program, such as jit(step)/layer_0/mlp.")
        .source("JAX, jax.named_scope"),
    Term::new(Topic::Ops, &["Scope leaf"])
        .meaning("The leaf is the end of a scope, its last three parts, which names the op more closely than the start.")
        .source("Rooflight"),
    Term::new(Topic::Ops, &["Source"])
        .meaning("The source is the file and line of your program that the op comes from.")
        .source("XLA, OpMetadata"),
    // Communication
    Term::new(Topic::Communication, &["Collective"])
        .meaning("A collective is an operation that several devices run together, such as an all-reduce of gradients.")
        .source("XLA")
        .labels(&["Primitive"]),
    Term::new(Topic::Communication, &["In flight"])
        .meaning("A transfer is in flight from its start op to the end of its done op.")
        .source("Rooflight"),
    Term::new(Topic::Communication, &["Exposed, overlapped"])
        .meaning("Exposed is the time in flight in which the device computes nothing, and overlapped is the rest.")
        .formula("exposed = time in flight − time in flight with compute")
        .usual("Exposed time is a few percent of a step if collectives run behind compute. Synchronous collectives are all exposed.")
        .source("xprof")
        .labels(&["Exposed", "Overlapped", "Overlap", "Exposed comm.", "Exposed communication"]),
    Term::new(Topic::Communication, &["Stall"])
        .meaning("The stall is the time that the ops of communication take themselves, in which the device waits; unlike exposed time, it counts no idle time.")
        .formula("Σ self time of -done and synchronous ops")
        .source("Rooflight")
        .labels(&["Communication stall", "Copy stall"]),
    Term::new(Topic::Communication, &["Bus bandwidth", "Algorithm bandwidth"])
        .meaning("The algorithm bandwidth is the message divided by its time, and the bus bandwidth scales it to the bytes that each link carries, so that it can be compared with the link.")
        .formula("bus factor × bytes ÷ time; the factor of an all-reduce over n devices is 2 (n − 1) ÷ n")
        .usual("Messages of many MiB reach most of the link; small messages are limited by latency.")
        .source("NCCL, nccl-tests")
        .labels(&["Bus"]),
    Term::new(Topic::Communication, &["ICI, DCN"])
        .meaning("ICI is the set of links between the chips of a TPU slice, and DCN is the slower network between slices.")
        .source("Google Cloud TPU documentation"),
    Term::new(Topic::Communication, &["Mesh, axis"])
        .meaning("A mesh is the logical arrangement of devices, and an axis is one dimension of it, such as data or model.")
        .source("JAX, jax.sharding.Mesh")
        .labels(&["Axis"]),
    Term::new(Topic::Communication, &["Bubble"])
        .meaning("The bubble of a pipeline is the time in which a stage waits for the stages before and after it.")
        .formula("(stages − 1) ÷ (microbatches + stages − 1) of a step")
        .usual("Four microbatches for each stage bring it below a fifth of a step.")
        .source("Huang et al., “GPipe”, 2019"),
    // Memory
    Term::new(Topic::Memory, &["Peak HBM", "Peak memory"])
        .meaning("The peak is the largest number of bytes that are alive at one point of a program.")
        .formula("max(peak of the program, peak in use) ÷ capacity")
        .usual("Above 90 %, the memory is almost full, and a larger batch may not fit.")
        .source("xprof, “peak memory allocation”")
        .labels(&["Peak HBM used", "Peak in use"]),
    Term::new(Topic::Memory, &["Buffer"])
        .meaning("A buffer is the memory of one array, or of several arrays that share it.")
        .source("XLA, buffer assignment"),
    Term::new(Topic::Memory, &["Live range"])
        .meaning("The live range is the part of the schedule between the allocation and the release of a buffer.")
        .source("compiler literature"),
    Term::new(Topic::Memory, &["Persistent, transient"])
        .meaning("Persistent memory, such as parameters, is alive all the time, and transient memory only while a program runs.")
        .formula("transient = peak − persistent")
        .source("XLA")
        .labels(&["Persistent", "Transient", "Allocated while it runs"]),
    Term::new(Topic::Memory, &["Padding"])
        .meaning("Padding is the bytes that the tiling of the hardware adds to an array whose dimensions do not fit the tiles.")
        .formula("Σ (size − bytes of the elements) ÷ peak")
        .usual("It is near 0 for dimensions that are multiples of 128.")
        .source("XLA"),
    Term::new(Topic::Memory, &["Fragmentation"])
        .meaning("Fragmentation is the share of memory that is free, but in pieces that are too small.")
        .usual("Above 10 %, allocations can fail although enough memory is free.")
        .source("xprof"),
    // Comparison
    Term::new(Topic::Comparison, &["Within noise"])
        .meaning("A difference is within noise if the steps of both captures vary at least as much.")
        .source("Rooflight"),
    Term::new(Topic::Comparison, &["Matched by"])
        .meaning("This names the facts by which an op of one capture was found in the other, such as its scope and its shapes.")
        .source("Rooflight")
        .labels(&["Matched"]),
    Term::new(Topic::Comparison, &["Lasting changes"])
        .meaning("A lasting change is a difference between the three captures before and after it that is larger than neighbours usually have.")
        .source("Rooflight"),
];
