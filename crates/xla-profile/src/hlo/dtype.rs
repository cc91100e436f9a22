//! This module defines the element types: their names in HLO text, their numbers in protos, and their widths.

use std::fmt;

macro_rules! dtypes {
    ($($variant:ident $number:literal $name:literal $bits:literal,)*) => {
        /// The element type of an array, or the type of a shape that is not an array (`tuple`, `token`, `opaque`,
        /// `buffer`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum DType {
            $($variant,)*
            /// A number that is not in the table, such as the number of a newer type.
            Unknown(i32),
        }

        impl DType {
            /// Every known type, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the type of a `PrimitiveType` number.
            pub const fn from_number(number: i32) -> Self {
                match number {
                    $($number => Self::$variant,)*
                    other => Self::Unknown(other),
                }
            }

            /// Returns the `PrimitiveType` number.
            pub const fn number(self) -> i32 {
                match self {
                    $(Self::$variant => $number,)*
                    Self::Unknown(number) => number,
                }
            }

            /// Returns the type with the given name in HLO text, or `None` if the name is unknown. `type77` is the
            /// unknown type with the number 77.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => name.strip_prefix("type").and_then(|n| n.parse().ok()).map(Self::from_number),
                }
            }

            /// Returns the name in HLO text. The name of an unknown type is empty; `Display` prints it as `type77`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Unknown(_) => "",
                }
            }

            /// Returns the bits of one element; 0 for a type without elements and for an unknown type.
            pub const fn bits(self) -> u32 {
                match self {
                    $(Self::$variant => $bits,)*
                    Self::Unknown(_) => 0,
                }
            }
        }
    };
}

dtypes! {
    Pred 1 "pred" 8,
    S1 30 "s1" 1,
    S2 26 "s2" 2,
    S4 21 "s4" 4,
    S8 2 "s8" 8,
    S16 3 "s16" 16,
    S32 4 "s32" 32,
    S64 5 "s64" 64,
    U1 31 "u1" 1,
    U2 27 "u2" 2,
    U4 22 "u4" 4,
    U8 6 "u8" 8,
    U16 7 "u16" 16,
    U32 8 "u32" 32,
    U64 9 "u64" 64,
    F4E2M1FN 32 "f4e2m1fn" 4,
    F8E3M4 29 "f8e3m4" 8,
    F8E4M3 28 "f8e4m3" 8,
    F8E4M3FN 20 "f8e4m3fn" 8,
    F8E4M3B11FNUZ 23 "f8e4m3b11fnuz" 8,
    F8E4M3FNUZ 25 "f8e4m3fnuz" 8,
    F8E5M2 19 "f8e5m2" 8,
    F8E5M2FNUZ 24 "f8e5m2fnuz" 8,
    F8E8M0FNU 33 "f8e8m0fnu" 8,
    F16 10 "f16" 16,
    BF16 16 "bf16" 16,
    F32 11 "f32" 32,
    F64 12 "f64" 64,
    C64 15 "c64" 64,
    C128 18 "c128" 128,
    Token 17 "token" 0,
    Opaque 14 "opaque" 0,
    Tuple 13 "tuple" 0,
    Buffer 34 "buffer" 0,
}

impl DType {
    /// Returns the bits of one element in memory, if the layout does not give them. An element takes whole bytes, even
    /// if it has four bits or fewer; only a layout with `E(4)` packs such elements.
    pub const fn stored_bits(self) -> u32 {
        self.bits().next_multiple_of(8)
    }

    /// Returns whether the elements are floats.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Self::F4E2M1FN
                | Self::F8E3M4
                | Self::F8E4M3
                | Self::F8E4M3FN
                | Self::F8E4M3B11FNUZ
                | Self::F8E4M3FNUZ
                | Self::F8E5M2
                | Self::F8E5M2FNUZ
                | Self::F8E8M0FNU
                | Self::F16
                | Self::BF16
                | Self::F32
                | Self::F64
        )
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(number) => write!(f, "type{number}"),
            known => f.write_str(known.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_lead_back() {
        for dtype in DType::ALL {
            assert_eq!(DType::from_name(dtype.name()), Some(*dtype));
            assert_eq!(DType::from_number(dtype.number()), *dtype);
        }
        assert_eq!(DType::ALL.len(), 34);
        assert_eq!(DType::from_number(77), DType::Unknown(77));
        assert_eq!(DType::from_name("type77"), Some(DType::Unknown(77)));
        assert_eq!(DType::from_name("bf17"), None);
    }

    #[test]
    fn widths() {
        assert_eq!((DType::BF16.bits(), DType::F8E4M3FN.bits(), DType::S4.bits()), (16, 8, 4));
        assert_eq!((DType::S4.stored_bits(), DType::Pred.stored_bits(), DType::Token.stored_bits()), (8, 8, 0));
    }
}
