# Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
"""Where a source can be mutated, and the source with all its mutants in one.

Clang's syntax tree says where an expression begins and ends and what type it has. Each place
becomes a call of tools/mutation/mutant.h that selects by a number. Lines stay lines: what a
compiler reports of the copy has the line of the source.
"""

import bisect
import itertools
import json
import re
import subprocess

COMPARE = {"<": ("Less", ["<=", ">="]), "<=": ("LessEqual", ["<", ">"]),
           ">": ("Greater", [">=", "<="]), ">=": ("GreaterEqual", [">", "<"]),
           "==": ("Equal", ["!="]), "!=": ("NotEqual", ["=="])}
ARITHMETIC = {"+": ("Plus", "-"), "-": ("Minus", "+"), "*": ("Times", "+"), "/": ("Over", "*"),
              "%": ("Modulo", "+")}
NUMBERS = {"int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long",
           "double", "float", "short", "unsigned short", "char", "signed char", "unsigned char"}
DEPENDENT = "<dependent type>"
# What must stay a constant of the compiler, or has no effect but on time.
CONSTANT = {"ConstantExpr", "StaticAssertDecl", "EnumConstantDecl", "TemplateArgument",
            "NonTypeTemplateParmDecl", "ParmVarDecl", "FieldDecl", "ConceptDecl", "RequiresExpr"}
NO_EFFECT = re.compile(r"[\w.>\-\[\]]+(?:\.|->)(?:reserve|shrink_to_fit)\(")
# The value that `return {}` would give, too.
NOTHING = {"{}", "absl::OkStatus()", "nullptr", "std::nullopt", "0", "false", "true"}
DELETED = {"CallExpr", "CXXMemberCallExpr", "CXXOperatorCallExpr", "CompoundAssignOperator",
           "ContinueStmt", "BreakStmt"}

_turns = itertools.count()


class Site:
    """A place with `changes`, one for each of its mutants, from the source's `begin` to `end`."""

    def __init__(self, begin, end, rule, changes):
        self.begin, self.end, self.rule, self.changes = begin, end, rule, changes
        self.edits = []  # (position, order, length, turn, removed, text); {id}: the first mutant
        self.first = 0

    def wrap(self, before, after, begin=None, end=None):
        """At one position what ends comes first, inner before outer; then what begins, outer
        first. Of two places with one extent, the one that was found first is the outer one."""
        begin = self.begin if begin is None else begin
        end = self.end if end is None else end
        turn = next(_turns)
        self.edits.append((begin, 1, begin - end, turn, 0, before))
        self.edits.append((end, 0, end - begin, -turn, 0, after))

    def replace(self, position, length, text):
        self.edits.append((position, 2, 0, 0, length, text))


