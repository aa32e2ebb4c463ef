import { setAttribute } from "./dom.js";
import { Kept } from "./kept.js";

/** How far an arrow key moves it, in pixels. */
const STEP = 24;

/**
 * The border of a pane, which the reader moves: by the pointer, or by arrow keys. A double click or Delete
 * puts it back. The browser remembers the size, and the style sheet says what there is room for.
 */
export class Splitter {
  #root;
  #pane;
  #property;
  #kept;
  #isRow;
  /** 1 if the pane is before it, or else -1. */
  #sign;
  #least;

  /**
   * @param {string} id of an element with the role `separator`, which controls the pane
   * @param {{least: number, isAfter?: boolean}} options the least size in pixels; whether the pane is behind
   *   the border
   */
  constructor(id, { least, isAfter = false }) {
    this.#root = document.getElementById(id);
    const name = this.#root.getAttribute("aria-controls");
    this.#pane = document.getElementById(name);
    this.#property = `--size-of-${name}`;
    this.#kept = new Kept("localStorage", `size of ${name}`);
    this.#isRow = this.#root.ariaOrientation === "horizontal";
    this.#sign = isAfter ? -1 : 1;
    this.#least = least;
    setAttribute(this.#root, "aria-valuemin", least);
    this.#apply(this.#kept.value);
    this.#root.addEventListener("pointerdown", (event) => this.#drag(event));
    this.#root.addEventListener("dblclick", () => this.#set(undefined));
    this.#root.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.#tell()).observe(this.#pane);
  }

  get #size() {
    return this.#isRow ? this.#pane.offsetHeight : this.#pane.offsetWidth;
  }

  /** @param {number | undefined} size in pixels; undefined for that of the style sheet */
  #set(size) {
    const value = size === undefined ? undefined : Math.round(Math.max(this.#least, size));
    this.#kept.value = value ?? null;
    this.#apply(value);
  }

  #apply(size) {
    if (Number.isFinite(size)) document.body.style.setProperty(this.#property, `${size}px`);
    else document.body.style.removeProperty(this.#property);
  }

  #drag(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    this.#root.focus();
    this.#root.setPointerCapture(event.pointerId);
    const from = this.#isRow ? event.clientY : event.clientX;
    const size = this.#size;
    const move = (moved) =>
      this.#set(size + this.#sign * ((this.#isRow ? moved.clientY : moved.clientX) - from));
    const end = () => this.#root.removeEventListener("pointermove", move);
    this.#root.addEventListener("pointermove", move);
    for (const type of ["pointerup", "pointercancel"]) {
      this.#root.addEventListener(type, end, { once: true });
    }
  }

  #key(event) {
    const steps = this.#isRow
      ? { ArrowUp: -1, ArrowDown: 1 } : { ArrowLeft: -this.#sign, ArrowRight: this.#sign };
    const step = steps[event.key];
    if (step) this.#set(this.#size + step * STEP);
    else if (event.key === "Home") this.#set(this.#least);
    else if (event.key === "Delete") this.#set(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #tell() {
    const room = this.#isRow ? innerHeight : innerWidth;
    setAttribute(this.#root, "aria-valuemax", Math.max(this.#least, room));
    setAttribute(this.#root, "aria-valuenow", this.#size);
    setAttribute(this.#root, "aria-valuetext", `${this.#size} pixels`);
  }
}
