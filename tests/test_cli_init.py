"""`waypost init` finds generator, output folder, address and CI in made projects, and writes a configuration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from waypost.cli import main
from waypost.config import load

PAGE = '<!doctype html><title>A</title><script type="application/ld+json">{"@context": "https://schema.org", '
PAGE += '"@type": "Book", "name": "A"}</script>'

PROJECTS: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "hugo": (
        {"hugo.toml": "baseURL = 'https://hugo.example.com/'\n", "public/index.html": PAGE, ".gitignore": "/public/\n"},
        {"generator": "Hugo", "output": "public", "is_built": True, "is_ignored": True,
         "base_url": "https://hugo.example.com/", "base_source": "hugo.toml"},
    ),
    "jekyll": (
        {"_config.yml": "title: A\nurl: https://jekyll.example.com\n", ".github/workflows/a.yml": ""},
        {"generator": "Jekyll", "output": "_site", "is_built": False, "base_url": "https://jekyll.example.com/",
         "ci": ["GitHub Actions"]},
    ),
    "eleventy": (
        {"package.json": '{"devDependencies": {"@11ty/eleventy": "3"}, "homepage": "https://eleventy.example.com/a"}'},
        {"generator": "Eleventy", "output": "_site", "base_url": "https://eleventy.example.com/a/"},
    ),
    "astro": (
        {"astro.config.mjs": "export default defineConfig({\n  site: 'https://astro.example.com/x',\n});\n",
         "dist/index.html": PAGE, ".gitlab-ci.yml": ""},
        {"generator": "Astro", "output": "dist", "base_url": "https://astro.example.com/x/", "ci": ["GitLab CI"]},
    ),
    "next": (
        {"next.config.ts": "export default {output: 'export'}", "CNAME": "next.example.com\n", "app/page.tsx": ""},
        {"generator": "Next.js", "output": "out", "base_url": "https://next.example.com/", "base_source": "CNAME"},
    ),
    "next with a server": (
        {"package.json": '{"dependencies": {"next": "16"}}', "next.config.mjs": "export default {}"},
        {"generator": "Next.js", "output": "", "address": "http://localhost:3000/"},
    ),
    "nuxt": (
        {"nuxt.config.ts": "export default {}", ".output/public/index.html": PAGE},
        {"generator": "Nuxt", "output": ".output/public", "is_built": True},
    ),
    "vitepress": (
        {".vitepress/config.mts": "export default {sitemap: {hostname: 'https://vite.example.com'}}"},
        {"generator": "VitePress", "output": ".vitepress/dist", "base_url": "https://vite.example.com/"},
    ),
    "django": (
        {"manage.py": "", "requirements.txt": "Django==5\n", ".pre-commit-config.yaml": "",
         "shop/templates/a.html": ""},
        {"generator": "Django", "output": "", "ci": ["pre-commit"], "sources": ["shop/templates"], "is_tested": True},
    ),
    "flask": ({"pyproject.toml": '[project]\ndependencies = [\n  "flask>=3",\n]\n'}, {"generator": "Flask"}),
    "fastapi": ({"requirements.txt": "fastapi\n"}, {"generator": "FastAPI", "address": "http://localhost:8000/"}),
    "scrapy": ({"scrapy.cfg": "[settings]\n"}, {"generator": "Scrapy", "output": "", "address": ""}),
    "rails": (
        {"config/routes.rb": "", "app/views/products/show.html.erb": ""},
        {"generator": "Rails", "address": "http://localhost:3000/", "sources": ["app"], "is_tested": False},
    ),
    "laravel": (
        {"artisan": "", "resources/views/a.blade.php": ""}, {"generator": "Laravel", "sources": ["resources/views"]},
    ),
    "wordpress theme": ({"functions.php": "<?php\n", "style.css": ""}, {"generator": "WordPress"}),
    "shopify theme": (
        {"layout/theme.liquid": "", "snippets/schema.liquid": "", "assets/theme.js": ""},
        {"generator": "Shopify", "sources": ["layout", "snippets"], "output": ""},
    ),
    "by hand": ({"build/index.html": PAGE}, {"generator": "", "output": "build", "is_built": True}),
    "monorepo": (
        {"packages/shop/hugo.toml": "", "apps/docs/mkdocs.yml": "site_url: https://docs.example.com/\n"},
        {"packages": ["packages/shop", "apps/docs"], "output": ""},
    ),
    "nothing": ({"README.md": "# A\n"}, {"generator": "", "output": "", "base_url": ""}),
    "broken": ({"package.json": "{", "_config.yml": "\xff\n\x00"}, {"generator": "Jekyll"}),
}  # fmt: skip


def make(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


@pytest.mark.parametrize("name", PROJECTS)
def test_a_made_project_is_recognized(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files, expected = PROJECTS[name]
    make(tmp_path, files)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))

    assert main(["init", "--dry-run", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert {key: found[key] for key in expected} == expected
    assert sorted(tmp_path.rglob("*")) == before, "a dry run writes nothing"
    assert main(["init"]) == 0
    assert (tmp_path / "waypost.toml").read_text("utf-8") == found["text"]
    assert load(tmp_path / "waypost.toml").base_url == (found["base_url"] or None)
    out = capsys.readouterr().out
    assert (f"waypost validate {found['output']}\n" in out) or not found["output"]
    if found["is_built"]:
        assert main(["validate", found["output"]]) == 0
        assert capsys.readouterr().err == ""


def test_an_existing_configuration_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make(tmp_path, {"pyproject.toml": "[tool.waypost]\n"})

    assert main(["init", str(tmp_path)]) == 2

    assert "there is a configuration already; `waypost config` shows it" in capsys.readouterr().err
    assert not (tmp_path / "waypost.toml").exists()


def test_a_folder_must_be_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(tmp_path / "none")]) == 2

    assert "there is no such folder" in capsys.readouterr().err
