"""Request the page of a step from the application of a guide, with the framework's own client, into page.html."""

import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path.cwd())]
step = sys.argv[1]
if Path("manage.py").is_file():
    os.environ["DJANGO_SETTINGS_MODULE"] = "shop"
    import django
    from django.test import Client

    django.setup()
    page = Client().get({"mistakes": "/plain/"}[step]).content
elif Path("app.py").is_file():
    from app import app

    page = app.test_client().get({"mistakes": "/plain"}[step]).data
else:
    from fastapi.testclient import TestClient
    from main import app

    page = TestClient(app).get({"mistakes": "/plain"}[step]).content
Path("page.html").write_bytes(page)
