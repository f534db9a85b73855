"""Sentence ends in Thai, which has no mark for them. Used by `sentences`.

Spaces stand between sentences, but also between clauses, around numbers and in lists. So the words on both sides of a
space decide: those that go on with a sentence, those that begin one, and those that often end one.
"""

from __future__ import annotations

import re

_LETTER = re.compile("[ก-ฮเ-ไ]")
_CONTINUING = tuple(
    (
        "และ หรือ ที่ เพื่อ เช่น จะ จึง ได้ ของ คือ ก็ ยัง ตาม อัน ให้ รวมถึง รวมทั้ง เป็นต้น แห่ง อาทิ ต่อ โดย ขึ้น ต้อง พร้อม พ.ศ ค.ศ "
        "ๆ ซึ่ง มี คน ราย ล้าน กล่าว ทรง ไป ออก ว่า กับ แต่ จน ด้วย เป็น ถูก ปี เดือน วันที่ ตั้งแต่ ระหว่าง ใน ทั้ง "
        "เพราะ ทำให้ เนื่องจาก ไม่ว่า รวมไป ตลอดจน กลับ ตราบ แล้ว ช่วย ประกอบ"
    ).split()
)
"""Beginnings that go on with a sentence."""
_STARTING = tuple(
    (
        "เมื่อ ส่วน หาก สำหรับ นอกจาก ถ้า จากนั้น จากการ แม้ ปัจจุบัน อย่างไรก็ตาม ทั้งนี้ ต่อมา ดังนั้น เธอ เขา ฉัน ผม เรา ข้าพเจ้า "
        "บาง ครั้น ในขณะ ในปัจจุบัน ในปี ในช่วง โดยปกติ ด้วยเหตุ ทั้งสอง"
    ).split()
)
"""Beginnings of sentences: conjunctions and pronouns."""
_UNFINISHED = tuple(
    (
        "ว่า ที่ คือ เช่น นั้น ถึง เป็น และ หรือ ประมาณ ชาว เมื่อ อาทิ จำนวน ของ ดังนั้น เพียง ปี แต่ โดย กับ ราว เกิน ได้แก่ จาก ใน แห่ง "
        "นายกรัฐมนตรี นาง"
    ).split()
)
"""Ends after which a sentence goes on."""
_FINISHED = tuple("ได้ แล้ว ไป กัน มาก ด้วย เลย เสมอ ที่สุด เช่นกัน นัก ครับ ค่ะ คะ นะ จ้ะ เป็นต้น เอง ต่อไป ไว้ ดังนี้".split())
"""Ends of sentences: particles and adverbs."""
_MIN_BEFORE, _MIN_AFTER = 15, 10  # characters of two phrases that are sentences though no word tells it


def ends_between(before: str, after: str) -> bool:
    """Tell whether a sentence ends between two chunks with a space between them."""
    if not _LETTER.match(after) or before.endswith(_UNFINISHED):
        return False
    if after.startswith(_STARTING):
        return True
    if before[-1].isdecimal() or after.startswith(_CONTINUING):
        return False
    return before.endswith(_FINISHED) or (len(before) >= _MIN_BEFORE and len(after) >= _MIN_AFTER)
