//! This module holds the `--key K=V` of an export: what the user knows of a run that the capture does not tell.

/// The keys that are columns of their own, with whole numbers.
const INTEGERS: [&str; 2] = ["batch", "tokens"];

/// Keys by name, in the order of their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys(Vec<(String, String)>);

impl Keys {
    /// Sorts keys by name.
    ///
    /// # Errors
    /// Returns a sentence if a key is given twice, or if `batch` or `tokens` is not a whole number.
    pub fn new(mut pairs: Vec<(String, String)>) -> Result<Self, String> {
        pairs.sort();
        if let Some(two) = pairs.windows(2).find(|two| two[0].0 == two[1].0) {
            return Err(format!("The key {} is given twice.", two[0].0));
        }
        let is_bad =
            |(key, value): &&(String, String)| INTEGERS.contains(&key.as_str()) && value.parse::<i64>().is_err();
        if let Some((key, value)) = pairs.iter().find(is_bad) {
            return Err(format!("The key {key} is a whole number, and {value} is none."));
        }
        Ok(Self(pairs))
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(other, _)| other == key).map(|(_, value)| value.as_str())
    }

    /// Returns the value of a key that is a whole number.
    pub fn integer(&self, key: &str) -> Option<i64> {
        self.get(key)?.parse().ok()
    }

    /// Returns all keys with their values.
    pub fn pairs(&self) -> &[(String, String)] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_checked() {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let keys = Keys::new(vec![pair("tokens", "4096"), pair("commit", "a1")]).unwrap();
        assert_eq!((keys.get("commit"), keys.integer("tokens"), keys.get("job")), (Some("a1"), Some(4096), None));
        assert!(Keys::new(vec![pair("job", "a"), pair("job", "b")]).unwrap_err().contains("twice"));
        assert!(Keys::new(vec![pair("batch", "many")]).unwrap_err().contains("whole number"));
    }
}
