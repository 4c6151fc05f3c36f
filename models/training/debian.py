"""Documentation from Debian packages as (heading path, text) sections. The text trains; none of it is kept."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from lxml import html

from paths import WORK, work

PACKAGES = """anarchism apache2-doc aptitude-doc-en bind9-doc debian-handbook debian-reference-en
developers-reference docker-doc gimp-help-en git-doc gnome-user-docs gnucash-docs haproxy-doc
installation-guide-amd64 libreoffice-help-common libreoffice-help-en-us maint-guide nodejs-doc nova-doc
postgresql-doc-15 python-celery-doc python-django-doc python-pandas-doc python-sklearn-doc python3.11-doc
rust-doc sphinx-doc sqlite3-doc swift-doc""".split()
DICTIONARIES = {"dict-foldoc": "foldoc", "dict-wn": "wn", "dict-gcide": "gcide"}
LANGUAGE_FOLDER = re.compile(r"[a-z]{2}([-_][A-Za-z]{2,4})?")
FILES_PER_PACKAGE = 700
HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
BLOCKS = {"p", "li", "dd", "dt", "td", "blockquote"}
SKIPPED = {"script", "style", "nav", "footer", "header", "form", "pre", "table"}


def fetch(package: str) -> Path:
    """Downloads and unpacks one package; needs apt with an up-to-date index."""
    target = work(f"debian/{package}")
    if not target.exists():
        debs = work("debs/x").parent
        if not list(debs.glob(f"{package}_*.deb")):
            subprocess.run(["apt-get", "download", "-qq", package], cwd=debs, check=True)
        unpacked = work(f"debian/.{package}")
        subprocess.run(["dpkg-deb", "-x", str(next(debs.glob(f"{package}_*.deb"))), str(unpacked)], check=True)
        unpacked.rename(target)
    return target


def plain(text: str) -> str:
    return " ".join(text.replace("¶", " ").split())


def page_sections(raw: bytes) -> Iterator[tuple[list[str], str]]:
    try:
        root = html.fromstring(raw)
    except (ValueError, html.etree.ParserError):
        return
    path: list[tuple[int, str]] = []
    parts: list[str] = []
    covered: set = set()
    for element in root.iter():
        tag = element.tag if isinstance(element.tag, str) else ""
        if tag in SKIPPED:
            covered.update(element.iter())
        if element in covered:
            continue
        if tag in HEADINGS:
            if path and parts:
                yield [title for _, title in path], "\n".join(parts)
            parts = []
            level = HEADINGS[tag]
            path = [entry for entry in path if entry[0] < level] + [(level, plain(element.text_content()))]
        elif tag in BLOCKS:
            covered.update(element.iter())
            text = plain(element.text_content())
            if len(text) > 20:
                parts.append(text)
    if path and parts:
        yield [title for _, title in path], "\n".join(parts)


def english(page: Path) -> bool:
    """Translated manuals lie in folders or under suffixes named after their language: ja/, .html.fr."""
    inside = page.relative_to(WORK).parts[2:]
    folders = [part for part in inside[:-1] if LANGUAGE_FOLDER.fullmatch(part)]
    folder_ok = all(part.startswith("en") for part in folders)
    tail = page.name.split("htm")[-1].strip("l.").split(".")[0]
    return folder_ok and (tail in ("", "en"))


def documentation(most_files: int = FILES_PER_PACKAGE) -> Iterator[tuple[str, list[str], str]]:
    """(package, heading path, section text), evenly spread over a package's pages."""
    for package in PACKAGES:
        pages = sorted(path for path in fetch(package).rglob("*.*htm*") if path.is_file() and english(path))
        step = max(1, len(pages) // most_files)
        for page in pages[::step]:
            raw = page.read_bytes()
            if len(raw) < 1_000_000:
                for titles, text in page_sections(raw):
                    yield package, titles, text
