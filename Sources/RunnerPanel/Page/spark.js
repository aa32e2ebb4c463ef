import { shape } from "./dom.js";
import { elapsed } from "./state-text.js";

/** How many durations are drawn, and how. */
const MOST = 30;
const STEP = 4;
const HEIGHT = 18;
const WIDTH = MOST * STEP;

/** A picture of the last durations of a command: a bar for each, in the colour of its result. */
export function makeSpark() {
  return shape("svg", {
    class: "spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT,
    "aria-hidden": "true",
  });
}

/**
 * @param {SVGElement} spark
 * @param {import("./model.js").Execution[]} executions that have ended, the latest last
 */
export function drawSpark(spark, executions) {
  const last = executions.slice(-MOST);
  const longest = Math.max(0.001, ...last.map((each) => elapsed(each, 0)));
  const paths = {};
  last.forEach((execution, place) => {
    const x = WIDTH - (last.length - place) * STEP + STEP / 2;
    // A root, so that short ones are still seen beside a long one.
    const height = Math.max(2, Math.sqrt(elapsed(execution, 0) / longest) * HEIGHT);
    const { state } = execution;
    paths[state] = `${paths[state] ?? ""}M${x} ${HEIGHT}v-${height.toFixed(1)}`;
  });
  spark.replaceChildren(...Object.entries(paths).map(([state, d]) =>
    shape("path", { "data-state": state, d })));
}

/** The same in words. */
export function sparkText(executions) {
  const last = executions.slice(-MOST);
  const failed = last.filter((each) => each.state === "failed").length;
  return `last ${last.length === 1 ? "run" : `${last.length} runs`}, ${failed} failed`;
}
