"""``python -m rooflight`` is the command line."""

import sys

from ._main import main

sys.exit(main())
