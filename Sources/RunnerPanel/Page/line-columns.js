import { element } from "./dom.js";
import { Switch } from "./switch.js";

/** What is beside a line's number and its text, in pixels. */
const PADDING = 38;
/** The cells of a time and the blanks behind it. */
const TIME = 14;
const FEWEST = 20;
/** The cells of what is measured. */
const PROBE = 10;

/** Where lines are wrapped: at the width of the view, if the reader wants it. */
export class LineColumns {
  #viewport;
  #change;
  #probe = element("div", { class: "probe", "aria-hidden": "true" }, "0".repeat(PROBE));
  #digits = 1;
  #columns = Infinity;
  #switch;

  /**
   * @param {HTMLElement} viewport
   * @param {(columns: number) => void} change takes infinity where lines are not wrapped
   */
  constructor(viewport, change) {
    this.#viewport = viewport;
    this.#change = change;
    viewport.append(this.#probe);
    this.#switch = new Switch("wrap", () => this.measure());
    new ResizeObserver(() => this.measure()).observe(viewport);
  }

  /** Makes room for numbers of lines. */
  make(digits) {
    if (digits === this.#digits) return;
    this.#digits = digits;
    this.#viewport.style.setProperty("--digits", String(digits));
    this.measure();
  }

  /** Looks how many columns there are now. */
  measure() {
    const { isOn } = this.#switch;
    this.#viewport.classList.toggle("wrapped", isOn);
    const columns = isOn ? this.#count() : Infinity;
    if (columns === this.#columns) return;
    this.#columns = columns;
    this.#change(columns);
  }

  #count() {
    const cell = this.#probe.getBoundingClientRect().width / PROBE;
    // A view that is not shown keeps what it had.
    if (cell === 0) return this.#columns;
    const margin = this.#digits + (this.#viewport.classList.contains("times") ? TIME : 0);
    const width = this.#viewport.clientWidth - PADDING - margin * cell;
    return Math.max(FEWEST, Math.floor(width / cell));
  }
}
