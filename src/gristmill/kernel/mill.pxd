# The C types of `mill.py`.
cimport cython

cdef Py_ssize_t MAIN_CODE, ARTICLE_CODE, BODY_CODE, WINDOWS_NUMBER
cdef double MAX_LONG_LINK_DENSITY
cdef const double[::1] LOGS
cdef const int[::1] HOLDER_PLACES, AROUND_PLACES, WIDTHS

cdef double _log(Py_ssize_t number) except? -1
cdef double _share(double part, double whole) noexcept


cdef class Page:
    cdef float[:, ::1] table
    cdef const int[:, ::1] blocks, measures, elements
    cdef Py_ssize_t size, number
    cdef long long[:, ::1] sums

    @cython.locals(table="float[:, ::1]", blocks="const int[:, ::1]", measures="const int[:, ::1]", at=Py_ssize_t,
                   words=Py_ssize_t, length=Py_ssize_t, stops=Py_ssize_t, commas=Py_ssize_t, digits=Py_ssize_t)
    cdef own(self)

    @cython.locals(blocks="const int[:, ::1]", measures="const int[:, ::1]", sums="long long[:, ::1]", at=Py_ssize_t,
                   words="long long", links="long long", is_long=bint)
    cdef add_up(self)

    @cython.locals(end=Py_ssize_t, first=Py_ssize_t, total="long long")
    cdef long long inside(self, Py_ssize_t row, Py_ssize_t element) except? -1

    @cython.locals(found=bint)
    cdef bint is_long(self, Py_ssize_t at) except? -1

    @cython.locals(table="float[:, ::1]", blocks="const int[:, ::1]", elements="const int[:, ::1]", at=Py_ssize_t,
                   bits="long long[::1]", depths="long long[::1]", element=Py_ssize_t, place=Py_ssize_t)
    cdef holders(self)

    @cython.locals(table="float[:, ::1]", elements="const int[:, ::1]", sums="long long[:, ::1]", at=Py_ssize_t,
                   found="float[:, ::1]", element=Py_ssize_t, level=Py_ssize_t, row=Py_ssize_t, number="long long",
                   words="long long", long_words="long long", stops="long long", all_words="long long",
                   all_long="long long")
    cdef levels(self)

    @cython.locals(blocks="const int[:, ::1]", elements="const int[:, ::1]", groups="int[::1]", starts="int[::1]",
                   order="int[::1]", seen="int[:, ::1]", largest_path=int, largest_name=int, at=Py_ssize_t,
                   element=Py_ssize_t, path=Py_ssize_t, place=Py_ssize_t, name=Py_ssize_t, number=int)
    cdef named(self)

    @cython.locals(table="float[:, ::1]", sums="long long[:, ::1]", largest=int, at=Py_ssize_t, place=Py_ssize_t,
                   row=Py_ssize_t, found="long long[:, ::1]", sizes="long long[::1]", means="double[::1]",
                   words="long long")
    cdef group(self, const int[::1] groups, Py_ssize_t step)

    @cython.locals(scores="const double[::1]", best=Py_ssize_t, largest=Py_ssize_t, element=Py_ssize_t,
                   at=Py_ssize_t, level=Py_ssize_t, highest=double)
    cdef main(self)

    @cython.locals(points="double[:, ::1]", at=Py_ssize_t, element=Py_ssize_t, parent=Py_ssize_t, words="long long",
                   given=double, density=double, scores="double[::1]")
    cdef scores(self)

    @cython.locals(table="float[:, ::1]", first=Py_ssize_t, end=Py_ssize_t, words="long long", share=double,
                   density=double, at=Py_ssize_t)
    cdef distances(self, Py_ssize_t place, Py_ssize_t element)

    @cython.locals(table="float[:, ::1]", sums="long long[:, ::1]", size=Py_ssize_t, at=Py_ssize_t,
                   all_words="long long", all_long="long long")
    cdef positions(self)

    @cython.locals(sums="long long[:, ::1]", size=Py_ssize_t, steps=Py_ssize_t, at=Py_ssize_t)
    cdef nearest(self, Py_ssize_t row, Py_ssize_t row_before, Py_ssize_t row_behind)

    @cython.locals(table="float[:, ::1]", size=Py_ssize_t, at=Py_ssize_t, holder=Py_ssize_t, parent=Py_ssize_t,
                   other=Py_ssize_t)
    cdef edges(self)

    @cython.locals(row=Py_ssize_t, step=Py_ssize_t, at=Py_ssize_t)
    cdef neighbours(self)

    @cython.locals(at=Py_ssize_t, other=Py_ssize_t)
    cdef shift(self, Py_ssize_t row, Py_ssize_t new, Py_ssize_t step)

    @cython.locals(sums="double[::1]", at=Py_ssize_t)
    cdef windows(self)

    @cython.locals(at=Py_ssize_t)
    cdef double[::1] added(self, Py_ssize_t row, double[::1] sums)

    @cython.locals(table="float[:, ::1]", size=Py_ssize_t, number=Py_ssize_t, width=Py_ssize_t, at=Py_ssize_t)
    cdef window(self, const double[::1] sums, Py_ssize_t row)

    @cython.locals(sums="long long[:, ::1]", size=Py_ssize_t, has_main=bint, articles=Py_ssize_t, element=Py_ssize_t,
                   code=Py_ssize_t, words="long long")
    cdef whole(self, Py_ssize_t length)

    @cython.locals(at=Py_ssize_t)
    cdef everywhere(self, Py_ssize_t row, double value)


@cython.locals(page=Page)
cpdef describe(float[:, ::1] table, const int[:, ::1] blocks, const int[:, ::1] measures,
               const int[:, ::1] elements, Py_ssize_t length)

@cython.locals(number=Py_ssize_t, found="double[:, ::1]", element=Py_ssize_t, parent=Py_ssize_t, value=double,
               at=Py_ssize_t, level=Py_ssize_t)
cpdef describe_names(float[:, ::1] table, const int[:, ::1] blocks, const int[:, ::1] elements,
                     const double[::1] values)

@cython.locals(first=dict, number=Py_ssize_t, size=Py_ssize_t, seen="int[::1]", signs="int[::1]", at=Py_ssize_t,
               pairs="unsigned char[::1]", start=Py_ssize_t, end=Py_ssize_t, earlier=Py_ssize_t)
cpdef compare(int[:, ::1] blocks, const int[::1] lengths, bytes data, const int[::1] offsets, bytes title)

@cython.locals(sign=Py_ssize_t, at=Py_ssize_t)
cdef Py_ssize_t _sign(bytes data, Py_ssize_t start, Py_ssize_t end) except? -1

@cython.locals(at=Py_ssize_t)
cdef bytearray _pairs(bytes title)

cdef Py_ssize_t _pair(bytes data, Py_ssize_t at) except? -1

@cython.locals(at=Py_ssize_t, level=Py_ssize_t, place=Py_ssize_t)
cpdef label(const float[:, ::1] table, const int[::1] noted, const double[::1] values, int[::1] labels)
