import { setAttribute, setText, show } from "./dom.js";
import { onNextFrame } from "./frame.js";
import { drawLine } from "./line-view.js";
import { LineSearch } from "./line-search.js";
import { Kind } from "./lines.js";
import { OutputRecord } from "./output-record.js";
import { VirtualList } from "./virtual-list.js";

/** The height of a line, which the style sheet has too. */
const ROW = 18;
const CLASSES = { [Kind.value]: "row", [Kind.error]: "row stderr", [Kind.note]: "row note" };

/** The lines of an execution, with their search and the button that follows them. */
export class OutputList {
  /** @type {OutputRecord} */
  record = new OutputRecord();
  /** How many lines there were. */
  #known = 0;
  #viewport = document.getElementById("lines");
  #follow = document.getElementById("follow");
  #input = document.getElementById("search");
  #found = document.getElementById("found");
  #length = document.getElementById("length");
  #list = new VirtualList(this.#viewport, ROW, (node, row) => this.#draw(node, row));
  #search = this.#makeSearch();

  constructor() {
    this.#list.addEventListener("follow", () => this.#showFollow());
    this.#follow.addEventListener("click", () => this.follow());
    this.#viewport.addEventListener("keydown", (event) => this.#scrollKey(event));
    this.#input.addEventListener("input", () => {
      this.#search.search(this.#input.value);
      this.#list.redraw();
    });
    this.#input.addEventListener("keydown", (event) => this.#searchKey(event));
    document.getElementById("previous").addEventListener("click", () => this.step(-1));
    document.getElementById("next").addEventListener("click", () => this.step(1));
  }

  /** Names it for those who hear it. */
  describe(name) {
    setAttribute(this.#viewport, "aria-label", name);
  }

  /** Begins with nothing. */
  clear() {
    this.record = new OutputRecord();
    this.#known = 0;
    this.#search = this.#makeSearch();
    this.#search.search(this.#input.value);
    this.#list.redraw();
    this.#list.follow(true);
    this.update();
  }

  /** Shows what the record has now. */
  update() {
    const { length } = this.record.lines;
    // What came may have gone on with the line that was the last, or the last before one that is begun.
    this.#list.update(length, Math.max(0, Math.min(this.#known, length) - 2));
    this.#known = length;
    this.#search.goOn();
    this.#showLength();
  }

  /** Shows no line as begun any more. */
  end() {
    this.record.lines.end();
    this.update();
  }

  /** Goes to the end, and stays there. */
  follow() {
    // The button goes, and must not take the focus with it.
    if (document.activeElement === this.#follow) this.#viewport.focus();
    this.#list.follow(true);
  }

  focus() {
    this.#viewport.focus();
  }

  /** Moves the focus to the search. */
  startSearch() {
    this.#input.focus();
    this.#input.select();
  }

  /** Goes to the next line that matches, or the one before. */
  step(direction) {
    this.#search.step(direction, this.#list.rows.first);
    if (this.#search.line < 0) return;
    this.#list.follow(false);
    this.#list.reveal(this.#search.line);
    this.#list.redraw();
  }

  #makeSearch() {
    const search = new LineSearch(this.record.lines);
    search.addEventListener("found", () => search === this.#search && this.#showFound());
    return search;
  }

  #draw(node, row) {
    const { lines } = this.record;
    node.className = CLASSES[lines.kind(row)];
    node.dataset.line = String(row + 1);
    node.classList.toggle("current", row === this.#search.line);
    const length = this.#search.wanted.length;
    drawLine(node, lines.text(row), lines.style(row), (text) =>
      this.#search.places(text).map((start) => ({ start, end: start + length })));
  }

  #showFollow() {
    show(this.#follow, !this.#list.isFollowing);
  }

  #showLength = onNextFrame(() => {
    const { length } = this.record.lines;
    setText(this.#length, length === 1 ? "1 line" : `${length.toLocaleString("en")} lines`);
    const digits = String(String(length).length);
    if (this.#viewport.style.getPropertyValue("--digits") === digits) return;
    this.#viewport.style.setProperty("--digits", digits);
  });

  #showFound() {
    const { wanted, count, number, isComplete } = this.#search;
    const all = count.toLocaleString("en") + (isComplete ? "" : "…");
    const text = number > 0 ? `${number.toLocaleString("en")} of ${all}` : `${all} found`;
    setText(this.#found, wanted === "" ? "" : text);
  }

  #scrollKey(event) {
    const page = this.#list.pageLength;
    const rows = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, " ": page }[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (rows !== undefined) this.#list.scrollBy(rows);
    else if (event.key === "Home") this.#list.scrollToStart();
    else if (event.key === "End") this.follow();
    else return;
    event.preventDefault();
  }

  #searchKey(event) {
    if (event.key === "Enter") this.step(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      this.#input.value = "";
      this.#search.search("");
      this.#list.redraw();
      this.#viewport.focus();
    } else return;
    event.preventDefault();
  }
}
