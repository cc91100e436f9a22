//! This module names the type of instruction of an op, for the parts of a row: a custom call by its target, a fusion by
//! its name without numbers, and other ops by their opcode.

use super::opcode::opcode;

/// Writes the signature of an op into `out`, which is cleared first.
pub fn signature(name: &str, text: &str, out: &mut String) {
    out.clear();
    match opcode(text) {
        Some("custom-call") => {
            out.push_str("custom-call:");
            out.push_str(target(text).unwrap_or("<unknown>"));
        }
        // A text without an instruction leaves only the name, such as that of a kernel.
        Some("fusion") | None => stem(name, out),
        Some(opcode) => out.push_str(opcode),
    }
}

/// Returns the target of a custom call; `None` if the text has none.
pub fn target(text: &str) -> Option<&str> {
    text.split_once("custom_call_target=\"")?.1.split('"').next()
}

/// Writes a name without its numbers: `fusion.in_megacore_fusion` for `fusion.235.in_megacore_fusion.1`.
fn stem(name: &str, out: &mut String) {
    for (i, part) in name.split('.').enumerate() {
        if i == 0 {
            out.push_str(part);
        } else if !part.is_empty() && !part.bytes().all(|b| b.is_ascii_digit()) {
            out.push('.');
            out.push_str(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures() {
        let signature_of = |name: &str, text: &str| {
            let mut out = "left over".to_owned();
            signature(name, text, &mut out);
            out
        };
        let call = "%k = f32[2] custom-call(%x), custom_call_target=\"tpu_custom_call\", backend_config=\"…\"";
        assert_eq!(signature_of("k", call), "custom-call:tpu_custom_call");
        assert_eq!(signature_of("k", "%k = f32[2] custom-call(%x)"), "custom-call:<unknown>");
        assert_eq!(
            signature_of("broadcast_add_fusion.12", "%b = f32[2] fusion(%x), kind=kLoop"),
            "broadcast_add_fusion"
        );
        assert_eq!(signature_of("fusion.235.in_megacore_fusion.1", ""), "fusion.in_megacore_fusion");
        assert_eq!(signature_of("copy.3", "%copy.3 = f32[2] copy(%x)"), "copy");
        assert_eq!(signature_of("", ""), "");
    }
}
