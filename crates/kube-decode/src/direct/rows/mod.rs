//! The messages of the direct decoders: the number of each field, the field of the struct, and its
//! form in JSON.
//!
//! | row | form |
//! |---|---|
//! | `given` | JSON has the field where the wire has it |
//! | `many` | the same, of a list or a map |
//! | `omit` | JSON leaves out the zero value |
//! | `always` | JSON has the field even where the wire leaves it out |
//! | `inline` | JSON has the message's members among those of the outer message |
//! | `managed` | `managedFields`, which can be skipped |
//! | `unknown` | the struct has no such field, and the table may refuse two of them |
//! | `since_…`, `only_…` | the struct has the field in these releases; `unknown` in others |
//!
//! Names in parentheses after a struct are all its fields: it has no default. Braces in parentheses
//! are a struct that is any JSON, because its message has no fields.

/// Implements [`Message`](super::Message) for structs.
macro_rules! messages {
    ($module:path; $($name:ident $(($($blank:tt)*))? { $($rows:tt)* })*) => {
        const _: () = {
            use $module as module;

            use $crate::direct::reader::Reader;
            use $crate::direct::walk::Row;
            use $crate::direct::{Charge, Message};

            $(#[allow(unused_assignments, unused_mut, unused_variables, reason = "many messages need no bits")]
            impl Message for module::$name {
                const ROWS: &'static [Row] = form_rows!(module::$name; $($rows)*);

                #[inline]
                fn absent() -> Self {
                    absent!($(($($blank)*))?)
                }

                fn fields<C: Charge>(
                    &mut self,
                    reader: &mut Reader<'_, C>,
                    after: u32,
                ) -> Option<()> {
                    let message = self;
                    // A bit for each field that was found, of those that JSON always has.
                    let mut found = 1_u64 << after;
                    fields!(message reader found after; $($rows)*);
                    fills!(message reader found; $($rows)*);
                    Some(())
                }
            })*
        };
    };
}

/// The value of a struct before it is read.
macro_rules! absent {
    () => { Self::default() };
    (({})) => { Self(serde_json::Value::Object(serde_json::Map::new())) };
    (($($field:ident)*)) => {
        Self { $($field: $crate::direct::field::Field::absent()),* }
    };
}

/// Reads the fields of a message up to its end.
macro_rules! fields {
    ($message:ident $reader:ident $found:ident $after:expr; $($number:literal $mode:ident $row:tt)*) => {
        let mut last: u32 = $after;
        loop {
            let number = $reader.head()?;
            if number <= last {
                if number == 0 {
                    break;
                }
                return None;
            }
            last = number;
            match number {
                $($number => { row!($message $reader $found; $number $mode $row); })*
                _ => $reader.pass_run()?,
            }
        }
    };
}

