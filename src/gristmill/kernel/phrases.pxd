# The C types of `phrases.py`.
cimport cython

cdef const unsigned char[::1] KINDS, LOWER

@cython.locals(number=Py_ssize_t, block=Py_ssize_t, at=Py_ssize_t, found="unsigned int[::1]", starts="int[::1]",
               pairs="unsigned int[::1]")
cpdef object find_phrases(const unsigned char[::1] data, const int[::1] offsets)

@cython.locals(first=Py_ssize_t, place=Py_ssize_t, kind=int, word="unsigned long long", whole="unsigned long long",
               before="unsigned long long", words=Py_ssize_t, step=Py_ssize_t)
cdef Py_ssize_t add_block(const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end, unsigned int[::1] found,
                          Py_ssize_t at, unsigned int[::1] pairs) except -1

@cython.locals(number=Py_ssize_t, text=Py_ssize_t)
cdef Py_ssize_t check_texts(Py_ssize_t size, const int[::1] offsets) except -1

@cython.locals(blocks=Py_ssize_t, last=Py_ssize_t)
cdef Py_ssize_t check_table(Py_ssize_t number, const int[::1] starts, const unsigned int[::1] slots,
                            const float[::1] weights, float[:, ::1] table, Py_ssize_t row) except -1

@cython.locals(last="unsigned int", block=Py_ssize_t, known=Py_ssize_t, least=float, most=float, total=double,
               at=Py_ssize_t, place="unsigned int", steps="unsigned int", value=float)
cpdef object weigh(const unsigned int[::1] found, const int[::1] starts, const unsigned int[::1] slots,
                   const float[::1] weights, float[:, ::1] table, Py_ssize_t row)
