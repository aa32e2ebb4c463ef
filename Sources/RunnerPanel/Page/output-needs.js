import { arrange, element, setText, show } from "./dom.js";
import { NeedSection } from "./need-section.js";

/** The executions that an execution needs: they fold, all together and each by itself. */
export class OutputNeeds {
  #api;
  #root = document.getElementById("output-needs");
  #summary = element("summary");
  #list = element("ol");
  /** @type {Map<number, NeedSection>} */
  #sections = new Map();
  /** The number of the need that has failed, for which it was opened. */
  #openedFor;

  /** @param {import("./api.js").API} api */
  constructor(api) {
    this.#api = api;
    this.#root.append(this.#summary, this.#list);
  }

  /**
   * @param {import("./model.js").Execution} execution
   * @param {import("./model.js").Model} model
   */
  draw(execution, model) {
    const needs = [...model.executions.values()].filter((each) => each.for === execution.id);
    show(this.#root, needs.length > 0);
    const bad = needs.find((need) => need.state === "failed");
    const names = needs.map((need) => need.command).join(", ");
    setText(this.#summary, bad ? `Needs ${names}; ${bad.command} failed` : `Needs ${names}`);
    this.#sections = new Map(needs.map((need) =>
      [need.id, this.#sections.get(need.id) ?? new NeedSection(this.#api, need)]));
    for (const need of needs) this.#sections.get(need.id).draw(need, model.now);
    arrange(this.#list, [...this.#sections.values()].map((section) => section.root));
    // What went wrong is seen without a press.
    if (bad && bad.id !== this.#openedFor) this.#root.open = true;
    this.#openedFor = bad?.id;
  }
}
