//! This module reads the opcode, the result shape and the first operand of an op from the text of its HLO instruction.

/// Returns the opcode of a text such as `%x = f32[2]{0} opcode(%y), …`; `None` if the text is not an instruction.
pub fn opcode(text: &str) -> Option<&str> {
    split(text).map(|(_, opcode, _)| opcode)
}

/// Returns the result shape, the opcode, and the text after the opening parenthesis. The opcode is the word before the
/// first parenthesis that opens outside of the shape. The shape may be a tuple, and its layout may contain parentheses.
fn split(text: &str) -> Option<(&str, &str, &str)> {
    let (_, rest) = text.split_once(" = ")?;
    let mut depth = 0i32;
    let mut word = 0;
    for (i, c) in rest.char_indices() {
        match c {
            '(' if depth == 0 && i > word => {
                let opcode = rest.get(word..i).filter(|w| is_opcode(w))?;
                return Some((rest.get(..word)?.trim(), opcode, rest.get(i + 1..)?));
            }
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            ' ' if depth == 0 => word = i + 1,
            _ => {}
        }
    }
    None
}

fn is_opcode(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

/// Returns the shape of an instruction's result with its layout: the text between `=` and the opcode.
pub fn result_shape(text: &str) -> Option<&str> {
    split(text).map(|(shape, _, _)| shape).filter(|s| !s.is_empty())
}

/// Returns the name of the first operand of an instruction, without `%` and without the shape that may precede it.
pub fn first_operand(text: &str) -> Option<&str> {
    let (_, _, operands) = split(text)?;
    let mut depth = 0i32;
    let end = operands.find(|c| {
        match c {
            ',' | ')' if depth == 0 => return true,
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            _ => {}
        }
        false
    })?;
    let name = operands.get(..end)?.rsplit(' ').next()?.trim_start_matches('%');
    Some(name).filter(|name| !name.is_empty())
}

/// Iterates over the names of the operands of an instruction that are written with `%`. Computations that the
/// instruction calls are not among them.
pub fn operand_names(text: &str) -> impl Iterator<Item = &str> {
    let rest = text.split_once(" = ").map_or("", |(_, rest)| rest);
    let is_operand = |(offset, _): &(usize, &str)| !rest[..*offset].ends_with(['=', '{']);
    rest.match_indices('%').take_while(is_operand).map(|(offset, _)| {
        let name = &rest[offset + 1..];
        &name[..name.find([',', ')', ' ']).unwrap_or(name.len())]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_not_computations() {
        let names = |text| operand_names(text).collect::<Vec<_>>();
        let fusion = "%f.1 = bf16[8]{0:T(8)} fusion(bf16[8]{0:T(8)} %a.1, (s32[], /*index=1*/f32[2]) %b), kind=kLoop, calls=%c.2";
        assert_eq!(names(fusion), ["a.1", "b"]);
        assert_eq!(names("%w = (s32[]) while(%t), condition=%c, body=%b"), ["t"]);
        assert_eq!(names("%c = f32[] conditional(s32[] %i, f32[] %x), branch_computations={%a, %b}"), ["i", "x"]);
        assert_eq!(names("%t = token[] after-all(), control-predecessors={%x}"), [""; 0]);
        assert_eq!(names("MemcpyD2D"), [""; 0]);
    }

    #[test]
    fn the_first_operand_is_found_behind_its_shape() {
        let f = "%d = bf16[8]{0} all-gather-done((bf16[2]{0:T(8,128)}, /*index=1*/bf16[8]{0}) %s.1, s32[] %b), foo=1";
        assert_eq!(first_operand(f), Some("s.1"));
        assert_eq!(first_operand("%d = f32[2] add(%a, %b)"), Some("a"));
        assert_eq!(first_operand("d = f32[2] copy-done(f32[2] s)"), Some("s"));
        assert_eq!(first_operand("%t = token[] after-all()"), None);
        assert_eq!(first_operand("%d = f32[2] add(%a"), None);
        assert_eq!(first_operand("jit_f(123)"), None);
    }
}
