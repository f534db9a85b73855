# The C types of `role_texts.py`.
cimport cython

cdef const unsigned char[::1] _CODE_SIGNS, _END_SIGNS, _SMALL
cdef int _OF_BYLINES

@cython.locals(size=Py_ssize_t, keys="int[::1]", values="int[::1]", place=Py_ssize_t, says=int, word=bytes)
cpdef word_table(dict words)

@cython.locals(number=Py_ssize_t, reader=_Reader, text=Py_ssize_t)
cpdef read_texts(bytes data, const int[::1] offsets, bytes title, const int[::1] keys, const int[::1] values)

@cython.locals(number=Py_ssize_t, text=Py_ssize_t)
cdef Py_ssize_t _check(Py_ssize_t size, const int[::1] offsets, const int[::1] keys, const int[::1] values) except -1

@cython.locals(size=Py_ssize_t, keys="int[::1]", at=Py_ssize_t, end=Py_ssize_t, stop=Py_ssize_t,
               scanner=_Scanner)
cdef _words_of(bytes title)


cdef class _Scanner:
    cdef bytes data
    cdef int number

    @cython.locals(data=bytes, begin=Py_ssize_t, number="unsigned int", small=bint, byte="unsigned char",
                   stop=Py_ssize_t)
    cdef Py_ssize_t scan(self, Py_ssize_t at, Py_ssize_t end) except? -1

    @cython.locals(stop=Py_ssize_t, is_pair=bint)
    cdef Py_ssize_t scan_pair(self, Py_ssize_t at, Py_ssize_t end) except? -1


cdef class _Reader(_Scanner):
    cdef const int[::1] title, keys, values
    cdef int[:, ::1] found
    cdef Py_ssize_t text
    cdef int says, tokens, known, titled

    @cython.locals(data=bytes, begin=Py_ssize_t, signs=int, last=int, stop=Py_ssize_t, byte="unsigned char")
    cdef read(self, Py_ssize_t text, Py_ssize_t at, Py_ssize_t end)

    cdef bint is_code(self, int signs, int first) except? -1

    @cython.locals(data=bytes, code=int)
    cdef int look_at_end(self, Py_ssize_t at, Py_ssize_t end) except? -1

    @cython.locals(number=int, about=int, byte="unsigned char")
    cdef int read_word(self, Py_ssize_t at, Py_ssize_t stop, int last) except? -1

    @cython.locals(mask=Py_ssize_t, place=Py_ssize_t)
    cdef int look_up(self, int number) noexcept

    @cython.locals(mask=Py_ssize_t, place=Py_ssize_t)
    cdef bint is_in_title(self, int number) noexcept


cdef bint _is_century(int first, int second) noexcept

@cython.locals(mask=Py_ssize_t, place=Py_ssize_t, step=Py_ssize_t)
cdef Py_ssize_t _find(const int[::1] keys, int number) except? -1

@cython.locals(number="unsigned int", place=Py_ssize_t)
cdef int _hash(bytes data, Py_ssize_t at, Py_ssize_t end) except? -1

cdef int _finished(unsigned int number) noexcept

cdef Py_ssize_t _end_of_character(bytes data, Py_ssize_t at, Py_ssize_t end) except? -1

@cython.locals(byte="unsigned char", following="unsigned char")
cdef bint _is_sign(bytes data, Py_ssize_t at, Py_ssize_t end) except? -1
