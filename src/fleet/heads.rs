//! This module selects the declarations of columns and of fields that tables have.

use crate::table::Column;
use crate::table::kind::{Head, Kind, ObjectType, Outputs};

/// Returns the declarations of the columns that tables have.
pub fn table_heads<R>(columns: &[Column<R>]) -> Vec<Head> {
    flat_heads(columns.iter().map(|column| column.head))
}

/// Returns the fields that tables have. Fields that stand in place of a column take its place.
fn flat_heads(heads: impl Iterator<Item = Head>) -> Vec<Head> {
    let in_tables = heads.filter(|head| head.outputs.contains(Outputs::TABLE));
    let flat = |head: Head| match head.kind {
        Kind::Fields(object) => flat_heads(object().fields.into_iter()),
        _ => vec![head],
    };
    in_tables.flat_map(flat).collect()
}

/// Returns the fields of a record that tables have.
pub fn record_heads(object: fn() -> ObjectType) -> Vec<Head> {
    flat_heads(object().fields.into_iter())
}

/// Returns a type as SQL writes it.
pub fn sql(kind: &Kind) -> String {
    match kind {
        Kind::Text(_) | Kind::Word(_) => "VARCHAR".to_owned(),
        Kind::Integer(_) => "BIGINT".to_owned(),
        Kind::Real => "DOUBLE".to_owned(),
        Kind::Flag => "BOOLEAN".to_owned(),
        Kind::Instant => "TIMESTAMPTZ".to_owned(),
        Kind::Maybe(item) => sql(item),
        Kind::List(item) => format!("{}[]", sql(item)),
        Kind::Map(item) => format!("MAP(VARCHAR, {})", sql(item)),
        Kind::Object(object) | Kind::Fields(object) => {
            let field = |head: &Head| format!("{} {}", head.id, sql(&head.kind));
            format!("STRUCT({})", record_heads(*object).iter().map(field).collect::<Vec<_>>().join(", "))
        }
        // No table has such a column.
        Kind::Pair | Kind::Own | Kind::OwnFields | Kind::Any => "JSON".to_owned(),
    }
}
