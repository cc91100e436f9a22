//! This module reads and writes the address of the page: the query, and how its result is shown. The state is written
//! after the `#`, which browsers never send to a server.
//!
//! ```text
//!  #v=1&by=source&step=12&filter=dot&in=anywhere&sort=-avg_dur_ps&cols=total_dur_ps,n_executions&zoom=jit(f)/mlp
//! ```
//!
//! Only values that differ from the default are written. Names are added, and never renamed. An address of an older
//! version is upgraded before it is read, and one of a newer version is refused. A value that cannot be parsed is an
//! error, never a panic. An unknown name of the same version is skipped, because a later build may have added it. This
//! module depends on queries and names of columns, not on the page.

pub use super::view::{FilesViewState, Picture, View};
use super::view_states::{BadPart, ViewStates};
use crate::analysis::base::{DeviceChoice, FilterField, GroupBy, Query};
use crate::analysis::classify::{Kind, ModelModule, Phase};
use crate::table::page::SortBy;
use crate::table::text::escape_page_text;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The version that is written.
pub const VERSION: u32 = 1;
/// Largest length of an address in bytes. Longer addresses are refused, because mail programs and browsers cut them.
pub const MAX: usize = 64_000;

/// The whole state that an address holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageAddress {
    pub query: Query,
    /// Whether the address names the device. It is named even if it is the first one, because the default device of a
    /// session may be another one.
    pub names_device: bool,
    /// Whether the address names the grouping of the rows, for the same reason.
    pub names_grouping: bool,
    /// The order of the breakdown's rows. `None` stands for the order that the table has by default.
    pub sort: Option<SortBy>,
    /// Ids of the columns that the user chose. `None` shows as many columns as fit.
    pub columns: Option<Vec<String>>,
    /// Names of the selected rows.
    pub selection: Vec<String>,
    /// The chart above the table.
    pub picture: Picture,
    /// The scope that the icicle shows. Empty stands for all scopes.
    pub zoom: String,
    /// The op whose panel is open, in the form of the name of a selected row. Empty if no panel is open.
    pub op: String,
    /// Whether the panel draws the graph of the op's operands and users.
    pub graph: bool,
    pub view: View,
    /// URL of the capture. Empty if the capture comes from this device.
    pub src: String,
    /// Name of the capture. Only the address of an open page holds it; an address that is [passed
    /// on](super::for_report::shared_address) does not. Empty if it is unknown.
    pub capture: String,
    /// Name under which the browser stores the capture on this device. Empty if it is not stored.
    pub stored: String,
    /// Position in the programs of the file view.
    pub file: FilesViewState,
    /// The states of the views. That of the list of captures is the usual one if no list is open.
    pub views: ViewStates,
    /// The parts of views that cannot be read. They are not written.
    pub bad_parts: Vec<BadPart>,
    /// The report of the link in the syntax of `share::link`. Empty if there is none. This module does not decode it.
    pub report: String,
}

/// The reason why an address cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// A newer version of Rooflight wrote the address.
    #[error("The address is of version {0}; this page reads up to {VERSION}. Reload the page to get the newest.")]
    Newer(u32),
    /// The value of a name cannot be parsed.
    #[error("The address says {name}={value}, which means nothing here. The rest of it was not used either.")]
    Value {
        /// Decoded name. Empty if it is not valid UTF-8.
        name: String,
        /// Decoded value. Empty if it is not valid UTF-8.
        value: String,
    },
    /// The address is longer than [`MAX`] bytes.
    #[error("The address is {0} characters long; {MAX} are the most that is read.")]
    Long(usize),
}

/// Characters that are percent-encoded in a value. All others stand for themselves.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'`')
    .add(b'#')
    .add(b'%')
    .add(b'&')
    .add(b'+')
    .add(b',')
    .add(b'=')
    .add(b'\\')
    .add(b'^')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b'[')
    .add(b']');

