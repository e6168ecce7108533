package cel

import "testing"

func BenchmarkCompile(b *testing.B) {
	e, _ := sample(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Compile(`resource.spec.replicas > 1 && resource.kind == "Deployment"`); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEval(b *testing.B) {
	e, variables := sample(b)
	for name, expression := range map[string]string{
		"comparison": `resource.spec.replicas > 1 && resource.kind == "Deployment"`,
		"loop":       `resource.spec.containers.exists(c, c.name == "log" && c.image.startsWith("b:"))`,
		"map":        `{"name": port.name, "port": port.number}`,
	} {
		b.Run(name, func(b *testing.B) {
			p, err := e.Compile(expression)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Eval(variables); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
