# See roce_modules in ../../CMakeLists.txt.
list(APPEND roce_modules
    systems/common/roce-shaped-scheduler
    systems/common/roce-datacenter-edge
)
list(APPEND roce_headers
    systems/common/roce-edge-flow-table.h
    systems/common/roce-place-heap.h
    systems/common/roce-plain-queue.h
    systems/common/roce-token-bucket.h
)
list(APPEND roce_sources
    systems/common/roce-edge-queue-series.cc
)
list(APPEND roce_private_headers
    systems/common/roce-edge-queue-series.h
)