impl fmt::Display for PageAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v={VERSION}")?;
        let usual = Self::default();
        let mut push = |name: &str, value: &str, is_usual: bool| {
            if is_usual { Ok(()) } else { write!(f, "&{name}={}", utf8_percent_encode(value, ESCAPED)) }
        };
        let (query, filter) = (&self.query, &self.query.filter);
        match query.device {
            DeviceChoice::One(index) => push("device", &index.to_string(), false)?,
            DeviceChoice::Mean => push("device", "mean", !self.names_device)?,
            DeviceChoice::All => push("device", "all", false)?,
        }
        push("step", &query.step.to_string(), query.step == usual.query.step)?;
        push("by", query.by.key(), query.by == usual.query.by && !self.names_grouping)?;
        push("filter", &filter.text, filter.text.is_empty())?;
        push("in", filter.within.key(), filter.within == FilterField::default())?;
        push("regex", "1", !filter.regex)?;
        push("kind", filter.kind.map_or("", Kind::key), filter.kind.is_none())?;
        push("module", filter.module.map_or("", ModelModule::key), filter.module.is_none())?;
        push("phase", filter.phase.map_or("", Phase::key), filter.phase.is_none())?;
        push("scope", &filter.scope, filter.scope.is_empty())?;
        push("sort", &self.sort.as_ref().map(SortBy::to_string).unwrap_or_default(), self.sort.is_none())?;
        push("picture", self.picture.key(), self.picture == usual.picture)?;
        push("zoom", &self.zoom, self.zoom.is_empty())?;
        push("op", &self.op, self.op.is_empty())?;
        push("graph", "1", !self.graph)?;
        push("view", self.view.key(), self.view == usual.view)?;
        push("src", &self.src, self.src.is_empty())?;
        push("capture", &self.capture, self.capture.is_empty())?;
        push("kept", &self.stored, self.stored.is_empty())?;
        let number = |n: Option<u32>| n.map(|n| n.to_string()).unwrap_or_default();
        push("program", &number(self.file.program), self.file.program.is_none())?;
        push("line", &number(self.file.line), self.file.line.is_none())?;
        push("find", &self.file.find, self.file.find.is_empty())?;
        push("find-regex", "1", !self.file.regex)?;
        self.views.each_part(&mut |name, text| push(name, text, false))?;
        list(f, "ops", (!filter.ops.is_empty()).then_some(&filter.ops))?;
        list(f, "cols", self.columns.as_deref())?;
        list(f, "sel", (!self.selection.is_empty()).then_some(&self.selection))?;
        // The report comes last, so that a link that is cut loses a part of the report, and the report detects the
        // loss.
        if self.report.is_empty() {
            Ok(())
        } else {
            write!(f, "&report={}", utf8_percent_encode(&self.report, ESCAPED))
        }
    }
}

/// Writes a list with commas between its items. Each item is encoded by itself, so that a comma within an item is not a
/// separator.
fn list(f: &mut fmt::Formatter<'_>, name: &str, items: Option<&[String]>) -> fmt::Result {
    let Some(items) = items else { return Ok(()) };
    write!(f, "&{name}=")?;
    for (index, item) in items.iter().enumerate() {
        write!(f, "{}{}", if index == 0 { "" } else { "," }, utf8_percent_encode(item, ESCAPED))?;
    }
    Ok(())
}

impl FromStr for PageAddress {
    type Err = AddressError;

    /// Parses the text after the `#`, with or without the `#`. An empty text is the default state.
    fn from_str(text: &str) -> Result<Self, AddressError> {
        let text = text.strip_prefix('#').unwrap_or(text);
        if text.len() > MAX {
            return Err(AddressError::Long(text.len()));
        }
        let mut pairs: Vec<(&str, &str)> = text
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .collect();
        let version = match pairs.iter().find(|(name, _)| *name == "v") {
            Some((_, value)) => value.parse().map_err(|_| refused("v", value))?,
            None => VERSION,
        };
        upgrade(version, &mut pairs)?;
        let mut address = Self::default();
        for (name, value) in pairs {
            address.apply(name, value).ok_or_else(|| refused(name, value))?;
        }
        Ok(address)
    }
}

fn refused(name: &str, value: &str) -> AddressError {
    AddressError::Value { name: decoded(name).unwrap_or_default(), value: decoded(value).unwrap_or_default() }
}

/// Upgrades names and values of an older version to the current version. There is only one version so far. The first
/// change of a name adds its step here, and an address of the old version to the tests.
fn upgrade(version: u32, _pairs: &mut [(&str, &str)]) -> Result<(), AddressError> {
    if version > VERSION { Err(AddressError::Newer(version)) } else { Ok(()) }
}

/// Returns the text that was written into the address. Its invisible characters are escaped, as in all texts of the page.
fn decoded(text: &str) -> Option<String> {
    Some(escape_page_text(&percent_decode_str(text).decode_utf8().ok()?).into_owned())
}

impl PageAddress {
    /// Returns a query with the device and the grouping of the usual one where the address names none.
    pub fn named_query(&self, query: Query, usual: &Query) -> Query {
        let device = if self.names_device { query.device } else { usual.device };
        let by = if self.names_grouping { query.by } else { usual.by };
        Query { device, by, ..query }
    }

