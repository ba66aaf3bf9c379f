module.exports = { Buffer: tau.Buffer, Blob: undefined, constants: { MAX_LENGTH: 2 ** 31 }, atob, btoa };
