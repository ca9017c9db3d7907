//! The conversation with an editor.

use super::check::{Checked, check};
use super::outline::{location, meant, outline};
use super::place::word;
use super::text::Text;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, Notification as _,
    PublishDiagnostics, ShowMessage,
};
use lsp_types::request::{DocumentSymbolRequest, ExecuteCommand, GotoDefinition, HoverRequest, Request as _};
use lsp_types::{
    DocumentSymbolResponse, ExecuteCommandOptions, GotoDefinitionResponse, Hover, HoverContents,
    HoverProviderCapability, MarkupContent, MarkupKind, MessageType, OneOf, Position, PublishDiagnosticsParams,
    SaveOptions, ServerCapabilities, ShowMessageParams, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The command that decides what a model states.
const CHECK: &str = "prequel.check";

/// Speaks with the editor on standard input and output until it leaves; fails where what comes is not of the protocol.
pub fn serve() -> Result<(), String> {
    let (connection, threads) = Connection::stdio();
    let result = converse(&connection);
    drop(connection);
    // What was wrong with the messages says more than that there are no more.
    let read = threads.join().map_err(|why| format!("a message cannot be read: {why}"));
    read.and(result)
}

/// The conversation, whoever carries the messages.
pub fn converse(connection: &Connection) -> Result<(), String> {
    let capabilities = serde_json::to_value(capabilities()).expect("plain data");
    let wrong = |why: lsp_server::ProtocolError| format!("this is no client of a language server: {why}");
    connection.initialize(capabilities).map_err(wrong)?;
    let mut server = Server { connection, texts: HashMap::new(), checked: Arc::default() };
    while let Ok(message) = connection.receiver.recv() {
        // Whoever types is faster than the reading of a long text: only the last of several changes counts.
        let mut changed = Vec::new();
        let mut next = Some(message);
        while let Some(message) = next {
            if let Message::Request(request) = &message
                && connection.handle_shutdown(request).map_err(wrong)?
            {
                return Ok(());
            }
            server.take(message, &mut changed);
            next = connection.receiver.try_recv().ok();
        }
        for (uri, text) in changed {
            server.read(uri, text);
        }
    }
    Ok(())
}

fn capabilities() -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::FULL),
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
        ..TextDocumentSyncOptions::default()
    };
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![CHECK.into()],
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}

/// What checks found, by text; it is gone with the next change.
type Remarks = Arc<Mutex<HashMap<Uri, Vec<lsp_types::Diagnostic>>>>;

struct Server<'c> {
    connection: &'c Connection,
    texts: HashMap<Uri, Text>,
    checked: Remarks,
}

