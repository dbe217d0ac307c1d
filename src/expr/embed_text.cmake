# SPDX-License-Identifier: MIT
# cmake -DFROM=file -DTO=file.c -DNAME=identifier -P embed_text.cmake
# Writes a C file that holds the bytes of FROM as a string.
file(READ "${FROM}" bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n  " bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
file(WRITE "${TO}" "// made of ${NAME} by the build\nextern const char ${NAME}[];\nconst char ${NAME}[] = {\n  ${bytes}0};\n")
