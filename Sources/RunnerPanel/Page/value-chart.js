import { element, setAttribute, setText, shape } from "./dom.js";

const WIDTH = 1000;
const HEIGHT = 200;
/** More points than this are drawn as the lowest and the highest of each place. */
const PLACES = 500;

/** A curve of numbers, above that of the run before. A pointer over it, or arrows, tell a number. */
export class ValueChart {
  root;
  #svg = shape("svg", {
    viewBox: `0 -4 ${WIDTH} ${HEIGHT + 8}`, preserveAspectRatio: "none", "aria-hidden": "true",
  });
  #before = shape("path", { class: "before" });
  #zero = shape("path", { class: "zero" });
  #curve = shape("path", { class: "curve" });
  #cursor = shape("path", { class: "cursor" });
  #high = element("span", { class: "high" });
  #low = element("span", { class: "low" });
  #told = element("span", { class: "told", role: "status" });
  #values = [];
  #place = -1;

  constructor() {
    this.#svg.append(this.#zero, this.#before, this.#curve, this.#cursor);
    const plot = element("div", {
      class: "plot", tabindex: 0, role: "img", pointermove: (event) => this.#point(event),
      pointerleave: () => this.#tell(-1), keydown: (event) => this.#key(event),
    }, this.#svg, this.#high, this.#low);
    this.root = element("figure", { class: "value-chart" }, plot, this.#told);
  }

  /**
   * @param {import("./json-text.js").JSONText[]} values
   * @param {import("./json-text.js").JSONText[]} before those of the last run
   */
  show(values, before) {
    this.#values = values;
    const numbers = values.map((value) => value.approximation);
    const older = before.map((value) => value.approximation);
    const low = lowest([...numbers, ...older]);
    const high = -lowest([...numbers, ...older].map((number) => -number));
    const scale = high > low ? HEIGHT / (high - low) : 0;
    const y = (number) => (scale === 0 ? HEIGHT / 2 : HEIGHT - (number - low) * scale);
    setAttribute(this.#curve, "d", path(numbers, y));
    setAttribute(this.#before, "d", path(older, y));
    setAttribute(this.#zero, "d", low < 0 && high > 0 ? `M0 ${y(0).toFixed(1)}H${WIDTH}` : "");
    const text = (number) => String([...values, ...before].find((each) =>
      each.approximation === number) ?? number);
    setText(this.#high, text(high));
    setText(this.#low, scale === 0 ? "" : text(low));
    setAttribute(this.#svg.parentNode, "aria-label",
      `${values.length} numbers from ${text(low)} to ${text(high)}, the last is ${values.at(-1)}`);
    this.#tell(this.#place);
  }

  #point({ clientX }) {
    const { left, width } = this.#svg.getBoundingClientRect();
    this.#tell(Math.round((clientX - left) / width * (this.#values.length - 1)));
  }

  #key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    this.#tell(Math.min(this.#values.length - 1, Math.max(0, this.#place + step)));
  }

  /** Tells the number at a place, exactly. */
  #tell(place) {
    const value = this.#values[place];
    this.#place = value === undefined ? -1 : place;
    setText(this.#told, value === undefined
      ? `last ${this.#values.at(-1)}` : `${place + 1} of ${this.#values.length}: ${value}`);
    const x = place / Math.max(1, this.#values.length - 1) * WIDTH;
    setAttribute(this.#cursor, "d", value === undefined ? "" : `M${x.toFixed(1)} -4V${HEIGHT + 4}`);
  }
}

function lowest(numbers) {
  return numbers.reduce((low, number) => Math.min(low, number), Infinity);
}

function path(numbers, y) {
  const last = Math.max(1, numbers.length - 1);
  const points = [];
  const size = Math.ceil(numbers.length / PLACES);
  for (let start = 0; start < numbers.length; start += size) {
    const part = numbers.slice(start, start + size);
    const x = ((start + (size - 1) / 2) / last * WIDTH).toFixed(1);
    points.push(`${x} ${y(lowest(part)).toFixed(1)}`);
    if (size > 1) points.push(`${x} ${y(-lowest(part.map((number) => -number))).toFixed(1)}`);
  }
  return points.length === 0 ? "" : `M${points.join("L")}`;
}
