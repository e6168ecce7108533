# Built from a staged file system: see "make image". Nothing is pulled, nothing runs.
FROM scratch
COPY rootfs/ /
LABEL org.opencontainers.image.title="krm-fields" \
      org.opencontainers.image.description="KRM function that leaves the fields of other actors out of manifests" \
      org.opencontainers.image.source="https://github.com/krm-fields/krm-fields" \
      org.opencontainers.image.licenses="Apache-2.0"
USER nobody
ENTRYPOINT ["/usr/local/bin/krm-fields"]
