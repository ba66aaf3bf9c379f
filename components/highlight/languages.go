package highlight

import (
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

// language says how a language is scanned.
type language struct {
	name           string
	words          map[string]chroma.TokenType
	lineComments   []string
	block          [2]string
	nested         bool // block comments nest
	quotes         []quote
	charQuote      bool   // ' is for single characters
	sigil          string // begins variables
	dash           bool   // words may hold dashes
	foldCase       bool
	upperTypes     bool // capitalised words are types
	macros         bool // name!( is a call
	keys           bool // name: is a key
	preproc        bool // # begins a directive
	hashNeedsSpace bool // # in a word is no comment
	scan           func(l *lexer, s string)
}

// find returns a language by name, alias or extension, nil for none.
func find(name string) *language {
	name = strings.ToLower(strings.Trim(name, "{}. "))
	if i := strings.IndexAny(name, ",:{ "); i > 0 {
		name = name[:i]
	}
	main, ok := aliases()[name]
	if !ok {
		return nil
	}
	if build, ok := builders()[main]; ok {
		return build()
	}
	return nil
}

// once makes a builder that runs when the language is first used.
func once(name string, f func() *language) func() *language {
	return sync.OnceValue(func() *language {
		l := f()
		l.name = name
		return l
	})
}

// builders holds a function a language; nothing is built before it is asked
// for.
var builders = sync.OnceValue(func() map[string]func() *language {
	return map[string]func() *language{
		"go": once("go", golang), "python": once("python", python), "javascript": once("javascript", javascript),
		"typescript": once("typescript", typescript), "json": once("json", jsonLang), "yaml": once("yaml", yaml), "bash": once("bash", bash),
		"rust": once("rust", rust), "c": once("c", cLang), "cpp": once("cpp", cpp), "java": once("java", java), "csharp": once("csharp", csharp),
		"kotlin": once("kotlin", kotlin), "swift": once("swift", swift), "php": once("php", php), "ruby": once("ruby", ruby), "lua": once("lua", lua),
		"html": once("html", markup), "css": once("css", css), "sql": once("sql", sql), "diff": once("diff", diff),
		"markdown": once("markdown", markdown), "toml": once("toml", toml), "gomod": once("gomod", gomod),
	}
})

// aliases leads from the names and extensions in use to the languages.
var aliases = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"go": "go", "golang": "go", "python": "python", "py": "python", "python3": "python", "pyi": "python", "py3": "python",
		"javascript": "javascript", "js": "javascript", "jsx": "javascript", "mjs": "javascript", "cjs": "javascript", "node": "javascript",
		"typescript": "typescript", "ts": "typescript", "tsx": "typescript", "mts": "typescript", "cts": "typescript",
		"json": "json", "jsonc": "json", "json5": "json", "jsonl": "json", "ndjson": "json", "yaml": "yaml", "yml": "yaml",
		"bash": "bash", "sh": "bash", "shell": "bash", "zsh": "bash", "ksh": "bash", "fish": "bash", "console": "bash", "shellscript": "bash",
		"dockerfile": "bash", "makefile": "bash", "make": "bash", "mk": "bash",
		"rust": "rust", "rs": "rust", "c": "c", "h": "c", "cpp": "cpp", "c++": "cpp", "cc": "cpp", "cxx": "cpp", "hpp": "cpp", "hh": "cpp", "hxx": "cpp",
		"objc": "c", "m": "c", "java": "java", "groovy": "java", "gradle": "java", "scala": "java", "dart": "java", "proto": "java", "protobuf": "java",
		"csharp": "csharp", "cs": "csharp", "c#": "csharp", "kotlin": "kotlin", "kt": "kotlin", "kts": "kotlin", "swift": "swift", "zig": "rust",
		"php": "php", "ruby": "ruby", "rb": "ruby", "lua": "lua",
		"html": "html", "htm": "html", "xml": "html", "svg": "html", "vue": "html", "svelte": "html", "xhtml": "html", "plist": "html", "xaml": "html",
		"css": "css", "scss": "css", "less": "css", "sass": "css", "sql": "sql", "mysql": "sql", "postgresql": "sql", "sqlite": "sql", "plsql": "sql",
		"diff": "diff", "patch": "diff", "udiff": "diff", "markdown": "markdown", "md": "markdown", "mdx": "markdown", "toml": "toml", "ini": "toml",
		"cfg": "toml", "conf": "toml", "properties": "toml", "env": "toml", "gomod": "gomod",
	}
})

// words builds a table from lists in the order keywords, types and built-in
// names, constants.
func words(keywords, types, constants string) map[string]chroma.TokenType {
	m := map[string]chroma.TokenType{}
	for _, l := range []struct {
		t chroma.TokenType
		s string
	}{{chroma.Keyword, keywords}, {chroma.KeywordType, types}, {chroma.KeywordConstant, constants}} {
		for w := range strings.FieldsSeq(l.s) {
			m[w] = l.t
		}
	}
	return m
}