/// Reads the content of a field.
macro_rules! row {
    ($message:ident $reader:ident $found:ident; $number:literal given ($field:ident)) => {
        $crate::direct::field::Field::read(&mut $message.$field, $reader)?;
    };
    ($message:ident $reader:ident $found:ident; $number:literal many ($field:ident)) => {
        $crate::direct::field::Field::read(&mut $message.$field, $reader)?;
    };
    ($message:ident $reader:ident $found:ident; $number:literal omit ($field:ident)) => {
        $reader.omit(&mut $message.$field)?;
    };
    ($message:ident $reader:ident $found:ident; $number:literal always ($field:ident)) => {
        $found |= 1 << $number;
        $crate::direct::field::Field::read(&mut $message.$field, $reader)?;
    };
    ($message:ident $reader:ident $found:ident; $number:literal managed ($field:ident)) => {
        $reader.managed(&mut $message.$field)?;
    };
    ($message:ident $reader:ident $found:ident; $number:literal inline { $($rows:tt)* }) => {
        let rest = $reader.enter()?;
        fields!($message $reader $found 0; $($rows)*);
        $reader.leave(rest);
    };
    ($message:ident $reader:ident $found:ident; $number:literal unknown (many)) => {
        $reader.pass_run()?;
    };
    ($message:ident $reader:ident $found:ident; $number:literal unknown ($mode:ident)) => {
        $reader.pass()?;
    };
    (
        $message:ident $reader:ident $found:ident; $number:literal
        since_1_34 ($mode:ident $field:ident)
    ) => {
        k8s_openapi::k8s_if_ge_1_34! { row!($message $reader $found; $number $mode ($field)); }
        k8s_openapi::k8s_if_le_1_33! { row!($message $reader $found; $number unknown ($mode)); }
    };
    (
        $message:ident $reader:ident $found:ident; $number:literal
        since_1_35 ($mode:ident $field:ident)
    ) => {
        k8s_openapi::k8s_if_ge_1_35! { row!($message $reader $found; $number $mode ($field)); }
        k8s_openapi::k8s_if_le_1_34! { row!($message $reader $found; $number unknown ($mode)); }
    };
    (
        $message:ident $reader:ident $found:ident; $number:literal
        since_1_36 ($mode:ident $field:ident)
    ) => {
        k8s_openapi::k8s_if_ge_1_36! { row!($message $reader $found; $number $mode ($field)); }
        k8s_openapi::k8s_if_le_1_35! { row!($message $reader $found; $number unknown ($mode)); }
    };
    (
        $message:ident $reader:ident $found:ident; $number:literal
        since_1_37 ($mode:ident $field:ident)
    ) => {
        k8s_openapi::k8s_if_ge_1_37! { row!($message $reader $found; $number $mode ($field)); }
        k8s_openapi::k8s_if_le_1_36! { row!($message $reader $found; $number unknown ($mode)); }
    };
    (
        $message:ident $reader:ident $found:ident; $number:literal
        only_1_35 ($mode:ident $field:ident)
    ) => {
        k8s_openapi::k8s_if_1_35! { row!($message $reader $found; $number $mode ($field)); }
        k8s_openapi::k8s_if_le_1_34! { row!($message $reader $found; $number unknown ($mode)); }
        k8s_openapi::k8s_if_ge_1_36! { row!($message $reader $found; $number unknown ($mode)); }
    };
    (
        $message:ident $reader:ident $found:ident; $number:literal
        only_1_36 ($mode:ident $field:ident)
    ) => {
        k8s_openapi::k8s_if_1_36! { row!($message $reader $found; $number $mode ($field)); }
        k8s_openapi::k8s_if_le_1_35! { row!($message $reader $found; $number unknown ($mode)); }
        k8s_openapi::k8s_if_ge_1_37! { row!($message $reader $found; $number unknown ($mode)); }
    };
}

/// Adds the fields that JSON always has and the wire left out.
macro_rules! fills {
    ($message:ident $reader:ident $found:ident; $($number:literal $mode:ident $row:tt)*) => {
        $(fill!($message $reader $found; $number $mode $row);)*
    };
}

macro_rules! fill {
    ($message:ident $reader:ident $found:ident; $number:literal always ($field:ident)) => {
        if $found & 1 << $number == 0 {
            $crate::direct::field::Field::fill(&mut $message.$field, $reader)?;
        }
    };
    ($message:ident $reader:ident $found:ident; $number:literal inline { $($rows:tt)* }) => {
        fills!($message $reader $found; $($rows)*);
    };
    ($message:ident $reader:ident $found:ident; $number:literal $mode:ident $row:tt) => {};
}

/// Makes the rules of a message for the walk.
macro_rules! form_rows {
    ($name:ty; $($number:literal $mode:ident $row:tt)*) => {
        &[$(form_row!($name; $number $mode $row)),*]
    };
}

