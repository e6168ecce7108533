"""Makes the links of docs/ work on the site: what is outside of docs/ is shown on GitHub, and an anchor is GitHub's."""

import os
import re

from mkdocs.exceptions import PluginError

LINK = re.compile(r"(\]\()([^)\s]+)(\))")
ANCHOR = re.compile(r'href="([^"]*#[^"]+)"')
ID = re.compile(r'\sid="([^"]+)"')


def slug(text, separator):
    """Returns the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", text.lower().strip()).replace(" ", separator)


def on_page_markdown(markdown, page, config, files):
    folder = os.path.dirname(page.file.src_path)
    root = os.path.dirname(config["config_file_path"])

    def replace(match):
        target, _, anchor = match[2].partition("#")
        if "://" in target or not target:
            return match[0]
        path = os.path.normpath(os.path.join(folder, target))
        if files.get_file_from_path(path):
            return match[0]
        path = os.path.normpath(os.path.join("docs", path))
        if not os.path.exists(os.path.join(root, path)):
            raise PluginError(f"{page.file.src_path}: the link {match[2]} leads to no file")
        kind = "tree" if os.path.isdir(os.path.join(root, path)) else "blob"
        return f"{match[1]}{config['repo_url']}/{kind}/main/{path}{'#' if anchor else ''}{anchor}{match[3]}"

    return LINK.sub(replace, markdown)


def on_post_build(config):
    """Checks that each anchor that a page links to is on the page that it leads to."""
    pages = {}
    for folder, _, names in os.walk(config["site_dir"]):
        for name in names:
            if name.endswith(".html") and name != "404.html":
                with open(os.path.join(folder, name), encoding="utf-8") as page:
                    pages[os.path.join(folder, name)] = page.read()
    ids = {name: set(ID.findall(text)) for name, text in pages.items()}
    for name, text in pages.items():
        for link in ANCHOR.findall(text):
            target, _, anchor = link.partition("#")
            if "://" in target or anchor.startswith("__"):
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
            if os.path.isdir(path):
                path = os.path.join(path, "index.html")
            if anchor not in ids.get(path, ()):
                raise PluginError(f"{name}: the link {link} leads to no heading")
