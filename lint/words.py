"""Words of comments, of the scenario file's schema and of documentation: what a script can check of them.

CONTRIBUTING.md ("Words") has the rules. A finding is a line `file:line: rule: mend`.
"""

import bisect
import re
import sys

import exempt

LONGEST = 25

# A clause word at the beginning. "If", "As", "That" and the like are the same fault by another name.
CLAUSE = {
    "what", "who", "whom", "whose", "where", "when", "why", "how", "which", "whether", "whatever", "whoever",
    "wherever", "whenever", "if", "as", "that", "because", "since", "while", "although", "though", "unless", "until",
}
# Beginnings with such a word that are not clauses.
NOT_CLAUSE = re.compile(r"as of |if and only if ", re.IGNORECASE)

# Beginnings that lean on the item above, which an editor does not show beside a text.
LEANING = re.compile(r"the same\b", re.IGNORECASE)

# Patterns of whole words, each with its mend. The first that fits a text at a position counts.
LISTED = [
    (r"in place of", "write `instead of`"),
    (r"as there(?=[.,;:)])", "say it again: a text is read alone"),
    (r"by turns", "write `alternately`, or name the order"),
    (r"(?<!to )(?<!decimal )places?", "name it: index, location, position, file, cell, element; `to place` is a verb"),
    (r"told", "write `informed`, `configured`, `received`, or name the message"),
    (r"said", "write `stated`, `reported`, `given`, or name the message"),
    (r"asked", "write `requested`, `queried`, `called`"),
    (r"heard", "write `received`, `measured`"),
]
WORDS = re.compile("|".join(rf"(?P<w{i}>(?<![\w-]){pattern}(?![\w-]))" for i, (pattern, _) in enumerate(LISTED)),
                   re.IGNORECASE)

# Rust: comments, and what may look as if it had one.
TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*)
      | /\*.*?\*/
      | b?r(?P<hashes>\#*)".*?"(?P=hashes)
      | [bc]?"(?:\\.|[^"\\])*"
      | b?'(?:\\[^\n]+?|[^'\\\n])'""",
    re.VERBOSE | re.DOTALL,
)
# Declarations whose doc comments an editor shows alone, as texts of the schema.
SCHEMA = re.compile(r"^[ \t]*(?:\w+::)*(?:record|choice|kinds|worded)!\s*(?=[({])", re.MULTILINE)

LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
# An end of a sentence: a mark, with brackets and emphasis behind it, a space, and a beginning.
# The names may begin one.
END = re.compile(r"(?<=[.!?])[)\"'*_\]]*\s+(?=[(\"'*_\[`]*(?:[A-Z0-9§`]|airpath|mahimahi|ns-3|tshark))")
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|etc|fig|figs|eq|eqs|sec|no|ca|approx|al|resp)|…|\.\.)\.?$",
                          re.IGNORECASE)


def plain(text):
    """A text without markup: code, links and formulas become one word each."""
    text = re.sub(r"`[^`]*`", "`code`", text)
    text = re.sub(r"\$[^$\n]+\$", "formula", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\[([^\]]*)\]\[[^\]]*\]", r"\1", text)
    text = re.sub(r"<(?:https?:)?[^>\s]*>", "", text)
    return text


def blocks(lines, doc=True):
    """Parts of a text of Markdown: (kind, number of the first line, its lines).

    A kind is `heading`, `prose` or `item`. Code and definitions of links are left out, and so are tables but for
    listed words (`table`). `lines` are pairs of a number and a text.
    """
    parts, fence = [], None
    open_part, last, indented = None, None, False
    for number, line in lines:
        bare = line.strip()
        if fence:
            if bare.startswith(fence):
                fence = None
            continue
        opening = re.match(r"(```+|~~~+)", bare)
        if opening:
            fence, open_part = opening.group(1), None
        elif not bare or re.match(r"\[[^\]]+\]:\s", bare) or bare.startswith(("<!--", "<img", "<p", "</p")):
            open_part = None
            last = "blank" if not bare else last
        elif bare.startswith("|"):
            parts.append(("table", number, [bare]))
            open_part = None
        elif re.match(r"#{1,6} ", bare):
            parts.append(("heading", number, [bare.lstrip("# ")]))
            open_part = None
        elif doc and LIST_ITEM.match(line):
            open_part = ("item", number, [LIST_ITEM.sub("", line, count=1)])
            parts.append(open_part)
        elif open_part is not None:
            open_part[2].append(bare)
        elif doc and line.startswith("    ") and (last in ("blank", None) or indented):
            # Indented code, or a paragraph that goes on with an item.
            indented = not parts or parts[-1][0] != "item"
            if not indented:
                open_part = ("item", number, [bare])
                parts.append(open_part)
        elif doc and line.startswith("  ") and parts and parts[-1][0] == "item":
            open_part = ("item", number, [bare])
            parts.append(open_part)
        else:
            open_part = ("prose", number, [bare])
            parts.append(open_part)
        if bare:
            last, indented = "text", indented and line.startswith("    ")
    return parts


def sentences(lines, first):
    """Sentences of a paragraph: (number of the line on which it begins, text)."""
    starts, offset = [], 0
    for line in lines:
        starts.append(offset)
        offset += len(line) + 1
    text = "\n".join(lines)
    # Code keeps its length, so that positions stay true.
    masked = re.sub(r"`[^`]*`", lambda code: "`" + re.sub(r"\S", "x", code.group(0)[1:-1]).replace(" ", "x") + "`", text)
    begin, result = 0, []
    for end in END.finditer(masked):
        if ABBREVIATION.search(masked[begin:end.start()]):
            continue
        result.append((begin, text[begin:end.start()]))
        begin = end.end()
    result.append((begin, text[begin:]))
    return [(first + bisect.bisect_right(starts, at) - 1, part) for at, part in result]


