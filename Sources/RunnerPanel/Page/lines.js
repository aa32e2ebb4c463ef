import { plainText, styleAfter } from "./ansi.js";
import { PLAIN } from "./text-style.js";

/** What a line of output is. */
export const Kind = Object.freeze({ value: 0, error: 1, note: 2 });

/**
 * The lines of an execution's output: what it sent, what its processes wrote to standard error, and what
 * is to be said about it. Each line knows the colours that the one before left.
 */
export class Lines {
  #texts = [];
  #kinds = [];
  /** The style at the beginning of each line, by its place among the styles. */
  #starts = [];
  #styles = [PLAIN];
  /** By kind: the style that the last line of that kind left, and whether more of it may follow. */
  #left = [PLAIN, PLAIN, PLAIN];
  #isOpen = false;
  /** The last line, if it is only begun: what ends it repeats it. */
  #begun = null;

  get length() {
    return this.#texts.length;
  }

  text(index) {
    return this.#texts[index];
  }

  kind(index) {
    return this.#kinds[index];
  }

  /** The style at the beginning of a line. */
  style(index) {
    return this.#styles[this.#starts[index]];
  }

  /** The text of a line as a reader sees it. */
  plain(index) {
    return plainText(this.#texts[index]);
  }

  /** Shows a line that has not ended, in place of what was there of it. */
  begin(text, kind = Kind.value) {
    this.#dropBegun();
    const left = this.#left[kind];
    this.#add(text, kind);
    this.#left[kind] = left;
    this.#begun = { text, kind };
  }

  /** Takes the begun line away: nothing ends it. */
  end() {
    this.#dropBegun();
  }

  /** Adds whole lines. */
  append(text, kind = Kind.value) {
    this.#goOn(kind, () => this.#append(text, kind));
  }

  /** Adds a piece of a stream, whose lines end where it says so. */
  appendPiece(text, kind = Kind.value) {
    this.#goOn(kind, () => this.#appendPiece(text, kind));
  }

  /** Adds something before the begun line, unless it ends that. */
  #goOn(kind, add) {
    const begun = this.#begun;
    this.#dropBegun();
    add();
    if (begun && begun.kind !== kind) this.begin(begun.text, begun.kind);
  }

  #dropBegun() {
    if (!this.#begun) return;
    this.#begun = null;
    this.#texts.pop();
    this.#kinds.pop();
    this.#starts.pop();
  }

  #append(text, kind) {
    this.#isOpen = false;
    if (!text.includes("\n")) this.#add(text, kind);
    else for (const line of text.split("\n")) this.#add(line, kind);
  }

  #appendPiece(text, kind) {
    const pieces = text.split("\n");
    if (this.#isOpen && this.#kinds.at(-1) === kind) {
      const last = this.#texts.length - 1;
      this.#texts[last] += pieces.shift();
      this.#left[kind] = styleAfter(this.#texts[last], this.style(last));
    }
    this.#isOpen = pieces.length === 0 || pieces.at(-1) !== "";
    if (!this.#isOpen) pieces.pop();
    for (const piece of pieces) this.#add(piece, kind);
  }

  #add(text, kind) {
    const start = this.#left[kind];
    this.#texts.push(text);
    this.#kinds.push(kind);
    this.#starts.push(this.#place(start));
    this.#left[kind] = styleAfter(text, start);
  }

  /** Few styles are carried from line to line: most lines end as they began. */
  #place(style) {
    if (style === PLAIN) return 0;
    const last = this.#styles.length - 1;
    if (this.#styles[last] === style) return last;
    return this.#styles.push(style) - 1;
  }
}
