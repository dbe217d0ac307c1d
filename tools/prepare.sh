# SPDX-License-Identifier: MIT
# Sourced by tools/run and tools/test, which set `root`: brings the machine and build/ up to date.
# Silent on success; on failure it says why on stderr and leaves with 2 (packages) or 3 (build).
build=$root/build

# Names of the packages of tools/packages.txt that dpkg does not have.
missing_packages() {
  wanted=$(sed 's/#.*//' "$root/tools/packages.txt")
  for package in $wanted; do
    case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
      installed) ;;
      *) printf '%s ' "$package" ;;
    esac
  done
}

# Installs what is missing; asked again only when dpkg's database or the list has changed.
ensure_packages() {
  command -v dpkg-query >/dev/null || return 0 # not a Debian: CMake will say what it lacks
  stamp=$build/.packages
  [ "$stamp" -nt /var/lib/dpkg/status ] && [ "$stamp" -nt "$root/tools/packages.txt" ] &&
    command -v cmake >/dev/null && command -v ninja >/dev/null && return 0

  missing=$(missing_packages)
  if [ -n "$missing" ]; then
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
      if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root='sudo -n'
      else
        echo "$name: these Debian packages are missing and need root to install:" >&2
        echo "  apt-get install -y --no-install-recommends ${missing% }" >&2
        exit 2
      fi
    fi
    echo "$name: installing ${missing% }" >&2
    if ! {
      $as_root apt-get update &&
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing
    } >"$build/.packages.log" 2>&1 </dev/null 9>&-; then
      tail -n 20 "$build/.packages.log" >&2
      echo "$name: apt-get failed; when it works again, run" >&2
      echo "  apt-get install -y --no-install-recommends ${missing% }" >&2
      exit 2
    fi
  fi
  touch "$stamp"
}

# -march=native code belongs to one CPU, and a CMake cache to one folder: start over when either moved.
forget_other_machine() {
  here="$root $(uname -m) $(sed -n '/^model name/{p;q;}' /proc/cpuinfo 2>/dev/null)"
  [ -f "$build/.machine" ] && [ "$(cat "$build/.machine")" = "$here" ] && return 0
  rm -rf "$build"/[!.]* "$build"/.ninja* "$build"/.cmake
  printf '%s\n' "$here" >"$build/.machine"
}

# build_or_exit TARGET: configures if need be, builds, and shows the log if that fails.
build_or_exit() {
  if ! {
    { [ -f "$build/build.ninja" ] ||
      cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPOISE_NATIVE=ON; } &&
      ninja -C "$build" "$1"
  } >"$build/.log" 2>&1 </dev/null 9>&-; then
    cat "$build/.log" >&2
    echo "$name: the build failed (log above, and in build/.log)" >&2
    rm -f "$build/.packages" # perhaps a package went away: look again next time
    exit 3
  fi
}

# prepare TARGET: everything above, one process at a time.
prepare() {
  mkdir -p "$build" || exit 3
  exec 9>"$build/.lock"
  command -v flock >/dev/null && flock 9
  ensure_packages
  forget_other_machine
  build_or_exit "$1"
  exec 9>&-
}
