// The text of the machine: highlighting, completion, faults underlined as one types.
import { autocompletion, completeFromList, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { linter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { Compartment, EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Fault } from "./studio.svelte";

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.string, tags.content], color: "var(--ink)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: "var(--soft)" },
]);

const LOOKS = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--field)", color: "var(--ink)" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--soft)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--chosen)" },
  ".cm-scroller": { overflow: "auto" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 35%, transparent)",
  },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--ink)", border: "1px solid var(--line)" },
});

export interface Editor {
  set(text: string): void;
  text(): string;
  words(words: string[]): void;
  faults(faults: Fault[]): void;
  show(line: number): void;
  destroy(): void;
}

export interface Told {
  check(text: string): Promise<Fault[]>;
  apply(text: string): void;
  changed(text: string): void;
  line(line: number): void;
}

export function edit(parent: HTMLElement, text: string, told: Told): Editor {
  const completing = new Compartment();
  let ours = false; // a change that did not come from the keyboard
  const diagnostics = (faults: Fault[]): Diagnostic[] =>
    faults.map((fault) => {
      const line = view.state.doc.line(Math.min(Math.max(1, fault.line), view.state.doc.lines));
      const from = Math.min(line.to, line.from + Math.max(0, fault.column - 1));
      const word = /^[^:,#{}[\]]+/.exec(view.state.doc.sliceString(from, line.to));
      return { from, to: Math.min(line.to, from + Math.max(1, word?.[0].trimEnd().length ?? 1)), severity: "error", message: fault.words };
    });
  const view: EditorView = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        highlightActiveLine(),
        indentUnit.of("  "),
        yaml(),
        syntaxHighlighting(COLOURS),
        LOOKS,
        completing.of(autocompletion()),
        linter(async (v) => diagnostics(await told.check(v.state.doc.toString())), { delay: 300 }),
        EditorView.contentAttributes.of({ "aria-label": "text of the mechanism", tabindex: "0" }),
        EditorView.lineWrapping,
        keymap.of([
          { key: "Mod-Enter", run: () => (told.apply(view.state.doc.toString()), true) },
          ...completionKeymap,
          ...lintKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !ours) told.changed(update.state.doc.toString());
          if (update.selectionSet && !update.docChanged && !ours)
            told.line(update.state.doc.lineAt(update.state.selection.main.head).number);
        }),
      ],
    }),
  });
  return {
    set(next) {
      const now = view.state.doc.toString();
      if (now === next) return;
      let a = 0;
      while (a < now.length && a < next.length && now[a] === next[a]) a++;
      let b = 0;
      while (b < now.length - a && b < next.length - a && now.at(-1 - b) === next.at(-1 - b)) b++;
      ours = true;
      view.dispatch({ changes: { from: a, to: now.length - b, insert: next.slice(a, next.length - b) } });
      ours = false;
    },
    text: () => view.state.doc.toString(),
    words(words) {
      const source = completeFromList(words.map((label) => ({ label })));
      view.dispatch({ effects: completing.reconfigure(autocompletion({ override: [source] })) });
    },
    faults(faults) {
      view.dispatch(setDiagnostics(view.state, diagnostics(faults)));
    },
    show(line) {
      const at = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines)).from;
      ours = true;
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      ours = false;
    },
    destroy: () => view.destroy(),
  };
}