def count(sentence):
    """Number of words. Figures are none."""
    return sum(1 for word in plain(sentence).split() if re.search(r"[^\W\d_]", word))


def first_word(text):
    """The first word of a text, in lower case; none if it begins with code or a number."""
    found = re.match(r"[*_(\"'\[…\s]*([A-Za-z]+)", text)
    return found.group(1).lower() if found else None


def begins(text, number, kind):
    """Finding of a first word that opens a clause."""
    bare = plain(text).lstrip("*_(\"'[… ")
    word = first_word(text)
    if word in CLAUSE and not NOT_CLAUSE.match(bare):
        return [(number, f"first word: {kind} begins with `{text.split()[0]}`: begin with a noun or a verb of the field")]
    return []


def listed(lines, first):
    """Findings of listed words."""
    text = "\n".join(lines)
    masked = re.sub(r"`[^`]*`", lambda code: re.sub(r"\S", "`", code.group(0)), text)
    masked = re.sub(r"\]\([^)\s]*\)", lambda link: "]" + "`" * (len(link.group(0)) - 1), masked)
    # A listed phrase may go over the end of a line.
    masked = masked.replace("\n", " ")
    found = []
    for hit in WORDS.finditer(masked):
        mend = next(LISTED[int(name[1:])][1] for name, value in hit.groupdict().items() if value)
        found.append((first + text.count("\n", 0, hit.start()), f"listed word: `{hit.group(0)}`: {mend}"))
    return found


def prose(lines, doc=True):
    """Findings of a text but for its first word: listed words, long sentences, headings."""
    found = []
    for kind, number, part in blocks(lines, doc):
        found += listed(part, number)
        if kind == "heading":
            found += begins(part[0], number, "a heading")
        if kind == "prose":
            for at, sentence in sentences(part, number):
                words = count(sentence)
                if words > LONGEST:
                    found.append((at, f"long sentence: {words} words, at most {LONGEST}: one fact a sentence"))
    return found


def comments(text):
    """Comments of a Rust file: (mark, lines), with consecutive lines of a mark as one; a line is (number, text)."""
    ends = [at.start() for at in re.finditer("\n", text)]
    result = []
    for token in TOKEN.finditer(text):
        comment = token.group("comment")
        if comment is None:
            continue
        number = bisect.bisect_left(ends, token.start()) + 1
        start = ends[number - 2] + 1 if number > 1 else 0
        alone = not text[start:token.start()].strip()
        mark = re.match(r"///(?!/)|//!|//", comment).group(0)
        body = comment[len(mark):]
        body = body[1:] if body.startswith(" ") else body
        follows = result and alone and result[-1][2] and result[-1][0] == mark and result[-1][1][-1][0] == number - 1
        if follows:
            result[-1][1].append((number, body))
        else:
            result.append((mark, [(number, body)], alone))
    return [(mark, lines) for mark, lines, _ in result]


KIND = {"//!": "a module head", "///": "a doc comment", "//": "a comment"}


def schema_lines(text):
    """Numbers of the lines within declarations of the schema."""
    bare = TOKEN.sub(lambda token: re.sub(r"[^\n]", " ", token.group(0)), text)
    found = set()
    for declaration in SCHEMA.finditer(bare):
        depth, at = 0, declaration.end()
        for at in range(declaration.end(), len(bare)):
            depth += (bare[at] in "({") - (bare[at] in ")}")
            if depth == 0:
                break
        first = bare.count("\n", 0, declaration.start()) + 1
        found.update(range(first, first + bare.count("\n", declaration.start(), at) + 1))
    return found


def check_rust(name, text):
    """Findings of a Rust file: (those of comments, those of texts of the schema, doc comments that lean on another)."""
    schema = schema_lines(text)
    found, leaning = [], []
    for mark, lines in comments(text):
        parts = blocks(lines)
        if parts and parts[0][0] == "prose":
            _, number, part = parts[0]
            found += begins(part[0], number, KIND[mark])
            if mark != "//" and LEANING.match(part[0]):
                leaning.append((name, number, f"leaning: {KIND[mark]} begins with `The same`: name the thing"))
        found += prose(lines)
        whole = " ".join(line for _, line in lines).strip()
        if mark == "///" and lines[0][0] in schema and len(whole.split()) == 1 and "`" not in whole:
            found.append((lines[0][0], f"one word: `{whole}`: a text of the schema is read alone"))
    found = [(name, number, finding) for number, finding in found]
    return [one for one in found if one[1] not in schema], [one for one in found if one[1] in schema], leaning


def check_page(name, text):
    """Findings of a page of documentation."""
    lines = list(enumerate(text.split("\n"), start=1))
    return [(name, number, finding) for number, finding in prose(lines)]


def pages():
    """Pages that are checked. Those of studies are made of the studies' own texts."""
    return [name for name in exempt.files(".md")
            if name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md") or re.fullmatch(r"docs/[^/]*\.md", name)]


def main():
    """Checks all texts of the working tree; the exit status."""
    checks = {"words": [], "schema": [], "leaning": []}
    for name in exempt.files(".rs"):
        for found, more in zip(checks.values(), check_rust(name, (exempt.ROOT / name).read_text())):
            found += more
    for name in pages():
        checks["words"] += check_page(name, (exempt.ROOT / name).read_text())
    return max([exempt.report(check, sorted(found)) for check, found in checks.items()])


if __name__ == "__main__":
    sys.exit(main())
