//! This module draws the columns of narrow events as pixels: in each column the time of each kind is stacked in the order of
//! the kinds, and the height is the part of the column with an event.

use super::layout::block_height;
use crate::analysis::timeline::LinePicture;
use crate::analysis::timeline::cells::{self, NO_KIND};
use xla_profile::lanes::N_CLASSES;

/// The least opacity of a column with an event, of 255.
const FAINTEST: f64 = 64.0;

/// A colour: red, green and blue.
pub type Rgb = [u8; 3];

/// The columns of the lanes of a line, as pixels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strips {
    /// Width in pixels: the number of columns.
    pub width: usize,
    /// Height of the strip of a lane in pixels: that of the events in a lane.
    pub height: usize,
    /// Red, green, blue and opacity of each pixel, row by row. The strips of the lanes are below each other.
    pub rgba: Vec<u8>,
    /// The lanes that have a column, in ascending order; the strip of a lane is at its index.
    pub lanes: Vec<u8>,
}

impl Strips {
    /// Draws the columns of a line. `colors` has the colour of each class.
    pub fn new(picture: &LinePicture, width: usize, colors: &[Rgb; N_CLASSES]) -> Self {
        let mut lanes: Vec<u8> = cells::read(&picture.cells).map(|cell| cell.lane).collect();
        lanes.dedup();
        let tall = block_height(picture.n_lanes) as usize;
        let mut strips = Self { width, height: tall, rgba: vec![0; lanes.len() * tall * width * 4], lanes };
        for cell in cells::read(&picture.cells) {
            let Ok(strip) = strips.lanes.binary_search(&cell.lane) else { continue };
            let column = usize::from(cell.column);
            if column >= width {
                continue;
            }
            let total: u32 = cell.shares.iter().map(|share| u32::from(*share)).sum();
            let without_kind = cell.shares[usize::from(NO_KIND)];
            if total == 0 || u32::from(without_kind) == total {
                // Events without a kind, or without duration: the opacity is the part of the column with an event.
                let opacity = FAINTEST + (255.0 - FAINTEST) * f64::from(without_kind) / 255.0;
                strips.fill(strip, column, 0..tall, colors[usize::from(NO_KIND)], opacity as u8);
                continue;
            }
            let mut height = 0.0;
            let mut filled = 0;
            for (share, color) in cell.shares.iter().zip(colors).filter(|(share, _)| **share > 0) {
                height += f64::from(*share) / 255.0 * tall as f64;
                // Every kind has at least one pixel, as long as there is room.
                let until = (height.round() as usize).clamp(filled + 1, tall.max(filled + 1));
                strips.fill(strip, column, tall.saturating_sub(until)..tall.saturating_sub(filled), *color, 255);
                filled = until;
            }
        }
        strips
    }

    /// Fills the rows of a column of a strip.
    fn fill(&mut self, strip: usize, column: usize, rows: std::ops::Range<usize>, [r, g, b]: Rgb, opacity: u8) {
        for row in rows {
            let offset = ((strip * self.height + row) * self.width + column) * 4;
            if let Some(pixel) = self.rgba.get_mut(offset..offset + 4) {
                pixel.copy_from_slice(&[r, g, b, opacity]);
            }
        }
    }
}

