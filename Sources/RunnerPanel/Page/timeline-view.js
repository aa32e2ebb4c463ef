import { arrange, element, setAttribute, setText, shape, show } from "./dom.js";
import { onNextFrame } from "./frame.js";
import { Kept } from "./kept.js";
import { elapsedText } from "./execution-row.js";
import { isActive } from "./model.js";
import { roving } from "./roving.js";
import { address } from "./selection.js";
import { executionState, inputText } from "./state-text.js";
import { TimeWindow } from "./time-window.js";
import { layOut } from "./tracks.js";

/** Heights in pixels: of a bar, of the track that it has, of what a lane has around its tracks. */
const BAR = 14;
const TRACK = 18;
const MARGIN = 6;
const AXIS = 18;
/** How much of a tick's time must be seen, and how wide a letter is about. */
const LABEL = 64;
const LETTER = 6.4;
/** Lengths of time between two ticks, in seconds. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400];

/**
 * When the executions ran: a bar for each, which is a link; before it, hatched, how long it waited, and an
 * arrow from what it needed. On the board they are packed into a strip and have their names beside them; in
 * the timeline each command has a lane, or each worker.
 */
export class TimelineView {
  #app;
  #panel = document.getElementById("timeline");
  #lanes = document.getElementById("lanes");
  #picture = document.getElementById("bars");
  #none = document.getElementById("no-timeline");
  #names = new Map();
  #bars = new Map();
  #ticks = shape("g", { class: "ticks", "aria-hidden": "true" });
  #needs = shape("path", { class: "needs", "aria-hidden": "true" });
  #now = shape("line", { class: "now", "aria-hidden": "true" });
  #brush = shape("rect", { class: "brush", "aria-hidden": "true", visibility: "hidden" });
  #group = shape("g");
  #placeTabStop = roving(this.#group);
  #schedule = onNextFrame(() => this.#draw());
  #window;

  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.#app = app;
    this.#picture.append(hatching(), this.#ticks, this.#needs, this.#group, this.#now, this.#brush);
    const { model, selection, clock, route } = app;
    this.#window = new TimeWindow(
      this.#picture, this.#brush, new Kept("sessionStorage", "timeline"), this.#schedule);
    for (const type of ["execution", "executions", "gone"]) model.addEventListener(type, this.#schedule);
    selection.addEventListener("change", this.#schedule);
    route.addEventListener("change", this.#schedule);
    clock.addEventListener("tick", this.#schedule);
    new ResizeObserver(this.#schedule).observe(this.#panel);
  }

  get #isStrip() {
    return this.#app.route.view !== "timeline";
  }

  #draw() {
    const width = this.#picture.clientWidth;
    if (!this.#panel.checkVisibility() || width === 0) return;
    const { model } = this.#app;
    const all = [...model.executions.values()];
    const { start, end } = this.#window.place(all, model.now);
    const scale = (width - 8) / (end - start);
    const seen = all.map((execution) => spanOf(execution, model.now))
      .filter(({ created, ended }) => ended >= start && created <= end)
      .sort((one, other) => one.created - other.created || one.id - other.id);
    show(this.#none, all.length === 0);
    const { lanes, track } = layOut(
      this.#isStrip
        ? seen.map((span) => packed(span, scale, end)).sort((one, other) => one.started - other.started)
        : seen.map(laned), model.now);
    const tops = [AXIS];
    for (const lane of lanes) tops.push(tops.at(-1) + lane.tracks * TRACK + MARGIN);
    const height = Math.max(tops.at(-1), AXIS + TRACK);
    this.#drawNames(this.#isStrip ? [] : lanes);
    setAttribute(this.#picture, "height", height);
    this.#drawTicks(start, end, scale, height);
    const places = new Map(seen.map((span) => {
      const { lane, track: row } = track.get(span.id);
      const from = Math.max(span.begun, start);
      return [span.id, {
        x: (from - start) * scale, waited: (Math.max(span.created, start) - start) * scale,
        y: tops[lane] + row * TRACK + (MARGIN + TRACK - BAR) / 2,
        // What has not begun has no bar.
        width: span.execution.started === undefined && isActive(span.execution)
          ? 0 : Math.max(3, (Math.min(span.ended, end) - from) * scale),
      }];
    }));
    this.#drawBars(seen, places, width);
    setAttribute(this.#needs, "d", seen.map(({ execution }) =>
      arrow(places.get(execution.id), places.get(execution.for))).join(""));
    const x = (model.now - start) * scale;
    for (const [name, value] of Object.entries({ x1: x, x2: x, y1: AXIS - 4, y2: height })) {
      setAttribute(this.#now, name, value.toFixed(1));
    }
    setAttribute(this.#brush, "height", height);
  }

  #drawNames(lanes) {
    this.#names = new Map(
      lanes.map(({ name }) => [name, this.#names.get(name) ?? makeName(name)]));
    for (const { name, tracks } of lanes) {
      this.#names.get(name).style.height = `${tracks * TRACK + MARGIN}px`;
    }
    arrange(this.#lanes, [...this.#names.values()]);
    show(this.#lanes, lanes.length > 0);
  }

  #drawTicks(start, end, scale, height) {
    const least = 90 / scale;
    const step = STEPS.find((each) => each >= least) ?? Math.ceil(least / 86_400) * 86_400;
    const ticks = [];
    const options = step < 86_400
      ? { hour: "2-digit", minute: "2-digit" } : { month: "short", day: "numeric" };
    if (step < 60) options.second = "2-digit";
    // Those of round times of day, where the reader is.
    const zone = new Date().getTimezoneOffset() * 60;
    for (let time = Math.ceil((start - zone) / step) * step + zone; time <= end; time += step) {
      const x = (time - start) * scale;
      ticks.push(shape("line", { x1: x, x2: x, y1: AXIS - 4, y2: height }));
      if (x > (end - start) * scale - LABEL) continue;
      const text = new Date(time * 1000).toLocaleString([], options);
      ticks.push(shape("text", { x: x + 3, y: AXIS - 6 }, text));
    }
    this.#ticks.replaceChildren(...ticks);
  }

  /** @param {number} pictureWidth that of the picture: to ask for it between bars would lay out each of them */
  #drawBars(spans, places, pictureWidth) {
    const { model, selection, route } = this.#app;
    const bars = new Map();
    for (const { id, execution } of spans) {
      const bar = this.#bars.get(id) ?? makeBar(id);
      bars.set(id, bar);
      const { x, y, width, waited } = places.get(id);
      const [title, wait, rectangle, name] = bar.children;
      setAttribute(bar, "data-state", execution.state);
      setAttribute(bar, "aria-current", id === selection.id && route.view === "run" && "true");
      place(wait, { x: waited, y, width: Math.max(0, x - waited), height: BAR });
      place(rectangle, { x, y, width, height: BAR });
      setText(name, this.#isStrip ? execution.command : "");
      const isLeft = x + width + labelOf(execution) > pictureWidth;
      setAttribute(name, "text-anchor", isLeft && "end");
      place(name, { x: isLeft ? waited - 4 : x + width + 4, y: y + BAR - 3 });
      const input = inputText(execution.input);
      const time = elapsedText(execution, model.now);
      setText(title, `${execution.command} #${id}${input && ` ${input}`}: `
        + `${executionState(execution)}, ${time}`);
    }
    this.#bars = bars;
    arrange(this.#group, [...bars.values()]);
    this.#placeTabStop(bars.get(selection.id));
  }
}

/** When an execution was asked for, when it began and when it ended, be it now. */
function spanOf(execution, now) {
  const ended = execution.ended ?? now;
  const begun = execution.started ?? ended;
  return { id: execution.id, execution, created: execution.created ?? begun, begun, ended };
}

/** How wide a name is about, in pixels. */
function labelOf({ command }) {
  return command.length * LETTER + 10;
}

/** In the strip there is room for the name behind the bar, or before it at the end of the time. */
function packed({ id, execution, created, ended }, scale, end) {
  const label = labelOf(execution) / scale;
  const isLeft = Math.min(ended, end) + label > end + 8 / scale;
  return isLeft
    ? { id, command: "", started: created - label, ended: Math.max(ended, created + 6 / scale) }
    : { id, command: "", started: created, ended: ended + label };
}

function laned({ id, execution, created, ended }) {
  return { id, command: execution.command, worker: execution.worker, started: created, ended };
}

/** A line from the end of what was needed to the beginning of what needed it. */
function arrow(needed, needing) {
  if (!needed || !needing) return "";
  const [x, y] = [needed.x + needed.width, needed.y + BAR / 2];
  const [toX, toY] = [Math.max(needing.x, x), needing.y + BAR / 2];
  const bend = Math.max(6, Math.min(24, (toX - x) / 2));
  const path = [x, y, x + bend, y, toX - bend, toY, toX, toY].map((each) => each.toFixed(1));
  const [x0, y0, ...rest] = path;
  return `M${x0} ${y0}C${rest.join(" ")}M${toX - 4} ${toY - 3}l4 3l-4 3`;
}

function place(target, places) {
  for (const [name, value] of Object.entries(places)) {
    setAttribute(target, name, Math.round(value * 10) / 10);
  }
}

function makeName(name) {
  return element("li", { title: name }, name);
}

function makeBar(id) {
  return shape(
    "a", { href: address(id), "data-execution": id },
    shape("title"), shape("rect", { class: "waited", rx: 2, fill: "url(#hatching)" }),
    shape("rect", { class: "ran", rx: 2 }), shape("text", { "aria-hidden": "true" }));
}

/** How the time is drawn that was waited. */
function hatching() {
  return shape("defs", {}, shape(
    "pattern", {
      id: "hatching", width: 5, height: 5, patternUnits: "userSpaceOnUse",
      patternTransform: "rotate(45)",
    }, shape("line", { y2: 5, "stroke-width": 3 })));
}
