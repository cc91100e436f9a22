//! This module detects copies and fills of CUDA and ROCm by the names of events, calls and kernels.

/// Returns the CUPTI name of a copy or a fill from the name of an event, a call or a kernel: `MemcpyH2D` for
/// `MemcpyH2D`, `hipMemcpyHtoDAsync`, `CopyHostToDevice` and `[CUDA memcpy Host-to-Device]`. Returns `Memcpy` if the
/// name does not contain the direction, and `None` if the name is not that of a copy or a fill.
pub fn cupti_copy_name(name: &str) -> Option<&'static str> {
    // Names of kernels may be long, but a copy has its word near the start of the name.
    let letters = name.bytes().filter(u8::is_ascii_alphanumeric).take(LETTERS).map(|b| b.to_ascii_lowercase());
    let word: String = letters.map(char::from).collect();
    if word.contains("memset") || word.contains("fillbuffer") {
        return Some("Memset");
    }
    if word.contains("copybuffer") || word.contains("memorycopy") {
        return Some("Memcpy");
    }
    let between = |rest: &str| DIRECTIONS.into_iter().find(|(ways, _)| ways.iter().any(|way| rest.starts_with(way)));
    match word.split_once("memcpy") {
        Some((_, rest)) => Some(between(rest).map_or("Memcpy", |(_, word)| word)),
        // Many kernels have names that start with `copy`. Only a name with a direction is that of a copy of the
        // runtime.
        None => between(word.strip_prefix("copy")?).map(|(_, word)| word),
    }
}

/// Number of letters and digits of a name that are examined.
const LETTERS: usize = 48;

/// The directions after `memcpy` and `copy`, each with its CUPTI name.
const DIRECTIONS: [(&[&str], &str); 5] = [
    (&["h2d", "htod", "hosttodevice"], "MemcpyH2D"),
    (&["d2h", "dtoh", "devicetohost"], "MemcpyD2H"),
    (&["d2d", "dtod", "devicetodevice"], "MemcpyD2D"),
    (&["p2p", "ptop", "peer"], "MemcpyP2P"),
    (&["h2h", "htoh", "hosttohost"], "MemcpyH2H"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_runtimes_spelling() {
        for (name, expected) in [
            ("MemcpyH2D", Some("MemcpyH2D")),
            ("MemcpyD2D", Some("MemcpyD2D")),
            ("hipMemcpyDtoHAsync", Some("MemcpyD2H")),
            ("cuMemcpyDtoDAsync_v2", Some("MemcpyD2D")),
            ("cudaMemcpyPeerAsync", Some("MemcpyP2P")),
            ("CopyDeviceToDevice", Some("MemcpyD2D")),
            ("CopyHostToDevice", Some("MemcpyH2D")),
            ("CopyDeviceToHost", Some("MemcpyD2H")),
            ("CopyPeerToPeer", Some("MemcpyP2P")),
            ("[CUDA memcpy HtoD]", Some("MemcpyH2D")),
            ("[CUDA memcpy Device-to-Host]", Some("MemcpyD2H")),
            ("Memcpy DtoD (Device -> Device)", Some("MemcpyD2D")),
            ("Memset (Device)", Some("Memset")),
            ("[CUDA memset]", Some("Memset")),
            ("__amd_rocclr_fillBufferAligned.kd", Some("Memset")),
            ("hipMemcpyAsync", Some("Memcpy")),
            ("Copy", None),
            ("CopyKernel", None),
            ("copy_bitcast_fusion", None),
            ("copy.104", None),
            ("gemm_fusion_dot_general_1.kd", None),
            ("void at::native::elementwise_kernel<128, 2, copy_device_to_device>", None),
            ("", None),
        ] {
            assert_eq!(cupti_copy_name(name), expected, "{name}");
        }
        assert_eq!(cupti_copy_name("__amd_rocclr_copyBuffer.kd"), Some("Memcpy"), "only its launch says between what");
    }
}
