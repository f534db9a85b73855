# The C types of `word_pairs.py`.
cimport cython

cdef class PairTable:
    cdef readonly long long most_pairs
    cdef readonly long long used
    cdef readonly long long dropped
    cdef long long[::1] keys
    cdef long long[::1] counts

    @cython.locals(bead=Py_ssize_t, last=Py_ssize_t, target_last=Py_ssize_t, place=Py_ssize_t, word="long long",
                   other=Py_ssize_t)
    cpdef object add_beads(self, const long long[::1] source_words, const long long[::1] source_starts,
                           const long long[::1] target_words, const long long[::1] target_starts, Py_ssize_t most_words)

    @cython.locals(place=Py_ssize_t)
    cpdef object add_pairs(self, const long long[::1] keys, const long long[::1] counts)

    @cython.locals(place=Py_ssize_t)
    cdef int add(self, long long key, long long count) except -1

    @cython.locals(mask=Py_ssize_t, mixed="unsigned long long", place=Py_ssize_t)
    cdef Py_ssize_t place_of(self, long long key) except -1

    @cython.locals(size=Py_ssize_t)
    cdef int make_room(self) except -1

    @cython.locals(place=Py_ssize_t, at=Py_ssize_t)
    cdef int put(self, const long long[::1] keys, const long long[::1] counts) except -1

    cpdef tuple pairs(self)

@cython.locals(word="long long", kept=Py_ssize_t)
cpdef object count_together(
    const int[::1] source_words, const long long[::1] source_starts, const int[::1] target_words,
    const long long[::1] target_starts, Py_ssize_t sources, Py_ssize_t targets, Py_ssize_t most_words, int least
)

@cython.locals(bead=Py_ssize_t, place=Py_ssize_t, word=Py_ssize_t)
cdef int find_holders(const int[::1] words, const long long[::1] starts, Py_ssize_t size, Py_ssize_t most_words,
                      long long[::1] firsts, int[::1] holders) except -1

@cython.locals(seen=Py_ssize_t, holder=Py_ssize_t, bead=Py_ssize_t, place=Py_ssize_t, word=int, kept=Py_ssize_t,
               at=Py_ssize_t)
cdef Py_ssize_t count_partners(const int[::1] beads, const int[::1] words, const long long[::1] starts,
                               Py_ssize_t most_words, int least, int[::1] counts, int[::1] touched) except -1
