package dir

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference/engine"
)

// many makes files in a directory, a thousand in each of those in it, and says where they lie.
func many(t testing.TB, top string, n int) pending {
	t.Helper()
	paths := pending{}
	for i := range n {
		in := fmt.Sprintf("d%d", i/1000)
		if i%1000 == 0 {
			if err := os.Mkdir(filepath.Join(top, in), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		path := fmt.Sprintf("%s/f%d.txt", in, i)
		if err := os.WriteFile(filepath.Join(top, path), []byte("text\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		paths[path] = true
	}
	return paths
}

// BenchmarkFiles: what a file costs does not depend on how many there are. They are listed as at the start, a
// server hears of all of them, and of one.
func BenchmarkFiles(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			top := b.TempDir()
			paths := many(b, top, n)
			d, err := Open(b.Context(), top, Options{MaxFiles: 2 * n})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = d.Close() })
			run := func(name string, files int, prepare func(), what func()) {
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						b.StopTimer()
						prepare()
						b.StartTimer()
						what()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*files), "ns/file")
				})
			}
			var e *engine.Engine
			empty := func() {
				d.files.clear()
				if e, err = engine.New(engine.Config{World: d.World()}); err != nil {
					b.Fatal(err)
				}
			}
			run("listed", n, d.files.clear, func() { d.scan(b.Context(), ".") })
			run("new", n, empty, func() { d.settle(b.Context(), paths, e) })
			run("one", 1, func() {}, func() { d.settle(b.Context(), pending{"d0/f1.txt": true}, e) })
		})
	}
}
