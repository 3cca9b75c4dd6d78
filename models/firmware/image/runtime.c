/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The two functions that the compiler may call by itself in freestanding code.
 */
#include <stddef.h>
#include <stdint.h>

/* The compiler makes calls to them after it has looked for callers. */
__attribute__((used)) void* memset(void* to, int value, size_t bytes);
__attribute__((used)) void* memcpy(void* restrict to, const void* restrict from, size_t bytes);

void* memset(void* to, int value, size_t bytes) {
  uint8_t* p = to;
  while (bytes-- != 0) *p++ = (uint8_t)value;
  return to;
}

void* memcpy(void* restrict to, const void* restrict from, size_t bytes) {
  uint8_t* p = to;
  const uint8_t* q = from;
  if ((((uintptr_t)p | (uintptr_t)q) & 3) == 0) {
    for (; bytes >= 4; bytes -= 4, p += 4, q += 4) *(uint32_t*)(void*)p = *(const uint32_t*)(const void*)q;
  }
  while (bytes-- != 0) *p++ = *q++;
  return to;
}
