import { setAttribute, shape } from "./dom.js";

/** The shapes of states, so that a colour is never all that tells them apart. */
const PATHS = {
  completed: "M3 7.5 6 10.5 11.5 4", failed: "M3.5 3.5l7 7m0-7-7 7",
  running: "M7 1.8A5.2 5.2 0 1 1 1.8 7", cancelling: "M7 1.8A5.2 5.2 0 1 1 1.8 7",
  waiting: "M7 1.8a5.2 5.2 0 1 0 .01 0M7 4v3l2 1.5", queued: "M7 1.8a5.2 5.2 0 1 0 .01 0M7 4v3l2 1.5",
  cancelled: "M7 1.8a5.2 5.2 0 1 0 .01 0M4 7h6", none: "M7 5.5a1.5 1.5 0 1 0 .01 0",
};

/** The sign of a state, for eyes only. */
export function makeSign() {
  return shape(
    "svg", { class: "sign", viewBox: "0 0 14 14", "aria-hidden": "true" }, shape("path"));
}

/** @param {string} state of an execution, or `none` */
export function setSign(sign, state) {
  if (sign.dataset.state === state) return;
  setAttribute(sign, "data-state", state);
  setAttribute(sign.firstElementChild, "d", PATHS[state] ?? PATHS.none);
}
