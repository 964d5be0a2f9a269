// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SHA256_H
#define ROCE_SHA256_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

struct evp_md_ctx_st; // of OpenSSL, which only the source file includes

namespace ns3::roce
{

/// @brief SHA-256 (FIPS 180-4) of bytes that come piece by piece, by OpenSSL.
class Sha256
{
  public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    /// @param data the next bytes. @param bytes how many.
    Sha256& Add(const void* data, std::size_t bytes);

    /// @param text the next bytes, and a zero byte after them
    Sha256& AddText(const std::string& text);

    /// @return 64 hexadecimal digits; call it once, last
    std::string Finish();

  private:
    std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> m_context;
};

/// Contents of a file.
struct FileDigest
{
    uint64_t bytes{0};
    std::string sha256; //!< 64 hexadecimal digits
    uint64_t lines{0};  //!< line ends outside of quotation marks, as rows of csv files have them

    /**
     * @param path a regular file
     * @return what it holds now
     * @throw InputError when it cannot be read
     */
    static FileDigest Of(const std::string& path);
};

/// @brief One part of a result's inputs, and its SHA-256.
struct PartDigest
{
    /// Takes a name and its value.
    using Visitor = std::function<void(const std::string& name, const std::string& value)>;

    std::string name;
    std::function<void(const Visitor&)> visit; //!< its contents, always in the same order
    std::string sha256;                        //!< of that

    /// @param name see above @param visit see above
    PartDigest(const std::string& name, std::function<void(const Visitor&)> visit);
};

} // namespace ns3::roce

#endif /* ROCE_SHA256_H */
