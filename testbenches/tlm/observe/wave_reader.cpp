// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/tlm/observe/wave_reader.h"

#include <fstapi.h>

#include <cstring>
#include <stdexcept>

namespace wordline::testing {
namespace {

struct Values {
  Waves* waves;
  std::vector<std::string> path_of_handle;
};

void on_text(void* user, std::uint64_t time, fstHandle handle, const unsigned char* value, std::uint32_t length) {
  auto* values = static_cast<Values*>(user);
  values->waves->changes[values->path_of_handle.at(handle)].emplace_back(
      time, std::string(reinterpret_cast<const char*>(value), length));
}

void on_value(void* user, std::uint64_t time, fstHandle handle, const unsigned char* value) {
  on_text(user, time, handle, value, static_cast<std::uint32_t>(std::strlen(reinterpret_cast<const char*>(value))));
}

}  // namespace

const Waves::Variable& Waves::variable(const std::string& path) const {
  for (const Variable& v : variables) {
    if (v.path == path) return v;
  }
  throw std::out_of_range("no signal " + path);
}

Waves read_waves(const std::string& file) {
  void* reader = fstReaderOpen(file.c_str());
  if (reader == nullptr) throw std::runtime_error("cannot read " + file);
  Waves waves;
  waves.timescale = static_cast<signed char>(fstReaderGetTimescale(reader));
  waves.start = fstReaderGetStartTime(reader);
  waves.end = fstReaderGetEndTime(reader);
  waves.blocks = fstReaderGetValueChangeSectionCount(reader);

  Values values{&waves, {""}};
  std::vector<std::string> stack{""};
  std::map<std::uint64_t, std::vector<std::pair<std::string, std::string>>> tables;
  std::uint64_t table_of_next = 0;
  while (const fstHier* item = fstReaderIterateHier(reader)) {
    switch (item->htyp) {
      case FST_HT_SCOPE:
        stack.push_back(stack.back() + item->u.scope.name + ".");
        waves.scopes.push_back(stack.back().substr(0, stack.back().size() - 1));
        break;
      case FST_HT_UPSCOPE:
        stack.pop_back();
        break;
      case FST_HT_ATTRBEGIN:
        if (item->u.attr.typ != FST_AT_MISC || item->u.attr.subtype != FST_MT_ENUMTABLE) break;
        if (item->u.attr.name_length > 0) {
          fstETab* table = fstUtilityExtractEnumTableFromString(item->u.attr.name);
          if (table == nullptr) break;  // the library's reader cuts long tables: their variables have no names
          for (std::uint32_t i = 0; i < table->elem_count; ++i) {
            tables[item->u.attr.arg].emplace_back(table->val_arr[i], table->literal_arr[i]);
          }
          fstUtilityFreeEnumTable(table);
        } else {
          table_of_next = item->u.attr.arg;
        }
        break;
      case FST_HT_VAR: {
        Waves::Variable v{stack.back() + item->u.var.name, item->u.var.typ, item->u.var.length, {}};
        if (table_of_next != 0) v.names = tables[table_of_next];
        table_of_next = 0;
        values.path_of_handle.push_back(v.path);
        waves.variables.push_back(v);
        break;
      }
      default:
        break;
    }
  }
  fstReaderSetFacProcessMaskAll(reader);
  fstReaderIterBlocks2(reader, on_value, on_text, &values, nullptr);
  fstReaderClose(reader);
  return waves;
}

}  // namespace wordline::testing
