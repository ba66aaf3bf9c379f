#!/usr/bin/env python3
"""An extension in Python, without any library: no file outside the project is changed.

Messages are JSON-RPC 2.0, one a line. See docs/extensions.md."""
import json
import os
import sys


def answer(call, cwd):
    if call["event"] != "tool_call" or call["payload"]["toolName"] not in ("write", "edit"):
        return {}
    path = os.path.realpath(os.path.join(cwd, os.path.expanduser(call["payload"]["input"].get("path", ""))))
    if path == cwd or path.startswith(cwd + os.sep):
        return {}
    return {"result": {"block": True, "reason": f"{path} is outside of the project."}}


cwd = os.getcwd()
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue
    result = None
    if message["method"] == "initialize":
        cwd = os.path.realpath(message["params"]["cwd"])
        result = {"events": ["tool_call"]}
    elif message["method"] == "event":
        result = answer(message["params"], cwd)
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
