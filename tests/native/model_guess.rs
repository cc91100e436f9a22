//! These tests compare the guessed size of a model and of a batch with the configuration of real programs, whose names
//! state it.

use crate::common::hlo::{AOT, aot};
use rooflight::analysis::memory::{Fit, MemoryQuery, ModelGuess, ProgramMemory, ProgramPeaks};
use xla_profile::hlo::Module;
use xla_profile::wire::hlo::decode;
use xla_profile::wire::proto::hlo::HloProto;

fn guess_model(program: &HloProto) -> Option<ModelGuess> {
    let module = Module::from_proto(program);
    let memory = ProgramMemory::new(program.buffer_assignment.as_ref()?, &module);
    Some(memory.guess_model(&module))
}

/// The number after a letter in a name such as `v5p_2x2x2_dense_L16_d4096_s2048_b16_tp2`.
fn number(name: &str, letter: char) -> u64 {
    let part = name.split('_').find_map(|part| part.strip_prefix(letter)?.parse().ok());
    part.unwrap_or_else(|| panic!("{name} has no {letter}"))
}

/// The programs are transformers with embedding and head, and per layer four matrices of attention, three of the MLP
/// with four times the width, and two norms.
#[test]
fn the_size_is_that_of_the_configuration() {
    for name in AOT.into_iter().filter(|name| !name.ends_with("after_codegen")) {
        let Some(program) = aot(name) else { continue };
        let (layers, width) = (number(name, 'L'), number(name, 'd'));
        let vocabulary = if width == 1024 { 8192 } else { 32_000 };
        let layer = 4 * width * width + 3 * width * 4 * width + 2 * width;
        let wanted = 2 * vocabulary * width + layers * layer + width;
        let size = guess_model(&program).unwrap();
        assert_eq!(size.n_parameters, Some(wanted), "{name}");
        assert_eq!(size.batch, Some((number(name, 'b'), number(name, 's'))), "{name}");
        // All heads together are as wide as the model.
        assert_eq!(size.attention, Some(layers * width), "{name}");
        assert_eq!(size.flops_per_token(), Some(6 * wanted + 6 * layers * width * number(name, 's')), "{name}");
        assert_eq!(size.tokens(), Some(number(name, 'b') * number(name, 's')), "{name}");
    }
}

/// The sample's program has 1,004,999,424 parameters: the sum over the first part of its state in the proto, each shape
/// times its parts, computed by another protobuf library.
#[test]
fn the_size_of_the_sample_is_that_of_its_state() {
    let packed = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/train_step.hlo_proto.pb.gz")).unwrap();
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&packed[..]), &mut bytes).unwrap();
    let mut program = decode(&bytes).unwrap();
    let size = guess_model(&program).unwrap();
    assert_eq!(
        size,
        ModelGuess {
            n_parameters: Some(1_004_999_424),
            batch: Some((16, 2048)),
            attention: Some(4 * 2816),
            is_training: true,
        }
    );
    // Without the shardings of a partitioned program, nothing is guessed.
    program.hlo_module.as_mut().unwrap().spmd_parameters_shardings.clear();
    assert_eq!(
        guess_model(&program).unwrap(),
        ModelGuess { n_parameters: None, batch: None, attention: None, is_training: true }
    );
}

/// Each program with its own sizes has the peak that was measured, whatever its classes are.
#[test]
fn the_sizes_of_a_program_give_its_peak() {
    for name in AOT {
        let Some(program) = aot(name) else { continue };
        let module = Module::from_proto(&program);
        let Some(memory) = program.buffer_assignment.as_ref().map(|buffers| ProgramMemory::new(buffers, &module))
        else {
            continue;
        };
        let report = memory.summarize(&module, ProgramPeaks::default(), &MemoryQuery::default());
        let space = report.space.unwrap();
        let Some(basis) = &space.fit else { panic!("{name} has no sizes") };
        let devices = module.devices().unwrap();
        assert_eq!(basis.size.length, number(name, 's'), "{name}");
        assert_eq!(basis.size.n_sharing, devices, "{name}: the parameters are divided over all devices");
        for moment in &basis.moments {
            assert!(moment.iter().map(|part| part.size).sum::<u64>() <= space.peak.peak, "{name}");
            assert!(moment.iter().all(|part| part.scores <= part.size), "{name}");
        }
        let fit = Fit::new(&space, basis.size, None).unwrap();
        let rows: u64 = fit.rows.iter().map(|row| row.measured).sum();
        assert_eq!(rows, space.peak.peak, "{name}");
        assert_eq!(fit.estimate, Some(space.peak.peak), "{name}");
        assert_eq!(fit.rows.iter().map(|row| row.estimate).sum::<Option<u64>>(), fit.estimate, "{name}");
    }
}
