// SPDX-License-Identifier: GPL-2.0-only
#include "roce-error-model-loss.h"

#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/packet.h"
#include "ns3/pointer.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-object-lock.h"

#include <utility>

namespace ns3::roce
{

NS_OBJECT_ENSURE_REGISTERED(ErrorModelLoss);

TypeId
ErrorModelLoss::GetTypeId()
{
    static TypeId tid = TypeId("ns3::roce::ErrorModelLoss")
                            .SetParent<LossModel>()
                            .SetGroupName("Roce")
                            .AddConstructor<ErrorModelLoss>()
                            .AddAttribute("ErrorModel",
                                          "The model that decides",
                                          PointerValue(),
                                          MakePointerAccessor(&ErrorModelLoss::SetErrorModel,
                                                              &ErrorModelLoss::GetErrorModel),
                                          MakePointerChecker<ErrorModel>());
    return tid;
}

ErrorModelLoss::~ErrorModelLoss() = default;

void
ErrorModelLoss::DoDispose()
{
    m_model = nullptr;
    LossModel::DoDispose();
}

void
ErrorModelLoss::SetErrorModel(Ptr<ErrorModel> model)
{
    m_model = std::move(model);
}

Ptr<ErrorModel>
ErrorModelLoss::GetErrorModel() const
{
    return m_model;
}

void
ErrorModelLoss::Check() const
{
    if (!m_model)
    {
        throw InputError("ns3::roce::ErrorModelLoss: ErrorModel is null, expected an ErrorModel");
    }
}

bool
ErrorModelLoss::CanLose() const
{
    const ErrorModel* model = PeekPointer(m_model);
    if (const auto* list = dynamic_cast<const ListErrorModel*>(model))
    {
        return !list->GetList().empty();
    }
    if (const auto* list = dynamic_cast<const ReceiveListErrorModel*>(model))
    {
        return !list->GetList().empty();
    }
    DoubleValue rate(1);
    return model && model->IsEnabled() &&
           (!model->GetAttributeFailSafe("ErrorRate", rate) || rate.Get() > 0);
}

int64_t
ErrorModelLoss::AssignStreams(int64_t stream)
{
    if (auto* rate = dynamic_cast<RateErrorModel*>(PeekPointer(m_model)))
    {
        return rate->AssignStreams(stream);
    }
    if (auto* burst = dynamic_cast<BurstErrorModel*>(PeekPointer(m_model)))
    {
        return burst->AssignStreams(stream);
    }
    return 0;
}

void
ErrorModelLoss::Restart()
{
}

bool
ErrorModelLoss::DoIsLost(const Frame& frame, int64_t)
{
    if (!m_model)
    {
        return false;
    }
    const ObjectLock lock; // held until the packet is gone
    return m_model->IsCorrupt(Create<Packet>(frame.frameBytes));
}

} // namespace ns3::roce
