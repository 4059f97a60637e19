#!/usr/bin/env bash
# From a clone to a result:
#   ./bootstrap.sh run [ARGS]    install what is missing, build, run the default scenario
#   ./bootstrap.sh test [ARGS]   the same for the tests, and run all (ARGS go to ctest)
#   ./bootstrap.sh build         install what is missing and build
#   ./bootstrap.sh deps          install what is missing
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
build="$root/build/release"
scenario="$root/scenarios/examples/serving/azure-conv-llama3-8b-h100.yaml"

say() { printf 'bootstrap: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
usage() { sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

# The packages of the given groups that are not installed, one a line.
missing_packages() {
  local group name
  while read -r group name; do
    [[ " $* " == *" $group "* ]] || continue
    dpkg-query -W -f '${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed || echo "$name"
  done < <(grep -v '^#' "$root/packages.txt")
}

install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "this is not Debian or a relative of it: please see to it yourself that these are installed"
    grep -v '^#' "$root/packages.txt" | sed 's/^/  /' >&2
    command -v cmake >/dev/null || fail "there is no cmake"
    return
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then return; fi
  local as_root=()
  if (($(id -u) != 0)); then
    command -v sudo >/dev/null ||
      fail "missing packages, and neither root nor sudo: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing from Debian: ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
    -o DPkg::Lock::Timeout=300 install "${missing[@]}" >/dev/null
}

# As many jobs as cores, but no more than memory holds at about 1.5 GiB each.
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ {print int($2 / 1572864)}' /proc/meminfo 2>/dev/null || echo "$cores")
  echo $((memory < 1 ? 1 : memory < cores ? memory : cores))
}

configure_and_build() {
  local tests=$1
  local target=orrery
  [[ $tests == ON ]] && target=all
  if [[ ! -f "$build/build.ninja" ]] || ! grep -q "^ORRERY_TESTS:BOOL=$tests" "$build/CMakeCache.txt"; then
    say "configuring $build"
    (cd "$root" && cmake --preset release -DORRERY_TESTS="$tests" >"$root/build-configure.log" 2>&1) ||
      { cat "$root/build-configure.log" >&2; fail "configuring failed"; }
    rm -f "$root/build-configure.log"
  fi
  say "building (a few minutes the first time)"
  cmake --build "$build" --target "$target" -j "$(jobs)" >"$build/build.log" 2>&1 ||
    { grep -E 'error|FAILED|ninja:' "$build/build.log" >&2 || tail -n 40 "$build/build.log" >&2
      fail "building failed; all of it is in $build/build.log"; }
  command -v nvcc >/dev/null || [[ -x /usr/local/cuda/bin/nvcc ]] ||
    say "no CUDA toolkit here: measuring on GPUs is left out, simulating is not affected"
}

case "${1:-help}" in
  run)
    shift
    install_packages run
    configure_and_build "$([[ -f $build/CMakeCache.txt ]] && grep -q '^ORRERY_TESTS:BOOL=ON' "$build/CMakeCache.txt" && echo ON || echo OFF)"
    exec "$build/cli/orrery" run "$scenario" "$@"
    ;;
  test)
    shift
    install_packages run test
    configure_and_build ON
    cd "$root"
    exec ctest --test-dir "$build" --output-on-failure -j "$(nproc)" "$@"
    ;;
  build)
    install_packages run
    configure_and_build OFF
    say "built $build/cli/orrery"
    ;;
  deps)
    install_packages run test
    say "everything is installed"
    ;;
  help | -h | --help)
    usage
    ;;
  *)
    usage >&2
    fail "unknown command \"$1\""
    ;;
esac
