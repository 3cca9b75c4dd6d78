/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program that checks itself: returns 0, or the number of the first check that failed. Expected values come from
 * slow arithmetic (shift and add, bit by bit), not from the instructions under test.
 */
#include <stdint.h>

#define CHECK(number, condition)       \
  do {                                 \
    if (!(condition)) return (number); \
  } while (0)

static uint64_t multiply(uint32_t a, uint32_t b) {
  uint64_t sum = 0;
  for (int i = 0; i < 32; ++i)
    if (b >> i & 1) sum += (uint64_t)a << i;
  return sum;
}
static uint32_t divide(uint32_t a, uint32_t b, uint32_t* rest) {
  uint32_t quotient = 0, r = 0;
  for (int i = 31; i >= 0; --i) {
    const uint32_t carry = r >> 31;
    r = r << 1 | (a >> i & 1);
    if (carry || r >= b) {
      r -= b;
      quotient |= 1u << i;
    }
  }
  *rest = r;
  return quotient;
}
static uint32_t next(uint32_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

static int check_multiply_divide(void) {
  uint32_t state = 2463534242u;
  for (int i = 0; i < 300; ++i) {
    volatile uint32_t a = next(&state), b = next(&state) >> (i & 31);
    const uint64_t product = multiply(a, b);
    CHECK(1, a * b == (uint32_t)product);
    CHECK(2, (uint64_t)a * b == product);
    const uint32_t high = (uint32_t)(product >> 32) - ((int32_t)a < 0 ? b : 0) - ((int32_t)b < 0 ? a : 0);
    CHECK(3, (uint32_t)(((int64_t)(int32_t)a * (int32_t)b) >> 32) == high);
    CHECK(4, (uint32_t)(((int64_t)(int32_t)a * (int64_t)(uint64_t)b) >> 32) ==
                 (uint32_t)(product >> 32) - ((int32_t)a < 0 ? b : 0));
    if (b == 0) continue;
    uint32_t rest;
    const uint32_t quotient = divide(a, b, &rest);
    CHECK(5, a / b == quotient && a % b == rest);
    const uint32_t magnitude_a = (int32_t)a < 0 ? -a : a, magnitude_b = (int32_t)b < 0 ? -b : b;
    const uint32_t q = divide(magnitude_a, magnitude_b, &rest);
    if (a == 0x80000000u && b == 0xffffffffu) continue;
    CHECK(6, (uint32_t)((int32_t)a / (int32_t)b) == ((int32_t)(a ^ b) < 0 ? -q : q));
    CHECK(7, (uint32_t)((int32_t)a % (int32_t)b) == ((int32_t)a < 0 ? -rest : rest));
  }
  return 0;
}

static uint32_t word;
static int check_atomics(void) {
  word = 10;
  CHECK(20, __atomic_fetch_add(&word, 5, __ATOMIC_SEQ_CST) == 10 && word == 15);
  CHECK(21, __atomic_exchange_n(&word, 0xf0, __ATOMIC_ACQ_REL) == 15);
  CHECK(22, __atomic_fetch_and(&word, 0x30, __ATOMIC_RELAXED) == 0xf0 && word == 0x30);
  CHECK(23, __atomic_fetch_or(&word, 0x03, __ATOMIC_RELAXED) == 0x30 && word == 0x33);
  CHECK(24, __atomic_fetch_xor(&word, 0xff, __ATOMIC_RELAXED) == 0x33 && word == 0xcc);
  uint32_t expected = 0xcc;
  CHECK(25, __atomic_compare_exchange_n(&word, &expected, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) && word == 1);
  CHECK(26, !__atomic_compare_exchange_n(&word, &expected, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) && expected == 1);
  for (int i = 0; i < 100; ++i) __atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
  CHECK(27, word == 101);
  return 0;
}

static uint8_t sieve[2000];
static int check_memory(void) {
  int primes = 0;
  for (int i = 2; i < 2000; ++i) {
    if (sieve[i]) continue;
    ++primes;
    for (int j = i * i; j < 2000; j += i) sieve[j] = 1;
  }
  CHECK(40, primes == 303);
  return 0;
}

static int order[256];
static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
static void sort(int* first, int count, int (*less)(const void*, const void*)) { /* recursion, indirect calls */
  if (count < 2) return;
  int pivot = first[count / 2], left = 0, right = count - 1;
  while (left <= right) {
    while (less(&first[left], &pivot) < 0) ++left;
    while (less(&first[right], &pivot) > 0) --right;
    if (left <= right) {
      const int t = first[left];
      first[left++] = first[right];
      first[right--] = t;
    }
  }
  sort(first, right + 1, less);
  sort(first + left, count - left, less);
}
static int check_sort(void) {
  uint32_t state = 1;
  for (int i = 0; i < 256; ++i) order[i] = (int)(next(&state) & 0xffff) - 0x8000;
  sort(order, 256, compare);
  for (int i = 1; i < 256; ++i) CHECK(60, order[i - 1] <= order[i]);
  return 0;
}

const char greeting[] = "wordline";
uint32_t initialised = 0x12345678;

int main(void) {
  CHECK(80, initialised == 0x12345678 && word == 0 && greeting[7] == 'e');
  int failed = check_multiply_divide();
  if (!failed) failed = check_atomics();
  if (!failed) failed = check_memory();
  if (!failed) failed = check_sort();
  return failed;
}
