import { App } from "./app.js";
import { listenToKeys } from "./keys.js";
import { Palette } from "./palette.js";
import { takeToken } from "./token.js";
import { Views } from "./views.js";

const app = new App(takeToken());
listenToKeys(app, new Views(app), new Palette(app));
