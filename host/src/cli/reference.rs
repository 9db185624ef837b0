//! The reference of all commands and options, as one Markdown text. It is committed, and a test keeps it current.

/// The reference.
#[must_use]
pub fn reference() -> String {
    let mut root = super::command().term_width(100);
    root.build();
    let mut text = "# The command line\n\nWhat each command's `--help` prints.\n".to_owned();
    write(&root, "skillkeep", &mut text);
    text
}

fn write(command: &clap::Command, name: &str, text: &mut String) {
    let help = command.clone().term_width(100).render_long_help().to_string();
    text.push_str(&format!("\n## {name}\n\n```text\n{}\n```\n", help.trim_end()));
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        write(sub, &format!("{name} {}", sub.get_name()), text);
    }
}
