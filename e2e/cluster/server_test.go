package cluster

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// startLimit is how long the API server may take until it answers.
const startLimit = 2 * time.Minute

// A server is an etcd and a kube-apiserver on loopback. There are no controllers: in a guide,
// kubectl does their part under their name.
type server struct {
	folder    string
	access    *access
	processes []*process
}

// start starts both, with all their files in the folder, and waits until the API server answers.
func start(folder string) (*server, error) {
	s := &server{folder: folder}
	if err := s.start(folder); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *server) start(folder string) error {
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	etcd, peer := "http://127.0.0.1:"+ports[0], "http://127.0.0.1:"+ports[1]
	access, err := newAccess(folder, ports[2])
	if err != nil {
		return err
	}
	s.access = access
	for _, user := range users {
		if err := os.WriteFile(s.kubeconfig(user.name), []byte(access.kubeconfig(user.name)), 0o600); err != nil {
			return err
		}
	}
	if err := os.WriteFile(s.file("audit.yaml"), []byte(auditPolicy), 0o600); err != nil {
		return err
	}
	err = s.run(folder, "etcd",
		"--data-dir", filepath.Join(folder, "etcd"),
		"--listen-client-urls", etcd, "--advertise-client-urls", etcd,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer)
	if err != nil {
		return err
	}
	err = s.run(folder, "kube-apiserver",
		"--etcd-servers", etcd,
		"--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1", "--secure-port", ports[2],
		"--tls-cert-file", access.certificate, "--tls-private-key-file", access.key,
		"--token-auth-file", access.tokens, "--authorization-mode", "RBAC",
		"--audit-policy-file", s.file("audit.yaml"), "--audit-log-path", s.file("audit.log"),
		"--service-account-issuer", "https://kubernetes.default.svc",
		"--service-account-key-file", access.key, "--service-account-signing-key-file", access.key,
		"--service-cluster-ip-range", "10.0.0.0/24",
		// Without controllers nobody creates the service account "default".
		"--disable-admission-plugins", "ServiceAccount",
		// An endpoint on loopback is not valid.
		"--endpoint-reconciler-type", "none")
	if err != nil {
		return err
	}
	client, err := access.client()
	if err != nil {
		return err
	}
	for _, path := range []string{"/readyz", "/api/v1/namespaces/default"} {
		if err := s.await(client, access.get(path)); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) file(name string) string { return filepath.Join(s.folder, name) }

// kubeconfig is the file with the context of a user.
func (s *server) kubeconfig(user string) string { return s.file("kubeconfig-" + user) }

// await polls until the answer is 200 OK.
func (s *server) await(client *http.Client, request *http.Request) error {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	limit := time.After(startLimit)
	for {
		response, err := client.Do(request)
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
			err = errors.New(response.Status)
		}
		for _, p := range s.processes {
			select {
			case <-p.ended:
				return fmt.Errorf("%s ended: %w\n%s", p.name, p.err, p.lastLines())
			default:
			}
		}
		select {
		case <-ticker.C:
		case <-limit:
			return fmt.Errorf("%s must answer within %s: %w\n%s", request.URL, startLimit, err,
				s.processes[len(s.processes)-1].lastLines())
		}
	}
}

// stop stops the processes that start has started, the last one first.
func (s *server) stop() {
	for i := len(s.processes) - 1; i >= 0; i-- {
		s.processes[i].stop()
	}
}

// A process is a program that runs until it is stopped.
type process struct {
	name  string
	log   string
	cmd   *exec.Cmd
	ended chan struct{} // closed when it has ended
	err   error         // why it ended, once it has
}

func (s *server) run(folder, program string, args ...string) error {
	p := &process{name: program, log: filepath.Join(folder, program+".log"), ended: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		return err
	}
	defer log.Close()
	p.cmd = exec.Command(program, args...)
	p.cmd.Dir = folder
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		return err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	s.processes = append(s.processes, p)
	return nil
}

// stop terminates the process, and kills it if it does not end.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
	select {
	case <-p.ended:
	case <-time.After(20 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// lastLines are the last lines of the log.
func (p *process) lastLines() string {
	log, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

// freePorts returns unused ports on loopback.
func freePorts(n int) ([]string, error) {
	var ports []string
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close() // only at the end, so that all are different
		_, port, err := net.SplitHostPort(listener.Addr().String())
		if err != nil {
			return nil, err
		}
		ports = append(ports, port)
	}
	return ports, nil
}
