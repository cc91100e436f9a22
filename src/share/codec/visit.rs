//! This module defines the visitor of the codec of a report. Among others, the writer and the reader implement it.
use crate::share::error::ShareError;
use crate::share::limits::VERSION;
use xla_profile::units::{Count, Picos};

pub(in crate::share) type VisitResult = Result<(), ShareError>;

/// The kind of a number, which decides how it is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::share) enum Number {
    /// A count or an id. It is never rounded.
    Exact,
    /// An amount, which is rounded to its first digits.
    Amount,
    /// A time, which is rounded like an amount, but never more coarsely than the digits that views print.
    Time,
    /// A point of a curve, which is rounded down so that no point exceeds the peak.
    Height,
    /// The id of a program.
    Program,
}

/// The kind of a text, which decides whether it is shown, renamed or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::share) enum Text {
    /// A word of Rooflight, or of a fixed list, such as a format, a phase or an element type.
    Word,
    /// An HLO category or an opcode. A capture can hold any text here.
    Category,
    /// Name of a chip. A capture can hold any text here.
    Chip,
    /// Name of an allocator. A capture can hold any text here.
    Allocator,
    /// Name of an op or an instruction.
    Op,
    Program,
    /// A scope path, or a part of one.
    Scope,
    /// A source line, or a stack of source lines.
    Source,
    Shape,
    /// Name of a file of the session.
    File,
    Device,
    /// Name of an axis of a mesh.
    Axis,
    /// A sentence, which may hold any of the names above.
    Sentence,
}

/// A visitor of the values of a report.
pub(in crate::share) trait Visit {
    /// The version of the format. Values that an older version does not have are not visited, and keep their defaults.
    fn version(&self) -> u64 {
        VERSION
    }
    /// Visits the length of a list. A row takes `size` bytes of memory. Returns the length.
    fn count(&mut self, n: usize, size: usize) -> Result<usize, ShareError>;
    /// Visits a whole number. `usual` is its most frequent value, which has a short code.
    fn integer(&mut self, value: &mut Option<u64>, usual: Option<u64>, what: Number) -> VisitResult;
    /// Visits an index into a list of `_of` entries.
    fn choice(&mut self, number: &mut Option<u64>, usual: Option<u64>, _of: usize) -> VisitResult {
        self.integer(number, usual, Number::Exact)
    }
    /// Visits a real number.
    fn real(&mut self, value: &mut Option<f64>, usual: Option<f64>) -> VisitResult;
    fn text(&mut self, value: &mut Option<String>, usual: Option<&str>, what: Text) -> VisitResult;
}

/// Visits one column of all rows.
pub(super) fn each<T>(rows: &mut [T], visit: impl FnMut(&mut T) -> VisitResult) -> VisitResult {
    rows.iter_mut().try_for_each(visit)
}

