//! This module lists the programs of a session: programs that ran, programs with HLO in a capture, and programs in
//! files of their own.

use super::report::{FileProgram, ProgramSource};
use crate::analysis::base::Analysis;
use crate::analysis::base::device::program_of_run;
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use xla_profile::profile::{HloBlob, HloForm, Profile, ProgramId};
use xla_profile::small_sort::SmallSort;
use xla_profile::units::Picos;

/// The runs and the self time of a program.
#[derive(Default)]
struct ProgramRuns {
    n_runs: u64,
    run_time: Picos,
    /// `None` if no op of the program ran.
    busy: Option<Picos>,
    /// The name in events.
    module: Option<String>,
}

impl Analysis {
    /// Lists the programs. The program with the longest time comes first: the sum of its runs on all devices, or the
    /// self time of its ops if no run is reported. Programs that did not run follow, the one with the largest HLO
    /// first.
    pub fn programs(&self, profile: &Profile) -> Vec<FileProgram> {
        self.list_programs(profile, true)
    }

    /// Lists the programs. Without `has_self_times`, the self time of ops is not computed.
    pub(super) fn list_programs(&self, profile: &Profile, has_self_times: bool) -> Vec<FileProgram> {
        let mut known: IndexMap<ProgramId, ProgramRuns> =
            profile.programs.keys().map(|id| (*id, ProgramRuns::default())).collect();
        self.add_runs(profile, &mut known, has_self_times);
        let mut listed: FxHashSet<usize> = FxHashSet::default();
        let hlo = hlo_by_id(profile);
        let mut programs: Vec<FileProgram> = Vec::new();
        for (id, ran) in known {
            let hlo = hlo.get(&id).copied();
            listed.extend(hlo);
            let name = profile.programs.get(&id).cloned().or(ran.module).unwrap_or_else(|| id.0.to_string());
            let n_runs = Some(ran.n_runs).filter(|n| *n > 0);
            programs.push(FileProgram {
                n_runs,
                run_time: n_runs.map(|_| ran.run_time),
                busy: ran.busy,
                ..program(profile, name, Some(id), hlo)
            });
        }
        for (i, blob) in profile.hlo.iter().enumerate() {
            // A capture of several hosts contains the same program once per host.
            if !listed.contains(&i) && (blob.is_dropped() || blob.program.is_none()) {
                programs.push(program(profile, blob.module().to_owned(), blob.program, Some(i)));
            }
        }
        programs.small_sort_by(|a, b| {
            let key = |p: &FileProgram| (Reverse(p.run_time.or(p.busy)), Reverse(p.n_runs), Reverse(p.bytes));
            key(a).cmp(&key(b)).then_with(|| (&a.name, a.program_id, a.hlo).cmp(&(&b.name, b.program_id, b.hlo)))
        });
        programs
    }

    fn add_runs(&self, profile: &Profile, known: &mut IndexMap<ProgramId, ProgramRuns>, has_self_times: bool) {
        for (index, device) in self.devices.iter().enumerate() {
            let plane = &profile.planes[device.plane];
            for line in plane.lines.iter().filter(|line| line.name == "XLA Modules") {
                for (op, (_, length)) in line.events.ops().zip(line.events.times()) {
                    let Some(id) = program_of_run(profile, plane, op) else { continue };
                    let ran = known.entry(id).or_default();
                    ran.n_runs += 1;
                    ran.run_time = Picos(ran.run_time.0.saturating_add(length));
                }
            }
            if !has_self_times {
                continue;
            }
            let measured = self.measures.get_or_compute(plane, index, device, &device.whole_capture());
            for (op, time) in plane.ops.iter().zip(&measured.ops) {
                let Some(id) = op.stats.program.filter(|_| time.n > 0 || time.self_time > 0) else { continue };
                let ran = known.entry(id).or_default();
                ran.busy = Some(ran.busy.unwrap_or_default() + Picos(time.self_time));
                if ran.module.is_none() {
                    ran.module = op.stats.hlo_module.map(|id| profile.text(id).to_owned());
                }
            }
        }
    }
}

/// Returns the index of the HLO of each program, by its id. HLO in a capture is preferred to files of their own, then the largest HLO.
fn hlo_by_id(profile: &Profile) -> FxHashMap<ProgramId, usize> {
    let rank = |i: usize| (!profile.hlo[i].is_dropped(), profile.hlo[i].span.len(), Reverse(i));
    let mut best: FxHashMap<ProgramId, usize> = FxHashMap::default();
    for (i, id) in profile.hlo.iter().enumerate().filter_map(|(i, blob)| Some((i, blob.program?))) {
        let known = best.entry(id).or_insert(i);
        if rank(i) > rank(*known) {
            *known = i;
        }
    }
    best
}

/// Returns the entry of a program without runs.
fn program(profile: &Profile, name: String, id: Option<ProgramId>, hlo: Option<usize>) -> FileProgram {
    let blob = hlo.map(|i| &profile.hlo[i]);
    FileProgram {
        name,
        program_id: id.map(|id| id.0),
        source: match blob {
            Some(HloBlob { form: HloForm::Text, .. }) => ProgramSource::Text,
            Some(blob) if blob.is_dropped() => ProgramSource::Dropped,
            Some(_) => ProgramSource::Capture,
            None => ProgramSource::Events,
        },
        file: blob.map(|blob| blob.file as u32),
        bytes: blob.map(|blob| blob.span.len()),
        n_runs: None,
        run_time: None,
        busy: None,
        n_computations: None,
        n_instructions: None,
        hlo: hlo.map(|i| i as u32),
    }
}
