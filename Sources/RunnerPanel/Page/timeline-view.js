import { arrange, element, setAttribute, setText, shape, show } from "./dom.js";
import { onNextFrame } from "./frame.js";
import { isActive } from "./model.js";
import { elapsedText } from "./execution-row.js";
import { roving } from "./roving.js";
import { address } from "./selection.js";
import { executionState, inputText } from "./state-text.js";
import { layOut } from "./tracks.js";

/** Heights in pixels: of a bar, of the track that it has, of what a lane has around its tracks. */
const BAR = 12;
const TRACK = 14;
const MARGIN = 6;
const AXIS = 18;
/** How much of a tick's time must be seen. */
const LABEL = 64;
/** Lengths of time between two ticks, in seconds. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400];

/** When the executions ran: a lane for each command, or each worker, a bar for each execution, which is a link. */
export class TimelineView {
  #app;
  #panel = document.getElementById("timeline");
  #span = document.getElementById("timeline-span");
  #lanes = document.getElementById("lanes");
  #picture = document.getElementById("bars");
  #none = document.getElementById("no-timeline");
  #names = new Map();
  #bars = new Map();
  #ticks = shape("g", { class: "ticks", "aria-hidden": "true" });
  #group = shape("g");
  #placeTabStop = roving(this.#group);
  #schedule = onNextFrame(() => this.#draw());

  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.#app = app;
    this.#picture.append(this.#ticks, this.#group);
    const { model, selection, clock } = app;
    for (const type of ["execution", "executions"]) model.addEventListener(type, this.#schedule);
    selection.addEventListener("change", this.#schedule);
    clock.addEventListener("tick", () => {
      if ([...model.executions.values()].some(isActive)) this.#schedule();
    });
    this.#span.addEventListener("change", this.#schedule);
    new ResizeObserver(this.#schedule).observe(this.#panel);
  }

  #draw() {
    const width = this.#picture.clientWidth;
    if (this.#panel.hidden || width === 0) return;
    const { model } = this.#app;
    const all = [...model.executions.values()].filter((execution) => execution.started);
    const end = all.some(isActive) ? model.now : Math.max(0, ...all.map((each) => each.ended));
    const length = Number(this.#span.value);
    const earliest = Math.min(end, ...all.map((each) => each.started));
    const start = Math.max(earliest, end - length);
    const seen = all.filter((execution) => (execution.ended ?? end) >= start)
      .sort((one, other) => one.started - other.started);
    show(this.#none, seen.length === 0);
    const { lanes, track } = layOut(seen, end);
    const tops = [AXIS];
    for (const lane of lanes) tops.push(tops.at(-1) + lane.tracks * TRACK + MARGIN);
    this.#drawNames(lanes);
    setAttribute(this.#picture, "height", tops.at(-1));
    const scale = (width - 8) / Math.max(end - start, 1);
    this.#drawTicks(start, end, scale, tops.at(-1));
    this.#drawBars(seen, (execution) => {
      const from = Math.max(execution.started, start);
      const place = track.get(execution.id);
      return {
        x: (from - start) * scale,
        y: tops[place.lane] + place.track * TRACK + (MARGIN + TRACK - BAR) / 2,
        width: Math.max(3, ((execution.ended ?? end) - from) * scale),
      };
    });
  }

  #drawNames(lanes) {
    this.#names = new Map(
      lanes.map(({ name }) => [name, this.#names.get(name) ?? makeName(name)]));
    for (const { name, tracks } of lanes) {
      this.#names.get(name).style.height = `${tracks * TRACK + MARGIN}px`;
    }
    arrange(this.#lanes, [...this.#names.values()]);
  }

  #drawTicks(start, end, scale, height) {
    const least = 72 / scale;
    const step = STEPS.find((each) => each >= least) ?? Math.ceil(least / 86_400) * 86_400;
    const ticks = [];
    const options = { hour: "2-digit", minute: "2-digit" };
    if (step < 60) options.second = "2-digit";
    // Those of round times of day, where the reader is.
    const zone = new Date().getTimezoneOffset() * 60;
    for (let time = Math.ceil((start - zone) / step) * step + zone; time <= end; time += step) {
      const x = (time - start) * scale;
      ticks.push(shape("line", { x1: x, x2: x, y1: AXIS - 4, y2: height }));
      if (x > (end - start) * scale - LABEL) continue;
      const text = new Date(time * 1000).toLocaleTimeString([], options);
      ticks.push(shape("text", { x: x + 3, y: AXIS - 6 }, text));
    }
    this.#ticks.replaceChildren(...ticks);
  }

  #drawBars(executions, place) {
    const { model, selection } = this.#app;
    const bars = new Map();
    for (const execution of executions) {
      const bar = this.#bars.get(execution.id) ?? makeBar(execution);
      bars.set(execution.id, bar);
      const { x, y, width } = place(execution);
      const [rectangle, title] = [bar.querySelector("rect"), bar.querySelector("title")];
      setAttribute(bar, "data-state", execution.state);
      setAttribute(bar, "aria-current", execution.id === selection.id && "true");
      for (const [name, value] of Object.entries({ x, y, width })) {
        setAttribute(rectangle, name, Math.round(value * 10) / 10);
      }
      const input = inputText(execution.input);
      const time = elapsedText(execution, model.now);
      setText(title, `${execution.command} #${execution.id}${input && ` ${input}`}: `
        + `${executionState(execution)}, ${time}`);
    }
    this.#bars = bars;
    arrange(this.#group, [...bars.values()]);
    this.#placeTabStop(bars.get(selection.id));
  }
}

function makeName(name) {
  return element("li", { title: name }, name);
}

function makeBar({ id }) {
  return shape(
    "a", { href: address(id), "data-execution": id },
    shape("title"), shape("rect", { height: BAR, rx: 2 }));
}
