SHELL := /bin/sh
.DEFAULT_GOAL := build

IMAGE     ?= ghcr.io/krm-fields/krm-fields
VERSION   ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
REVISION  ?= $(shell git rev-parse --verify --quiet HEAD 2>/dev/null || echo unknown)
# The files of the image carry the time of the commit, so that two builds of it are the same.
TIMESTAMP := $(shell TZ=UTC git log -1 --format=%cd --date=format-local:%Y%m%d%H%M.%S 2>/dev/null || echo 198001010000.00)

KUSTOMIZE_VERSION   := v5.8.2
# Both use the same Kubernetes libraries, which are compiled only once.
HELM_VERSION        := v4.3.1
HELM3_VERSION       := v3.22.0
GOLANGCI_LINT_VERSION := v2.15.0
GOVULNCHECK_VERSION := v1.9.0
ACTIONLINT_VERSION  := v1.7.12
GORELEASER_VERSION  := v2.16.0
ORAS_VERSION        := v1.3.6
# The one that the go.mod of the cluster tests requires.
KUBERNETES_VERSION  := $(shell sed -n "s|.*k8s.io/kubernetes \(v[^ ]*\).*|\1|p" e2e/cluster/go.mod)
KUBERNETES := bin/kubernetes-$(KUBERNETES_VERSION)
FUZZTIME   ?= 1m
TRIPLES    ?= 300
SEED       ?= 1
BENCHFLAGS ?=
DOCKERFLAGS ?=
HELM_KEY    ?=
HELM_KEYRING ?=
HELM_REGISTRY ?= ghcr.io/krm-fields/helm-plugins
ORASFLAGS   ?=
SYSTEMS    ?= windows darwin
MANIFESTFLAGS ?=

