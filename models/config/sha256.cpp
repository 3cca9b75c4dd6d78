// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#define OPENSSL_SUPPRESS_DEPRECATED  // of SHA256_Init() and the like: see below
#include "models/config/sha256.h"

#include <fmt/core.h>
#include <openssl/sha.h>

#include <array>
#include <stdexcept>

namespace wordline::config {

/// EVP_Digest() looks for providers and their configuration first: 5 million instructions, a tenth of the start of a
/// run.
std::string sha256(std::string_view data) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_CTX context;
  if (SHA256_Init(&context) != 1 || SHA256_Update(&context, data.data(), data.size()) != 1 ||
      SHA256_Final(digest.data(), &context) != 1) {
    throw std::runtime_error("OpenSSL refuses SHA-256");
  }
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace wordline::config
