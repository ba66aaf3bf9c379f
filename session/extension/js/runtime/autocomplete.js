"use strict";
module.exports = { add() {} };
