import { element, setAttribute, setText } from "./dom.js";
import { makeSign, setSign } from "./sign.js";

/**
 * Fills a node with the heading of a step: a button that folds what the step has sent.
 *
 * @param {HTMLElement} node
 * @param {{number: number, count: number, name: string}} step
 * @param {{state: string, time: string, isFolded: boolean}} now how it stands
 */
export function drawStep(node, { number, count, name }, { state, time, isFolded }) {
  // A node that shows a step already keeps its button, which may have the focus.
  const button = node.querySelector(":scope > .fold") ?? makeButton(node);
  const parts = [`${number}/${count}`, name, state, time];
  for (const [index, part] of parts.entries()) setText(button.children[index + 1], part);
  button.children[3].classList.toggle("unseen", state === "completed");
  setSign(button.firstElementChild, state);
  setAttribute(button, "data-state", state);
  setAttribute(button, "aria-expanded", String(!isFolded));
}

function makeButton(node) {
  const parts = ["number", "name", "state", "elapsed"].map((part) => element("span", { class: part }));
  const button = element(
    "button", { type: "button", class: "fold" }, makeSign(), ...parts.flatMap((part) => [part, " "]));
  node.replaceChildren(button);
  return button;
}
