#!/bin/sh
# SPDX-License-Identifier: MIT
# test_cli.sh POISE VERSION: the program from outside: output, streams, exit codes. Runs in the root
# of the source tree.
poise=$1
version=$2
. tests/cli_support.sh

# version and help
ok --version
says "^poise $version\$"
for args in --help -h help; do
  ok $args
  says '^Commands:'
  says '^  check '
done
for command in $("$poise" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  ok help "$command"
  cp "$tmp/out" "$tmp/help"
  ok "$command" --help
  cmp -s "$tmp/out" "$tmp/help" || complain "help $command and $command --help differ"
  says "^Usage: poise $command"
  says '^Example:'
  says "^  .*poise $command "
  # the manual page knows every command and option of the help
  grep -q "^\.SS $command\$" docs/poise.1 || complain "docs/poise.1 has no section for $command"
  for option in $(sed -n 's/^  .*--\([a-z-]*\).*/\1/p' "$tmp/help"); do
    grep -qF -- "\\-\\-$(echo "$option" | sed 's/-/\\-/g')" docs/poise.1 ||
      complain "docs/poise.1 does not mention --$option"
  done
done

# usage mistakes
call 2
[ ! -s "$tmp/out" ] || complain "wrote on stdout"
refused "unknown command 'chekc', did you mean check?" chekc
refused "unknown command 'wonderful', see 'poise --help'" wonderful
refused "unknown command 'chekc', did you mean check?" help chekc
refused "unknown option '--verison'" --verison
refused "check needs FILE.json" check
refused "unexpected argument 'b'" check a b
refused "unknown option '--jsn', did you mean --json?" check a --jsn
refused "option --json takes no value" check a --json=1
refused "option --json is given twice" check a --json --json

# check: good files
for robot in configs/robots/*.json; do
  ok check "$robot"
  says 'degrees of freedom'
  says 'total mass'
  ok check "$robot" --json
  says '"degrees_of_freedom": [0-9]'
  says '"warnings": \['
done
ok check configs/robots/arm_pendulum.json
says 'degrees of freedom  *6$'
says 'actuated  *4$'
says 'degree of underactuation  *2$'
says 'total mass  *6 kg$'
says '^  3  *q4  *revolute  *q3  *hand .*yes'
says '^  tip .*hand$'
ok check --json configs/robots/arm_pendulum.json
says '"name": "q1", "type": "revolute", "parent": null'
says '"underactuation": 2'

# check: bad files
printf '' >"$tmp/empty.json"
printf '{"name": ' >"$tmp/cut.json"
refused "none.json" check "$tmp/none.json"
refused "empty.json" check "$tmp/empty.json"
refused "cut.json" check "$tmp/cut.json"
refused "$tmp" check "$tmp"

# dynamics: forwards and backwards agree, frames by name, vectors by name
arm=configs/robots/arm_pendulum.json
cart=configs/robots/cartpole.json
ok dynamics $cart -f EXP2 --states configs/states/cartpole.json --json
says '"a": \[1, -2\]'
says '"tip": \[0, 0, -0.5\]'
ok dynamics $cart -f EXP2 --states configs/states/cartpole.json
cp "$tmp/out" "$tmp/exp2"
ok dynamics $cart -f EXP1 --states configs/states/cartpole.json
cmp -s "$tmp/out" "$tmp/exp2" || complain "EXP1 and EXP2 differ on the cart-pole"
ok dynamics $cart --states configs/states/cartpole.json
says 'joint forces'
echo '[{"q": [0, 0], "v": [0, 0], "a": [0]}]' >"$tmp/short.json"
refused 'short.json: \[0\].a: has 1 numbers, but cartpole has 2 joints' dynamics $cart --states "$tmp/short.json"
echo '[{"q": {"polle": 1}, "v": [0, 0], "a": [0, 0]}]' >"$tmp/name.json"
refused 'no joint "polle"; did you mean "pole"' dynamics $cart --states "$tmp/name.json"
echo '[{"q": [0, 0], "v": [0, 0], "a": [0, 0]}]' >"$tmp/a.json"
refused 'a.json: \[0\].tau: missing' dynamics $cart -f EXP1 --states "$tmp/a.json"
echo '[]' >"$tmp/none.json"
refused 'has no states' dynamics $cart --states "$tmp/none.json"
refused '--states FILE is needed' dynamics $cart
refused 'unknown formulation "IMPLICIT"' dynamics $cart -f IMPLICIT --states "$tmp/a.json"
refused 'unknown formulation "EXP3"; did you mean EXP' info $cart -f EXP3

# info: the patterns of the benchmark arm
ok info $arm
says 'IMPL .* 103 .* 96 '
ok info $arm --json
says '"name": "EXP2-A", .*"jacobian_nonzeros": 96, "hessian_nonzeros": 86'

# codegen
ok codegen $arm -f IMPL -o "$tmp/new"
says 'arm_pendulum_impl.c$'
says '^compile: cc '
[ -s "$tmp/new/arm_pendulum_impl.c" ] && [ -s "$tmp/new/arm_pendulum_impl.h" ] || complain "wrote no files"
refused '-o DIR is needed' codegen $arm
refused 'not a folder\|Not a directory\|make the folder' codegen $arm -o /dev/null/x
touch "$tmp/file"
refused "$tmp/file" codegen $arm -o "$tmp/file"

# output that is lost is not success
if [ -c /dev/full ]; then
  for args in --version --help "check --help"; do
    line="$args >/dev/full"
    : >"$tmp/out"
    "$poise" $args >/dev/full 2>"$tmp/err"
    [ $? -eq 3 ] || complain "exit code is not 3"
    grep -q '^poise: standard output: ' "$tmp/err" || complain "does not say that the output was lost"
  done
fi

exit $failures