impl dyn Visit + '_ {
    /// Visits a number that is always present.
    pub(super) fn number(&mut self, value: &mut u64, usual: u64, what: Number) -> VisitResult {
        let mut known = Some(*value);
        self.integer(&mut known, Some(usual), what)?;
        *value = known.ok_or(ShareError::Broken("a number is missing"))?;
        Ok(())
    }

    pub(super) fn exact(&mut self, value: &mut u64) -> VisitResult {
        self.number(value, 0, Number::Exact)
    }

    /// Visits a number of executions. A fraction follows as a real number.
    pub(super) fn executions(&mut self, value: &mut Count, usual: Count) -> VisitResult {
        let mut whole = value.whole();
        self.integer(&mut whole, usual.whole(), Number::Exact)?;
        let mut fraction = value.as_f64();
        if whole.is_none() {
            self.float(&mut fraction, 0.0)?;
        }
        *value = whole.map_or_else(|| Count::new(fraction), Count::from);
        Ok(())
    }

    pub(super) fn amount(&mut self, value: &mut u64) -> VisitResult {
        self.number(value, 0, Number::Amount)
    }

    pub(super) fn time(&mut self, value: &mut Picos) -> VisitResult {
        self.number(&mut value.0, 0, Number::Time)
    }

    /// Visits a time whose most frequent value is `usual`.
    pub(super) fn time_with_usual(&mut self, value: &mut Picos, usual: Picos) -> VisitResult {
        self.number(&mut value.0, usual.0, Number::Time)
    }

    /// Visits a whole number that may be absent.
    pub(super) fn optional(&mut self, value: &mut Option<u64>) -> VisitResult {
        self.integer(value, None, Number::Exact)
    }

    pub(super) fn program_id(&mut self, value: &mut Option<u64>) -> VisitResult {
        self.integer(value, None, Number::Program)
    }

    pub(super) fn optional_time(&mut self, value: &mut Option<Picos>) -> VisitResult {
        let mut known = value.map(|time| time.0);
        self.integer(&mut known, None, Number::Time)?;
        *value = known.map(Picos);
        Ok(())
    }

    /// Visits a whole number of 32 bits whose most frequent value is `usual`.
    pub(super) fn small_with_usual(&mut self, value: &mut u32, usual: u32) -> VisitResult {
        let mut wide = u64::from(*value);
        self.number(&mut wide, usual.into(), Number::Exact)?;
        *value = u32::try_from(wide).map_err(|_| ShareError::Broken("a number is too large"))?;
        Ok(())
    }

    /// Visits a whole number of 32 bits.
    pub(super) fn small(&mut self, value: &mut u32) -> VisitResult {
        self.small_with_usual(value, 0)
    }

    pub(super) fn optional_small(&mut self, value: &mut Option<u32>) -> VisitResult {
        let mut wide = value.map(u64::from);
        self.optional(&mut wide)?;
        let narrow = wide.map(u32::try_from).transpose();
        *value = narrow.map_err(|_| ShareError::Broken("a number is too large"))?;
        Ok(())
    }

    /// Visits a signed number in zigzag form, in which numbers near zero are small.
    pub(super) fn signed(&mut self, value: &mut i64) -> VisitResult {
        let mut folded = ((*value << 1) ^ (*value >> 63)) as u64;
        self.exact(&mut folded)?;
        *value = (folded >> 1) as i64 ^ -((folded & 1) as i64);
        Ok(())
    }

    pub(super) fn optional_signed(&mut self, value: &mut Option<i64>) -> VisitResult {
        self.present(value, || 0)?;
        value.as_mut().map_or(Ok(()), |value| self.signed(value))
    }

    /// Visits a signed number that is mostly `usual`. Differences that do not fit wrap around on both ways.
    pub(super) fn difference(&mut self, value: &mut i64, usual: i64) -> VisitResult {
        let mut beyond = value.wrapping_sub(usual);
        self.signed(&mut beyond)?;
        *value = usual.wrapping_add(beyond);
        Ok(())
    }

    pub(super) fn flag(&mut self, value: &mut bool) -> VisitResult {
        self.one_of(value, &[false, true])
    }

    pub(super) fn float(&mut self, value: &mut f64, usual: f64) -> VisitResult {
        let mut known = Some(*value);
        self.real(&mut known, Some(usual))?;
        *value = known.ok_or(ShareError::Broken("a number is missing"))?;
        Ok(())
    }

    /// Visits a value as its index in the list `all`.
    pub(super) fn one_of<T: Copy + PartialEq>(&mut self, value: &mut T, all: &[T]) -> VisitResult {
        let mut index = Some(all.iter().position(|one| one == value).unwrap_or_default() as u64);
        self.choice(&mut index, Some(0), all.len())?;
        let found = index.and_then(|index| all.get(usize::try_from(index).ok()?));
        *value = *found.ok_or(ShareError::Broken("an enumeration value is unknown"))?;
        Ok(())
    }

    /// Visits a value as its index in the list `all`, or `None`.
    pub(super) fn optional_one_of<T: Copy + PartialEq>(&mut self, value: &mut Option<T>, all: &[T]) -> VisitResult {
        let mut index = value.and_then(|value| all.iter().position(|one| *one == value)).map(|index| index as u64);
        self.choice(&mut index, None, all.len())?;
        let found = index.map(|index| usize::try_from(index).ok().and_then(|index| all.get(index)).copied());
        *value = found.map(|found| found.ok_or(ShareError::Broken("an enumeration value is unknown"))).transpose()?;
        Ok(())
    }

    pub(super) fn string(&mut self, value: &mut String, what: Text) -> VisitResult {
        self.string_with_usual(value, "", what)
    }

    pub(super) fn string_with_usual(&mut self, value: &mut String, usual: &str, what: Text) -> VisitResult {
        let mut known = Some(std::mem::take(value));
        self.text(&mut known, Some(usual), what)?;
        *value = known.ok_or(ShareError::Broken("a text is missing"))?;
        Ok(())
    }

    /// Visits the length of a list, and makes as many rows as the visitor returns.
    pub(super) fn rows<T>(&mut self, rows: &mut Vec<T>, blank: impl FnMut() -> T) -> VisitResult {
        let n = self.count(rows.len(), size_of::<T>())?;
        rows.resize_with(n, blank);
        Ok(())
    }

    /// Visits whether an optional value is present.
    pub(super) fn present<T>(&mut self, value: &mut Option<T>, blank: impl FnOnce() -> T) -> VisitResult {
        let mut is_there = value.is_some();
        self.flag(&mut is_there)?;
        *value = if is_there { value.take().or_else(|| Some(blank())) } else { None };
        Ok(())
    }

    pub(super) fn texts(&mut self, texts: &mut Vec<String>, what: Text) -> VisitResult {
        self.rows(texts, String::new)?;
        each(texts, |text| self.string(text, what))
    }
}
