import { viewAddress } from "./route.js";

/**
 * The keys of the page, beside those of the lists.
 *
 * @param {import("./app.js").App} app
 * @param {import("./views.js").Views} views
 * @param {import("./palette.js").Palette} palette
 */
export function listenToKeys(app, views, palette) {
  const help = document.getElementById("help");
  const showHelp = () => help.open || help.showModal();
  document.getElementById("show-help").addEventListener("click", showHelp);
  const show = (view) => app.route.go(viewAddress(view));
  const showOutput = () => app.selection.id !== null && app.selection.select(app.selection.id);
  const focus = (id) => document.getElementById(id).focus();
  const actions = {
    "?": showHelp,
    b: () => show("board"),
    "[": () => views.step(-1),
    "]": () => views.step(1),
    c: () => {
      show("board");
      focus("filter");
    },
    e: () => {
      show("runs");
      app.executions.focus();
    },
    t: () => {
      show("timeline");
      focus("timeline");
    },
    m: () => {
      show("messages");
      focus("messages-panel");
    },
    w: () => {
      if (app.model.journal === null) return;
      show("workers");
      focus("workers-panel");
    },
    o: () => {
      showOutput();
      app.output.list.focus();
    },
    "/": () => {
      showOutput();
      app.output.list.startSearch();
    },
    f: () => app.output.list.follow(),
    n: () => app.output.list.step(1),
    N: () => app.output.list.step(-1),
    x: () => app.output.list.finder.stepError(1),
    X: () => app.output.list.finder.stepError(-1),
  };
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) {
      event.preventDefault();
      if (!document.querySelector("dialog[open]")) palette.open();
      return;
    }
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.altKey || event.metaKey) return;
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    action();
  });
}

function isTyping(target) {
  return target.matches("textarea, select, input:not([type=checkbox], [type=radio])");
}
