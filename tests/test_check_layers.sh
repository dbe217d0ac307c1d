#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check_layers passes a good tree, and finds each kind of offence in a bad one.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failures=0

# tree FILE CONTENT: a tree with one file; the check must accept (good) or name the offence (bad PATTERN)
put() {
  rm -rf "$tmp/src"
  mkdir -p "$tmp/src/$(dirname "$1")"
  printf '%s\n' "$2" >"$tmp/src/$1"
}
good() {
  put "$1" "$2"
  if ! out=$(tools/check_layers "$tmp/src"); then
    echo "refused, but allowed: $1: $2: $out"
    failures=1
  fi
}
bad() {
  put "$1" "$2"
  if out=$(tools/check_layers "$tmp/src") || ! printf '%s\n' "$out" | grep -q -- "$3"; then
    echo "not found: $1: $2: expected \"$3\", got \"$out\""
    failures=1
  fi
}

good base/arena.c '#include "base/arena.h"'
good base/arena.c '#include <stdlib.h>'
good dynamics/rnea.c '#include "expr/expr.h"'
good model/model_json.c '#include <cjson/cJSON.h>'
good base/json_at.h '#include <cjson/cJSON.h>'
good expr/expr_load.c '#include <dlfcn.h>'
good solver/solver_ipopt.c '#include <coin/IpStdCInterface.h>'
good expr/expr_graph.c '#include "expr/expr_internal.h"'
good cli/cmd_sweep.c '#include "sweep/sweep.h"'
good dynamics/CMakeLists.txt 'target_link_libraries(dynamics PUBLIC model expr PRIVATE warnings)'

bad base/arena.c '#include "model/model.h"' 'arena.c:1: base must not include model'
bad model/model.c '  #  include "expr/expr.h"' 'model must not include expr'
bad model/model.c '#include <expr/expr.h>' 'model must not include expr'
bad sim/sim_verify.c '#include "collocation/colloc.h"' 'sim must not include collocation'
bad solver/solver.c '#include "ocp/ocp.h"' 'solver must not include ocp'
bad sweep/sweep_grid.c '#include "solver/solver.h"' 'sweep must not include solver'
bad plan/plan.c '#include "cli/options.h"' 'plan must not include cli'
bad plan/plan.c '#include <coin-or/IpStdCInterface.h>' 'Ipopt header'
bad model/model_check.c '#include <cjson/cJSON.h>' 'cJSON header'
bad expr/expr_vm.c '#include <dlfcn.h>' 'dlopen header'
bad sweep/sweep_pool.c '#include <mpi.h>' 'MPI header'
bad dynamics/rnea.c '#include "expr/expr_internal.h"' 'internal to expr'
bad base/arena.c '#include "arena.h"' 'not of the form'
bad base/arena.c '#include "../model/model.h"' 'not of the form'
bad nonsense/file.c 'int x;' 'not in the table'
bad model/CMakeLists.txt 'target_link_libraries(model PUBLIC base
  expr)' 'model must not link expr'

exit $failures
