/**
 * The keys of the page, beside those of the lists.
 *
 * @param {import("./app.js").App} app
 * @param {import("./views.js").Views} views
 * @param {import("./tabs.js").Tabs} records executions, timeline, messages, workers
 */
export function listenToKeys(app, views, records) {
  const help = document.getElementById("help");
  const showHelp = () => help.open || help.showModal();
  document.getElementById("show-help").addEventListener("click", showHelp);
  const showRecord = (id) => {
    views.show("record");
    records.show(id);
  };
  const focus = (id) => document.getElementById(id).focus();
  const actions = {
    "?": showHelp,
    c: () => {
      views.show("commands");
      focus("filter");
    },
    e: () => {
      showRecord("executions-panel");
      app.executions.focus();
    },
    t: () => {
      showRecord("timeline");
      focus("timeline");
    },
    m: () => {
      showRecord("messages-panel");
      focus("messages-panel");
    },
    w: () => {
      if (app.model.journal === null) return;
      showRecord("workers-panel");
      focus("workers-panel");
    },
    o: () => {
      views.show("output");
      app.output.list.focus();
    },
    "/": () => {
      views.show("output");
      app.output.list.startSearch();
    },
    f: () => app.output.list.follow(),
    n: () => app.output.list.step(1),
    N: () => app.output.list.step(-1),
  };
  document.addEventListener("keydown", (event) => {
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.altKey || event.metaKey) return;
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    action();
  });
}

function isTyping(target) {
  return target.matches("textarea, select, input:not([type=checkbox])");
}
