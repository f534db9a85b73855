"""Check codes of languages that a user gives: whether they can be identified, and whether they are codes at all."""

from __future__ import annotations

import difflib
from collections.abc import Container, Iterable

from gristmill.errors import UsageError
from gristmill.language.identified import UNKNOWN
from gristmill.language.models import Models

NAMES = dict(
    name.split("=")
    for name in """
abkhazian=ab afar=aa afrikaans=af akan=ak albanian=sq amharic=am arabic=ar armenian=hy assamese=as aymara=ay
azerbaijani=az bashkir=ba basque=eu belarusian=be bengali=bn bihari=bh bislama=bi bosnian=bs breton=br bulgarian=bg
burmese=my catalan=ca cebuano=ceb cherokee=chr chinese=zh chineset=zh corsican=co croatian=hr czech=cs danish=da
dhivehi=dv dutch=nl dzongkha=dz english=en esperanto=eo estonian=et faroese=fo fijian=fj finnish=fi french=fr
frisian=fy galician=gl ganda=lg georgian=ka german=de greek=el greenlandic=kl guarani=gn gujarati=gu haitian_creole=ht
hausa=ha hawaiian=haw hebrew=he hindi=hi hmong=hmn hungarian=hu icelandic=is igbo=ig indonesian=id interlingua=ia
interlingue=ie inuktitut=iu inupiak=ik irish=ga italian=it japanese=ja javanese=jv kannada=kn kashmiri=ks kazakh=kk
khasi=kha khmer=km kinyarwanda=rw korean=ko kurdish=ku kyrgyz=ky laothian=lo latin=la latvian=lv limbu=lif lingala=ln
lithuanian=lt luxembourgish=lb macedonian=mk malagasy=mg malay=ms malayalam=ml maltese=mt manx=gv maori=mi marathi=mr
mauritian_creole=mfe mongolian=mn nauru=na ndebele=nr nepali=ne norwegian=no norwegian_n=nn nyanja=ny occitan=oc
oriya=or oromo=om pashto=ps pedi=nso persian=fa polish=pl portuguese=pt punjabi=pa quechua=qu rhaeto_romance=rm
romanian=ro rundi=rn russian=ru samoan=sm sango=sg sanskrit=sa scots=sco scots_gaelic=gd serbian=sr seselwa=crs
sesotho=st shona=sn sindhi=sd sinhalese=si siswant=ss slovak=sk slovenian=sl somali=so spanish=es sundanese=su
swahili=sw swedish=sv syriac=syr tagalog=tl tajik=tg tamil=ta tatar=tt telugu=te thai=th tibetan=bo tigrinya=ti
tonga=to tsonga=ts tswana=tn turkish=tr turkmen=tk uighur=ug ukrainian=uk urdu=ur uzbek=uz venda=ve vietnamese=vi
volapuk=vo waray_philippines=war welsh=cy wolof=wo xhosa=xh yiddish=yi yoruba=yo zhuang=za zulu=zu
""".split()
)
"""The codes of languages by their English names in lower case, as CLD2 has them."""
_WIDER = {"nb": "no", "fil": "tl"}  # codes under which identifiers have a language, though ISO 639 has not


def check_languages(codes: Iterable[str], models: Models | None = None) -> None:
    """Raise if a code is not that of a language that can be identified: a misspelt one would silently drop everything.

    With models, these are the languages that they know; without, also all for which a user may have trained one.
    """
    known = {*(models or Models.load()).identifier.languages, UNKNOWN}
    for code in codes:
        if code in known:
            continue
        hint = NAMES.get(code) or _known_as(code, known) or _standard(code) or _like(code)
        if models is None and code not in _WIDER and _standard(code) == code:
            continue
        if hint == code:
            how = f"; `gristmill train language --lang {code}` teaches it from a sample, and --models FOLDER uses that"
        else:
            how = f"; did you mean {hint!r}?" if hint else ""
        raise UsageError(f"{code!r} is not the code of a language that can be identified{how}")


def check_code(code: str) -> None:
    """Raise if a code is not the usual one of ISO 639 for a language: `en`, not `eng`."""
    standard = _standard(code)
    if standard != code:
        hint = NAMES.get(code.lower()) or standard or _standard(code.partition("-")[0])
        raise UsageError(
            f"{code!r} is not a language code of ISO 639" + (f"; did you mean {hint!r}?" if hint else " (en, cs, hsb)")
        )


def _known_as(code: str, known: Container[str]) -> str:
    """The known code of a language with several: `no` for `nb`, `zh` for `cmn`, `en` for `en-GB`; empty if none."""
    import langcodes  # noqa: PLC0415 (takes long to import, and codes that need it are rare)

    code = code.lower().replace("_", "-").partition("-")[0]
    wider = _WIDER.get(code) or (str(langcodes.standardize_tag(code, macro=True)) if _standard(code) else "")
    return next((name for name in (wider.partition("-")[0], code) if name in known), "")


def _like(code: str) -> str:
    return next((NAMES[name] for name in difflib.get_close_matches(code, NAMES, n=1)), "")


def _standard(code: str) -> str:
    """The shortest code of a language: `en` for `eng`; empty if the code is invalid."""
    if not (code.isascii() and code.isalpha() and len(code) in {2, 3}):
        return ""
    import langcodes  # noqa: PLC0415 (takes long to import, and codes that need it are rare)

    return str(langcodes.standardize_tag(code)) if langcodes.Language.get(code).is_valid() else ""
