#!/bin/sh
# Install into an environment:   requirements/install.sh ENVIRONMENT ARGUMENTS OF pip install
# By uv, which takes a fifth of pip's processor time; it does not know pip's settings, so where it fails, pip decides.
environment=$1
shift
python=$environment/bin/python
tools=$environment/.uv

# Errors only: warnings about a machine's registry set-up are not ours.
pip() { "$python" -m pip --quiet --quiet "$@"; }
by_uv() {
    { [ -d "$tools" ] || pip install --target "$tools" uv==0.13.8; } &&
        "$tools/bin/uv" pip install --quiet --python "$python" "$@"
}
tell() { seconds=0; while sleep 8 >/dev/null 2>&1; do seconds=$((seconds + 8)); echo "   still installing, ${seconds} s"; done; }

tell &
teller=$!
trap 'kill $teller 2>/dev/null' EXIT
trap 'exit 130' INT TERM
by_uv "$@" 2>/dev/null || pip install "$@" || { echo "pip could not install it; is its package index in reach?" >&2; exit 1; }
