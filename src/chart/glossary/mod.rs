//! This module holds the glossary: what the words on screen mean, how a figure is computed, and what is usual.
//! `docs/GLOSSARY.md` has the same texts; `tests/native/glossary.rs` writes them there.

mod terms;

pub use terms::TERMS;
use xla_profile::keyed_enum;
use xla_profile::small_sort::SmallSort;

keyed_enum! {
    /// The topics of the glossary, in its order.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Topic {
        Efficiency = "efficiency": "Efficiency",
        Time = "time": "Time",
        Ops = "ops": "Ops and programs",
        Communication = "communication": "Communication",
        Memory = "memory": "Memory",
        Comparison = "comparison": "Comparing captures",
    }
}

/// A term on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    pub topic: Topic,
    /// The term, and other names of the same.
    pub names: &'static [&'static str],
    /// Labels of figures and heads of columns that the term explains, apart from `names`.
    pub labels: &'static [&'static str],
    /// What the term means, in one sentence.
    pub meaning: &'static str,
    /// How a value is computed. Empty if the term has no value.
    pub formula: &'static str,
    /// Values that are usual or good. Empty if no value is.
    pub usual: &'static str,
    /// Who defined the term.
    pub source: &'static str,
}

impl Term {
    const fn new(topic: Topic, names: &'static [&'static str]) -> Self {
        Self { topic, names, labels: &[], meaning: "", formula: "", usual: "", source: "" }
    }

    const fn labels(mut self, labels: &'static [&'static str]) -> Self {
        self.labels = labels;
        self
    }

    const fn meaning(mut self, meaning: &'static str) -> Self {
        self.meaning = meaning;
        self
    }

    const fn formula(mut self, formula: &'static str) -> Self {
        self.formula = formula;
        self
    }

    const fn usual(mut self, usual: &'static str) -> Self {
        self.usual = usual;
        self
    }

    const fn source(mut self, source: &'static str) -> Self {
        self.source = source;
        self
    }

    /// Returns the first name, which is the name of the term in the page.
    pub const fn name(&self) -> &'static str {
        match self.names {
            [name, ..] => name,
            [] => "",
        }
    }

    /// Returns whether a text that the user searches for is in the term. Case does not matter.
    fn contains(&self, lower: &str) -> bool {
        let mut texts = self.names.iter().chain(self.labels).chain([&self.meaning]);
        texts.any(|text| text.to_lowercase().contains(lower))
    }
}

/// Returns the term that explains a label of a figure or the head of a column. Case does not matter.
pub fn term_of_label(label: &str) -> Option<&'static Term> {
    TERMS.iter().find(|term| term.names.iter().chain(term.labels).any(|name| name.eq_ignore_ascii_case(label)))
}

/// Returns the terms that a text is in, those whose names have it first. An empty text is in all.
pub fn search(text: &str) -> Vec<&'static Term> {
    let lower = text.trim().to_lowercase();
    let mut terms: Vec<&Term> = TERMS.iter().filter(|term| term.contains(&lower)).collect();
    terms.small_sort_by_key(|term| !term.names.iter().any(|name| name.to_lowercase().contains(&lower)));
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_before_sentences() {
        let found: Vec<&str> = search(" hfu ").into_iter().map(Term::name).collect();
        assert_eq!(found, ["HFU"]);
        let found: Vec<&str> = search("stall").into_iter().map(Term::name).collect();
        assert_eq!(found.first(), Some(&"Stall"));
        assert_eq!(search("").len(), TERMS.len());
        assert!(search("no such term").is_empty());
    }

    #[test]
    fn a_label_leads_to_its_term() {
        let name = |label: &str| term_of_label(label).map(Term::name);
        assert_eq!(name("Exposed comm."), Some("Exposed, overlapped"));
        assert_eq!(name("mfu"), Some("MFU"));
        assert_eq!(name("Minutes"), None);
    }
}
