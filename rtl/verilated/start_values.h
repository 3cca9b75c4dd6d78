// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// What registers and memories without a reset hold in blocks that are made from now on, until something is written to
/// them. Gates start as anything: a block that needs zeros there is wrong, and only other values show it. Pins start so
/// too, until they are set. Zeros, unless one of these is called; the drive calls none of them.
#pragma once

namespace wordline::rtl {

void start_with_zeros();
void start_with_ones();
/// Random by `seed`, 1 or more; other values in every block, the same ones in the same order of blocks.
void start_with_random(int seed);

}  // namespace wordline::rtl
