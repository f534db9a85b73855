# The C types of `roles.py`.
cimport cython

cdef const int[::1] TAG_SAYS, HEADS
cdef int H1_CODE, H2_CODE, QUOTE_CODE, _OUTSIDE, _NOT_MAIN, _OF_HEADINGS, _BESIDE, _TOO_LARGE
cdef int _WORDS, _LINKED, _RUNNING, _GROUP_WORDS, _GROUP_BLOCKS

@cython.locals(page=_Page)
cpdef find_roles(const int[:, ::1] blocks, const int[:, ::1] elements, const int[::1] names, const int[:, ::1] texts,
                 bint has_comments, bint has_offers)


cdef class _Page:
    cdef const int[:, ::1] blocks, elements, texts
    cdef const int[::1] names
    cdef int[::1] found, claims, claimed, around, region, away
    cdef long long[:, ::1] sums, groups
    cdef long long[::1] spread
    cdef long long everything
    cdef bint has_comments, has_offers
    cdef Py_ssize_t size, number, headline, thread, thread_end, main, opening, closing

    @cython.locals(elements="const int[:, ::1]", element=Py_ssize_t, says=int, code=int)
    cdef claim(self)

    @cython.locals(words=int)
    cdef bint is_running(self, Py_ssize_t at) except? -1

    cdef bint is_link(self, Py_ssize_t at) except? -1

    @cython.locals(sums="long long[:, ::1]", blocks="const int[:, ::1]", groups="long long[:, ::1]", at=Py_ssize_t,
                   words="long long", path=Py_ssize_t, element=Py_ssize_t)
    cdef add_up(self)

    @cython.locals(elements="const int[:, ::1]", sums="long long[:, ::1]")
    cdef long long inside(self, Py_ssize_t row, Py_ssize_t element) except? -1

    @cython.locals(best=int, at=Py_ssize_t, tokens=int, value=int)
    cdef find_headline(self)

    @cython.locals(holder=Py_ssize_t, titled=int, says=int, value=int)
    cdef int value_as_headline(self, Py_ssize_t at, int tokens) except? -1

    @cython.locals(level=int)
    cdef bint is_under(self, Py_ssize_t element, int code) except? -1

    @cython.locals(at=Py_ssize_t, element=Py_ssize_t)
    cdef find_thread(self)

    @cython.locals(level=int, has_number=bint, place=Py_ssize_t, code=int)
    cdef Py_ssize_t end_of_thread(self, Py_ssize_t at, Py_ssize_t end) except? -1

    @cython.locals(element=Py_ssize_t, step=int, code=int)
    cdef int heading_at(self, Py_ssize_t at) except? -1

    @cython.locals(tokens=int, says=int, is_heading=bint)
    cdef bint heads_thread(self, Py_ssize_t at) except? -1

    cdef bint is_in_thread(self, Py_ssize_t at) noexcept

    @cython.locals(elements="const int[:, ::1]", away="int[::1]", element=Py_ssize_t, is_apart=bint,
                   mass="long long[::1]", at=Py_ssize_t, best="long long", value="long long", begin=Py_ssize_t,
                   end=Py_ssize_t)
    cdef find_main(self)

    cdef bint is_biography(self, Py_ssize_t element) except? -1

    @cython.locals(at=Py_ssize_t, is_outside=bint)
    cdef find_heading_above(self)

    @cython.locals(words=int)
    cdef long long mass_of(self, Py_ssize_t at) except? -1

    @cython.locals(here="long long")
    cdef bint holds_most(self, Py_ssize_t element) except? -1

    cdef bint has_headline(self, Py_ssize_t element) except? -1

    @cython.locals(elements="const int[:, ::1]", element=Py_ssize_t, parent=Py_ssize_t, believed=int, region=int,
                   is_field=bint)
    cdef find_regions(self)

    @cython.locals(says=int, main_first=Py_ssize_t, main_end=Py_ssize_t, first=Py_ssize_t, end=Py_ssize_t,
                   holds_main=bint)
    cdef int believed(self, Py_ssize_t element) except? -1

    @cython.locals(first=Py_ssize_t)
    cdef bint is_of_readers(self, Py_ssize_t element) except? -1

    @cython.locals(words="long long", linked="long long", running="long long", spread="long long", number=Py_ssize_t,
                   is_behind=bint, is_sure=bint, is_large=bint, is_often=bint)
    cdef int believed_by_size(self, Py_ssize_t element, int says) except? -1

    @cython.locals(is_sure=bint)
    cdef int believed_of_parts(self, int says, long long words, long long linked, Py_ssize_t number,
                               bint is_behind) noexcept

    @cython.locals(at=Py_ssize_t)
    cdef decide(self)

    @cython.locals(role=int)
    cdef int role_of(self, Py_ssize_t at) except? -2

    cdef bint is_within(self, Py_ssize_t at) noexcept

    @cython.locals(region=int)
    cdef int by_region(self, Py_ssize_t at) except? -2

    cdef bint is_label(self, Py_ssize_t at) except? -1

    @cython.locals(around=int, words=int, says=int, has_credit=bint)
    cdef int by_picture(self, Py_ssize_t at) except? -2

    cdef bint may_be_caption(self, Py_ssize_t at) except? -1

    @cython.locals(tokens=int, says=int, first=int)
    cdef int by_heading(self, Py_ssize_t at) except? -2

    cdef bint is_like_headline(self, Py_ssize_t at) except? -1

    @cython.locals(follows=bint)
    cdef int by_linked_heading(self, Py_ssize_t at) except? -2

    cdef int by_byline(self, Py_ssize_t at) except? -2

    cdef bint is_clock(self, Py_ssize_t at) except? -1

    @cython.locals(tokens=int, says=int, first=int, around=int, is_near=bint)
    cdef bint is_byline(self, Py_ssize_t at) except? -1

    @cython.locals(kind=int, says=int)
    cdef bint is_apart(self, Py_ssize_t at, bint is_near) except? -1

    @cython.locals(running="long long")
    cdef bint is_near_headline(self, Py_ssize_t at) except? -1

    cdef bint is_cell(self, Py_ssize_t at) except? -1

    cdef bint names_writer(self, Py_ssize_t at) except? -1

    @cython.locals(tokens=int, known=int, says=int)
    cdef bint is_date(self, Py_ssize_t at) except? -1

    @cython.locals(tokens=int, says=int)
    cdef int by_links(self, Py_ssize_t at) except? -2

    cdef bint is_paging(self, Py_ssize_t at) except? -1

    @cython.locals(words=int, path=Py_ssize_t, links=int, is_long=bint)
    cdef int by_links_like_it(self, Py_ssize_t at) except? -2

    @cython.locals(element=Py_ssize_t)
    cdef bint is_in_text(self, Py_ssize_t at) except? -1

    @cython.locals(tokens=int, says=int, first=int, is_within=bint)
    cdef bint says_notice(self, Py_ssize_t at) except? -1

    @cython.locals(tokens=int, says=int, first=int)
    cdef int by_words(self, Py_ssize_t at) except? -2

    @cython.locals(is_part=bint)
    cdef bint is_item(self, Py_ssize_t at) except? -1

    @cython.locals(says=int, words=int)
    cdef bint says_remark(self, Py_ssize_t at) except? -1

    @cython.locals(around=int, is_running=bint)
    cdef int by_place(self, Py_ssize_t at) except? -2

    @cython.locals(is_part=int, is_below=bint)
    cdef bint is_of_menu(self, Py_ssize_t at) except? -1

    @cython.locals(number="long long", path=Py_ssize_t)
    cdef bint is_short_item(self, Py_ssize_t at) except? -1

    @cython.locals(around=int, kind=int)
    cdef int by_element(self, Py_ssize_t at) except? -2

    @cython.locals(found="int[::1]", behind=int, at=Py_ssize_t, role=int, before=int, is_beside=bint)
    cdef join(self)

    cdef bint may_join(self, Py_ssize_t at) except? -1

    @cython.locals(role=int, tokens=int)
    cdef bint is_between_teasers(self, Py_ssize_t at, int before) except? -1


cdef int _region_of(int believed) noexcept
