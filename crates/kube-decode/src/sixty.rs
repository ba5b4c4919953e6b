//! Structs with so many fields that decoding one takes much of the stack.

/// Declares a struct with sixty optional texts, and more fields.
macro_rules! sixty {
    ($(#[$attribute:meta])* $name:ident { $($more:tt)* }) => {
        sixty! { @[
            a0 a1 a2 a3 a4 a5 a6 a7 a8 a9
            b0 b1 b2 b3 b4 b5 b6 b7 b8 b9
            c0 c1 c2 c3 c4 c5 c6 c7 c8 c9
            d0 d1 d2 d3 d4 d5 d6 d7 d8 d9
            e0 e1 e2 e3 e4 e5 e6 e7 e8 e9
            f0 f1 f2 f3 f4 f5 f6 f7 f8 f9
        ] $(#[$attribute])* $name { $($more)* } }
    };
    (@[$($field:ident)*] $(#[$attribute:meta])* $name:ident { $($more:tt)* }) => {
        $(#[$attribute])*
        #[serde(default)]
        struct $name {
            $(
                #[serde(skip_serializing_if = "Option::is_none")]
                $field: Option<String>,
            )*
            $($more)*
        }
    };
}
