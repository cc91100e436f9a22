//! This module shortens the names of GPU kernels for sentences.

/// Returns the name of the function in the signature of a C++ kernel, without namespaces, template arguments and parameters, as Nsight
/// shows it: "softmax_warp_forward" for "void at::native::softmax_warp_forward<float, 10>(float*, int)". Other names stay as they are.
pub fn function_name(name: &str) -> &str {
    const ANONYMOUS: &str = "(anonymous namespace)";
    let has_path = name.contains("::");
    let is_signature =
        (has_path && name.contains('<')) || (name.ends_with(')') && (has_path || name.starts_with("void ")));
    if !is_signature {
        return name;
    }
    let is_end = |(index, c): &(usize, char)| match c {
        '<' => true,
        '(' => !name[*index..].starts_with(ANONYMOUS),
        _ => false,
    };
    let end = name.char_indices().find(is_end).map_or(name.len(), |(index, _)| index);
    let path = name[..end].trim_end();
    let function = path.rsplit([':', ' ']).next().unwrap_or(path);
    if function.is_empty() { name } else { function }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_signatures_are_shortened() {
        for (name, short) in [
            ("void at::native::softmax_warp_forward<float, 10>(float*, int)", "softmax_warp_forward"),
            (
                "void tensorflow::functor::FillPhiloxRandomKernelLaunch<tensorflow::random::U<Eigen::half> >(x)",
                "FillPhiloxRandomKernelLaunch",
            ),
            ("void (anonymous namespace)::copy(int)", "copy"),
            ("std::f<int>(std::g)", "f"),
            ("cub::scan<int>", "scan"),
            ("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn"),
            ("fusion.3 (clone)", "fusion.3 (clone)"),
            ("loop_fusion", "loop_fusion"),
            ("", ""),
            ("<lambda>()", "<lambda>()"),
        ] {
            assert_eq!(function_name(name), short, "{name}");
        }
    }
}
