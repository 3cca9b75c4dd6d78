// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/fio/lines.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "models/units/index.h"
#include "models/workload/fio/options.h"
#include "models/workload/source.h"
#include "models/workload/trace/byte_input.h"

namespace wordline::workload::fio {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kDeepest = 16;
constexpr std::size_t kLargestFile = std::size_t{1} << 24;
constexpr std::size_t kLongestLine = 65536;

class Reader {
 public:
  Reader(text::Errors& errors, const std::function<void(const Line&)>& take) : errors_(errors), take_(take) {}

  /// `as`: the line of the first file that includes this one; 0: it is the first.
  void read(const std::string& path, std::string_view content, std::size_t as, unsigned depth) {
    for (std::size_t number = 1; !content.empty(); ++number) {
      const auto end = content.find('\n');
      auto row = content.substr(0, end);
      content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
      row = text::trimmed(row.substr(0, row.find_first_of(";#")));
      if (row.empty()) continue;
      const std::size_t line = as == 0 ? number : as;
      const auto replaced = row.size() > kLongestLine ? too_long(line) : replace(row, line);
      if (!replaced) continue;
      const std::string_view text = text::trimmed(*replaced);
      if (text.substr(0, kInclude.size()) == kInclude) {
        include(std::string(text::trimmed(text.substr(kInclude.size()))), path, line, depth);
      } else if (!text.empty()) {
        take_({line, std::string(text)});
      }
    }
  }

 private:
  static constexpr std::string_view kInclude = "include ";

  std::optional<std::string> too_long(std::size_t line) {
    errors_.add(line, fmt::format("a line of more than {} bytes", kLongestLine));
    return std::nullopt;
  }

  /// Environment variables and keywords.
  std::optional<std::string> replace(std::string_view row, std::size_t line) {
    std::string result;
    // What has no effect needs no value: a folder or an address of a host that this machine does not have.
    const std::string_view option = text::trimmed(row.substr(0, row.find('=')));
    const bool needed = option_of(option).kind != Option::Kind::kNoted && !is_any_folder(option);
    while (true) {
      const auto at = row.find('$');
      result += row.substr(0, at);
      if (at == std::string_view::npos) return result;
      row.remove_prefix(at);
      if (row.substr(0, 2) == "${") {
        const auto close = row.find('}');
        if (close == std::string_view::npos) {
          errors_.add(line, fmt::format("expected '}}' behind '{}'", row.substr(0, 60)));
          return std::nullopt;
        }
        const std::string name(row.substr(2, close - 2));
        const char* value = std::getenv(name.c_str());
        if (value == nullptr && needed) {
          errors_.add(line, fmt::format("environment variable '{0}' is not set; set it: {0}=VALUE wordline ...", name));
          return std::nullopt;
        }
        if (value != nullptr) result += value;  // fio: nothing where it is not set
        row.remove_prefix(close + 1);
      } else if (starts(row, "$pagesize")) {
        result += std::to_string(kHostPageBytes);
        row.remove_prefix(std::string_view("$pagesize").size());
      } else if (needed && (starts(row, "$mb_memory") || starts(row, "$ncpus"))) {
        errors_.add(line, fmt::format("'{}' would make results depend on the machine that simulates; write the number",
                                      starts(row, "$ncpus") ? "$ncpus" : "$mb_memory"));
        return std::nullopt;
      } else {
        result += '$';
        row.remove_prefix(1);
      }
    }
  }

  static bool starts(std::string_view row, std::string_view word) { return row.substr(0, word.size()) == word; }

  void include(const std::string& name, const std::string& from, std::size_t line, unsigned depth) {
    if (depth == kDeepest) {
      errors_.add(line,
                  fmt::format("include {}: more than {} files include each other; is there a circle?", name, kDeepest));
      return;
    }
    const fs::path beside = fs::path(from).parent_path() / name;
    std::error_code ignored;
    const std::string path = fs::exists(beside, ignored) ? beside.string() : name;
    try {
      const std::string content = read_whole(path, kLargestFile);
      if (content.size() == kLargestFile) {
        errors_.add(line, fmt::format("include {}: larger than 16 MiB, so no job file", name));
        return;
      }
      read(path, content, line, depth + 1);
    } catch (const WorkloadError& error) {
      errors_.add(line, fmt::format("include {}: {}", name, error.what()));
    }
  }

  text::Errors& errors_;
  const std::function<void(const Line&)>& take_;
};

}  // namespace

void for_each_line(const std::string& path, std::string_view content, text::Errors& errors,
                   const std::function<void(const Line&)>& take) {
  Reader(errors, take).read(path, content, 0, 0);
}

}  // namespace wordline::workload::fio
