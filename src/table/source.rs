//! This module provides the rows of a table, either from memory or from a maker of rows. A maker serves tables of very
//! many rows with long texts.

use super::Column;
use super::cells::number;

/// Makes the rows of a table when they are read.
pub trait RowMaker<R> {
    /// Returns the number of rows.
    fn n_rows(&self) -> usize;

    fn row(&self, row: u32) -> R;

    /// Returns the name of a row in selections without making the row; see [`super::shown::Table::key`].
    fn key(&self, row: u32) -> String;

    /// Calls `read` with rows of which only the numbers are made. This takes far less time than making whole rows.
    fn read_numbers(&self, rows: &mut dyn Iterator<Item = u32>, read: &mut dyn FnMut(u32, &R));

    /// Returns a number per row that sorts like the texts of a column. `ranks` holds the rank of each row by name.
    /// Returns `None` if the column has numbers, or if its order needs all rows.
    fn text_order(&self, column: &str, ranks: &[u32]) -> Option<Vec<Option<u64>>>;

    /// Returns the rank of each row by name.
    fn ranks(&self) -> Vec<u32>;

    /// Returns the rows in the order of [`super::shown::Table::default_sort`].
    fn usual_order(&self) -> Vec<u32>;
}

/// The rows of a table.
pub enum Source<'r, R> {
    InMemory(&'r [R]),
    /// Rows that are made when they are read.
    Made(&'r dyn RowMaker<R>),
}

impl<'r, R> From<&'r [R]> for Source<'r, R> {
    fn from(rows: &'r [R]) -> Self {
        Self::InMemory(rows)
    }
}

impl<'r, R> From<&'r Vec<R>> for Source<'r, R> {
    fn from(rows: &'r Vec<R>) -> Self {
        Self::InMemory(rows)
    }
}

impl<'r, R> Source<'r, R> {
    /// Returns the number of rows.
    pub fn n_rows(&self) -> usize {
        match self {
            Self::InMemory(rows) => rows.len(),
            Self::Made(maker) => maker.n_rows(),
        }
    }

    /// Iterates over the numbers of all rows.
    pub(super) fn all(&self) -> impl Iterator<Item = u32> + use<R> {
        0..self.n_rows() as u32
    }

    /// Calls `read` with a row.
    pub(super) fn with<T>(&self, row: u32, read: impl FnOnce(&R) -> T) -> T {
        match self {
            Self::InMemory(rows) => read(&rows[row as usize]),
            Self::Made(maker) => read(&maker.row(row)),
        }
    }

    /// Returns the name of a row in selections.
    pub(super) fn key(&self, row: u32, key: fn(&R) -> String) -> String {
        match self {
            Self::InMemory(rows) => key(&rows[row as usize]),
            Self::Made(maker) => maker.key(row),
        }
    }

    /// Returns rows that are read several times. Rows that are not in memory are made into `made`.
    pub(super) fn rows<'m>(&self, rows: impl Iterator<Item = u32>, made: &'m mut Vec<R>) -> Vec<&'m R>
    where
        'r: 'm,
    {
        match *self {
            Self::InMemory(all) => rows.map(|row| &all[row as usize]).collect(),
            Self::Made(maker) => {
                made.extend(rows.map(|row| maker.row(row)));
                made.iter().collect()
            }
        }
    }

    /// Calls `read` with the given rows, of which only the numbers may be made.
    pub(super) fn read_numbers(&self, rows: &mut dyn Iterator<Item = u32>, read: &mut dyn FnMut(u32, &R)) {
        match self {
            Self::InMemory(all) => rows.for_each(|row| read(row, &all[row as usize])),
            Self::Made(maker) => maker.read_numbers(rows, read),
        }
    }

    /// Returns the largest number of each column.
    pub(super) fn largest(&self, columns: &[&Column<R>]) -> Vec<f64> {
        let mut largest = vec![0.0_f64; columns.len()];
        let mut read = |_, row: &R| {
            for (largest, column) in largest.iter_mut().zip(columns) {
                *largest = number(&(column.value)(row)).map_or(*largest, |number| largest.max(number));
            }
        };
        if !columns.is_empty() {
            self.read_numbers(&mut self.all(), &mut read);
        }
        largest
    }

    /// Returns the running sum of a column for each of the rows, the row itself included.
    pub(super) fn running_sums(&self, column: &Column<R>, rows: &[u32]) -> Vec<f64> {
        let (mut sum, mut sums) = (0.0, Vec::with_capacity(rows.len()));
        self.read_numbers(&mut rows.iter().copied(), &mut |_, row| {
            sum += number(&(column.value)(row)).unwrap_or_default();
            sums.push(sum);
        });
        sums
    }
}
