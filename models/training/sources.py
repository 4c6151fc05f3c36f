"""Source code and Markdown files of Debian packages, laid out as documents for cut.ts: a folder a package, a few files of it."""

import gzip
import hashlib
from pathlib import Path

from debian import fetch
from paths import work

CODE_PACKAGES = """python3-click python3-networkx python3-paramiko python3-requests python3-scrapy python3-tornado golang-github-gin-gonic-gin-dev
golang-github-hashicorp-raft-dev golang-github-spf13-cobra-dev golang-go.uber-zap-dev librust-hyper-dev librust-reqwest-dev librust-tokio-dev node-axios node-got
node-log4js node-nodemailer node-postcss ruby-rack ruby-sidekiq php-guzzlehttp-guzzle php-monolog libspdlog-dev""".split()
README_PACKAGES = """librust-regex-dev librust-reqwest-dev node-axios node-body-parser node-chokidar node-commander node-execa node-got node-lru-cache node-marked
node-mysql node-postcss node-qs node-redis node-semver node-winston node-yargs ruby-sinatra php-monolog nlohmann-json3-dev""".split()
README_POOL = "readmes"
ENDINGS = {".py", ".go", ".rs", ".js", ".ts", ".mjs", ".cjs", ".rb", ".php", ".h"}
PASSED_OVER = ("test", "vendor", "dist/", ".min.", "example", "fixtures", "bundled", "benches", "__init__")
FILES = 5
SMALLEST, LARGEST = 7_000, 24_000
DOCUMENTS = work("documents/x").parent


def chosen(package: str) -> list[Path]:
    """Files in an order without meaning, which stays the same."""
    root = fetch(package)
    files = (one for one in root.rglob("*") if one.is_file() and not one.is_symlink() and one.suffix in ENDINGS)
    fitting = [one for one in files if SMALLEST <= one.stat().st_size <= LARGEST and not any(part in str(one.relative_to(root)) for part in PASSED_OVER)]
    return sorted(fitting, key=lambda one: hashlib.sha256(str(one.relative_to(root)).encode()).hexdigest())[:FILES]


def lay_out() -> list[Path]:
    """The folders of documents."""
    for package in CODE_PACKAGES:
        for file in chosen(package):
            put(DOCUMENTS / package / "/".join(file.parts[-3:]), file.read_text(encoding="utf-8", errors="replace"))
    for package in README_PACKAGES:
        for file in sorted(one for one in fetch(package).rglob("*.md*") if one.is_file() and not one.is_symlink()):
            text = (gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()).decode("utf-8", "replace")
            if len(text) > 4_000 and not any(part in file.name.lower() for part in ("change", "history", "releas", "security", "upgrad", "author", "conduct", "contributing", "plugins", "-cn")):
                put(DOCUMENTS / README_POOL / f"{package}-{file.name.removesuffix('.gz')}", text)
    return [DOCUMENTS / name for name in [*CODE_PACKAGES, README_POOL]]


def put(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    lay_out()