    /// Applies a name and its value. Returns `None` if the value cannot be parsed.
    fn apply(&mut self, name: &str, value: &str) -> Option<()> {
        let (query, text) = (&mut self.query, decoded(value)?);
        let items = || value.split(',').filter(|item| !item.is_empty()).map(decoded).collect::<Option<Vec<_>>>();
        self.names_device |= name == "device";
        self.names_grouping |= name == "by";
        match name {
            "device" => {
                let one = || text.parse().ok().map(DeviceChoice::One);
                query.device = DeviceChoice::of_several(&text).or_else(one)?;
            }
            "step" => query.step = text.parse().ok()?,
            "by" => query.by = GroupBy::from_key(&text)?,
            "filter" => query.filter.text = text,
            "in" => query.filter.within = FilterField::from_key(&text)?,
            "regex" => query.filter.regex = text == "1",
            "kind" => query.filter.kind = Some(Kind::from_key(&text)?),
            "module" => query.filter.module = Some(ModelModule::from_key(&text)?),
            "phase" => query.filter.phase = Some(Phase::from_key(&text)?),
            "scope" => query.filter.scope = text,
            "sort" => self.sort = Some(text.parse().ok()?),
            "picture" => self.picture = Picture::from_key(&text)?,
            "zoom" => self.zoom = text,
            "op" => self.op = text,
            "graph" => self.graph = text == "1",
            "view" => self.view = View::from_key(&text)?,
            "program" => self.file.program = Some(text.parse().ok()?),
            "line" => self.file.line = Some(text.parse().ok()?),
            "find" => self.file.find = text,
            "find-regex" => self.file.regex = text == "1",
            "src" => self.src = text,
            "capture" => self.capture = text,
            "kept" => self.stored = text,
            "report" => self.report = text,
            "ops" => query.filter.ops = items()?,
            "cols" => self.columns = Some(items()?),
            "sel" => self.selection = items()?,
            // A later build of this version may have added the name.
            name => self.bad_parts.extend(self.views.apply(name, &text).and_then(Result::err)),
        }
        Some(())
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::analysis::base::{Filter, StepChoice, TimeRange};
    use proptest::prelude::*;
    use xla_profile::units::Picos;

    #[test]
    fn defaults_are_omitted() {
        assert_eq!(PageAddress::default().to_string(), "v=1");
        assert_eq!("".parse(), Ok(PageAddress::default()));
        assert_eq!("#v=1".parse(), Ok(PageAddress::default()));
        assert_eq!("#later=1&v=1&".parse(), Ok(PageAddress::default()), "names of a later build");
    }

    #[test]
    fn addresses_of_every_version_still_parse() {
        // One address of each version that was ever written. They are never changed, only added to.
        let one: PageAddress =
            "v=1&device=all&step=12&by=source&filter=dot%20%26%20x&in=anywhere&regex=1&kind=comm&scope=jit(f)/mlp&sort=avg_dur_ps&zoom=jit(f)&cols=total_dur_ps,n_executions&sel=fusion.1@7,a%2Cb"
                .parse()
                .unwrap();
        assert_eq!((one.query.device, one.names_device), (DeviceChoice::All, true));
        let first: PageAddress = "v=1&device=0".parse().unwrap();
        assert_eq!((first.query.device, first.to_string().as_str()), (DeviceChoice::One(0), "v=1&device=0"));
        assert_eq!(one.query.filter.text, "dot & x");
        assert_eq!(one.sort, Some(SortBy::new("avg_dur_ps", false)));
        assert_eq!(one.selection, ["fusion.1@7", "a,b"]);
        assert_eq!(one.columns.as_deref(), Some(["total_dur_ps".to_owned(), "n_executions".to_owned()].as_slice()));
        assert_eq!(one.to_string().parse(), Ok(one));
        let panel: PageAddress = "v=1&by=source&op=fusion.1@7".parse().unwrap();
        assert_eq!(panel.op, "fusion.1@7");
        let text: PageAddress = "v=1&view=file&program=3&line=120&find=all-reduce&find-regex=1".parse().unwrap();
        assert_eq!((text.view, text.file.program, text.file.line), (View::File, Some(3), Some(120)));
        assert_eq!((&*text.file.find, text.file.regex), ("all-reduce", true));
    }

    #[test]
    fn invalid_parameters_are_refused() {
        assert_eq!("v=2".parse::<PageAddress>(), Err(AddressError::Newer(2)));
        for text in
            ["by=colour", "step=-1", "device=x", "sort=-", "kind=", "v=x", "filter=%ff", "in=there", "picture=cat"]
        {
            assert!(matches!(text.parse::<PageAddress>(), Err(AddressError::Value { .. })), "{text}");
        }
        assert_eq!("x".repeat(MAX + 1).parse::<PageAddress>(), Err(AddressError::Long(MAX + 1)));
    }

    fn printable(text: &str) -> String {
        escape_page_text(text).into_owned()
    }

    fn text() -> impl Strategy<Value = String> {
        ".*".prop_map(|text| printable(&text))
    }

    #[test]
    fn texts_of_an_address_are_printable() {
        let address: PageAddress =
            "v=1&op=a%E2%80%AEb&sel=%1B,c&captures=filter:x%250A%25E2%2580%25AE".parse().unwrap();
        assert_eq!(address.op, "a\\u{202e}b");
        assert_eq!(address.selection, ["\\u{1b}", "c"]);
        assert_eq!(address.views.captures.filter, "x\n\\u{202e}");
    }

    fn address() -> impl Strategy<Value = PageAddress> {
        let device = prop_oneof![Just(DeviceChoice::All), any::<u32>().prop_map(DeviceChoice::One)];
        let step = prop_oneof![
            Just(StepChoice::All),
            Just(StepChoice::Mean),
            Just(StepChoice::Busiest),
            any::<u64>().prop_map(StepChoice::Number),
            (any::<u64>(), any::<u64>()).prop_map(|(a, b)| {
                TimeRange::between(Picos(a), Picos(b)).map_or(StepChoice::All, StepChoice::Range)
            })
        ];
        let by = prop::sample::select(GroupBy::ALL.to_vec());
        let kind = prop::option::of(prop::sample::select(Kind::ALL.to_vec()));
        let within = prop::sample::select(FilterField::ALL.to_vec());
        let ops = prop::collection::vec(".+".prop_map(|text| printable(&text)), 0..4);
        let module = prop::option::of(prop::sample::select(ModelModule::ALL.to_vec()));
        let phase = prop::option::of(prop::sample::select(Phase::ALL.to_vec()));
        let filter = (text(), within, any::<bool>(), (kind, module, phase), text(), ops).prop_map(
            |(text, within, regex, (kind, module, phase), scope, ops)| Filter {
                text,
                within,
                regex,
                kind,
                module,
                phase,
                scope,
                ops,
            },
        );
        let query =
            (device, step, by, filter).prop_map(|(device, step, by, filter)| Query { device, step, by, filter });
        let sort = prop::option::of(("[a-z_]{1,12}", any::<bool>()))
            .prop_map(|sort| sort.map(|(column, descending)| SortBy { column, descending }));
        let names = || prop::collection::vec(".+".prop_map(|text| printable(&text)), 0..4);
        let picture = prop::sample::select(Picture::ALL.to_vec());
        let view = prop::sample::select(View::ALL.to_vec());
        let number = || prop::option::of(any::<u32>());
        let file = (number(), number(), text(), any::<bool>())
            .prop_map(|(program, line, find, regex)| FilesViewState { program, line, find, regex });
        let first = (query, sort, prop::option::of(names()), names(), picture);
        let states = "v=1&roofline=sort:-runs&memory=side:allocator;program:3&comm=of:copies&captures=filter:a%253Bb";
        let states = states.parse::<PageAddress>().unwrap().views;
        let views = prop::sample::select(vec![ViewStates::default(), states]);
        let texts = (prop::array::uniform2(text()), ["[A-Za-z0-9_-]*", "[A-Za-z0-9_-]*"], views);
        let second = (any::<[bool; 2]>(), text(), text(), any::<bool>(), view, file, texts);
        (first, second).prop_map(|((query, sort, columns, selection, picture), second)| {
            let ([names_device, names_grouping], zoom, op, graph, view, file, texts) = second;
            let ([src, capture], [stored, report], views) = texts;
            let names_device = names_device || query.device != DeviceChoice::default();
            let names_grouping = names_grouping || query.by != GroupBy::default();
            PageAddress {
                query,
                names_device,
                names_grouping,
                sort,
                columns,
                selection,
                picture,
                zoom,
                op,
                graph,
                view,
                file,
                src,
                capture,
                stored,
                views,
                bad_parts: Vec::new(),
                report,
            }
        })
    }

    proptest! {
        #[test]
        fn shown_values_round_trip(address in address()) {
            prop_assert_eq!(address.to_string().parse::<PageAddress>(), Ok(address));
        }

        #[test]
        fn hostile_text_is_an_error_at_most(text in ".*", tail in "[%&=,#a-f0-9]*") {
            let _ = text.parse::<PageAddress>();
            let _ = tail.parse::<PageAddress>();
        }
    }
}
