# The C types of text.py.
cimport cython
from gristmill.kernel.references cimport reference_at

cdef const unsigned char[::1] CHARACTERS
cdef const unsigned char[::1] _BYTES
cdef const unsigned char[::1] _PER_WORD

@cython.final
cdef class _Folding:
    cdef object buffer, offsets, counts
    cdef unsigned char[::1] out
    cdef int[::1] ends
    cdef int[:, ::1] numbers
    cdef Py_ssize_t size, start, block
    cdef list breaks, careful, controlled
    cdef bint unusual, in_word, has_alphanumeric, is_unspaced, is_careful, is_controlled
    cdef int gap, items, script, run, unspaced_words, marks
    cdef void reset(self)
    @cython.locals(block=Py_ssize_t)
    cdef void end_block(self)
    cdef void white(self, int separator)
    cdef void begin_word(self)
    @cython.locals(per_word=int)
    cdef void end_item(self)
    @cython.locals(out="unsigned char[::1]", kinds="const unsigned char[::1]", kind=int, size=Py_ssize_t, seen=int)
    cdef Py_ssize_t write(self, const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t end, bint resolve)
    @cython.locals(out="unsigned char[::1]", code=int, high=int, width=int, place=Py_ssize_t)
    cdef Py_ssize_t others(self, const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t end)
    @cython.locals(properties=int)
    cdef bint take(self, int code)
    @cython.locals(script=int)
    cdef void count(self, int properties)
    cdef void note(self, int code)

@cython.locals(properties=int)
cdef int _beyond(int code)

@cython.locals(
    view="const unsigned char[::1]", rows="const int[:, :]", number=Py_ssize_t, room=Py_ssize_t, blocks=Py_ssize_t,
    piece=Py_ssize_t, folding=_Folding, separator=int, at=Py_ssize_t, end=Py_ssize_t, text=bytes,
)
cdef _Folding _fold(bytes data, pieces)

@cython.locals(items=int, in_item=bint, byte=int)
cdef int _items(const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t end)

@cython.locals(folding=_Folding)
cpdef tuple write(bytes data, pieces)

@cython.locals(number=Py_ssize_t, text=Py_ssize_t, rows="int[:, ::1]", places="const int[::1]", view="const unsigned char[::1]")
cpdef measure(bytes data, offsets)

@cython.locals(
    characters="const unsigned char[::1]", letters=int, length=int, code=int, kind=int, first=int, width=int
)
cdef void _measure_one(const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t end, int[:, ::1] rows, Py_ssize_t text)
