//! The path to an offset in a message.

use super::schema::{INLINE, Kind, MessageId, Shape};
use super::wire::Cursor;
use crate::path::Path;

/// Goes to the field whose content has this offset, and into it.
#[cold]
pub(super) fn find(mut message: Cursor<'_>, id: MessageId, offset: usize, path: &mut Path<'_>) {
    let (mut last, mut index) = (0, 0);
    while let Ok(Some(raw)) = message.next() {
        index = if raw.number == last { index + 1 } else { 0 };
        last = raw.number;
        let within = raw.offset..message.offset().max(raw.offset + 1);
        let field = id.fields().iter().find(|field| u32::from(field.number) == raw.number);
        let Some(field) = field.filter(|_| within.contains(&offset)) else { continue };
        if !field.is(INLINE) {
            path.member(field.name());
        }
        let mut content = raw.message();
        match field.shape {
            Shape::One => {}
            Shape::Repeated => path.element(index),
            Shape::Map => {
                path.member("");
                let value = content.and_then(|entry| super::wire::last(entry, 2));
                content = value.and_then(|value| {
                    value.map_or(Ok(Cursor::new(b"", raw.offset)), |value| value.message())
                });
            }
        }
        if field.kind == Kind::Message
            && let Ok(content) = content
        {
            find(content, field.target(), offset, path);
        }
        return;
    }
}
