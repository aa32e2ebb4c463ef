import { setAttribute } from "./dom.js";
import { runAddress, viewAddress } from "./route.js";
import { Tabs } from "./tabs.js";

/** The parts of a narrow page, which shows one at a time: the style sheet hides the others. */
const PARTS = { board: "commands", command: "commands", run: "output" };
/** The panels of the tabs, by view. */
const PANELS = {
  runs: "executions-panel", timeline: "timeline", messages: "messages-panel",
  workers: "workers-panel",
};

/** Shows the parts of the page that the address asks for. */
export class Views {
  #links = [...document.querySelectorAll("#views a")];

  /** @param {import("./app.js").App} app */
  constructor({ route, selection }) {
    const viewOf = (panel) => Object.keys(PANELS).find((view) => PANELS[view] === panel);
    const records = new Tabs(
      document.getElementById("record-tabs"), (panel) => route.go(viewAddress(viewOf(panel))));
    const draw = () => {
      const { view } = route;
      document.body.dataset.view = PARTS[view] ?? "record";
      if (PANELS[view]) records.show(PANELS[view]);
      const { id } = selection;
      const output = document.getElementById("to-output");
      output.href = id === null ? viewAddress("board") : runAddress(id);
      const part = PARTS[view] === "output" ? 2 : PARTS[view] ? 0 : 1;
      this.#links.forEach((link, place) =>
        setAttribute(link, "aria-current", place === part && "page"));
    };
    route.addEventListener("change", draw);
    selection.addEventListener("change", draw);
    draw();
  }
}
