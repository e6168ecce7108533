#!/bin/sh
# build.sh FOLDER: the pages of docs/ as a site, as they are in this checkout (main) and at the newest tag of each minor version,
# with the list of versions that the theme's menu reads. Needs mkdocs and mkdocs-material.
set -eu
cd "$(dirname "$0")/../.."
folder=$1
export PYTHONPATH=. PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
rm -rf "$folder"
mkdir -p "$folder"
entries='{"version": "main", "title": "main", "aliases": []}'
mkdocs --quiet build --site-dir "$PWD/$folder/main"
for minor in $(git tag --list 'v*.*.*' | sed -nE 's/^(v[0-9]+\.[0-9]+)\.[0-9]+$/\1/p' | sort -u -V); do
	tag=$(git tag --list "$minor.*" --sort=-v:refname | grep -vm 1 -e -)
	git cat-file -e "$tag:mkdocs.yml" 2>/dev/null || continue
	tree=$(mktemp -d)
	git archive "$tag" | tar -x -C "$tree"
	(cd "$tree" && mkdocs --quiet build --site-dir "$OLDPWD/$folder/$minor")
	rm -rf "$tree"
	entries="{\"version\": \"$minor\", \"title\": \"$tag\", \"aliases\": []}, $entries"
done
printf '[%s]\n' "$entries" >"$folder/versions.json"
printf '<!doctype html><meta http-equiv="refresh" content="0; url=main/"><title>krm-fields</title>\n' >"$folder/index.html"
