package recipes

import "unicode/utf8"

// Codes returns all codes.
func Codes() []string {
	out := make([]string, len(codes))
	for i, c := range codes {
		out[i] = c.code
	}
	return out
}

// Scalars returns the values of a text's scalars, and of each the parts of the text that its bytes come from; a part is
// empty if the scalar cannot be followed through the text.
func Scalars(text string) (values []string, parts [][]string) {
	d, problem := newDocument("test.yaml", []byte(text))
	if problem != nil {
		return nil, nil
	}
	root, _ := compose(d)
	if root == nil {
		return nil, nil
	}
	seen := map[*node]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, e := range n.entries {
			walk(e.key)
			walk(e.value)
		}
		for _, item := range n.items {
			walk(item)
		}
		if n.kind != scalarNode || n.broken || n.empty() {
			return
		}
		values = append(values, n.value)
		if locate(d.text, n.begin, n.style, n.value) == nil {
			parts = append(parts, nil)
			return
		}
		list := make([]string, len(n.value))
		for i, r := range n.value {
			begin, end := n.span(i, i+utf8.RuneLen(r))
			list[i] = d.text[begin:end]
		}
		parts = append(parts, list)
	}
	walk(root)
	return values, parts
}
