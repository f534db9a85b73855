# The C types of `parse_states.py`.
cimport cython

cdef class State:
    cdef int[::1] heads, lefts, lefts_2, rights, rights_2
    cdef int[::1] left_counts, right_counts, left_tags, right_tags, stack
    cdef int[::1] verbs, marks, conjunctions, words
    cdef Py_ssize_t size
    cdef Py_ssize_t depth
    cdef Py_ssize_t front
    cdef bint at_end

    @cython.locals(at=Py_ssize_t, tag=int)
    cdef void begin(self, const int[::1] types, const unsigned char[::1] tags, Py_ssize_t first,
                    Py_ssize_t last) noexcept

    cdef bint is_done(self) noexcept

    cdef void take_back(self) noexcept

    cdef bint may(self, int action) noexcept

    @cython.locals(top=Py_ssize_t)
    cdef void do(self, int action, const int[::1] types, const unsigned char[::1] tags, Py_ssize_t first) noexcept

    @cython.locals(top=Py_ssize_t, second=Py_ssize_t, third=Py_ssize_t, head=Py_ssize_t, front=Py_ssize_t,
                   rest=Py_ssize_t, words="int[::1]")
    cdef void fill(self, unsigned int[::1] atoms, const int[::1] types, const unsigned int[:, ::1] attributes,
                   Py_ssize_t first) noexcept

    @cython.locals(distance=Py_ssize_t, verbs=int, marks=int, conjunctions=int)
    cdef void fill_facts(self, unsigned int[::1] atoms, Py_ssize_t top, Py_ssize_t head, Py_ssize_t front,
                         Py_ssize_t rest) noexcept

@cython.locals(place=Py_ssize_t, attribute=Py_ssize_t, own=Py_ssize_t)
cdef void put(unsigned int[::1] atoms, const int[::1] words, const int[::1] types,
              const unsigned int[:, ::1] attributes, Py_ssize_t first) noexcept

@cython.locals(best=int, action=int)
cdef int best_of(State state, const int[::1] scores) noexcept
