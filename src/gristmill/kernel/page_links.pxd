# The C types of the variables of `page_links.py`.
cimport cython
from gristmill.kernel.references cimport resolve
from gristmill.kernel.tokens cimport Reader, is_word

cdef int _A, _AREA, _LINK, _BASE, _IMG

cdef class Links(Reader):
    cdef Py_ssize_t href, href_end, lang, lang_end, title, title_end, rel, rel_end, alt, alt_end
    cdef bint is_plain

    @cython.locals(data=bytes, at=Py_ssize_t, length=Py_ssize_t)
    cdef int read(self, Py_ssize_t start, Py_ssize_t end) except -1

    cdef bint is_alternate(self) except -1

    @cython.locals(data=bytes, at=Py_ssize_t, end=Py_ssize_t, place=Py_ssize_t, is_first=bint, is_plain=bint, byte="unsigned char", last="unsigned char")
    cdef bint trim(self) except -1

cdef int _is_web(bytes data, Py_ssize_t at, Py_ssize_t end) except -1

@cython.locals(size=Py_ssize_t, place=Py_ssize_t, begin=Py_ssize_t, end=Py_ssize_t, is_last=bint)
cdef bytes _label(
    bytes data, const int[::1] codes, const int[::1] starts, const int[::1] ends, Py_ssize_t tag, Links pictures,
    bytes bounds
)

@cython.locals(text=bytes)
cdef bytes _name(bytes data, Py_ssize_t begin, Py_ssize_t end, bytes bounds)

@cython.locals(
    found=dict, telling=list, base=bytes, left=Py_ssize_t, total=Py_ssize_t, links=Links, pictures=Links,
    tag=Py_ssize_t, code=int, address=bytes, label=bytes,
)
cpdef find_links(
    bytes data, const int[::1] codes, const int[::1] closing, const int[::1] starts, const int[::1] ends,
    frozenset names, bytes bounds
)
