//! How much of a session a report tells: how many rows of each table, and how many digits. What is cut is summed.

/// A level of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// From 0 to 100: what it was made of.
    pub at: u8,
    /// Ops with the most time.
    pub rows: u32,
    /// Ops that are compared with roofs, with the most time.
    pub points: u32,
    /// Columns of a memory's curve, and of an allocator's.
    pub curve: u32,
    /// Buffers alive at the peak.
    pub buffers: u32,
    /// Collectives, and as many copies.
    pub collectives: u32,
    /// Steps of each device.
    pub steps: u32,
    /// Notes of each view; those that matter most.
    pub notes: u32,
    /// Digits of amounts; `None`: all.
    pub digits: Option<u32>,
    /// Scopes, layers, shapes and lines of source.
    pub is_wide: bool,
}

impl Level {
    /// What a mail or a chat message takes.
    pub const SMALL: Self = Self::from_slider(0);
    /// What a link mostly is.
    pub const USUAL: Self = Self::from_slider(25);
    /// All that fits a link.
    pub const LARGE: Self = Self::from_slider(75);
    /// All there is, exactly.
    pub const FULL: Self = Self::from_slider(100);

    /// Of a slider from 0 to 100. Each step up is a few percent more rows; 100 is all.
    pub const fn from_slider(at: u8) -> Self {
        if at >= 100 {
            let all = u32::MAX;
            return Self {
                at: 100,
                rows: all,
                points: all,
                curve: all,
                buffers: all,
                collectives: all,
                steps: all,
                notes: all,
                digits: None,
                is_wide: true,
            };
        }
        // Twice as many every 12 steps.
        let scale = 16_u64 << (at / 12);
        let scale = scale + scale * (at % 12) as u64 / 12;
        Self {
            at,
            rows: (scale * 5 / 8) as u32,
            points: (scale / 2) as u32,
            curve: if at < 25 {
                32
            } else if at < 50 {
                64
            } else {
                256
            },
            buffers: (scale * 3 / 16) as u32,
            collectives: (scale * 3 / 16) as u32,
            steps: (scale / 8) as u32,
            notes: 1 + at as u32 / 12,
            digits: Some(if at < 50 { 4 } else { 5 }),
            is_wide: at >= 50,
        }
    }
}
