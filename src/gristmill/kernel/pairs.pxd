# The C types of `pairs.py`.
cimport cython

@cython.locals(parts="long long", left_out="long long", number=Py_ssize_t, code="long long", at=Py_ssize_t,
               following="long long", part=Py_ssize_t)
cpdef gather_pairs(const int[::1] keys, const long long[::1] starts, const long long[::1] ends,
                   const long long[::1] codes, long long[::1] places, long long[::1] pairs)

@cython.locals(tallies="long long[::1]", touched="int[::1]", room="long long", inner="int[::1]",
               cursors="long long[::1]", bound="long long", written="long long", types="long long",
               occurrences="long long", frequent="long long", part=Py_ssize_t, first="long long", start="long long",
               different="long long", at="long long", count="long long")
cpdef count_pairs(const long long[::1] pairs, const long long[::1] begins, const long long[::1] ends,
                  const long long[::1] numbers, const long long[::1] firsts, int[::1] counters, long long least,
                  long long limit, long long[::1] found, long long[::1] counts)

@cython.locals(first="long long", at="long long")
cdef int spread_out(const long long[::1] pairs, long long begin, long long end, long long low, long long high,
                    const long long[::1] firsts, long long[::1] cursors, int[::1] inner) except -1

@cython.locals(second=int, at="long long", different="long long")
cdef long long count_seconds(const int[::1] inner, long long start, long long end, int[::1] counters,
                             int[::1] touched) except -1
