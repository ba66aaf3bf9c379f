#!/bin/sh
# An extension in the shell, without any tool but sed: a tool that tells the time, and a command that shows it.
# Messages are JSON-RPC 2.0, one a line. See docs/extensions.md.
while IFS= read -r line; do
	id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\),"method".*/\1/p')
	[ -n "$id" ] || continue # no request
	result=null
	case $line in
	*'"method":"initialize"'*)
		result='{"tools":[{"name":"clock","description":"Tells date and time","parameters":{"type":"object","properties":{}}}],"commands":[{"name":"clock","description":"Show the time"}]}' ;;
	*'"method":"tool"'*) result='{"content":[{"type":"text","text":"'$(date)'"}]}' ;;
	*'"method":"command"'*) printf '{"jsonrpc":"2.0","method":"ui.notify","params":{"message":"%s","kind":"info"}}\n' "$(date)" ;;
	esac
	printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
