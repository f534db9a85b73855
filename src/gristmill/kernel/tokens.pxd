# The C types of the variables of `tokens.py`. Reading a byte of `bytes` is checked against its length.
cimport cython

cdef bytes IS_LETTER, IS_SPACE, IS_CSS_SPACE, ENDS_TAG_NAME, ENDS_ATTRIBUTE_NAME, ENDS_BARE_VALUE, CONTENTS, SYMBOL
cdef short[::1] NEXT, CODE_AT

cdef class Reader:
    cdef bytes data
    cdef Py_ssize_t size, at, name_start, name_end, value_start, value_end
    cdef bint is_complete, closes_itself

    @cython.locals(data=bytes, size=Py_ssize_t, at=Py_ssize_t)
    cdef int skip_name(self) except -1

    @cython.locals(data=bytes, size=Py_ssize_t, start=Py_ssize_t, at=Py_ssize_t, byte="unsigned char")
    cdef int next_attribute(self) except -1

    @cython.locals(data=bytes, size=Py_ssize_t, quote="unsigned char")
    cdef Py_ssize_t read_value(self, Py_ssize_t at) except -1

cdef class Tokenizer(Reader):
    cdef int[:, ::1] tags
    cdef Py_ssize_t count
    cdef bint has_style, titles_end, is_xml, may_be_xml
    cdef list empty
    cdef int[::1] ends

    @cython.locals(count=Py_ssize_t)
    cdef object read_page(self)

    @cython.locals(data=bytes, size=Py_ssize_t, at=Py_ssize_t, byte="unsigned char")
    cdef Py_ssize_t read(self) except -1

    @cython.locals(column=Py_ssize_t)
    cdef Py_ssize_t skip(self, Py_ssize_t start, Py_ssize_t end) except -1

    @cython.locals(data=bytes, size=Py_ssize_t, column=Py_ssize_t, at=Py_ssize_t, node=Py_ssize_t, code=int, end=Py_ssize_t,
                   content=int)
    cdef Py_ssize_t read_tag(self, Py_ssize_t start, Py_ssize_t name, int closing) except -1

    @cython.locals(content=int)
    cdef bint is_empty(self, int code, Py_ssize_t name, Py_ssize_t name_end, Py_ssize_t end) except -1

    cdef Py_ssize_t refute(self) except -1

    @cython.locals(data=bytes, start=Py_ssize_t, end=Py_ssize_t)
    cdef int note_attribute(self, Py_ssize_t column) except -1

    @cython.locals(data=bytes, start=Py_ssize_t)
    cdef bint tells(self, Py_ssize_t length) except -1

    @cython.locals(row=Py_ssize_t)
    cdef int forget_attributes(self, Py_ssize_t column) except -1

    @cython.locals(data=bytes, size=Py_ssize_t, column=Py_ssize_t, end=Py_ssize_t)
    cdef Py_ssize_t read_content(self, int content, Py_ssize_t name, Py_ssize_t name_end, Py_ssize_t start) except -1

@cython.locals(size=Py_ssize_t, near=Py_ssize_t)
cdef Py_ssize_t find(bytes data, unsigned char byte, Py_ssize_t at) except -1

cdef Py_ssize_t behind(bytes data, Py_ssize_t start) except -1

@cython.locals(length=Py_ssize_t, i=Py_ssize_t)
cdef int is_word(bytes data, Py_ssize_t at, bytes word) except -1

@cython.locals(start=Py_ssize_t, length=Py_ssize_t)
cdef bint relates(bytes data, Py_ssize_t at, Py_ssize_t end) except -1

@cython.locals(last=Py_ssize_t)
cdef int is_tag_of(bytes data, Py_ssize_t at, Py_ssize_t name, Py_ssize_t name_end) except -1

@cython.locals(size=Py_ssize_t)
cdef Py_ssize_t end_of_text(bytes data, Py_ssize_t at, Py_ssize_t name, Py_ssize_t name_end) except -1

@cython.locals(size=Py_ssize_t, escapes=int, byte="unsigned char")
cpdef Py_ssize_t end_of_script(bytes data, Py_ssize_t at) except -1

@cython.locals(end=Py_ssize_t)
cdef int is_script(bytes data, Py_ssize_t at) except -1

@cython.locals(size=Py_ssize_t, at=Py_ssize_t)
cdef Py_ssize_t end_of_comment(bytes data, Py_ssize_t start) except -1

@cython.locals(place=Py_ssize_t)
cdef int says_display_none(bytes data, Py_ssize_t at, Py_ssize_t end) except -1

cdef Py_ssize_t skip_css_space(bytes data, Py_ssize_t at, Py_ssize_t end) except -1

@cython.locals(count=int, byte="unsigned char")
cdef Py_ssize_t count_less(bytes data) except -1

@cython.locals(tokenizer=Tokenizer, number=Py_ssize_t)
cpdef tokenise(bytes data)

@cython.locals(number=Py_ssize_t, opened="int[::1]", depth=Py_ssize_t, roots=Py_ssize_t, tag=Py_ssize_t, code=int, content=int)
cpdef bint are_nested(const int[::1] codes, const int[::1] closing) except -1

@cython.locals(reader=Reader)
cpdef bint closes_itself(bytes tag) except -1

@cython.locals(reader=Reader, found=dict, name=bytes)
cpdef attributes(bytes tag)
