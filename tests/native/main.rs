//! This program holds all native integration tests, so that they are linked once. `cargo test --test native memory::`
//! runs the tests of one file.

mod agree;
mod alignment;
mod bad_input;
mod circles;
mod comm;
mod comm_chart;
mod comm_table;
mod common;
mod compare;
mod compare_matching;
mod compare_program;
mod compare_sections;
mod compare_series;
mod data_movement;
mod depth;
mod dropped;
mod export;
mod files;
mod filters;
mod flags;
mod fuzz_seeds;
mod gaps;
mod generated;
mod golden;
mod gpu_graphs;
mod hlo_dump;
mod hlo_groups;
mod hlo_proto;
mod hlo_robust;
mod hlo_text;
mod hosts;
mod landing;
mod ledger;
mod means;
mod memory;
mod memory_rules;
mod memory_table;
mod model_size;
mod op;
mod op_graph;
mod oracle;
mod overview;
mod packed;
mod parallel;
mod quality;
mod reading;
mod report_cli;
mod robust;
mod robust_names;
mod robust_scale;
mod robust_sums;
mod roofline;
mod roofline_chart;
mod roofline_xprof;
mod session;
mod share;
mod small;
mod streams;
mod synth;
mod texts;
mod threads;
mod tidy;
mod timeline;
mod timeline_series;
mod trace;
mod trace_oracle;
mod vocabulary;
mod xprof;
mod xz;
mod zips;

/// The program that simulates captures. Other tests also use its builder of planes.
#[path = "../../examples/synth/main.rs"]
#[allow(dead_code, reason = "the program has a main of its own")]
mod simulator;
