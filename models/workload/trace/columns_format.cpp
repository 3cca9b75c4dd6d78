// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Text with one request on each line and the columns that the user says, for example
// "time_s,offset_sectors,size_sectors,op_01,device" for Tencent's traces.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "models/workload/text.h"
#include "models/workload/trace/formats.h"

namespace wordline::workload {
namespace {

enum class Column : std::uint8_t { kIgnored, kTime, kDevice, kOffset, kSize, kOp };

struct ColumnName {
  const char* name;
  Column column;
  std::uint64_t unit;  // offset, size: bytes; time: digits of a fraction that are kept; op: digit of a read, or kWords
  std::uint64_t ps_per_tick = 0;  // time
};

constexpr std::uint64_t kWords = 2;
constexpr ColumnName kColumns[] = {{"-", Column::kIgnored, 0},
                                   {"time_s", Column::kTime, 9, 1'000},
                                   {"time_ms", Column::kTime, 6, 1'000},
                                   {"time_us", Column::kTime, 3, 1'000},
                                   {"time_ns", Column::kTime, 0, 1'000},
                                   {"time_100ns", Column::kTime, 0, 100'000},
                                   {"device", Column::kDevice, 0},
                                   {"offset_bytes", Column::kOffset, 1},
                                   {"offset_sectors", Column::kOffset, kLbaBytes},
                                   {"size_bytes", Column::kSize, 1},
                                   {"size_sectors", Column::kSize, kLbaBytes},
                                   {"op", Column::kOp, kWords},
                                   {"op_01", Column::kOp, 0},
                                   {"op_10", Column::kOp, 1}};

/// The separator of the first line: what separates its fields.
char separator_of(std::string_view line) {
  for (const char c : {',', ';'}) {
    if (line.find(c) != std::string_view::npos) return c;
  }
  return ' ';
}

/// Words for operations, in lower case: of people's tables, and operation codes of SCSI and ATA as hexadecimal numbers.
struct OpWord {
  std::string_view word;
  Op op;
};
constexpr OpWord kOpWords[] = {{"r", Op::kRead},
                               {"read", Op::kRead},
                               {"rd", Op::kRead},
                               {"load", Op::kRead},
                               {"w", Op::kWrite},
                               {"write", Op::kWrite},
                               {"wr", Op::kWrite},
                               {"store", Op::kWrite},
                               {"d", Op::kTrim},
                               {"t", Op::kTrim},
                               {"trim", Op::kTrim},
                               {"discard", Op::kTrim},
                               {"unmap", Op::kTrim},
                               {"deallocate", Op::kTrim},
                               {"f", Op::kFlush},
                               {"flush", Op::kFlush},
                               {"sync", Op::kFlush},
                               {"fsync", Op::kFlush},
                               {"readio", Op::kRead},
                               {"writeio", Op::kWrite},
                               {"diskread", Op::kRead},
                               {"diskwrite", Op::kWrite},
                               {"diskflush", Op::kFlush},
                               // READ and WRITE (6), (10), (12), (16), SYNCHRONIZE CACHE (10), (16), UNMAP of SCSI.
                               {"08", Op::kRead},
                               {"28", Op::kRead},
                               {"a8", Op::kRead},
                               {"88", Op::kRead},
                               {"0a", Op::kWrite},
                               {"2a", Op::kWrite},
                               {"aa", Op::kWrite},
                               {"8a", Op::kWrite},
                               {"35", Op::kFlush},
                               {"91", Op::kFlush},
                               {"42", Op::kTrim}};

/// As the kernel writes it (fill_rwbs() of blktrace.c): each flag once, in this order.
bool is_rwbs(std::string_view word) {
  if (!word.empty() && word.front() == 'F') word.remove_prefix(1);
  if (word.empty() || (word.front() != 'R' && word.front() != 'W' && word.front() != 'D' && word.front() != 'F'))
    return false;
  word.remove_prefix(1);
  for (const char flag : {'E', 'F', 'A', 'S', 'M'})
    if (!word.empty() && word.front() == flag) word.remove_prefix(1);
  return word.empty();
}

/// False: it is no such word. Sets operation and flags.
bool take_word(std::string_view field, TraceRecord& out) {
  const std::string word = text::lower(field.substr(0, 16));
  const std::string_view code = word.substr(0, 2) == "0x" ? std::string_view(word).substr(2) : word;
  for (const OpWord& known : kOpWords) {
    if (known.word != code) continue;
    out.op = known.op;
    return true;
  }
  return is_rwbs(field) && take_rwbs(field, out);
}

std::vector<const ColumnName*> parse_columns(const std::string& text) {
  std::vector<std::string_view> names;
  text::split(text, ',', names);
  std::vector<const ColumnName*> columns;
  std::vector<std::string> errors;
  for (const std::string_view name : names) {
    const auto* const at =
        std::find_if(std::begin(kColumns), std::end(kColumns), [name](const ColumnName& c) { return c.name == name; });
    if (at != std::end(kColumns)) {
      columns.push_back(at);
      continue;
    }
    std::vector<std::string_view> known;
    for (const ColumnName& column : kColumns) known.emplace_back(column.name);
    errors.push_back(
        fmt::format("--columns: error: no column is called '{}'; there are: {}", name, fmt::join(known, " ")));
  }
  const auto times_of = [&columns](Column wanted) {
    return std::count_if(columns.begin(), columns.end(), [wanted](const ColumnName* c) { return c->column == wanted; });
  };
  for (const auto& [column, what] :
       {std::pair(Column::kOffset, "offset"), std::pair(Column::kSize, "size"), std::pair(Column::kOp, "op")}) {
    if (errors.empty() && times_of(column) != 1) {
      errors.push_back(fmt::format("--columns: error: expected one {} column, found {}", what, times_of(column)));
    }
  }
  for (const auto& [column, what] : {std::pair(Column::kTime, "time"), std::pair(Column::kDevice, "device")}) {
    if (times_of(column) > 1) errors.push_back(fmt::format("--columns: error: more than one {} column", what));
  }
  if (columns.size() > Fields::kKept) {
    errors.push_back(fmt::format("--columns: error: more than {} columns", Fields::kKept));
  }
  if (!errors.empty()) throw WorkloadError(std::move(errors));
  return columns;
}

class ColumnsParser final : public LineParser {
 public:
  explicit ColumnsParser(const std::string& columns) : columns_(parse_columns(columns)) {
    for (const ColumnName* column : columns_) ps_per_tick_ = std::max(ps_per_tick_, column->ps_per_tick);
  }
  std::uint64_t ps_per_tick() const override { return ps_per_tick_; }
  bool has_times() const override { return ps_per_tick_ != 0; }

  Verdict parse(std::string_view line, TraceRecord& out) override {
    const bool first = std::exchange(first_, false);
    if (first) separator_ = separator_of(line);
    if (separator_ == ' ') {
      fields_.split_blanks(line);
    } else {
      fields_.split(line, separator_);
    }
    if (fields_.count != columns_.size()) {
      return wrong(fmt::format("expected {} fields, as --columns says, found {}", columns_.size(), fields_.count));
    }
    if (first && has_names()) return leave_out("line of names");
    out.device = 0;
    out.fua = out.preflush = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!take(*columns_[i], fields_[i], out)) return Verdict::kWrong;
    }
    if (out.op == Op::kFlush) {
      out.lba = out.nlb = 0;
      return Verdict::kRequest;
    }
    if (size_ == 0) return leave_out(kNoBytes);
    return whole_lbas(offset_, size_, out) ? Verdict::kRequest : Verdict::kWrong;
  }

 private:
  /// No field that is to be a number begins with a digit.
  [[nodiscard]] bool has_names() const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Column column = columns_[i]->column;
      if (column != Column::kTime && column != Column::kOffset && column != Column::kSize) continue;
      if (!fields_[i].empty() && fields_[i].front() >= '0' && fields_[i].front() <= '9') return false;
    }
    return true;
  }

  bool take(const ColumnName& column, std::string_view field, TraceRecord& out) {
    switch (column.column) {
      case Column::kIgnored:
        return true;
      case Column::kTime:
        return fixed(field, "the time", static_cast<unsigned>(column.unit), out.ticks);
      case Column::kDevice:
        return device(field, out.device);
      case Column::kOffset:
        return scaled(field, "the offset", column.unit, offset_);
      case Column::kSize:
        return scaled(field, "the size", column.unit, size_);
      case Column::kOp:
        return take_op(column.unit, field, out);
    }
    return false;
  }

  bool scaled(std::string_view field, const char* what, std::uint64_t unit, std::uint64_t& value) {
    if (!number(field, what, value)) return false;
    if (value > UINT64_MAX / unit) {
      (void)wrong(fmt::format("{} {} is more than a 64-bit number of bytes", what, value));
      return false;
    }
    value *= unit;
    return true;
  }

  bool take_op(std::uint64_t read_digit, std::string_view field, TraceRecord& out) {
    if (read_digit == kWords) {
      if (!take_word(field, out)) {
        (void)wrong(
            fmt::format("expected a word for a read, a write, a deallocation or a flush (R, Write, RS, WFS, D, "
                        "discard, 0x2a, ...), found '{}'",
                        field.substr(0, 40)));
        return false;
      }
      return true;
    }
    if (field == (read_digit == 0 ? "0" : "1")) {
      out.op = Op::kRead;
    } else if (field == (read_digit == 0 ? "1" : "0")) {
      out.op = Op::kWrite;
    } else {
      (void)wrong(fmt::format("expected {}, found '{}'",
                              read_digit == 0 ? "0 (read) or 1 (write)" : "1 (read) or 0 (write)",
                              field.substr(0, 40)));
      return false;
    }
    return true;
  }

  std::vector<const ColumnName*> columns_;
  Fields fields_;
  std::uint64_t offset_ = 0, size_ = 0;  // bytes
  std::uint64_t ps_per_tick_ = 0;
  char separator_ = ',';
  bool first_ = true;
};

}  // namespace

std::unique_ptr<LineParser> make_columns_parser(const std::string& columns) {
  return std::make_unique<ColumnsParser>(columns);
}

}  // namespace wordline::workload
