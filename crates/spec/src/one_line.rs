//! What a user wrote, as a message may quote it.

/// Most characters of it.
const MAX_QUOTED: usize = 80;

/// Makes text safe to show inside a one-line message.
pub(crate) fn one_line(text: &str) -> String {
    let mut shown: String = text
        .chars()
        .take(MAX_QUOTED)
        .flat_map(|c| {
            if c.is_control() {
                c.escape_default().collect::<Vec<_>>()
            } else {
                vec![c]
            }
        })
        .collect();
    if text.chars().nth(MAX_QUOTED).is_some() {
        shown.push('…');
    }
    shown
}
