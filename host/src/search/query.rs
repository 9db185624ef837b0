//! What is asked for. Parsing takes any text and never fails; what it comes to is put to SQLite as words in quotes alone, so that
//! no text is ever read as its query language.

use std::ops::Range;

use super::{Field, words::Words};

/// Unicode scalars of a query that are read.
pub const LONGEST_QUERY: usize = 2_048;

/// Words of a query that are read. SQLite nests what it is asked, and refuses what is nested too deep.
pub const MOST_WORDS: usize = 64;

/// Scalars that a word has at least to be widened to all words that begin with it.
const LEAST_BEGINNING: usize = 3;

/// A query. A skill is found that has every term of one of the alternatives, each in any of its texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    alternatives: Vec<Vec<Term>>,
    cut: bool,
}

/// Words that stand behind one another in one text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    words: Vec<String>,
    /// Whether the last one is only the beginning of a word.
    beginning: bool,
}

/// A place where something that was asked for stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    /// In which text.
    pub(super) field: Field,
    /// Which term it is.
    pub(super) term: usize,
    /// Where in the text, in bytes.
    pub(super) at: Range<usize>,
}

impl Query {
    /// Reads a query: all words are to be had; `OR` in capitals parts alternatives and `AND` changes nothing; `"a phrase"` and
    /// `glued-words` stand together; `word*` is the beginning of a word. All else is text, whatever it is.
    #[must_use]
    pub fn parse(text: &str) -> Query {
        let end = text.char_indices().nth(LONGEST_QUERY).map_or(text.len(), |(at, _)| at);
        let (read, rest) = text.split_at_checked(end).unwrap_or_default();
        let chunks = chunks(read);
        let mut query = Reader::new(!rest.is_empty());
        for chunk in &chunks {
            match chunk {
                Chunk::Plain("OR") => query.alternatives.push(Vec::new()),
                Chunk::Plain("AND") => {}
                other => query.take(other),
            }
        }
        if query.alternatives.iter().any(|terms| !terms.is_empty()) {
            return query.end();
        }
        // Nothing but operators: then they are what is looked for.
        let mut query = Reader::new(!rest.is_empty());
        chunks.iter().for_each(|chunk| query.take(chunk));
        query.end()
    }

    /// Whether it holds no word, so that nothing can be found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.alternatives.is_empty()
    }

    /// Whether it was longer than what is read: [`LONGEST_QUERY`] scalars and [`MOST_WORDS`] words.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Its words, in their order.
    #[must_use]
    pub fn words(&self) -> Vec<&str> {
        self.alternatives
            .iter()
            .flatten()
            .flat_map(|term| &term.words)
            .map(String::as_str)
            .collect()
    }

    /// The same with each word of three letters or more taken for the beginning of a word; none where that is nothing new.
    #[must_use]
    pub fn widened(&self) -> Option<Query> {
        let mut wider = self.clone();
        for term in wider.alternatives.iter_mut().flatten() {
            let last = term.words.last().map_or(0, |word| word.chars().count());
            term.beginning |= last >= LEAST_BEGINNING;
        }
        (wider != *self).then_some(wider)
    }

    /// The query in the language of FTS5, for all columns or for one. It holds no character of a query but those of its words,
    /// each in quotes.
    pub(super) fn expression(&self, field: Option<Field>) -> String {
        let term = |term: &Term| {
            let star = if term.beginning { " *" } else { "" };
            format!("\"{}\"{star}", term.words.join(" "))
        };
        let all = |terms: &Vec<Term>| {
            let terms: Vec<String> = terms.iter().map(term).collect();
            format!("({})", terms.join(" AND "))
        };
        let any: Vec<String> = self.alternatives.iter().map(all).collect();
        let any = any.join(" OR ");
        field.map_or_else(|| any.clone(), |field| format!("{{{}}} : ({any})", field.word()))
    }

    /// Where the query stands in these texts; none where they don't have what it asks for. It says the same as the index does.
    pub(super) fn spots(&self, texts: &[(Field, &Words)]) -> Option<Vec<Spot>> {
        let mut all = Vec::new();
        let (mut found, mut number) = (false, 0);
        for terms in &self.alternatives {
            let (mut spots, mut has_all) = (Vec::new(), true);
            for term in terms {
                let before = spots.len();
                for (field, words) in texts {
                    let spot = |at| Spot { field: *field, term: number, at };
                    spots.extend(term.places(words).map(spot));
                }
                has_all &= spots.len() > before;
                number += 1;
            }
            if has_all {
                found = true;
                all.append(&mut spots);
            }
        }
        found.then_some(all)
    }

    /// Whether it is a name and nothing else.
    pub(super) fn is_name(&self, name: &Words) -> bool {
        self.alternatives.iter().any(|terms| {
            let words: Vec<&str> =
                terms.iter().flat_map(|term| &term.words).map(String::as_str).collect();
            words.len() == name.len()
                && !terms.iter().any(|term| term.beginning)
                && words.iter().enumerate().all(|(number, word)| name.get(number) == Some(word))
        })
    }
}

