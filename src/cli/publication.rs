//! How an answer goes out, for commands that decide something.

use super::des;
use super::evidence::{EvidenceArgs, Made};
use super::exit::{Exit, Failure};
use super::files::Places;
use super::input::ModelArgs;
use super::limits::LimitArgs;
use super::output::{Output, print, write_files};
use super::remarks;
use super::remarks::Remark;
use super::report;
use super::watchdog;
use super::witness::shown;
use crate::job::{Decision, Finding, Observer, Question};
use prequel_formats::diag::Diagnostic;
use prequel_formats::picture::extent::Extent;
use prequel_model::run::Run;
use std::path::PathBuf;

/// The form of the answer.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people, with the RESULT line at the end
    Text,
    /// As the Model Checking Contest prints it
    Mcc,
    /// A SARIF 2.1.0 document, for code scanning and editors
    Sarif,
    /// Workflow commands that GitHub shows beside the code
    Github,
}

impl Form {
    /// Prints remarks in this form; the others do not print any.
    pub fn print(self, remarks: &[Remark], exit: Exit) {
        match self {
            Form::Sarif => print(&remarks::sarif(remarks, exit as u8)),
            Form::Github => print(&remarks.iter().map(remarks::github).collect::<String>()),
            Form::Text | Form::Mcc => {}
        }
    }

    /// Whether people read it.
    pub fn is_text(self) -> bool {
        self == Form::Text
    }
}

/// Where an answer goes, and in which form.
pub struct Publication<'a> {
    /// What was asked about.
    pub model: &'a ModelArgs,
    /// What is made of a witness.
    pub evidence: &'a EvidenceArgs,
    /// Where what the verdict rests on goes.
    pub certificate: Option<&'a PathBuf>,
    /// The form on standard output.
    pub format: Form,
}

impl Publication<'_> {
    /// Lets somebody decide, writes what was asked for and prints the answer.
    pub fn publish(
        &self,
        question: &Question,
        limits: &LimitArgs,
        output: &Output,
        decide: impl FnOnce(&Run, &dyn Observer) -> Result<Decision, Failure>,
    ) -> Result<Exit, Failure> {
        let trail = self.evidence.trail(self.model)?;
        let places = Places::default().read(&self.model.models).read(question.file());
        places.written(self.evidence.files(trail.as_ref())).written(self.certificate).apart()?;
        let run = limits.start();
        let telling = Telling { publication: self, output, threads: run.limits.threads };
        let decision = decide(&run, &telling)?;
        if decision.parts.is_empty() { self.one(decision, &run, output) } else { Ok(self.all(&decision, output)) }
    }

    /// Prints what several answers come to, each of which was told before.
    fn all(&self, Decision { finding, parts, .. }: &Decision, output: &Output) -> Exit {
        let exit = Exit::from(&finding.verdict);
        if !self.format.is_text() && !output.json {
            watchdog::answer();
            let model = self.model.models[0].display().to_string();
            let remark = |part: &Decision| remarks::of_answer(&model, &part.finding, part.witness.as_ref().map(shown));
            self.format.print(&parts.iter().map(remark).collect::<Vec<_>>(), exit);
            return exit;
        }
        let names = self.model.names();
        let mut object = report::json(finding, &names, None, None);
        let each = parts.iter().map(|part| report::json(&part.finding, &names, None, part.witness.as_ref().map(shown)));
        object["formulas"] = each.collect::<Vec<_>>().into();
        output.object(object);
        output.say(finding.summary());
        if !output.json {
            print(&report::result_line(finding, None));
        }
        exit
    }

    /// Writes what was asked for, prints the answer, and gives the exit code it stands for.
    fn one(&self, decision: Decision, run: &Run, output: &Output) -> Result<Exit, Failure> {
        let Decision { finding, witness, certificate, text, sources, .. } = decision;
        let finding = &finding.unless_stopped(run);
        let shown = witness.as_ref().map(shown);
        let mut made = match shown {
            Some(shown) => self.evidence.make(shown, &finding.query, self.model, (text.as_ref(), &sources), run)?,
            None => Made::default(),
        };
        let certified = self.certificate.zip(certificate.as_ref());
        made.files.extend(certified.map(|(path, saved)| (path.to_owned(), saved.text().to_vec())));
        write_files(&made.files)?;
        let witness = self.evidence.witness.as_deref().filter(|_| shown.is_some());
        let saved = witness.or(certified.map(|(path, _)| path.as_path()));
        if !self.format.is_text() && !output.json {
            watchdog::answer();
            match self.format {
                Form::Mcc => print(&report::mcc(finding, self.model, run.limits.threads)),
                form => {
                    let remark = remarks::of_answer(&self.model.models[0].display().to_string(), finding, shown);
                    form.print(&[remark], Exit::from(&finding.verdict));
                }
            }
        } else {
            output.object_of(|| report::json(finding, &self.model.names(), saved, shown));
            if let Some(shown) = shown {
                let extent = if output.verbose { Extent::Whole } else { Extent::Ends };
                output.say(shown.table(extent));
            }
            if let Some(trap) = &finding.trap {
                output.say(des::tell(trap));
            }
            if let Some(chart) = made.chart {
                output.say(chart);
            }
            if let Some(portfolio) = report::portfolio(finding) {
                output.say(portfolio);
            }
            if let Some(phases) = report::phases(finding) {
                output.say(phases);
            }
            if let Some(scope) = &finding.scope {
                output.say(scope.to_string());
            }
            report::coverage_words(finding).iter().for_each(|words| output.say(words));
            if saved.is_some() && !finding.verdict.is_checked() {
                output.say(format!(
                    "the certificate holds no proof, only what {} says; `prequel audit` looks at all states by code of its own",
                    finding.engine
                ));
            }
            output.say(finding.summary());
            if !output.json {
                print(&report::result_line(finding, saved));
            }
        }
        Ok(Exit::from(&finding.verdict))
    }
}

/// Tells of each of several answers as soon as there is one.
struct Telling<'a> {
    publication: &'a Publication<'a>,
    output: &'a Output,
    threads: usize,
}

impl Observer for Telling<'_> {
    fn say(&self, text: &str) {
        if self.publication.format.is_text() {
            self.output.say(text);
        }
    }

    fn note(&self, text: &str) {
        self.output.note(text);
    }

    fn remark(&self, text: &str) {
        self.output.remark(text);
    }

    fn warn(&self, warnings: &[Diagnostic]) {
        self.output.warn(warnings);
    }

    fn answered(&self, finding: &Finding) {
        match self.publication.format {
            _ if self.output.json => {}
            Form::Text => self.output.say(finding.summary()),
            Form::Mcc => print(&report::mcc(finding, self.publication.model, self.threads)),
            Form::Sarif | Form::Github => {}
        }
    }

    fn watch(&self, run: &Run, what: &str, work: &mut (dyn FnMut() + '_)) {
        self.output.watch(run, what, work);
    }
}
