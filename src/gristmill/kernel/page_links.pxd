# The C types of the variables of `page_links.py`.
cimport cython
from gristmill.kernel.references cimport resolve
from gristmill.kernel.tokens cimport Reader, is_word

cdef bytes IS_NAME
cdef int _A, _AREA, _LINK, _BASE, _IMG

cdef class Links(Reader):
    cdef bytes bounds, label
    cdef Py_ssize_t href, href_end, lang, lang_end, title, title_end, rel, rel_end, alt, alt_end, left, count
    cdef int kind
    cdef object spans_array
    cdef int[:, ::1] spans
    cdef list telling

    @cython.locals(length=Py_ssize_t)
    cdef int read(self, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(data=bytes, at=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t)
    cdef int read_other(self, Py_ssize_t length) except -1

    cdef bint is_alternate(self) except -1

    @cython.locals(data=bytes, at=Py_ssize_t, end=Py_ssize_t, kind=int, byte="unsigned char", last="unsigned char")
    cdef bint trim(self) except -1

    @cython.locals(address=bytes, label=bytes)
    cdef int note(self, frozenset names, bint is_anchor) except -1

    @cython.locals(data=bytes, text=bytes)
    cdef bytes name(self, Py_ssize_t begin, Py_ssize_t end)

@cython.locals(size=Py_ssize_t, place=Py_ssize_t, begin=Py_ssize_t, end=Py_ssize_t, is_last=bint)
cdef bytes _label(
    bytes data, const int[::1] codes, const int[::1] starts, const int[::1] ends, Py_ssize_t tag, Links pictures
)

cdef bint _is_amp(bytes data, Py_ssize_t at, Py_ssize_t end) except -1

cdef bint _is_reference(bytes data, Py_ssize_t at, Py_ssize_t end) except -1

cdef int _kind(bytes data, Py_ssize_t at, Py_ssize_t end) except -1

@cython.locals(place=Py_ssize_t)
cdef bint _may_be_web(bytes data, Py_ssize_t at, Py_ssize_t end) except -1

@cython.locals(links=Links, pictures=Links, base=bytes, tag=Py_ssize_t, code=int, count=int)
cpdef find_links(
    bytes data, const int[::1] codes, const int[::1] closing, const int[::1] starts, const int[::1] ends,
    frozenset names, bytes bounds
)

@cython.locals(
    writer=Writer, size="long long", longest="long long", text=bytes, place=Py_ssize_t, number=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t,
    kind=int,
)
cpdef join_links(bytes data, const int[:, ::1] spans, tuple before, list unusual, bytes own)

cdef class Writer:
    cdef bytearray kept
    cdef unsigned char[::1] written
    cdef object offsets_array
    cdef int[::1] offsets, table
    cdef Py_ssize_t count, size, end, mask, hash

    @cython.locals(written="unsigned char[::1]", at=Py_ssize_t, byte="unsigned char", number="long long")
    cdef int write(self, bytes before, bytes data, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(length=Py_ssize_t)
    cdef int finish(self, bytes own) except -1

    @cython.locals(at=Py_ssize_t)
    cdef bint is_own(self, bytes own) except -1

    @cython.locals(place=Py_ssize_t, tries=int)
    cdef bint is_new(self) except -1

    @cython.locals(written="unsigned char[::1]", at=Py_ssize_t, end=Py_ssize_t, start=Py_ssize_t)
    cdef bint equals(self, Py_ssize_t number) except -1
