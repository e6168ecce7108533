# What only a release, and who makes one, needs: its files, the image, the Helm plugin, newer versions.

# The files of the image carry the time of the commit, so that two builds of it are the same.
CREATED   := $(shell TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ 2>/dev/null || echo 1980-01-01T00:00:00Z)
TIMESTAMP := $(shell TZ=UTC git log -1 --format=%cd --date=format-local:%Y%m%d%H%M.%S 2>/dev/null || echo 198001010000.00)
HELM3_VERSION       := $(shell sed -n "s|.*helm.sh/helm/v3 \(v[^ ]*\).*|\1|p" e2e/cluster/go.mod)
ORAS_VERSION        := v1.3.6
GORELEASER_VERSION  := v2.16.0
DOCKERFLAGS ?=
HELM_KEY    ?=
HELM_KEYRING ?=
HELM_REGISTRY ?= ghcr.io/krm-fields/helm-plugins
ORASFLAGS   ?=
MANIFESTFLAGS ?=

GORELEASER := go run -trimpath github.com/goreleaser/goreleaser/v2@$(GORELEASER_VERSION)

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
	go -C tools tool validate-krew-manifest -skip-install -manifest ../dist/krew/krm-fields.yaml

.PHONY: release-notes
release-notes: ## Print the section of CHANGELOG.md about VERSION
	@awk -v heading="## [$(VERSION:v%=%)]" 'index($$0, "## [") == 1 { on = index($$0, heading) == 1; next } on' CHANGELOG.md | grep . || \
	  { echo "CHANGELOG.md must have a section ## [$(VERSION:v%=%)]" >&2; exit 1; }

.PHONY: release
release: ## Build, sign and draft the release of the tag that is checked out; for the workflow
	@mkdir -p bin && $(MAKE) --no-print-directory release-notes >bin/release-notes.md
	$(GORELEASER) release --clean --release-notes bin/release-notes.md

.PHONY: outdated
outdated: ## List the direct requirements of every module, and the pins of the Makefiles, that are behind their newest release, with the Go it needs
	@pins="sigs.k8s.io/kustomize/kustomize/v5@$(KUSTOMIZE_VERSION) helm.sh/helm/v3@$(HELM3_VERSION) \
	  github.com/golangci/golangci-lint/v2@$(GOLANGCI_LINT_VERSION) golang.org/x/vuln@$(GOVULNCHECK_VERSION) \
	  github.com/rhysd/actionlint@$(ACTIONLINT_VERSION) github.com/goreleaser/goreleaser/v2@$(GORELEASER_VERSION) oras.land/oras@$(ORAS_VERSION) k8s.io/kubernetes@$(KUBERNETES_VERSION)"; \
	for module in $(MODULES); do \
	  pins="$$pins $$(go -C $$module list -m -f '{{if not (or .Main .Indirect .Replace)}}{{.Path}}@{{.Version}}{{end}}' all)"; \
	done; \
	for pin in $$(printf '%s\n' $$pins | sort -u); do \
	  newest=$$(go list -m -f '{{.Version}}{{with .GoVersion}} (go {{.}}){{end}}' "$${pin%@*}@latest" 2>/dev/null); \
	  test "$${newest%% *}" = "$${pin#*@}" || echo "$${pin%@*} $${pin#*@} -> $${newest:-unknown}"; \
	done

.PHONY: image
image: $(ARCHITECTURES:%=image-%) ## Build the image for linux/amd64 and linux/arm64; nothing is pulled
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
	  --label org.opencontainers.image.created=$(CREATED) \
	  --label io.artifacthub.package.readme-url=https://raw.githubusercontent.com/krm-fields/krm-fields/$(REVISION)/README.md \
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
helm-plugin: bin/helm ## Package the Helm plugin into dist/helm, signed by HELM_KEY of HELM_KEYRING, with the public key beside it, where they are given
	rm -rf dist/helm && mkdir -p dist/helm
	bin/helm plugin package plugins/helm --destination dist/helm $(if $(HELM_KEY),--key '$(HELM_KEY)' --keyring '$(HELM_KEYRING)',--sign=false)
	$(if $(HELM_KEY),home=$$(mktemp -d) && gpg --homedir "$$home" --batch --quiet --import '$(HELM_KEYRING)' && \
	  gpg --homedir "$$home" --export >dist/helm/krm-fields.gpg && rm -r "$$home")

# The manifests and the plugin are made after checksums.txt, so they get only their provenance.
.PHONY: subjects
subjects: ## Write into dist/subjects.txt the digests of all files of a release, for their provenance
	@cp dist/checksums.txt dist/subjects.txt
	@for file in dist/homebrew/Casks/*.rb dist/scoop/*.json dist/krew/*.yaml dist/helm/*; do \
	  test ! -e "$$file" || (cd "$$(dirname "$$file")" && sha256sum "$$(basename "$$file")") >>dist/subjects.txt || exit 1; \
	done

.PHONY: helm-plugin-push
helm-plugin-push: ## Push the packaged Helm plugin as an OCI artifact to HELM_REGISTRY
	cd dist/helm && go run -trimpath oras.land/oras/cmd/oras@$(ORAS_VERSION) push --no-tty $(ORASFLAGS) \
	  $(HELM_REGISTRY)/krm-fields:$$(sed -n 's/^version: //p' ../../plugins/helm/plugin.yaml) \
	  --artifact-type application/vnd.helm.plugin.v1+json $$(for file in *.tgz*; do echo $$file:$(HELMLAYER); done)
