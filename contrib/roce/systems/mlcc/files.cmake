# See roce_modules in ../../CMakeLists.txt.
list(APPEND roce_modules
    systems/mlcc/roce-mlcc
    systems/mlcc/roce-mlcc-header
    systems/mlcc/roce-mlcc-params
    systems/mlcc/roce-mlcc-loop
    systems/mlcc/roce-mlcc-dqm
    systems/mlcc/roce-mlcc-credit
    systems/mlcc/roce-mlcc-near-source
    systems/mlcc/roce-mlcc-receiver-side
)
list(APPEND roce_headers
    systems/mlcc/roce-mlcc-edge.h
)
list(APPEND roce_sources
    systems/mlcc/roce-mlcc-presets.cc
)
