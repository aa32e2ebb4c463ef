import { element, setText, show } from "./dom.js";
import { onNextFrame } from "./frame.js";

/** The workers of a shared journal; a page whose panel executes by itself has none. */
export class WorkersView {
  #model;
  #link = document.getElementById("workers-link");
  #list = document.getElementById("workers");
  #none = document.getElementById("no-worker");
  #count = document.getElementById("worker-count");

  /** @param {import("./model.js").Model} model */
  constructor(model) {
    this.#model = model;
    model.addEventListener("journal", onNextFrame(() => this.#draw()));
  }

  #draw() {
    const { journal } = this.#model;
    show(this.#link, journal !== null);
    if (journal === null) return;
    const { workers, problem } = journal;
    this.#list.replaceChildren(...workers.map(row));
    show(this.#none, workers.length === 0);
    setText(this.#count, workers.length === 0 || problem ? "" : String(workers.length));
  }
}

/** @param {import("./model.js").Worker} worker */
function row({ name, jobs, running, tags, draining }) {
  const facts = [`${running} of ${jobs} jobs`];
  if (tags.length > 0) facts.push(`tags ${tags.join(", ")}`);
  if (draining) facts.push("draining");
  return element(
    "li", { "data-state": running > 0 ? "running" : "completed" },
    element("span", { class: "name" }, name), " ",
    element("span", { class: "text" }, facts.join(", ")));
}
