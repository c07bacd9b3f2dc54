#!/usr/bin/python3
"""The page of xcli web as C++: web_files.py OUTPUT FILE...; src/cli/web/files.h says what comes out."""
import sys
from pathlib import Path

TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
IN_A_LINE = 32


def array(name, data):
    lines = [", ".join(str(byte) for byte in data[at:at + IN_A_LINE]) for at in range(0, len(data), IN_A_LINE)]
    return f"const unsigned char {name}[] = {{\n" + ",\n".join(lines) + "};\n"


def main():
    output = Path(sys.argv[1])
    files = sorted((Path(name) for name in sys.argv[2:] if Path(name).suffix in TYPES), key=lambda path: path.name)
    text = '#include "cli/web/files.h"\n\nnamespace xsched::cli {\nnamespace {\n\n'
    text += "".join(array(f"kWebFile{number}", path.read_bytes()) for number, path in enumerate(files))
    text += "\n}  // namespace\n\nconst WebFile kWebFiles[] = {\n"
    text += "".join(f'    {{"/{path.name}", "{TYPES[path.suffix]}", kWebFile{number}, sizeof(kWebFile{number})}},\n'
                    for number, path in enumerate(files))
    text += "};\nconst size_t kWebFileCount = sizeof(kWebFiles) / sizeof(kWebFiles[0]);\n\n"
    text += "}  // namespace xsched::cli\n"
    output.write_text(text)


if __name__ == "__main__":
    main()
