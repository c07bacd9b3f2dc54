#!/usr/bin/env python3
"""Proposes rows for the functions that a vendor's header declares and a table lacks.

    propose.py TABLE HEADER... --since VERSION

Prints one row for each, as it stands in the table, with the types of its arguments where it may need a hook. A person
reads them, and the driver's documentation, before they go into the table: the class is a guess.
  scheduled   takes a stream or queue, and its name is that of work
  ordered     begins or ends a capture, or lets go of something
  forwarded   everything else
A type that the table does not use yet becomes void behind a pointer, else int (api.h says why that makes no
difference). A structure that is passed by value needs a declaration in api.h.
"""
import argparse
import json
import re
import sys

import table as tables

WORK = re.compile("Async|Launch|Enqueue|[Mm]emcpy|[Mm]emset|StreamWait|StreamWrite|StreamAdd|MemOp|Graphics(Unm|M)ap"
                  "|ListAppend|ImmediateAppend|ExecuteCommand")
GRAPH_NODE = re.compile("Node")
LETS_GO = re.compile("Destroy|Free|Release|Unbind|Unmap|Unregister")
# A function's result, its name, and its arguments.
DECLARATION = re.compile(r"\b(CUresult|hipError_t|ze_result_t|aclError|rtError_t|cl_\w+|void\s*\*)\s+"
                         r"(?:\w+_CALL\s+|CUDAAPI\s+|HIPAPI\s+|ZE_APICALL\s+)*"
                         r"((?:cu|hip|cl|ze|acl(?:rt|mdl|op)|rts?)[A-Z]\w*)\s*\(([^()]*)\)\s*[^;{]{0,80};")
STREAMS = ("CUstream", "hipStream_t", "aclrtStream", "cl_command_queue", "const CUlaunchConfig*",
           "const HIP_LAUNCH_CONFIG*", "const hipLaunchConfig_t*", "ze_command_list_handle_t",
           "ze_command_queue_handle_t")
FUNCTION = re.compile("Fn$|Func$|Callback(_t)?$|_fn$")  # how types of pointers to functions end
BASIC = ("void", "char", "int", "unsigned", "size_t", "float", "uint32_t", "uint64_t", "unsigned long long")
SAME = {"unsigned int": "unsigned", "cuuint32_t": "uint32_t", "cuuint64_t": "uint64_t"}


def declarations(text):
    """{name: the texts of its arguments}, of all that a header declares."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = re.sub(r"(?m)^\s*#(?:.*\\\n)*.*$", " ", text)
    found = {}
    for match in DECLARATION.finditer(text):
        arguments = [argument.strip() for argument in match.group(3).split(",")]
        found[match.group(2)] = [] if arguments in ([""], ["void"]) else arguments
    return found


def known_types(table):
    """The types that the table's rows use, without const and pointers."""
    words = set(BASIC) | {"CUstream", "hipStream_t", "cl_command_queue"}
    for row in table["functions"]:
        for argument in row.get("args", "").split(","):
            words.add(re.sub(r"\bconst\b|\*", "", argument).strip())
    return words


def type_of(argument, known):
    """An argument's type as the table writes it."""
    argument = re.sub(r"\b(struct|enum|union)\s+|\s+", " ", argument).strip()
    argument = re.sub(r"\s*=.*$|\[\w*\]", lambda match: "*" if match.group(0).startswith("[") else "", argument)
    stars = argument.count("*")
    constant = "const " if re.match(r"const\b", argument) else ""
    words = re.sub(r"\bconst\b|\*|__\w+", " ", argument).split()
    for names in (1, 0):  # the last word is the argument's name, if it has one
        base = " ".join(words[:len(words) - names])
        base = SAME.get(base, base)
        if base in known or base in ("unsigned long long",):
            return constant + base + "*" * stars
    if stars or any(FUNCTION.search(word) for word in words):
        return constant + "void" + "*" * max(stars, 1)
    return "int"


def row_of(name, arguments, since, table):
    known = known_types(table)
    types = [type_of(argument, known) for argument in arguments]
    takes_stream = any(kind in STREAMS for kind in types)
    row = {"name": name, "since": since, "class": "forwarded"}
    why = "a question or set-up, independent of streams"
    if re.search("Begin\\w*[Cc]apture", name):
        row.update({"class": "ordered", "hook": "begin_capture"})
        why = "from here on the stream is left alone: nothing of ours gets into a graph"
    elif re.search("EndCapture", name):
        row.update({"class": "ordered", "hook": "end_capture"})
        why = "the stream is scheduled again"
    elif takes_stream and WORK.search(name) and not GRAPH_NODE.search(name):
        row["class"] = "scheduled"
        why = "a command in stream order"
        if re.search("[Mm]emcpy", name):
            row["copy"] = "last" if "size_t" in types and not re.search("Batch|3D", name) else "untold"
    elif LETS_GO.search(name):
        row["class"] = "ordered"
        why = "the driver waits for what uses it, also for what stands behind a gate"
    elif takes_stream:
        why = "a property of the driver's own stream"
    if "result" in table and ("hook" in row or row["class"] == "scheduled"):
        row["args"] = ", ".join(types)
    row["why"] = why
    return row


def proposals(table, headers, since):
    """The rows for what the headers declare and the table lacks, each behind its plain form."""
    have = {row["name"] for row in table["functions"] + table["by_name"]}
    rows = []
    for header in headers:
        found = declarations(header)
        for name, arguments in found.items():
            plain = next((name[:-len(ending)] for ending in table.get("per_thread", []) if name.endswith(ending)), None)
            if name in have:
                continue
            have.add(name)
            row = row_of(name, arguments, since, table)
            if plain is not None:
                for key in tables.INHERITED:
                    row.pop(key, None)
            rows.append(row)
    return sorted(rows, key=lambda row: row["name"])


def main():
    parser = argparse.ArgumentParser(description="Proposes rows for a header's functions that a table lacks.")
    parser.add_argument("table", help="api/<api>.json")
    parser.add_argument("headers", nargs="+", help="the vendor's header files")
    parser.add_argument("--since", required=True, help="the vendor's version that has these functions")
    arguments = parser.parse_args()
    texts = []
    for name in arguments.headers:
        try:
            with open(name, encoding="utf-8", errors="replace") as file:
                texts.append(file.read())
        except OSError as error:
            sys.exit(f"propose.py: {name}: {error.strerror}")
    for row in proposals(tables.load(arguments.table), texts, arguments.since):
        print("    " + json.dumps(row, ensure_ascii=False) + ",")


if __name__ == "__main__":
    main()
