# See roce_modules in ../../CMakeLists.txt.
list(APPEND roce_modules
    systems/common/roce-shaped-scheduler
    systems/common/roce-datacenter-edge
)
list(APPEND roce_headers
    systems/common/roce-place-heap.h
    systems/common/roce-plain-queue.h
    systems/common/roce-token-bucket.h
)
