//! A world of its own for each test: a home, a user's folder, a working folder; and the program to run in it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// A machine with nothing on it but what a test lays there.
pub struct Machine {
    folder: tempfile::TempDir,
}

/// What a run printed, and how it ended. Paths of the machine are replaced by `[MACHINE]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Machine {
    pub fn new() -> Machine {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("user")).unwrap();
        fs::create_dir_all(folder.path().join("work")).unwrap();
        Machine { folder }
    }

    /// An absolute path on this machine.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    /// Lays a file; missing folders are made.
    pub fn write(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Lays programs on the `PATH`, which is empty otherwise: what a skill needs is there or not by the test's choice.
    pub fn programs(&self, names: &[&str]) {
        use std::os::unix::fs::PermissionsExt as _;
        for name in names {
            let path = self.write(&format!("bin/{name}"), "#!/bin/sh\n");
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    /// Lays a skill with a header of name and description below `skills/`.
    pub fn skill(&self, folder: &str, description: &str) -> PathBuf {
        let name = folder.rsplit('/').next().unwrap();
        self.write(
            &format!("skills/{folder}/SKILL.md"),
            format!("---\nname: {name}\ndescription: {description}\n---\n# {name}\n\nDo it.\n"),
        )
    }

    /// The program, in this machine's working folder, with nothing of the real environment but what it needs.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillkeep"));
        command
            .args(arguments)
            .current_dir(self.path("work"))
            .env_clear()
            .env("HOME", self.path("user"))
            .env("PATH", self.path("bin"))
            .env("SKILLKEEP_HOME", self.path("home"))
            .env("SKILLKEEP_CACHE", shared_cache())
            .env("NO_COLOR", "1");
        command
    }

    /// Runs the program.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.finish(self.command(arguments).output().unwrap())
    }

    /// Runs the program and expects it to end well.
    pub fn ok(&self, arguments: &[&str]) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:#?}");
        ran
    }

    /// Runs the program with `--json` and reads what it printed.
    pub fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let mut all = vec!["--json"];
        all.extend(arguments);
        serde_json::from_str(&self.ok(&all).stdout).unwrap()
    }

    pub fn finish(&self, output: Output) -> Ran {
        let clean = |bytes: Vec<u8>| {
            String::from_utf8(bytes)
                .unwrap()
                .replace(self.folder.path().to_str().unwrap(), "[MACHINE]")
        };
        Ran {
            status: output.status.code().unwrap_or(-1),
            stdout: clean(output.stdout),
            stderr: clean(output.stderr),
        }
    }
}

/// One folder of caches for all tests: components are compiled once, and that processes share it is part of the test.
pub fn shared_cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
}
