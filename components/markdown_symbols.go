package components

import (
	"strings"
	"sync"
)

// mathTable holds what Unicode has for the commands of formulas.
type mathTable struct {
	symbols            map[string]string
	super, sub, double map[rune]rune
}

var mathTables = sync.OnceValue(func() mathTable {
	pairs := func(from, to string) map[rune]rune {
		m := map[rune]rune{}
		t := []rune(to)
		for i, r := range []rune(from) {
			m[r] = t[i]
		}
		return m
	}
	t := mathTable{
		symbols: map[string]string{},
		super:   pairs("0123456789+-=()nixyabcdefghjklmoprstuvwzT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱˣʸᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷᶻᵀ"),
		sub:     pairs("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"),
		double:  pairs("CHNPQRZE1", "ℂℍℕℙℚℝℤ𝔼𝟙"),
	}
	f := strings.Fields(mathSymbols)
	for i := 0; i+1 < len(f); i += 2 {
		t.symbols[f[i]] = f[i+1]
	}
	for name := range strings.FieldsSeq("sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln exp lim limsup liminf max min sup inf arg det dim gcd ker deg Pr mod") {
		t.symbols[name] = name
	}
	return t
})

const mathSymbols = `
alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ
pi π rho ρ sigma σ varsigma ς tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω
Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ equiv ≡ sim ∼ simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫ lt < gt >
times × cdot · div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet • oplus ⊕ otimes ⊗ odot ⊙ setminus ∖
in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ cup ∪ cap ∩ emptyset ∅ varnothing ∅
forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ land ∧ wedge ∧ lor ∨ vee ∨ implies ⟹ iff ⟺ vdash ⊢ models ⊨ top ⊤ bot ⊥ perp ⊥
to → rightarrow → leftarrow ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ mapsto ↦ longrightarrow ⟶ uparrow ↑ downarrow ↓
sum ∑ prod ∏ int ∫ iint ∬ oint ∮ partial ∂ nabla ∇ infty ∞ angle ∠ degree ° prime ′
ldots … dots … cdots ⋯ vdots ⋮ ddots ⋱ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉
mid | parallel ∥ lVert ‖ rVert ‖ vert | triangle △ square □ checkmark ✓ dagger † therefore ∴ because ∵
`
