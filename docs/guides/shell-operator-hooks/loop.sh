#!/bin/sh
# Runs a hook and its operations, and again as long as they only conflict with somebody else's.
while :; do
  KUBERNETES_OPERATION_PATH=$(mktemp)
  export KUBERNETES_OPERATION_PATH
  "$@" || exit
  krm-fields apply --quiet >/dev/null 2>&1
  code=$?
  rm -f "$KUBERNETES_OPERATION_PATH"
  [ "$code" = 3 ] || exit "$code"
done
