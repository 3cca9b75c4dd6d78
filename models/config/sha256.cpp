// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#define OPENSSL_SUPPRESS_DEPRECATED  // of SHA256_Init() and the like: see below
#include "models/config/sha256.h"

#include <fmt/core.h>
#include <openssl/sha.h>

#include <stdexcept>

namespace wordline::config {
namespace {

void require(bool good) {
  if (!good) throw std::runtime_error("OpenSSL refuses SHA-256; check the providers in its openssl.cnf");
}

}  // namespace

/// EVP_Digest() looks for providers and their configuration first: 5 million instructions, a tenth of the start of a
/// run.
Digest::Digest() : context_(std::make_unique<SHA256_CTX>()) { require(SHA256_Init(context_.get()) == 1); }
Digest::~Digest() = default;

void Digest::add(const void* data, std::size_t bytes) { require(SHA256_Update(context_.get(), data, bytes) == 1); }

Digest::Value Digest::value() {
  Value value{};
  static_assert(sizeof(value) == SHA256_DIGEST_LENGTH);
  require(SHA256_Final(value.data(), context_.get()) == 1);
  return value;
}

std::string sha256(std::string_view data) {
  Digest digest;
  digest.add(data.data(), data.size());
  std::string text;
  for (const unsigned char byte : digest.value()) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace wordline::config