impl Term {
    /// Where it stands in a text.
    fn places(&self, text: &Words) -> impl Iterator<Item = Range<usize>> {
        let last = self.words.len().saturating_sub(1);
        let fits = move |at: usize| {
            self.words.iter().enumerate().all(|(number, word)| {
                text.get(at + number).is_some_and(|found| {
                    if self.beginning && number == last {
                        found.starts_with(word.as_str())
                    } else {
                        found == word
                    }
                })
            })
        };
        let range = move |at: usize| Some(text.at(at)?.start..text.at(at + last)?.end);
        (0..text.len()).filter(move |at| fits(*at)).filter_map(range)
    }
}

/// A part of a query.
#[derive(Debug, PartialEq, Eq)]
enum Chunk<'q> {
    /// What stands between white space.
    Plain(&'q str),
    /// What stands between quotes.
    Quoted(&'q str),
}

/// The parts of a query. A quote that is never closed is text.
fn chunks(text: &str) -> Vec<Chunk<'_>> {
    let mut chunks = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let quoted = rest.strip_prefix('"').and_then(|inside| inside.split_once('"'));
        if let Some((inside, after)) = quoted {
            chunks.push(Chunk::Quoted(inside));
            rest = after.trim_start();
            continue;
        }
        let from = usize::from(rest.starts_with('"'));
        let ends = |c: char| c.is_whitespace() || c == '"';
        let end = rest.get(from..).and_then(|rest| rest.find(ends)).map(|end| end + from);
        let (chunk, after) = rest.split_at_checked(end.unwrap_or(rest.len())).unwrap_or((rest, ""));
        chunks.push(Chunk::Plain(chunk));
        rest = after.trim_start();
    }
    chunks
}

/// A query in the making.
struct Reader {
    alternatives: Vec<Vec<Term>>,
    left: usize,
    cut: bool,
}

impl Reader {
    fn new(cut: bool) -> Reader {
        Reader { alternatives: vec![Vec::new()], left: MOST_WORDS, cut }
    }

    fn take(&mut self, chunk: &Chunk<'_>) {
        let (text, starred) = match chunk {
            Chunk::Quoted(text) => (*text, false),
            Chunk::Plain(text) => (text.trim_end_matches('*'), text.ends_with('*')),
        };
        let found = Words::of(text);
        let mut words = found.to_list();
        // A star behind anything but a word is text.
        let last = found.len().checked_sub(1).and_then(|last| found.at(last));
        let mut beginning = starred && last.is_some_and(|at| at.end == text.len());
        if words.len() > self.left {
            words.truncate(self.left);
            self.cut = true;
            beginning = false;
        }
        self.left -= words.len();
        let term = Term { words, beginning };
        if let Some(terms) = self.alternatives.last_mut()
            && !term.words.is_empty()
            && !terms.contains(&term)
        {
            terms.push(term);
        }
    }

    fn end(mut self) -> Query {
        self.alternatives.retain(|terms| !terms.is_empty());
        Query { alternatives: self.alternatives, cut: self.cut }
    }
}

#[cfg(test)]
mod tests {
    use super::{Field, LONGEST_QUERY, MOST_WORDS, Query};
    use crate::search::words::Words;