/// Reads a colour of the style sheet: `#rgb`, `#rrggbb`, or `rgb(r, g, b)`. `None` for any other text.
pub fn parse_color(text: &str) -> Option<Rgb> {
    let text = text.trim();
    if let Some(hex) = text.strip_prefix('#') {
        let digit = |index: usize| hex.get(index..=index).and_then(|digit| u8::from_str_radix(digit, 16).ok());
        return match hex.len() {
            3 => Some([digit(0)? * 17, digit(1)? * 17, digit(2)? * 17]),
            6 => Some([digit(0)? * 16 + digit(1)?, digit(2)? * 16 + digit(3)?, digit(4)? * 16 + digit(5)?]),
            _ => None,
        };
    }
    let numbers = text.strip_prefix("rgb(")?.strip_suffix(')')?;
    let mut parts = numbers.split([',', ' ']).filter(|part| !part.is_empty()).map(str::parse);
    let mut next = || parts.next()?.ok();
    Some([next()?, next()?, next()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Height of a strip of a line with few lanes.
    const STRIP: usize = 18;

    const COLORS: [Rgb; N_CLASSES] = [[1; 3], [2; 3], [3; 3], [4; 3], [5; 3], [6; 3], [7; 3], [8; 3]];

    /// A lane, a column of it, and the share of each class in the column.
    type Column<'a> = (u8, u16, &'a [(u8, u8)]);

    /// Encodes columns.
    fn picture(columns: &[Column<'_>]) -> LinePicture {
        let mut cells = Vec::new();
        for (lane, column, shares) in columns {
            cells.push(*lane);
            cells.extend(column.to_le_bytes());
            cells.extend([1, shares.iter().fold(0, |mask, (class, _)| mask | 1 << class)]);
            cells.extend(shares.iter().map(|(_, share)| *share));
        }
        LinePicture { cells, ..LinePicture::default() }
    }

    /// The colours of a column from top to bottom; 0 is transparent.
    fn column(strips: &Strips, strip: usize, column: usize) -> Vec<u8> {
        let pixel = |row: usize| &strips.rgba[((strip * strips.height + row) * strips.width + column) * 4..][..4];
        (0..strips.height).map(|row| if pixel(row)[3] == 0 { 0 } else { pixel(row)[0] }).collect()
    }

    #[test]
    fn kinds_are_stacked_by_their_time() {
        let strips = Strips::new(&picture(&[(2, 1, &[(0, 128), (2, 64)]), (4, 0, &[(1, 255)])]), 3, &COLORS);
        assert_eq!(strips.lanes, [2, 4]);
        let half = column(&strips, 0, 1);
        assert_eq!((half.iter().filter(|c| **c == 1).count(), half.iter().filter(|c| **c == 3).count()), (9, 5));
        assert_eq!(half[STRIP - 1], 1, "the first kind is at the bottom");
        assert_eq!(column(&strips, 1, 0), [2; STRIP]);
        assert_eq!(column(&strips, 1, 2), [0; STRIP]);
    }

    #[test]
    fn no_event_is_invisible() {
        let strips =
            Strips::new(&picture(&[(0, 0, &[(3, 1)]), (0, 1, &[(7, 1)]), (0, 2, &[]), (0, 9, &[])]), 3, &COLORS);
        assert_eq!(column(&strips, 0, 0).iter().filter(|c| **c == 4).count(), 1);
        for x in [1, 2] {
            assert_eq!(column(&strips, 0, x), [8; STRIP]);
            assert!(strips.rgba[x * 4 + 3] >= 64);
        }
    }

    #[test]
    fn a_kind_is_visible_in_small_lanes() {
        let mut line_picture = picture(&[(0, 0, &[(3, 1)])]);
        line_picture.n_lanes = 25;
        assert_eq!(column(&Strips::new(&line_picture, 1, &COLORS), 0, 0), [0, 0, 0, 0, 0, 0, 4]);
    }

    #[test]
    fn many_kinds_fit_into_a_strip() {
        let all: Vec<(u8, u8)> = (0..7).map(|class| (class, 255)).collect();
        let strips = Strips::new(&picture(&[(0, 0, &all)]), 1, &COLORS);
        assert_eq!(strips.rgba.len(), STRIP * 4);
        assert!(column(&strips, 0, 0).iter().all(|color| *color > 0));
    }

    #[test]
    fn colors_of_the_style_sheet() {
        assert_eq!(parse_color(" #2457cc"), Some([0x24, 0x57, 0xcc]));
        assert_eq!(parse_color("#fff"), Some([255; 3]));
        assert_eq!(parse_color("rgb(1, 2, 3)"), Some([1, 2, 3]));
        for wrong in ["", "#12", "red", "rgb(1, 2)", "#1g2457"] {
            assert_eq!(parse_color(wrong), None, "{wrong}");
        }
    }
}
