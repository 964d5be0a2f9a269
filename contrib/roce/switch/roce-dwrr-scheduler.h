// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_DWRR_SCHEDULER_H
#define ROCE_DWRR_SCHEDULER_H

#include "ns3/roce-egress-scheduler.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3::roce
{

/**
 * @brief Strict priority for the control classes, byte-deficit round robin between the others.
 *
 * Deficit round robin (Shreedhar and Varghese, SIGCOMM 1995): a class may send while its deficit
 * covers the frame; each visit adds weight times the quantum. So classes share by bytes, whatever
 * their frame sizes. With a quantum of 0 they share by frames: each visit sends as many as the
 * weight says, whatever their sizes.
 */
class DwrrScheduler : public EgressScheduler
{
  public:
    static TypeId GetTypeId();

    /**
     * @brief Set the share of a data class.
     * @param trafficClass 0..7
     * @param weight 1 to MAX_WEIGHT
     */
    void SetWeight(uint8_t trafficClass, uint32_t weight);

    /**
     * @brief Set all shares.
     * @param text for example `3:2,4:5`: classes and their weights; others have weight 1
     * @throw InputError for anything else
     */
    void SetWeights(const std::string& text);

    /**
     * @brief Read shares of classes.
     * @param what for the message
     * @param text see SetWeights()
     * @param most largest weight
     * @return by class
     * @throw InputError for anything else
     */
    static std::array<uint32_t, N_CLASSES> ParseWeights(const char* what,
                                                        const std::string& text,
                                                        uint32_t most);

    /// @return the shares that are not 1, as SetWeights() takes them
    std::string GetWeights() const;

    /// @brief Take over strict classes, quantum and weights. @param other scheduler that has them
    void CopySettings(const DwrrScheduler& other);

    /// The largest weight.
    static constexpr uint32_t MAX_WEIGHT = 1000000;

    // inherited from EgressScheduler
    void CheckAttributes() const override;
    Ptr<EgressScheduler> MakeAlike() const override;
    Frame* FindLast(uint8_t trafficClass) const override;

  protected:
    void DoEnqueue(Frame* frame, int64_t nowPs) override;
    Frame* DoDequeue(uint32_t pausedMask, int64_t nowPs) override;

    /// @param trafficClass 0..7
    FrameQueue& GetQueue(unsigned trafficClass)
    {
        return m_classes[PlaceOf(trafficClass)].queue;
    }

    /// @param trafficClass 0..7
    const FrameQueue& GetQueue(unsigned trafficClass) const
    {
        return m_classes[PlaceOf(trafficClass)].queue;
    }

    /// @brief A class has something to send. @param trafficClass 0..7
    void Activate(unsigned trafficClass)
    {
        m_active |= 1U << trafficClass;
    }

    /// @brief A class has nothing to send and gives up its turn. @param trafficClass 0..7
    void Deactivate(unsigned trafficClass)
    {
        m_active &= ~(1U << trafficClass);
        m_classes[PlaceOf(trafficClass)].deficitBytes = 0;
    }

    /**
     * @brief Choose the class whose turn it is. A template, so that subclasses with several queues
     * for a class cost this one nothing.
     * @param pausedMask classes that must not be sent
     * @param headBytes callable: class to the size of the frame that pop would return
     * @param pop callable: class to a frame that it takes out; calls Deactivate() after the last
     * @return the frame, or null if none may be sent
     */
    template <typename HeadBytes, typename Pop>
    Frame* Choose(uint32_t pausedMask, const HeadBytes& headBytes, const Pop& pop);

  private:
    void TakeWeights(const std::string& text);
    void SetQuantum(uint32_t bytes);
    uint32_t GetQuantum() const;

    unsigned NextClass(uint32_t mask) const
    {
        const uint32_t after = mask & ~((2U << m_current) - 1);
        return __builtin_ctz(after ? after : mask);
    }

    /// What belongs to one class.
    struct Class
    {
        FrameQueue queue;
        uint64_t deficitBytes{0}; //!< frames with a quantum of 0
        uint32_t weight{1};
    };

    uint32_t m_active{0};                   //!< bit c: class c has frames
    uint32_t m_current{0};                  //!< class whose turn it is
    uint32_t m_quantumBytes{0};             //!< attribute Quantum; 0: turns count frames
    uint8_t m_strictMask{0};                //!< attribute StrictClasses
    std::array<Class, N_CLASSES> m_classes; //!< see PlaceOf(); the first is in the same cache line
    std::string m_weightsError;             //!< what is wrong with attribute Weights, or nothing
};

template <typename HeadBytes, typename Pop>
inline Frame*
DwrrScheduler::Choose(uint32_t pausedMask, const HeadBytes& headBytes, const Pop& pop)
{
    const uint32_t eligible = m_active & ~pausedMask;
    if (!eligible)
    {
        return nullptr;
    }
    if (const uint32_t strict = eligible & m_strictMask)
    {
        return pop(31 - __builtin_clz(strict));
    }
    if (!(eligible & (eligible - 1)))
    {
        // One class alone: turns and deficits have no meaning.
        m_current = __builtin_ctz(eligible);
        m_classes[PlaceOf(m_current)].deficitBytes = 0;
        return pop(m_current);
    }
    while (true)
    {
        if (eligible >> m_current & 1)
        {
            const uint32_t bytes = m_quantumBytes ? headBytes(m_current) : 1;
            if (bytes <= m_classes[PlaceOf(m_current)].deficitBytes)
            {
                m_classes[PlaceOf(m_current)].deficitBytes -= bytes;
                return pop(m_current);
            }
        }
        m_current = NextClass(eligible);
        Class& current = m_classes[PlaceOf(m_current)];
        current.deficitBytes +=
            static_cast<uint64_t>(current.weight) * (m_quantumBytes ? m_quantumBytes : 1);
    }
}

} // namespace ns3::roce

#endif /* ROCE_DWRR_SCHEDULER_H */
