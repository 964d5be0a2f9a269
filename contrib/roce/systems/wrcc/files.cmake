# See roce_modules in ../../CMakeLists.txt.
list(APPEND roce_modules
    systems/wrcc/roce-wrcc
    systems/wrcc/roce-wrcc-header
    systems/wrcc/roce-wrcc-port-rate
    systems/wrcc/roce-wrcc-fair-rate
)
list(APPEND roce_sources
    systems/wrcc/roce-wrcc-presets.cc
    systems/wrcc/roce-wrcc-fair-rate-attributes.cc
)
