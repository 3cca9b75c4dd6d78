// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/protocol/recorder_if.h"

namespace wordline::observe {

/// Two recorders behind one: each gets all signals in the same order, so both have a signal under the same number.
class RecorderPair final : public tlm_if::RecorderIf {
 public:
  RecorderPair(RecorderIf& one, RecorderIf& other) : one_(one), other_(other) {}

  Signal add_enum(std::string_view scope, std::string_view name,
                  std::initializer_list<std::string_view> names) override {
    (void)other_.add_enum(scope, name, names);
    return one_.add_enum(scope, name, names);
  }
  Signal add_bit(std::string_view scope, std::string_view name) override {
    (void)other_.add_bit(scope, name);
    return one_.add_bit(scope, name);
  }
  Signal add_vector(std::string_view scope, std::string_view name, unsigned bits) override {
    (void)other_.add_vector(scope, name, bits);
    return one_.add_vector(scope, name, bits);
  }
  Signal add_text(std::string_view scope, std::string_view name) override {
    (void)other_.add_text(scope, name);
    return one_.add_text(scope, name);
  }
  Signal add_real(std::string_view scope, std::string_view name) override {
    (void)other_.add_real(scope, name);
    return one_.add_real(scope, name);
  }
  void set(Signal signal, Picoseconds at, std::uint64_t value) override {
    one_.set(signal, at, value);
    other_.set(signal, at, value);
  }
  void set_real(Signal signal, Picoseconds at, double value) override {
    one_.set_real(signal, at, value);
    other_.set_real(signal, at, value);
  }
  void set_text(Signal signal, Picoseconds at, std::string_view text) override {
    one_.set_text(signal, at, text);
    other_.set_text(signal, at, text);
  }
  void withdraw(Signal signal, Picoseconds from) override {
    one_.withdraw(signal, from);
    other_.withdraw(signal, from);
  }
  [[nodiscard]] bool active() const override { return one_.active() || other_.active(); }
  [[nodiscard]] std::string folder() const override { return one_.folder(); }

 private:
  RecorderIf& one_;
  RecorderIf& other_;
};

}  // namespace wordline::observe
