//! Names that a misspelt name may stand for.

/// Names offered at most.
const MOST: usize = 3;
/// Names listed at most where none is near.
const LISTED: usize = 8;
/// Longer names are not compared: no slip of the hand there, and the table grows with the square.
const LONGEST: usize = 256;

/// The candidates nearest to `name` by edit distance, nearest first; none where all are far off.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted: Vec<char> = folded(name);
    if wanted.len() > LONGEST {
        return Vec::new();
    }
    // A third of the letters may be wrong; more than that is another name.
    let allowed = (wanted.len() / 3).max(1);
    let mut found: Vec<(usize, &str)> = Vec::new();
    for candidate in candidates {
        // Bytes bound characters: this spares most names of a large table.
        if candidate.len() > 4 * (wanted.len() + allowed) {
            continue;
        }
        let other = folded(candidate);
        if other.len().abs_diff(wanted.len()) > allowed {
            continue;
        }
        let distance = distance(&wanted, &other);
        // One letter is at distance 1 from every other letter: that says nothing.
        if distance <= allowed && distance < wanted.len().max(other.len()) {
            found.push((distance, candidate));
        }
    }
    found.sort_by_key(|&(distance, _)| distance);
    found.truncate(MOST);
    found.into_iter().map(|(_, name)| name).collect()
}

/// A help sentence for an unknown name: the nearest names, or else what there is. `plural` says what is listed.
pub fn help<'a>(name: &str, plural: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> String {
    let near = nearest(name, candidates.clone());
    if !near.is_empty() {
        let near: Vec<String> = near.iter().map(|n| format!("`{n}`")).collect();
        return format!("did you mean {}?", near.join(" or "));
    }
    let mut shown: Vec<String> = candidates.clone().take(LISTED).map(|n| format!("`{n}`")).collect();
    if shown.is_empty() {
        return format!("there are no {plural}");
    }
    if candidates.count() > LISTED {
        shown.push("…".into());
    }
    format!("the {plural} are {}", shown.join(", "))
}

/// Case is a common slip, so it costs nothing.
fn folded(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// Insertions, deletions, replacements and swaps of neighbours that make one name of the other.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_hand_are_recognised() {
        let names = ["phil1", "phil2", "fork1", "table"];
        assert_eq!(nearest("phl1", names), ["phil1"]);
        assert_eq!(nearest("PHIL1", names), ["phil1", "phil2"]);
        assert_eq!(nearest("tabel", names), ["table"]);
        assert!(nearest("waiter", names).is_empty());
        assert!(nearest("a", ["b", "c"]).is_empty());
        assert!(nearest("", names).is_empty());
        assert!(nearest(&"x".repeat(1 << 20), names).is_empty());
    }

    #[test]
    fn without_a_near_name_what_there_is_is_listed() {
        assert_eq!(help("waiter", "components", ["x", "y"].into_iter()), "the components are `x`, `y`");
        assert_eq!(help("waiter", "components", [].into_iter()), "there are no components");
        let many: Vec<String> = (0..20).map(|n| format!("m{n}")).collect();
        assert!(help("waiter", "components", many.iter().map(|n| &**n)).ends_with("`m7`, …"));
        assert_eq!(help("fork", "components", ["fork1", "fork2"].into_iter()), "did you mean `fork1` or `fork2`?");
    }
}
