"""The names of months in the languages whose dates in words are read, and their usual short forms."""

from __future__ import annotations

_NAMES = {
    "en": "january february march april may june july august september october november december",
    "en short": "jan feb mar apr may jun jul aug sep oct nov dec",
    "en other": "- - - - - - - - sept - - -",
    "de": "januar februar märz april mai juni juli august september oktober november dezember",
    "de short": "jan feb mär apr mai jun jul aug sep okt nov dez",
    "de other": "jänner feber mrz - - - - - sept - - -",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "fr other": "janv févr - avr - - juil aout sept - - déc",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "es other": "ene - - abr - - - ago setiembre - - dic",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "it short": "gen feb mar apr mag giu lug ago set ott nov dic",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "pt short": "jan fev mar abr mai jun jul ago set out nov dez",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "nl short": "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "pl short": "sty lut mar kwi maj cze lip sie wrz paź lis gru",
    "pl other": "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik - grudzień",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince",
    "cs other": "leden únor březen duben květen červen červenec srpen - říjen - prosinec",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "ru short": "янв фев мар апр май июн июл авг сен окт ноя дек",
    "ru other": "январь февраль март апрель - июнь июль август сентябрь октябрь ноябрь декабрь",
    "uk": "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    "el": "ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου "
    "ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου",
    "el short": "ιαν φεβ μαρ απρ μάι ιουν ιουλ αυγ σεπ οκτ νοε δεκ",
    "el other": "γενάρη φλεβάρη μάρτη απρίλη μάη ιούνη ιούλη - σεπτέμβρη οκτώβρη νοέμβρη δεκέμβρη",
    "el without accents": "- - - - μαίου - - - - - - -",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "da": "januar februar marts april maj juni juli august september oktober november december",
}
"""The names of the twelve months in each language, in the case that stands in dates; `-` where there is no other."""

MONTHS: dict[str, int] = {
    name: number for names in _NAMES.values() for number, name in enumerate(names.split(), 1) if name != "-"
}
"""The number of a month by its name in lower case. No name means different months in two of these languages."""

OTHER_MEANING = frozenset({"hr", "bs", "sh"})
"""Languages in which the Slavic names mean other months than in Polish or Czech: `listopad` is October."""
