# The C types of `parse_trees.py`.
cimport cython
from gristmill.kernel.parse_states cimport put

cdef class Tree:
    cdef int[::1] heads, firsts, lasts, previous, next, cases, auxiliaries, subordinators
    cdef int[::1] tags, lefts, rights, order, relations, seen, words
    cdef Py_ssize_t size

    @cython.locals(size=Py_ssize_t, root=Py_ssize_t, at=Py_ssize_t, head=Py_ssize_t, child=Py_ssize_t)
    cdef void begin(self, const int[::1] types, const unsigned char[::1] tags, Py_ssize_t first,
                    Py_ssize_t last) noexcept

    @cython.locals(before=Py_ssize_t)
    cdef void add_child(self, Py_ssize_t head, Py_ssize_t at, int tag) noexcept

    @cython.locals(head=Py_ssize_t)
    cdef void name(self, Py_ssize_t at, int relation) noexcept

    @cython.locals(head=Py_ssize_t, before=Py_ssize_t, distance=Py_ssize_t, near=Py_ssize_t,
                   words="int[::1]")
    cdef void fill(self, unsigned int[::1] atoms, Py_ssize_t at, const int[::1] types,
                   const unsigned int[:, ::1] attributes, Py_ssize_t first, Py_ssize_t size) noexcept
