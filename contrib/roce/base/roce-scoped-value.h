// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_SCOPED_VALUE_H
#define ROCE_SCOPED_VALUE_H

namespace ns3::roce
{

/**
 * @brief Gives a variable a value until the end of a scope, and another one then, even if an
 * exception is thrown.
 *
 * @tparam T type of the variable
 */
template <typename T>
class ScopedValue
{
  public:
    /**
     * @param variable outlives this
     * @param now its value until the end of the scope
     * @param then its value from then on
     */
    ScopedValue(T& variable, T now, T then)
        : m_variable(variable),
          m_then(then)
    {
        m_variable = now;
    }

    ~ScopedValue()
    {
        m_variable = m_then;
    }

    ScopedValue(const ScopedValue&) = delete;
    ScopedValue& operator=(const ScopedValue&) = delete;

  private:
    T& m_variable;
    const T m_then;
};

} // namespace ns3::roce

#endif /* ROCE_SCOPED_VALUE_H */
