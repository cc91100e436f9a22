//! This module prints a whole HLO module as text.

use super::escape::escape;
use super::print::{Styled, write_attributes, write_shape};
use super::{Computation, ComputationId, Frame, Instruction, Location, Module, Shape, Style};
use crate::small_sort::SmallSort;
use std::fmt::{self, Display, Formatter};
use std::iter;

impl Module {
    /// Returns the text of the module in the given style.
    pub fn display(&self, style: Style) -> impl Display {
        Styled(self, style)
    }
}

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Styled(self, Style::MODULE).fmt(f)
    }
}

impl Display for Styled<'_, Module> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(module, style) = *self;
        pieces(module).try_for_each(|what| Piece { module, what, style }.fmt(f))
    }
}

/// A part of a module's text that consists of whole lines.
pub(super) struct Piece<'m> {
    pub(super) module: &'m Module,
    pub(super) what: ModulePart<'m>,
    pub(super) style: Style,
}

/// The content of a [`Piece`].
#[derive(Clone, Copy)]
pub(super) enum ModulePart<'m> {
    /// The text before the first computation.
    Head,
    Opens(ComputationId, &'m Computation),
    Instruction(&'m Instruction),
    Closes(&'m Computation),
}

/// Iterates over the parts of a module in the order in which compilers print them. The instructions of a computation
/// follow its schedule if the schedule has all of them.
pub(super) fn pieces<'m>(module: &'m Module) -> impl Iterator<Item = ModulePart<'m>> {
    let parts = |(id, computation): (ComputationId, &'m Computation)| {
        let scheduled = computation.schedule.as_ref().filter(|order| order.len() == computation.instructions.len());
        let order = scheduled.cloned().unwrap_or_else(|| module.instructions_of(id).collect());
        let instructions = order.into_iter().filter_map(|i| module.instruction(i)).map(ModulePart::Instruction);
        iter::once(ModulePart::Opens(id, computation))
            .chain(instructions)
            .chain(iter::once(ModulePart::Closes(computation)))
    };
    iter::once(ModulePart::Head).chain(module.computations().flat_map(parts))
}

impl Display for Piece<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { module, what, style } = *self;
        match what {
            ModulePart::Head => {
                write!(f, "HloModule {}", module.name)?;
                write_attributes(f, &module.attributes, style)?;
                f.write_str("\n\n")?;
                write_frames(f, module)
            }
            ModulePart::Opens(id, computation) => write_head(f, module, id, computation, style),
            ModulePart::Instruction(instruction) => writeln!(f, "  {}", instruction.display(style)),
            ModulePart::Closes(computation) => {
                f.write_str("}")?;
                if let Some(thread) = &computation.thread {
                    write!(f, ", execution_thread=\"{thread}\"")?;
                }
                f.write_str("\n\n")
            }
        }
    }
}

fn write_frames(f: &mut Formatter<'_>, module: &Module) -> fmt::Result {
    let frames = &module.frames;
    for (title, names) in [("FileNames", &frames.files), ("FunctionNames", &frames.functions)] {
        if !names.is_empty() {
            writeln!(f, "{title}")?;
            (1..).zip(names).try_for_each(|(i, name): (u32, _)| writeln!(f, "{i} {}", escape(name)))?;
            writeln!(f)?;
        }
    }
    if !frames.locations.is_empty() {
        writeln!(f, "FileLocations")?;
        for (i, location) in (1_u32..).zip(&frames.locations) {
            let Location { file, function, line, end_line, column, end_column } = location;
            write!(f, "{i} {{file_name_id={file} function_name_id={function} line={line} end_line={end_line} ")?;
            writeln!(f, "column={column} end_column={end_column}}}")?;
        }
        writeln!(f)?;
    }
    if !frames.frames.is_empty() {
        writeln!(f, "StackFrames")?;
        for (i, Frame { location, parent }) in (1_u32..).zip(&frames.frames) {
            writeln!(f, "{i} {{file_location_id={location} parent_frame_id={parent}}}")?;
        }
        writeln!(f, "\n")?;
    }
    Ok(())
}

fn write_head(
    f: &mut Formatter<'_>,
    module: &Module,
    id: ComputationId,
    computation: &Computation,
    style: Style,
) -> fmt::Result {
    if module.entry == Some(id) {
        f.write_str("ENTRY ")?;
    }
    style.name(f, &computation.name)?;
    let instructions: Vec<&Instruction> = module.instructions_of(id).filter_map(|i| module.instruction(i)).collect();
    if style.percent {
        let mut parameters: Vec<(u64, &Instruction)> =
            instructions.iter().filter_map(|i| Some((i.parameter_number()?, *i))).collect();
        parameters.small_sort_by_key(|(number, _)| *number);
        f.write_str(" (")?;
        for (i, (_, parameter)) in parameters.iter().enumerate() {
            let separator = if i > 0 { ", " } else { "" };
            write!(f, "{separator}{}: ", parameter.name)?;
            write_shape(f, &parameter.shape, false)?;
        }
        f.write_str(") -> ")?;
        match computation.root.and_then(|root| module.instruction(root)) {
            Some(root) => write_shape(f, &root.shape, false)?,
            None => write_shape(f, &Shape::Tuple(Vec::new()), false)?,
        }
    }
    f.write_str(" {\n")
}
