import { setAttribute, setText, show } from "./dom.js";
import { onNextFrame } from "./frame.js";
import { LineColumns } from "./line-columns.js";
import { LineDialog } from "./line-dialog.js";
import { LineLayout } from "./line-layout.js";
import { LineSelection } from "./line-selection.js";
import { drawLine } from "./line-view.js";
import { Kind } from "./lines.js";
import { selectedText } from "./native-selection.js";
import { OutputFinder } from "./output-finder.js";
import { listenToOutputKeys } from "./output-keys.js";
import { OutputRecord } from "./output-record.js";
import { OutputSteps } from "./output-steps.js";
import { drawStep } from "./step-line.js";
import { Switch } from "./switch.js";
import { stampText } from "./time-text.js";
import { VirtualList } from "./virtual-list.js";

const CLASSES = {
  [Kind.value]: "row", [Kind.error]: "row stderr", [Kind.note]: "row note", [Kind.step]: "row step",
};

/** The lines of an execution, with what is selected and sought in them, and a button that follows them. */
export class OutputList {
  /** @type {OutputRecord} */
  record = new OutputRecord();
  viewport = document.getElementById("lines");
  /** The height of a row in pixels, which the style sheet has too. */
  rowHeight = 18;
  layout = new LineLayout(this.record.lines);
  rows = new VirtualList(
    this.viewport, this.rowHeight, this.layout, (node, line) => this.#draw(node, line));
  selection = new LineSelection(this.viewport, this.rows);
  finder = new OutputFinder(this);
  steps = new OutputSteps(this);
  #follow = document.getElementById("follow");
  #length = document.getElementById("length");
  #legend = document.getElementById("legend");
  #columns = new LineColumns(this.viewport, (columns) =>
    this.rows.arrange(() => this.layout.wrap(columns)));
  #times = new Switch("times", (isOn) => this.#showTimes(isOn));
  #dialog = new LineDialog();
  #say;
  #uncover;

  /**
   * @param {(sentence: string) => void} say to those who hear the page
   * @param {() => void} uncover shows the lines, if something else has their place
   */
  constructor(say, uncover) {
    this.#say = say;
    this.#uncover = uncover;
    this.finder.take(this.record.lines);
    this.#showTimes(this.#times.isOn);
    listenToOutputKeys(this);
    this.rows.addEventListener("follow", () => show(this.#follow, !this.rows.isFollowing));
    this.#follow.addEventListener("click", () => this.follow());
    this.viewport.addEventListener("copy", (event) => this.#copy(event));
    this.viewport.addEventListener("mouseover", ({ target }) => this.#tellTime(target.closest(".row")));
    this.viewport.addEventListener("click", ({ target }) => this.#showWhole(target.closest(".rest")));
    this.selection.addEventListener("change", () => {
      this.rows.redraw();
      this.#showLength();
    });
  }

  /** Names it for those who hear it. */
  describe(name) {
    setAttribute(this.viewport, "aria-label", name);
  }

  /** Says something about a line, and the line. */
  announce(line, sentence) {
    this.#say(`${sentence}: ${this.record.lines.plain(line).slice(0, 200)}`);
  }

  /** Says how many lines are selected. */
  tellSelection() {
    const { count } = this.selection;
    this.#say(count === 1 ? "1 line selected" : `${count} lines selected`);
  }

  /** Begins with nothing. */
  clear() {
    this.record = new OutputRecord();
    this.layout.take(this.record.lines);
    this.steps.clear();
    this.selection.clear();
    this.finder.take(this.record.lines);
    this.rows.redraw();
    this.rows.follow(true);
    this.update();
  }

  /** Shows what the record has now. */
  update() {
    const changed = this.record.lines.takeChange();
    this.layout.update(changed);
    this.rows.update(changed);
    this.steps.update();
    this.finder.goOn(changed);
    this.#showLength();
  }

  /** Shows no line as begun any more. */
  end() {
    this.record.lines.end();
    this.update();
  }

  /** Goes to the end, and stays there. */
  follow() {
    this.#uncover();
    // The button goes, and must not take the focus with it.
    if (document.activeElement === this.#follow) this.viewport.focus();
    this.rows.follow(true);
  }

  focus() {
    this.#uncover();
    this.viewport.focus();
  }

  /** Moves the focus to the search. */
  startSearch() {
    this.#uncover();
    this.finder.focus();
  }

  /** Goes to the next line that matches, or the one before. */
  step(direction) {
    this.finder.step(direction);
  }

  /** The first line in view. */
  get firstLine() {
    return this.rows.lines.first;
  }

  /** Brings a line into view. */
  reveal(line) {
    this.#uncover();
    this.steps.open(line);
    this.rows.follow(false);
    this.rows.reveal(line);
    this.rows.redraw();
  }

  redraw() {
    this.rows.redraw();
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
    for (let line = first; line <= Math.min(last, lines.length - 1); line += 1) {
      texts.push(lines.plain(line));
    }
    return { text: texts.join("\n"), count: texts.length };
  }

  #draw(node, line) {
    const { lines } = this.record;
    node.className = CLASSES[lines.kind(line)];
    node.dataset.line = String(line + 1);
    node.removeAttribute("title");
    if (this.#times.isOn) node.dataset.time = stampText(lines.time(line));
    node.classList.toggle("current", line === this.finder.line);
    node.classList.toggle("selected", this.selection.has(line));
    const step = lines.kind(line) === Kind.step ? this.steps.indexOf(line) : -1;
    if (step >= 0) return drawStep(node, this.record.steps[step], this.steps.standing(step));
    drawLine(node, lines.text(line), lines.style(line), this.layout.columns, (text) =>
      this.finder.marks(text));
  }

  #showTimes(isOn) {
    this.viewport.classList.toggle("times", isOn);
    this.#columns.measure();
    this.rows.redraw();
  }

  #tellTime(row) {
    if (row) row.title = stampText(this.record.lines.time(Number(row.dataset.line) - 1));
  }

  #showWhole(button) {
    if (!button) return;
    const line = Number(button.closest(".row").dataset.line) - 1;
    this.#dialog.show(line + 1, this.record.lines.plain(line));
  }

  #showLength = onNextFrame(() => {
    const { length } = this.record.lines;
    const { count } = this.selection;
    const all = length === 1 ? "1 line" : `${length.toLocaleString("en")} lines`;
    setText(this.#length, count > 0 ? `${count.toLocaleString("en")} of ${all} selected` : all);
    this.#columns.make(String(length).length);
    show(this.#legend, this.record.hasErrors);
  });

  /** Copies the selected lines, or what the browser has selected. */
  #copy(event) {
    const text = this.selection.count > 0 ? this.content().text : selectedText(this.viewport);
    if (text === "") return;
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
  }
}
