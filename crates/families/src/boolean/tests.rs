//! The systems have the table's sizes, do what they are for, and keep their properties.

use super::*;
use prequel_engine::symbolic::{Method, Symbolic, Verdict};
use prequel_harness::paper;
use prequel_model::run::{Limits, Run};
use std::sync::Arc;

#[test]
fn components_and_properties_are_as_many_as_the_table_says() {
    let cells = paper::cells("interpolation");
    let mut rows = 0;
    for cell in cells.iter().filter(|cell| cell.column == "n") {
        let (row, size) = cell.row.split_once('-').expect("a model and a size");
        let family = FAMILIES.iter().find(|family| family.row == Some(row)).expect("every row has a family");
        let system = (family.build)(size.parse().unwrap());
        assert_eq!(system.circuit.parts.len().to_string(), cell.value, "{}", cell.row);
        let properties = paper::printed(&cells, "interpolation Table I", &cell.row, "|φ|");
        // That of the first row is damaged in the copy; it reads 6.
        assert_eq!(system.properties.len().to_string(), properties.unwrap_or("6"), "{}", cell.row);
        rows += 1;
    }
    assert_eq!(rows, 43);
}

fn decide(method: Method, circuit: Circuit) -> Verdict {
    Symbolic::new(method).decide(&Arc::new(circuit), &Run::new(Limits::default(), 0)).expect("a verdict")
}

/// The states in which words have these values.
fn states(circuit: &mut Circuit, values: &[(&str, &str)]) -> Lit {
    let mut all = Vec::new();
    for (name, value) in values {
        let word = circuit.words.iter().find(|word| &*word.name == *name).unwrap_or_else(|| panic!("{name}")).clone();
        let number = match &word.kind {
            prequel_model::Kind::Names(names) => names.iter().position(|n| &**n == *value).expect("one of its names"),
            _ => value.parse().expect("a number"),
        };
        all.push(circuit.is(&word, number as u64, false));
    }
    circuit.aig.all(all)
}

fn reached(family: &str, size: usize, values: &[(&str, &str)]) -> bool {
    let mut circuit = (find(family).unwrap().build)(size).circuit;
    circuit.bad = Some(states(&mut circuit, values));
    matches!(decide(Method::Bdd, circuit), Verdict::Path(_))
}

#[test]
fn small_systems_keep_their_properties() {
    for (name, size) in [("fms-smv", 2), ("dining", 3), ("aip-smv", 1), ("sba", 1), ("msi", 2), ("bit-counter", 3)] {
        let system = (find(name).unwrap().build)(size);
        for property in &system.properties {
            let verdict = decide(Method::CitpPa, system.question(property));
            assert!(matches!(verdict, Verdict::Invariant(_)), "{name} {size}: {}", property.name);
        }
    }
}

#[test]
fn written_as_smv_and_read_again_they_keep_their_properties() {
    for (name, size) in [("fms-smv", 2), ("dining", 3), ("aip-smv", 1), ("sba", 1), ("msi", 2), ("bit-counter", 3)] {
        let system = (find(name).unwrap().build)(size);
        let mut text = Vec::new();
        prequel_formats::smv::write(&system.question(&system.properties[0]), &mut text).unwrap();
        let (circuit, _) = prequel_formats::smv::read("t.smv", &text).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert_eq!(circuit.parts.len(), system.circuit.parts.len(), "{name}");
        assert!(matches!(decide(Method::CitpPa, circuit), Verdict::Invariant(_)), "{name}");
    }
}

#[test]
fn blocks_and_pegs_become_products_which_the_next_cell_takes() {
    for number in 1..=6 {
        assert!(reached("fms-smv", 2, &[(&*buffer_owner(number), "raw")]), "buffer {number}");
    }
    assert!(reached("fms-smv", 2, &[("assembly0.at", "product")]));
}

fn buffer_owner(number: usize) -> String {
    let owner = ["robot", "robot", "mill", "lathe", "assembly", "paint"][number - 1];
    format!("{owner}0.buffer{number}")
}

#[test]
fn philosophers_eat_though_never_beside_each_other() {
    let eat = |a: &str, b: &str| reached("dining", 4, &[(a, "eats"), (b, "eats")]);
    assert!(eat("philosopher0.at", "philosopher2.at"));
    assert!(!eat("philosopher0.at", "philosopher1.at"));
    // Each has his left fork.
    let all: Vec<String> = (0..4).map(|i| format!("philosopher{i}.at")).collect();
    let left: Vec<(&str, &str)> = all.iter().map(|name| (&**name, "left")).collect();
    assert!(reached("dining", 4, &left));
}

#[test]
fn each_material_leaves_by_its_own_route() {
    for (material, route, other) in [("one", "s1s2", "s2s1"), ("two", "s2s1", "s1s2")] {
        let leaves = |route| reached("aip-smv", 1, &[("io0.material", material), ("io0.route", route)]);
        assert!(leaves(route) && !leaves(other), "{material}");
    }
}

#[test]
fn every_cell_of_an_arbiter_gets_the_bus_by_asking_and_by_waiting() {
    for cell in 0..4 {
        let [token, waits, request] = ["token", "waits", "request"].map(|name| format!("cell0.{cell}.{name}"));
        assert!(reached("sba", 1, &[(&*token, "1"), (&*waits, "1"), (&*request, "1")]), "cell {cell}");
    }
    assert!(!reached("sba", 1, &[("cell0.0.token", "1"), ("cell0.2.token", "1")]));
}

#[test]
fn caches_are_coherent() {
    let lines = |a: &str, b: &str| reached("msi", 2, &[("cache0.line", a), ("cache1.line", b)]);
    assert!(lines("modified", "invalid") && lines("shared", "shared") && lines("invalid", "modified"));
    assert!(!lines("modified", "modified") && !lines("modified", "shared") && !lines("shared", "modified"));
    assert!(reached("msi", 2, &[("memory.at", "writes-back")]));
}
