// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Designs the base matrix of the LDPC code and prints models/ecc/code/ldpc_base.h:
//
//   ldpc_design > models/ecc/code/ldpc_base.h
//
// Deterministic. All 70 four-of-eight row masks, two more that balance the rows (36 circulants in each), and one
// column of weight 3: a binary matrix whose columns all have even weight has no full rank, and with Z a power of two
// the parity part is invertible exactly when its 8x8 matrix at x = 1 is. Shifts are set column after column by
// coordinate descent: no cycle of length 4, as few of length 6 as it finds. Column-serial bit flipping wants every
// column at weight 4: with a dual-diagonal parity part (columns of weight 2) it fails twenty times more often.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "models/units/keyed_random.h"

namespace {

constexpr int kRows = 8;
constexpr int kColumns = 73;
constexpr int kLifting = 256;
constexpr int kRestarts = 10;  // starting points of the descent for each column
constexpr int kSweeps = 5;     // times that every column is set again, given all others
constexpr int kForbidden = 1'000'000;
constexpr std::uint64_t kSeed = 0x77'6f'72'64;

using Column = std::array<int, kRows>;  // shift, or -1
using Counts = std::array<std::array<std::array<int, kLifting>, kRows>, kRows>;

int wrap(int value) { return ((value % kLifting) + kLifting) % kLifting; }
int weight(unsigned mask) { return __builtin_popcount(mask); }

/// Rank over GF(2) of a few 8-bit columns.
int rank(std::vector<unsigned> columns) {
  int found = 0;
  for (unsigned bit = 1; bit < 256; bit <<= 1) {
    const auto pivot = std::find_if(columns.begin() + found, columns.end(), [&](unsigned c) { return (c & bit) != 0; });
    if (pivot == columns.end()) continue;
    std::iter_swap(columns.begin() + found, pivot);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (static_cast<int>(i) != found && (columns[i] & bit) != 0) columns[i] ^= columns[found];
    }
    ++found;
  }
  return found;
}

/// Row masks in the order of the columns; the last eight are the parity part.
std::vector<unsigned> row_masks() {
  std::vector<unsigned> masks = {0x0f, 0xf0};
  for (unsigned mask = 0; mask < 256; ++mask) {
    if (weight(mask) == 4) masks.push_back(mask);
  }
  std::sort(masks.begin(), masks.end(), [](unsigned a, unsigned b) {
    return wordline::keyed_hash(kSeed, 1, a) < wordline::keyed_hash(kSeed, 1, b);
  });
  std::vector<unsigned> parity;
  std::vector<unsigned> information;
  for (const unsigned mask : masks) {
    std::vector<unsigned> with = parity;
    with.push_back(mask);
    const bool independent = parity.size() < 7 && rank(with) == static_cast<int>(with.size());
    (independent ? parity : information).push_back(mask);
  }
  parity.push_back(0x49);  // odd weight, so independent of the others
  information.insert(information.end(), parity.begin(), parity.end());
  return information;
}

/// What closes a cycle when a new column joins rows a and b with the shift difference s[a] - s[b]: kForbidden for
/// length 4, the number of paths over two other columns for length 6. Column `without` is left out.
void closing(const std::vector<Column>& columns, int without, Counts& counts) {
  for (auto& row : counts) {
    for (auto& pair : row) pair.fill(0);
  }
  const auto use = [&](int i, int a, int b) { return i != without && columns[i][a] >= 0 && columns[i][b] >= 0; };
  const int size = static_cast<int>(columns.size());
  for (int a = 0; a < kRows; ++a) {
    for (int b = 0; b < kRows; ++b) {
      if (a == b) continue;
      for (int i = 0; i < size; ++i) {
        if (use(i, a, b)) counts[a][b][wrap(columns[i][a] - columns[i][b])] += kForbidden;
      }
      for (int c = 0; c < kRows; ++c) {
        if (c == a || c == b) continue;
        for (int i = 0; i < size; ++i) {
          if (!use(i, a, c)) continue;
          for (int j = 0; j < size; ++j) {
            if (j == i || !use(j, c, b)) continue;
            ++counts[a][b][wrap(columns[i][a] - columns[i][c] + columns[j][c] - columns[j][b])];
          }
        }
      }
    }
  }
}

