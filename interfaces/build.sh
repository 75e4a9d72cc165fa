#!/usr/bin/env bash
# Build what the ROS 2 wheels of PyPI lack, tf2_msgs, into a virtual environment: interfaces/build.sh VENV
# Needs cmake, a C++ compiler and Python's headers; installs them where apt-get and the right to use it are there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=$(cd "$1" && pwd)
python=$venv/bin/python

complete() {
    "$python" -c 'from tf2_msgs import action, msg, srv; (msg.TFMessage(), msg.TF2Error(), srv.FrameGraph, action.LookupTransform)' 2>/dev/null
}
headers() { "$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'; }
ready() { command -v cmake && command -v c++ && command -v make && headers; }

complete && exit 0
if ! ready >/dev/null; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    packages="cmake g++ make"
    headers || packages="$packages libpython$version-dev"
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "== installing $packages"
        apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y $packages >/dev/null
    else
        echo "building tf2_msgs needs cmake, a C++ compiler, make and Python's headers; install: $packages" >&2
        exit 1
    fi
fi

echo "== building tf2_msgs, the one package of interfaces that PyPI lacks (half a minute, once)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VIRTUAL_ENV=$venv PATH=$venv/bin:$PATH AMENT_PREFIX_PATH=$venv
unset PYTHONPATH LD_LIBRARY_PATH
run() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }; }
run cmake -S "$here/transforms" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DBUILD_TESTING=OFF \
    -DCMAKE_PREFIX_PATH="$venv" -DCMAKE_INSTALL_PREFIX="$venv" -DPython3_EXECUTABLE="$python"
run cmake --build "$work/build" --parallel 2
run cmake --install "$work/build"
complete || { echo "tf2_msgs was built but cannot be imported" >&2; exit 1; }
