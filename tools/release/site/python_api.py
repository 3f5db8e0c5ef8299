# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""The public names of the Python package, read from its sources: nothing is imported, so the
extension module need not be built."""

import ast
from dataclasses import dataclass, field


@dataclass
class Entry:
    """A class, function or module with its signature and docstring."""
    name: str
    kind: str
    signature: str = ""
    text: str = ""
    members: list = field(default_factory=list)


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def signature(node, method=False):
    """`(a, *, b=1) -> C`, without self."""
    text = ast.unparse(node.args)
    if method and text in ("self", "cls"):
        text = ""
    elif method:
        for first in ("self, ", "cls, "):
            text = text.removeprefix(first)
    return f"({text})" + (f" -> {ast.unparse(node.returns)}" if node.returns else "")


def is_overload(node):
    """Whether the function only declares types of one that follows."""
    return any(ast.unparse(mark) == "overload" for mark in getattr(node, "decorator_list", ()))


def entry(node, name):
    if isinstance(node, ast.ClassDef):
        made = Entry(name, "class", "", ast.get_docstring(node) or "")
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        made.signature = f"({bases})" if bases else ""
        for part in node.body:
            if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
                public = not part.name.startswith("_") or part.name == "__init__"
                if not public or is_overload(part):
                    continue
                marks = {ast.unparse(mark) for mark in part.decorator_list}
                is_property = bool(marks & {"property", "cached_property"})
                made.members.append(Entry(
                    f"{name}.{part.name}", "property" if is_property else "method",
                    (f": {ast.unparse(part.returns)}" if part.returns else "") if is_property
                    else signature(part, "staticmethod" not in marks),
                    ast.get_docstring(part) or ""))
            elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                if not part.target.id.startswith("_"):
                    made.members.append(Entry(f"{name}.{part.target.id}", "attribute",
                                              f": {ast.unparse(part.annotation)}"))
        return made
    return Entry(name, "function", signature(node), ast.get_docstring(node) or "")


def module(folder, name):
    """The public functions and classes that a module itself has."""
    path = folder / f"{name}.py"
    tree = parsed(path)
    made = Entry(name, "module", "", ast.get_docstring(tree) or "")
    listed = exported(tree)
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
            if (listed is None or node.name in listed) and not is_overload(node):
                made.members.append(entry(node, node.name))
    return made


def exported(tree):
    """The names of __all__; None where there is none."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return ast.literal_eval(node.value)
    return None


def imports(tree):
    """Name -> (module, name there) of every `from .x import y`, at any depth."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            for name in node.names:
                found[name.asname or name.name] = (node.module or "", name.name)
    return found


def package(folder):
    """(docstring, entries of __all__ in order, {module: entry} of the modules that it exports)."""
    tree = parsed(folder / "__init__.py")
    where, entries, modules = imports(tree), [], {}
    for name in exported(tree):
        source, original = where[name]
        if not source:
            modules[name] = module(folder, name)
            continue
        path = folder / f"{source}.py"
        node = next((node for node in parsed(path).body
                     if getattr(node, "name", None) == original and not is_overload(node)), None)
        entries.append(entry(node, name) if node is not None else Entry(name, "name"))
    return ast.get_docstring(tree), entries, modules
