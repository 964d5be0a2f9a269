# See roce_modules in ../../CMakeLists.txt.
list(APPEND roce_modules
    systems/uno/roce-uno-cc
    systems/uno/roce-uno-params
    systems/uno/roce-uno-window
    systems/uno/roce-uno-erasure
    systems/uno/roce-uno-erasure-receiver
    systems/uno/roce-uno-lb
)
list(APPEND roce_headers
    systems/uno/roce-block-code.h
)
list(APPEND roce_sources
    systems/uno/roce-uno-presets.cc
)
