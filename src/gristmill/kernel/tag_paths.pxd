# The C types of `tag_paths.py`.
cimport cython

@cython.locals(words=Py_ssize_t, labels=Py_ssize_t, longest=Py_ssize_t, sentence=Py_ssize_t, tags="unsigned char[::1]",
               caseless="unsigned char[::1]", sums="int[:, ::1]", backward="unsigned char[:, ::1]", first=Py_ssize_t,
               last=Py_ssize_t, at=Py_ssize_t, now=Py_ssize_t, best=Py_ssize_t)
cpdef find_tags(const int[::1] types, const int[::1] starts, const unsigned char[::1] traits,
                const short[:, :, ::1] scores, const int[:, ::1] steps)

@cython.locals(labels=Py_ssize_t, label=Py_ssize_t, most=int, best=Py_ssize_t, before=Py_ssize_t, sum_=int)
cdef void step(int[:, ::1] sums, const int[:, ::1] steps, unsigned char[:, ::1] backward, Py_ssize_t at,
               Py_ssize_t now) noexcept

@cython.locals(best=Py_ssize_t, label=Py_ssize_t)
cdef Py_ssize_t best_of(const int[:, ::1] sums, Py_ssize_t labels, Py_ssize_t now) noexcept

@cython.locals(long_words=Py_ssize_t, capitals=Py_ssize_t, at=Py_ssize_t, everywhere=bint)
cdef void mark_caseless(const int[::1] types, const unsigned char[::1] traits, unsigned char[::1] caseless,
                        Py_ssize_t first, Py_ssize_t last) noexcept

@cython.locals(own=Py_ssize_t, role=Py_ssize_t, before=Py_ssize_t, behind=Py_ssize_t, far_before=Py_ssize_t,
               far_behind=Py_ssize_t, label=Py_ssize_t)
cdef void add_scores_of(const int[::1] types, const unsigned char[::1] caseless, const short[:, :, ::1] scores,
                        int[:, ::1] sums, Py_ssize_t at, Py_ssize_t first, Py_ssize_t last, Py_ssize_t now) noexcept

@cython.locals(bundles="int[::1]", labels=Py_ssize_t, sums="int[::1]", sentence=Py_ssize_t, first=Py_ssize_t,
               last=Py_ssize_t, at=Py_ssize_t, low=Py_ssize_t, high=Py_ssize_t, own=Py_ssize_t, role=Py_ssize_t,
               before=Py_ssize_t, behind=Py_ssize_t, label=Py_ssize_t, best=Py_ssize_t, most=int, bundle=Py_ssize_t,
               sum_=int, place=Py_ssize_t)
cpdef find_bundles(const int[::1] types, const int[::1] starts, const unsigned char[::1] tags,
                   const unsigned char[::1] caseless, const unsigned char[::1] traits, const short[:, :, ::1] scores,
                   const int[::1] bundle_starts, const int[::1] value_starts, const int[::1] values)

@cython.locals(at=Py_ssize_t)
cdef int check(const int[::1] types, const int[::1] starts, const unsigned char[::1] traits,
               const short[:, :, ::1] scores, int roles) except -1

@cython.locals(at=Py_ssize_t)
cdef int check_words(const int[::1] types, const unsigned char[::1] tags, const unsigned char[::1] caseless) except -1

@cython.locals(known=Py_ssize_t, bundles=Py_ssize_t, at=Py_ssize_t)
cdef int check_bundles(const unsigned char[::1] tags, const short[:, :, ::1] scores, const int[::1] bundle_starts,
                       const int[::1] value_starts, const int[::1] values) except -1

@cython.locals(number=Py_ssize_t, row=Py_ssize_t, label=Py_ssize_t)
cdef void add_rows(short[:, :, ::1] sums, Py_ssize_t word, Py_ssize_t role, const signed char[:, ::1] weights,
                   const int[:, ::1] rows, Py_ssize_t count) except *
