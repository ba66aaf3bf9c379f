package tools

func readPID(pid int) (process, bool) { return readStat(pid) }
