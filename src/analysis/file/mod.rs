//! What is in a session's files: planes, lines, stats, programs, and how many bytes each takes.

mod report;

pub use report::{
    FileInfo, FileLine, FilePlane, FileProgram, FileStat, FileView, LineUse, PlaneRole, ProgramSource, StatUse,
};
