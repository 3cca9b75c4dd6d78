// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/mutator.h"

#include <algorithm>
#include <cstring>

namespace wordline::fuzz {
namespace {

const std::string kLikely = "0123456789,. \t\n-+:;=[]{}()#\"'\\%_eExX/";
const std::vector<std::string> kEnds{"0",
                                     "1",
                                     "-1",
                                     "4294967295",
                                     "4294967296",
                                     "9223372036854775807",
                                     "1e308",
                                     "1e-308",
                                     "nan",
                                     "inf",
                                     "18446744073709551616",
                                     "511",
                                     "65536",
                                     "0.0",
                                     "-0.5",
                                     "\"\"",
                                     "true",
                                     "[]",
                                     "[1, 2]"};

/// The line that holds position `at`, with its end.
std::pair<std::size_t, std::size_t> line_at(const std::string& text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const std::size_t end = text.find('\n', at);
  return {begin, end == std::string::npos ? text.size() : end + 1};
}

void damage(std::string& text, const std::vector<std::string>& others, Draws& draws) {
  const std::size_t at = draws.below(text.size());
  switch (draws.below(12)) {
    case 0:
      text[at] = static_cast<char>(draws.below(256));
      break;
    case 1:
      text[at] = draws.from(kLikely);
      break;
    case 2:
      text.erase(at, 1 + draws.below(8));
      break;
    case 3:
      text.insert(at, 1, draws.from(kLikely));
      break;
    case 4:
      text.insert(at, draws.below(22), static_cast<char>('0' + draws.below(10)));
      break;
    case 5:
      text.insert(at, draws.once_in(20) ? 5000 : 40, draws.from(kLikely));
      break;
    case 6:
      if (draws.once_in(4)) text.erase(at);
      break;
    case 7:
    case 8: {  // a number by one at an end
      const std::size_t first = text.find_first_of("0123456789", at);
      if (first == std::string::npos) break;
      const std::size_t end = std::min(text.find_first_not_of("0123456789.", first), text.size());
      text.replace(first, end - first, draws.from(kEnds));
      break;
    }
    case 9: {  // a line twice, or gone
      const auto [begin, end] = line_at(text, at);
      const std::string line = text.substr(begin, end - begin);
      draws.once_in(2) ? text.erase(begin, end - begin) : text.insert(begin, line);
      break;
    }
    case 10: {  // a line of another input
      const std::string& other = draws.from(others);
      if (other.empty()) break;
      const auto [begin, end] = line_at(other, draws.below(other.size()));
      text.insert(line_at(text, at).first, other.substr(begin, end - begin));
      break;
    }
    default:
      std::swap(text[at], text[draws.below(text.size())]);
  }
}

}  // namespace

std::string damaged_text(std::string text, const std::vector<std::string>& others, Draws& draws) {
  for (std::uint64_t n = draws.below(6); n != 0 && !text.empty(); --n) damage(text, others, draws);
  return text;
}

std::string damaged_bytes(std::string bytes, Draws& draws) {
  for (std::uint64_t n = draws.between(1, 8); n != 0 && !bytes.empty(); --n) {
    // The head of a file has the fields that everything else depends on.
    const std::size_t at = draws.below(draws.once_in(2) ? std::min<std::size_t>(bytes.size(), 160) : bytes.size());
    switch (draws.below(8)) {
      case 0:
        bytes[at] = static_cast<char>(draws.below(256));
        break;
      case 1:
      case 2:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << draws.below(8));
        break;
      case 3:
      case 4: {
        const std::uint64_t value = draws.extreme();
        const std::size_t size = draws.once_in(2) ? 4 : 2;
        const std::size_t aligned = at / size * size;
        if (aligned + size <= bytes.size()) std::memcpy(&bytes[aligned], &value, size);
        break;
      }
      case 5:
        if (draws.once_in(8)) bytes.resize(at);
        break;
      case 6:
        if (draws.once_in(8)) bytes.append(draws.below(300), static_cast<char>(draws.below(256)));
        break;
      default:
        std::swap(bytes[at], bytes[draws.below(bytes.size())]);
    }
  }
  return bytes;
}

}  // namespace wordline::fuzz
