//! A program that shows something made as small as it can be by leaving out lines.

/// What opens and closes a block.
const PAIRS: [(&str, &str); 3] = [("{", "}"), ("if", "fi"), ("do", "od")];

/// The smallest text found that still shows it. Ranges of lines are left out as long as that works, and blocks are replaced by
/// what they hold.
#[allow(dead_code)] // only where something went wrong
pub fn shrink(text: &str, shows: &mut dyn FnMut(&str) -> bool) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    loop {
        let before = lines.len();
        let mut length = lines.len() / 2;
        while length > 0 {
            let mut at = 0;
            while at + length <= lines.len() {
                let fewer: Vec<String> = [&lines[..at], &lines[at + length..]].concat();
                if balanced(&lines[at..at + length]) && shows(&fewer.join("\n")) {
                    lines = fewer;
                } else {
                    at += 1;
                }
            }
            length -= 1;
        }
        unwrap(&mut lines, shows);
        if lines.len() == before {
            return lines.join("\n") + "\n";
        }
    }
}

/// Leaves out the first and last line of blocks, and the heads of options.
fn unwrap(lines: &mut Vec<String>, shows: &mut dyn FnMut(&str) -> bool) {
    let mut first = 0;
    while first < lines.len() {
        let mut smaller = None;
        for last in first + 1..lines.len() {
            let mut inner: Vec<String> = lines.clone();
            inner.remove(last);
            inner.remove(first);
            let around = [lines[first].clone(), lines[last].clone()];
            if balanced(&around) && !balanced(&around[..1]) && shows(&inner.join("\n")) {
                smaller = Some(inner);
                break;
            }
        }
        match smaller {
            Some(inner) => *lines = inner,
            None => first += 1,
        }
    }
}

/// Whether as much is closed as is opened.
fn balanced(lines: &[String]) -> bool {
    PAIRS.iter().all(|(open, close)| {
        let words = |of: &str| -> usize { lines.iter().map(|line| count(line, of)).sum() };
        words(open) == words(close)
    })
}

fn count(line: &str, word: &str) -> usize {
    if word.len() == 1 {
        return line.matches(word).count();
    }
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|part| *part == word).count()
}
