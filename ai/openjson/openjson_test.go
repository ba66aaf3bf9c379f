package openjson

import (
	"encoding/json"
	"reflect"
	"testing"
)

type inner struct {
	A int `json:"a"`
}

type sample struct {
	inner
	B    string `json:"b,omitempty"`
	C    any    `json:"c"`
	Rest Fields `json:"-"`
}

func (s *sample) UnmarshalJSON(b []byte) (err error) {
	type plain sample
	s.Rest, err = Unmarshal(b, (*plain)(s))
	return err
}

func (s sample) MarshalJSON() ([]byte, error) {
	type plain sample
	return Marshal(plain(s), s.Rest)
}

func TestUnknownMembersSurvive(t *testing.T) {
	for _, tt := range []struct{ name, in, out string }{
		{"none", `{"a":1,"b":"x","c":null}`, `{"a":1,"b":"x","c":null}`},
		{"scalar", `{"z":12.50,"a":1,"c":2}`, `{"a":1,"c":2,"z":12.50}`},
		{"nested", ` { "a" : 1 , "y" : {"k":["}",{"q":"\""}]} , "c":[] } `, `{"a":1,"c":[],"y":{"k":["}",{"q":"\""}]}}`},
		{"sorted", `{"q":true,"a":0,"c":0,"p":"<&>"}`, `{"a":0,"c":0,"p":"<&>","q":true}`},
		{"escaped key", `{"a":0,"c":0,"\u00e9\n":1}`, `{"a":0,"c":0,"é\n":1}`},
		{"case", `{"A":3,"c":0}`, `{"a":3,"c":0}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s sample
			if err := json.Unmarshal([]byte(tt.in), &s); err != nil {
				t.Fatal(err)
			}
			// Marshal through Encode, as json.Marshal escapes what MarshalJSON returns.
			out, err := Encode(s)
			if err != nil {
				t.Fatal(err)
			}
			if string(out) != tt.out {
				t.Errorf("got  %s\nwant %s", out, tt.out)
			}
		})
	}
}

func FuzzMembers(f *testing.F) {
	f.Add(`{"a":[1,{"b":"}"}],"c":"\\\""}`)
	f.Add(`{"":{}}`)
	f.Fuzz(func(t *testing.T, in string) {
		var want map[string]json.RawMessage
		if json.Unmarshal([]byte(in), &want) != nil {
			t.Skip()
		}
		got := map[string]json.RawMessage{}
		eachMember([]byte(in), func(k string, v []byte) { got[k] = v })
		if len(want) == 0 && len(got) == 0 {
			return
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q want %q", in, got, want)
		}
	})
}

func TestSplice(t *testing.T) {
	head := struct {
		A string `json:"a"`
	}{"<x>"}
	tail := struct {
		B int `json:"b"`
	}{1}
	got, err := Splice(head, "list", List([][]byte{[]byte(`{"c":1}`), []byte(`2`)}), tail, Fields{"z": []byte("3")})
	if want := `{"a":"<x>","list":[{"c":1},2],"b":1,"z":3}`; err != nil || string(got) != want {
		t.Errorf("%s %v", got, err)
	}
	if got, err = Splice(head, "list", nil, tail, nil); err != nil || string(got) != `{"a":"<x>","list":[],"b":1}` {
		t.Errorf("%s %v", got, err)
	}
	if got, err = Splice(struct{}{}, "list", nil, struct{}{}, nil); err != nil || string(got) != `{"list":[]}` {
		t.Errorf("%s %v", got, err)
	}
	if _, err = Splice("text", "list", nil, tail, nil); err == nil {
		t.Error("a head that is no object")
	}
}
