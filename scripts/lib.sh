# shellcheck shell=bash disable=SC2034
# Common parts of the scripts in this folder: where the project is, what it needs from Debian, how it is
# built. Sourced, never run. Everything is bash and works from any directory.
#
# Supported is Debian 12, as root or with sudo. Packages are installed only when they are missing, so a
# machine that has them all needs neither network nor privileges.

project_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export CTEST_OUTPUT_ON_FAILURE=1

# What a build needs, what the tests need on top, and what the checks with clang need.
build_packages=(g++ cmake ninja-build nlohmann-json3-dev libfmt-dev libsqlite3-dev libyaml-cpp-dev zlib1g-dev
  libprotobuf-dev)
test_packages=(doctest-dev python3-jsonschema)
clang_packages=(clang-14)

say() { printf '\n== %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Prints those of the named packages that are not installed.
missing_packages() {
  local package status
  for package in "$@"; do
    # dpkg-query prints the status and fails for a package it has never heard of.
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=unknown
    [[ $status == installed ]] || printf '%s\n' "$package"
  done
}

# Installs the named Debian packages that are missing; says which; no apt call when there is none.
install_packages() {
  command -v dpkg-query >/dev/null ||
    die "this is no Debian system; install what corresponds to: $*"
  local missing=() as_root=()
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      die "missing Debian packages, and neither root nor sudo to install them. As root, run:
  apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing Debian packages: ${missing[*]}"
  local log plan quick=()
  log=$(mktemp)
  if ! run_apt update >"$log" 2>&1; then
    # Stale lists may still do: the install below decides, and prints this if it fails too.
    printf 'warning: apt-get update failed; trying the package lists that are there\n' >&2
  fi
  # Where nothing that is there is replaced, dpkg need not wait for the disk at each file.
  if plan=$(run_apt -s install --no-install-recommends "${missing[@]}" 2>/dev/null) &&
    ! grep -q '^Inst [^ ]* \[' <<<"$plan"; then
    quick=(-o Dpkg::Options::=--force-unsafe-io)
  fi
  if ! run_apt "${quick[@]}" install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
    tail -n 25 "$log" >&2
    rm -f "$log"
    die "apt-get could not install: ${missing[*]} (its last lines are above)"
  fi
  rm -f "$log"
}

run_apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 -o Acquire::Languages=none "$@"
}

# tests_option <preset> [target ...]: with or without tests. The program alone is configured without: who only
# wants the demo has no doctest.
tests_option() {
  case "$*" in
    'release ooc-paleo') printf '%s' -DOOC_TESTS=OFF ;;
    release*) printf '%s' -DOOC_TESTS=ON ;;
  esac
}

# build_preset <preset> [target ...]: configures and builds build/<preset> with a preset of
# CMakePresets.json, two jobs at least: compilers here need up to 1 GB each.
build_preset() {
  local tests preset=$1
  tests=$(tests_option "$@")
  shift
  local targets=()
  if (($#)); then targets=(--target "$@"); fi
  (cd "$project_root" && cmake --preset "$preset" ${tests:+"$tests"} >"$(config_log "$preset")" 2>&1) || {
    cat "$(config_log "$preset")" >&2
    die "cmake --preset $preset failed (its output is above)"
  }
  cmake --build "$project_root/build/$preset" "${targets[@]}"
}

config_log() {
  mkdir -p "$project_root/build/$1"
  printf '%s/build/%s/configure.log' "$project_root" "$1"
}

# run_tests <preset> [ctest option ...]: no test found is a failure; a job more than processors, since some wait.
run_tests() {
  local preset=$1
  shift
  ctest --test-dir "$project_root/build/$preset" --no-tests=error -j "$(($(nproc) + 1))" "$@"
}
