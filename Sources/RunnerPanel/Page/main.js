import { App } from "./app.js";
import { listenToKeys } from "./keys.js";
import { Tabs } from "./tabs.js";
import { takeToken } from "./token.js";
import { Views } from "./views.js";

const app = new App(takeToken());
const records = new Tabs(document.getElementById("record-tabs"));
const views = new Views();
if (app.selection.id !== null) views.show("output");
document.addEventListener("click", (event) => {
  if (event.target.closest("a[href^='#execution=']")) views.show("output");
});
listenToKeys(app, views, records);
