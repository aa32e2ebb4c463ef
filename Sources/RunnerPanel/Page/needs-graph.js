import { setAttribute, shape } from "./dom.js";
import { commandAddress } from "./route.js";

/** Sizes in pixels: of a box, and of the room between boxes. */
const BOX = 26;
const ROOM = 10;
const GAP = 44;
const LETTER = 7.4;

/**
 * Draws what a command needs, at its left, and what needs it, at its right, in the colours of their states.
 *
 * @param {SVGElement} picture
 * @param {import("./model.js").Command} command
 * @param {import("./model.js").Model} model
 * @param {import("./records.js").Records} records
 * @param {number} room its width
 * @returns {boolean} false if there is nothing to draw
 */
export function drawNeeds(picture, command, model, records, room) {
  const columns = layers(command, model.commands);
  const isAny = columns.length > 1;
  if (!isAny) {
    picture.replaceChildren();
    delete picture.dataset.drawn;
    return false;
  }
  const widths = columns.map((names) =>
    Math.max(...names.map((name) => name.length * LETTER + 34)));
  const tallest = Math.max(...columns.map((names) => names.length));
  const height = tallest * (BOX + ROOM);
  const places = new Map();
  let x = 1;
  columns.forEach((names, column) => {
    const top = (height - names.length * (BOX + ROOM) + ROOM) / 2;
    names.forEach((name, row) =>
      places.set(name, { x, y: top + row * (BOX + ROOM), width: widths[column] }));
    x += widths[column] + GAP;
  });
  const width = x - GAP + 1;
  setAttribute(picture, "viewBox", `0 0 ${width} ${height}`);
  setAttribute(picture, "width", Math.min(width, Math.max(240, room - 48)));
  setAttribute(picture, "height", height);
  const states = new Map([...places.keys()].map((name) => [name, stateOf(name, model, records)]));
  const drawn = JSON.stringify([[...places], [...states]]);
  // What is the same keeps the focus.
  if (picture.dataset.drawn === drawn) return true;
  picture.dataset.drawn = drawn;
  const lines = [...places].flatMap(([name, to]) =>
    needsOf(model.commands.get(name)).map((need) => places.get(need)).filter(Boolean)
      .map((from) => line(from, to)));
  picture.replaceChildren(
    shape("path", { class: "needs", d: lines.join("") }),
    ...[...places].map(([name, box]) =>
      node(name, box, states.get(name), name === command.name)));
  return true;
}

/** The names by distance: needs of needs first, then the command, then what needs it. */
function layers(command, commands) {
  const before = reach([command.name], (name) => needsOf(commands.get(name)));
  const users = (name) =>
    [...commands.values()].filter((each) => needsOf(each).includes(name)).map((each) => each.name);
  const after = reach([command.name], users);
  return [...before.slice(1).reverse(), [command.name], ...after.slice(1)];
}

function reach(start, next) {
  const seen = new Set(start);
  const found = [start];
  while (true) {
    const names = [...new Set(found.at(-1).flatMap(next))].filter((name) => !seen.has(name));
    if (names.length === 0) return found;
    for (const name of names) seen.add(name);
    found.push(names);
  }
}

/** The names of what a command needs, without their inputs. */
function needsOf(command) {
  return (command?.needs ?? []).map((need) => need.split(" ")[0]);
}

function stateOf(name, model, records) {
  const { ended, active } = records.of(name);
  return active.at(-1)?.state ?? ended.at(-1)?.state ?? "none";
}

function line(from, to) {
  const [x, y] = [from.x + from.width, from.y + BOX / 2];
  const [toX, toY] = [to.x - 2, to.y + BOX / 2];
  const bend = (toX - x) / 2;
  return `M${x} ${y}C${x + bend} ${y} ${toX - bend} ${toY} ${toX} ${toY}m-5-4l5 4l-5 4`;
}

function node(name, { x, y, width }, state, isCurrent) {
  return shape(
    "a", {
      href: commandAddress(name), "data-state": state, "aria-current": isCurrent && "page",
      "aria-label": `${name}, ${state === "none" ? "not executed yet" : state}`,
    },
    shape("rect", { x, y, width, height: BOX, rx: 6 }),
    shape("circle", { cx: x + 14, cy: y + BOX / 2, r: 4 }),
    shape("text", { x: x + 25, y: y + BOX / 2 + 4 }, name));
}
