use prequel_formats::promela::{self, Text};
use prequel_model::watch::Watch;
use prequel_program::residual::Options;
use prequel_spin::residual::fold;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let out = std::env::args().nth(2);
    let strong = std::env::args().nth(3).is_some();
    let bytes = std::fs::read(&path).unwrap();
    let folder = std::path::Path::new(&path).parent().unwrap().to_owned();
    let text = Text { name: path.clone(), bytes, folder: folder.clone(), defines: vec![], allow_c: false };
    let (model, _) = match promela::read(&path, &text.bytes, &folder, &[]) { Ok(m) => m, Err(_) => { println!("unread"); return } };
    let began = std::time::Instant::now();
    match fold(&text, &model, Options { strong, ..Options::default() }, &[], false, &Watch::default()) {
        Ok(folded) => {
            eprintln!("{:.3}s {} -> {} bytes pre={} smaller={}", began.elapsed().as_secs_f64(), text.bytes.len(), folded.text.len(), folded.preprocessed, folded.is_smaller());
            for c in &folded.changes { eprintln!("  {} {}->{} {:?} folded {:?} left {:?}", c.name, c.before, c.after, c.lines, c.folded, c.left); }
            if let Some(out) = out { std::fs::write(out, &folded.text).unwrap(); }
        }
        Err(e) => println!("refused {e}"),
    }
}
