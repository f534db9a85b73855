# The C types of `parse_features.py`.
cimport cython

cdef unsigned int MASK

cdef class KeyTable:
    cdef unsigned int[:, ::1] places
    cdef Py_ssize_t mask
    cdef unsigned char[::1] bits
    cdef Py_ssize_t bits_mask
    cdef readonly Py_ssize_t size

    @cython.locals(place=Py_ssize_t)
    cdef Py_ssize_t find(self, unsigned int key) noexcept

cdef class Features:
    cdef const int[:, ::1] templates
    cdef KeyTable table
    cdef unsigned int[::1] atoms
    cdef int[::1] rows
    cdef Py_ssize_t count
    cdef unsigned int[::1] keys
    cdef int[::1] candidates, sizes, numbers
    cdef int[:, ::1] columns
    cdef unsigned int[::1] seeds

    @cython.locals(key="unsigned int", place=Py_ssize_t, atom=Py_ssize_t)
    cdef unsigned int key(self, Py_ssize_t template) noexcept

    @cython.locals(number=Py_ssize_t, place=Py_ssize_t, key="unsigned int")
    cdef void find_keys(self) noexcept

    @cython.locals(count=Py_ssize_t, template=Py_ssize_t, number=Py_ssize_t, place=Py_ssize_t, row=Py_ssize_t)
    cdef void look_up(self) noexcept

@cython.locals(template=Py_ssize_t, place=Py_ssize_t)
cdef int check_templates(const int[:, ::1] templates, Py_ssize_t atoms) except -1

@cython.locals(at=Py_ssize_t, longest=Py_ssize_t)
cdef Py_ssize_t check_sentences(const int[::1] types, const int[::1] starts, const unsigned int[:, ::1] attributes,
                                const unsigned char[::1] tags) except -1