func plainQuotes() []quote {
	return []quote{{open: `"`, close: `"`}, {open: "'", close: "'"}}
}

func golang() *language {
	return &language{
		words: words("break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var",
			"any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
			"true false nil iota"),
		lineComments: []string{"//"}, block: [2]string{"/*", "*/"},
		quotes: []quote{{open: `"`, close: `"`}, {open: "`", close: "`", multi: true, raw: true}, {open: "'", close: "'"}},
	}
}

func python() *language {
	return &language{
		words: words("and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield",
			"bool bytes dict float frozenset int list object set str tuple type Exception",
			"True False None self cls"),
		lineComments: []string{"#"}, upperTypes: true,
		quotes: []quote{{open: `"""`, close: `"""`, multi: true}, {open: "'''", close: "'''", multi: true}, {open: `"`, close: `"`}, {open: "'", close: "'"}},
	}
}

const jsKeywords = "async await break case catch class const continue debugger default delete do else export extends finally for from function get if import in instanceof let new of return set static super switch this throw try typeof var void while with yield"

func javascript() *language {
	return &language{
		words:        words(jsKeywords, "Array Boolean Date Error Map Number Object Promise RegExp Set String Symbol", "true false null undefined NaN Infinity"),
		lineComments: []string{"//"}, block: [2]string{"/*", "*/"}, sigil: "$", upperTypes: true,
		quotes: append(plainQuotes(), quote{open: "`", close: "`", multi: true}),
	}
}

func typescript() *language {
	l := javascript()
	l.words = words(jsKeywords+" abstract as asserts declare enum implements infer interface is keyof module namespace override private protected public readonly satisfies type",
		"any bigint boolean never number object string symbol unknown void Array Boolean Date Error Map Number Object Promise Record Partial Readonly RegExp Set String",
		"true false null undefined NaN Infinity")
	return l
}

func rust() *language {
	return &language{
		words: words("as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return static struct super trait type union unsafe use where while",
			"bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize String Vec Option Result Box Self",
			"true false None Some Ok Err self"),
		lineComments: []string{"//"}, block: [2]string{"/*", "*/"}, nested: true, charQuote: true, upperTypes: true, macros: true,
		quotes: []quote{{open: `r#"`, close: `"#`, multi: true, raw: true}, {open: `"`, close: `"`, multi: true}, {open: "'", close: "'"}},
	}
}

const cKeywords = "auto break case const continue default do else enum extern for goto if inline register restrict return sizeof static struct switch typedef union volatile while"

const cTypes = "bool char double float int long short signed unsigned void size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t"

func cLang() *language {
	return &language{
		words:        words(cKeywords, cTypes, "true false NULL nullptr"),
		lineComments: []string{"//"}, block: [2]string{"/*", "*/"}, charQuote: true, preproc: true, quotes: plainQuotes(),
	}
}

func cpp() *language {
	l := cLang()
	l.words = words(cKeywords+" alignas alignof catch class co_await co_return co_yield concept consteval constexpr decltype delete explicit export final friend import module mutable namespace new noexcept operator override private protected public requires static_assert template this throw try typeid typename using virtual",
		cTypes+" string vector map set wchar_t char8_t char16_t char32_t", "true false NULL nullptr")
	l.upperTypes = true
	return l
}

func java() *language {
	return &language{
		words: words("abstract assert break case catch class continue def default do else enum extends final finally for if implements import in instanceof interface lazy match message native new object override package private protected public record rpc return sealed service static super switch synchronized syntax this throw throws trait transient try val var volatile while with yield",
			"boolean byte char double float int long short void String Object Integer List Map", "true false null"),
		lineComments: []string{"//"}, block: [2]string{"/*", "*/"}, upperTypes: true,
		quotes: append([]quote{{open: `"""`, close: `"""`, multi: true}}, plainQuotes()...),
	}
}

func csharp() *language {
	l := java()
	l.words = words("abstract as async await base break case catch checked class const continue default delegate do else enum event explicit extern finally fixed for foreach get goto if implicit in init interface internal is lock namespace new operator out override params partial private protected public readonly record ref return sealed set sizeof stackalloc static struct switch this throw try typeof unchecked unsafe using var virtual volatile when where while yield",
		"bool byte char decimal double dynamic float int long nint object sbyte short string uint ulong ushort void", "true false null")
	l.quotes = append([]quote{{open: `@"`, close: `"`, multi: true, raw: true, double: true}}, l.quotes...)
	l.preproc = true
	return l
}

func kotlin() *language {
	l := java()
	l.words = words("abstract actual annotation as break by class companion const constructor continue data do else enum expect external final finally for fun get if import in infix init inline inner interface internal is lateinit object open operator out override package private protected public reified return sealed set super suspend tailrec this throw try typealias val var vararg when where while",
		"Any Boolean Byte Char Double Float Int Long Nothing Short String Unit List Map Set", "true false null it")
	return l
}

