// The cell slot by slot: who got what, and the whole way of a packet.
(() => {
"use strict";
const { save, csv, element } = airpathFiles;
