// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_WIRE_READER_H
#define ROCE_WIRE_READER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief Reads protobuf's wire format, with file and byte in its errors.
 *
 * A message is a row of fields, each a number and a value of one of four forms. Next() goes to a
 * field; then one of Number(), Fixed32(), Fixed64(), Text(), Message(), Numbers() and Skip() reads
 * its value. All throw InputError for a value that is cut, or of another form than asked for.
 */
class WireReader
{
  public:
    /// @param file for messages. @param bytes of it; both longer there than the reader
    WireReader(const std::string& file, const std::string& bytes);

    /// @return number of the next field, 0 at the end of the message
    uint32_t Next();

    /// @param what it is, for messages. @return an integer
    uint64_t Number(const char* what);
    uint32_t Fixed32(const char* what); //!< @copydoc Number
    uint64_t Fixed64(const char* what); //!< @copydoc Number

    /// @param what it is, for messages. @return a text, or bytes
    std::string Text(const char* what);

    /// @param what it is, for messages. @return a message within this one
    WireReader Message(const char* what);

    /// @brief Read one or several elements of a list. @param [in,out] list gets them at its end
    void Numbers(const char* what, std::vector<uint64_t>& list);

    /// @brief Go over a field, of whatever form.
    void Skip();

    /// @brief Read a message that stands after its length, without a field. @param what it is
    WireReader Delimited(const char* what);

    /// @return whether nothing is left
    bool AtEnd() const
    {
        return m_at == m_end;
    }

    /// @return byte of the file where the reader is, from 0
    std::size_t GetAt() const
    {
        return m_at;
    }

    /// @return byte of the file where the present field begins
    std::size_t GetFieldAt() const
    {
        return m_fieldAt;
    }

    /// @throw InputError always. @param at byte of the file. @param message what is wrong
    [[noreturn]] void Refuse(std::size_t at, const std::string& message) const;

  private:
    uint64_t Varint(const char* what);
    uint64_t Fixed(unsigned bytes, const char* what);
    std::size_t Length(const char* what);
    void Expect(uint32_t form, const char* what) const;

    const std::string* m_file;
    const std::string* m_bytes;
    std::size_t m_at{0};
    std::size_t m_end;
    std::size_t m_fieldAt{0};
    uint32_t m_field{0};
    uint32_t m_form{0}; //!< wire type
};

/// Writes protobuf's wire format.
struct WireWriter
{
    /// @brief Append an integer of 1 to 10 bytes.
    static void Varint(std::string& out, uint64_t number);
};

} // namespace ns3::roce

#endif /* ROCE_WIRE_READER_H */
