import { lineText, plainText, readLine, styleAfter } from "./ansi.js";
import { PLAIN } from "./text-style.js";

/** What a line of output is. */
export const Kind = Object.freeze({ value: 0, error: 1, note: 2, step: 3 });

/** A cursor that goes to other lines, and erasing below it. */
const VERTICAL = /(?:\x1b\[|\x9b)(\d*)([ABEFJ])/g;
const HAS_VERTICAL = new RegExp(VERTICAL.source);

/**
 * The lines of an execution's output: what it sent, what its processes wrote to standard error, and what
 * is to be said about it. Each line knows the colours that the one before left. A program may go back to
 * lines above and write them again, as in a terminal.
 */
export class Lines {
  #texts = [];
  #kinds = [];
  /** When each line came, in seconds since 1970. */
  #times = [];
  /** The style at the beginning of each line, by its place among the styles. */
  #starts = [];
  #styles = [PLAIN];
  /** By kind: the style that the last line of that kind left. */
  #left = [PLAIN, PLAIN, PLAIN, PLAIN];
  /** The line where the cursor is: mostly the one behind the last. */
  #row = 0;
  /** The cell in it; null for the one to which the line's text leads. */
  #column = 0;
  /** The last line, if it is only begun, with all that it has changed: what ends it repeats it. */
  #begun = null;
  #changed = Infinity;

  get length() {
    return this.#texts.length;
  }

  text(index) {
    return this.#texts[index];
  }

  kind(index) {
    return this.#kinds[index];
  }

  time(index) {
    return this.#times[index];
  }

  /** The style at the beginning of a line. */
  style(index) {
    return this.#styles[this.#starts[index]];
  }

  /** The text of a line as a reader sees it. */
  plain(index) {
    return plainText(this.#texts[index]);
  }

  /** The first line that has changed, or come, since this was asked; infinite for none. */
  takeChange() {
    const changed = this.#changed;
    this.#changed = Infinity;
    return changed;
  }

  /** Shows a line that has not ended, in place of what was there of it. */
  begin(text, kind = Kind.value, time = 0) {
    this.#dropBegun();
    const { length } = this;
    const [row, column, left] = [this.#row, this.#column, [...this.#left]];
    this.#begun = { text, kind, time, length, row, column, left, saved: new Map() };
    this.#write(text, kind, time);
  }

  /** Takes the begun line away: nothing ends it. */
  end() {
    this.#dropBegun();
  }

  /**
   * Adds whole lines.
   *
   * @returns {number} the first of them
   */
  append(text, kind = Kind.value, time = 0) {
    let first = this.length;
    this.#goOn(kind, () => {
      if (this.#isOpen) this.#newLine();
      // No program has written it: it is not where the cursor is.
      if (kind >= Kind.note) [this.#row, this.#column] = [this.length, 0];
      first = this.#row;
      for (const line of text.split("\n")) {
        this.#write(line, kind, time);
        this.#newLine();
      }
    });
    return first;
  }

  /** Adds a piece of a stream, whose lines end where it says so. */
  appendPiece(text, kind = Kind.value, time = 0) {
    this.#goOn(kind, () => {
      if (this.#isOpen && this.#kinds[this.#row] !== kind) this.#newLine();
      const pieces = text.split("\n");
      const last = pieces.pop();
      for (const piece of pieces) {
        this.#write(piece, kind, time);
        this.#newLine();
      }
      if (last !== "") this.#write(last, kind, time);
    });
  }

  /** Adds something before the begun line, unless it ends that. */
  #goOn(kind, add) {
    const begun = this.#begun;
    this.#dropBegun();
    add();
    if (begun && begun.kind !== kind) this.begin(begun.text, begun.kind, begun.time);
  }

  /** Whether more may follow in the line of the cursor. */
  get #isOpen() {
    return this.#column !== 0 && this.#row < this.length;
  }

  #newLine() {
    this.#row += 1;
    this.#column = 0;
  }

  /** Writes where the cursor is. */
  #write(text, kind, time) {
    if (!HAS_VERTICAL.test(text)) return this.#put(text, kind, time);
    let place = 0;
    for (const { 0: { length }, 1: number, 2: letter, index } of text.matchAll(VERTICAL)) {
      if (index > place) this.#put(text.slice(place, index), kind, time);
      this.#move(letter, number, kind, time);
      place = index + length;
    }
    if (place < text.length) this.#put(text.slice(place), kind, time);
  }

  #move(letter, number, kind, time) {
    if (letter === "J") {
      if (number === "" || number === "0") this.#eraseBelow(kind, time);
      return;
    }
    if (this.#column === null) this.#column = readLine(this.#texts[this.#row]).column;
    const distance = Math.max(1, Number(number)) * ("AF".includes(letter) ? -1 : 1);
    this.#row = Math.min(this.length, Math.max(0, this.#row + distance));
    if ("EF".includes(letter)) this.#column = 0;
  }

  #eraseBelow(kind, time) {
    if (this.#row >= this.length) return;
    this.#put("\x1b[K", kind, time);
    while (this.length > this.#row + 1) this.#pop();
  }

  #put(text, kind, time) {
    const start = this.#left[kind];
    const { length } = this;
    if (this.#row >= length && !this.#column) {
      this.#set(length, text, kind, time, this.#place(start));
      this.#left[kind] = styleAfter(text, start);
      this.#row = length;
      this.#column = null;
    } else if (this.#column === null) {
      const whole = this.#texts[this.#row] + text;
      this.#set(this.#row, whole, this.#kinds[this.#row], time, this.#starts[this.#row]);
      this.#left[kind] = styleAfter(whole, this.style(this.#row));
    } else this.#overwrite(text, kind, time, start);
  }

  /** Writes over a line, which is kept as what a terminal would have of it. */
  #overwrite(text, kind, time, start) {
    const row = Math.min(this.#row, this.length);
    const isNew = row === this.length;
    const old = isNew ? [] : readLine(this.#texts[row], this.style(row)).spans;
    const move = `\x1b[${this.#column + 1}G`;
    const line = readLine(lineText(old) + move + lineText([{ text, style: start }]));
    this.#set(row, lineText(line.spans), kind, time, 0);
    this.#left[kind] = styleAfter(text, start);
    this.#row = row;
    this.#column = line.column;
  }

  #set(index, text, kind, time, start) {
    this.#save(index);
    this.#texts[index] = text;
    this.#kinds[index] = kind;
    this.#times[index] = time;
    this.#starts[index] = start;
    this.#changed = Math.min(this.#changed, index);
  }

  #pop() {
    const last = this.length - 1;
    this.#save(last);
    for (const list of [this.#texts, this.#kinds, this.#times, this.#starts]) list.pop();
    this.#changed = Math.min(this.#changed, last);
  }

  /** Keeps what a begun line changes. */
  #save(index) {
    const { saved, length } = this.#begun ?? { length: 0 };
    if (index >= length || saved.has(index)) return;
    saved.set(index, [
      this.#texts[index], this.#kinds[index], this.#times[index], this.#starts[index],
    ]);
  }

  #dropBegun() {
    const begun = this.#begun;
    if (!begun) return;
    this.#begun = null;
    while (this.length > begun.length) this.#pop();
    for (const [index, line] of [...begun.saved].sort(([one], [other]) => one - other)) {
      this.#set(index, ...line);
    }
    [this.#row, this.#column, this.#left] = [begun.row, begun.column, begun.left];
  }

  /** Few styles are carried from line to line: most lines end as they began. */
  #place(style) {
    if (style === PLAIN) return 0;
    const last = this.#styles.length - 1;
    if (this.#styles[last] === style) return last;
    return this.#styles.push(style) - 1;
  }
}
