# With --help, the comment at the head of the script that sources this file is printed, and the script ends.
if [[ ${1:-} == --help ]]; then
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
    exit 0
fi
