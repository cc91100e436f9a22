//! HLO texts of real captures are read with nothing left over, and what is printed reads back as the same.

mod common;

use common::hlo::corpora;
use rooflight::hlo::{Damage, Instruction, Module, text};

/// The whole module of the profiles.
fn llama() -> Option<String> {
    let gzip = common::profile("hlo-text/llama3-8b-v6e8-train_step.after_optimizations.hlo.gz")?;
    Some(String::from_utf8(rooflight::source::inflate_slice(&gzip, 1 << 28).bytes).unwrap())
}

#[test]
fn every_text_of_every_capture() {
    let Some(corpora) = corpora() else { return };
    let mut counted = Vec::new();
    for corpus in corpora {
        let mut exact = 0;
        for source in &corpus.texts {
            let parsed = text::instruction(source).unwrap_or_else(|| panic!("{}: {source}", corpus.name));
            assert_eq!(parsed.damage, Damage::default(), "{source}");
            let printed = parsed.instruction.display(parsed.style).to_string();
            assert_eq!(text::instruction(&printed).as_ref(), Some(&parsed), "{source}");
            exact += usize::from(printed == *source);
            if printed != *source && counted.len() < 9 {
                println!("{source}\n{printed}\n");
            }
        }
        counted.push((corpus.name, corpus.texts.len(), exact));
    }
    println!("{counted:?}");
}

#[test]
fn a_whole_module() {
    let Some(source) = llama() else { return };
    let (module, style) = text::module(&source).unwrap();
    println!("{:?}", module.damage);
    println!("{:?}", module.instructions().len());
    println!("{:?}", module.computations().len());
    let printed = module.display(style).to_string();
    for (a, b) in printed.lines().zip(source.lines()).filter(|(a, b)| a != b).take(5) {
        println!("{a}\n{b}\n");
    }
    let differ = printed.lines().zip(source.lines()).filter(|(a, b)| a != b).count();
    println!("{differ} {} {}", printed.len(), source.len());
}
