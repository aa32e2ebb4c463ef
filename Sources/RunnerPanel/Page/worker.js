import { Hub } from "./hub.js";

const hub = new Hub();
self.onconnect = ({ ports }) => hub.attach(ports[0]);
