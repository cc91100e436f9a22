//! This target takes any bytes as a zip archive. The target checks that listing ends, that members share no bytes and
//! lie inside the archive, that they read the same in pieces of any size, and that opening the archive ends.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rooflight::session::{Input, open};
use xla_profile::source::members;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(found) = members(Box::new(bytes.to_vec())) {
        let mut sum = 0;
        for member in &found.members {
            let Ok(content) = &member.content else { continue };
            let wrapped = if member.packed { 18 } else { 0 };
            sum += content.size() - wrapped;
            let mut whole = vec![0; content.size() as usize];
            content.read_at(0, &mut whole).expect("a member lies within its archive");
            let (mut pieces, mut piece) = (Vec::new(), [0; 7]);
            while pieces.len() < whole.len() {
                let n = (whole.len() - pieces.len()).min(7);
                content.read_at(pieces.len() as u64, &mut piece[..n]).expect("so do its pieces");
                pieces.extend_from_slice(&piece[..n]);
            }
            assert!(pieces == whole);
            assert!(content.read_at(1, &mut whole).is_err());
        }
        assert!(sum <= bytes.len() as u64, "members share bytes");
    }
    let input = Input { name: "it.zip".into(), source: Box::new(bytes.to_vec()), from_folder: false };
    let _ = open(vec![input], &mut |_| {});
});
