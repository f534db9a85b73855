"""Which addresses belong to a crawl."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gristmill.crawling.config import CrawlConfig, TrapsConfig
from gristmill.crawling.traps import trap_of
from gristmill.errors import UsageError
from gristmill.fetching.urls import host_of, normalise

_AUTHORITY_AT = 8  # no slash of the scheme stands behind this place

SUFFIXES = frozenset(
    # pictures
    "apng avif bmp cdr cr2 cur djv djvu dng dwg dxf eps gif heic heif icns ico indd jfif jp2 jpe jpeg jpg jxl nef odg "
    "png ps psd svg svgz tga tif tiff webp wmf xcf "
    # sound and films
    "3g2 3gp aac ac3 aif aifc aiff amr asf avi f4v flac flv m2ts m3u m3u8 m4a m4b m4v mid midi mkv mov mp2 mp3 mp4 mpa "
    "mpe mpeg mpg mts oga ogg ogm ogv opus pls ram rm rmvb spx srt swf vob vtt wav weba webm wma wmv "
    # archives and images of disks
    "7z ace apk arj bz2 cab cbr cbz crx deb dmg gz img iso jar lha lz lz4 lzh lzma rar rpm sit sitx tar tbz tbz2 tgz "
    "torrent txz udeb vhd vmdk war warc whl xpi xz zip zst "
    # programs and what belongs to them
    "bat bin class coffee css dbf dll dylib exe java js json jsonld less mdb mjs msi msp ocx pcap pdb pkg pyc pyd rdf "
    "scss sql sqlite sys vbs vsix wasm xsd xsl xslt yaml yml "
    # fonts
    "eot otf pfb pfm ttc ttf woff woff2 "
    # office files and other documents
    "accdb azw azw3 bib csv doc docm docx dotx epub fb2 ics kml kmz mobi mpp odf odp ods odt pdf potx pps ppsx ppt "
    "pptm pptx rtf sxc sxi sxw tex tsv txt vcf vcs vsd vsdx wpd wps xls xlsb xlsm xlsx xlt xps "
    # feeds and the like
    "atom opml rss webmanifest xml".split()
)
"""Ends of addresses, behind the last full stop of their paths, of what is no page.

Left out are those that are ends of host names and of words as well, such as `com` and `pages`.
"""


@dataclass(frozen=True, slots=True)
class Scope:
    """Decides on addresses by the settings of a crawl."""

    domains: frozenset[str]
    """Hosts must be one of these or below it; any host if empty."""
    sites: frozenset[str]
    """The same for sites, which are named without `www.`."""
    forbidden: frozenset[str]
    traps: TrapsConfig

    @classmethod
    def of(cls, config: CrawlConfig) -> Scope:
        """Take the rules from settings."""
        sites = {site.removeprefix("www.") for site in _hosts(config.scope.sites)}
        return cls(_hosts(config.scope.domains), frozenset(sites), _hosts(config.scope.forbid), config.traps)

    def refusal(self, url: str, host: str, year: int = 0) -> str:
        """Say why a normalised address on this host is left out: `scope`, `forbidden`, `suffix`, `trap-...`.

        Returns nothing if it belongs to the crawl. Calendars are looked for only if it is known which year it is.
        """
        return self.refusal_of_host(host) or ("suffix" if _has_suffix(url) else trap_of(url, self.traps, year))

    def refusal_of_host(self, host: str) -> str:
        """Say why a host is left out: `scope`, `forbidden`; nothing if it belongs to the crawl."""
        if self.forbidden and is_below(host, self.forbidden):
            return "forbidden"
        if self.domains and not is_below(host, self.domains):
            return "scope"
        return "scope" if self.sites and not is_below(host, self.sites) else ""


def is_below(host: str, domains: frozenset[str]) -> bool:
    """Tell whether a host is one of these domains, or below one of them."""
    while host not in domains:
        _, dot, host = host.partition(".")
        if not dot:
            return False
    return True


def _hosts(names: Iterable[str]) -> frozenset[str]:
    """Return domains and hosts as they stand in normalised addresses: in lower case, IDN as ASCII, without a dot."""
    return frozenset(map(_host, names))


def _host(name: str) -> str:
    plain = name.strip().lstrip(".")
    if plain.count(":") > 1 and "/" not in plain:  # an IPv6 address
        plain = f"[{plain.strip('[]')}]"
    address = normalise(name if "//" in name else f"http://{plain}")
    if not address:
        raise UsageError(f"{name!r} is no host or domain; these are: example.org, .cz")
    return host_of(address)


def _has_suffix(url: str) -> bool:
    """Tell whether the path of an address ends like that of a file that is no page."""
    path = url.partition("?")[0]
    _, slash, name = path[_AUTHORITY_AT:].rpartition("/")
    return bool(slash) and "." in name and name.rpartition(".")[2].lower() in SUFFIXES
