import { element, setText, show } from "./dom.js";
import { elapsedText } from "./execution-row.js";
import { address } from "./selection.js";
import { executionState } from "./state-text.js";

/** The executions that an execution needs, each with its state and its time: they fold. */
export class OutputNeeds {
  #root = document.getElementById("output-needs");
  #summary = element("summary");
  #list = element("ol");
  #drawn = "";

  constructor() {
    this.#root.append(this.#summary, this.#list);
  }

  /**
   * @param {import("./model.js").Execution} execution
   * @param {import("./model.js").Model} model
   */
  draw(execution, model) {
    const needs = [...model.executions.values()].filter((each) => each.for === execution.id);
    show(this.#root, needs.length > 0);
    const rows = needs.map((need) =>
      [need.id, need.command, need.state, executionState(need), elapsedText(need, model.now)]);
    const text = JSON.stringify(rows);
    if (text === this.#drawn) return;
    this.#drawn = text;
    const bad = needs.find((need) => need.state === "failed");
    const names = needs.map((need) => need.command).join(", ");
    setText(this.#summary, bad ? `Needs ${names}; ${bad.command} failed` : `Needs ${names}`);
    this.#list.replaceChildren(...rows.map(([id, command, state, words, time]) => element(
      "li", { "data-state": state },
      element("span", { class: "light", "aria-hidden": "true" }),
      element("a", { href: address(id) }, `${command} #${id}`), " ",
      element("span", { class: "state" }, words), " ", element("span", { class: "elapsed" }, time))));
  }
}
