"""Objects beside the published types of Kubernetes 1.36, which npm's @kubernetes/client-node has for each kind: a file
of JavaScript with the names and types of the fields, and one of TypeScript that says which of them must be there."""
import re

FIELD = re.compile(r'"name": "([^"]+)",\s*"baseName": "([^"]+)",\s*"type": "([^"]+)"')
DECLARED = re.compile(r"^    '([^']+)'(\??):", re.MULTILINE)
ARRAY = re.compile(r"(?:Array|Set)<(.+)>$")
MAP = re.compile(r"\{ \[key: string\]: (.+); \}$")
SIMPLE = {"string": str, "Date": str, "V1MicroTime": str, "number": (int, float), "boolean": bool,
          "IntOrString": (int, str), "any": object}


class Schemas:
    def __init__(self, folder):
        self.folder, self.known = folder, {}

    def fields(self, name):
        """For each field of a type: its own type, and whether it must be there."""
        if name not in self.known:
            needed = {field: optional == "" for field, optional in
                      DECLARED.findall((self.folder / f"{name}.d.ts").read_text())}
            self.known[name] = {base: (kind, needed[field]) for field, base, kind in
                                FIELD.findall((self.folder / f"{name}.js").read_text())}
        return self.known[name]

    def release(self):
        """Kubernetes' version, as the files name it."""
        return re.search(r"release-([\d.]+)", (self.folder / "V1Pod.d.ts").read_text())[1]

    def faults(self, one):
        """The faults of an object, as sentences."""
        group, _, version = one["apiVersion"].rpartition("/")
        name = version[0].upper() + version[1:] + one["kind"]
        if not (self.folder / f"{name}.js").exists():
            return [f"{group}/{version} has no {one['kind']}"]
        return list(self.compare(one, name, one["kind"]))

    def compare(self, value, kind, place):
        if found := ARRAY.match(kind):
            yield from self.compare_items(value, list, found[1], place)
        elif found := MAP.match(kind):
            yield from self.compare_items(value, dict, found[1], place)
        elif kind in SIMPLE:
            if not isinstance(value, SIMPLE[kind]) or (isinstance(value, bool) and kind not in ("boolean", "any")):
                yield f"{place}: {value!r} is no {kind}"
        elif not isinstance(value, dict):
            yield f"{place}: {value!r} is no {kind}"
        else:
            yield from self.compare_fields(value, self.fields(kind), place)

    def compare_items(self, value, wanted, kind, place):
        if not isinstance(value, wanted):
            yield f"{place}: {value!r} is no {wanted.__name__}"
            return
        for key, item in value.items() if wanted is dict else enumerate(value):
            yield from self.compare(item, kind, f"{place}[{key}]")

    def compare_fields(self, value, fields, place):
        for name, (_, needed) in fields.items():
            if needed and name not in value:
                yield f"{place}: {name} is missing"
        for name, item in value.items():
            if name not in fields:
                yield f"{place}: no field {name} is known"
            else:
                yield from self.compare(item, fields[name][0], f"{place}.{name}")
