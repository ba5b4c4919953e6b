// Writes what Kubernetes' own parser says of label selectors: one line of JSON for each, with whether it
// parses and which of a few sets of labels it selects.
//
//	go run . > ../../data/label-verdicts.jsonl
package main

import (
	"encoding/json"
	"math/rand"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
)

var sets = []labels.Set{
	{},
	{"a": "1"},
	{"a": "2", "b": "x"},
	{"a": "", "x.io/a": "1"},
	{"b": "y", "in": "notin"},
	{"a": "-5", "x": "9223372036854775808"},
}

var pieces = []string{
	"a", "a", "a", "b", "x.io/a", "X.io/a", "x_y.io/a", "x..io/a", "-a", "a-", "a_b", "A", "in", "notin", "é",
	"1", "2", "-5", "+1", "0x1", "9223372036854775807", "9223372036854775808", "x", "y", ".", "/", "a/", "/a", "a/b/c",
	"=", "==", "!=", "=!", "!", "!", "in", "notin", "(", ")", "()", "(1)", "(1,2)", "( 1 , 2 )", "(,1)", "(1,)", "(,)", "(1 2)",
	",", ",", ",,", ">", "<", ">=", "", " ", " ", "  ", "\t", "\n", "\u00a0", "(in)", "exists", "===", "&", "a=1", "b!=x", "a in (1)", "!b",
	strings.Repeat("l", 63), strings.Repeat("l", 64), strings.Repeat("p", 253) + "/a", strings.Repeat("p", 254) + "/a",
}

func main() {
	random := rand.New(rand.NewSource(1))
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	seen := map[string]bool{}
	var good, bad int
	for good < 500 || bad < 500 {
		var text strings.Builder
		for range random.Intn(7) {
			text.WriteString(pieces[random.Intn(len(pieces))])
		}
		selector, err := labels.Parse(text.String())
		// As many of each.
		if seen[text.String()] || (err == nil && good >= 500) || (err != nil && bad >= 500) {
			continue
		}
		seen[text.String()] = true
		row := map[string]any{"selector": text.String()}
		if err != nil {
			bad++
		} else {
			good++
			var selected []int
			for n, set := range sets {
				if selector.Matches(set) {
					selected = append(selected, n)
				}
			}
			if selected == nil {
				selected = []int{}
			}
			row["selects"] = selected
		}
		if err := out.Encode(row); err != nil {
			panic(err)
		}
	}
}
