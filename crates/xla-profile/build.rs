//! This build script generates Rust types from `proto/`. It needs no `protoc`.

/// The folder of the definitions, which is that of the repository.
const FOLDER: &str = "../../proto";
const PROTOS: [&str; 2] = ["hlo.proto", "xspace.proto"];

/// Fields that few instructions or shapes have. They are boxed, because inline fields would make every instruction half
/// a kilobyte larger.
const RARE: [&str; 13] = [
    "HloInstructionProto.literal",
    "HloInstructionProto.window",
    "HloInstructionProto.convolution_dimension_numbers",
    "HloInstructionProto.padding_config",
    "HloInstructionProto.dot_dimension_numbers",
    "HloInstructionProto.ragged_dot_dimension_numbers",
    "HloInstructionProto.precision_config",
    "HloInstructionProto.frontend_attributes",
    "HloInstructionProto.metadata",
    "HloInstructionProto.collective_device_list",
    "HloInstructionProto.iota_collective_device_list",
    "HloInstructionProto.mesh_axes_replica_group_list",
    "ShapeProto.layout",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed={FOLDER}");
    let descriptors = protox::compile(PROTOS, [FOLDER])?;
    let mut config = prost_build::Config::new();
    config.btree_map(["."]);
    for part in RARE {
        config.boxed(format!(".rooflight.hlo.{part}"));
    }
    config.compile_fds(descriptors)?;
    Ok(())
}