impl Server<'_> {
    fn send(&self, message: impl Into<Message>) {
        // An editor that went away is told nothing.
        let _ = self.connection.sender.send(message.into());
    }

    fn take(&mut self, message: Message, changed: &mut Vec<(Uri, String)>) {
        match message {
            Message::Request(request) => {
                // An answer is about the text as it is now.
                for (uri, text) in changed.drain(..) {
                    self.read(uri, text);
                }
                let response = self.answer(request);
                self.send(response);
            }
            Message::Notification(notification) => self.hear(notification, changed),
            Message::Response(_) => {}
        }
    }

    fn hear(&mut self, notification: Notification, changed: &mut Vec<(Uri, String)>) {
        let Notification { method, params } = notification;
        let mut change = |uri: Uri, text: String| {
            changed.retain(|(other, _)| *other != uri);
            changed.push((uri, text));
        };
        // What has another form than it should is left out, as the protocol wants it.
        match method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Ok(opened) = of::<lsp_types::DidOpenTextDocumentParams>(params) {
                    change(opened.text_document.uri, opened.text_document.text);
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Ok(mut changes) = of::<lsp_types::DidChangeTextDocumentParams>(params)
                    && let Some(last) = changes.content_changes.pop()
                {
                    change(changes.text_document.uri, last.text);
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Ok(closed) = of::<lsp_types::DidCloseTextDocumentParams>(params) {
                    let uri = closed.text_document.uri;
                    changed.retain(|(other, _)| *other != uri);
                    self.texts.remove(&uri);
                    self.remarks(|checked| checked.remove(&uri));
                    self.send(published(uri, Vec::new()));
                }
            }
            DidSaveTextDocument::METHOD => {
                // What it includes may be another text now.
                if let Ok(saved) = of::<lsp_types::DidSaveTextDocumentParams>(params)
                    && let Some(text) = self.texts.get(&saved.text_document.uri)
                    && !changed.iter().any(|(other, _)| *other == saved.text_document.uri)
                {
                    changed.push((saved.text_document.uri, text.text.clone()));
                }
            }
            _ => {}
        }
    }

    fn remarks<T>(&self, with: impl FnOnce(&mut HashMap<Uri, Vec<lsp_types::Diagnostic>>) -> T) -> T {
        with(&mut self.checked.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn read(&mut self, uri: Uri, text: String) {
        let text = Text::new(&uri, text, self.texts.remove(&uri));
        self.remarks(|checked| checked.remove(&uri));
        self.send(published(uri.clone(), text.diagnostics()));
        self.texts.insert(uri, text);
    }

    fn answer(&mut self, Request { id, method, params }: Request) -> Response {
        match method.as_str() {
            HoverRequest::METHOD => answered(id, params, |asked: lsp_types::HoverParams| {
                let at = asked.text_document_position_params;
                self.hover(&at.text_document.uri, at.position)
            }),
            GotoDefinition::METHOD => answered(id, params, |asked: lsp_types::GotoDefinitionParams| {
                let at = asked.text_document_position_params;
                let text = self.texts.get(&at.text_document.uri)?;
                let name = word(&text.text, at.position)?;
                let symbol = meant(&text.symbols, &text.name(), at.position.line as usize + 1, name)?;
                location(symbol).map(GotoDefinitionResponse::Scalar)
            }),
            DocumentSymbolRequest::METHOD => answered(id, params, |asked: lsp_types::DocumentSymbolParams| {
                let text = self.texts.get(&asked.text_document.uri)?;
                Some(DocumentSymbolResponse::Nested(outline(&text.symbols, &text.name())))
            }),
            ExecuteCommand::METHOD => {
                answered(id, params, |asked: lsp_types::ExecuteCommandParams| self.execute(asked))
            }
            _ => Response::new_err(id, ErrorCode::MethodNotFound as i32, format!("`{method}` is nothing that I do")),
        }
    }

    fn hover(&mut self, uri: &Uri, at: Position) -> Option<Hover> {
        let text = self.texts.get_mut(uri)?;
        let name = word(&text.text, at)?.to_owned();
        let symbol = meant(&text.symbols, &text.name(), at.line as usize + 1, &name)?.clone();
        let values = match symbol.kind {
            super::symbols::Kind::Variable => text.values_of(&name, symbol.inside.as_deref()),
            _ => None,
        };
        let inside = symbol.inside.map_or_else(String::new, |unit| format!("\nin `{unit}`"));
        let values = values.map_or_else(String::new, |values| format!("\n\nin all runs of the saved text: {values}"));
        let value = format!("```promela\n{}\n```{inside}{values}", symbol.detail);
        Some(Hover {
            contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }),
            range: None,
        })
    }

    /// Begins a check, which sends what it finds when it is done.
    fn execute(&mut self, asked: lsp_types::ExecuteCommandParams) -> Option<Value> {
        let uri: Uri = asked.arguments.first().cloned().and_then(|uri| serde_json::from_value(uri).ok())?;
        if asked.command != CHECK {
            return None;
        }
        let (sender, checked) = (self.connection.sender.clone(), self.checked.clone());
        let known = self.texts.get(&uri).map(Text::diagnostics).unwrap_or_default();
        std::thread::spawn(move || {
            let Checked { summary, remarks } = check(&uri);
            let all = known.into_iter().chain(remarks.iter().cloned()).collect();
            checked.lock().unwrap_or_else(PoisonError::into_inner).insert(uri.clone(), remarks);
            let message = ShowMessageParams { typ: MessageType::INFO, message: summary };
            let _ = sender.send(published(uri, all).into());
            let _ = sender.send(Notification::new(ShowMessage::METHOD.into(), message).into());
        });
        None
    }
}

fn of<T: DeserializeOwned>(params: Value) -> Result<T, serde_json::Error> {
    serde_json::from_value(params)
}

/// The answer to a request, or that it has not the form that it should.
fn answered<P: DeserializeOwned, R: serde::Serialize>(
    id: RequestId,
    params: Value,
    answer: impl FnOnce(P) -> Option<R>,
) -> Response {
    match of(params) {
        Ok(params) => Response::new_ok(id, answer(params)),
        Err(why) => Response::new_err(id, ErrorCode::InvalidParams as i32, why.to_string()),
    }
}

fn published(uri: Uri, diagnostics: Vec<lsp_types::Diagnostic>) -> Notification {
    let params = PublishDiagnosticsParams { uri, diagnostics, version: None };
    Notification::new(PublishDiagnostics::METHOD.into(), params)
}
