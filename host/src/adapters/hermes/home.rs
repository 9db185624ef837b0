//! All that the files of a Hermes home say together. A file that is broken takes only itself away.

use serde_json::{Value, json};

use super::{curator, jobs, lists, read_hermes_settings, records};
use crate::{
    adapters::{
        said::{Left, Program, Said},
        text::ForeignError,
    },
    ledger::Digest,
};

/// The files of a home that are read, by their bytes; nothing where there is no such file.
#[derive(Clone, Debug, Default)]
pub struct HermesFiles {
    /// `skills/.usage.json`.
    pub usage: Option<Vec<u8>>,
    /// `skills/.curator_state`.
    pub curator: Option<Vec<u8>>,
    /// `skills/.curator_suppressed`.
    pub suppressed: Option<Vec<u8>>,
    /// `skills/.bundled_manifest`.
    pub bundled: Option<Vec<u8>>,
    /// `skills/.hub/lock.json`.
    pub installed: Option<Vec<u8>>,
    /// `config.yaml`.
    pub config: Option<Vec<u8>>,
    /// `cron/jobs.json`.
    pub jobs: Option<Vec<u8>>,
}

impl HermesFiles {
    /// Each file's path below the home, with the place for its bytes.
    pub fn each(&mut self) -> [(&'static str, &mut Option<Vec<u8>>); 7] {
        [
            (records::FILE, &mut self.usage),
            (curator::STATE, &mut self.curator),
            (lists::SUPPRESSED, &mut self.suppressed),
            (lists::BUNDLED, &mut self.bundled),
            (lists::INSTALLED, &mut self.installed),
            (curator::CONFIG, &mut self.config),
            (jobs::FILE, &mut self.jobs),
        ]
    }
}

/// Reads a home. `place` is its path; `lost` are files that are there and could not be read at all.
#[must_use]
pub fn read_hermes_home(files: &HermesFiles, place: &str, lost: Vec<Left>) -> Said {
    let jobs_are_lost = lost.iter().any(|it| it.file == jobs::FILE);
    let mut left = lost;
    let mut said = Said {
        program: Program::Hermes,
        place: place.to_owned(),
        digest: Digest::of(files.usage.as_deref().unwrap_or_default()),
        records: Vec::new(),
        records_file: records::FILE,
        claims: Vec::new(),
        jobs: None,
        kept: serde_json::Map::new(),
        left: Vec::new(),
    };
    let mut part = |file: &str, bytes: Option<&Vec<u8>>, read: &mut Reader<'_>| {
        let Some(bytes) = bytes else { return false };
        match read(bytes, &mut left) {
            Ok(()) => true,
            Err(error) => {
                left.push(Left::new(file, "", error.to_string()));
                false
            }
        }
    };
    part(records::FILE, files.usage.as_ref(), &mut |bytes, left| {
        said.records = records::read(bytes, left)?;
        Ok(())
    });
    part(lists::BUNDLED, files.bundled.as_ref(), &mut |bytes, left| {
        said.claims.extend(lists::bundled(bytes, left)?);
        Ok(())
    });
    part(lists::INSTALLED, files.installed.as_ref(), &mut |bytes, left| {
        said.claims.extend(lists::installed(bytes, left)?);
        Ok(())
    });
    let mut found = Vec::new();
    let read = part(jobs::FILE, files.jobs.as_ref(), &mut |bytes, left| {
        found = jobs::read(bytes, left)?;
        Ok(())
    });
    // No file means no jobs; a file that tells nothing leaves what was known of them.
    said.jobs = (read || (files.jobs.is_none() && !jobs_are_lost)).then_some(found);
    let kept = &mut said.kept;
    part(curator::STATE, files.curator.as_ref(), &mut |bytes, left| {
        kept.insert("curator".to_owned(), Value::Object(curator::state(bytes, left)?));
        Ok(())
    });
    part(lists::SUPPRESSED, files.suppressed.as_ref(), &mut |bytes, _| {
        kept.insert("suppressed".to_owned(), json!(lists::suppressed(bytes)?));
        Ok(())
    });
    part(curator::CONFIG, files.config.as_ref(), &mut |bytes, left| {
        let settings = read_hermes_settings(bytes)?;
        left.extend(settings.odd.iter().map(|odd| Left::new(curator::CONFIG, "", odd)));
        kept.insert("disabled".to_owned(), json!(settings.disabled));
        kept.insert("disabled-on".to_owned(), json!(settings.disabled_on));
        kept.insert("settings".to_owned(), Value::Object(curator::settings(bytes, left)?));
        Ok(())
    });
    said.left = left;
    said
}

/// Takes what a file says, or tells why it says nothing.
type Reader<'a> = dyn FnMut(&[u8], &mut Vec<Left>) -> Result<(), ForeignError> + 'a;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use serde_json::{Value, json};

    use super::{HermesFiles, read_hermes_home};
    use crate::adapters::said::Left;

    fn files() -> HermesFiles {
        let bytes = |text: &str| Some(text.as_bytes().to_vec());
        HermesFiles {
            usage: bytes(r#"{"a": {"use_count": 1}}"#),
            curator: bytes(r#"{"paused": true}"#),
            suppressed: bytes("pdf\n"),
            bundled: bytes("pdf\n"),
            installed: bytes(r#"{"version": 1, "installed": {"b": {}}}"#),
            config: bytes("skills: {disabled: [c]}\ncurator: {interval_hours: 24}\n"),
            jobs: bytes(r#"{"jobs": [{"id": "1", "skill": "a"}]}"#),
        }
    }

    #[test]
    fn a_broken_file_takes_only_itself_away() {
        let whole = read_hermes_home(&files(), "/h", Vec::new());
        assert_eq!(whole.left, []);
        assert_eq!(
            Value::Object(whole.kept.clone()),
            json!({
                "curator": {"paused": true}, "suppressed": ["pdf"], "disabled": ["c"],
                "disabled-on": {}, "settings": {"interval_hours": 24},
            })
        );
        let sizes = |files: &HermesFiles| {
            let said = read_hermes_home(files, "/h", Vec::new());
            (said.records.len(), said.claims.len(), said.jobs.map(|it| it.len()), said.kept.len())
        };
        assert_eq!(sizes(&files()), (1, 2, Some(1), 5));
        for (number, expected) in [
            (0, (0, 2, Some(1), 5)),
            (1, (1, 2, Some(1), 4)),
            (2, (1, 2, Some(1), 4)),
            (3, (1, 1, Some(1), 5)),
            (4, (1, 1, Some(1), 5)),
            (5, (1, 2, Some(1), 2)),
            (6, (1, 2, None, 5)),
        ] {
            let mut broken = files();
            let (path, bytes) = broken.each().into_iter().nth(number).unwrap();
            *bytes = Some(b"[\xff".to_vec());
            assert_eq!(sizes(&broken), expected, "{path}");
            let said = read_hermes_home(&broken, "/h", Vec::new());
            let told: Vec<_> = said.left.iter().map(|it| it.file.as_str()).collect();
            assert_eq!(told, [path]);
            *broken.each().into_iter().nth(number).unwrap().1 = None;
            assert_eq!(read_hermes_home(&broken, "/h", Vec::new()).left, [], "{path}");
        }
    }

    #[test]
    fn jobs_that_could_not_be_read_are_not_no_jobs() {
        let mut none = files();
        none.jobs = None;
        assert_eq!(read_hermes_home(&none, "/h", Vec::new()).jobs, Some(Vec::new()));
        let lost = vec![Left::new("cron/jobs.json", "", "permission denied")];
        assert_eq!(read_hermes_home(&none, "/h", lost).jobs, None);
    }
}
