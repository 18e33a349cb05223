#!/usr/bin/env bash
# Makes the certificates of this folder's tests anew: an authority of our own for a hundred years, and what it
# signs. They guard nothing: the keys are public, and no trust store knows the authority.
set -euo pipefail
cd "$(dirname "$0")/certificates"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1"; }

key "$work/authority.key"
openssl req -x509 -new -key "$work/authority.key" -days 36500 -subj "/CN=waypost test authority" \
  -addext "keyUsage=critical,keyCertSign,cRLSign" -out authority.pem

cat > "$work/ca.cnf" <<EOF
[ca]
default_ca = here
[here]
database = $work/index.txt
new_certs_dir = $work
rand_serial = yes
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
EOF
touch "$work/index.txt"

signed() { # name, from, until
  key "$work/$1.key"
  openssl req -new -key "$work/$1.key" -subj "/CN=$1" \
    -addext "subjectAltName=DNS:shop.test,DNS:pay.shop.test,DNS:quillmart-login.test,DNS:acme.test,IP:127.0.0.1" -out "$work/$1.csr"
  openssl ca -batch -notext -config "$work/ca.cnf" -cert authority.pem -keyfile "$work/authority.key" \
    -in "$work/$1.csr" -startdate "$2" -enddate "$3" -out "$work/$1.pem"
  cat "$work/$1.key" "$work/$1.pem" > "$1.pem"
}
signed good 20260101000000Z 21250101000000Z
signed expired 20250101000000Z 20250401000000Z

key "$work/self.key"
openssl req -x509 -new -key "$work/self.key" -days 36500 -subj "/CN=shop.test" \
  -addext "subjectAltName=DNS:shop.test" -out "$work/self.pem"
cat "$work/self.key" "$work/self.pem" > self-signed.pem
