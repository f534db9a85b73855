# The C types of `chunks.py`. Characters of a `str` and items of a `list` are read with a check of bounds.
cimport cython

@cython.final
cdef class Memory:
    cdef unsigned int[::1] hashes
    cdef unsigned char[::1] known
    cdef list keys, chunks
    cdef Py_ssize_t mask, count, turn
    cdef Py_ssize_t string_bytes, most_bytes

    @cython.locals(size=Py_ssize_t, keys=list, chunks=list)
    cdef int resize(self, Py_ssize_t rows) except -1

    cdef Py_ssize_t total(self) except -1

    @cython.locals(first=Py_ssize_t, place=Py_ssize_t)
    cdef Py_ssize_t find(self, str text, Py_ssize_t start, Py_ssize_t stop, unsigned int hashed) except -2

    @cython.locals(size=Py_ssize_t, place=Py_ssize_t)
    cdef Py_ssize_t add(self, str key, unsigned int hashed, int known, tuple chunk) except -1

    cdef int put(self, Py_ssize_t place, str key, unsigned int hashed, int known, tuple chunk) except -1

    @cython.locals(first=Py_ssize_t, place=Py_ssize_t)
    cdef Py_ssize_t free_place(self, unsigned int hashed) except -1

    @cython.locals(hashes="unsigned int[::1]", known="unsigned char[::1]", keys=list, chunks=list, before=Py_ssize_t,
                   place=Py_ssize_t)
    cdef int grow(self) except -1

@cython.final
cdef class TextReader:
    cdef object rules
    cdef const unsigned char[::1] kinds, pairs, dotted, marks
    cdef dict openers
    cdef list endings
    cdef int sure, joined
    cdef Memory memory

    @cython.locals(reading=Reading)
    cpdef tuple read(self, str text)

    cpdef Py_ssize_t kept_bytes(self) except -1

@cython.final
cdef class Reading:
    cdef TextReader reader
    cdef Memory memory
    cdef const unsigned char[::1] kinds
    cdef str text
    cdef Py_ssize_t length, number, first, begun, start
    cdef int mark
    cdef list words, starts, ends
    cdef tuple waiting
    cdef object endings

    @cython.locals(at=Py_ssize_t, end=Py_ssize_t)
    cdef int read(self) except -1

    @cython.locals(code=Py_UCS4)
    cdef int kind(self, Py_ssize_t at) except -1

    @cython.locals(reader=TextReader, memory=Memory, first=Py_ssize_t, hashed="unsigned long long", at=Py_ssize_t,
                   stop=Py_ssize_t, pair=int, mark=int, ending=int, place=Py_ssize_t, key=str, known=int)
    cdef Py_ssize_t read_plain(self, Py_ssize_t start) except -1

    @cython.locals(place=Py_ssize_t)
    cdef bint dot_ends(self, str key, unsigned int hashed, int known) except -1

    @cython.locals(word=str)
    cdef int write_plain(self, Py_ssize_t start, Py_ssize_t first, Py_ssize_t stop, str key, int ending) except -1

    @cython.locals(at=Py_ssize_t, hashed="unsigned long long", place=Py_ssize_t, key=str, chunk=tuple, words=tuple,
                   mark=int, inner=tuple)
    cdef Py_ssize_t read_other(self, Py_ssize_t start) except -1

    @cython.locals(end=Py_ssize_t, word=str)
    cdef int write(self, Py_ssize_t start, tuple words, tuple inner) except -1

    @cython.locals(mark=int, waiting=tuple, ended=Py_ssize_t, words=tuple, inner=tuple)
    cdef int settle(self, bint plainly, bint last) except -1

    @cython.locals(words=tuple, at=Py_ssize_t)
    cdef Py_ssize_t decide(self, int mark, tuple waiting) except -1

    @cython.locals(lengths=list, before=Py_ssize_t, end=Py_ssize_t)
    cdef list sentences(self)

cdef unsigned long long finish(unsigned long long hashed)

@cython.locals(at=Py_ssize_t)
cdef bint is_part(str key, str text, Py_ssize_t start, Py_ssize_t stop) except -1

@cython.locals(size=Py_ssize_t, word=str)
cdef Py_ssize_t bytes_of(str key, tuple chunk) except -1
