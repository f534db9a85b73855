"""The words by which roles of blocks are found: those in names of classes and ids, and those in texts.

Words of names are English in most of the web, whatever the language of its texts. Of texts, only words count that say
what a text is in its first words or in a few: `Advertisement`, `Read more`, `12 comments`, `Photo: ...`. There are lists
for the languages in which many pages are written; in others, form and names have to do.
"""

from __future__ import annotations

from gristmill.kernel.role_rows import (
    ABOUT_AD,
    ABOUT_COMMENT,
    ABOUT_COOKIE,
    ABOUT_DATE,
    ABOUT_LOGIN,
    ABOUT_MORE,
    ABOUT_NEWS,
    ABOUT_PICTURE,
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
    SAYS_FOOTER,
    SAYS_FORM,
    SAYS_HEADER,
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
        " livefyre respond talkback trackbacks pingback pingbacks usercomments fbcomments readercomments kommentar"
        " kommentare commentaire commentaires comentario comentarios commenti komentarze komentar kommentarer"
    ),
    SAYS_TEASER: (
        "related relatedposts relatedarticles teaser teasers recommended recommendation recommendations recommends"
        " recirc recirculation popular mostpopular mostread trending outbrain taboola zergnet dianomi upnext readnext"
        " readmore seealso latest recent promos promo headlines similar toplist morestories alsolike"
    ),
    SAYS_NOTICE: (
        "ad ads adv advert adverts advertisement advertising adsense adslot adbox adunit dfp gpt mpu sponsor sponsored"
        " sponsors newsletter newsletters subscribe subscription signup share sharing sharebar sharedaddy sharethis"
        " addthis social socialmedia paywall disclaimer copyright donate donation promotion werbung anzeige publicidad"
    ),
    SAYS_NOTICE | SAYS_SURELY: "cookie cookies consent gdpr ccpa onetrust cookiebar cookiebanner didomi",
    SAYS_NAVIGATION: (
        "nav navbar navigation navi topnav leftnav subnav sidenav mainnav globalnav menu submenu mainmenu topmenu"
        " leftmenu dropdown breadcrumb breadcrumbs crumb crumbs pagination pager paging pagenavi prevnext tags taglist"
        " tagcloud postnav sitemap skip skiplink toc hamburger taxonomy"
    ),
    SAYS_FORM: "form login signin searchform searchbox search captcha recaptcha register registration",
    SAYS_CAPTION: (
        "caption captions figcaption credit credits photocredit imagecredit cutline imgcaption imagecaption"
        " photocaption piccaption bildunterschrift"
    ),
    SAYS_BYLINE: (
        "byline bylines author authors authorbox authorinfo dateline timestamp pubdate published postmeta entrymeta"
        " articlemeta postinfo datetime lastupdated updated contributor contributors writer biography bio postdate"
        " postauthor date postprofile userinfo poster postdetails"
    ),
    SAYS_TITLE: "title headline posttitle entrytitle pagetitle articletitle storytitle heading hed",
    SAYS_QUOTE: "pullquote quote blockquote quoteblock bbquote bbcodequote",
    SAYS_CODE: "codeblock syntaxhighlighter prettyprint highlight sourcecode",
    SAYS_FOOTER: "footer foot colophon bottombar",
    SAYS_HEADER: "masthead topbar siteheader",
    SAYS_ASIDE: "sidebar sidebars rightrail leftrail rightcol rail",
}
"""What a word in the name of a class or id says about the text in the element."""

PAIRS: dict[tuple[str, str], int] = {
    ("entry", "meta"): SAYS_BYLINE,
    ("post", "meta"): SAYS_BYLINE,
    ("article", "meta"): SAYS_BYLINE,
    ("post", "info"): SAYS_BYLINE,
    ("article", "info"): SAYS_BYLINE,
    ("byline", "meta"): SAYS_BYLINE,
    ("most", "read"): SAYS_TEASER,
    ("read", "more"): SAYS_TEASER,
    ("read", "next"): SAYS_TEASER,
    ("more", "news"): SAYS_TEASER,
    ("more", "stories"): SAYS_TEASER,
    ("more", "from"): SAYS_TEASER,
    ("also", "like"): SAYS_TEASER,
    ("see", "also"): SAYS_TEASER,
    ("sign", "up"): SAYS_NOTICE,
    ("wp", "caption"): SAYS_CAPTION,
    ("site", "header"): SAYS_HEADER,
    ("page", "header"): SAYS_HEADER,
    ("tag", "list"): SAYS_NAVIGATION,
    ("post", "tags"): SAYS_NAVIGATION,
    ("page", "numbers"): SAYS_NAVIGATION,
}
"""What two words say that stand behind each other in a name."""

