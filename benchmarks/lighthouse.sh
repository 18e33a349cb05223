#!/usr/bin/env bash
# Lighthouse on six pages of the site, from a static server on loopback with compressed twins and lasting assets.
#   benchmarks/lighthouse.sh SITE LIGHTHOUSE [PORT] [SLOWDOWN]
# SITE is a folder made by `waypost build --release`; LIGHTHOUSE the program (npm lighthouse 12.8.2, installed with
# PUPPETEER_SKIP_DOWNLOAD=1). The mobile preset; its factor of 4 makes a fast desktop (a benchmark index of 1,500 to 2,000, which
# each line ends with) a phone of the middle. Lighthouse's documentation asks for 2 at an index of 800 to 1,500.
set -euo pipefail
site=${1:?the folder of the site} program=${2:?the lighthouse program} port=${3:-8731} slowdown=${4:-4}
[ -f "$site/404.html" ] || { echo "$site holds no site: make it with waypost build --release --output $site" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
python "$here/static.py" "$site" "$port" &
server=$!
trap 'kill "$server"' EXIT
sleep 1
flags="--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"
report=$(mktemp)
for page in "" rules/price-invalid/ types/NewsArticle/ safety/reading/ explorer/preview/ docs/agents/; do
  CHROME_PATH=$(command -v chromium) "$program" "http://127.0.0.1:$port/$page" --quiet --output=json \
    --output-path="$report" --chrome-flags="$flags" --throttling.cpuSlowdownMultiplier="$slowdown"
  python - "$report" "$page" <<'PY'
import json, sys
told = json.load(open(sys.argv[1], encoding="utf-8"))
found = {name: round(100 * part["score"]) for name, part in told["categories"].items()}
short = [f"{each['id']} {each['score']}" for name, part in told["categories"].items() for ref in part["auditRefs"]
         if ref["weight"] and (each := told["audits"][ref["id"]])["score"] not in (None, 1)]
metrics = {name: told["audits"][name]["displayValue"] for name in
           ("largest-contentful-paint", "cumulative-layout-shift", "total-blocking-time")}
print(f"{sys.argv[2] or 'home':<24} {found} {metrics} {'; '.join(short)} index {told['environment']['benchmarkIndex']:.0f}", flush=True)
PY
done
rm -f "$report"
