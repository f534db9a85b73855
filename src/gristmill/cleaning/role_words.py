"""The words by which roles of blocks are found: those in names of classes and ids, and those in texts.

Words of names are English in most of the web, whatever the language of its texts. Of texts, only words count that say
what the text is if it begins with them or is short: `Advertisement`, `Read more`, `12 comments`, `Photo: ...`. There
are lists for languages in which many pages are written; in others, names and form have to do.
"""

from __future__ import annotations

from gristmill.kernel.role_rows import (
    ABOUT_AD,
    ABOUT_COMMENT,
    ABOUT_COOKIE,
    ABOUT_DATE,
    ABOUT_LEGAL,
    ABOUT_LOGIN,
    ABOUT_MORE,
    ABOUT_NEWS,
    ABOUT_PAGING,
    ABOUT_PICTURE,
    ABOUT_PRESS,
    ABOUT_READING,
    ABOUT_RELATED,
    ABOUT_RIGHTS,
    ABOUT_SHARING,
    ABOUT_TAGS,
    ABOUT_WRITER,
    ABOUT_WRITING,
    SAYS_ASIDE,
    SAYS_BYLINE,
    SAYS_CAPTION,
    SAYS_CODE,
    SAYS_COMMENT,
    SAYS_FIGURE,
    SAYS_FOOTER,
    SAYS_FORM,
    SAYS_HEADER,
    SAYS_HEADLINE,
    SAYS_MAIN,
    SAYS_NAVIGATION,
    SAYS_NOTICE,
    SAYS_QUOTE,
    SAYS_SURELY,
    SAYS_TEASER,
    SAYS_TITLE,
)

NAMES: dict[int, str] = {
    SAYS_COMMENT: (
        "comment comments commentlist commentform commentbox commentarea commentbody commenttext commenters disqus"
        " livefyre respond talkback trackbacks pingback pingbacks usercomments fbcomments readercomments"
        " kommentar kommentare kommentarer commentaire commentaires comentario comentarios commenti komentarze komentar"
        " diskuse"
    ),
    SAYS_TEASER: (
        "related relatedposts relatedarticles teaser teasers recommended recommendation recommendations recommends"
        " recirc recirculation popular mostpopular mostread trending outbrain taboola zergnet dianomi upnext readnext"
        " readmore seealso latest recent promos promo headlines similar similarthreads toplist morestories alsolike"
        " mostcommented"
    ),
    SAYS_NOTICE: (
        "ad ads adv advert adverts advertisement advertising adsense adslot adbox adunit dfp gpt mpu sponsor sponsored"
        " sponsors newsletter newsletters subscribe subscription signup share sharing sharebar sharedaddy sharethis"
        " addthis social socialmedia paywall disclaimer disclosure copyright donate donation promotion tooltip popover"
        " onboarding cta werbung anzeige publicidad"
    ),
    SAYS_NOTICE | SAYS_SURELY: "cookie cookies consent gdpr ccpa onetrust cookiebar cookiebanner didomi",
    SAYS_NAVIGATION: (
        "nav navbar navigation navi topnav leftnav subnav sidenav mainnav globalnav menu submenu mainmenu topmenu"
        " leftmenu dropdown breadcrumb breadcrumbs crumb crumbs pagination pager paging pagenavi prevnext tags taglist"
        " tagcloud postnav sitemap skip skiplink toc hamburger taxonomy navheader navfooter blogroll linkcat"
        " categories calendar"
    ),
    SAYS_FORM: "form login signin searchform searchbox search captcha recaptcha register registration",
    SAYS_FORM | SAYS_SURELY: "vjs videojs jwplayer",
    SAYS_CAPTION: (
        "caption captions figcaption credit credits photocredit imagecredit cutline imgcaption imagecaption cptn"
        " photocaption piccaption bildunterschrift"
    ),
    SAYS_FIGURE: "image img photo photos picture imagery figure",
    SAYS_BYLINE: (
        "byline bylines author authors authorbox authorinfo dateline timestamp pubdate published postmeta entrymeta"
        " articlemeta postinfo datetime lastupdated updated contributor contributors writer biography bio postdate"
        " postauthor date postprofile userinfo poster posted"
    ),
    SAYS_TITLE: "title heading",
    SAYS_HEADLINE: "headline posttitle entrytitle pagetitle articletitle storytitle contentheading hed",
    SAYS_QUOTE: "pullquote quote blockquote quoteblock bbquote bbcodequote",
    SAYS_CODE: "codeblock syntaxhighlighter prettyprint sourcecode",
    SAYS_FOOTER: "footer foot colophon bottombar",
    SAYS_HEADER: "masthead topbar siteheader banner logo branding sitename blogtitle",
    SAYS_MAIN: "postcontent messagetext",
    SAYS_ASIDE: "sidebar sidebars rightrail leftrail rightcol rail",
    0: "commentary commentaries",  # what editors write, though it begins as `comment` does
}
"""What a word in the name of a class or id says about the text in the element."""

