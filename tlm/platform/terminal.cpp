// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace wordline::platform {

std::size_t terminal_width(int descriptor) {
  struct winsize size {};
  if (isatty(descriptor) != 1 || ioctl(descriptor, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

std::string folded(std::string_view line, std::size_t width) {
  if (line.size() <= width || width == 0) return std::string(line);
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  std::size_t indent = begin + 2;
  const std::size_t most = width * 2 / 3;  // what is continued has room
  const std::size_t gap = line.rfind("  ", most);
  if (gap != std::string_view::npos && gap > begin) indent = gap + 2;
  if (indent > most) indent = 0;
  std::string out;
  std::size_t column = 0;  // of the first character of `line`
  while (column + line.size() > width) {
    std::size_t end = line.rfind(' ', width - column);
    const std::size_t text = line.find_first_not_of(' ');
    if (end == std::string_view::npos || end <= text) end = std::min(line.find(' ', text), line.size());  // a long word
    const std::size_t next = line.find_first_not_of(' ', end);
    out += line.substr(0, end);
    if (next == std::string_view::npos) return out;
    out += '\n' + std::string(indent, ' ');
    line.remove_prefix(next);
    column = indent;
  }
  return out + std::string(line);
}

std::string as_called(const std::string& message) {
  const char* const called = std::getenv("WORDLINE_CALLED");
  if (called == nullptr || *called == '\0') return message;
  static constexpr std::string_view kName = "wordline ";
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = message.find(kName); at != std::string::npos; at = message.find(kName, at + 1)) {
    const std::size_t next = at + kName.size();
    const bool begins = at == 0 || message[at - 1] == ' ' || message[at - 1] == '(' || message[at - 1] == '`';
    const bool command = next < message.size() && (std::islower(static_cast<unsigned char>(message[next])) != 0 ||
                                                   message.compare(next, 2, "--") == 0);
    if (!begins || !command) continue;
    out += message.substr(from, at - from) + called + ' ';
    from = next;
  }
  return out + message.substr(from);
}

}  // namespace wordline::platform
