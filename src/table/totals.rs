//! This module sums the values of a column.

use super::{Difference, Value};

/// Returns the sum of two values of a column.
pub(super) fn added(sum: &Value<'_>, value: &Value<'_>) -> Value<'static> {
    match (sum, value) {
        (sum, Value::Absent) => own_number(sum),
        (Value::Time(a), Value::Time(b)) => Value::Time(*a + *b),
        (Value::Count(a), Value::Count(b)) => Value::Count(a.saturating_add(*b)),
        (Value::Executions(a), Value::Executions(b)) => Value::Executions(*a + *b),
        (Value::Bytes(a), Value::Bytes(b)) => Value::Bytes(a.saturating_add(*b)),
        (Value::Difference(a), Value::Difference(b)) => {
            Value::Difference(Difference { ps: a.ps.saturating_add(b.ps), is_real: false })
        }
        (Value::Percent(a), Value::Percent(b)) => Value::Percent(a + b),
        (Value::Number(a), Value::Number(b)) => Value::Number(a + b),
        (_, value) => own_number(value),
    }
}

/// Returns an owned copy of a value that can be summed. All other values become `Absent`.
fn own_number(value: &Value<'_>) -> Value<'static> {
    match *value {
        Value::Time(time) => Value::Time(time),
        Value::Count(n) => Value::Count(n),
        Value::Executions(n) => Value::Executions(n),
        Value::Bytes(n) => Value::Bytes(n),
        Value::Difference(difference) => Value::Difference(Difference { is_real: false, ..difference }),
        Value::Percent(fraction) => Value::Percent(fraction),
        Value::Number(number) => Value::Number(number),
        _ => Value::Absent,
    }
}
