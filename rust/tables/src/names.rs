//! Canonical SQL names for tables.

use unicode_normalization::UnicodeNormalization;

/// Returns the SQL name under which a source called `stem` is registered.
#[must_use]
pub fn canonical_name(stem: &str) -> String {
    let folded: String = stem.nfkc().flat_map(char::to_lowercase).collect();
    let mut name: String = folded
        .chars()
        .map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' })
        .collect();
    if name.is_empty() || name.starts_with(|c: char| c.is_numeric()) {
        name.insert_str(0, "t_");
    }
    name
}
