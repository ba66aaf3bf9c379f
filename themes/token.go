package themes

// Token names a colour slot of a theme.
type Token uint8

// The tokens, in the order of theme files.
const (
	Accent Token = iota
	Border
	BorderAccent
	BorderMuted
	Success
	ErrorColor
	Warning
	Muted
	Dim
	Text
	ThinkingText
	ScrollbarTrack
	ScrollbarThumb
	SelectedBg
	SearchMatchBg
	SearchMatchText
	UserMessageBg
	UserMessageText
	CustomMessageBg
	CustomMessageText
	CustomMessageLabel
	ToolPendingBg
	ToolSuccessBg
	ToolErrorBg
	ToolTitle
	ToolOutput
	MdHeading
	MdLink
	MdLinkURL
	MdCode
	MdCodeBlock
	MdCodeBlockBorder
	MdQuote
	MdQuoteBorder
	MdHr
	MdListBullet
	ToolDiffAdded
	ToolDiffRemoved
	ToolDiffContext
	SyntaxComment
	SyntaxKeyword
	SyntaxFunction
	SyntaxVariable
	SyntaxString
	SyntaxNumber
	SyntaxType
	SyntaxOperator
	SyntaxPunctuation
	ThinkingOff
	ThinkingMinimal
	ThinkingLow
	ThinkingMedium
	ThinkingHigh
	ThinkingXhigh
	ThinkingMax
	BashMode
	tokenCount
)

// slot describes one token: its name in files, whether it colours the
// background, and the token to use when a file leaves it out (itself: the
// token is required).
type slot struct {
	name       string
	background bool
	fallback   Token
}

var slots = [tokenCount]slot{
	Accent:             {"accent", false, Accent},
	Border:             {"border", false, Border},
	BorderAccent:       {"borderAccent", false, BorderAccent},
	BorderMuted:        {"borderMuted", false, BorderMuted},
	Success:            {"success", false, Success},
	ErrorColor:         {"error", false, ErrorColor},
	Warning:            {"warning", false, Warning},
	Muted:              {"muted", false, Muted},
	Dim:                {"dim", false, Dim},
	Text:               {"text", false, Text},
	ThinkingText:       {"thinkingText", false, ThinkingText},
	ScrollbarTrack:     {"scrollbarTrack", false, Muted},
	ScrollbarThumb:     {"scrollbarThumb", false, Text},
	SelectedBg:         {"selectedBg", true, SelectedBg},
	SearchMatchBg:      {"searchMatchBg", true, SelectedBg},
	SearchMatchText:    {"searchMatchText", false, Text},
	UserMessageBg:      {"userMessageBg", true, UserMessageBg},
	UserMessageText:    {"userMessageText", false, UserMessageText},
	CustomMessageBg:    {"customMessageBg", true, CustomMessageBg},
	CustomMessageText:  {"customMessageText", false, CustomMessageText},
	CustomMessageLabel: {"customMessageLabel", false, CustomMessageLabel},
	ToolPendingBg:      {"toolPendingBg", true, ToolPendingBg},
	ToolSuccessBg:      {"toolSuccessBg", true, ToolSuccessBg},
	ToolErrorBg:        {"toolErrorBg", true, ToolErrorBg},
	ToolTitle:          {"toolTitle", false, ToolTitle},
	ToolOutput:         {"toolOutput", false, ToolOutput},
	MdHeading:          {"mdHeading", false, MdHeading},
	MdLink:             {"mdLink", false, MdLink},
	MdLinkURL:          {"mdLinkUrl", false, MdLinkURL},
	MdCode:             {"mdCode", false, MdCode},
	MdCodeBlock:        {"mdCodeBlock", false, MdCodeBlock},
	MdCodeBlockBorder:  {"mdCodeBlockBorder", false, MdCodeBlockBorder},
	MdQuote:            {"mdQuote", false, MdQuote},
	MdQuoteBorder:      {"mdQuoteBorder", false, MdQuoteBorder},
	MdHr:               {"mdHr", false, MdHr},
	MdListBullet:       {"mdListBullet", false, MdListBullet},
	ToolDiffAdded:      {"toolDiffAdded", false, ToolDiffAdded},
	ToolDiffRemoved:    {"toolDiffRemoved", false, ToolDiffRemoved},
	ToolDiffContext:    {"toolDiffContext", false, ToolDiffContext},
	SyntaxComment:      {"syntaxComment", false, SyntaxComment},
	SyntaxKeyword:      {"syntaxKeyword", false, SyntaxKeyword},
	SyntaxFunction:     {"syntaxFunction", false, SyntaxFunction},
	SyntaxVariable:     {"syntaxVariable", false, SyntaxVariable},
	SyntaxString:       {"syntaxString", false, SyntaxString},
	SyntaxNumber:       {"syntaxNumber", false, SyntaxNumber},
	SyntaxType:         {"syntaxType", false, SyntaxType},
	SyntaxOperator:     {"syntaxOperator", false, SyntaxOperator},
	SyntaxPunctuation:  {"syntaxPunctuation", false, SyntaxPunctuation},
	ThinkingOff:        {"thinkingOff", false, ThinkingOff},
	ThinkingMinimal:    {"thinkingMinimal", false, ThinkingMinimal},
	ThinkingLow:        {"thinkingLow", false, ThinkingLow},
	ThinkingMedium:     {"thinkingMedium", false, ThinkingMedium},
	ThinkingHigh:       {"thinkingHigh", false, ThinkingHigh},
	ThinkingXhigh:      {"thinkingXhigh", false, ThinkingXhigh},
	ThinkingMax:        {"thinkingMax", false, ThinkingXhigh},
	BashMode:           {"bashMode", false, BashMode},
}

// String returns the name the token has in theme files.
func (t Token) String() string {
	if t >= tokenCount {
		return "invalid"
	}
	return slots[t].name
}

// IsBackground reports whether the token colours backgrounds.
func (t Token) IsBackground() bool { return t < tokenCount && slots[t].background }

// IsOptional reports whether files may leave the token out.
func (t Token) IsOptional() bool { return t < tokenCount && slots[t].fallback != t }

// Tokens returns all tokens in file order.
func Tokens() []Token {
	out := make([]Token, tokenCount)
	for i := range out {
		out[i] = Token(i)
	}
	return out
}

// ParseToken finds a token by its name in files.
func ParseToken(name string) (Token, bool) {
	for i := range slots {
		if slots[i].name == name {
			return Token(i), true
		}
	}
	return 0, false
}