func swift() *language {
	l := java()
	l.words = words("actor as async await associatedtype break case catch class continue convenience default defer deinit didSet do else enum extension fallthrough fileprivate final for func get guard if import in indirect infix init inout internal is lazy let mutating nonmutating open operator override private protocol public repeat required rethrows return set some static struct subscript super switch throw throws try typealias unowned var weak where while willSet",
		"Any Bool Character Double Float Int String UInt Void Array Dictionary Set Self", "true false nil self")
	l.nested = true
	return l
}

func php() *language {
	return &language{
		words: words("abstract and as break callable case catch class clone const continue declare default do echo else elseif enum extends final finally fn for foreach function global goto if implements include include_once instanceof insteadof interface match namespace new or print private protected public readonly require require_once return static switch throw trait try use var while xor yield",
			"array bool float int iterable mixed object string void", "true false null TRUE FALSE NULL"),
		lineComments: []string{"//", "#"}, block: [2]string{"/*", "*/"}, sigil: "$", upperTypes: true,
		quotes: []quote{{open: `"`, close: `"`, multi: true}, {open: "'", close: "'", multi: true}},
	}
}

func ruby() *language {
	return &language{
		words:        words("alias and begin break case class def defined do else elsif end ensure for if in include module next not or redo require rescue retry return super then undef unless until when while yield attr_accessor attr_reader", "Array Hash Integer String Symbol", "true false nil self"),
		lineComments: []string{"#"}, upperTypes: true, quotes: plainQuotes(),
	}
}

func lua() *language {
	return &language{
		words:        words("and break do else elseif end for function goto if in local not or repeat return then until while", "string table math io os", "true false nil self"),
		lineComments: []string{"--"}, quotes: append(plainQuotes(), quote{open: "[[", close: "]]", multi: true, raw: true}),
	}
}

func sql() *language {
	return &language{
		words: words("add all alter and as asc begin between by case check column commit constraint create cross database default delete desc distinct drop else end exists explain foreign from full function grant group having if in index inner insert into is join key left like limit not offset on or order outer primary references returning revoke right rollback select set table then transaction trigger union unique update using values view when where with",
			"bigint blob boolean char date decimal double float int integer json jsonb numeric real serial smallint text time timestamp timestamptz uuid varchar", "true false null"),
		lineComments: []string{"--"}, block: [2]string{"/*", "*/"}, foldCase: true,
		quotes: []quote{{open: "'", close: "'", multi: true, raw: true, double: true}, {open: `"`, close: `"`}, {open: "`", close: "`"}},
	}
}

func bash() *language {
	return &language{
		words: words("case do done elif else esac export fi for function if in local readonly return select set shift source then time trap unset until while declare alias RUN FROM COPY CMD ENTRYPOINT WORKDIR ENV ARG EXPOSE",
			"awk cat cd chmod cp curl echo eval exec exit find git go grep head kill ls make mkdir mv node npm printf pwd python read rm sed sort sudo tail tar test touch tr uniq wc xargs", "true false"),
		lineComments: []string{"#"}, hashNeedsSpace: true, sigil: "$", dash: true,
		quotes: []quote{{open: `"`, close: `"`, multi: true}, {open: "'", close: "'", multi: true, raw: true}, {open: "`", close: "`"}},
	}
}

func gomod() *language {
	return &language{words: words("module go toolchain require replace exclude retract tool", "", ""), lineComments: []string{"//"}}
}

func jsonLang() *language {
	return &language{words: words("", "", "true false null"), scan: scanJSON, lineComments: []string{"//"}, block: [2]string{"/*", "*/"}, quotes: []quote{{open: `"`, close: `"`}}}
}

func toml() *language {
	return &language{words: words("", "", "true false inf nan yes no on off"), scan: scanTOML, lineComments: []string{"#", ";"}, dash: true,
		quotes: []quote{{open: `"""`, close: `"""`, multi: true}, {open: "'''", close: "'''", multi: true, raw: true}, {open: `"`, close: `"`}, {open: "'", close: "'", raw: true}}}
}

func yaml() *language {
	return &language{words: words("", "", "true false null yes no on off"), scan: scanYAML, lineComments: []string{"#"}, hashNeedsSpace: true, dash: true,
		quotes: []quote{{open: `"`, close: `"`}, {open: "'", close: "'", raw: true, double: true}}}
}

func css() *language {
	return &language{words: words("important inherit initial unset auto none from to and not only", "", ""), dash: true, keys: true,
		block: [2]string{"/*", "*/"}, lineComments: []string{"//"}, quotes: plainQuotes(), scan: scanCSS}
}

func markup() *language   { return &language{scan: scanMarkup} }
func diff() *language     { return &language{scan: scanDiff} }
func markdown() *language { return &language{scan: scanMarkdown} }
