package vendorcheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// smithyShapes reads the schemas of an AWS client. They are built by calls:
// smithy.NewSchema declares a shape, AddMember adds to it. What is required is
// in the comments of the types only.
func smithyShapes(dir string) (map[string]*shape, error) {
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "schemas", "schemas.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	shapes := map[string]*shape{}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		call, ok := spec.Values[0].(*ast.CallExpr)
		if !ok || len(call.Args) < 2 || selector(call.Fun) != "NewSchema" {
			return true
		}
		name := spec.Names[0].Name
		sh := &shape{name: name, fields: map[string]*field{}}
		switch selector(call.Args[1]) {
		case "ShapeTypeStructure":
			sh.kind = object
		case "ShapeTypeUnion":
			sh.kind, sh.exact = object, true
		case "ShapeTypeList":
			sh.kind = list
		case "ShapeTypeMap":
			sh.kind = dictionary
		case "ShapeTypeString", "ShapeTypeEnum", "ShapeTypeBlob":
			sh.kind = text
		case "ShapeTypeBoolean":
			sh.kind = boolean
		case "ShapeTypeInteger", "ShapeTypeLong", "ShapeTypeFloat", "ShapeTypeDouble":
			sh.kind = number
		}
		shapes[name] = sh
		return true
	})
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || selector(call.Fun) != "AddMember" || len(call.Args) < 2 {
			return true
		}
		owner := shapes[identifier(call.Fun.(*ast.SelectorExpr).X)]
		lit, isText := call.Args[0].(*ast.BasicLit)
		if owner == nil || !isText {
			return true
		}
		member, _ := strconv.Unquote(lit.Value) // it was parsed
		target := shapes[identifier(call.Args[1])]
		if target == nil { // of the prelude
			target = &shape{name: selector(call.Args[1])}
			switch target.name {
			case "String", "Blob":
				target.kind = text
			case "Boolean", "PrimitiveBoolean":
				target.kind = boolean
			case "Integer", "Long", "Float", "Double":
				target.kind = number
			}
		}
		switch owner.kind {
		case object:
			owner.fields[member] = &field{shape: target}
		case list:
			owner.item = target
		case text:
			// Members of an enumeration are named in the case of constants; their
			// values are in another place.
		}
		return true
	})
	for _, sh := range shapes {
		if sh.kind == list && sh.item == nil {
			sh.item = &shape{name: sh.name, kind: anything}
		}
	}
	return shapes, requireFromComments(dir, shapes)
}

// requireFromComments takes over what the comments of the types call required.
func requireFromComments(dir string, shapes map[string]*shape) error {
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "types", "types.go"), nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		t, ok := spec.Type.(*ast.StructType)
		sh := shapes[spec.Name.Name]
		if !ok || sh == nil {
			return true
		}
		for _, member := range t.Fields.List {
			if len(member.Names) == 0 || !strings.Contains(member.Doc.Text(), "This member is required.") {
				continue
			}
			name := member.Names[0].Name
			if fd := sh.fields[strings.ToLower(name[:1])+name[1:]]; fd != nil {
				fd.required = true
			}
		}
		return true
	})
	return nil
}

func selector(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}

func identifier(e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}