PAIRS: dict[str, int] = {
    "entry meta": SAYS_BYLINE,
    "post meta": SAYS_BYLINE,
    "article meta": SAYS_BYLINE,
    "story meta": SAYS_BYLINE,
    "post info": SAYS_BYLINE,
    "user info": SAYS_BYLINE,
    "user details": SAYS_BYLINE,
    "user extras": SAYS_BYLINE,
    "message user": SAYS_BYLINE,
    "message name": SAYS_BYLINE,
    "entry title": SAYS_HEADLINE,
    "post title": SAYS_HEADLINE,
    "page title": SAYS_HEADLINE,
    "article title": SAYS_HEADLINE,
    "story title": SAYS_HEADLINE,
    "article info": SAYS_BYLINE,
    "most read": SAYS_TEASER,
    "most commented": SAYS_TEASER,
    "rich link": SAYS_TEASER,
    "read more": SAYS_TEASER,
    "read next": SAYS_TEASER,
    "more news": SAYS_TEASER,
    "more stories": SAYS_TEASER,
    "more from": SAYS_TEASER,
    "more on": SAYS_TEASER,
    "also like": SAYS_TEASER,
    "see also": SAYS_TEASER,
    "sign up": SAYS_NOTICE,
    "img desc": SAYS_CAPTION,
    "image desc": SAYS_CAPTION,
    "image title": SAYS_CAPTION,
    "img title": SAYS_CAPTION,
    "site header": SAYS_HEADER,
    "page header": SAYS_HEADER,
    "header inner": SAYS_HEADER,
    "tag list": SAYS_NAVIGATION,
    "page numbers": SAYS_NAVIGATION,
    "cat item": SAYS_NAVIGATION,
    "widget archive": SAYS_NAVIGATION,
    "widget links": SAYS_NAVIGATION,
    "message text": SAYS_MAIN,
    "post content": SAYS_MAIN,
}
"""What two words say that stand behind each other in a name."""

STEMS: dict[str, int] = {
    "caption": SAYS_CAPTION,
    "byline": SAYS_BYLINE,
    "comment": SAYS_COMMENT,
    "comments": SAYS_COMMENT,
    "headline": SAYS_HEADLINE,
    "breadcrumb": SAYS_NAVIGATION,
    "nav": SAYS_NAVIGATION,
    "menu": SAYS_NAVIGATION,
    "newsletter": SAYS_NOTICE,
    "advert": SAYS_NOTICE,
    "related": SAYS_TEASER,
}
"""What longer words say that end with these, or if they are not short begin with them: `storyphotocaption`."""

VOID = frozenset(
    (
        "no non not without has with hide hidden open closed disabled enabled off count counts mso results result id"
        " listing listings the of how to what is why when"
    ).split()
)
"""Words that make a name say nothing about what is in the element: `no-comments`, `has-sidebar`, `comments-open`.

Ids that are made of sentences have such words, too: `how-to-write-a-caption`.
"""

