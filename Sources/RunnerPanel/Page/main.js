import { App } from "./app.js";
import { listenToKeys } from "./keys.js";
import { takeToken } from "./token.js";
import { Views } from "./views.js";

const app = new App(takeToken());
new Views(app);
listenToKeys(app);
