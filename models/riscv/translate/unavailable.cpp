// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// On hosts other than x86-64 everything is interpreted.
#include <stdexcept>

#include "models/riscv/block_cache.h"
#include "models/riscv/translate/translator.h"

namespace wordline::riscv {

class Translator::Impl {};

std::string Translator::why_not() { return "only x86-64 hosts can"; }

Translator::Translator(Hart&) {}
Translator::~Translator() = default;
void Translator::translate(Block& block) { block.translated = true; }
const Exit& Translator::run(std::uint32_t) { throw std::logic_error("no block has been translated"); }
void Translator::link(const Exit&, const Block&) {}
void Translator::rethrow() { throw std::logic_error("no block has been translated"); }
bool Translator::full() const { return false; }
void Translator::forget() {}
std::uint64_t Translator::blocks() const { return 0; }
std::size_t Translator::bytes() const { return 0; }

}  // namespace wordline::riscv
