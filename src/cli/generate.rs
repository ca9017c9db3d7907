//! `prequel generate`: an instance of a scalable family, as files.

use super::exit::{Exit, Failure};
use super::output::{Output, counted, write_to_folders};
use crate::job::convert::circuit_text;
use prequel_families::boolean;
use prequel_families::boolean::BooleanFamily;
use prequel_families::{FAMILIES, find};
use prequel_formats::exp;
use prequel_formats::list::CircuitOutput;
use serde_json::json;
use std::path::PathBuf;

/// Writes an instance of a scalable family: DIR/FAMILY.exp with its components, and what to ask of it
///
/// Of Boolean systems, one file DIR/FAMILY-N.smv for each property.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  prequel generate philo 5 -o philo
  prequel generate token-ring 100 -o ring
  prequel generate random 6 --seed 42 -o net
  prequel generate fms-smv 4 -o cells

Families: philo, philo-dict, philo-sync, cyclic, cyclic-hard, token-ring, dac, dp, dpd, dph, dpfm, scheduler, rw,
gas_nq, gas_q, mmgt, elevator, furnace, over, sentest, speed, hartstone, abp, ring, ftp, bds, key, q, counter,
peterson, lamport, lamport-faulty, szymanski, lann, gas-station, transit, wafer, havi, link1394, mutex,
sliding-window, diners, diners-mixed, line, line-blocking, agv, agv-ring, cluster, cluster-blocking, fms,
fms-blocking, aip, aip-blocking, random, random-chain, random-ring
Boolean systems: fms-smv, dining, aip-smv, sba, msi, bit-counter")]
pub struct Args {
    /// The family
    family: String,
    /// Its size
    size: usize,
    /// The folder to write to
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Seed, for random networks
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<Exit, Failure> {
    if let Some(family) = boolean::find(&args.family) {
        return systems(args, family, output);
    }
    let Some(family) = find(&args.family) else {
        let boolean = boolean::FAMILIES.iter().map(|f| f.name);
        let names: Vec<&str> = FAMILIES.iter().map(|f| f.name).chain(boolean).collect();
        let message = format!("no family is called `{}`", args.family);
        return Err(Failure::input("FAMILY", message, format!("families are {}", names.join(", "))));
    };
    if !(family.smallest..=family.largest).contains(&args.size) {
        let message =
            format!("{} has sizes from {} to {}, not {}", family.name, family.smallest, family.largest, args.size);
        return Err(Failure::input("SIZE", message, "choose a size in that range"));
    }
    let instance = (family.build)(args.size, args.seed);
    let files = exp::write(&instance.as_written(), family.name).map_err(|e| Failure::Internal(e.to_string()))?;
    let mut files: Vec<_> = files.into_iter().map(|(path, text)| (args.output.join(path), text)).collect();
    let mut texts = Vec::with_capacity(instance.queries.len());
    for query in &instance.queries {
        texts.push(short(&query.text, args.output.join(family.name), &mut files));
    }
    let folders = [args.output.clone(), args.output.join(format!("{}.d", family.name))];
    write_to_folders(&folders, &files)?;
    let model = args.output.join(format!("{}.exp", family.name)).display().to_string();
    let queries: Vec<_> = (instance.queries.iter().zip(&texts))
        .map(|(q, text)| json!({"query": text, "expected": q.expected, "why": q.why}))
        .collect();
    output.object(json!({
        "family": family.name,
        "size": args.size,
        "seed": args.seed,
        "model": model,
        "components": instance.network.components().len(),
        "queries": queries,
    }));
    let components = counted(instance.network.components().len(), "component");
    output.say(format!("wrote {model}: {}, {components}", family.about));
    for (q, text) in instance.queries.iter().zip(&texts) {
        let expected = match q.expected {
            Some(verdict) => format!("expected {verdict}: "),
            None => String::new(),
        };
        output.say(format!("  prequel check {model} {text}\n      {expected}{}", q.why));
    }
    Ok(Exit::Ok)
}

/// A Boolean system: a file for each property.
fn systems(args: &Args, family: &BooleanFamily, output: &Output) -> Result<Exit, Failure> {
    family.has(args.size).map_err(|message| Failure::input("SIZE", message, "choose one of these sizes"))?;
    let system = (family.build)(args.size);
    let path = |at: usize| args.output.join(format!("{}-{}.smv", family.name, at + 1));
    let file = |(at, property)| (path(at), circuit_text(&system.question(property), CircuitOutput::Smv));
    let files: Vec<_> = system.properties.iter().enumerate().map(file).collect();
    write_to_folders(std::slice::from_ref(&args.output), &files)?;
    let named = |(at, property): (usize, &boolean::Property)| (path(at).display().to_string(), property.name.clone());
    let models: Vec<(String, String)> = system.properties.iter().enumerate().map(named).collect();
    let objects = models.iter().map(|(model, name)| json!({"model": model, "property": name, "expected": true}));
    output.object(json!({
        "family": family.name,
        "size": args.size,
        "components": system.circuit.parts.len(),
        "models": objects.collect::<Vec<_>>(),
    }));
    let (components, files) = (counted(system.circuit.parts.len(), "component"), counted(models.len(), "file"));
    output.say(format!("wrote {files} to {}: {}, {components}", args.output.display(), family.about));
    for (model, name) in &models {
        output.say(format!("  prequel check {model}\n      expected true: {name}"));
    }
    Ok(Exit::Ok)
}

/// The longest goal that is printed; a command line has little more room than this for one argument.
const LONGEST: usize = 2000;

/// A query as it is asked for; a goal that is long goes to a file beside the model, `MODEL.reach` or `MODEL-2.reach` and so on.
fn short(text: &str, model: PathBuf, files: &mut Vec<(PathBuf, Vec<u8>)>) -> String {
    let goal = text.strip_prefix("--reach '").and_then(|rest| rest.strip_suffix('\''));
    let Some(goal) = goal.filter(|goal| goal.len() > LONGEST) else { return text.to_owned() };
    let others = files.iter().filter(|(path, _)| path.extension().is_some_and(|e| e == "reach")).count();
    let number = if others == 0 { String::new() } else { format!("-{}", others + 1) };
    let path = PathBuf::from(format!("{}{number}.reach", model.display()));
    let text = format!("--reach @{}", path.display());
    // One condition a line, for people who look at it.
    files.push((path, format!("{}\n", goal.replace(" & ", " &\n")).into_bytes()));
    text
}
