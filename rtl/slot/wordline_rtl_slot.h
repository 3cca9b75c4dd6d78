/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A block of RTL in a shared object, as a drive sees it: pins by name, a clock, and nothing of what is inside.
 * wordline_rtl_block() of CMake makes such an object of SystemVerilog sources (docs/own_rtl.md); a block that is made
 * otherwise, by another simulator or by hand, fits as well when it exports WORDLINE_RTL_ENTRY.
 *
 * Plain C: compilers and versions of both sides may differ. Within one version of the interface members are neither
 * added nor moved. An object may hold several instances at once; each is used by one thread at a time.
 */
#ifndef WORDLINE_RTL_SLOT_H
#define WORDLINE_RTL_SLOT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WORDLINE_RTL_VERSION 1u

/* The one symbol that is looked for: const struct wordline_rtl_block *wordline_rtl_get_block(void). */
#define WORDLINE_RTL_ENTRY "wordline_rtl_get_block"

enum wordline_rtl_direction { WORDLINE_RTL_IN = 0, WORDLINE_RTL_OUT = 1 };

struct wordline_rtl_pin {
  const char* name;
  uint32_t bits;
  uint32_t direction; /* of the block: enum wordline_rtl_direction */
};

enum wordline_rtl_kind {
  WORDLINE_RTL_SHOWN = 0,  /* a value of the moment, for waveforms */
  WORDLINE_RTL_COUNTED = 1 /* a number that only rises, for waveforms and for result.json */
};

/* What a block reports of itself: the value is that of an output pin of at most 64 bits. */
struct wordline_rtl_status {
  const char* name; /* lower case, digits and _: "stalls" */
  const char* unit; /* "clocks" */
  uint32_t pin;     /* index into pins */
  uint32_t kind;    /* enum wordline_rtl_kind */
};

typedef struct wordline_rtl_instance wordline_rtl_instance;

/* Values are arrays of 32-bit words, the lowest first; bits beyond the width are 0. */
struct wordline_rtl_block {
  uint32_t version; /* WORDLINE_RTL_VERSION; the first member in every version */
  const char* slot; /* "ecc_decoder" */
  const char* top;  /* name of the module */
  uint32_t pin_count;
  const struct wordline_rtl_pin* pins;
  uint32_t status_count;
  const struct wordline_rtl_status* status;

  /* With the clock low and every input 0. NULL: no memory. */
  wordline_rtl_instance* (*create)(void);
  void (*destroy)(wordline_rtl_instance* block);

  void (*set)(wordline_rtl_instance* block, uint32_t pin, const uint32_t* words);
  void (*get)(wordline_rtl_instance* block, uint32_t pin, uint32_t* words);

  /* evaluate: the outputs follow the inputs, with the clock low. clock: a rising edge, with the inputs of the last
   * evaluate(). Both return 0, or another value when the block has stopped itself ($stop, $finish, $fatal, a violated
   * assertion): it cannot be used on, and stopped() says why. The clock's own pin is set by these two. */
  int (*evaluate)(wordline_rtl_instance* block);
  int (*clock)(wordline_rtl_instance* block);
  const char* (*stopped)(const wordline_rtl_instance* block);

  /* A waveform of the inside, or NULL, all three, for a block that was built without. Time is 2 for each clock: even
   * where it falls, odd where it rises. trace_open returns 0, or another value when the file cannot be made. */
  int (*trace_open)(wordline_rtl_instance* block, const char* path);
  void (*trace_dump)(wordline_rtl_instance* block, uint64_t time);
  void (*trace_close)(wordline_rtl_instance* block);
};

typedef const struct wordline_rtl_block* (*wordline_rtl_entry)(void);

#ifdef __cplusplus
}
#endif

#endif /* WORDLINE_RTL_SLOT_H */
