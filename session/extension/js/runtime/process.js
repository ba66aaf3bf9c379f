module.exports = process; module.exports.default = process;
