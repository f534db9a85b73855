# The C types of `roles.py`.
cimport cython

cdef const int[::1] TAG_SAYS
cdef int H1_CODE, H2_CODE

@cython.locals(size=Py_ssize_t, keys="int[::1]", values="int[::1]", number=int, at=Py_ssize_t, says=int, word=bytes)
cpdef word_table(dict words)

@cython.locals(number="unsigned int", place=Py_ssize_t, byte="unsigned char")
cdef int _hash(bytes data, Py_ssize_t at, Py_ssize_t end) except? -1

@cython.locals(page=_Page)
cpdef find_roles(const int[:, ::1] blocks, const int[:, ::1] elements, const int[::1] names, bytes data,
                 const int[::1] offsets, bytes title, const int[::1] keys, const int[::1] values)


cdef class _Page:
    cdef const int[:, ::1] blocks, elements
    cdef const int[::1] names
    cdef int[::1] found, says, first, tokens, known, titled, claims, around, region, title_keys
    cdef long long[:, ::1] sums, groups
    cdef Py_ssize_t size, number, title_words, headline, main, opening, closing

    @cython.locals(size=Py_ssize_t, keys="int[::1]", at=Py_ssize_t, end=Py_ssize_t, stop=Py_ssize_t, number=int,
                   place=Py_ssize_t)
    cdef read_title(self, bytes title)

    @cython.locals(at=Py_ssize_t)
    cdef scan(self, bytes data, const int[::1] offsets, const int[::1] keys, const int[::1] values)

    @cython.locals(tokens=int, known=int, titled=int, says=int, first=int, signs=int, mask=Py_ssize_t,
                   title_mask=Py_ssize_t, begin=Py_ssize_t, byte="unsigned char", stop=Py_ssize_t, about=int,
                   number=int, place=Py_ssize_t)
    cdef scan_text(self, Py_ssize_t block, bytes data, Py_ssize_t at, Py_ssize_t end, const int[::1] keys,
                   const int[::1] values)

    @cython.locals(element=Py_ssize_t, says=int)
    cdef claim(self)

    @cython.locals(words=int)
    cdef bint is_long(self, Py_ssize_t at) except? -1

    @cython.locals(sums="long long[:, ::1]", blocks="const int[:, ::1]", at=Py_ssize_t, words="long long")
    cdef add_up(self)

    cdef long long inside(self, Py_ssize_t row, Py_ssize_t element) except? -1

    @cython.locals(best=int, claimed="int[::1]", element=Py_ssize_t, away=int, at=Py_ssize_t, holder=Py_ssize_t,
                   code=int, tokens=int, is_heading=bint, says=int, value=int)
    cdef find_title(self)

    @cython.locals(level=int)
    cdef bint under(self, Py_ssize_t element, int code) except? -1

    @cython.locals(away="int[::1]", mass="long long[::1]", apart=int, element=Py_ssize_t, parent=Py_ssize_t, claims=int,
                   at=Py_ssize_t, words=int, value="long long", best="long long", begin=Py_ssize_t, end=Py_ssize_t)
    cdef find_main(self)

    @cython.locals(here="long long", everywhere="long long")
    cdef bint holds_most(self, Py_ssize_t element) except? -1

    cdef bint has_headline(self, Py_ssize_t element) except? -1

    @cython.locals(element=Py_ssize_t, parent=Py_ssize_t, role=int)
    cdef find_regions(self)

    @cython.locals(claims=int, first=Py_ssize_t, end=Py_ssize_t, holds_main=bint, number=Py_ssize_t, words="long long",
                   linked="long long", running="long long", links="long long", everything="long long", is_large=bint)
    cdef int region_of(self, Py_ssize_t element) except? -2

    @cython.locals(groups="long long[:, ::1]", at=Py_ssize_t, path=Py_ssize_t)
    cdef find_groups(self)

    @cython.locals(at=Py_ssize_t)
    cdef decide(self)

    @cython.locals(holder=Py_ssize_t, around=int, region=int, words=int, linked=int, says=int, kind=int, is_before=bint,
                   role=int)
    cdef int role_of(self, Py_ssize_t at) except? -2

    @cython.locals(says=int)
    cdef int role_of_heading(self, Py_ssize_t at, int words, int linked) except? -2

    @cython.locals(path=Py_ssize_t, words="long long", number="long long", says=int)
    cdef int role_of_links(self, Py_ssize_t at, int around) except? -2

    @cython.locals(tokens=int, known=int, first=int)
    cdef int role_of_short(self, Py_ssize_t at, int around, int says, int words, bint is_before) except? -2

    @cython.locals(found="int[::1]", behind=int, at=Py_ssize_t, role=int)
    cdef join(self)


@cython.locals(begin=Py_ssize_t, byte="unsigned char")
cdef Py_ssize_t _end_of_token(bytes data, Py_ssize_t at, Py_ssize_t end) except? -1

cdef Py_ssize_t _reach(bytes data, Py_ssize_t at, Py_ssize_t stop, Py_ssize_t end) except? -1

@cython.locals(byte="unsigned char", following="unsigned char")
cdef bint _is_sign(bytes data, Py_ssize_t at, Py_ssize_t end) except? -1
