"""A static server for measuring the site: its own headers, compressed twins, assets that last. python static.py SITE PORT"""

from __future__ import annotations

import mimetypes
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from waypost.contract.headers import page_headers

ROOT = Path(sys.argv[1]).resolve()
TYPES = {".md": "text/markdown", ".js": "text/javascript", ".json": "application/json"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = (ROOT / self.path.partition("?")[0].lstrip("/")).resolve()
        path = path / "index.html" if path.is_dir() else path
        found = path.is_file() and path.is_relative_to(ROOT)
        path = path if found else ROOT / "404.html"
        packed = path.with_name(f"{path.name}.gz")
        use_packed = packed.is_file() and "gzip" in self.headers.get("Accept-Encoding", "")
        data = (packed if use_packed else path).read_bytes()
        self.send_response(200 if found else 404)
        for name, value in page_headers().items():
            self.send_header(name, value)
        kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        if use_packed:
            self.send_header("Content-Encoding", "gzip")
        if path.parent.name == "assets":
            self.send_header("Cache-Control", "public, max-age=31536000, immutable")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
