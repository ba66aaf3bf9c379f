package latex

import (
	"strings"
	"sync"
)

func pairs(from, to string) map[rune]rune {
	m := map[rune]rune{}
	t := []rune(to)
	for i, r := range []rune(from) {
		m[r] = t[i]
	}
	return m
}

// What Unicode has above and below the line.
var (
	superscripts = sync.OnceValue(func() map[rune]rune {
		return pairs("0123456789+-=()nixyabcdefghjklmoprstuvwzABDEGHIJKLMNOPRTUVWαβγδεθφχ′*†∘⊤°",
			"⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱˣʸᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᵋᶿᵠᵡ′*†°ᵀ°")
	})
	subscripts = sync.OnceValue(func() map[rune]rune {
		return pairs("0123456789+-=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ")
	})
	doubles = sync.OnceValue(func() map[rune]rune { return pairs("CHNPQRZ", "ℂℍℕℙℚℝℤ") })
	scripts = sync.OnceValue(func() map[rune]rune { return pairs("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ") })
)

var accents = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303", "widetilde": "\u0303", "vec": "\u20d7", "overrightarrow": "\u20d7",
		"dot": "\u0307", "ddot": "\u0308", "dddot": "\u20db", "breve": "\u0306", "check": "\u030c", "acute": "\u0301", "grave": "\u0300",
		"mathring": "\u030a", "cancel": "\u0336", "bcancel": "\u0336", "xcancel": "\u0336",
	}
})

var delimiterNames = sync.OnceValue(func() map[string]string {
	m := map[string]string{"|": "‖"}
	f := strings.Fields(`{ { } } lbrace { rbrace } lbrack [ rbrack ] langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉
		lvert | rvert | vert | lVert ‖ rVert ‖ Vert ‖ lgroup ( rgroup ) backslash \ uparrow ↑ downarrow ↓`)
	for i := 0; i+1 < len(f); i += 2 {
		m[f[i]] = f[i+1]
	}
	return m
})

// symbols are the commands without arguments.
var symbols = sync.OnceValue(func() map[string]node {
	m := map[string]node{}
	add := func(list string, c class, limits bool) {
		f := strings.Fields(list)
		for i := 0; i+1 < len(f); i += 2 {
			m[f[i]] = node{text: f[i+1], class: c, limits: limits}
		}
	}
	add(ordinaries, ordinary, false)
	add(binaries, binary, false)
	add(relations, relation, false)
	add(bigOperators, operator, true)
	add("int ∫ iint ∬ iiint ∭ oint ∮ smallint ∫", operator, false)
	for name := range strings.FieldsSeq("sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp arg dim hom ker deg") {
		m[name] = node{text: name, class: operator}
	}
	for name := range strings.FieldsSeq("lim max min sup inf det gcd Pr argmax argmin") {
		m[name] = node{text: name, class: operator, limits: true}
	}
	m["limsup"] = node{text: "lim sup", class: operator, limits: true}
	m["liminf"] = node{text: "lim inf", class: operator, limits: true}
	m["bmod"] = node{text: "mod", class: relation}
	m["mod"] = node{text: "mod", class: relation}
	m["colon"] = node{text: ":", class: punctuation}
	return m
})

const (
	ordinaries = `
alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ omicron ο
pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω
Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
emptyset ∅ varnothing ∅ forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ top ⊤ bot ⊥ partial ∂ nabla ∇ infty ∞ angle ∠ measuredangle ∡ degree ° prime ′
ldots … dots … dotsc … dotsb ⋯ cdots ⋯ vdots ⋮ ddots ⋱ hbar ℏ hslash ℏ ell ℓ Re ℜ Im ℑ aleph ℵ beth ℶ wp ℘ imath ı jmath ȷ
triangle △ square □ Box □ blacksquare ■ qed ∎ checkmark ✓ dag † dagger † ddagger ‡ S § P ¶ copyright © pounds £ euro € AA Å
flat ♭ natural ♮ sharp ♯ clubsuit ♣ diamondsuit ♢ heartsuit ♡ spadesuit ♠ backslash \ And & lq ‘ rq ’ surd √ complement ∁`
	binaries = `
times × cdot · div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet • oplus ⊕ ominus ⊖ otimes ⊗ oslash ⊘ odot ⊙ setminus ∖ smallsetminus ∖
cup ∪ cap ∩ sqcup ⊔ sqcap ⊓ uplus ⊎ wedge ∧ land ∧ vee ∨ lor ∨ diamond ⋄ ltimes ⋉ rtimes ⋊ wr ≀ amalg ⨿ boxplus ⊞ boxtimes ⊠`
	relations = `
le ≤ leq ≤ leqslant ⩽ ge ≥ geq ≥ geqslant ⩾ ne ≠ neq ≠ lt < gt > approx ≈ equiv ≡ sim ∼ simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫ asymp ≍ doteq ≐
prec ≺ succ ≻ preceq ≼ succeq ≽ lesssim ≲ gtrsim ≳ triangleq ≜ coloneqq ≔ coloneq ≔ eqqcolon ≕ nsim ≁ ncong ≇ nleq ≰ ngeq ≱
in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ subsetneq ⊊ supset ⊃ supseteq ⊇ supsetneq ⊋ sqsubseteq ⊑ sqsupseteq ⊒ nsubseteq ⊈
mid ∣ nmid ∤ parallel ∥ nparallel ∦ perp ⟂ vdash ⊢ dashv ⊣ models ⊨ vDash ⊨ Vdash ⊩ bowtie ⋈ smile ⌣ frown ⌢ therefore ∴ because ∵
to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ mapsto ↦ longmapsto ⟼ implies ⟹ impliedby ⟸ iff ⟺
longrightarrow ⟶ longleftarrow ⟵ longleftrightarrow ⟷ Longrightarrow ⟹ Longleftarrow ⟸ Longleftrightarrow ⟺ hookrightarrow ↪ hookleftarrow ↩
uparrow ↑ downarrow ↓ updownarrow ↕ Uparrow ⇑ Downarrow ⇓ nearrow ↗ searrow ↘ swarrow ↙ nwarrow ↖ rightharpoonup ⇀ rightharpoondown ⇁
leftharpoonup ↼ rightleftharpoons ⇌ leftrightharpoons ⇋ twoheadrightarrow ↠ rightsquigarrow ⇝ leadsto ⇝ nrightarrow ↛ nleftarrow ↚`
	bigOperators = `
sum ∑ prod ∏ coprod ∐ bigcup ⋃ bigcap ⋂ bigvee ⋁ bigwedge ⋀ bigoplus ⨁ bigotimes ⨂ bigodot ⨀ biguplus ⨄ bigsqcup ⨆`
)
