package transport

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// served plays a server that is started at the port in the variable PORT. It says "hello" to
// whoever asks, and dies of a POST.
func served(mode string) int {
	fmt.Println("served: beginning")
	if mark := os.Getenv("MARK"); mark != "" { // it lives, or dies, by what was left by earlier starts
		f, err := os.OpenFile(mark, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return 1
		}
		fmt.Fprintln(f, os.Getpid())
		_ = f.Close()
		if data, err := os.ReadFile(mark); err == nil && mode == "served-once" &&
			len(data) > len(fmt.Sprintln(os.Getpid())) {
			fmt.Println("Error: the database is locked")
			return 4
		}
	}
	switch mode {
	case "served-end":
		os.Exit(0)
	case "served-exit":
		fmt.Fprintln(os.Stderr, "Error: no licence")
		fmt.Fprintln(os.Stderr, "    at main")
		return 3
	case "served-never":
		fmt.Println("still loading")
		time.Sleep(time.Minute)
		return 0
	case "served-labours":
		labour()
	case "served-stubborn":
		signal.Ignore(syscall.SIGTERM)
	case "served-wrapper": // a shell, say, that goes on when its server has died
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), helperVar+"=served")
		cmd.Stdout = os.Stdout
		if cmd.Start() != nil || cmd.Wait() == nil {
			return 1
		}
		time.Sleep(time.Minute)
		return 0
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		fmt.Println("Error:", err)
		return 1
	}
	fmt.Println("served: listening at", l.Addr())
	if mode == "served-silent" { // takes connections, and never answers
		time.Sleep(time.Minute)
	}
	err = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// it drops the connection, and serves others for a while
		if r.Method == http.MethodPost && mode == "served-dying" {
			time.AfterFunc(2*reaping, func() { os.Exit(5) })
			panic(http.ErrAbortHandler)
		}
		if r.Method == http.MethodPost {
			fmt.Println("panic: a POST")
			os.Exit(5)
		}
		_, _ = io.WriteString(w, "hello")
	}))
	fmt.Println(err)
	return 1
}
