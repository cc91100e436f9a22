"""The results of a session: a JSON document, and the tables in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, KeysView
from typing import TYPE_CHECKING, Any

from . import _rooflight

if TYPE_CHECKING:
    import pandas
    import pyarrow

# The table that the methods without a name return.
_FIRST = {
    "breakdown": "groups",
    "comm": "rows",
    "compare": "rows",
    "flags": "rows",
    "gaps": "gaps",
    "inspect": "planes",
    "memory": "buffers",
    "non-compute": "by_category",
    "overview": "findings",
    "roofline": "groups",
    "summary": "kinds",
}


class Table:
    """Rows of a result.

    The class has the Arrow PyCapsule interface: ``pyarrow.table(table)``, ``polars.DataFrame(table)`` and DuckDB take it
    without a copy.
    """

    def __init__(self, name: str, rows: list[dict[str, Any]], sides: tuple[str, ...] = ()) -> None:
        self.name = name
        self._rows = rows
        # Objects of each row whose fields become columns: `a_self_ps` is the field `self_ps` of `a`.
        self._sides = sides

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"<rooflight.Table {self.name!r}, {len(self._rows)} rows>"

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in the order of the JSON."""
        # Rows of one table have the same fields, except where the JSON leaves a field out.
        return list(dict.fromkeys(name for row in self._flat for name in row))

    @property
    def _flat(self) -> list[dict[str, Any]]:
        """The rows with the fields of their sides as fields of their own."""
        if not self._sides:
            return self._rows
        fields = {side: list(dict.fromkeys(key for row in self._rows for key in row[side] or ())) for side in self._sides}
        rows = []
        for row in self._rows:
            flat: dict[str, Any] = {}
            for name, value in row.items():
                if name in fields:
                    flat.update({f"{name}_{key}": (value or {}).get(key) for key in fields[name]})
                else:
                    flat[name] = value
            rows.append(flat)
        return rows

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as they stand in the JSON."""
        return [dict(row) for row in self._rows]

    def to_pandas(self) -> pandas.DataFrame:
        """Return a ``pandas.DataFrame``. Whole numbers stay whole: a column with absent values has the type ``Int64``.

        Lists and objects stay Python values.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas needs pandas: pip install pandas") from error
        types = {"int64": "Int64", "uint64": "UInt64", "bool": "boolean", "float64": "float64"}
        data = {}
        for name, values in self._columns():
            kind = _kind(values)
            has_absent = any(value is None for value in values)
            if kind in ("int64", "uint64", "bool") and not has_absent:
                data[name] = pandas.Series(values, dtype=kind)
            else:
                data[name] = pandas.Series(values, dtype=types.get(kind, "object"))
        return pandas.DataFrame(data)

    def to_arrow(self) -> pyarrow.Table:
        """Return a ``pyarrow.Table``. Lists and objects become JSON texts."""
        try:
            import pyarrow
        except ImportError as error:
            raise ImportError("to_arrow needs pyarrow: pip install pyarrow") from error
        return pyarrow.table(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the rows as an Arrow stream. The requested schema is ignored, as the interface allows."""
        columns = []
        for name, values in self._columns():
            kind = _kind(values)
            if kind == "json":
                kind, values = "string", [None if value is None else _text(value) for value in values]
            columns.append((name, kind, values))
        return _rooflight.arrow_stream(columns, len(self._rows))

    def _columns(self) -> list[tuple[str, list[Any]]]:
        rows = self._flat
        names = dict.fromkeys(name for row in rows for name in row)
        return [(name, [row.get(name) for row in rows]) for name in names]


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _kind(values: list[Any]) -> str:
    """Return the type of a column. Columns with values of several types become texts of JSON."""
    kinds = {type(value) for value in values if value is not None}
    if not kinds:
        return "null"
    if kinds == {bool}:
        return "bool"
    if kinds == {int}:
        numbers = [value for value in values if value is not None]
        if max(numbers) < 2**63 and min(numbers) >= -(2**63):
            return "int64"
        return "uint64" if min(numbers) >= 0 and max(numbers) < 2**64 else "float64"
    if kinds <= {int, float}:
        return "float64"
    return "string" if kinds == {str} else "json"


class Result:
    """The answer of a session: the JSON document that the command line prints, and the tables in it.

    A result reads like a dict of the fields of the document: ``result["totals"]``. It is no ``Mapping``, because polars would
    take the fields of a mapping for columns.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._document: dict[str, Any] = json.loads(text)

    def __getitem__(self, key: str) -> Any:
        try:
            return self._document[key]
        except KeyError:
            if self._document["status"] != "absent":
                raise
            raise KeyError(f"{key}: the view {self._document['view']} is absent. {self._reason()}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __contains__(self, key: object) -> bool:
        return key in self._document

    def keys(self) -> KeysView[str]:
        """Return the names of the fields of the document."""
        return self._document.keys()

    def get(self, key: str, default: Any = None) -> Any:
        """Return a field of the document, or ``default`` if the document does not have it, as in a view without data."""
        return self._document.get(key, default)

    def _reason(self) -> str:
        """Return the notes that say why a view has no data."""
        notes = self._document.get("notes", [])
        important = [note for note in notes if note["severity"] != "info"]
        return " ".join(note["message"] for note in important or notes)

    def __repr__(self) -> str:
        tables = ", ".join(f"{name} ({len(self.table(name))})" for name in self.tables)
        return f"<rooflight.Result of {self._document['view']}, {self._document['status']}; tables: {tables}>"

    def json(self) -> str:
        """Return the document as text: what the command line prints with ``--json``."""
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """Return the whole document."""
        return dict(self._document)

    @property
    def tables(self) -> list[str]:
        """The names of the tables. The first one is that of the methods without a name."""
        names = [name for name, value in self._document.items() if _is_table(value)]
        first = _FIRST.get(self._document["view"])
        if self._document["view"] == "memory":
            names = ["buffers", "spaces", *(name for name in names if name != "programs")]
        if first in names:
            names.remove(first)
            names.insert(0, first)
        return names

    def table(self, name: str | None = None) -> Table:
        """Return one table; see ``tables``.

        Raises:
            KeyError: There is no table of this name.
        """
        tables = self.tables
        name = tables[0] if name is None else name
        if name not in tables:
            raise KeyError(f"There is no table {name!r}. Tables: {', '.join(tables)}.")
        if self._document["view"] == "memory" and name in ("buffers", "spaces"):
            return Table(name, self._memory(name))
        is_pair = self._document["view"] == "compare" and name == "rows"
        return Table(name, self._document[name], ("a", "b") if is_pair else ())

    def _memory(self, name: str) -> list[dict[str, Any]]:
        """Return the buffers at the peak of each memory of each program, or these memories, with their program."""
        rows = []
        for program in self._document.get("programs", []):
            of_program = {"program": program["name"], "program_id": program["program_id"]}
            for space in program["spaces"]:
                if name == "spaces":
                    rows.append({**of_program, **{key: space[key] for key in space if key != "alive"}})
                else:
                    of_space = {"color": space["color"], "memory_space": space["memory_space"]}
                    rows += [{**of_program, **of_space, **buffer} for buffer in space["alive"]]
        return rows

    def to_dicts(self, table: str | None = None) -> list[dict[str, Any]]:
        """Return the rows of a table as they stand in the JSON; see ``Table.to_dicts``."""
        return self.table(table).to_dicts()

    def to_pandas(self, table: str | None = None) -> pandas.DataFrame:
        """Return a table as a ``pandas.DataFrame``; see ``Table.to_pandas``."""
        return self.table(table).to_pandas()

    def to_arrow(self, table: str | None = None) -> pyarrow.Table:
        """Return a table as a ``pyarrow.Table``; see ``Table.to_arrow``."""
        return self.table(table).to_arrow()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the first table as an Arrow stream; see ``Table``."""
        return self.table().__arrow_c_stream__(requested_schema)