int cost(const Column& column, const Counts& counts) {
  int total = 0;
  for (int a = 0; a < kRows; ++a) {
    for (int b = a + 1; b < kRows; ++b) {
      if (column[a] >= 0 && column[b] >= 0) total += counts[a][b][wrap(column[a] - column[b])];
    }
  }
  return total;
}

/// The first row of a column keeps shift 0: turning all shifts of a column only renumbers its bits.
Column descend(unsigned mask, const Counts& counts, const Column* start, std::uint64_t key) {
  Column best{};
  int best_cost = 2'000'000'000;
  for (int restart = 0; restart < kRestarts; ++restart) {
    Column column;
    column.fill(-1);
    bool first = true;
    std::vector<int> free;
    for (int r = 0; r < kRows; ++r) {
      if ((mask >> r & 1) == 0) continue;
      if (!first) free.push_back(r);
      column[r] = first ? 0 : static_cast<int>(wordline::keyed_hash(kSeed, 2, key, restart, r) % kLifting);
      first = false;
    }
    if (start != nullptr && restart == 0) column = *start;
    for (int now = cost(column, counts), before = now + 1; now < before;) {
      before = now;
      for (const int r : free) {
        Column trial = column;
        for (int s = 0; s < kLifting; ++s) {
          trial[r] = s;
          if (const int c = cost(trial, counts); c < now) {
            now = c;
            column = trial;
          }
        }
      }
    }
    if (const int c = cost(column, counts); c < best_cost) {
      best_cost = c;
      best = column;
    }
  }
  return best;
}

/// Classes of cycles of length 6: every one is seen from each of its three columns.
int six_cycles(const std::vector<Column>& columns) {
  int total = 0;
  Counts counts;
  for (int i = 0; i < kColumns; ++i) {
    closing(columns, i, counts);
    total += cost(columns[i], counts);
  }
  return total / 3;
}

}  // namespace

int main() {
  const std::vector<unsigned> masks = row_masks();
  std::vector<Column> columns;
  Counts counts;
  for (const unsigned mask : masks) {
    closing(columns, -1, counts);
    columns.push_back(descend(mask, counts, nullptr, columns.size()));
  }
  for (int sweep = 1; sweep <= kSweeps; ++sweep) {
    for (int i = 0; i < kColumns; ++i) {
      closing(columns, i, counts);
      columns[i] = descend(masks[i], counts, &columns[i], static_cast<std::uint64_t>(sweep * kColumns + i));
    }
  }
  const int cycles = six_cycles(columns);
  if (cycles >= kForbidden / 3) {
    std::fprintf(stderr, "ldpc_design: cycles of length 4 remain; raise kRestarts\n");
    return EXIT_FAILURE;
  }
  std::printf(
      "// Copyright (c) Wordline contributors\n// SPDX-License-Identifier: Apache-2.0\n#pragma once\n\n"
      "#include <cstdint>\n\n"
      "/// Written by ldpc_design (ecc/design); do not edit. No cycle of length 4, %d classes of length 6.\n"
      "namespace wordline::ecc {\n\n"
      "inline constexpr unsigned kBlockRows = %d;\ninline constexpr unsigned kBlockColumns = %d;\n"
      "inline constexpr unsigned kLifting = %d;  // Z, the size of a circulant\n\n"
      "/// Shift of each circulant, -1 where the block is zero. Check j of block row r holds bit (j + shift) mod Z of\n"
      "/// block column c. Columns 0 to 64 carry information, 65 to 72 parity.\n"
      "// clang-format off\n"
      "inline constexpr std::int16_t kShift[kBlockRows][kBlockColumns] = {\n",
      cycles, kRows, kColumns, kLifting);
  for (int r = 0; r < kRows; ++r) {
    std::printf("    {");
    for (int c = 0; c < kColumns; ++c) {
      const bool last = c + 1 == kColumns;
      std::printf("%s%3d%s", c % 19 == 0 && c > 0 ? "\n     " : "", columns[c][r],
                  last           ? "},\n"
                  : c % 19 == 18 ? ","
                                 : ", ");
    }
  }
  std::printf("};\n// clang-format on\n\n}  // namespace wordline::ecc\n");
  return EXIT_SUCCESS;
}
