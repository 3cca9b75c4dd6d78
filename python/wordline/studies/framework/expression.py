# Copyright (c) Wordline contributors
# SPDX-License-Identifier: Apache-2.0
"""Conditions over keys of the configuration, such as `channels.count * channels.packages <= 64`. They are parsed as
Python and then walked node by node: what is not listed here is refused, and nothing is ever handed to eval."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from .points import StudyError

_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_ORDER: dict[type, Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_EQUALITY: dict[type, Callable[[Any, Any], bool]] = {ast.Eq: operator.eq, ast.NotEq: operator.ne}
_MEMBERSHIP: dict[type, Callable[[Any, Any], bool]] = {
    ast.In: lambda value, group: value in group,
    ast.NotIn: lambda value, group: value not in group,
}
_ALLOWED = "keys, numbers, texts, + - * / // %, comparisons, in (...), and, or, not"


class Condition:
    """True or false for values of the keys that it names."""

    def __init__(self, text: str):
        self.text = text
        try:
            self._root = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise StudyError(f"{text!r} is no expression: {getattr(error, 'msg', error)}") from error
        self.keys: set[str] = set()
        self._check(self._root)
        if not self._is_condition(self._root):
            raise StudyError(f"{text!r} is a value, expected a condition, with a comparison")

    def holds(self, values: Mapping[str, Any]) -> bool:
        try:
            return self._value(self._root, values)
        except ZeroDivisionError as error:
            raise StudyError(f"{self.text!r} divides by zero") from error

    @staticmethod
    def _key(node: ast.AST) -> str | None:
        """`channels.count`, which Python takes for an attribute of a name."""
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Attribute):
            before = Condition._key(node.value)
            return f"{before}.{node.attr}" if before else None
        return None

    def _check(self, node: ast.AST) -> None:
        key = self._key(node)
        if key:
            self.keys.add(key)
            return
        allowed: tuple[type, ...] = (*_ARITHMETIC, *_ORDER, *_EQUALITY, *_MEMBERSHIP)
        allowed += (ast.And, ast.Or, ast.Not, ast.USub, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare)
        constant = isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float, str))
        if not constant and not isinstance(node, (*allowed, ast.Tuple, ast.List, ast.Load)):
            raise StudyError(f"{self.text!r}: {type(node).__name__} is not allowed here, only {_ALLOWED}")
        for child in ast.iter_child_nodes(node):
            self._check(child)

    @staticmethod
    def _is_condition(node: ast.AST) -> bool:
        if isinstance(node, ast.BoolOp):
            return all(map(Condition._is_condition, node.values))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return Condition._is_condition(node.operand)
        return isinstance(node, ast.Compare) or Condition._key(node) is not None

    def _value(self, node: ast.AST, values: Mapping[str, Any]) -> Any:
        key = self._key(node)
        if key:
            return values[key]
        match node:
            case ast.Constant():
                return node.value
            case ast.Tuple() | ast.List():
                return [self._value(part, values) for part in node.elts]
            case ast.BoolOp():
                parts = (self._truth(part, values) for part in node.values)
                return all(parts) if isinstance(node.op, ast.And) else any(parts)
            case ast.UnaryOp():
                if isinstance(node.op, ast.Not):
                    return not self._truth(node.operand, values)
                return -self._number(node.operand, values)
            case ast.BinOp():
                left, right = self._number(node.left, values), self._number(node.right, values)
                return _ARITHMETIC[type(node.op)](left, right)
            case ast.Compare():
                return self._comparison(node, values)
        raise AssertionError(node)  # _check() lets no other pass

    def _comparison(self, node: ast.Compare, values: Mapping[str, Any]) -> bool:
        terms = [node.left, *node.comparators]
        result = True
        for left, sign, right in zip(terms, node.ops, terms[1:]):
            if type(sign) in _ORDER:
                # Texts have an order too, but not one that is meant: "100us" < "60us".
                fine = _ORDER[type(sign)](self._number(left, values), self._number(right, values))
            else:
                rule = _EQUALITY.get(type(sign)) or _MEMBERSHIP[type(sign)]
                group = self._value(right, values)
                if type(sign) in _MEMBERSHIP and not isinstance(group, list):
                    raise StudyError(f"{self.text!r}: expected a group in brackets behind `in`")
                fine = rule(self._value(left, values), group)
            result = result and fine
        return result

    def _number(self, node: ast.AST, values: Mapping[str, Any]) -> float:
        value = self._value(node, values)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise StudyError(f"{self.text!r}: {ast.unparse(node)} is {value!r}, expected a number")
        return value

    def _truth(self, node: ast.AST, values: Mapping[str, Any]) -> bool:
        value = self._value(node, values)
        if not isinstance(value, bool):
            raise StudyError(f"{self.text!r}: {ast.unparse(node)} is {value!r}, expected true or false")
        return value
