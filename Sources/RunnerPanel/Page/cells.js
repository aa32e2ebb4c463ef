import { isSame, PLAIN } from "./text-style.js";

const TAB = 8;
/** The cursor goes no further: a line of blanks would only cost. */
const WIDEST = 5_000;

/**
 * A line of a terminal while it is written. As long as text only follows text, runs are kept whole; the
 * line is taken apart into characters when the cursor goes back.
 */
export class Cells {
  #runs = [];
  /** Characters and their styles, once the line is taken apart. */
  #characters = null;
  #styles = [];
  #length = 0;
  /** Where the next character goes. */
  column = 0;

  /**
   * Moves the cursor.
   *
   * @param {string} letter that of the sequence: C right, D left, G or ` to a column
   */
  move(letter, number) {
    this.#takeApart();
    const step = { C: number, D: -number, G: number - 1 - this.column }[letter === "`" ? "G" : letter];
    this.column = Math.min(WIDEST, Math.max(0, this.column + step));
  }

  /** Writes text over what is there. */
  write(text, style) {
    if (this.#characters === null && this.column === this.#length) {
      this.#runs.push({ text, style });
      this.#length += text.length;
      this.column = this.#length;
      return;
    }
    this.#takeApart();
    for (const character of text) {
      if (character === "\t") this.column += TAB - this.column % TAB;
      else {
        this.#fill(this.column);
        this.#characters[this.column] = character;
        this.#styles[this.column] = style;
        this.column += 1;
      }
    }
    this.#length = this.#characters.length;
  }

  /**
   * Erases from the cursor to the end of the line, up to the cursor, or all.
   *
   * @param {string} part "" or "0", "1", "2"
   */
  erase(part) {
    this.#takeApart();
    if (part === "1") {
      const end = Math.min(this.column + 1, this.#characters.length);
      this.#characters.fill(" ", 0, end);
      this.#styles.fill(PLAIN, 0, end);
    } else if (part === "2" || part === "" || part === "0") {
      this.#characters.length = Math.min(
        part === "2" ? 0 : this.column, this.#characters.length);
      this.#styles.length = this.#characters.length;
    }
    this.#length = this.#characters.length;
  }

  /** The runs of equal style. */
  spans() {
    const spans = [];
    const add = (text, style) => {
      const last = spans.at(-1);
      if (last && isSame(last.style, style)) last.text += text;
      else spans.push({ text, style });
    };
    if (this.#characters === null) {
      for (const run of this.#runs) add(run.text, run.style);
    } else {
      this.#characters.forEach((character, index) => add(character, this.#styles[index]));
    }
    return spans;
  }

  #fill(length) {
    while (this.#characters.length < length) {
      this.#characters.push(" ");
      this.#styles.push(PLAIN);
    }
  }

  #takeApart() {
    if (this.#characters !== null) return;
    const column = this.column;
    const isAtEnd = column === this.#length;
    this.#characters = [];
    let units = 0;
    for (const run of this.#runs) {
      for (const character of run.text) {
        if (units === column) this.column = this.#characters.length;
        units += character.length;
        if (character === "\t") {
          const length = this.#characters.length;
          this.#fill(length + TAB - length % TAB);
        } else {
          this.#characters.push(character);
          this.#styles.push(run.style);
        }
      }
    }
    if (isAtEnd) this.column = this.#characters.length;
    this.#length = this.#characters.length;
  }
}
