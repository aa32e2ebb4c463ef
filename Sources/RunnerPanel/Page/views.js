import { setAttribute } from "./dom.js";
import { runAddress } from "./route.js";

/** Shows the view that the address asks for: the style sheet knows what there is room for beside it. */
export class Views {
  #app;
  #links = [...document.querySelectorAll("#views a")];

  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.#app = app;
    app.route.addEventListener("change", () => this.#draw());
    this.#draw();
  }

  /** Goes to the run before or after the shown one, in the order of their numbers. */
  step(by) {
    const { model, selection } = this.#app;
    const ids = [...model.executions.keys()];
    const place = ids.indexOf(selection.id);
    const next = place < 0 ? ids.at(-1) : ids[place + by];
    if (next !== undefined) this.#app.route.go(runAddress(next));
  }

  #draw() {
    const { view } = this.#app.route;
    document.body.dataset.view = view;
    const part = { run: "runs", command: "board" }[view] ?? view;
    for (const link of this.#links) {
      setAttribute(link, "aria-current", link.dataset.view === part && "page");
    }
    const focused = document.activeElement;
    if (focused?.closest("main") && !focused.checkVisibility()) focused.blur();
  }
}
