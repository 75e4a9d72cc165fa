#!/usr/bin/env bash
# Build the interfaces that the ROS 2 wheels of PyPI lack into a virtual environment: interfaces/build.sh VENV
# Those are tf2_msgs, the joint trajectories of control_msgs, and our own legged_contact_sim_msgs; what can be imported and is complete is left as it is.
# Needs cmake, a C++ compiler and Python's headers; installs them where apt-get and the right to use it are there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=$(cd "$1" && pwd)
python=$venv/bin/python

complete() {
    case $1 in
        transforms) "$python" -c 'from tf2_msgs import action, msg, srv; (msg.TFMessage(), msg.TF2Error(), srv.FrameGraph, action.LookupTransform)' ;;
        joint_trajectories) "$python" -c 'from control_msgs.action import FollowJointTrajectory; FollowJointTrajectory.Goal()' ;;
        messages) "$python" -c 'from legged_contact_sim_msgs.msg import ContactState, EnergyAudit, LowLevelCommand; ContactState(), EnergyAudit().moving_ground, LowLevelCommand()' ;;
    esac 2>/dev/null
}
headers() { "$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'; }
ready() { command -v cmake && command -v c++ && command -v make && headers; }

missing=()
for package in transforms joint_trajectories messages; do complete $package || missing+=("$package"); done
[ ${#missing[@]} -gt 0 ] || exit 0
if ! ready >/dev/null; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    packages="cmake g++ make"
    headers || packages="$packages libpython$version-dev"
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "== installing $packages"
        apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y $packages >/dev/null
    else
        echo "building interfaces needs cmake, a C++ compiler, make and Python's headers; install: $packages" >&2
        exit 1
    fi
fi

echo "== building the interfaces that PyPI lacks: ${missing[*]} (half a minute each, once)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VIRTUAL_ENV=$venv PATH=$venv/bin:$PATH AMENT_PREFIX_PATH=$venv
unset PYTHONPATH LD_LIBRARY_PATH
run() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }; }
for package in "${missing[@]}"; do
    run cmake -S "$here/$package" -B "$work/$package" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DBUILD_TESTING=OFF -DPYTHON_ONLY=ON \
        -DCMAKE_PREFIX_PATH="$venv" -DCMAKE_INSTALL_PREFIX="$venv" -DPython3_EXECUTABLE="$python"
    run cmake --build "$work/$package" --parallel 2
    run cmake --install "$work/$package"
    complete "$package" || { echo "interfaces/$package was built but cannot be imported" >&2; exit 1; }
done

# Wheels carry no links, so that a library is there under up to three names: copies of one file become one.
for file in "$venv"/lib/lib*.so.*; do
    base=${file%%.so.*}.so
    if [ -f "$base" ] && ! [ "$base" -ef "$file" ] && cmp -s "$base" "$file"; then ln -f "$base" "$file"; fi
done
