package subagent

import (
	"cmp"
	"path/filepath"
	"slices"

	"tau/session/resources"
)

// builtin are the agents there are without any file. A file of the same name
// takes the place of one.
func builtin() []resources.Agent {
	reading := []string{"read", "grep", "find", "ls"}
	of := func(name, description string, tools []string, prompt string) resources.Agent {
		a := resources.ParsedAgent(name, description, tools, "", "", prompt)
		a.Source.Source = "builtin"
		return a
	}
	return []resources.Agent{
		of("planner", "Turns a goal and what is known into a plan of small steps. Changes nothing.", reading,
			`You plan changes for another agent, and change nothing yourself. Read what you need, then answer with: the goal in one sentence; numbered steps, each naming the files and functions it touches; what could go wrong; how to check the result. Whoever carries the plan out sees only your answer.`),
		of("reviewer", "Reviews changes for mistakes, risks and missing tests. Changes nothing.", append([]string{"bash"}, reading...),
			`You review code that somebody else has written. Use bash only to look (git diff, git log, running tests), never to change anything. Answer with the faults you found, the worst first, each with file and line, why it is one, and what would mend it. Say so if you found none; leave matters of taste out.`),
		of("scout", "Looks around in the code and reports what is where. Changes nothing.", reading,
			`You find things out for another agent, which sees only your answer. Search first, then read the parts that matter. Answer with the files and lines that count, the few pieces of code that have to be known word for word, how the parts belong together, and where to begin. Be short; do not guess.`),
		of("worker", "Carries a task out with all the usual tools.", nil,
			`You carry out one task for another agent, by yourself: nobody can be asked. When you are done, answer with what you did, the files you changed, how you checked it, and what is left.`),
	}
}

// The scopes of agentScope.
const (
	userScope    = "user"
	projectScope = "project"
	bothScopes   = "both"
)

// agents returns the agents of a scope by name: those of the project before
// those of the user before the built-in ones.
func (o *Options) agents(scope string) (list []resources.Agent, problems []resources.Problem) {
	add := func(more []resources.Agent) {
		for _, a := range more {
			if !slices.ContainsFunc(list, func(b resources.Agent) bool { return b.Name == a.Name }) {
				list = append(list, a)
			}
		}
	}
	if scope != userScope && o.ProjectAgents != "" {
		found, wrong := resources.Agents(o.ProjectAgents, resources.Project)
		add(found)
		problems = append(problems, wrong...)
	}
	if scope != projectScope {
		found, wrong := resources.Agents(filepath.Join(o.AgentDir, "agents"), resources.User)
		add(found)
		problems = append(problems, wrong...)
		add(builtin())
	}
	slices.SortFunc(list, func(a, b resources.Agent) int { return cmp.Compare(a.Name, b.Name) })
	return list, problems
}
