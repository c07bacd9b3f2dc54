"""Comments and pages say what they are about: no sentence begins with a word that stands for a subject the reader must
find out ("Who waits ...", "What is left ...", "Nobody ..."). Name the unit, the program, the driver, the value.
Questions may begin so, and so may headings and words in bold.

In the folders CLEAN a comment does not begin with a condition or a half sentence ("False: ...", "Whether ...", "Of
..."), but with what the function does or the value is. Nor does it begin with a word that points to something outside
the comment ("They ...", "Its ...", "Otherwise ..."): a reader cannot know to what. Comments, pages and the messages of
the folders MESSAGES have none of the words WORDS. Quoted words may be any, and so may pages OTHERS."""
import io
import re
import tokenize

import lint

BEGINS = re.compile(r"[\"'(`*-]*\s*(?<!\*\*)(Who|Whoever|Whatever|What|Nobody|Somebody|Anybody|One that|One who|"
                    r"Those that|Those who)\b(?!')")
HALF = re.compile(r"(Whether|Of|Else|Likewise|False:|True:|Null:|Nullptr:|Empty:|Nothing:)(?!\S)")
NO_NOUN = re.compile(r"(They|Them|Their|It|Its|Those|Both|The other one|The others|This one|Otherwise|Also|Then|So)\b")
WORDS = {"whoever": "the thread, the program that", "somebody": "another program, a unit", "anybody": "any program",
         "nobody": "no program, no unit", "anew": "again"}
WORD = re.compile(rf"\b({'|'.join(WORDS)})\b", re.IGNORECASE)
QUOTED = re.compile(r"\"[^\"]*\"|`[^`]*`")
LINK = re.compile(r"\]\([^)]*\)")
BOLD = re.compile(r"\s*(?:[-*] )?\*\*")
SENTENCE_END = re.compile(r"(?<=[.?!])[\"')]*\s+(?=[\"'(`*]*[A-Z])")
C = {".cpp", ".h", ".c", ".hpp", ".def", ".inc", ".cu", ".map"}
C_TOKEN = re.compile(r'R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*(?:.|\n)*?\*/')
HASH = re.compile(r"(?:^|\s)#+\s?([^\"']*)$")
SUFFIXES = C | {".py", ".sh", ".cmake", ".md", ".txt", ""}
NOT_PROSE = {"LICENSE"}
CLEAN = {"src", "include", "python", "tests", "cmake", "examples", "packaging", "scripts", "web", "bench", "tools"}
MESSAGES = {"src", "include", "examples"}
OTHERS = {"CHANGELOG.md", "CONTRIBUTING.md", "plain_words.py"}
KINDS = re.compile(r"\b40\d nobody\b")  # the word of --json for this status
TITLES = "docs/decisions/README.md"  # its table has the pages' headings


def lines_of_c(text):
    for token in C_TOKEN.finditer(text):
        if token[0].startswith(("//", "/*")):
            first = text.count("\n", 0, token.start()) + 1
            for more, line in enumerate(token[0].removesuffix("*/").split("\n")):
                yield first + more, re.sub(r"^\s*(?://+<?|/\*+|\*)\s?", "", line)


def lines_of_python(text):
    begins = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("#! ")
        elif token.type == tokenize.STRING and begins:
            for more, line in enumerate(token.string.strip("rf\"'").split("\n")):
                yield token.start[0] + more, line.strip()
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            begins = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)


def lines_of_markdown(text):
    code = False
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        code ^= line.lstrip().startswith("```")
        if code or line.startswith("#"):
            continue
        if line.lstrip().startswith("|"):
            if not lines[min(number, len(lines) - 1)].startswith("|--"):  # else a table's head
                yield from ((number, "\n" + cell) for cell in line.split("|"))
        else:
            yield number, line


def prose(path, text):
    """Pairs of a line's number and its words; a line that begins a paragraph begins with a line's end."""
    if path.suffix in C:
        found = lines_of_c(text)
    elif path.suffix == ".py":
        found = lines_of_python(text)
    elif path.suffix == ".md":
        found = lines_of_markdown(text)
    else:
        found = ((number, match[1]) for number, line in lint.numbered_lines(text) if (match := HASH.search(line)))
    last = -1
    for number, words in found:
        new = number > last + 1 or not words.strip() or re.match(r"\s*(?:[-*] |\d+\. )", words)
        yield number, ("\n" if new else "") + words
        last = number


def sentences(path, text):
    """Pairs of the number of the line in which a sentence begins, and the sentence."""
    begins, paragraph = [], ""
    for number, words in [*prose(path, text), (0, "\n")]:
        if words.startswith("\n"):
            position = 0
            for part in [*SENTENCE_END.finditer(paragraph), None]:
                end = part.start() if part else len(paragraph)
                sentence = paragraph[position:end].strip()
                if sentence:
                    yield max((line for at, line in begins if at <= position), default=1), sentence
                position = part.end() if part else end
            begins, paragraph = [], ""
        begins.append((len(paragraph), number))
        paragraph += words.strip() + " "


