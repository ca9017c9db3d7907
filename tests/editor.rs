//! Does the language server say what an editor asks for, and does it end well whatever it is sent?

use crate::fuzz::{first_seed, number};
use prequel::model::rng::Rng;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// An editor that has started a server.
struct Editor {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    asked: i64,
}

impl Editor {
    fn start() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prequel"));
        let mut child = command
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let (to, from) = (child.stdin.take().expect("a pipe"), BufReader::new(child.stdout.take().expect("a pipe")));
        let mut editor = Self { child, to, from, asked: 0 };
        let able = editor.ask("initialize", json!({ "capabilities": {} }));
        assert_eq!(able["capabilities"]["hoverProvider"], true);
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it listens");
        self.to.flush().expect("it listens");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The next message.
    fn hear(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).expect("a header") > 0, "the server went away");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().expect("a number"),
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut text = vec![0; length];
        self.from.read_exact(&mut text).expect("a message");
        serde_json::from_slice(&text).expect("JSON")
    }

    /// The next notification of this name.
    fn heard(&mut self, method: &str) -> Value {
        loop {
            let message = self.hear();
            if message["method"] == method {
                return message["params"].clone();
            }
        }
    }

    /// The answer to a request: its result, or the error.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.hear();
            if message["id"] == id && message.get("method").is_none() {
                return message.get("error").unwrap_or(&message["result"]).clone();
            }
        }
    }

    /// Leaves as the protocol wants it.
    fn leave(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0));
    }
}

fn at(uri: &str, line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
}

const MODEL: &str = "mtype = { red, green };\nbyte turn;\nchan c = [1] of { mtype };\n\
    proctype user(byte me) {\n  byte own = 1;\n  turn = me + own;\n  c!red;\n  assert(turn == 0)\n}\n\
    init { run user(1); if :: turn > 100 -> skip :: else -> skip fi }\n";

#[test]
fn an_editor_is_told_what_is_wrong_and_what_names_mean() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.pml");
    std::fs::write(&path, MODEL).expect("a model");
    let uri = format!("file://{}", path.display());
    let mut editor = Editor::start();
    let open =
        |text: &str| json!({ "textDocument": { "uri": uri, "languageId": "promela", "version": 1, "text": text } });
    editor.tell("textDocument/didOpen", open(MODEL));
    assert_eq!(editor.heard("textDocument/publishDiagnostics")["diagnostics"], json!([]));
    // A name that is none, two lines below.
    let wrong = MODEL.replace("turn = me", "turm = me");
    let change = json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": wrong }] });
    editor.tell("textDocument/didChange", change);
    let found = editor.heard("textDocument/publishDiagnostics");
    let first = &found["diagnostics"][0];
    assert_eq!(first["range"]["start"], json!({ "line": 5, "character": 2 }), "{found}");
    assert!(first["message"].as_str().unwrap().contains("turm"), "{found}");
    let back = json!({ "textDocument": { "uri": uri, "version": 3 }, "contentChanges": [{ "text": MODEL }] });
    editor.tell("textDocument/didChange", back);
    assert_eq!(editor.heard("textDocument/publishDiagnostics")["diagnostics"], json!([]));
    let hover = editor.ask("textDocument/hover", at(&uri, 5, 3));
    let text = hover["contents"]["value"].as_str().expect("something is known");
    assert!(text.contains("byte turn") && text.contains("in all runs"), "{text}");
    let own = editor.ask("textDocument/hover", at(&uri, 5, 15));
    assert!(own["contents"]["value"].as_str().unwrap().contains("byte own = 1"), "{own}");
    let place = editor.ask("textDocument/definition", at(&uri, 6, 5));
    assert_eq!(place["range"]["start"], json!({ "line": 0, "character": 10 }), "{place}");
    let outline = editor.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } }));
    let names: Vec<&str> = outline.as_array().unwrap().iter().map(|unit| unit["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["red", "green", "turn", "c", "user", "init"]);
    let inner: Vec<&Value> = outline[4]["children"].as_array().unwrap().iter().map(|child| &child["name"]).collect();
    assert_eq!(inner, ["me", "own"]);
    editor.ask("workspace/executeCommand", json!({ "command": "prequel.check", "arguments": [uri] }));
    let checked = editor.heard("textDocument/publishDiagnostics");
    let all = checked["diagnostics"].as_array().unwrap();
    let violated = all.iter().find(|one| one["severity"] == 1).expect("the assertion fails");
    assert!(violated["message"].as_str().unwrap().contains("turn = 2"), "{violated}");
    assert!(violated["relatedInformation"].as_array().unwrap().len() > 3);
    assert!(all.iter().any(|one| one["tags"] == json!([1]) && one["range"]["start"]["line"] == 9), "{checked}");
    assert!(editor.heard("window/showMessage")["message"].as_str().unwrap().contains("false"));
    editor.leave();
}

#[test]
fn odd_requests_are_answered_and_the_conversation_goes_on() {
    let mut editor = Editor::start();
    assert_eq!(editor.ask("textDocument/teleport", json!({}))["code"], -32601);
    assert_eq!(editor.ask("textDocument/hover", json!({ "position": "here" }))["code"], -32602);
    assert_eq!(editor.ask("textDocument/hover", at("untitled:nothing", 99, 99)), Value::Null);
    editor.tell("textDocument/didChange", json!([1, 2, 3]));
    editor.tell("textDocument/didOpen", json!({ "textDocument": { "uri": "%%%", "text": 7 } }));
    editor.ask("workspace/executeCommand", json!({ "command": "prequel.check", "arguments": [7] }));
    editor.leave();
}

/// Texts as they come while somebody types: cut off anywhere.
#[test]
fn a_text_that_is_being_written_is_read_all_the_time() {
    let mut editor = Editor::start();
    let uri = "file:///nowhere/typing.pml";
    let document = json!({ "uri": uri, "languageId": "promela", "version": 1, "text": "" });
    editor.tell("textDocument/didOpen", json!({ "textDocument": document }));
    editor.heard("textDocument/publishDiagnostics");
    for end in (0..MODEL.len()).step_by(7) {
        let change =
            json!({ "textDocument": { "uri": uri, "version": end }, "contentChanges": [{ "text": MODEL[..end] }] });
        editor.tell("textDocument/didChange", change);
        editor.heard("textDocument/publishDiagnostics");
        editor.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } }));
    }
    editor.leave();
}

#[test]
fn garbage_ends_with_a_message_and_no_panic() {
    for seed in (first_seed()..).take(number("PREQUEL_FUZZ_GARBAGE", 20) as usize) {
        let mut rng = Rng::new(seed);
        let mut bytes: Vec<u8> = match rng.below(3) {
            0 => b"Content-Length: 40\r\n\r\n".to_vec(),
            1 => b"Content-Length: 99999999999999999999\r\n\r\n{}".to_vec(),
            _ => Vec::new(),
        };
        bytes.extend((0..rng.below(300)).map(|_| rng.below(256) as u8));
        let mut child = Command::new(env!("CARGO_BIN_EXE_prequel"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        // It may have gone away before it was told everything.
        let _ = child.stdin.take().expect("a pipe").write_all(&bytes);
        let ended = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(3), "seed {seed}: {said}");
        assert!(said.starts_with("error: "), "seed {seed}: {said}");
    }
}
