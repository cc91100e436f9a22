//! This module defines the levels of detail of a report: the number of rows of each table, and the number of digits.
//! Rows that are left out are summed.

/// A level of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Position of the slider, from 0 to 100.
    pub position: u8,
    /// Number of ops, those with the most time.
    pub rows: u32,
    /// Number of ops with a roof, those with the most time. They are kept even if they are not among the first `rows`
    /// ops.
    pub points: u32,
    /// Number of rows of each other grouping of ops, those with the most time.
    pub groups: u32,
    /// Columns of a memory curve, and of an allocator's timeline.
    pub curve: u32,
    /// Number of buffers that are alive at the peak.
    pub buffers: u32,
    /// Number of collectives, and of copies. The same limit holds for programs, opaque kernels, gaps and devices of the
    /// balance.
    pub collectives: u32,
    /// Number of steps of each device.
    pub steps: u32,
    /// Number of notes of each view, those of the highest severity.
    pub notes: u32,
    /// Number of digits of amounts. `None` keeps all digits.
    pub digits: Option<u32>,
    /// Whether scopes, layers, shapes and source lines are kept.
    pub keeps_details: bool,
}

impl Level {
    /// A level whose link fits into a mail or a chat message.
    pub const SMALL: Self = Self::from_slider(0);
    /// The level of most links.
    pub const USUAL: Self = Self::from_slider(25);
    /// A level that uses the whole length of a link.
    pub const LARGE: Self = Self::from_slider(75);
    /// The most detailed level that leaves rows out.
    pub const LARGEST_CUT: Self = Self::from_slider(99);
    /// The level that keeps everything exactly.
    pub const FULL: Self = Self::from_slider(100);

    /// Returns the level of a slider from 0 to 100. Each position has a few percent more rows than the one before; 100
    /// keeps everything.
    pub const fn from_slider(level: u8) -> Self {
        if level >= 100 {
            let all = u32::MAX;
            return Self {
                position: 100,
                rows: all,
                points: all,
                groups: all,
                curve: all,
                buffers: all,
                collectives: all,
                steps: all,
                notes: all,
                digits: None,
                keeps_details: true,
            };
        }
        // The number of rows doubles every 12 positions.
        let scale = 16_u64 << (level / 12);
        let scale = scale + scale * (level % 12) as u64 / 12;
        Self {
            position: level,
            rows: (scale / 4) as u32,
            points: (scale / 8) as u32,
            groups: (scale / 4) as u32,
            curve: if level < 12 {
                16
            } else if level < 25 {
                32
            } else if level < 50 {
                64
            } else {
                256
            },
            buffers: (scale * 3 / 16) as u32,
            collectives: (scale * 3 / 16) as u32,
            steps: (scale / 12) as u32,
            notes: 1 + level as u32 / 12,
            digits: Some(if level < 50 { 4 } else { 5 }),
            keeps_details: level >= 50,
        }
    }
}
