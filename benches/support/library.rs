//! A library made up for measurements: so many skills of some 2 kB in twenty categories, the same bytes for the same
//! number on every machine. No measurement belongs here.

use std::{fs, io, path::Path};

const CATEGORIES: [&str; 20] = [
    "accounting",
    "backups",
    "calendar",
    "cooking",
    "databases",
    "design",
    "devices",
    "editing",
    "forms",
    "games",
    "geography",
    "infrastructure",
    "languages",
    "mail",
    "music",
    "photos",
    "publishing",
    "science",
    "testing",
    "travel",
];
const VERBS: [&str; 10] = [
    "Check",
    "Compare",
    "Convert",
    "Describe",
    "Export",
    "Merge",
    "Plan",
    "Repair",
    "Sort",
    "Summarise",
];
/// What the skills are about.
pub const THINGS: [&str; 12] = [
    "invoices",
    "recordings",
    "drawings",
    "tables",
    "addresses",
    "schedules",
    "receipts",
    "maps",
    "reports",
    "letters",
    "measurements",
    "playlists",
];
/// What their texts are made of.
pub const WORDS: [&str; 24] = [
    "look", "at", "each", "file", "before", "the", "next", "step", "and", "write", "down", "what",
    "was", "found", "so", "that", "a", "later", "run", "can", "begin", "there", "without",
    "asking",
];
/// Bytes that a file is filled up to.
const BYTES: usize = 2_000;

/// Makes the library below `home/skills`, with how it was used in `home/usage.json`.
pub fn generate(home: &Path, skills: usize) -> io::Result<()> {
    let root = home.join("skills");
    for category in CATEGORIES {
        let folder = root.join(category);
        fs::create_dir_all(&folder)?;
        fs::write(
            folder.join("DESCRIPTION.md"),
            format!("---\ndescription: What has to do with {category}.\n---\n"),
        )?;
    }
    let mut dice = Dice(7);
    let mut records = Vec::new();
    for number in 0..skills {
        let name = format!("skill-{number:06}");
        let folder = root.join(CATEGORIES[number % CATEGORIES.len()]).join(&name);
        fs::create_dir(&folder)?;
        fs::write(folder.join("SKILL.md"), skill(&name, &mut dice))?;
        if number % 10 == 0 {
            fs::create_dir(folder.join("references"))?;
            fs::write(folder.join("references/notes.md"), sentence(&mut dice, 200))?;
        }
        if number % 3 == 0 {
            let (uses, day) = (dice.below(60), 1 + dice.below(28));
            records.push(format!(
                r#""{name}":{{"use_count":{uses},"last_used_at":"2026-03-{day:02}T08:00:00+00:00"}}"#
            ));
        }
    }
    fs::write(home.join("usage.json"), format!("{{{}}}\n", records.join(",\n")))
}

fn skill(name: &str, dice: &mut Dice) -> String {
    let mut text =
        format!("---\nname: {name}\ndescription: {} {}", dice.of(&VERBS), dice.of(&THINGS));
    text.push_str(&format!(", {}.", sentence(dice, 8)));
    if dice.below(10) < 6 {
        text.push_str(&format!(
            " Use when {} have to be sorted out, {}.",
            dice.of(&THINGS),
            sentence(dice, 12)
        ));
    }
    text.push_str("\nversion: 1.0.0\n");
    match dice.below(20) {
        0 => text.push_str("platforms: [macos]\n"),
        1 | 2 => text.push_str("platforms: [linux, macos]\n"),
        _ => {}
    }
    text.push_str(&format!(
        "metadata:\n  hermes:\n    tags: [{}, {}]\n",
        dice.of(&THINGS),
        dice.of(&WORDS)
    ));
    text.push_str(&format!("---\n# {name}\n\n## Steps\n\n"));
    while text.len() < BYTES {
        text.push_str(&format!("- {}.\n", sentence(dice, 16)));
    }
    text
}

fn sentence(dice: &mut Dice, words: usize) -> String {
    (0..words).map(|_| dice.of(&WORDS)).collect::<Vec<_>>().join(" ")
}

/// Numbers without a pattern, always the same (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    /// A number below the limit.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap_or(0)
    }

    /// One of them.
    pub fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}
