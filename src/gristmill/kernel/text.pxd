# The C types of text.py.
cimport cython
from gristmill.kernel.references cimport reference_at, resolve

cdef const unsigned char[::1] CHARACTERS
cdef const unsigned char[::1] _BYTES
cdef const unsigned char[::1] _PER_WORD
cdef const unsigned long long[::1] _STEPS
cdef const unsigned long long[::1] _ONES

@cython.final
cdef class _Folding:
    cdef object buffer, offsets, counts
    cdef unsigned char[::1] out
    cdef unsigned char[::1] scratch
    cdef int[::1] ends
    cdef int[:, ::1] numbers
    cdef Py_ssize_t size, block
    cdef list breaks, careful, controlled
    cdef bint unusual, in_word, has_alphanumeric, is_unspaced, is_careful, is_controlled
    cdef int gap, items, script, run, unspaced_words, marks
    cdef int reset(self) except -1
    @cython.locals(block=Py_ssize_t)
    cdef int end_block(self) except -1
    cdef int white(self, int separator) except -1
    cdef int begin_word(self) except -1
    cdef int begin_plain(self) except -1
    @cython.locals(per_word=int)
    cdef int end_item(self) except -1
    @cython.locals(out="unsigned char[::1]", kinds="const unsigned char[::1]", byte=int, kind=int, size=Py_ssize_t, seen=int)
    cdef Py_ssize_t write(self, const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t end, bint resolve)
    @cython.locals(place=Py_ssize_t)
    cdef int resolved(self, bytes text) except -1
    @cython.locals(out="unsigned char[::1]", code=int, width=int, place=Py_ssize_t, stop=Py_ssize_t)
    cdef Py_ssize_t others(self, const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t end)
    @cython.locals(properties=int)
    cdef bint take(self, int code)
    @cython.locals(script=int)
    cdef int count(self, int properties) except -1
    cdef int note(self, int code) except -1

cdef int _width(int byte) noexcept

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

@cython.locals(number=Py_ssize_t, text=Py_ssize_t, places="const int[::1]", measuring=_Measuring)
cpdef measure(bytes data, offsets)

@cython.final
cdef class _Measuring:
    cdef const unsigned char[::1] data
    cdef int[:, ::1] rows
    @cython.locals(
        data="const unsigned char[::1]", steps="const unsigned long long[::1]", counts="unsigned long long",
        stop=Py_ssize_t, byte=int, width=int, length=Py_ssize_t, kind=int,
    )
    cdef int count(self, Py_ssize_t text, Py_ssize_t at, Py_ssize_t end) except -1
    @cython.locals(first=int, last=int)
    cdef int look_at_ends(self, Py_ssize_t text, Py_ssize_t at, Py_ssize_t end) except -1
    @cython.locals(width=int, code=int, place=Py_ssize_t)
    cdef int kind_at(self, Py_ssize_t at) except -1

@cython.locals(
    parts=list, end=Py_ssize_t, ends_link=bint, tag=Py_ssize_t, code=Py_ssize_t, what=int, start=Py_ssize_t,
    touches=bint, stop=Py_ssize_t, written=bytes,
)
cpdef bytes written_between(
    bytes data, const int[:, ::1] tags, const int[:, ::1] rules, const unsigned char[::1] hidden, Py_ssize_t before,
    Py_ssize_t behind
)
