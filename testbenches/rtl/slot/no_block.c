/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A shared object that is no block.
 */
int wordline_nothing(void) { return 0; }