def tree(clang, arguments, path, name_filter="muster"):
    """Declarations of clang's tree with the names that are looked for, one after the other."""
    done = subprocess.run([clang, *arguments, "-fsyntax-only", "-Xclang", "-ast-dump=json",
                           "-Xclang", f"-ast-dump-filter={name_filter}", str(path)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"mutate: {path}: clang cannot read it\n{done.stderr}")
    decoder, at, text = json.JSONDecoder(), 0, done.stdout
    while (at := text.find("{", at)) >= 0:
        node, at = decoder.raw_decode(text, at)
        yield node


class Finder:
    """Collects the sites of one file."""

    def __init__(self, path, text):
        self.path, self.text = str(path), text
        self.file = None
        self.sites = {}
        self.deduced = False  # in a lambda: its return type is that of what it returns

    # --- where nodes are

    def place(self, location):
        """The offset of a location in the file, or None if it is elsewhere or in a macro. Clang
        names a file only where it differs from the one before."""
        if "spellingLoc" in location or "expansionLoc" in location:
            for key in ("spellingLoc", "expansionLoc"):
                self.file = location.get(key, {}).get("file", self.file)
            return None
        self.file = location.get("file", self.file)
        return location.get("offset") if self.file == self.path else None

    def mark(self, node):
        """Gives the node and all below it `span`, in the order in which clang wrote them."""
        if "loc" in node:
            self.place(node["loc"])
        extent = node.get("range", {})
        begin = self.place(extent.get("begin", {}))
        end = self.place(extent.get("end", {}))
        node["span"] = None
        if begin is not None and end is not None:
            node["span"] = (begin, end + extent["end"].get("tokLen", 0))
        for child in node.get("inner", []):
            self.mark(child)

    def add(self, span, rule, changes):
        """A new site, or None if there is one: templates and lambdas occur twice in the tree."""
        key = (*span, rule)
        if key in self.sites:
            return None
        self.sites[key] = Site(*span, rule, changes)
        return self.sites[key]

    def source(self, span):
        return self.text[span[0]:span[1]]

    # --- what is mutated

    def visit(self, node):
        if node.get("kind") in CONSTANT or node.get("constexpr") and "VarDecl" in node["kind"]:
            return
        kind = node.get("kind", "")
        rule = getattr(self, kind, None)
        if rule and node["span"]:
            rule(node)
        children = node.get("inner", [])
        if kind == "CXXForRangeStmt":
            children = children[-1:]  # the others are the compiler's
        if kind == "IfStmt" and node.get("isConstexpr"):
            children = children[1:]
        if kind == "CXXRewrittenBinaryOperator":  # a != b, of which the tree has !(a == b)
            children = self.rewritten(node)
        before = self.deduced
        if kind == "LambdaExpr" and node["span"]:
            self.deduced = "->" not in self.source(node["span"]).partition("{")[0]
        for child in children:
            self.visit(child)
        self.deduced = before

    def operator(self, left, right, name):
        """Where the operator between two operands is, or None."""
        if not left["span"] or not right["span"]:
            return None
        begin, end = left["span"][1], right["span"][0]
        found = re.fullmatch(r"(\s*)" + re.escape(name) + r"\s*", self.text[begin:end])
        return begin + len(found[1]) if found else None

    def two(self, node, left, right, name):
        at = self.operator(left, right, name)
        if at is None:
            return
        if name in COMPARE and node.get("type", {}).get("qualType") in ("bool", DEPENDENT):
            helper, others = COMPARE[name]
            site = self.add(node["span"], "compare", [f"{name} -> {other}" for other in others])
        elif name in ARITHMETIC and is_number(node):
            helper, other = ARITHMETIC[name]
            site = self.add(node["span"], "arithmetic", [f"{name} -> {other}"])
        else:
            return
        if site:
            site.wrap(f"::muster_mutation::{helper}({{id}}, ", ")")
            site.replace(at, len(name), ",")

    def BinaryOperator(self, node):
        left, right = node["inner"]
        name = node["opcode"]
        if name not in ("&&", "||"):
            self.two(node, left, right, name)
        elif self.operator(left, right, name) is not None:
            site = self.add(node["span"], "logic", [f"{name} -> {'||' if name == '&&' else '&&'}"])
            if site:
                site.wrap("::muster_mutation::Not({id}, ", ")")
                for side in (left, right):
                    site.wrap("::muster_mutation::Not({id}, ", ")", *side["span"])

    def CXXOperatorCallExpr(self, node):
        inner = node["inner"]
        if len(inner) == 3 and inner[0]["span"]:
            name = self.source(inner[0]["span"])
            if name in COMPARE:
                self.two(node, inner[1], inner[2], name)

    def rewritten(self, node):
        """Finds the two operands in what the compiler made of them, and returns them."""
        operands = node.get("inner", [])[-2:]
        for left, right in (operands, operands[::-1]) if len(operands) == 2 else ():
            for name in COMPARE:
                if self.operator(left, right, name) is not None:
                    self.two(node, left, right, name)
                    return operands
        for child in node.get("inner", []):
            found = self.rewritten({**child, "span": node["span"], "type": node["type"]})
            if found:
                return found
        return []

    def CompoundAssignOperator(self, node):
        if node["opcode"] in ("+=", "-=") and is_number(node) and node["inner"][1]["span"]:
            site = self.add(node["inner"][1]["span"], "negate", [f"{node['opcode']} negative"])
            if site:
                site.wrap("::muster_mutation::Negate({id}, ", ")")

    def UnaryOperator(self, node):
        if node["opcode"] == "!":
            self.negate(node)
        elif node["opcode"] == "-" and is_number(node):
            site = self.add(node["span"], "negate", ["-x -> x"])
            if site:
                site.wrap("::muster_mutation::Negate({id}, ", ")")

    def negate(self, node):
        """A condition, unless it is a comparison, which has its opposite."""
        node = bare(node)
        if not node.get("span") or node["kind"] == "CXXBoolLiteralExpr":
            return
        if self.is_comparison(node):
            return
        site = self.add(node["span"], "condition", ["negated"])
        if site:
            site.wrap("::muster_mutation::Not({id}, ", ")")

    def is_comparison(self, node):
        if node["kind"] == "CXXOperatorCallExpr":
            called = node["inner"][0]["span"]
            return called is not None and self.source(called) in COMPARE
        return (node["kind"] == "CXXRewrittenBinaryOperator"
                or node["kind"] == "BinaryOperator" and node["opcode"] in COMPARE)

    def IfStmt(self, node):
        inner = node["inner"]
        first = bool(node.get("hasInit"))
        if not node.get("hasVar") and not node.get("isConstexpr"):
            self.negate(inner[first])
        for body in inner[first + bool(node.get("hasVar")) + 1:]:
            self.statement(body)

    def WhileStmt(self, node):
        if not node.get("hasVar"):
            self.negate(node["inner"][0])
        self.statement(node["inner"][-1])

    def ForStmt(self, node):
        if node["inner"][2].get("kind"):
            self.negate(node["inner"][2])
        self.statement(node["inner"][-1])

    def CXXForRangeStmt(self, node):
        self.statement(node["inner"][-1])

    def ConditionalOperator(self, node):
        self.negate(node["inner"][0])

    def CompoundStmt(self, node):
        for child in node.get("inner", []):
            self.statement(child)

    def statement(self, node):
        """A statement that may be deleted; declarations and blocks may not."""
        node = node["inner"][0] if node.get("kind") == "ExprWithCleanups" else node
        kind, span = node.get("kind"), node.get("span")
        deleted = (kind in DELETED or kind == "ReturnStmt" and not node.get("inner")
                   or kind == "BinaryOperator" and node["opcode"] == "="
                   or kind == "UnaryOperator" and node["opcode"] in ("++", "--"))
        if not deleted or not span or NO_EFFECT.match(self.source(span)):
            return
        end = re.compile(r"\s*;").match(self.text, span[1])
        site = end and self.add((span[0], end.end()), "statement", ["deleted"])
        if site:
            site.wrap("{ if (::muster_mutation::Keep({id})) ", " }")

    def ReturnStmt(self, node):
        if not node.get("inner"):
            return
        value = bare(node["inner"][0])
        if not value.get("span") or node["inner"][0].get("valueCategory") == "lvalue":
            return
        if value["type"]["qualType"] == "bool":
            if value["kind"] != "UnaryOperator":
                self.negate(value)
            return
        if "StatusOr<" in value["type"].get("desugaredQualType", value["type"]["qualType"]):
            return  # has no implicit value
        end = re.compile(r"\s*;").match(self.text, node["span"][1])
        if end and not self.deduced and self.source(value["span"]) not in NOTHING:
            site = self.add((node["span"][0], end.end()), "return", ["return {}"])
            if site:
                site.wrap("{ if (::muster_mutation::Is({id})) return {{}}; ", " }")

    def IntegerLiteral(self, node):
        text = self.source(node["span"])
        if not text[0].isdigit():  # the 0 of (a <=> b) < 0, which the source does not have
            return
        site = self.add(node["span"], "constant", [f"{text} + 1", f"{text} - 1"])
        if site:
            site.wrap("::muster_mutation::Step({id}, ", ")")

    FloatingLiteral = IntegerLiteral

    def CXXBoolLiteralExpr(self, node):
        site = self.add(node["span"], "constant", [f"not {self.source(node['span'])}"])
        if site:
            site.wrap("::muster_mutation::Not({id}, ", ")")

    def CallExpr(self, node):
        begin = node["span"][0]
        name = self.text[begin:begin + 8]
        if name in ("std::min", "std::max") and self.text[begin + 8] in "(<":
            other = {"std::min": "Max", "std::max": "Min"}[name]
            site = self.add(node["span"], "choice", [f"{name} -> std::{other.lower()}"])
            if site:
                helper = name[5:].capitalize()
                site.replace(begin, 8, f"::muster_mutation::{helper}<{{id}}>::Of")


def bare(node):
    """The node below conversions that the source does not show."""
    while node.get("kind") in ("ImplicitCastExpr", "ExprWithCleanups", "MaterializeTemporaryExpr",
                               "CXXBindTemporaryExpr", "FullExpr") and node.get("inner"):
        node = node["inner"][0]
    return node


def is_number(node):
    types = node.get("type", {})
    name = types.get("desugaredQualType", types.get("qualType", ""))
    return name.removeprefix("const ") in NUMBERS


def find(path, nodes):
    """The sites of the file, in its order."""
    text = path.read_bytes().decode("latin-1")  # offsets count bytes
    finder = Finder(path, text)
    for node in nodes:
        finder.file = None
        finder.mark(node)
        finder.visit(node)
    return sorted(finder.sites.values(), key=lambda site: (site.begin, -site.end, site.rule))


def render(text, sites):
    """The text with all sites in it, and for each (first, last position in it, site)."""
    edits = sorted((edit, number) for number, site in enumerate(sites) for edit in site.edits)
    parts, spans, at, length = [], {}, 0, 0
    for (position, _, _, _, removed, insert), number in edits:
        parts.append(text[at:position])
        length += position - at
        insert = insert.replace("{{}}", "\0").replace("{id}", str(sites[number].first))
        insert = insert.replace("\0", "{}")
        first, last = spans.get(number, (length, length))
        parts.append(insert)
        length += len(insert)
        spans[number] = (min(first, length - len(insert)), max(last, length))
        at = position + removed
    parts.append(text[at:])
    return "".join(parts), [(*spans[n], sites[n]) for n in sorted(spans)]


class Lines:
    """From positions to lines, from 1, and back."""

    def __init__(self, text):
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.text = text

    def line(self, position):
        return bisect.bisect_right(self.starts, position)

    def position(self, line, column):
        return self.starts[min(line, len(self.starts)) - 1] + column - 1

    def at(self, line):
        end = self.text.find("\n", self.starts[line - 1])
        return self.text[self.starts[line - 1]:end if end >= 0 else None].strip()
