// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_BUFFERED_FILE_H
#define ROCE_BUFFERED_FILE_H

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace ns3::roce
{

/**
 * @brief A text file that is written from its beginning to its end, with a buffer of 64 KiB.
 *
 * Every write error throws InputError with the file's name and the system's reason.
 */
class BufferedFile
{
  public:
    /// @param path file to create or empty. @throw InputError when it cannot be created
    explicit BufferedFile(const std::string& path);
    /// Closes; what is still buffered is written if possible, errors are ignored: call Close().
    ~BufferedFile();
    BufferedFile(const BufferedFile&) = delete;
    BufferedFile& operator=(const BufferedFile&) = delete;

    /// @param text appended.
    BufferedFile& Append(const std::string& text)
    {
        m_buffer += text;
        return *this;
    }

    /// @copydoc Append(const std::string&)
    BufferedFile& Append(const char* text)
    {
        m_buffer += text;
        return *this;
    }

    /// @copydoc Append(const std::string&)
    BufferedFile& Append(char text)
    {
        m_buffer += text;
        return *this;
    }

    /// @param value appended in decimal; doubles as the shortest text that reads back as the same
    template <typename T>
    BufferedFile& Number(T value)
    {
        char digits[32];
        const auto result = std::to_chars(digits, digits + sizeof(digits), value);
        m_buffer.append(digits, result.ptr);
        return *this;
    }

    /**
     * @brief Append an exact decimal fraction.
     * @param value in units of the last decimal
     * @param decimals 1 to 12
     * @return this; 1500 with 3 decimals is 1.500
     */
    BufferedFile& Fixed(int64_t value, unsigned decimals)
    {
        AppendFixed(m_buffer, value, decimals);
        return *this;
    }

    /**
     * @brief Append an exact decimal fraction to a text.
     * @param out the text
     * @param value in units of the last decimal
     * @param decimals 1 to 12
     */
    static void AppendFixed(std::string& out, int64_t value, unsigned decimals);

    /**
     * @brief Hand the buffer to the system if it is full. To be called from time to time.
     * @throw InputError when it cannot be written; std::logic_error after Close()
     */
    void FlushIfFull();

    /**
     * @brief Write out and close; a second call does nothing.
     * @throw InputError when anything could not be written
     */
    void Close();

    /// @return the file's name
    const std::string& GetPath() const
    {
        return m_path;
    }

  private:
    void Flush();

    std::string m_path;
    std::FILE* m_file; //!< null when closed
    std::string m_buffer;
};

} // namespace ns3::roce

#endif /* ROCE_BUFFERED_FILE_H */
