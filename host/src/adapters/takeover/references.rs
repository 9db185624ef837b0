//! A skill as a job spells it: a name, a path with or without its file, absolute or not, from a time when it lay elsewhere.

/// What a spelling may mean, the likeliest first. `tops` are the folders of skills, in every form that they may be written in.
///
/// Whoever asks takes the first that means anything: a job protects what it names, so the last resort is generous.
pub(super) fn forms(spelling: &str, tops: &[String]) -> Vec<String> {
    let mut forms = vec![spelling.to_owned()];
    let mut add = |form: &str| {
        let form = form.trim().trim_matches('/');
        if !form.is_empty() && !forms.iter().any(|known| known == form) {
            forms.push(form.to_owned());
        }
    };
    let path = spelling.trim().replace('\\', "/");
    let folder = match path.rsplit_once('/') {
        Some((folder, file)) if file.eq_ignore_ascii_case("SKILL.md") => folder,
        _ => path.trim_end_matches('/'),
    };
    for top in tops {
        if let Some(below) = folder.strip_prefix(top.trim_end_matches('/'))
            && below.starts_with('/')
        {
            add(below);
        }
    }
    let relative = folder.strip_prefix("./").unwrap_or(folder);
    add(relative);
    if let Some(below) = relative.strip_prefix("skills/") {
        add(below);
    }
    if let Some(last) = folder.rsplit('/').next() {
        let stem = last.strip_suffix(".md").unwrap_or(last);
        add(stem);
        if let Some((_, bare)) = stem.rsplit_once(':') {
            add(bare);
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::forms;

    #[test]
    fn a_spelling_is_read_as_a_name_and_as_every_path_to_it() {
        let tops = ["/h/.hermes/skills", "~/.hermes/skills/"].map(str::to_owned);
        for (spelling, expected) in [
            ("deploy", &["deploy"][..]),
            ("ops/deploy", &["ops/deploy", "deploy"]),
            (
                "/h/.hermes/skills/ops/deploy",
                &[
                    "/h/.hermes/skills/ops/deploy",
                    "ops/deploy",
                    "h/.hermes/skills/ops/deploy",
                    "deploy",
                ],
            ),
            (
                "~/.hermes/skills/ops/deploy/SKILL.md",
                &[
                    "~/.hermes/skills/ops/deploy/SKILL.md",
                    "ops/deploy",
                    "~/.hermes/skills/ops/deploy",
                    "deploy",
                ],
            ),
            ("./skills/deploy/", &["./skills/deploy/", "skills/deploy", "deploy"]),
            (
                "skills\\ops\\deploy",
                &["skills\\ops\\deploy", "skills/ops/deploy", "ops/deploy", "deploy"],
            ),
            ("plugin:deploy", &["plugin:deploy", "deploy"]),
            ("notes.md", &["notes.md", "notes"]),
            ("/", &["/"]),
        ] {
            assert_eq!(forms(spelling, &tops), expected, "{spelling}");
        }
    }
}