TEXTS: dict[int, str] = {
    ABOUT_DATE: (
        "january february march april may june july august september october november december jan feb mar apr jun jul"
        " aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun"
        " yesterday today ago hour hours am pm est edt et pst pdt pt gmt utc"
        " januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag"
        " sonntag uhr heute gestern"
        " janvier février mars avril juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi"
        " vendredi samedi dimanche"
        " enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes"
        " miércoles jueves viernes sábado domingo"
        " janeiro fevereiro março maio junho julho setembro outubro novembro dezembro"
        " gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre"
        " januari februari maart mei augustus"
        " stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia"
        " ledna února března dubna května června července srpna září října listopadu prosince"
        " января февраля марта апреля мая июня июля августа сентября октября ноября декабря вчера сегодня"
        " ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου μαίου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου"
        " νοεμβρίου δεκεμβρίου γενάρη φλεβάρη μάρτη απρίλη μάη ιούνη ιούλη αύγουστο σεπτέμβρη οκτώβρη νοέμβρη δεκέμβρη"
        " δευτέρα τρίτη τετάρτη πέμπτη παρασκευή σάββατο κυριακή"
        " 年 月 日"
    ),
    ABOUT_WRITER: (
        "by von par por di door przez autor autorka автор author authors auteur autore συντάκτης"
        " 作者 编辑 編輯 記者 记者 責任 责任 文"
    ),
    ABOUT_PRESS: (
        "reuters associated staff writer reporter correspondent agencies agency redaktion redakcja redazione"
        " rédaction redacción редакция"
    ),
    ABOUT_WRITING: (
        "posted published updated written modified created edited reported submitted added filed reviewed last"
        " veröffentlicht aktualisiert erstellt stand publié mis publicado actualizado pubblicato aggiornato geplaatst"
        " opublikowano dodano utworzono data опубликовано обновлено дата δημοσίευση δημοσιεύθηκε ενημέρωση"
        " 发布 發布 更新 来源 來源"
    ),
    ABOUT_READING: "min mins minute minutes read reading minuten lesezeit lecture lectura lettura leestijd czytania",
    ABOUT_PICTURE: (
        "photo photos photograph photographs image images picture pictures credit credits courtesy illustration"
        " foto fotos bild bilder crédit imagen zdjęcie fot фото рисунок φωτογραφία φωτο"
        " 图 圖 图片 圖片 图说 圖說 摄影 攝影 资料 写真"
    ),
    ABOUT_COMMENT: (
        "comment comments reply replies respond responses commented conversation"
        " diskuse gästebuch kommentar kommentare antworten commentaire"
        " commentaires comentario comentarios comentários commenti reacties komentarz komentarze komentarzy komentář"
        " komentáře комментарии комментарий комментариев σχόλια σχόλιο 评论 評論 留言 跟帖"
    ),
    ABOUT_SHARING: (
        "share shares tweet retweet print email facebook twitter whatsapp pinterest linkedin reddit telegram follow"
        " teilen drucken partager imprimer compartir imprimir condividi stampa delen udostępnij podziel drukuj"
        " wydrukuj sdílet"
        " поделиться распечатать κοινοποίηση εκτύπωση μοιραστείτε 分享 打印 转发"
    ),
    ABOUT_AD: (
        "advertisement advertisements advertising advertise ad ads sponsored advertorial werbung anzeige publicité"
        " publicidad pubblicità publicidade advertentie reklama реклама διαφήμιση 广告 廣告 広告"
    ),
    ABOUT_MORE: (
        "more continue read mehr weiterlesen weiter lire plus leer más leggi continua meer więcej czytaj více číst"
        " далее подробнее читать περισσότερα διαβάστε 更多 详细 阅读 全文"
    ),
    ABOUT_PAGING: (
        "next previous prev back return skip zurück nächste nächster vorherige vorheriger précédent précédente suivant"
        " suivante anterior siguiente próximo precedente successivo vorige volgende następny następna poprzedni"
        " poprzednia wstecz powrót další předchozí zpět назад следующая предыдущая επόμενο προηγούμενο 上一 下一 返回"
    ),
    ABOUT_RELATED: (
        "related recommended popular latest trending recent editor editors headlines stories articles posts"
        " ähnliche verwandte meistgelesen similaires lus relacionados relacionadas correlati gerelateerd gerelateerde"
        " podobne powiązane pokrewne polecane najczęściej související похожие популярное теме σχετικά δημοφιλή"
        " 相关 相關 推荐 推薦 热门 熱門 最新 関連"
    ),
    ABOUT_NEWS: (
        "newsletter newsletters subscribe subscription subscriber subscribers abonnieren abonnement abonnez suscríbete"
        " suscribirse iscriviti abbonati inschrijven zapisz subskrybuj odebírat подписаться подписка εγγραφή 订阅"
    ),
    ABOUT_COOKIE: "cookie cookies ciasteczka куки gdpr consent accept browser website",
    ABOUT_RIGHTS: (
        "copyright rights reserved rechte vorbehalten droits réservés derechos reservados diritti riservati prawa"
        " zastrzeżone права защищены δικαιώματα 版权 版權 权所 權所"
    ),
    ABOUT_LEGAL: "trademark terms privacy policy impressum datenschutz agb",
    ABOUT_LOGIN: (
        "login log sign password username anmelden passwort connexion contraseña accedi zaloguj войти пароль 登录"
    ),
    ABOUT_TAGS: (
        "tags tag tagged topics categories category filed keywords labels schlagworte tagi теги ετικέτες 标签 关键"
    ),
}
"""What a word of a text is about."""
