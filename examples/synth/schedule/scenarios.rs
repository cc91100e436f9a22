//! This module lists the scenarios, and makes a plan of each.

use super::loss::Loss;
use super::plan::{Basis, Links, MarkStats, Plan, Platform};
use super::training::{
    gradient_accumulation, irregular, op_by_op, pipeline, plain_training, recompile, regular_training, sequence,
    shapes, training, unmark,
};
use super::{serving, training::one_of};
use fastrand::Rng;

macro_rules! scenarios {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A kind of run.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Scenario { $($(#[$doc])* $name,)* }

        impl Scenario {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the name on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

scenarios! {
    /// Annotated steps, and links from each run to its call.
    Annotated = "annotated",
    /// Annotated steps, and as many calls as runs.
    AnnotatedByOrder = "annotated-by-order",
    /// Annotated steps without any link. The host waits for each step.
    AnnotatedByTime = "annotated-by-time",
    /// Annotated steps without any link. The host is ahead, and the device has a line of steps.
    AnnotatedStepsLine = "annotated-steps-line",
    /// A line of steps, and no annotations.
    StepsLine = "steps-line",
    /// Several runs of a gradient and one of an update in each annotated step.
    GradientAccumulation = "gradient-accumulation",
    /// The same without annotations.
    GradientAccumulationUnmarked = "gradient-accumulation-unmarked",
    /// Each annotated step compiles its program.
    Recompile = "recompile",
    /// The same without annotations.
    RecompileUnmarked = "recompile-unmarked",
    /// A few shapes, each with a program of the same name, in annotated steps.
    Shapes = "shapes",
    /// The same without annotations.
    ShapesUnmarked = "shapes-unmarked",
    /// Programs in the same order in each step, without annotations.
    Sequence = "sequence",
    /// Training with evaluations at no fixed distance, without annotations.
    Irregular = "irregular",
    /// A server in no fixed order of prefill and decode, without annotations.
    Serving = "serving",
    /// The same with an annotation of each iteration.
    ServingAnnotated = "serving-annotated",
    /// Stages of a pipeline, each with its own number of programs, in annotated steps.
    Pipeline = "pipeline",
    /// The same without annotations.
    PipelineUnmarked = "pipeline-unmarked",
    /// Each op is a program of its own.
    OpByOp = "op-by-op",
    /// Two runs in one folder.
    TwoRuns = "two-runs",
    /// All runs of all devices are lost.
    LostOps = "lost-ops",
    /// All kernels of GPUs are lost.
    LostKernels = "lost-kernels",
    /// Some steps of a device are lost.
    LostSpan = "lost-span",
    /// The last steps of a device are lost.
    EndsEarly = "ends-early",
    /// The first steps of a device are lost.
    StartsLate = "starts-late",
    /// The profiler reports an error.
    ProfilerError = "profiler-error",
    /// Single kernels of GPUs are lost, as a warning says.
    LostKernel = "lost-kernel",
    /// The profiler dropped an unknown part.
    DroppedTraces = "dropped-traces",
}

impl Scenario {
    /// Returns the scenario with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scenario| scenario.name() == name)
    }

    /// Chooses what both runs of a folder are.
    pub fn of_two_runs(random: &mut Rng) -> Self {
        one_of(random, &[Self::Annotated, Self::Sequence, Self::Serving, Self::Recompile])
    }
}

/// Returns a plan of a scenario, without blocks if the scenario is one of a server.
pub fn plan(scenario: Scenario, random: &mut Rng) -> Plan {
    use Scenario as S;
    let platform = match scenario {
        S::AnnotatedStepsLine
        | S::StepsLine
        | S::LostSpan
        | S::EndsEarly
        | S::StartsLate
        | S::DroppedTraces
        | S::LostOps => Platform::Tpu,
        S::LostKernels | S::LostKernel => Platform::Gpu,
        _ => one_of(random, &[Platform::Tpu, Platform::Tpu, Platform::Gpu]),
    };
    let linked = match platform {
        Platform::Tpu => one_of(random, &[Links::Producers, Links::RunIds]),
        Platform::Gpu => Links::Kernels,
    };
    let links = match scenario {
        S::AnnotatedByOrder => Links::Order,
        S::AnnotatedByTime | S::AnnotatedStepsLine => Links::None,
        S::StepsLine
        | S::GradientAccumulationUnmarked
        | S::RecompileUnmarked
        | S::ShapesUnmarked
        | S::Sequence
        | S::Irregular
        | S::Serving => one_of(random, &[linked, Links::None]),
        _ => linked,
    };
    let mut plan = Plan {
        platform,
        links,
        n_devices: random.usize(1..=4),
        ahead: if scenario == S::AnnotatedByTime { 0 } else { random.usize(0..=3) },
        has_steps_line: false,
        has_module_events: random.bool(),
        has_copies: platform == Platform::Gpu && (scenario == S::LostKernels || random.bool()),
        has_device_clock: random.bool(),
        mark_stats: MarkStats::Root,
        has_inner_marks: random.u8(..) < 60,
        basis: Basis::Blocks,
        level: 1,
        loss: None,
        programs: Vec::new(),
        blocks: Vec::new(),
    };
    match scenario {
        S::Annotated | S::AnnotatedByOrder | S::TwoRuns => training(&mut plan, random),
        S::AnnotatedByTime => {
            plan.level = 3;
            regular_training(&mut plan, random);
        }
        S::AnnotatedStepsLine => {
            plan.level = 2;
            plan.has_steps_line = true;
            plain_training(&mut plan, random, 1);
        }
        S::StepsLine => {
            plan.level = 2;
            plan.has_steps_line = true;
            plan.basis = Basis::Runs(Vec::new());
            plain_training(&mut plan, random, 1);
            unmark(&mut plan);
        }
        S::GradientAccumulation => gradient_accumulation(&mut plan, random),
        S::GradientAccumulationUnmarked => {
            plan.level = 4;
            gradient_accumulation(&mut plan, random);
            unmark(&mut plan);
        }
        S::Recompile => recompile(&mut plan, random),
        S::Shapes => shapes(&mut plan, random),
        S::RecompileUnmarked | S::ShapesUnmarked => {
            plan.level = 5;
            plan.basis = Basis::Runs(vec!["jit_train_step".to_owned()]);
            if scenario == S::ShapesUnmarked {
                shapes(&mut plan, random);
            } else {
                recompile(&mut plan, random);
            }
            unmark(&mut plan);
        }
        S::Sequence => sequence(&mut plan, random),
        S::Irregular => irregular(&mut plan, random),
        S::Serving => serving::server(&mut plan, random),
        S::ServingAnnotated => serving::annotated_server(&mut plan, random),
        S::Pipeline => pipeline(&mut plan, random),
        S::PipelineUnmarked => {
            plan.level = 4;
            pipeline(&mut plan, random);
            unmark(&mut plan);
        }
        S::OpByOp => op_by_op(&mut plan, random),
        S::LostOps
        | S::LostKernels
        | S::LostSpan
        | S::EndsEarly
        | S::StartsLate
        | S::ProfilerError
        | S::LostKernel
        | S::DroppedTraces => {
            plan.loss = Some(loss(scenario));
            plain_training(&mut plan, random, 12);
        }
    }
    if plan.platform == Platform::Tpu && plan.level == 1 {
        plan.has_steps_line = random.bool();
    }
    plan
}

const fn loss(scenario: Scenario) -> Loss {
    match scenario {
        Scenario::LostOps => Loss::AllOps,
        Scenario::LostKernels => Loss::Kernels,
        Scenario::LostSpan => Loss::Span,
        Scenario::EndsEarly => Loss::EndsEarly,
        Scenario::StartsLate => Loss::StartsLate,
        Scenario::LostKernel => Loss::Kernel,
        Scenario::DroppedTraces => Loss::Traces,
        _ => Loss::Error,
    }
}
