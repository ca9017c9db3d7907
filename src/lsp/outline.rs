//! The outline of a text, and what is known of a name in it.

use super::place::{range, uri, whole_line};
use super::symbols::{Kind, Symbol};
use lsp_types::{DocumentSymbol, Location, SymbolKind};

/// The outline of one file: units with what is declared in them.
pub fn outline(symbols: &[Symbol], file: &str) -> Vec<DocumentSymbol> {
    let mut units: Vec<DocumentSymbol> = Vec::new();
    for symbol in symbols.iter().filter(|symbol| symbol.file == file) {
        let shown = shown(symbol);
        let unit = symbol.inside.as_ref().and_then(|name| units.iter_mut().rev().find(|unit| unit.name == *name));
        match unit {
            Some(unit) => unit.children.get_or_insert_default().push(shown),
            None => units.push(shown),
        }
    }
    units
}

#[expect(deprecated, reason = "the type has a field that the protocol gave up")]
fn shown(symbol: &Symbol) -> DocumentSymbol {
    let kind = match symbol.kind {
        Kind::Process => SymbolKind::CLASS,
        Kind::Variable => SymbolKind::VARIABLE,
        Kind::Channel => SymbolKind::EVENT,
        Kind::Constant => SymbolKind::ENUM_MEMBER,
        Kind::Label => SymbolKind::KEY,
        Kind::Inline => SymbolKind::FUNCTION,
        Kind::Type => SymbolKind::STRUCT,
        Kind::Field => SymbolKind::FIELD,
        Kind::Formula => SymbolKind::PROPERTY,
    };
    let name = range(&symbol.place);
    let mut whole = whole_line(symbol.lines[1]);
    whole.start = lsp_types::Position { line: symbol.lines[0].saturating_sub(1) as u32, character: 0 };
    // The protocol wants the name inside of the whole.
    whole.start = whole.start.min(name.start);
    whole.end = whole.end.max(name.end);
    DocumentSymbol {
        name: symbol.name.clone(),
        detail: Some(symbol.detail.clone()),
        kind,
        tags: None,
        deprecated: None,
        range: whole,
        selection_range: name,
        children: None,
    }
}

/// The declaration that a name in some line of a file means: one of the same process, else one of the whole model.
pub fn meant<'s>(symbols: &'s [Symbol], file: &str, line: usize, name: &str) -> Option<&'s Symbol> {
    let unit = symbols.iter().find(|unit| {
        unit.inside.is_none()
            && unit.kind == Kind::Process
            && unit.file == file
            && (unit.lines[0]..=unit.lines[1]).contains(&line)
    });
    let named = || symbols.iter().filter(|symbol| symbol.name == name);
    let own = unit.and_then(|unit| {
        named().filter(|symbol| symbol.inside.as_deref() == Some(&unit.name)).find(|symbol| symbol.kind != Kind::Field)
    });
    let whole = || named().find(|symbol| symbol.inside.is_none());
    own.or_else(whole).or_else(|| named().next())
}

/// Where a declaration stands.
pub fn location(symbol: &Symbol) -> Option<Location> {
    Some(Location { uri: uri(&symbol.file)?, range: range(&symbol.place) })
}
