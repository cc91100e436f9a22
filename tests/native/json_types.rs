//! Writes the types and the documentation of the JSON from the declarations of its fields, and checks that both are up to date:
//! `crates/rooflight-js/package/answers.d.ts` for TypeScript, and `docs/JSON.md` for readers. `INSTA_UPDATE=always` writes them.

use crate::fleet::{GPU, SAMPLE};
use rooflight::table::Outputs;
use rooflight::table::kind::{Head, Kind, ObjectType};
use rooflight::table::value::{Declared, Part};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// The commands whose documents have all objects of the JSON.
const COMMANDS: [&[&str]; 14] = [
    &["overview"],
    &["breakdown"],
    &["breakdown", "--by=scope"],
    &["roofline"],
    &["memory", "--fit-parameters=8B", "--vocabulary=100"],
    &["comm"],
    &["gaps"],
    &["data-movement"],
    &["flags"],
    &["summary"],
    &["inspect"],
    &["compare"],
    &["compare", "--by=kind", "--fail-over=3%"],
    &["compare", "--series"],
];

/// The captures whose documents are looked at, so that each object is there once, and a program without times.
const CAPTURES: [&str; 3] = [SAMPLE, GPU, PROGRAM];

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/train_step.hlo_proto.pb.gz");

/// The names in TypeScript of rows whose Rust type has another name, by the end of the path of the Rust type.
const NAMES: [(&str, &str); 15] = [
    ("Picos; 7]", "KindTimes"),
    ("GapClass, xla_profile::units::Picos)", "GapPart"),
    ("String, xla_profile::units::Picos)", "HostEventTime"),
    ("RooflinePosition>", "RooflineFields"),
    ("breakdown::report::Group", "Row"),
    ("breakdown::steps::KindTimes", "StepKind"),
    ("::Spread", "Periods"),
    ("comm::report::Overlap", "InFlight"),
    ("comm::report::Remainder", "CommRest"),
    ("comm::report::Traffic", "CommSums"),
    ("compare::report::SideHead", "ComparedSide"),
    ("compare::report::RowSide", "ComparedOps"),
    ("::CommSide", "ComparedComm"),
    ("::PeakSide", "ComparedProgram"),
    ("gaps::report::HostEvent", "HostEventTime"),
];

/// A type of the JSON.
#[derive(Default)]
struct Type {
    name: String,
    /// The types whose fields it has too.
    bases: Vec<String>,
    fields: Vec<Field>,
}

struct Field {
    id: &'static str,
    /// The type in TypeScript. `None` if no document has shown it yet.
    kind: Option<String>,
    outputs: Outputs,
    about: String,
}

/// The types of all documents, in the order in which they are found.
#[derive(Default)]
struct Types(Vec<Type>);

impl Types {
    /// Adds a type without fields, if there is none with this name yet. Its place is before the types that it consists of.
    fn reserve(&mut self, name: &str) {
        if self.0.iter().all(|known| known.name != name) {
            self.0.push(Type { name: name.to_owned(), ..Type::default() });
        }
    }

    /// Adds the fields of a type that is reserved, or compares them with those that are known.
    fn add(&mut self, found: Type) -> String {
        let name = found.name.clone();
        let known = self.0.iter_mut().find(|known| known.name == name).expect("it is reserved");
        if known.fields.is_empty() && known.bases.is_empty() {
            *known = found;
            return name;
        }
        for field in found.fields {
            match known.fields.iter_mut().find(|other| other.id == field.id) {
                Some(other) if other.kind.is_none() => other.kind = field.kind,
                Some(other) => assert!(
                    field.kind.is_none() || field.kind == other.kind,
                    "{name}.{} is {:?} and {:?}",
                    field.id,
                    field.kind,
                    other.kind
                ),
                None => panic!("{name} does not always have {}", field.id),
            }
        }
        name
    }

    fn declared(&mut self, declared: &Declared) -> String {
        self.reserve(declared.name);
        let mut found = Type { name: declared.name.to_owned(), ..Type::default() };
        for part in &declared.parts {
            match part {
                Part::Object(object) => found.bases.push(self.declared(object)),
                Part::Field(head, objects) => {
                    let objects: BTreeSet<String> = objects.iter().map(|object| self.declared(object)).collect();
                    self.field(&mut found, *head, &objects);
                }
            }
        }
        self.add(found)
    }

    fn object(&mut self, object: &ObjectType) -> String {
        let last = object.name.rsplit("::").next().unwrap_or_default();
        let renamed = NAMES.iter().find(|(rust, _)| object.name.ends_with(rust));
        let name = renamed.map_or(last, |(_, name)| name);
        assert!(name.chars().all(char::is_alphanumeric), "{} needs a name in NAMES", object.name);
        self.reserve(name);
        let mut found = Type { name: name.to_owned(), ..Type::default() };
        for head in &object.fields {
            self.field(&mut found, *head, &BTreeSet::new());
        }
        self.add(found)
    }

    fn field(&mut self, found: &mut Type, head: Head, objects: &BTreeSet<String>) {
        if let Kind::Fields(object) = head.kind {
            found.bases.push(self.object(&object()));
            return;
        }
        if head.outputs == Outputs::PAGE {
            return;
        }
        assert!(!head.about.is_empty(), "{}.{} has no description", found.name, head.id);
        let kind = self.kind(&head.kind, objects);
        let kind = kind.map(|kind| if head.is_nullable { format!("{kind} | null") } else { kind });
        found.fields.push(Field { id: head.id, kind, outputs: head.outputs, about: head.description() });
    }