GOBUILD := CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION) -X main.commit=$(REVISION)"
# Without e2e/argocd and apply-argocd, whose thousand packages take minutes to compile: "make test-argocd" vets the one.
MODULES := $(filter-out e2e/argocd,$(patsubst %/go.mod,%,$(wildcard ./go.mod bench/go.mod e2e/*/go.mod)))

.PHONY: build
build: ## Build bin/krm-fields
	$(GOBUILD) -o bin/krm-fields .

GORELEASER := go run -trimpath github.com/goreleaser/goreleaser/v2@$(GORELEASER_VERSION)

# The packages that take longest or need a host.
E2E := helm|hostile|image|kpt|kustomize|parallel|precommit|release

.PHONY: test
test: bin/kustomize ## Run the tests that need no host: units, golden cases, scripts, the pages of the documentation
	@go test $$(go list ./... | grep -vE '/e2e/($(E2E))$$')
	@go test -tags nopatches ./playground/engine -run WithoutPatches
	@go -C bench test ./...

.PHONY: test-e2e
test-e2e: bin/kustomize bin/helm bin/helm3 ## Run the tests with real hosts (kpt, kustomize, Helm, docker) and with hostile inputs
	@packages=$$(e2e/packages.sh '$(E2E)') && go test -count=1 $$packages

.PHONY: update
update: bin/kustomize ## Write every expected output anew; for those of the guides on a cluster: UPDATE_GOLDEN=1 make test-cluster
	@UPDATE_GOLDEN=1 go test -count=1 $$(go list ./... | grep -vE '/e2e/($(E2E))$$')
	@packages=$$(e2e/packages.sh 'helm|kpt|kustomize') && UPDATE_GOLDEN=1 go test -count=1 -p 1 $$packages

.PHONY: generate
generate: ## Make the table of Kubernetes' schemas anew
	go generate ./...

CLUSTERTESTS = PATH="$(CURDIR)/bin:$(CURDIR)/$(KUBERNETES):$$PATH" go -C e2e/cluster test -count=1 -timeout 1h -v

.PHONY: test-cluster
test-cluster: cluster-programs ## Run the guides and the triples against a kube-apiserver (built once, some minutes); needs etcd
	@$(CLUSTERTESTS) . -triples $(TRIPLES) -seed $(SEED)

.PHONY: test-tools
test-tools: cluster-programs bin/apply-argocd ## Run the triples of each tool that applies, Argo CD too, whose engine is compiled once, some minutes
	@$(CLUSTERTESTS) -run ToolTriples . -triples $(TRIPLES) -seed $(SEED)

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

.PHONY: lint
lint: ## Check format and golangci-lint, which has the checks of go vet, in every module, and the workflows
	@unformatted=$$(gofmt -l .) && test -z "$$unformatted" || { echo "not gofmt-ed: $$unformatted"; exit 1; }
	@for module in $(MODULES); do \
	  go -C $$module run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION) run ./... || exit 1; \
	done
	go run github.com/rhysd/actionlint/cmd/actionlint@$(ACTIONLINT_VERSION)

.PHONY: platforms
platforms: ## Vet the program and its tests for Windows and macOS
	@for os in $(SYSTEMS); do \
	  GOOS=$$os go vet ./... && GOOS=$$os go test -c -o /dev/null ./internal/expr/jq ./internal/krm/manifests ./cli || exit 1; \
	done

.PHONY: release-check
release-check: ## Check the configuration of releases
	$(GORELEASER) check

.PHONY: snapshot
snapshot: ## Build into dist/ what a release has, but for the signature and the image
	$(GORELEASER) release --snapshot --clean --skip=sign

.PHONY: snapshot-host
snapshot-host: ## Build into dist/ what a release has for Linux on this processor
	@mkdir -p bin && sed -e 's/goos: \[.*\]/goos: [linux]/' -e 's/goarch: \[.*\]/goarch: [$(shell go env GOHOSTARCH)]/' .goreleaser.yaml >bin/goreleaser.yaml
	$(GORELEASER) release --snapshot --clean --skip=sign,scoop,homebrew --config bin/goreleaser.yaml

.PHONY: krew-check
krew-check: ## Check the manifest for krew that `make snapshot` has written
	go -C tools tool validate-krew-manifest -skip-install -manifest ../dist/krew/fields.yaml

.PHONY: release-notes
release-notes: ## Print the section of CHANGELOG.md about VERSION
	@awk -v heading="## [$(VERSION:v%=%)]" 'index($$0, "## [") == 1 { on = index($$0, heading) == 1; next } on' CHANGELOG.md | grep . || \
	  { echo "CHANGELOG.md must have a section ## [$(VERSION:v%=%)]" >&2; exit 1; }

.PHONY: release
release: ## Build, sign and draft the release of the tag that is checked out; for the workflow
	@mkdir -p bin && $(MAKE) --no-print-directory release-notes >bin/release-notes.md
	$(GORELEASER) release --clean --release-notes bin/release-notes.md

.PHONY: outdated
outdated: ## List the direct requirements of every module, and the pins of this file, that are behind their newest release, with the Go it needs
	@pins="sigs.k8s.io/kustomize/kustomize/v5@$(KUSTOMIZE_VERSION) helm.sh/helm/v4@$(HELM_VERSION) helm.sh/helm/v3@$(HELM3_VERSION) \
	  github.com/golangci/golangci-lint/v2@$(GOLANGCI_LINT_VERSION) golang.org/x/vuln@$(GOVULNCHECK_VERSION) \
	  github.com/rhysd/actionlint@$(ACTIONLINT_VERSION) github.com/goreleaser/goreleaser/v2@$(GORELEASER_VERSION) oras.land/oras@$(ORAS_VERSION) k8s.io/kubernetes@$(KUBERNETES_VERSION)"; \
	for module in $(MODULES); do \
	  pins="$$pins $$(go -C $$module list -m -f '{{if not (or .Main .Indirect .Replace)}}{{.Path}}@{{.Version}}{{end}}' all)"; \
	done; \
	for pin in $$(printf '%s\n' $$pins | sort -u); do \
	  newest=$$(go list -m -f '{{.Version}}{{with .GoVersion}} (go {{.}}){{end}}' "$${pin%@*}@latest" 2>/dev/null); \
	  test "$${newest%% *}" = "$${pin#*@}" || echo "$${pin%@*} $${pin#*@} -> $${newest:-unknown}"; \
	done

.PHONY: vulncheck
vulncheck: ## Look for known vulnerabilities in every module; needs https://vuln.go.dev
	@for module in $(MODULES); do \
	  go -C $$module run golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION) ./... || exit 1; \
	done

# A program with the race detector waits a second at its end, and the scripts start hundreds.
.PHONY: race
race: ## Run the unit and golden tests under the race detector; needs gcc
	GORACE=atexit_sleep_ms=10 CGO_ENABLED=1 go test -race -count=1 ./fn/... ./internal/... ./cli

.PHONY: fuzz
fuzz: ## Run each fuzz target for FUZZTIME (1m)
	@grep -rHoE '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' . | while IFS=: read -r file target; do \
	  target=$${target#func }; echo "$$target in $$file"; \
	  go test "$$(dirname "$$file")" -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s || exit 1; \
	done

.PHONY: bench
bench: build bin/kustomize ## Measure against the tools that a user would pick instead
	@go -C bench run . -krm-fields ../bin/krm-fields -kustomize ../bin/kustomize $(BENCHFLAGS)

.PHONY: image
image: image-amd64 image-arm64 ## Build the image for linux/amd64 and linux/arm64; nothing is pulled
	docker tag $(IMAGE):$(VERSION)-$$(go env GOHOSTARCH) $(IMAGE):$(VERSION)
	docker tag $(IMAGE):$(VERSION) $(IMAGE):latest

# Without the attestations of buildx: with them each image is an index, which `docker manifest create` refuses.
image-%:
	rm -rf dist/image/$*
	mkdir -p dist/image/$*/rootfs/usr/local/bin
	cp -R image/etc dist/image/$*/rootfs/etc
	GOOS=linux GOARCH=$* $(GOBUILD) -o dist/image/$*/rootfs/usr/local/bin/krm-fields .
	chmod -R u=rwX,go=rX dist/image/$*/rootfs
	find dist/image/$*/rootfs -exec env TZ=UTC touch -t $(TIMESTAMP) {} +
	BUILDX_NO_DEFAULT_ATTESTATIONS=1 docker build $(DOCKERFLAGS) --platform linux/$* --tag $(IMAGE):$(VERSION)-$* --file Dockerfile \
	  --label org.opencontainers.image.version=$(VERSION) \
	  --label org.opencontainers.image.revision=$(REVISION) \
	  dist/image/$*

# A version with a hyphen is a pre-release, or no release, and gets no tag that moves: latest, v0, v0.1.
MOVING = $(if $(findstring -,$(VERSION)),,latest $(shell echo $(VERSION) | sed -nE 's/^((v[0-9]+)\.[0-9]+)\.[0-9]+$$/\2 \1/p'))
.PHONY: image-push
image-push: ## Push the images that `make image` has built as one for all platforms, as latest, v0 and v0.1 too, and write its digest into dist/image/digest
	docker push $(IMAGE):$(VERSION)-amd64
	docker push $(IMAGE):$(VERSION)-arm64
	for tag in $(VERSION) $(MOVING); do \
	  docker manifest create $(MANIFESTFLAGS) $(IMAGE):$$tag $(IMAGE):$(VERSION)-amd64 $(IMAGE):$(VERSION)-arm64 && \
	  docker manifest push --purge $(MANIFESTFLAGS) $(IMAGE):$$tag >dist/image/pushed || exit 1; \
	done
	sed -n '$$s|^|$(IMAGE)@|p' dist/image/pushed >dist/image/digest
	@cat dist/image/digest

# Helm only takes layers of this type, the provenance file included.
HELMLAYER := application/vnd.oci.image.layer.v1.tar
.PHONY: helm-plugin
helm-plugin: bin/helm ## Package the Helm plugin into dist/helm, signed by HELM_KEY of HELM_KEYRING where they are given
	rm -rf dist/helm && mkdir -p dist/helm
	bin/helm plugin package plugins/helm --destination dist/helm $(if $(HELM_KEY),--key '$(HELM_KEY)' --keyring '$(HELM_KEYRING)',--sign=false)

.PHONY: helm-plugin-push
helm-plugin-push: ## Push the packaged Helm plugin as an OCI artifact to HELM_REGISTRY
	cd dist/helm && go run -trimpath oras.land/oras/cmd/oras@$(ORAS_VERSION) push --no-tty $(ORASFLAGS) \
	  $(HELM_REGISTRY)/krm-fields:$$(sed -n 's/^version: //p' ../../plugins/helm/plugin.yaml) \
	  --artifact-type application/vnd.helm.plugin.v1+json $$(for file in *.tgz*; do echo $$file:$(HELMLAYER); done)

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

bin/kpt-newest: e2e/newkpt/main.go e2e/newkpt/go.mod
	CGO_ENABLED=0 go -C e2e/newkpt build -trimpath -buildvcs=false -o $(CURDIR)/$@ .

bin/helm:
	GOBIN=$(CURDIR)/bin CGO_ENABLED=0 go install -trimpath helm.sh/helm/v4/cmd/helm@$(HELM_VERSION)

# Both are installed under the name helm.
bin/helm3:
	GOBIN=$(CURDIR)/bin/helm-v3 CGO_ENABLED=0 go install -trimpath helm.sh/helm/v3/cmd/helm@$(HELM3_VERSION)
	mv bin/helm-v3/helm $@
	rmdir bin/helm-v3

.PHONY: clean
clean: ## Remove what the other targets build
	rm -rf bin dist bench/bin bench/data

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14
