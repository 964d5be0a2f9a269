// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_CSV_FILE_H
#define ROCE_CSV_FILE_H

#include "roce-buffered-file.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace ns3::roce
{

/**
 * @brief A buffered comma-separated file with a header line (RFC 4180 quoting, LF line ends).
 *
 * Every write error throws InputError with the file's name and the system's reason.
 */
class CsvFile
{
  public:
    /**
     * @param path file to create or empty
     * @param header column names; not empty
     * @throw InputError when it cannot be created
     */
    CsvFile(const std::string& path, const std::vector<std::string>& header);

    /// @param value next field of the row.
    CsvFile& Int(int64_t value)
    {
        return Number(value);
    }

    /// @copydoc Int(int64_t)
    CsvFile& Uint(uint64_t value)
    {
        return Number(value);
    }

    /// @copydoc Int(int64_t)
    CsvFile& Double(double value)
    {
        return Number(value);
    }

    /// @param ps next field, picoseconds; written as nanoseconds with three decimals.
    CsvFile& Ns(int64_t ps)
    {
        return Fixed(ps, 3);
    }

    /**
     * @param value next field, in units of the last decimal
     * @param decimals 1 to 12; 1500 with 3 is 1.500
     */
    CsvFile& Fixed(int64_t value, unsigned decimals);
    /// @param text next field; quoted if needed; "" leaves the field empty.
    CsvFile& Text(const std::string& text);
    /// @brief End the row. @throw std::logic_error when it has not as many fields as the header
    void EndRow();
    /**
     * @param values a whole row of integers
     * @throw std::logic_error when there are not as many as columns
     */
    void Row(std::initializer_list<int64_t> values);

    /**
     * @brief Write out and close; a second call does nothing.
     * @throw InputError when anything could not be written
     */
    void Close()
    {
        m_file.Close();
    }

    /**
     * @param fctPs flow completion time, not negative
     * @param idealPs ideal one, positive
     * @return their ratio with six decimals, rounded half up, by integer arithmetic
     * @throw InputError when an argument is out of range
     */
    static std::string FormatSlowdown(int64_t fctPs, int64_t idealPs);

  private:
    /// Begin a field: the separator, unless it is the row's first.
    void Separate();

    template <typename T>
    CsvFile& Number(T value)
    {
        Separate();
        m_file.Number(value);
        return *this;
    }

    BufferedFile m_file;
    size_t m_columns;   //!< fields per row
    size_t m_fields{0}; //!< fields of the current row so far
};

} // namespace ns3::roce

#endif /* ROCE_CSV_FILE_H */
