#!/bin/sh
# Prints the packages of e2e whose names match a pattern. Those that need a host (kpt, docker) are left out where the host
# is missing, and a line on stderr says so. With KRM_FIELDS_REQUIRE_HOSTS=1 a missing host is a failure instead.
set -eu

wanted=$1
missing=
left_out='^$'

leave_out() { # host, its packages in e2e
	go list ./e2e/... | grep -E "/e2e/($wanted)\$" | grep -Eq "/e2e/($2)\$" || return 0
	missing="$missing $1"
	left_out="$left_out|/e2e/($2)\$"
	echo "LEFT OUT: the tests of e2e/ in $2, because $1 is missing" >&2
}

command -v kpt >/dev/null || leave_out kpt 'kpt|image'
command -v dpkg >/dev/null || leave_out dpkg 'release'
command -v gpg >/dev/null || leave_out gpg 'release'
command -v pre-commit >/dev/null || leave_out pre-commit 'precommit'
docker info >/dev/null 2>&1 || leave_out docker 'image|release'

if [ -n "$missing" ] && [ "${KRM_FIELDS_REQUIRE_HOSTS:-}" = 1 ]; then
	echo "FAIL: these hosts must be there and are missing:$missing" >&2
	exit 1
fi
go list ./e2e/... | grep -E "/e2e/($wanted)\$" | grep -Ev "$left_out"
