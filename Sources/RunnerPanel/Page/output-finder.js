import { setText, show } from "./dom.js";
import { ErrorScan, StandardErrorScan } from "./error-scan.js";
import { Kept } from "./kept.js";
import { LineRail } from "./line-rail.js";
import { LineSearch } from "./line-search.js";

/** Finds what is sought in the output, and errors: by the field, buttons, and marks at the scroll bar. */
export class OutputFinder {
  /** The line to which it has led last, or -1. */
  line = -1;
  #list;
  #search;
  #errors;
  #standardErrors;
  #rail;
  #kept = new Kept("sessionStorage", "search");
  #input = document.getElementById("search");
  #found = document.getElementById("found");
  #button = document.getElementById("next-error");

  /** @param {import("./output-list.js").OutputList} list */
  constructor(list) {
    this.#list = list;
    this.#rail = new LineRail(list.viewport, list.rowHeight, list.layout, (line) => this.#show(line));
    this.#input.value = this.#kept.value ?? "";
    this.#input.addEventListener("input", () => this.#seek());
    this.#input.addEventListener("keydown", (event) => this.#key(event));
    document.getElementById("previous").addEventListener("click", () => this.step(-1));
    document.getElementById("next").addEventListener("click", () => this.step(1));
    this.#button.addEventListener("click", () => this.stepError(1));
  }

  /** Searches other lines from now on. */
  take(lines) {
    this.#search = new LineSearch(lines);
    this.#errors = new ErrorScan(lines);
    this.#standardErrors = new StandardErrorScan(lines);
    const scans = [this.#search, this.#errors, this.#standardErrors];
    for (const scan of scans) {
      scan.addEventListener("found", () => scans[0] === this.#search && this.#tell());
    }
    this.#rail.show({
      warned: this.#standardErrors, wrong: this.#errors, found: this.#search,
    });
    this.line = -1;
    this.#search.search(this.#input.value);
    this.#tell();
  }

  /** @param {number} changed the first line that is another, or new */
  goOn(changed) {
    for (const scan of [this.#search, this.#errors, this.#standardErrors]) scan.goOn(changed);
    this.#rail.draw();
  }

  /** Shows the marks where the lines are now. */
  place() {
    this.#rail.draw();
  }

  /** The parts of a text that match. */
  marks(text) {
    const { length } = this.#search.wanted;
    return this.#search.places(text).map((start) => ({ start, end: start + length }));
  }

  /** Moves the focus to the field. */
  focus() {
    this.#input.focus();
    this.#input.select();
  }

  /** Goes to the next line that matches, or the one before. */
  step(direction) {
    this.#step(this.#search, direction);
  }

  /** Goes to the next error, or the one before. */
  stepError(direction) {
    const scan = this.#errorScan;
    this.#step(scan, direction);
    if (scan.number > 0) this.#list.announce(scan.line, `error ${scan.number} of ${scan.count}`);
  }

  /** The lines that speak of errors; those of standard error if there are none. */
  get #errorScan() {
    return this.#errors.count > 0 ? this.#errors : this.#standardErrors;
  }

  #step(scan, direction) {
    scan.step(direction, this.#list.firstLine);
    if (scan.line >= 0) this.#show(scan.line);
  }

  #show(line) {
    this.line = line;
    this.#list.reveal(line);
  }

  #seek() {
    this.#kept.value = this.#input.value;
    this.line = -1;
    this.#search.search(this.#input.value);
    this.#list.redraw();
  }

  #tell() {
    const { wanted, count, number, isComplete } = this.#search;
    const all = count.toLocaleString("en") + (isComplete ? "" : "…");
    const text = number > 0 ? `${number.toLocaleString("en")} of ${all}` : `${all} found`;
    setText(this.#found, wanted === "" ? "" : text);
    const errors = this.#errorScan;
    const noun = errors === this.#errors ? errors.count === 1 ? "error" : "errors" : "on stderr";
    setText(this.#button, `${errors.count.toLocaleString("en")} ${noun}`);
    show(this.#button, errors.count > 0);
  }

  #key(event) {
    if (event.key === "Enter") this.step(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      this.#input.value = "";
      this.#seek();
      this.#list.focus();
    } else return;
    event.preventDefault();
  }
}
