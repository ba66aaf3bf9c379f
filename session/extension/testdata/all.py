import json, os, sys

EVENTS = os.environ["TAU_EXT_EVENTS"].split()
log = open(os.environ["TAU_EXT_LOG"], "a")

for line in sys.stdin:
    m = json.loads(line)
    if "method" not in m or "id" not in m:
        continue
    result = None
    if m["method"] == "initialize":
        result = {"events": EVENTS, "commands": [{"name": "hello", "description": "Say hello"}],
                  "tools": [{"name": "shout", "description": "Shouts", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}]}
    elif m["method"] == "event":
        p = m["params"]
        log.write(json.dumps(p["payload"]) + "\n")
        log.flush()
        result = {}
        if p["event"] == "tool_call" and "forbidden" in json.dumps(p["payload"]):
            result = {"result": {"block": True, "reason": "not here"}}
    elif m["method"] == "tool":
        result = {"content": [{"type": "text", "text": m["params"]["params"]["text"].upper()}]}
    elif m["method"] == "command":
        note = {"jsonrpc": "2.0", "method": "ui.notify", "params": {"message": "hello " + m["params"]["args"], "kind": "info"}}
        print(json.dumps(note), flush=True)
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
