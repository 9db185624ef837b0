//! The edges of the plan laws as cases: what a policy might propose, however wrong, and what the host makes of it.
//!
//! The files in `laws/` are cases like those of policies. Whatever answers them here is a stand-in whose proposals the case
//! itself tells: `proposes` a row (none, one or several), `because` the reason's code, `beyond` a row that isn't there.

use std::{collections::BTreeMap, fs};

use skillkeep::{
    decision::{
        Answer, Budgeted, CategoryPrice, Detail, Form, Prices, Proposal, Reason, SkillPrice,
    },
    laws::{Breach, Caps, Choices, approve_details, approve_forms},
    skill::OneLine,
};
use skillkeep_policy::{
    bindings::slots::{budget, demotion},
    facts::{Entry, RawReason, RawRefusal, RawTable, Value, Values},
    slots,
    testkit::cases::{Question, Reply, Slot, Subject, bless, parse},
};

use crate::policy_alone::repository;

/// A column's numbers or texts, one a row; nothing where a row has none.
fn numbers(table: &RawTable, key: &str) -> Vec<Option<i64>> {
    let mut all = vec![None; table.len as usize];
    for column in table.columns.iter().filter(|column| column.key == key) {
        let Values::Integers(values) = &column.values else { panic!("`{key}` holds no numbers") };
        let rows = column.rows.clone().unwrap_or_else(|| (0..table.len).collect());
        for (row, value) in rows.into_iter().zip(values) {
            all[row as usize] = Some(*value);
        }
    }
    all
}

fn texts(table: &RawTable, key: &str) -> Vec<String> {
    let mut all = vec![String::new(); table.len as usize];
    for column in table.columns.iter().filter(|column| column.key == key) {
        let Values::Texts(values) = &column.values else { panic!("`{key}` holds no texts") };
        let rows = column.rows.clone().unwrap_or_else(|| (0..table.len).collect());
        for (row, value) in rows.into_iter().zip(values) {
            all[row as usize] = value.clone();
        }
    }
    all
}

fn fact<'a>(facts: &'a [Entry], key: &str) -> Option<&'a str> {
    facts.iter().find(|fact| fact.key == key).map(|fact| match &fact.value {
        Value::Text(text) => text.as_str(),
        other => panic!("`{key}` is {other:?}"),
    })
}

/// The answer that a table tells: reason 0 is declared, 1 is not, and 9 is none that there is.
fn answer<T: Copy>(table: &RawTable, facts: &[Entry], word: impl Fn(&str) -> T) -> Answer<T> {
    let reasons = texts(table, "because");
    let rows = (0..table.len).zip(texts(table, "proposes")).zip(reasons);
    let mut proposals: Vec<Proposal<T>> = rows
        .flat_map(|((row, proposes), because)| {
            let why = match because.as_str() {
                "" => 0,
                "undeclared" => 1,
                "absent" => 9,
                other => panic!("because `{other}`"),
            };
            let words = proposes.split('+').map(str::trim).filter(|word| !word.is_empty());
            let of_row = |choice: &str| Proposal { row, choice: word(choice), why };
            words.map(of_row).collect::<Vec<_>>()
        })
        .collect();
    proposals.extend(fact(facts, "beyond").map(|it| Proposal {
        row: table.len,
        choice: word(it),
        why: 0,
    }));
    let reason = |code: &str| Reason { code: OneLine::new(code), args: vec![OneLine::new("7")] };
    Answer { proposals, reasons: vec![reason("worth"), reason("undeclared")] }
}

fn declared() -> BTreeMap<OneLine, OneLine> {
    [(OneLine::new("worth"), OneLine::new("it is worth {0}"))].into()
}

fn form(word: &str) -> Form {
    Form::ALL.into_iter().find(|form| form.word() == word).unwrap()
}

/// Reasons of the host, as the test kit takes them: each proposal has its own.
fn told(texts: Vec<String>) -> Vec<RawReason> {
    texts.into_iter().map(|text| RawReason { code: "told".to_owned(), args: vec![text] }).collect()
}

fn thrown_away(breach: &Breach) -> RawRefusal {
    let text = format!("law `{}`: {breach}", breach.law().word());
    RawRefusal::Other(RawReason { code: "told".to_owned(), args: vec![text] })
}

fn whys<T: Copy>(choices: &Choices<T>, word: impl Fn(T) -> &'static str) -> Vec<String> {
    let why = |row: usize| {
        let reason = choices.reason(row).map_or("nothing was proposed", |it| it.text.as_str());
        match choices.rows[row].proposed {
            Some(proposed) => format!("{reason}; {} was proposed", word(proposed)),
            None => reason.to_owned(),
        }
    };
    (0..choices.rows.len()).map(why).collect()
}

