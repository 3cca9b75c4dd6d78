# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""What a drive may hold whose server is killed, for tests."""

import unittest
from typing import Protocol

BLOCK = 512


class Reader(Protocol):
    def read(self, offset: int, length: int) -> bytes: ...


class Model:
    """What each block may hold: the last content that is safe, and all that came behind it."""

    def __init__(self) -> None:
        self.safe: dict[int, bytes] = {}
        self.later: dict[int, list[bytes]] = {}

    def write(self, first: int, data: bytes, safe: bool = False) -> None:
        for i in range(len(data) // BLOCK):
            content = data[i * BLOCK : (i + 1) * BLOCK]
            if safe:
                self.safe[first + i] = content
                self.later.pop(first + i, None)
            else:
                self.later.setdefault(first + i, []).append(content)

    def flushed(self) -> None:
        for block, contents in self.later.items():
            self.safe[block] = contents[-1]
        self.later.clear()

    def check(self, test: unittest.TestCase, client: Reader) -> None:
        """Reads all of it; what is found is what the drive has from now on."""
        blocks = sorted({*self.safe, *self.later})
        at = 0
        while at < len(blocks):
            end = at + 1
            while end < len(blocks) and blocks[end] == blocks[end - 1] + 1 and end - at < 256:
                end += 1
            found = client.read(blocks[at] * BLOCK, (end - at) * BLOCK)
            for i, block in enumerate(blocks[at:end]):
                content = found[i * BLOCK : (i + 1) * BLOCK]
                allowed = [self.safe.get(block, bytes(BLOCK)), *self.later.get(block, [])]
                test.assertIn(content, allowed, f"block {block}")
                self.safe[block] = content
            at = end
        self.later.clear()
