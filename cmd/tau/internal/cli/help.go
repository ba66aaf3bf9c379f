package cli

// Help returns the page of tau --help.
func Help() string {
	return `tau: a coding agent in your terminal

  tau [flags] [@file …] [message …]     open the agent, with a first message if one is given
  tau -p [flags] [@file …] message …    answer once on standard output
  command | tau -p "question"           the same, with what the command printed
  tau --mode json message …             what happens while it answers, one JSON object a line
  tau --mode rpc                        a program gives the orders, on standard input
  tau acp [--ask] [flags]               an editor does (Agent Client Protocol); --ask: ask before commands and changes
  tau auth login|logout|check|print-api-key|print-bearer-token <provider>
  tau models [search]                   list models; tau models refresh brings the list up to date
  tau install|remove|list|update        packages: extensions, skills, templates and themes of others
  tau config [-l]                       switch what packages and folders bring on and off; -l: that of this project
  tau mcp add|remove|list|login|logout  servers of the Model Context Protocol, which bring further tools
  tau help [topic]                      this page, or one of extensions, mcp, models, packages, sessions, settings, subagents, using, …
  tau doctor [--repair] [session …]     check session files, all or those named; repair writes a copy beside

Without a key it talks to a small offline model that lists, reads, searches, edits and runs for real.
A key comes from the provider's environment variable (ANTHROPIC_API_KEY, OPENAI_API_KEY, …), from
auth.json or from models.json in ~/.tau/agent (TAU_AGENT_DIR names another folder).

` + FlagHelp() + `
Exit status: 0 answered, 1 failed or wrong usage, 128+n ended by signal n; that of subcommands is in their help.
`
}
