// SPDX-License-Identifier: GPL-2.0-only
#include "roce-sha256.h"

#include "roce-input-error.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <openssl/evp.h>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ns3::roce
{

namespace
{

constexpr std::size_t PIECE_BYTES = 1 << 20;

/// @throw std::runtime_error unless a call of OpenSSL succeeded. @param done what it returned
void
Require(int done)
{
    if (done != 1)
    {
        throw std::runtime_error("SHA-256: OpenSSL has failed");
    }
}

} // namespace

Sha256::Sha256()
    : m_context(EVP_MD_CTX_new(), EVP_MD_CTX_free)
{
    Require(m_context && EVP_DigestInit_ex(m_context.get(), EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

Sha256&
Sha256::Add(const void* data, std::size_t bytes)
{
    Require(EVP_DigestUpdate(m_context.get(), data, bytes));
    return *this;
}

Sha256&
Sha256::AddText(const std::string& text)
{
    return Add(text.c_str(), text.size() + 1);
}

std::string
Sha256::Finish()
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned bytes = 0;
    Require(EVP_DigestFinal_ex(m_context.get(), digest, &bytes));
    static const char* const DIGITS = "0123456789abcdef";
    std::string hex;
    for (unsigned i = 0; i < bytes; ++i)
    {
        hex += DIGITS[digest[i] >> 4];
        hex += DIGITS[digest[i] & 15];
    }
    return hex;
}

FileDigest
FileDigest::Of(const std::string& path)
{
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               std::fclose);
    FileDigest digest;
    Sha256 hash;
    std::vector<char> piece(PIECE_BYTES);
    bool quoted = false;
    std::size_t bytes = 0;
    while (file && (bytes = std::fread(piece.data(), 1, piece.size(), file.get())) > 0)
    {
        hash.Add(piece.data(), bytes);
        digest.bytes += bytes;
        for (std::size_t i = 0; i < bytes; ++i)
        {
            quoted ^= piece[i] == '"';
            digest.lines += piece[i] == '\n' && !quoted;
        }
    }
    if (!file || std::ferror(file.get()))
    {
        throw InputError(path + ": cannot be read: " + std::strerror(errno));
    }
    digest.sha256 = hash.Finish();
    return digest;
}

PartDigest::PartDigest(const std::string& name, std::function<void(const Visitor&)> visit)
    : name(name),
      visit(std::move(visit))
{
    Sha256 hash;
    this->visit([&hash](const std::string& key, const std::string& value) {
        hash.AddText(key).AddText(value);
    });
    sha256 = hash.Finish();
}

} // namespace ns3::roce
