package vendorcheck

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// source is the declared types of an SDK's packages, read without compiling.
type source struct {
	types  map[string]map[string]ast.Expr // by package and name
	values map[string][]string            // constants of named strings, by "package.Type"
	shapes map[string]*shape
}

// readSource reads packages, given as name and folder.
func readSource(packages map[string]string) (*source, error) {
	s := &source{types: map[string]map[string]ast.Expr{}, values: map[string][]string{}, shapes: map[string]*shape{}}
	for pkg, dir := range packages {
		s.types[pkg] = map[string]ast.Expr{}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			s.declare(pkg, f)
		}
	}
	return s, nil
}

func (s *source) declare(pkg string, f *ast.File) {
	for _, d := range f.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				s.types[pkg][spec.Name.Name] = spec.Type
			case *ast.ValueSpec:
				typ, ok := spec.Type.(*ast.Ident)
				if !ok || decl.Tok != token.CONST {
					continue
				}
				for _, v := range spec.Values {
					if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
						text, _ := strconv.Unquote(lit.Value) // it was parsed
						s.values[pkg+"."+typ.Name] = append(s.values[pkg+"."+typ.Name], text)
					}
				}
			}
		}
	}
}

// shape returns the shape of a declared type.
func (s *source) shape(pkg, name string) *shape {
	key := pkg + "." + name
	if known := s.shapes[key]; known != nil {
		return known
	}
	typ, ok := s.types[pkg][name]
	if !ok {
		return &shape{name: key, kind: anything}
	}
	sh := &shape{name: key}
	s.shapes[key] = sh // before its members: types refer to themselves
	*sh = *s.of(pkg, typ, key)
	sh.name = key
	if sh.kind == text {
		sh.values = s.values[key]
		if strings.HasSuffix(name, "Model") {
			sh.values = nil // names of models are never all known
		}
	}
	return sh
}

// of returns the shape of a type expression in a package.
func (s *source) of(pkg string, expr ast.Expr, name string) *shape {
	switch t := expr.(type) {
	case *ast.Ident:
		switch t.Name {
		case "string":
			return &shape{name: name, kind: text}
		case "bool":
			return &shape{name: name, kind: boolean}
		case "int64", "int32", "int", "float64", "float32":
			return &shape{name: name, kind: number}
		case "any":
			return &shape{name: name, kind: anything}
		}
		return s.shape(pkg, t.Name)
	case *ast.StarExpr:
		return s.of(pkg, t.X, name)
	case *ast.ArrayType:
		if id, ok := t.Elt.(*ast.Ident); ok && id.Name == "byte" {
			return &shape{name: name, kind: text} // base64
		}
		return &shape{name: name, kind: list, item: s.of(pkg, t.Elt, name)}
	case *ast.MapType:
		return &shape{name: name, kind: dictionary}
	case *ast.IndexExpr: // param.Opt[T]
		return s.of(pkg, t.Index, name)
	case *ast.SelectorExpr:
		from, _ := t.X.(*ast.Ident)
		if from == nil || s.types[from.Name] == nil {
			return &shape{name: name, kind: anything}
		}
		return s.shape(from.Name, t.Sel.Name)
	case *ast.StructType:
		return s.structure(pkg, t, name)
	}
	return &shape{name: name, kind: anything}
}

func (s *source) structure(pkg string, t *ast.StructType, name string) *shape {
	sh := &shape{name: name, kind: object, fields: map[string]*field{}}
	for _, f := range t.Fields.List {
		if f.Tag == nil || len(f.Names) == 0 || !f.Names[0].IsExported() {
			continue
		}
		raw, _ := strconv.Unquote(f.Tag.Value) // it was parsed
		tag := reflect.StructTag(raw)
		if tag.Get("api") == "extrafields" {
			sh.open = true
			continue
		}
		key, options, _ := strings.Cut(tag.Get("json"), ",")
		if strings.Contains(options, "inline") {
			sh.kind = union
			sh.one = append(sh.one, s.of(pkg, f.Type, name+"."+f.Names[0].Name))
			continue
		}
		if key == "-" || key == "" {
			continue
		}
		fs := s.of(pkg, f.Type, fmt.Sprintf("%s.%s", name, f.Names[0].Name))
		required := tag.Get("api") == "required"
		if value, ok := tag.Lookup("default"); ok { // a constant, such as a type
			fs, required = &shape{name: fs.name, kind: text, values: []string{value}}, true
		}
		sh.fields[key] = &field{fs, required}
	}
	return sh
}
