//! Differences between texts, line by line.

/// The number of lines around a change that are shown.
const AROUND: usize = 3;
/// The largest number of pairs of lines that are compared.
const MOST_PAIRS: usize = 1 << 20;

/// A run of lines: equal ones in both texts, or other ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    equal: bool,
    old: (usize, usize),
    new: (usize, usize),
}

/// Returns the changes with the lines around them.
pub(super) fn unified(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let runs = runs(&old, &new);
    let mut text = String::new();
    let mut n = 0;
    while n < runs.len() {
        if runs[n].equal {
            n += 1;
            continue;
        }
        // Changes with few equal lines between them are one piece.
        let mut last = n;
        while last + 2 < runs.len() && runs[last + 1].old.1 - runs[last + 1].old.0 <= 2 * AROUND {
            last += 2;
        }
        let lead = AROUND.min(runs[n].old.0);
        let trail = AROUND.min(old.len() - runs[last].old.1);
        let range = |start: usize, end: usize| match end - start {
            1 => format!("{}", start + 1),
            0 => format!("{start},0"),
            length => format!("{},{length}", start + 1),
        };
        let old_range = range(runs[n].old.0 - lead, runs[last].old.1 + trail);
        let new_range = range(runs[n].new.0 - lead, runs[last].new.1 + trail);
        text.extend(["@@ -", &old_range, " +", &new_range, " @@\n"]);
        let mut write = |sign: char, lines: &[&str]| {
            for line in lines {
                text.push(sign);
                text.push_str(line);
                text.push('\n');
            }
        };
        write(' ', &old[runs[n].old.0 - lead..runs[n].old.0]);
        for run in &runs[n..=last] {
            if run.equal {
                write(' ', &old[run.old.0..run.old.1]);
            } else {
                write('-', &old[run.old.0..run.old.1]);
                write('+', &new[run.new.0..run.new.1]);
            }
        }
        write(' ', &old[runs[last].old.1..runs[last].old.1 + trail]);
        n = last + 1;
    }
    text
}

/// Returns the runs of both texts, equal and different ones in turn.
fn runs(old: &[&str], new: &[&str]) -> Vec<Run> {
    let shorter = old.len().min(new.len());
    let head = (0..shorter).take_while(|n| old[*n] == new[*n]).count();
    let tail = (0..shorter - head)
        .take_while(|n| old[old.len() - 1 - n] == new[new.len() - 1 - n])
        .count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut pairs: Vec<(usize, usize)> = (0..head).map(|n| (n, n)).collect();
    pairs.extend(common(a, b).into_iter().map(|(x, y)| (x + head, y + head)));
    pairs.extend((0..tail).map(|n| (old.len() - tail + n, new.len() - tail + n)));
    let mut runs: Vec<Run> = Vec::new();
    let (mut x, mut y) = (0, 0);
    for (p, q) in pairs.into_iter().chain([(old.len(), new.len())]) {
        if p > x || q > y {
            runs.push(Run { equal: false, old: (x, p), new: (y, q) });
        }
        if p < old.len() || q < new.len() {
            match runs.last_mut() {
                Some(run) if run.equal => (run.old.1, run.new.1) = (p + 1, q + 1),
                _ => runs.push(Run { equal: true, old: (p, p + 1), new: (q, q + 1) }),
            }
        }
        (x, y) = (p + 1, q + 1);
    }
    runs
}

/// Returns the positions of a longest sequence of lines that both texts have. Long texts have none.
fn common(a: &[&str], b: &[&str]) -> Vec<(usize, usize)> {
    if a.len().saturating_mul(b.len()) > MOST_PAIRS {
        return Vec::new();
    }
    let width = b.len() + 1;
    let mut lengths = vec![0_u32; (a.len() + 1) * width];
    for x in (0..a.len()).rev() {
        for y in (0..b.len()).rev() {
            lengths[x * width + y] = if a[x] == b[y] {
                lengths[(x + 1) * width + y + 1] + 1
            } else {
                lengths[(x + 1) * width + y].max(lengths[x * width + y + 1])
            };
        }
    }
    let (mut x, mut y, mut pairs) = (0, 0, Vec::new());
    while x < a.len() && y < b.len() {
        if a[x] == b[y] {
            pairs.push((x, y));
            (x, y) = (x + 1, y + 1);
        } else if lengths[(x + 1) * width + y] >= lengths[x * width + y + 1] {
            x += 1;
        } else {
            y += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn changes_have_three_lines_around() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let found = unified(before, &before.replace('e', "E\nx"));
        assert_eq!(found, "@@ -2,7 +2,8 @@\n b\n c\n d\n-e\n+E\n+x\n f\n g\n h\n");
        assert_eq!(unified(before, before), "");
        assert_eq!(unified("", "a"), "@@ -0,0 +1 @@\n+a\n");
    }

    #[test]
    fn near_changes_are_one_piece() {
        let lines: Vec<String> = (0..30).map(|n| n.to_string()).collect();
        let before = lines.join("\n");
        let near = before.replace("\n5\n", "\nx\n").replace("\n9\n", "\ny\n");
        assert_eq!(unified(&before, &near).matches("@@ -").count(), 1);
        let far = before.replace("\n5\n", "\nx\n").replace("\n25\n", "\ny\n");
        assert_eq!(unified(&before, &far).matches("@@ -").count(), 2);
    }
}
