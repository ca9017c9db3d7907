//! From the last system back to a path of the network: each composition is searched again for a run on the word that is known
//! so far, which tells the letters that were hidden there.

use super::{Method, Node, Of};
use crate::algo::product::Product;
use crate::weave::{interleave, run_on, weave};
use prequel_model::run::Run;
use prequel_model::{Component, ComponentId, LabelId, Lts, Network, StateId, Trace, Why};

/// Where a run must end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    Anywhere,
    /// Where the monitor accepts.
    Marked,
    /// Where exactly these labels are offered, and nothing silent: what others need to know of a deadlock.
    Offering(Vec<LabelId>),
}

/// A word of all components below a node, hidden letters included, that the node sees as `seen` and that ends so.
///
/// `leaf` is told where each leaf must end. There always is such a word: minimisation kept it.
pub fn word(
    method: &Method,
    node: &Node,
    end: &End,
    seen: &[LabelId],
    leaf: &mut dyn FnMut(usize, &End),
    run: &Run,
) -> Result<Vec<LabelId>, Why> {
    let group = match &node.of {
        Of::Leaf(at) => {
            at.iter().for_each(|&at| leaf(at, end));
            return Ok(seen.to_vec());
        }
        Of::Joint(group) => group,
    };
    let explored = method.product(group, run)?;
    let hidden = |l: LabelId| !node.component.takes_part(l);
    let may_end = |s: StateId| match end {
        End::Anywhere => true,
        End::Marked => explored.lts.is_marked(s),
        End::Offering(labels) => offers(&explored.lts, s, &hidden).is_some_and(|offered| offered == *labels),
    };
    let path = run_on(&explored.lts, seen, hidden, may_end).expect("minimisation keeps words and ends");
    let last = path.last().map_or(explored.lts.initial(), |t| t.target);
    let letters: Vec<LabelId> = path.iter().map(|t| t.label).filter(|l| !l.is_tau()).collect();

    let product = Product::new(method.labels, group.iter().map(|child| &child.component).collect());
    let words = product.words();
    let packed = &explored.states[last.at() * words..(last.at() + 1) * words];
    let mut below = |(c, child): (usize, &Node)| {
        let end = match end {
            End::Marked if child.monitored => End::Marked,
            End::Anywhere | End::Marked => End::Anywhere,
            End::Offering(_) => {
                let local = product.local(packed, ComponentId::new(c));
                let offered = offers(&child.component.lts, local, &LabelId::is_tau);
                End::Offering(offered.expect("nothing silent is possible in a deadlock"))
            }
        };
        let own: Vec<LabelId> = letters.iter().copied().filter(|&l| child.component.takes_part(l)).collect();
        word(method, child, &end, &own, leaf, run)
    };
    let parts: Vec<Vec<LabelId>> = group.iter().enumerate().map(&mut below).collect::<Result<_, _>>()?;

    Ok(interleave(&letters, &parts, |at, l| group[at].component.takes_part(l)))
}

/// The labels that a state offers, each once; none if it can do something silent.
fn offers(lts: &Lts, s: StateId, silent: &impl Fn(LabelId) -> bool) -> Option<Vec<LabelId>> {
    let row = lts.row(s);
    if row.iter().any(|e| silent(e.label)) {
        return None;
    }
    let mut labels: Vec<LabelId> = row.iter().map(|e| e.label).collect();
    labels.dedup();
    Some(labels)
}

/// A path of the network into a deadlock.
pub fn deadlock(
    method: &Method,
    root: &Node,
    leaves: &[Component],
    network: &Network,
    run: &Run,
) -> Result<Trace, Why> {
    let mut ends = vec![End::Anywhere; leaves.len()];
    let word = word(method, root, &End::Offering(vec![]), &[], &mut |at, end| ends[at] = end.clone(), run)?;
    let local_run = |(c, leaf): (ComponentId, &Component)| {
        let lts = &network.component(c).lts;
        let letters: Vec<LabelId> = word.iter().copied().filter(|&l| leaf.takes_part(l)).collect();
        let silent = |l: LabelId| !leaf.takes_part(l);
        let may_end = |s| match &ends[c.at()] {
            End::Offering(labels) => offers(lts, s, &silent).is_some_and(|offered| offered == *labels),
            _ => true,
        };
        run_on(lts, &letters, silent, may_end).expect("minimisation keeps words and ends")
    };
    let runs: Vec<_> = network.ids().zip(leaves).map(local_run).collect();
    Ok(weave(network, &word, &runs))
}