fn budget_laws(request: &budget::Request) -> Result<budget::Answer, RawRefusal> {
    let (skills, categories) = (&request.skills, &request.categories);
    let of = |table: &RawTable, key: &str| -> Vec<u32> {
        numbers(table, key).into_iter().map(|it| it.unwrap().try_into().unwrap()).collect()
    };
    let [full, short, name, category] =
        ["cost-full", "cost-short", "cost-name", "category"].map(|key| of(skills, key));
    let [header, names, count] =
        ["cost-header", "cost-names", "cost-count"].map(|key| of(categories, key));
    let prices = Prices {
        limit: u64::from(request.limit),
        fixed: u64::from(request.fixed),
        rest: 24,
        skills: (0..full.len())
            .map(|row| SkillPrice {
                category: category[row],
                full: full[row],
                short: short[row],
                name: name[row],
            })
            .collect(),
        categories: (0..header.len())
            .map(|row| CategoryPrice { header: header[row], names: names[row], count: count[row] })
            .collect(),
    };
    let caps: Vec<Form> = numbers(skills, "form-cap")
        .into_iter()
        .map(|cap| Form::from_number(u8::try_from(cap.unwrap_or(0)).unwrap()).unwrap())
        .collect();
    let answer = answer(skills, &request.context.facts, form);
    let budgeted = Budgeted { forms: answer, cut: None };
    let uncut = |_: u32, _: &[usize]| Vec::new();
    let (approved, _) =
        approve_forms(&budgeted, &declared(), &caps, &prices, &uncut, &OneLine::new("stand-in"))
            .map_err(|breach| thrown_away(&breach))?;
    let choices = approved.into_inner().choices;
    let proposals = (0_u32..).zip(&choices.rows).map(|(row, choice)| budget::Proposal {
        skill: row,
        form: match choice.choice {
            Form::Full => slots::Form::Full,
            Form::Short => slots::Form::Short,
            Form::Name => slots::Form::Name,
            Form::Counted => slots::Form::Counted,
        },
        why: row,
    });
    let (proposals, reasons) = (proposals.collect(), told(whys(&choices, Form::word)));
    Ok(budget::Answer { proposals, cut: None, reasons })
}

fn demotion_laws(request: &demotion::Request) -> Result<demotion::Answer, RawRefusal> {
    let categories = &request.categories;
    let details = [Detail::Full, Detail::Names, Detail::Count];
    let user = numbers(categories, "user-detail").into_iter();
    let caps = Caps {
        user: user.map(|code| code.map(|code| details[usize::try_from(code).unwrap()])).collect(),
        names_do_not_fit: fact(&request.context.facts, "names-fit") == Some("never"),
    };
    let word = |word: &str| Detail::from_word(word).unwrap();
    let answer = answer(categories, &request.context.facts, word);
    let (approved, _) = approve_details(&answer, &declared(), &caps, &OneLine::new("stand-in"))
        .map_err(|breach| thrown_away(&breach))?;
    let choices = approved.into_inner();
    let proposals = (0_u32..).zip(&choices.rows).map(|(row, choice)| demotion::Proposal {
        category: row,
        detail: match choice.choice {
            Detail::Full => slots::Detail::Full,
            Detail::Names => slots::Detail::Names,
            Detail::Count => slots::Detail::Count,
        },
        why: row,
    });
    Ok(demotion::Answer {
        proposals: proposals.collect(),
        reasons: told(whys(&choices, Detail::word)),
    })
}

fn ask(question: &Question) -> Reply {
    match question {
        Question::Budget(request) => Reply::Budget(budget_laws(request)),
        Question::Demotion(request) => Reply::Demotion(demotion_laws(request)),
        _ => Reply::Failed("there are no laws for it yet".to_owned()),
    }
}

#[test]
fn the_edges_of_the_plan_laws_are_what_their_cases_say() {
    let asks = "cost-full cost-short cost-name category form-cap cost-header cost-names cost-count \
                user-detail proposes because beyond names-fit";
    let subject = Subject {
        asks: asks.split_whitespace().map(str::to_owned).collect(),
        parameters: Vec::new(),
        reasons: vec![("told".to_owned(), "{0}".to_owned())],
    };
    for (file, slot) in [("budget.md", Slot::Budget), ("demotion.md", Slot::Demotion)] {
        let path = repository().join("tests/laws").join(file);
        let text = fs::read_to_string(&path).unwrap();
        let cases = parse(file, &text).unwrap().cases;
        let judged: Vec<_> = cases
            .iter()
            .map(|case| {
                case.judge(slot, &subject, &mut ask).unwrap_or_else(|problem| panic!("{problem}"))
            })
            .collect();
        if std::env::var_os("SKILLKEEP_BLESS").is_some() {
            let pairs: Vec<_> = cases.iter().zip(&judged).collect();
            fs::write(&path, bless(&text, slot, &pairs)).unwrap();
            continue;
        }
        for (case, judged) in cases.iter().zip(&judged) {
            if let Some(difference) = &judged.difference {
                panic!("{}:{}: {}\n{difference}", case.path, case.line, case.name);
            }
        }
    }
}
