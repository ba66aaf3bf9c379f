// Schemas: plain JSON Schema with the marks of their kind left out of the JSON.
"use strict";
const optional = Symbol("optional");
const mark = (s, k, v) => Object.defineProperty(s, k, { value: v, enumerable: false });
const of = (type) => (o = {}) => ({ type, ...o });
const isOptional = (s) => s?.[optional] === true;
const literal = (v, o = {}) => ({ type: v === null ? "null" : typeof v, const: v, ...o });
const object = (props, o = {}) => {
	const required = Object.keys(props).filter((k) => !isOptional(props[k]));
	return { type: "object", ...(required.length ? { required } : {}), properties: props, ...o };
};
const copy = (s, extra) => { const c = { ...s, ...extra }; if (isOptional(s)) mark(c, optional, true); return c; };
const plain = (s) => { const c = { ...s }; return c; };
const Type = {
	String: of("string"), Number: of("number"), Integer: of("integer"), Boolean: of("boolean"), Null: of("null"), Any: (o = {}) => ({ ...o }), Unknown: (o = {}) => ({ ...o }), Never: (o = {}) => ({ not: {}, ...o }), Undefined: of("undefined"), Void: of("void"),
	Object: object, Array: (items, o = {}) => ({ type: "array", items, ...o }), Tuple: (items, o = {}) => ({ type: "array", items, minItems: items.length, maxItems: items.length, additionalItems: false, ...o }),
	Optional: (s) => mark({ ...s }, optional, true), Required: (s) => object(Object.fromEntries(Object.entries(s.properties).map(([k, v]) => [k, plain(v)])), rest(s)), Readonly: (s) => s,
	Literal: literal, Union: (anyOf, o = {}) => ({ anyOf, ...o }), Intersect: (allOf, o = {}) => ({ allOf, ...o }), Enum: (e, o = {}) => { const values = Array.isArray(e) ? e : Object.values(e); return { enum: values, ...(values.every((v) => typeof v === "string") ? { type: "string" } : {}), ...o }; },
	Record: (k, v, o = {}) => ({ type: "object", ...(k.anyOf ? object(Object.fromEntries(k.anyOf.map((l) => [l.const, v]))) : { patternProperties: { [k.pattern ?? "^.*$"]: v } }), ...o }),
	Partial: (s, o = {}) => object(Object.fromEntries(Object.entries(s.properties).map(([k, v]) => [k, Type.Optional(v)])), { ...rest(s), ...o }),
	Pick: (s, keys, o = {}) => object(Object.fromEntries(Object.entries(s.properties).filter(([k]) => [keys].flat().includes(k))), { ...rest(s), ...o }),
	Omit: (s, keys, o = {}) => object(Object.fromEntries(Object.entries(s.properties).filter(([k]) => ![keys].flat().includes(k))), { ...rest(s), ...o }),
	Composite: (list, o = {}) => object(Object.assign({}, ...list.map((s) => s.properties)), o), KeyOf: (s) => Type.Union(Object.keys(s.properties).map((k) => literal(k))),
	Unsafe: (s = {}) => ({ ...s }), Ref: (r, o = {}) => ({ $ref: typeof r === "string" ? r : r.$id, ...o }), Date: of("Date"), RegExp: (r, o = {}) => ({ type: "string", pattern: r.source ?? r, ...o }), TemplateLiteral: (p, o = {}) => ({ type: "string", ...o }),
	Function: () => ({}), Promise: () => ({}), Script: () => ({}), Clone: (s) => copy(s), Extends: (a, b, c) => c, Index: (s, k) => s.properties[k],
};
const rest = (s) => { const { type, properties, required, ...o } = s; return o; };

// Checking values, for programs that do.
const check = (s, v) => {
	if (s === true || !s) return true;
	if (s.const !== undefined && v !== s.const) return false;
	if (s.enum && !s.enum.includes(v)) return false;
	if (s.anyOf && !s.anyOf.some((x) => check(x, v))) return false;
	if (s.allOf && !s.allOf.every((x) => check(x, v))) return false;
	switch (s.type) {
		case "string": return typeof v === "string" && (s.minLength === undefined || v.length >= s.minLength) && (s.maxLength === undefined || v.length <= s.maxLength) && (!s.pattern || new RegExp(s.pattern).test(v));
		case "number": case "integer": return typeof v === "number" && (s.type === "number" || Number.isInteger(v)) && (s.minimum === undefined || v >= s.minimum) && (s.maximum === undefined || v <= s.maximum);
		case "boolean": return typeof v === "boolean";
		case "null": return v === null;
		case "array": return Array.isArray(v) && v.every((x) => check(Array.isArray(s.items) ? {} : s.items, x));
		case "object": return typeof v === "object" && v !== null && !Array.isArray(v) && (s.required ?? []).every((k) => k in v) && Object.entries(s.properties ?? {}).every(([k, x]) => v[k] === undefined || check(x, v[k]));
	}
	return true;
};
const Value = {
	Check: check, Parse: (s, v) => { if (!check(s, v)) throw new Error("the value does not fit the schema"); return v; }, Decode: (s, v) => Value.Parse(s, v), Cast: (s, v) => v, Clean: (s, v) => v, Convert: (s, v) => v, Errors: function* (s, v) { if (!check(s, v)) yield { path: "", message: "the value does not fit the schema", value: v }; }, Clone: (v) => structuredClone(v), Equal: (a, b) => JSON.stringify(a) === JSON.stringify(b),
	Default: (s, v) => (v === undefined ? s.default : v), Create: (s) => s.default,
};
const Compile = (s) => ({ Check: (v) => check(s, v), Errors: (v) => [...Value.Errors(s, v)], Parse: (v) => Value.Parse(s, v) });
module.exports = { ...Type, Type, Value, Compile, TypeCompiler: { Compile }, default: Type, Static: undefined, IsOptional: isOptional };
