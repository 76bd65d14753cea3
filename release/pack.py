"""Packs wheels anew with Zopfli, whose DEFLATE data (RFC 1951) are smaller: pack.py WHEEL...

Names, order, times, modes and contents of files stay. The bytes of a wheel depend on its contents and on the version of
Zopfli alone.
"""

import os
import sys
import zipfile

import zopfli


def pack(wheel: str) -> None:
    new = f"{wheel}.new"
    options = {"iterations": 5, "block_splitting_max": 0}
    with zipfile.ZipFile(wheel) as files, zopfli.ZipFile(new, "w", zipfile.ZIP_DEFLATED, **options) as packed:
        for file in files.infolist():
            packed.writestr(file, files.read(file))
    os.replace(new, wheel)


for wheel in sys.argv[1:]:
    pack(wheel)
