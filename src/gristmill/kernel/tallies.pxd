# The C types of `tallies.py`.
cimport cython

@cython.locals(number=Py_ssize_t, at="long long")
cpdef count_between(const int[::1] keys, const long long[::1] starts, const long long[::1] ends, int[::1] counts)

@cython.locals(least=int, most=int, at="long long")
cdef int check(const int[::1] keys, const long long[::1] starts, const long long[::1] ends,
               long long values) except -1

@cython.locals(at="long long")
cdef int check_codes(const long long[::1] codes, long long parts, long long numbers, int shift) except -1

@cython.locals(most="long long", highest="long long", at="long long", written="long long", number=Py_ssize_t, code="long long",
               following="long long", place="long long")
cpdef tabulate_pairs(const int[::1] keys, const long long[::1] starts, const long long[::1] ends,
                     const unsigned short[::1] codes, long long width, unsigned short[::1] counters,
                     long long[::1] wrapped)

@cython.locals(room="long long", last="long long", lower="long long", left_out="long long", number=Py_ssize_t, code="long long",
               at="long long", following="long long", both="long long", part="long long", place="long long")
cpdef gather_pairs(const int[::1] keys, const long long[::1] starts, const long long[::1] ends,
                   const long long[::1] codes, const long long[::1] numbers, int shift, long long[::1] places,
                   unsigned int[::1] pairs)

@cython.locals(tallies="long long[::1]", touched="int[::1]", room="long long", inner="int[::1]",
               cursors="long long[::1]", bound="long long", written="long long", types="long long",
               occurrences="long long", frequent="long long", part=Py_ssize_t, first="long long", start="long long",
               different="long long", at="long long", count="long long")
cpdef count_pairs(const unsigned int[::1] pairs, const long long[::1] begins, const long long[::1] ends,
                  const long long[::1] numbers, int shift, const long long[::1] firsts, int[::1] counters,
                  long long least, long long limit, long long[::1] found, long long[::1] counts)

@cython.locals(part=Py_ssize_t, at="long long")
cdef int check_parts(const unsigned int[::1] pairs, const long long[::1] begins, const long long[::1] ends,
                     const long long[::1] numbers, int shift, const long long[::1] firsts, long long size) except -1

@cython.locals(at="long long")
cdef int check_counters(const int[::1] counters, long long least) except -1

@cython.locals(first="long long", at="long long", mask="long long", pair="long long", room="long long",
               size="long long")
cdef int spread_out(const unsigned int[::1] pairs, long long begin, long long end, long long low, long long high,
                    int shift, const long long[::1] firsts, long long[::1] cursors, int[::1] inner) except -1

@cython.locals(second=int, at="long long", different="long long")
cdef long long count_seconds(const int[::1] inner, long long start, long long end, int[::1] counters,
                             int[::1] touched) except -1
