import { setAttribute, show } from "./dom.js";

/** The shortest and the longest time that is shown, in seconds. */
const SHORTEST = 2;
const LONGEST = 30 * 86_400;
/** Lengths of which one is taken that has the last runs in it, and how many that are. */
const LENGTHS = [
  5, 10, 20, 60, 180, 300, 600, 900, 1_800, 3_600, 7_200, 6 * 3_600, 86_400, 7 * 86_400, LONGEST,
];
const RUNS = 8;
/** How far the pointer must be drawn to mean a part, in pixels. */
const DRAWN = 6;

/**
 * The time that the timeline shows: a length up to now, or a part that the reader has chosen by the wheel, by
 * drawing over it, or by keys.
 */
export class TimeWindow {
  #picture;
  #brush;
  #kept;
  #changed;
  #select = document.getElementById("timeline-span");
  #toNow = document.getElementById("to-now");
  /** @type {{start: number, end: number} | null} null for a length up to now */
  #chosen = null;
  #shown = { start: 0, end: 1 };

  /**
   * @param {SVGElement} picture as wide as the time
   * @param {SVGElement} brush drawn over the part that is being chosen
   * @param {import("./kept.js").Kept} kept
   * @param {() => void} changed
   */
  constructor(picture, brush, kept, changed) {
    this.#picture = picture;
    this.#brush = brush;
    this.#kept = kept;
    this.#changed = changed;
    this.#select.value = kept.value ?? "0";
    this.#select.addEventListener("change", () => {
      kept.value = this.#select.value;
      this.#choose(null);
    });
    this.#toNow.addEventListener("click", () => this.#choose(null));
    document.getElementById("zoom-in").addEventListener("click", () => this.#zoom(0.5));
    document.getElementById("zoom-out").addEventListener("click", () => this.#zoom(2));
    picture.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    picture.addEventListener("pointerdown", (event) => this.#draw(event));
    picture.addEventListener("dblclick", () => this.#choose(null));
    document.getElementById("timeline").addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * The time to show.
   *
   * @param {import("./model.js").Execution[]} executions
   * @param {number} now
   * @returns {{start: number, end: number}}
   */
  place(executions, now) {
    const length = Number(this.#select.value) || lengthOf(executions, now);
    this.#shown = this.#chosen ?? { start: now - length, end: now };
    return this.#shown;
  }

  #choose(part) {
    this.#chosen = part;
    show(this.#toNow, part !== null);
    this.#changed();
  }

  /** Makes the time longer or shorter around a place from 0 to 1; at the end it goes on up to now. */
  #zoom(factor, place = 0.5) {
    const { start, end } = this.#shown;
    const length = Math.min(LONGEST, Math.max(SHORTEST, (end - start) * factor));
    const from = start + (end - start - length) * place;
    this.#choose({ start: from, end: from + length });
  }

  #move(by) {
    const { start, end } = this.#shown;
    const distance = (end - start) * by;
    this.#choose({ start: start + distance, end: end + distance });
  }

  #placeOf({ clientX }) {
    const box = this.#picture.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - box.left) / (box.width - 8)));
  }

  #wheel(event) {
    const { scrollHeight, clientHeight } = document.getElementById("timeline");
    // A timeline that is longer than its place scrolls, unless Ctrl is held.
    if (scrollHeight > clientHeight + 1 && !event.ctrlKey) return;
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    event.preventDefault();
    if (isSideways || event.shiftKey) this.#move((event.deltaX || event.deltaY) / 1_000);
    else this.#zoom(Math.exp(event.deltaY / 400), this.#placeOf(event));
  }

  #draw(event) {
    if (event.button !== 0 || event.pointerType === "touch") return;
    const from = this.#placeOf(event);
    const startX = event.clientX;
    let isDrawn = false;
    const move = (moved) => {
      isDrawn ||= Math.abs(moved.clientX - startX) > DRAWN;
      if (!isDrawn) return;
      this.#picture.setPointerCapture(event.pointerId);
      const to = this.#placeOf(moved);
      const width = this.#picture.clientWidth - 8;
      setAttribute(this.#brush, "visibility", "visible");
      setAttribute(this.#brush, "x", Math.min(from, to) * width);
      setAttribute(this.#brush, "width", Math.abs(to - from) * width);
    };
    const end = (ended) => {
      this.#picture.removeEventListener("pointermove", move);
      setAttribute(this.#brush, "visibility", "hidden");
      if (!isDrawn || ended.type === "pointercancel") return;
      // What was drawn is no click on a bar.
      const stop = (click) => click.preventDefault();
      this.#picture.addEventListener("click", stop, { capture: true, once: true });
      setTimeout(() => this.#picture.removeEventListener("click", stop, { capture: true }));
      const [first, last] = [from, this.#placeOf(ended)].sort((one, other) => one - other);
      const { start, end } = this.#shown;
      const length = end - start;
      if ((last - first) * length < SHORTEST / 4) return;
      this.#choose({ start: start + first * length, end: start + last * length });
    };
    event.preventDefault();
    this.#picture.addEventListener("pointermove", move);
    for (const type of ["pointerup", "pointercancel"]) {
      this.#picture.addEventListener(type, end, { once: true });
    }
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("select")) return;
    const isBar = event.target.closest("a") !== null;
    const actions = {
      "+": () => this.#zoom(0.5), "=": () => this.#zoom(0.5), "-": () => this.#zoom(2),
      0: () => this.#choose(null),
      ArrowLeft: isBar ? null : () => this.#move(-0.2),
      ArrowRight: isBar ? null : () => this.#move(0.2),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

/** A length up to now that has the last runs in it, or all if there are fewer. */
function lengthOf(executions, now) {
  const times = executions.map((each) => each.created ?? each.started).sort((a, b) => b - a);
  const needed = now - (times[Math.min(RUNS, times.length) - 1] ?? now);
  return LENGTHS.find((length) => length >= needed * 1.05) ?? LONGEST;
}
