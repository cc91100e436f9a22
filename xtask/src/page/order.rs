//! The functions of a program, those that are alike beside each other.
//!
//! A compiled page is full of functions that differ in a few bytes: one generic function, once per type. gzip finds
//! repetitions only within 32 kB, and a compiler leaves them anywhere. This finds an order in which each function has as
//! much as possible in common with those just before it, and writes it down as names: `wasm-opt
//! --reorder-functions-by-name` does the moving, and drops them.
//!
//! Pure bytes → bytes. Must not touch files.

use std::collections::{HashMap, VecDeque};

use anyhow::{Context, Result, bail, ensure};

/// What two functions have in common is counted in pieces of so many bytes.
const PIECE: usize = 8;
/// A piece that more functions have says nothing.
const COMMON: usize = 2000;
/// How far back a function may look for what it has in common: most of what gzip looks back.
const WINDOW: usize = 30 << 10;

const CUSTOM: u8 = 0;
const IMPORTS: u8 = 2;
const CODE: u8 = 10;

const FUNCTION: u8 = 0;
const TABLE: u8 = 1;
const MEMORY: u8 = 2;
const GLOBAL: u8 = 3;

/// The program with names for its functions, so that sorted by them they are in the order found.
///
/// # Errors
/// Where it is no WebAssembly that wasm-bindgen made.
pub fn name(wasm: &[u8]) -> Result<Vec<u8>> {
    ensure!(wasm.starts_with(b"\0asm\x01\0\0\0"), "no WebAssembly");
    let (mut imported, mut bodies) = (0, Vec::new());
    let mut rest = &wasm[8..];
    while !rest.is_empty() {
        let id = take(&mut rest, 1)?[0];
        let size = number(&mut rest)?;
        let mut section = take(&mut rest, size)?;
        match id {
            IMPORTS => imported = count_imports(section)?,
            CODE => {
                for _ in 0..number(&mut section)? {
                    let size = number(&mut section)?;
                    bodies.push(take(&mut section, size)?);
                }
            }
            _ => {}
        }
    }
    let mut places = vec![0; bodies.len()];
    for (place, function) in order(&bodies).into_iter().enumerate() {
        places[function] = place;
    }
    let mut names = leb(bodies.len());
    for (function, place) in places.into_iter().enumerate() {
        names.extend(leb(imported + function));
        names.extend(text(&format!("{place:06}")));
    }
    let section = [text("name"), vec![1], leb(names.len()), names].concat();
    Ok([wasm, &[CUSTOM], &leb(section.len()), &section].concat())
}

/// The program without the names it came with.
///
/// # Errors
/// Where it is no WebAssembly.
pub fn without_names(wasm: &[u8]) -> Result<Vec<u8>> {
    let (head, mut rest) = wasm.split_at_checked(8).context("no WebAssembly")?;
    let mut kept = head.to_vec();
    while !rest.is_empty() {
        let all = rest;
        let id = take(&mut rest, 1)?[0];
        let size = number(&mut rest)?;
        let section = take(&mut rest, size)?;
        if id != CUSTOM || !section.starts_with(b"\x04name") {
            kept.extend_from_slice(&all[..all.len() - rest.len()]);
        }
    }
    Ok(kept)
}

/// The functions among what is imported.
fn count_imports(mut section: &[u8]) -> Result<usize> {
    let mut functions = 0;
    for _ in 0..number(&mut section)? {
        for _ in ["module", "name"] {
            let size = number(&mut section)?;
            take(&mut section, size)?;
        }
        match take(&mut section, 1)?[0] {
            FUNCTION => {
                functions += 1;
                number(&mut section)?;
            }
            TABLE => {
                take(&mut section, 1)?;
                limits(&mut section)?;
            }
            MEMORY => limits(&mut section)?,
            GLOBAL => drop(take(&mut section, 2)?),
            other => bail!("something of kind {other} is imported"),
        }
    }
    Ok(functions)
}

/// How large a table or a memory is at least, and at most.
fn limits(section: &mut &[u8]) -> Result<()> {
    let bounded = take(section, 1)?[0] & 1 == 1;
    number(section)?;
    if bounded {
        number(section)?;
    }
    Ok(())
}

