import { setAttribute, shape } from "./dom.js";
import { onNextFrame } from "./frame.js";

/** The height of a mark in pixels. */
const MARK = 3;
/** How far beside a mark a press may be, in marks. */
const REACH = 2;

/** Marks beside the scroll bar: where errors are, and what a search has found. A press leads there. */
export class LineRail {
  #viewport;
  #rowHeight;
  #layout;
  #reveal;
  #root = shape("svg", { class: "rail", "aria-hidden": "true" });
  #paths = new Map();
  #scans = [];
  /** That of the view: to ask for it makes the browser lay everything out. */
  #height = 0;
  draw = onNextFrame(() => this.#draw());

  /**
   * @param {HTMLElement} viewport the element that scrolls
   * @param {number} rowHeight in pixels
   * @param {import("./line-layout.js").LineLayout} layout
   * @param {(line: number) => void} reveal
   */
  constructor(viewport, rowHeight, layout, reveal) {
    this.#viewport = viewport;
    this.#rowHeight = rowHeight;
    this.#layout = layout;
    this.#reveal = reveal;
    viewport.after(this.#root);
    this.#root.addEventListener("click", ({ clientY }) =>
      this.#press(clientY - this.#root.getBoundingClientRect().top));
    new ResizeObserver(() => this.#measure()).observe(viewport);
  }

  /**
   * Shows others.
   *
   * @param {Object<string, import("./line-scan.js").LineScan>} scans by the class of their marks
   */
  show(scans) {
    this.#scans = Object.entries(scans);
    for (const [name, scan] of this.#scans) {
      if (!this.#paths.has(name)) {
        const path = shape("path", { class: name });
        this.#paths.set(name, path);
        this.#root.append(path);
      }
      scan.addEventListener("found", this.draw);
    }
    this.draw();
  }

  /** Takes its place beside the scroll bar. */
  #measure() {
    this.#height = this.#viewport.clientHeight;
    this.#root.style.right = `${this.#viewport.offsetWidth - this.#viewport.clientWidth}px`;
    this.draw();
  }

  #draw() {
    const marks = Math.floor(this.#height / MARK);
    for (const [name, scan] of this.#scans) {
      const parts = [];
      for (let mark = 0; scan.count > 0 && mark < marks; mark += 1) {
        if (scan.isIn(...this.#range(mark, marks))) parts.push(`M0 ${mark * MARK}h8v${MARK}h-8z`);
      }
      setAttribute(this.#paths.get(name), "d", parts.join(""));
    }
  }

  /** The lines of a mark. A short output does not reach down to the last ones. */
  #range(mark, marks) {
    const rows = Math.max(this.#layout.rows, this.#height / this.#rowHeight);
    const [first, end] = [mark, mark + 1].map((place) => Math.ceil(place / marks * rows));
    if (first >= this.#layout.rows || end <= first) return [0, 0];
    return [this.#layout.lineAt(first), this.#layout.lineAt(end - 1) + 1];
  }

  #press(y) {
    const marks = Math.floor(this.#height / MARK);
    const pressed = Math.floor(y / MARK);
    for (let distance = 0; distance <= REACH; distance += 1) {
      for (const mark of [pressed - distance, pressed + distance]) {
        const [first, end] = this.#range(mark, marks);
        const scan = this.#scans.find(([, each]) => each.isIn(first, end));
        if (scan) return this.#reveal(scan[1].firstIn(first));
      }
    }
  }
}
