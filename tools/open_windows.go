package tools

const nonblock = 0