def code_comments(path, text):
    """Yields the faults of a file's comments that only the folders CLEAN must not have."""
    blank = False
    for number, words in prose(path, text):
        begins = words.startswith("\n") and not blank
        half = (blank or begins) and HALF.match(words.strip())
        pointing = begins and NO_NOUN.match(words.strip())
        blank = not words.strip()
        if half:
            yield number, f'a comment begins with "{half[1]}": begin with "Returns ..." or the noun'
        elif pointing:
            yield number, f'a comment begins with "{pointing[1]}": name what it points to'


def code_messages(text):
    """Yields the number of the line and the words of each text of a program in C or C++ that has several words."""
    for token in C_TOKEN.finditer(text):
        if token[0].startswith('"') and " " in token[0].strip():
            yield text.count("\n", 0, token.start()) + 1, KINDS.sub("", token[0].strip('"'))


def vague_words(path, text):
    """Yields the words of a file that stand for no certain program or unit."""
    found = [(number, QUOTED.sub("", sentence)) for number, sentence in sentences(path, text)]
    if path.suffix in C and path.parts[0] in MESSAGES:
        found += code_messages(text)
    for number, words in found:
        word = WORD.search(LINK.sub("", words))
        if word:
            yield number, f'"{word[1]}": write {WORDS[word[1].lower()]}'


def check(root, _):
    problems = []
    for path in lint.files(root, SUFFIXES):
        if path.suffix == ".txt" and path.name != "CMakeLists.txt" or path.name in NOT_PROSE or str(path) == TITLES:
            continue
        text = lint.read(root, path)
        if path.parts[0] in CLEAN:
            problems += [f"{path}:{number}: {problem}" for number, problem in code_comments(path, text)]
        if path.name not in OTHERS:
            problems += [f"{path}:{number}: {problem}" for number, problem in vague_words(path, text)]
        for number, sentence in sentences(path, text):
            match = BEGINS.match(sentence)
            if match and not sentence.endswith("?") and not BOLD.match(sentence):
                problems.append(f"{path}:{number}: a sentence begins with \"{match[1]}\": name the noun it stands for")
    return problems


GOOD = {
    "src/base/a.h": "// The queue that waits. What now? It goes on.\nint x;\n"
                    "const char* said = \"What a text\";  // a text\n",
    "src/base/e.h": "// Returns whether it waits. False: it does not.\nint x;  // kind \"nobody\"\n",
    "docs/a.md": "# What it is\n\n**What.** A page.\n\n| What | is |\n|---|---|\n| a | b |\n\n```sh\nWho cares\n```\n",
    "tools/a.py": '"""A tool."""\nTEXT = "What is a text."\n',
    "docs/e.md": "A [page](017-work-that-nobody-sees.md).\n",
    "tests/base/a_test.cpp": "const char* said = \"read by nobody\";\n",
    "scripts/a.sh": "# Runs it.\necho \"# What\"\n",
    "src/base/n.h": "// The queue waits. It goes on later.\n//\n// It ends.\nint x;  // its number\n",
}
BAD = {
    "src/base/b.h": "// What is left.\nint x;\n",
    "src/base/c.cpp": "// The queue waits.\n// Whoever comes\n// goes.\nint x;\n",
    "src/base/d.cpp": "int x;  // Nobody uses it\n",
    "src/base/f.h": "// False: there is none.\nbool f();\n",
    "src/base/g.h": "// Text.\n//\n// Of two the first.\nint f();\n",
    "src/base/h.h": "// Whether it waits.\nbool f();\n",
    "src/base/l.h": "// It waits.\nvoid f();\n",
    "src/base/m.h": "int x;  // Their sum\n",
    "tests/base/c_test.cpp": "// Otherwise it would wait.\nTEST(A, B) {}\n",
    "tests/base/d_test.py": "# The other one of the two.\nx = 1\n",
    "src/base/i.h": "int x;  // set by whoever comes\n",
    "src/base/j.cpp": "// The queue is made anew.\nint x;\n",
    "include/xsched/b.h": "/* It is so. One that is not\n * is not. */\n",
    "src/policy/b/README.md": "Nothing is made anew.\n",
    "tests/base/b_test.py": '"""Whether it waits."""\n',
    "python/xsched/b.py": "x = 1  # read by anybody\n",
    "docs/b.md": "A page. Who reads it\nknows.\n",
    "docs/c.md": "| a | b |\n|---|---|\n| a | Nobody reads it |\n",
    "docs/d.md": "- first\n- What is second\n",
    "docs/e.md": "The queue waits for nobody.\n",
    "src/base/k.cpp": "const char* said = \"the log is read by nobody\";\n",
    "src/base/k.def": "XSCHED_REASON(kAlone, 0, \"whoever waits runs\")\n",
    "bench/b.py": "x = 1  # Of two the first\n",
    "tools/b.py": '"""What it does."""\n',
    "tools/c.py": "def f():\n    '''Those that are left.'''\n",
    "tools/d.py": "x = 1  # Somebody uses it\n",
    "scripts/b.sh": "# Who runs it\ntrue\n",
    "CMakeLists.txt": "# What is built.\n",
}
