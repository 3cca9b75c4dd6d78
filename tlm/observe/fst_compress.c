// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the FST writer calls instead of zlib's compress2(): it asks for level 9 for its table of times, which is as
// large as the values of a waveform of this project, and took a quarter of a recorded run. Level 1 packs it nearly as
// well.
#include <zlib.h>

int wordline_fst_compress(Bytef* to, uLongf* size, const Bytef* from, uLong length, int level) {
  (void)level;
  return compress2(to, size, from, length, Z_BEST_SPEED);
}
