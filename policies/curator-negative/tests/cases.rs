//! The files of `cases/`, each case a test.

fn main() -> std::process::ExitCode {
    skillkeep_policy::testkit::cases::harness::curator::<curator_negative::Claims>("cases")
}
