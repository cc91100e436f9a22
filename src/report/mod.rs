//! Placeholder head, replaced as the folder fills.
