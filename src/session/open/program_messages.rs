//! This module writes the messages for compiled programs that cannot be read, or only in part.

use super::messages::error as place;
use crate::protocol::Failure;
use xla_profile::wire::WireError;
use xla_profile::wire::hlo::HloError;

/// Returns the failure for a compiled program that is cut or damaged.
pub(crate) fn bad_program(name: &str, error: &HloError) -> Failure {
    let why = match error {
        HloError::Wire(wire) if wire.is_cut() => {
            format!("It starts like an HLO proto, but the file ends inside the program: {}.", place(wire))
        }
        HloError::Wire(wire) => format!("It starts like an HLO proto, but {}.", place(wire)),
        other => format!("It starts like an HLO proto, but {other}."),
    };
    Failure {
        title: format!("{name} could not be read"),
        message: format!("{why} Nothing was kept; copy the file again."),
    }
}

/// Returns the failure for the text of a program from which nothing could be read.
pub(crate) fn bad_text(name: &str, error: &HloError) -> Failure {
    let message = match error {
        HloError::NoComputation => {
            "It starts like the text of an HLO module, but the module has no name or no computation. Copy the file again, or \
             write it again with --xla_dump_hlo_as_text."
                .to_owned()
        }
        other => format!("It starts like the text of an HLO module, but {other}."),
    };
    Failure { title: format!("{name} could not be read"), message }
}

/// Returns the sentence for the text of a program that ends early.
pub(crate) fn cut_text() -> String {
    "The HLO text ends inside a computation: the program is read up to there, and its last computation is incomplete. Copy the \
     file again."
        .to_owned()
}

/// Returns the sentence for damage after the module of a program.
pub(crate) fn partial_program(error: &WireError) -> String {
    format!("After the program, {}. The program is complete; copy the file again.", place(error))
}
