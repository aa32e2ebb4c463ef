/** Members that are shown as they were sent, unless they are texts, truths or null. */
const SHOWN = new Set(["value", "input", "default"]);
/** Lists whose elements are. */
const LISTS = new Set(["choices"]);
const HAS_SHOWN = /"(?:value|input|default|choices)"\s*:\s*[-\d{[]/;

/**
 * A number, list or object as it was sent. JavaScript's own have other digits, another order of members,
 * and no difference between 1 and 1.0.
 */
export class JSONText {
  #text;

  /** @param {string} text a JSON document */
  constructor(text) {
    this.#text = text;
  }

  toString() {
    return this.#text;
  }

  /** Two that were sent alike are alike in a document. */
  toJSON() {
    return this.#text;
  }

  /** Whether it is a number. */
  get isNumber() {
    return !/^[{[]/.test(this.#text);
  }

  /** What JavaScript makes of it, to calculate with. */
  get approximation() {
    return JSON.parse(this.#text);
  }

  /** The members of an object as pairs of a name and a value; null if it is none. */
  get members() {
    return this.#text[0] === "{" ? new Reader(this.#text).members() : null;
  }

  /** The elements of a list; null if it is none. */
  get elements() {
    return this.#text[0] === "[" ? new Reader(this.#text).elements() : null;
  }
}

/**
 * Reads a document of the panel. What is only shown of it is a `JSONText`: nothing parses its numbers.
 *
 * @param {string} text
 */
export function readJSON(text) {
  return HAS_SHOWN.test(text) ? new Reader(text).read() : JSON.parse(text);
}

class Reader {
  #text;
  #place = 0;

  constructor(text) {
    this.#text = text;
  }

  read() {
    this.#skipSpace();
    const first = this.#text[this.#place];
    if (first === "{") {
      const object = {};
      this.#each("}", () => {
        const name = this.#name();
        object[name] = this.#member(name);
      });
      return object;
    }
    if (first === "[") return this.#list(() => this.read());
    return JSON.parse(this.#slice());
  }

  members() {
    const members = [];
    this.#each("}", () => members.push([this.#name(), this.#shown()]));
    return members;
  }

  elements() {
    return this.#list(() => this.#shown());
  }

  #member(name) {
    if (LISTS.has(name)) return this.elements();
    return SHOWN.has(name) ? this.#shown() : this.read();
  }

  #shown() {
    this.#skipSpace();
    const text = this.#slice();
    return /^["tfn]/.test(text) ? JSON.parse(text) : new JSONText(text);
  }

  #name() {
    const name = JSON.parse(this.#slice());
    this.#skipSpace();
    this.#place += 1;
    return name;
  }

  #list(read) {
    const list = [];
    this.#each("]", () => list.push(read()));
    return list;
  }

  /** Calls for each part between a bracket and the one that closes it. */
  #each(closing, read) {
    this.#skipSpace();
    this.#place += 1;
    this.#skipSpace();
    while (this.#text[this.#place] !== closing) {
      if (this.#place >= this.#text.length) throw new SyntaxError("the document ends early");
      read();
      this.#skipSpace();
      if (this.#text[this.#place] === ",") this.#place += 1;
      this.#skipSpace();
    }
    this.#place += 1;
  }

  #skipSpace() {
    while (/\s/.test(this.#text[this.#place] ?? "")) this.#place += 1;
  }

  /** The text of the value that begins here. */
  #slice() {
    const start = this.#place;
    const first = this.#text[start];
    if (first === '"') this.#place = this.#stringEnd(start);
    else if (first === "{" || first === "[") this.#skipNested();
    else while (/[^\s,\]}]/.test(this.#text[this.#place] ?? ",")) this.#place += 1;
    return this.#text.slice(start, this.#place);
  }

  #skipNested() {
    const mark = /["{}[\]]/g;
    let depth = 0;
    do {
      mark.lastIndex = this.#place;
      const found = mark.exec(this.#text);
      if (!found) throw new SyntaxError("the document ends early");
      if (found[0] === '"') this.#place = this.#stringEnd(found.index);
      else {
        depth += "{[".includes(found[0]) ? 1 : -1;
        this.#place = found.index + 1;
      }
    } while (depth > 0);
  }

  /** The place behind a string. */
  #stringEnd(start) {
    for (let end = start; ;) {
      end = this.#text.indexOf('"', end + 1);
      if (end < 0) throw new SyntaxError("the document ends early");
      let before = end;
      while (this.#text[before - 1] === "\\") before -= 1;
      if ((end - before) % 2 === 0) return end + 1;
    }
  }
}