/// Numbers of `bodies`: from the largest, each time the one that has the largest part in common with those just before.
fn order(bodies: &[&[u8]]) -> Vec<usize> {
    let mut holders: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (function, body) in bodies.iter().enumerate() {
        for piece in body.windows(PIECE) {
            let holders = holders.entry(piece).or_default();
            if holders.last() != Some(&function) {
                holders.push(function);
            }
        }
    }
    let holders: Vec<Vec<usize>> = holders.into_values().filter(|of| (2..COMMON).contains(&of.len())).collect();
    let mut pieces = vec![Vec::new(); bodies.len()];
    for (piece, of) in holders.iter().enumerate() {
        of.iter().for_each(|function| pieces[*function].push(piece));
    }

    // How often a piece is within the window, and how many of a function's pieces are.
    let mut near = vec![0_u32; holders.len()];
    let mut in_common = vec![0_u32; bodies.len()];
    let (mut window, mut width) = (VecDeque::new(), 0);
    let mut left: Vec<usize> = (0..bodies.len()).collect();
    let mut order = Vec::with_capacity(bodies.len());
    let share =
        |in_common: &[u32], function: usize| f64::from(in_common[function]) / (bodies[function].len() + 20) as f64;
    while let Some(at) = (0..left.len()).max_by(|a, b| {
        let (a, b) = (left[*a], left[*b]);
        let size = || bodies[a].len().cmp(&bodies[b].len());
        share(&in_common, a).total_cmp(&share(&in_common, b)).then_with(size).then_with(|| b.cmp(&a))
    }) {
        let next = left.swap_remove(at);
        order.push(next);
        window.push_back(next);
        width += bodies[next].len();
        for piece in &pieces[next] {
            near[*piece] += 1;
            if near[*piece] == 1 {
                holders[*piece].iter().for_each(|function| in_common[*function] += 1);
            }
        }
        while width > WINDOW && window.len() > 1 {
            let Some(past) = window.pop_front() else { break };
            width -= bodies[past].len();
            for piece in &pieces[past] {
                near[*piece] -= 1;
                if near[*piece] == 0 {
                    holders[*piece].iter().for_each(|function| in_common[*function] -= 1);
                }
            }
        }
    }
    order
}

fn take<'a>(rest: &mut &'a [u8], n: usize) -> Result<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(n).context("it ends within a section")?;
    *rest = left;
    Ok(taken)
}

/// A number in LEB128.
fn number(rest: &mut &[u8]) -> Result<usize> {
    let mut number = 0;
    for shift in (0..32).step_by(7) {
        let byte = take(rest, 1)?[0];
        number |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    bail!("a number longer than 32 bits")
}

fn leb(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

fn text(text: &str) -> Vec<u8> {
    [leb(text.len()), text.as_bytes().to_vec()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_alike_stands_together() {
        let body = |seed: u8, n: u8| -> Vec<u8> { (0..n).map(|i| i.wrapping_mul(seed) ^ seed).collect() };
        let all = [body(7, 90), body(11, 80), body(7, 70), body(11, 60), body(7, 80)];
        let order = order(&all.each_ref().map(Vec::as_slice));
        assert_eq!(order, [0, 4, 2, 1, 3]);
    }

    #[test]
    fn functions_are_named_by_their_places() {
        let section = |id: u8, inside: &[u8]| [vec![id], leb(inside.len()), inside.to_vec()].concat();
        let imports = section(
            IMPORTS,
            b"\x04\x01m\x01f\x00\x00\x01m\x01t\x01\x70\x00\x05\x01m\x01m\x02\x01\x05\x09\x01m\x01g\x03\x7f\x00",
        );
        let code = section(CODE, b"\x02\x02\x00\x0b\x03\x00\x01\x0b");
        let wasm = [b"\0asm\x01\0\0\0".to_vec(), imports, code].concat();
        let named = name(&wasm).unwrap();
        assert!(named.starts_with(&wasm));
        assert_eq!(&named[wasm.len()..], section(0, b"\x04name\x01\x11\x02\x01\x06000001\x02\x06000000"));
        assert_eq!(without_names(&named).unwrap(), wasm);
        assert!(name(&wasm[..wasm.len() - 1]).is_err() && name(b"").is_err());
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for n in [0, 1, 127, 128, 300, 1 << 20] {
            assert_eq!(number(&mut &*leb(n)).unwrap(), n);
        }
    }
}
