"""``python -m airpath``: the program."""

import sys

from airpath._main import main

sys.exit(main())
