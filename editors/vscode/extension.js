"use strict";
// Starts `prequel lsp` for models, and asks it for a check of the saved text when the user wants one.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function activate(context) {
  const command = vscode.workspace.getConfiguration("prequel").get("path", "prequel");
  const languages = ["promela", "dve", "aldebaran", "pnml", "smv"];
  client = new LanguageClient("prequel", "Prequel", { command, args: ["lsp"] }, {
    documentSelector: languages.map(language => ({ scheme: "file", language })),
  });
  context.subscriptions.push(vscode.commands.registerCommand("prequel.checkFile", async () => {
    const document = vscode.window.activeTextEditor?.document;
    if (!document) return;
    await document.save();
    await client.sendRequest("workspace/executeCommand", { command: "prequel.check", arguments: [document.uri.toString()] });
  }));
  await client.start();
}

const deactivate = () => client?.stop();

module.exports = { activate, deactivate };
