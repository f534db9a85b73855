# The C types of the variables of `blocks.py`.
cimport cython

cdef unsigned long long ONES

@cython.locals(
    starts="const int[::1]", texts="const int[::1]", codes="const int[::1]", closing="const int[::1]",
    what="const int[::1]", pieces="int[:, ::1]", number=int, length=int, count=int, begin=int, end=int, flags=int,
    was_link_end=bint, in_link=bint, separator=int, tag=int,
)
cpdef find_pieces(
    const unsigned char[::1] data, const int[:, ::1] tags, const int[:, ::1] rules, const unsigned char[::1] hidden
)

cdef int _skip_space(const unsigned char[::1] data, int begin, int end) except? -1

@cython.locals(
    codes="const int[::1]", closing="const int[::1]", what="const int[::1]", tags_before="int[::1]",
    blocks="int[:, ::1]", number=int, last=int, block=int, before=int, piece=int, count=int, links=int,
    count_before=int, links_before=int, count_behind=int, is_open=bint, tag=int, ends="unsigned char[::1]",
)
cpdef cut(
    const unsigned char[::1] data, const int[:, ::1] tags, const int[:, ::1] rules, const int[:, ::1] elements,
    const int[::1] tops, int[:, ::1] pieces
)

@cython.locals(number=int, last=int, ends="unsigned char[::1]", piece=int, after_break=int, tag=int, flags=int)
cdef unsigned char[::1] _find_ends(const int[::1] codes, const int[::1] what, const int[::1] tags_before)

@cython.locals(
    blocks="int[:, ::1]", starts="const int[::1]", is_written="unsigned char[::1]", number=int, block=int, piece=int,
    before=int, behind=int, at=int,
)
cdef _described(
    const unsigned char[::1] data, const int[:, ::1] tags, const int[:, ::1] rules, const int[:, ::1] elements,
    const int[::1] tops, int[:, ::1] pieces, found
)

@cython.locals(names="const int[::1]", parents="const int[::1]", found="unsigned char[::1]", element=int)
cdef unsigned char[::1] _find_preformatted(const int[:, ::1] elements, const int[::1] what)

@cython.locals(words="const unsigned long long[::1]", place=int, continued=int, block=int, row=int, end=int)
cpdef to_characters(const unsigned char[::1] data, int[:, ::1] blocks)

@cython.locals(count=int, word="unsigned long long")
cdef int _count_continued(
    const unsigned char[::1] data, const unsigned long long[::1] words, int begin, int end
) except -1