    #[test]
    fn what_a_query_means() {
        for (text, means) in [
            ("docker build", r#"("docker" AND "build")"#),
            ("Docker  DOCKER docker", r#"("docker")"#),
            ("wrong-book OR mistakes", r#"("wrong book") OR ("mistakes")"#),
            ("a b OR c", r#"("a" AND "b") OR ("c")"#),
            ("a AND b", r#"("a" AND "b")"#),
            ("a or b and not c", r#"("a" AND "or" AND "b" AND "and" AND "not" AND "c")"#),
            ("a NOT b", r#"("a" AND "not" AND "b")"#),
            ("OR a OR OR b OR", r#"("a") OR ("b")"#),
            ("a AND", r#"("a")"#),
            ("OR", r#"("or")"#),
            ("AND OR", r#"("and" AND "or")"#),
            ("\"OR\" a", r#"("or" AND "a")"#),
            ("POL-358", r#"("pol 358")"#),
            ("-x", r#"("x")"#),
            ("a--b", r#"("a b")"#),
            ("\"a phrase\" more", r#"("a phrase" AND "more")"#),
            ("\"never closed words", r#"("never" AND "closed" AND "words")"#),
            ("it's 5\" wide", r#"("it s" AND "5" AND "wide")"#),
            ("glued\"to this\"one", r#"("glued" AND "to this" AND "one")"#),
            ("nimb*", r#"("nimb" *)"#),
            ("wrong-bo**", r#"("wrong bo" *)"#),
            ("*nimb a*b (c)* \"d\"*", r#"("nimb" AND "a b" AND "c" AND "d")"#),
            ("秃发", r#"("秃 发")"#),
            ("秃发*", r#"("秃 发" *)"#),
            ("广西 OR 桂林", r#"("广 西") OR ("桂 林")"#),
            ("PPT徐继观", r#"("ppt 徐 继 观")"#),
            ("name:foo path/to/file.md", r#"("name foo" AND "path to file md")"#),
            ("NEAR(a b, 3) ^a + b", r#"("near a" AND "b" AND "3" AND "a")"#),
            ("***", ""),
            ("", ""),
            (" \" \" ", ""),
            ("🔧 -- ()", ""),
        ] {
            let query = Query::parse(text);
            assert_eq!(query.expression(None), means, "{text}");
            assert_eq!(query.is_empty(), means.is_empty(), "{text}");
            assert!(!query.is_cut(), "{text}");
        }
        assert_eq!(
            Query::parse("a OR b").expression(Some(Field::Name)),
            r#"{name} : (("a") OR ("b"))"#
        );
    }

    #[test]
    fn of_a_huge_query_the_beginning_is_read() {
        let many = (0..9_999).map(|n| format!("w{n} ")).collect::<String>();
        let query = Query::parse(&many);
        assert_eq!((query.words().len(), query.is_cut()), (MOST_WORDS, true));
        let alternatives = vec!["a"; 9_999].join(" OR ");
        assert!(Query::parse(&alternatives).is_cut());
        let long = "书".repeat(LONGEST_QUERY + 1);
        let query = Query::parse(&long);
        assert_eq!((query.words().len(), query.is_cut()), (MOST_WORDS, true));
        let just = format!("{}x", " ".repeat(LONGEST_QUERY - 1));
        assert!(!Query::parse(&just).is_cut());
    }

    #[test]
    fn a_query_is_widened_to_the_beginnings_of_words_that_are_long_enough() {
        let widened = |text: &str| Query::parse(text).widened().map(|it| it.expression(None));
        assert_eq!(widened("docker of").as_deref(), Some(r#"("docker" * AND "of")"#));
        assert_eq!(widened("docker*"), None);
        assert_eq!(widened("秃发 ab"), None);
        assert_eq!(widened(""), None);
    }

    #[test]
    fn a_query_is_a_name_if_it_has_its_words_and_no_others() {
        let name = Words::of("docker-build");
        for (text, is) in [
            ("docker-build", true),
            ("Docker build", true),
            ("x OR docker build", true),
            ("docker", false),
            ("build docker", false),
            ("docker build x", false),
            ("docker buil*", false),
            ("", false),
        ] {
            assert_eq!(Query::parse(text).is_name(&name), is, "{text}");
        }
    }
}
