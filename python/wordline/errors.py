# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong by what was asked for."""


class WordlineError(Exception):
    """The request is wrong, or a file is damaged: what, where, and what would be right."""