VOID = frozenset("no non not without has with hide hidden open closed disabled enabled off count counts".split())
"""Words that make a name say nothing about what is in the element: `no-comments`, `has-sidebar`, `comments-open`."""

TEXTS: dict[int, str] = {
    ABOUT_DATE: (
        "january february march april may june july august september october november december jan feb mar apr jun jul"
        " aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun"
        " yesterday today ago hours am pm est edt pst pdt gmt utc"
        " januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag"
        " sonntag uhr"
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
        " νοεμβρίου δεκεμβρίου"
        " 年 月 日"
    ),
    ABOUT_WRITER: "by von par por di door przez od автор автора κείμενο του author autor auteur autore words 作者 编辑 记者 文",
    ABOUT_WRITING: (
        "posted published updated written modified created edited reported submitted added filed reviewed last"
        " veröffentlicht aktualisiert erstellt stand publié mis publicado actualizado pubblicato aggiornato geplaatst"
        " opublikowano dodano utworzono data опубликовано обновлено дата δημοσίευση δημοσιεύθηκε ενημέρωση 发布 更新 来源"
    ),
    ABOUT_READING: "min mins minute minutes read reading minuten lesezeit lecture lectura lettura leestijd czytania",
    ABOUT_PICTURE: (
        "photo photos photograph photograph image images picture pictures credit courtesy illustration getty reuters"
        " foto fotos bild bilder crédit imagen foto zdjęcie fot фото рисунок φωτογραφία φωτο 图 图片 摄影 资料 写真"
    ),
    ABOUT_COMMENT: (
        "comment comments reply replies respond responses commented kommentar kommentare antworten commentaire"
        " commentaires comentario comentarios comentários commenti reacties komentarz komentarze komentarzy komentář"
        " komentáře комментарии комментарий комментариев σχόλια σχόλιο 评论 留言 跟帖"
    ),
    ABOUT_SHARING: (
        "share tweet retweet print email facebook twitter whatsapp pinterest linkedin reddit telegram teilen drucken"
        " partager imprimer compartir imprimir condividi stampa delen udostępnij drukuj wydrukuj sdílet поделиться"
        " распечатать κοινοποίηση εκτύπωση μοιραστείτε 分享 打印 转发 shares follow"
    ),
    ABOUT_AD: (
        "advertisement advertisements advertising advertise ad ads sponsored werbung anzeige publicité publicidad"
        " pubblicità publicidade advertentie reklama реклама διαφήμιση 广告 広告 advertorial"
    ),
    ABOUT_MORE: (
        "more continue mehr weiterlesen weiter lire plus leer más leggi continua meer więcej czytaj více číst далее"
        " подробнее читать περισσότερα διαβάστε 更多 详细 阅读 全文"
    ),
    ABOUT_RELATED: (
        "related recommended popular latest trending recent editor editors headlines stories articles posts ähnliche"
        " verwandte artikel meistgelesen articles similaires lus relacionados relacionadas noticias notícias correlati"
        " articoli gerelateerd gerelateerde podobne powiązane polecane najczęściej související похожие популярное"
        " новости теме σχετικά δημοφιλή διαβάστε 相关 推荐 热门 最新 関連"
    ),
    ABOUT_NEWS: (
        "newsletter newsletters subscribe subscription subscriber subscribers abonnieren abonnement abonnez suscríbete"
        " suscribirse iscriviti abbonati inschrijven zapisz subskrybuj odebírat подписаться подписка εγγραφή 订阅"
    ),
    ABOUT_COOKIE: "cookie cookies ciasteczka куки gdpr consent",
    ABOUT_RIGHTS: (
        "copyright rights reserved trademark terms privacy policy impressum datenschutz agb rechte vorbehalten droits"
        " réservés derechos reservados diritti riservati zastrzeżone права защищены δικαιώματα 版权 版權"
    ),
    ABOUT_LOGIN: "login log password username anmelden passwort connexion contraseña accedi zaloguj войти пароль 登录",
    ABOUT_TAGS: "tags tag tagged topics categories category filed keywords labels schlagworte tagi теги ετικέτες 标签 关键词",
}
"""What a word of a text is about."""