macro_rules! form_row {
    ($name:ty; $number:literal given ($field:ident)) => { form!($name; $number Given $field) };
    ($name:ty; $number:literal many ($field:ident)) => { form!($name; $number Given $field) };
    ($name:ty; $number:literal omit ($field:ident)) => { form!($name; $number Omit $field) };
    ($name:ty; $number:literal always ($field:ident)) => { form!($name; $number Always $field) };
    ($name:ty; $number:literal managed ($field:ident)) => { form!($name; $number Managed $field) };
    ($name:ty; $number:literal inline { $($rows:tt)* }) => {{
        const ROWS: &[Row] = form_rows!($name; $($rows)*);
        let form = $crate::direct::walk::Form::Message { rows: ROWS };
        Row::new($number, $crate::direct::walk::Mode::Inline, form)
    }};
    ($name:ty; $number:literal unknown (many)) => {
        Row::unknown($number, $crate::direct::walk::Mode::UnknownMany)
    };
    ($name:ty; $number:literal unknown ($mode:ident)) => {
        Row::unknown($number, $crate::direct::walk::Mode::Unknown)
    };
    ($name:ty; $number:literal since_1_34 ($mode:ident $field:ident)) => {{
        let row;
        k8s_openapi::k8s_if_ge_1_34! { row = form_row!($name; $number $mode ($field)); }
        k8s_openapi::k8s_if_le_1_33! { row = form_row!($name; $number unknown ($mode)); }
        row
    }};
    ($name:ty; $number:literal since_1_35 ($mode:ident $field:ident)) => {{
        let row;
        k8s_openapi::k8s_if_ge_1_35! { row = form_row!($name; $number $mode ($field)); }
        k8s_openapi::k8s_if_le_1_34! { row = form_row!($name; $number unknown ($mode)); }
        row
    }};
    ($name:ty; $number:literal since_1_36 ($mode:ident $field:ident)) => {{
        let row;
        k8s_openapi::k8s_if_ge_1_36! { row = form_row!($name; $number $mode ($field)); }
        k8s_openapi::k8s_if_le_1_35! { row = form_row!($name; $number unknown ($mode)); }
        row
    }};
    ($name:ty; $number:literal since_1_37 ($mode:ident $field:ident)) => {{
        let row;
        k8s_openapi::k8s_if_ge_1_37! { row = form_row!($name; $number $mode ($field)); }
        k8s_openapi::k8s_if_le_1_36! { row = form_row!($name; $number unknown ($mode)); }
        row
    }};
    ($name:ty; $number:literal only_1_35 ($mode:ident $field:ident)) => {{
        let row;
        k8s_openapi::k8s_if_1_35! { row = form_row!($name; $number $mode ($field)); }
        k8s_openapi::k8s_if_le_1_34! { row = form_row!($name; $number unknown ($mode)); }
        k8s_openapi::k8s_if_ge_1_36! { row = form_row!($name; $number unknown ($mode)); }
        row
    }};
    ($name:ty; $number:literal only_1_36 ($mode:ident $field:ident)) => {{
        let row;
        k8s_openapi::k8s_if_1_36! { row = form_row!($name; $number $mode ($field)); }
        k8s_openapi::k8s_if_le_1_35! { row = form_row!($name; $number unknown ($mode)); }
        k8s_openapi::k8s_if_ge_1_37! { row = form_row!($name; $number unknown ($mode)); }
        row
    }};
}

/// Makes the rule of a field, whose type the compiler knows.
macro_rules! form {
    ($name:ty; $number:literal $mode:ident $field:ident) => {
        $crate::direct::walk::row_of::<$name, _>(
            $number,
            $crate::direct::walk::Mode::$mode,
            |message| &message.$field,
        )
    };
}

#[rustfmt::skip]
mod core_a_to_g;
#[rustfmt::skip]
mod core_h_to_o;
#[rustfmt::skip]
mod core_p_to_z;
#[rustfmt::skip]
mod meta;
#[rustfmt::skip]
mod other;
