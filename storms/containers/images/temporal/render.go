// Fills in a template of Temporal's server image from the environment, as its "dockerize" does.
package main

import (
	"os"
	"strings"
	"text/template"
)

func main() {
	env := map[string]string{}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	functions := template.FuncMap{
		"default": func(value, fallback any) any {
			if value == nil || value == "" {
				return fallback
			}
			return value
		},
		"lower": strings.ToLower,
		"split": strings.Split,
		"trim":  strings.TrimSpace,
	}
	text, err := os.ReadFile(os.Args[1])
	if err == nil {
		var parsed *template.Template
		parsed, err = template.New("config").Funcs(functions).Parse(string(text))
		if err == nil {
			err = parsed.Execute(os.Stdout, map[string]any{"Env": env})
		}
	}
	if err != nil {
		panic(err)
	}
}
