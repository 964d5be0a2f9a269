# See roce_modules in ../../CMakeLists.txt.
list(APPEND roce_modules
    systems/bicc/roce-bicc-near-source
    systems/bicc/roce-bicc-receiver-side
    systems/bicc/roce-bicc
)
