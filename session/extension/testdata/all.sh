#!/bin/sh
# An extension without any library: messages are lines, and sed finds what is needed in them.
events=$(printf '"%s",' $TAU_EXT_EVENTS)
while IFS= read -r line; do
	id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\),.*/\1/p')
	[ -n "$id" ] || continue
	case $line in
	*'"method":"initialize"'*)
		result='{"events":['${events%,}'],"commands":[{"name":"hello","description":"Say hello"}],"tools":[{"name":"shout","description":"Shouts","parameters":{"type":"object","properties":{"text":{"type":"string"}}}}]}' ;;
	*'"method":"event"'*)
		printf '%s\n' "$line" | sed 's/^.*"handler":[0-9]*,"payload"://; s/}}$//' >>"$TAU_EXT_LOG"
		result='{}'
		case $line in *'"event":"tool_call"'*forbidden*) result='{"result":{"block":true,"reason":"not here"}}' ;; esac ;;
	*'"method":"tool"'*)
		text=$(printf '%s' "$line" | sed -n 's/.*"text":"\([^"]*\)".*/\1/p' | tr '[:lower:]' '[:upper:]')
		result='{"content":[{"type":"text","text":"'$text'"}]}' ;;
	*'"method":"command"'*)
		args=$(printf '%s' "$line" | sed -n 's/.*"args":"\([^"]*\)".*/\1/p')
		printf '{"jsonrpc":"2.0","method":"ui.notify","params":{"message":"hello %s","kind":"info"}}\n' "$args"
		result=null ;;
	*) result=null ;;
	esac
	printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
