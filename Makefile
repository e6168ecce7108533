SHELL := /bin/sh
.DEFAULT_GOAL := build

IMAGE     ?= ghcr.io/krm-fields/krm-fields
VERSION   ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
REVISION  ?= $(shell git rev-parse --verify --quiet HEAD 2>/dev/null || echo unknown)

KUSTOMIZE_VERSION   := v5.8.2
GOLANGCI_LINT_VERSION := v2.15.0
GOVULNCHECK_VERSION := v1.9.0
ACTIONLINT_VERSION  := v1.7.12
# The one that the go.mod of the cluster tests requires.
KUBERNETES_VERSION  := $(shell sed -n "s|.*k8s.io/kubernetes \(v[^ ]*\).*|\1|p" e2e/cluster/go.mod)
KUBERNETES := bin/kubernetes-$(KUBERNETES_VERSION)
FUZZTIME   ?= 1m
TRIPLES    ?= 300
HISTORIES  ?= 300
HANDOVERS  ?= 6
SEED       ?= 1
BENCHFLAGS ?=
# Those of the image.
ARCHITECTURES ?= amd64 arm64

GOBUILD := CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION) -X main.commit=$(REVISION)"
# Without e2e/argocd and apply-argocd, whose thousand packages take minutes to compile: "make test-argocd" vets the one.
MODULES := $(filter-out e2e/argocd,$(patsubst %/go.mod,%,$(wildcard ./go.mod bench/go.mod e2e/*/go.mod)))

.PHONY: build
build: ## Build bin/krm-fields
	$(GOBUILD) -o bin/krm-fields .

# The packages that take longest or need a host. They wait for docker for half their time.
HOSTED := helm|image|kpt|kustomize|parallel|precommit
E2E := hostile|$(HOSTED)

.PHONY: test
test: bin/kustomize ## Run the tests that need no host: units, golden cases, scripts, the pages of the documentation
	@go test $$(go list ./... | grep -vE '/e2e/($(E2E)|release)$$')
	@go build -tags nopatches -o /dev/null .
	@go test -tags nopatches ./playground/engine -run WithoutPatches
	@go -C bench test ./...

.PHONY: test-e2e
test-e2e: bin/kustomize $(if $(findstring helm,$(E2E)),bin/helm bin/helm3) ## Run the tests with real hosts (kpt, kustomize, Helm, docker) and with hostile inputs
	@packages=$$(e2e/packages.sh '$(E2E)') && go test -count=1 -p 3 $$packages

.PHONY: test-release
test-release: bin/cosign bin/helm ## Build a release and test what it has: packages, signatures, the action, the image; some minutes
	@packages=$$(e2e/packages.sh release) && go test -count=1 $$packages

.PHONY: update
update: bin/kustomize ## Write every expected output anew; for those of the guides on a cluster: UPDATE_GOLDEN=1 make test-cluster
	@UPDATE_GOLDEN=1 go test -count=1 $$(go list ./... | grep -vE '/e2e/($(E2E)|release)$$')
	@packages=$$(e2e/packages.sh 'helm|kpt|kustomize') && UPDATE_GOLDEN=1 go test -count=1 -p 1 $$packages

.PHONY: generate
generate: ## Make the table of Kubernetes' schemas anew
	go generate ./...

CLUSTERTESTS = PATH="$(CURDIR)/bin:$(CURDIR)/$(KUBERNETES):$$PATH" go -C e2e/cluster test -count=1 -timeout 1h -v

.PHONY: test-cluster
test-cluster: cluster-programs ## Run the guides and the triples against a kube-apiserver (built once, some minutes); needs etcd
	@$(CLUSTERTESTS) . -triples $(TRIPLES) -histories $(HISTORIES) -handovers $(HANDOVERS) -seed $(SEED)

.PHONY: test-tools
test-tools: cluster-programs bin/apply-argocd ## Run the triples and handovers of each tool that applies, Argo CD too, whose engine is compiled once, and more pull requests; half an hour
	@$(CLUSTERTESTS) -run 'ToolTriples|Handovers|PullRequests' . -triples $(TRIPLES) -seed $(SEED) -handovers 50 -pullrequests 20

.PHONY: times
times: cluster-programs ## Time apply, plan and diff beside kubectl on an API server, some minutes
	@$(CLUSTERTESTS) -run TestTimes . -times

.PHONY: cluster-programs
cluster-programs: build bin/helm bin/helm3 $(KUBERNETES)/kube-apiserver $(KUBERNETES)/kubectl
	@go build -trimpath -o bin/krm-fields-predict ./e2e/predict
	@CGO_ENABLED=0 go -C e2e/cluster build -trimpath -buildvcs=false -ldflags "-s -w" -o $(CURDIR)/bin/ ./tools/...

# Argo CD's engine needs a newer Go than the rest.
bin/apply-argocd: $(wildcard e2e/cluster/tools/apply-argocd/*)
	GOTOOLCHAIN=go1.27.3 CGO_ENABLED=0 go -C e2e/cluster/tools/apply-argocd build -trimpath -buildvcs=false -ldflags "-s -w" -o $(CURDIR)/$@ .

.PHONY: test-playground
test-playground: build playground ## Test the page of docs/playground.md in Chromium
	@go -C e2e/playground test -trimpath -count=1 -timeout 30m -v ./...

.PHONY: playground-pictures
playground-pictures: build playground ## Take the pictures of the page in docs/images anew
	@go -C e2e/playground test -trimpath -count=1 -run TestPictures ./... -pictures

.PHONY: test-argocd
test-argocd: image-$(shell go env GOHOSTARCH) ## Run the plugin under Argo CD's own server (compiled once, some minutes); needs docker
	@KRM_FIELDS_IMAGE=$(IMAGE):$(VERSION)-$$(go env GOHOSTARCH) CGO_ENABLED=0 go -C e2e/argocd test -trimpath -count=1 -v ./...

$(KUBERNETES)/%:
	CGO_ENABLED=0 nice go -C e2e/cluster build -trimpath -buildvcs=false -o $(CURDIR)/$@ \
	  -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$(KUBERNETES_VERSION)" k8s.io/kubernetes/cmd/$*

# golangci-lint of each of $(1): folders, with /... for all packages below.
define golangci
@for packages in $(1); do \
  go -C $${packages%/...} run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION) run .$${packages#$${packages%/...}} || exit 1; \
done
endef
# For a few files, golangci-lint analyses the sources of a thousand packages of kpt, Helm, Kubernetes and cosign.
HOSTS := e2e/cosign/... e2e/cluster/tools/...

.PHONY: lint
lint: ## Check format, and golangci-lint, which has the checks of go vet, in every module but for lint-hosts, and the workflows
	@unformatted=$$(gofmt -l .) && test -z "$$unformatted" || { echo "not gofmt-ed: $$unformatted"; exit 1; }
	$(call golangci,$(filter-out $(HOSTS) e2e/cluster/...,$(MODULES:%=%/...)) e2e/cluster)
	go run github.com/rhysd/actionlint/cmd/actionlint@$(ACTIONLINT_VERSION)

.PHONY: lint-hosts
lint-hosts: ## Check with golangci-lint what is built with the libraries of other tools; some minutes without its cache
	$(call golangci,$(HOSTS))

.PHONY: platforms
platforms: ## Vet the program and its tests for Windows and macOS
	@for os in windows darwin; do \
	  GOOS=$$os go vet ./... && GOOS=$$os go test -c -o /dev/null ./internal/expr/jq ./internal/krm/manifests ./cli || exit 1; \
	done

.PHONY: vulncheck
vulncheck: ## Look for known vulnerabilities in every module; needs https://vuln.go.dev
	@for module in $(MODULES); do \
	  go -C $$module run golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION) ./... || exit 1; \
	done

# A program with the race detector waits a second at its end, and the scripts start hundreds.
.PHONY: race
race: ## Run the unit and golden tests under the race detector, with freed nodes full of nonsense; needs gcc
	GORACE=atexit_sleep_ms=10 CGO_ENABLED=1 go test -race -tags poison -count=1 ./fn/... ./internal/... ./cli

.PHONY: fuzz
fuzz: ## Run each fuzz target for FUZZTIME (1m)
	@grep -rHoE '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' . | while IFS=: read -r file target; do \
	  target=$${target#func }; echo "$$target in $$file"; \
	  go test "$$(dirname "$$file")" -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s || exit 1; \
	done

.PHONY: bench
bench: build bin/kustomize ## Measure against the tools that a user would pick instead
	@go -C bench run . -krm-fields ../bin/krm-fields -kustomize ../bin/kustomize $(BENCHFLAGS)

.PHONY: site
site: ## Build docs/ as a site into bin/site; needs mkdocs and mkdocs-material
	tools/site/build.sh bin/site

PLAYGROUND := bin/playground
# Inlining makes the program a sixth larger; the packages that a run spends its time in are worth it.
WASMINLINED := runtime internal/runtime/maps slices bytes unicode/utf8 \
  $(addprefix github.com/krm-fields/krm-fields/internal/,yamldoc/tree expr/location)
WASMBUILD := GOOS=js GOARCH=wasm go build -trimpath -buildvcs=false -gcflags=all=-l $(patsubst %,-gcflags=%=,$(WASMINLINED)) \
  -ldflags "-s -w -X github.com/krm-fields/krm-fields/playground/engine.Version=$(VERSION)"

.PHONY: playground
playground: ## Build into bin/playground the page to try krm-fields on, which any web server can serve
	@rm -rf $(PLAYGROUND) && mkdir -p $(PLAYGROUND)
	$(WASMBUILD) -tags nopatches -o $(PLAYGROUND)/krm-fields.wasm ./playground/wasm
	$(WASMBUILD) -o $(PLAYGROUND)/krm-fields-patches.wasm ./playground/wasm
	go run ./playground/bound $(PLAYGROUND)/*.wasm
	gzip -9 -n -f $(PLAYGROUND)/*.wasm
	cp "$$(go env GOROOT)/lib/wasm/wasm_exec.js" $(PLAYGROUND)/
	go run ./playground/stories >$(PLAYGROUND)/stories.json
	cp -R playground/site/. $(PLAYGROUND)/
	@build=$$(cat $(PLAYGROUND)/* | git hash-object --stdin) && \
	  sed "s/@BUILD@/$$build/" playground/site/service-worker.js >$(PLAYGROUND)/service-worker.js

bin/kustomize:
	GOBIN=$(CURDIR)/bin go install sigs.k8s.io/kustomize/kustomize/v5@$(KUSTOMIZE_VERSION)

# These are built in the module of the cluster tests, so that the Kubernetes libraries are compiled once for all of them.
bin/helm: PACKAGE := helm.sh/helm/v4/cmd/helm
bin/helm3: PACKAGE := helm.sh/helm/v3/cmd/helm
bin/kpt-newest: PACKAGE := ./tools/kpt-newest
bin/kpt-newest: e2e/cluster/tools/kpt-newest/main.go
bin/helm bin/helm3 bin/kpt-newest: e2e/cluster/go.mod
	CGO_ENABLED=0 go -C e2e/cluster build -trimpath -buildvcs=false -ldflags "-s -w" -o $(CURDIR)/$@ $(PACKAGE)

bin/cosign: $(wildcard e2e/cosign/*)
	CGO_ENABLED=0 go -C e2e/cosign build -trimpath -buildvcs=false -o $(CURDIR)/$@ .

include release.mk

.PHONY: clean
clean: ## Remove what the other targets build
	rm -rf bin dist bench/bin bench/data

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14
