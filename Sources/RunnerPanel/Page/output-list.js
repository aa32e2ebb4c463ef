import { setAttribute, setText, show } from "./dom.js";
import { onNextFrame } from "./frame.js";
import { drawLine } from "./line-view.js";
import { LineSearch } from "./line-search.js";
import { LineColumns } from "./line-columns.js";
import { LineDialog } from "./line-dialog.js";
import { LineLayout } from "./line-layout.js";
import { LineSelection } from "./line-selection.js";
import { Kind } from "./lines.js";
import { OutputRecord } from "./output-record.js";
import { Switch } from "./switch.js";
import { stampText } from "./time-text.js";
import { VirtualList } from "./virtual-list.js";

/** The height of a line, which the style sheet has too. */
const ROW = 18;
const CLASSES = { [Kind.value]: "row", [Kind.error]: "row stderr", [Kind.note]: "row note" };

/** The lines of an execution, with their search, their selection and the button that follows them. */
export class OutputList {
  /** @type {OutputRecord} */
  record = new OutputRecord();
  viewport = document.getElementById("lines");
  #layout = new LineLayout(this.record.lines);
  #follow = document.getElementById("follow");
  #input = document.getElementById("search");
  #found = document.getElementById("found");
  #length = document.getElementById("length");
  #legend = document.getElementById("legend");
  #list = new VirtualList(this.viewport, ROW, this.#layout, (node, line) => this.#draw(node, line));
  selection = new LineSelection(this.viewport, this.#list);
  #search = this.#makeSearch();
  #columns = new LineColumns(this.viewport, (columns) =>
    this.#list.arrange(() => this.#layout.wrap(columns)));
  #times = new Switch("times", (isOn) => this.#showTimes(isOn));
  #dialog = new LineDialog();

  constructor() {
    this.#showTimes(this.#times.isOn);
    this.#list.addEventListener("follow", () => this.#showFollow());
    this.#follow.addEventListener("click", () => this.follow());
    this.viewport.addEventListener("keydown", (event) => {
      if (this.#selectKey(event) || this.#scrollKey(event)) event.preventDefault();
    });
    this.viewport.addEventListener("copy", (event) => this.#copy(event));
    this.viewport.addEventListener("mouseover", ({ target }) => this.#tellTime(target.closest(".row")));
    this.viewport.addEventListener("click", ({ target }) => this.#showWhole(target.closest(".rest")));
    this.selection.addEventListener("change", () => {
      this.#list.redraw();
      this.#showLength();
    });
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
    setAttribute(this.viewport, "aria-label", name);
  }

  /** Begins with nothing. */
  clear() {
    this.record = new OutputRecord();
    this.#layout.take(this.record.lines);
    this.selection.clear();
    this.#search = this.#makeSearch();
    this.#search.search(this.#input.value);
    this.#list.redraw();
    this.#list.follow(true);
    this.update();
  }

  /** Shows what the record has now. */
  update() {
    const changed = this.record.lines.takeChange();
    this.#layout.update(changed);
    this.#list.update(changed);
    this.#search.goOn(changed);
    this.#showLength();
  }

  /**
   * The lines that are selected, or all.
   *
   * @returns {{text: string, count: number}}
   */
  content() {
    const { lines } = this.record;
    const [first, last] = this.selection.range ?? [0, lines.length - 1];
    const texts = [];
    for (let line = first; line <= last; line += 1) texts.push(lines.plain(line));
    return { text: texts.join("\n"), count: texts.length };
  }

  /** Shows no line as begun any more. */
  end() {
    this.record.lines.end();
    this.update();
  }

  /** Goes to the end, and stays there. */
  follow() {
    // The button goes, and must not take the focus with it.
    if (document.activeElement === this.#follow) this.viewport.focus();
    this.#list.follow(true);
  }

  focus() {
    this.viewport.focus();
  }

  /** Moves the focus to the search. */
  startSearch() {
    this.#input.focus();
    this.#input.select();
  }

  /** Goes to the next line that matches, or the one before. */
  step(direction) {
    this.#search.step(direction, this.#list.lines.first);
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

  #showTimes(isOn) {
    this.viewport.classList.toggle("times", isOn);
    this.#columns.measure();
    this.#list.redraw();
  }

  #tellTime(row) {
    if (row) row.title = stampText(this.record.lines.time(Number(row.dataset.line) - 1));
  }

  #showWhole(button) {
    if (!button) return;
    const line = Number(button.closest(".row").dataset.line) - 1;
    this.#dialog.show(line + 1, this.record.lines.plain(line));
  }

  #draw(node, line) {
    const { lines } = this.record;
    node.removeAttribute("title");
    if (this.#times.isOn) node.dataset.time = stampText(lines.time(line));
    node.className = CLASSES[lines.kind(line)];
    node.dataset.line = String(line + 1);
    node.classList.toggle("current", line === this.#search.line);
    node.classList.toggle("selected", this.selection.has(line));
    const length = this.#search.wanted.length;
    drawLine(node, lines.text(line), lines.style(line), this.#layout.columns, (text) =>
      this.#search.places(text).map((start) => ({ start, end: start + length })));
  }

  #showFollow() {
    show(this.#follow, !this.#list.isFollowing);
  }

  #showLength = onNextFrame(() => {
    const { length } = this.record.lines;
    const { count } = this.selection;
    const all = length === 1 ? "1 line" : `${length.toLocaleString("en")} lines`;
    setText(this.#length, count > 0 ? `${count.toLocaleString("en")} of ${all} selected` : all);
    this.#columns.make(String(length).length);
    show(this.#legend, this.record.hasErrors);
  });

  #showFound() {
    const { wanted, count, number, isComplete } = this.#search;
    const all = count.toLocaleString("en") + (isComplete ? "" : "…");
    const text = number > 0 ? `${number.toLocaleString("en")} of ${all}` : `${all} found`;
    setText(this.#found, wanted === "" ? "" : text);
  }

  /** @returns {boolean} whether the key does something */
  #selectKey({ key, ctrlKey, metaKey, altKey, shiftKey }) {
    const { length } = this.record.lines;
    if (altKey || length === 0) return false;
    if ((ctrlKey || metaKey) && key === "a") this.selection.select(0, length - 1);
    else if (ctrlKey || metaKey) return false;
    else if (key === "Escape" && this.selection.count > 0) this.selection.clear();
    else if (shiftKey && key !== " " && this.#distance(key) !== 0) {
      const end = this.selection.extend(this.#distance(key), this.#list.lines.first, length);
      this.#list.follow(false);
      this.#list.reveal(end);
    } else return false;
    return true;
  }

  #scrollKey({ key, ctrlKey, altKey, metaKey }) {
    if (ctrlKey || altKey || metaKey) return false;
    if (key === "Home") this.#list.scrollToStart();
    else if (key === "End") this.follow();
    else if (this.#distance(key) !== 0) this.#list.scrollBy(this.#distance(key));
    else return false;
    return true;
  }

  /** How many lines a key goes down; 0 for one that does not. */
  #distance(key) {
    const page = this.#list.pageLength;
    const all = this.record.lines.length;
    return {
      ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, " ": page, Home: -all, End: all,
    }[key] ?? 0;
  }

  /** Copies the selected lines, or what the browser has selected, without the breaks of wrapped lines. */
  #copy(event) {
    const text = this.selection.count > 0 ? this.content().text : this.#nativeSelection();
    if (text === "") return;
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
  }

  #nativeSelection() {
    const chosen = getSelection();
    if (chosen.isCollapsed) return "";
    const range = chosen.getRangeAt(0);
    const rows = [...this.viewport.querySelectorAll(".row:not([hidden])")];
    return rows.filter((row) => range.intersectsNode(row)).map((row) => {
      const part = document.createRange();
      part.selectNodeContents(row);
      if (row.contains(range.startContainer)) part.setStart(range.startContainer, range.startOffset);
      if (row.contains(range.endContainer)) part.setEnd(range.endContainer, range.endOffset);
      return part.toString();
    }).join("\n");
  }

  #searchKey(event) {
    if (event.key === "Enter") this.step(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      this.#input.value = "";
      this.#search.search("");
      this.#list.redraw();
      this.viewport.focus();
    } else return;
    event.preventDefault();
  }
}
