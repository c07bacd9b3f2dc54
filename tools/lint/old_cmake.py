"""CMake files use nothing newer than the CMake that the tree asks for, 3.22: Ubuntu 22.04's, which ROCm's containers
have. The machines that test this tree have 3.25, which accepts more, and no package of 3.22. The names are those that
the documents of 3.25 mark as added since, but for Windows, downloads and archives; what is newer fails by itself."""
import json
import re

import lint

OLDEST, PRESETS = "3.22", 3
# Features of CMake that are newer than OLDEST: pattern, name, and version.
NEWER = [
    (r"\bblock\s*\(", "block()", "3.25"),
    (r"\breturn\s*\(\s*PROPAGATE\b", "return(PROPAGATE)", "3.25"),
    (r"\badd_subdirectory\s*\([^()]*\bSYSTEM\b", "add_subdirectory(SYSTEM)", "3.25"),
    (r"\bfind_(?:path|file|library|program)\s*\([^()]*\bVALIDATOR\b", "VALIDATOR", "3.25"),
    (r"\btry_(?:compile|run)\s*\([^()]*\bSOURCE_FROM_\w+", "SOURCE_FROM_...", "3.25"),
    (r"\bif\s*\([^()]*\bPATH_EQUAL\b", "PATH_EQUAL", "3.24"),
    (r"\bfind_package\s*\([^()]*\bGLOBAL\b", "find_package(GLOBAL)", "3.24"),
    (r"\bset_property\s*\([^()]*\bLINK_LIBRARY_OVERRIDE\b", "LINK_LIBRARY_OVERRIDE", "3.24"),
    (r"\$<(?:LINK_LIBRARY|LINK_GROUP|PATH):", "$<LINK_LIBRARY>, $<LINK_GROUP>, $<PATH>", "3.24"),
    (r"\b(?:target_sources|install)\s*\([^()]*\bFILE_SET\b", "FILE_SET", "3.23"),
    (r"\bcmake_language\s*\(\s*SET_DEPENDENCY_PROVIDER\b", "SET_DEPENDENCY_PROVIDER", "3.24"),
    (r"\bcmake_language\s*\(\s*GET_MESSAGE_LOG_LEVEL\b", "GET_MESSAGE_LOG_LEVEL", "3.25"),
    (r"\bif\s*\(\s*(?:NOT\s+)?(?:LINUX|BSD)\b", "the variables LINUX and BSD", "3.25"),
]
COMMAND_LINE = [(r"\bcmake\b[^\n|;&]*\s--fresh\b", "cmake --fresh", "3.24"),
                (r"\bcmake\b[^\n|;&]*\s--workflow\b", "cmake --workflow", "3.25")]


def problems_of(root):
    for path in lint.files(root, {".cmake", ".txt", ".json", ".sh", ".in", ""}):
        text, rules = lint.read(root, path), []
        if path.name == "CMakeLists.txt" or path.suffix == ".cmake" or path.name.endswith(".cmake.in"):
            text, rules = re.sub(r"(?m)#[^\n]*$", "", text), NEWER  # without comments
        elif path.suffix == ".sh" or path.name == "Makefile":
            rules = COMMAND_LINE
        elif path.name == "CMakePresets.json" and json.loads(text)["version"] > PRESETS:
            yield f"{path}:1: presets of a version above {PRESETS} need a CMake newer than {OLDEST}"
        for pattern, name, since in rules:
            for found in re.finditer(pattern, text):
                line = text.count("\n", 0, found.end()) + 1
                yield f"{path}:{line}: {name} needs CMake {since}; the tree asks for {OLDEST}: write it without"
        asked = re.search(r"cmake_minimum_required\s*\(\s*VERSION\s+([\d.]+)", text) if rules is NEWER else None
        if asked and [int(part) for part in asked[1].split(".")] > [3, 22]:
            yield f"{path}:1: the tree asks for CMake {OLDEST}, this file for {asked[1]}"


def check(root, _):
    return list(problems_of(root))


GOOD = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.22)\n# block() is of 3.25\nreturn()\n"
                      "target_include_directories(a SYSTEM PRIVATE b)\nadd_subdirectory(b)\n"
                      "if(NOT LINUX_LIKE)\nendif()\n",
    "CMakePresets.json": '{"version": 3}',
    "Makefile": "all:\n\tcmake --preset dev\n",
}
BAD = {
    "a/CMakeLists.txt": "block()\nendblock()\n",
    "b/CMakeLists.txt": "function(f)\n  return(PROPAGATE a)\nendfunction()\n",
    "c.cmake": "target_sources(a PUBLIC\n  FILE_SET HEADERS FILES b.h)\n",
    "d.cmake": "if(a PATH_EQUAL b)\nendif()\n",
    "e.cmake": "set(a $<PATH:GET_FILENAME,b>)\n",
    "f.cmake": "add_subdirectory(b SYSTEM)\n",
    "g.cmake": "find_package(GTest GLOBAL)\n",
    "h.cmake": "cmake_minimum_required(VERSION 3.25)\n",
    "i.sh": "cmake --preset dev --fresh\n",
    "j/CMakePresets.json": '{"version": 6}',
    "k.cmake": "if(LINUX)\nendif()\n",
}
