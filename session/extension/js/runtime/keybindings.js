"use strict";
const keyText = (id) => tau.call("ui.keyText", { id }) ?? "";
const keyHint = (id, description) => { const th = require("theme").current(); return th.fg("dim", keyText(id)) + th.fg("muted", ` ${description}`); };
const match = (data, id) => keyText(id).split("/").some((k) => k && tau.call("ui.matchKey", { data, key: k }));
module.exports = { keyText, keyHint, manager: { matches: match, getKeys: (id) => keyText(id).split("/").filter(Boolean), getConfig: () => ({}), getEffectiveConfig: () => ({}), getUserBindings: () => ({}) } };