    /// Returns a kind as TypeScript. `None` if it is an object that the document does not have.
    fn kind(&mut self, kind: &Kind, objects: &BTreeSet<String>) -> Option<String> {
        Some(match kind {
            Kind::Text(_) => "string".to_owned(),
            Kind::Word(words) if words().is_empty() => "string".to_owned(),
            Kind::Word(words) => words().iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" | "),
            Kind::Integer(_) | Kind::Real | Kind::Instant => "number".to_owned(),
            Kind::Flag => "boolean".to_owned(),
            Kind::Pair => "[number, number]".to_owned(),
            Kind::Maybe(item) => format!("{} | null", self.kind(item, objects)?),
            Kind::List(item) => {
                let item = self.kind(item, objects)?;
                if item.contains(" | ") { format!("({item})[]") } else { format!("{item}[]") }
            }
            Kind::Map(item) => format!("Record<string, {}>", self.kind(item, objects)?),
            Kind::Object(object) => self.object(&object()),
            Kind::Own if objects.is_empty() => return None,
            Kind::Own => objects.iter().cloned().collect::<Vec<_>>().join(" | "),
            Kind::Any => "unknown".to_owned(),
            Kind::Fields(_) | Kind::OwnFields => panic!("fields are no value"),
        })
    }
}

fn types() -> Types {
    let mut types = Types::default();
    for command in COMMANDS {
        // A program has no steps to compare.
        let captures = if command[0] == "compare" { &CAPTURES[..2] } else { &CAPTURES[..] };
        for capture in captures.iter().copied() {
            let mut arguments: Vec<_> = command.iter().map(Into::into).collect();
            arguments.extend(["--json".into(), capture.into()]);
            if command[0] == "compare" {
                arguments.push(SAMPLE.into());
            }
            if command.contains(&"--series") {
                // Four captures of each kind: the figures change in the middle.
                arguments.extend([SAMPLE, SAMPLE, SAMPLE, GPU, GPU, GPU].map(Into::into));
            }
            let declared = rooflight::cli::declared(&arguments).unwrap().expect("the command has JSON");
            types.declared(&declared);
        }
    }
    types
}

/// Returns the types as TypeScript.
fn typescript(types: &Types) -> String {
    let mut text = "// The answers of a session: the JSON documents of the command line. The test `types_are_written_from_declarations`\n\
                    // writes this file.\n//\n\
                    // Names that end in `_ps` are picoseconds, `pct_` and `_pct` are percentages, and `null` is an absent value. The command line\n\
                    // may add fields, so do not rely on a list of all fields. `json()` has whole numbers above 2⁵³ exactly, such as\n\
                    // nanoseconds since 1970, which a number of JavaScript rounds.\n"
        .to_owned();
    for found in &types.0 {
        let bases = if found.bases.is_empty() { String::new() } else { format!(" extends {}", found.bases.join(", ")) };
        let _ = writeln!(text, "\nexport interface {}{bases} {{", found.name);
        for field in found.fields.iter().filter(|field| field.outputs.contains(Outputs::JSON)) {
            let kind = field
                .kind
                .as_ref()
                .unwrap_or_else(|| panic!("{}.{} is an object that no document has", found.name, field.id));
            let optional = if field.outputs.contains(Outputs::IF_PRESENT) { "?" } else { "" };
            let _ = writeln!(text, "  /** {} */\n  {}{optional}: {kind};", field.about, field.id);
        }
        text += "}\n";
    }
    text
}

/// Returns the types as Markdown.
fn markdown(types: &Types) -> String {
    let mut text =
        "# The fields of the JSON\n\nThis page is written by the test `types_are_written_from_declarations`. \
                    [CLI.md](CLI.md#json) explains what holds for all fields.\n"
            .to_owned();
    for found in &types.0 {
        let _ = write!(text, "\n## {}\n", found.name);
        if !found.bases.is_empty() {
            let bases: Vec<String> =
                found.bases.iter().map(|base| format!("[{base}](#{})", base.to_lowercase())).collect();
            let _ = write!(text, "\nIt also has the fields of {}.\n", bases.join(" and "));
        }
        let in_files = found
            .fields
            .iter()
            .filter(|field| field.outputs.contains(Outputs::JSON) || field.outputs.contains(Outputs::CSV));
        text += "\n| field | type | meaning |\n|---|---|---|\n";
        for field in in_files {
            let kind = field.kind.as_deref().unwrap_or_default().replace('|', "\\|");
            let csv = if field.outputs.contains(Outputs::JSON) { "" } else { "CSV only. " };
            let _ = writeln!(text, "| `{}` | `{kind}` | {csv}{} |", field.id, field.about);
        }
    }
    text
}

#[test]
fn types_are_written_from_declarations() {
    let types = types();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (path, text) in
        [("crates/rooflight-js/package/answers.d.ts", typescript(&types)), ("docs/JSON.md", markdown(&types))]
    {
        let path = root.join(path);
        if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
            std::fs::write(&path, &text).unwrap();
        }
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(stored == text, "{} is out of date: INSTA_UPDATE=always writes it", path.display());
    }
}
