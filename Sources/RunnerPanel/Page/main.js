import { App } from "./app.js";
import { listenToKeys } from "./keys.js";
import { Palette } from "./palette.js";
import { Splitter } from "./splitter.js";
import { takeToken } from "./token.js";
import { Views } from "./views.js";

const app = new App(takeToken());
new Splitter("split-commands", { least: 220 });
new Splitter("split-runs", { least: 220, isAfter: true });
new Splitter("split-timeline", { least: 80 });
listenToKeys(app, new Views(app), new Palette(app));
