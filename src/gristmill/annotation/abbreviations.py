"""Abbreviations that end with a dot, by language, for the tokeniser: the dot is part of them and rarely ends sentences.

They are in lower case and without their last dot. Abbreviations that are also words (`sun.`, `fig.`) are left out.
"""

from __future__ import annotations

from functools import cache

_COMMON = (
    "dr prof mr mrs ms st co corp inc ltd jr sr vs etc al eds vol nr tel fax ca cf ibid op cit i.e e.g p.s a.m p.m "
    "ph.d feat ft"
)

_ABBREVIATIONS = {
    "en": (
        "ext pvt viz est jan feb apr jun jul aug sep sept oct nov dec tues thur thurs messrs drs mme mlle rev hon "
        "gen gov sen reps pres col lt capt cmdr cpl sgt maj adm atty supt det insp bros mt ft ave blvd rd ln hwy "
        "pkwy bldg apt dept univ assn fig figs pp approx incl esp ph llc plc assoc ark calif colo conn fla mich minn "
        "neb nev okla penn tenn tex vt va wis wyo u.s u.k u.n u.s.a d.c b.c a.d b.a m.a m.d esq"
    ),
    "de": (
        "jan feb mär apr jun jul aug sep sept okt nov dez hr frl dipl ing dipl.-ing phil rer habil z.b u.a d.h i.d.r "
        "v.a o.ä u.ä z.t z.zt u.u i.a i.v s.o s.u bzw usw usf evtl ggf inkl exkl zzgl abzgl mwst vgl bspw sog allg "
        "bes betr bez geb gest gegr ehem str tel abt aufl bd bde hrsg jh jhd jhdt kap mio mrd nr ca std sek gr insb "
        "insbes v.chr n.chr chr p.a az st ff tsd eigtl urspr verh röm griech engl frz dt österr kath evang zit zzt "
        "abb abk abs bsp bzgl cie dgl ebd entspr ev fam gebr ggfs hg incl jur mind mtl orig sen stellv tägl univ "
        "wiss z.bsp"
    ),
    "fr": (
        "janv févr avr juil oct nov déc m mm mme mmes mlle mlles mgr dr pr ste sts bd av apr env hab p pp p.ex cf "
        "chap coll éd éds fasc fig ibid n.b n° réf tél vol c.-à-d j.-c"
    ),
    "es": (
        "ene feb abr jun jul sept oct nov dic lun mié jue sáb sr sra srta sres dña dª prof profa dr dra lic ing arq "
        "gral cnel av avda ctra dpto depto edit p.ej pág págs p pp núm núms tel teléf tfno aprox admón cía s.a s.l "
        "ee.uu vd vds uds ptas excmo ilmo rvdo mons sto sta bros a.c d.c apdo ej fig gob esq cap ud cta izq dcha"
    ),
    "it": (
        "feb apr giu lug sett ott nov dic sig sigg sig.ra sig.na dott dott.ssa prof prof.ssa ing avv arch geom rag "
        "sen mons ecc art artt cfr fig figg n nn p pag pagg pp tel tav s.p.a s.r.l a.c d.c v.le p.za p.zza c.so cit "
        "vol voll s att distr proc ss es gen gg on pres rep rev soc spett egr p.es rif"
    ),
    "pt": (
        "jan fev jun jul nov sr sra srs sras srta dr dra drs prof profa eng arq exmo exma av n núm nº p pp pág págs "
        "cap vol p.ex tel aprox cia ltda s.a a.c d.c gov ten cel gal art arts fig obs ex mín máx ap dep séc adm ed "
        "gen maj rep rev sen sgt cmdr msgr"
    ),
    "ca": (
        "febr abr jul oct nov sr sra srs dr dra prof av avda ctra pg núm pàg pàgs p pp p.ex tel aprox cia s.a s.l "
        "a.c d.c dept dir esq excma màx ptes srta"
    ),
    "gl": (
        "xan feb mar abr xuñ xul nov dec sr sra dr dra prof av núm páx p p.ex tel aprox art ex fig cap páxs tfno "
        "avda sres lic s.l s.a ed"
    ),
    "ro": (
        "feb apr iun iul aug sept oct nov dec dl d-na dr prof ing lt col av bd str nr art alin pag p pp vol etc a.c "
        "î.hr d.hr s.a s.r.l ex fig cca lit î.e.n e.n dvs gr ian obs pct ș.a șamd șt univ îngr sf pt"
    ),
    "nl": (
        "jan feb mrt apr jun jul aug sep sept okt nov dec dhr mevr mw dr drs ing prof ds st bv bijv b.v d.w.z o.a "
        "m.b.t m.a.w e.d e.a o.m i.p.v t.o.v t.a.v i.v.m n.a.v a.u.b resp enz ca nr nrs blz p pp evt incl excl ong "
        "vgl zgn ged jl m.n mld mln v.chr n.chr ir fa kath lib n.-br t.w v bijz burg jhr mr zg afb hfst str tel a.s "
        "aant afd afl alg art bijl cap chr dir div ed fam fig fr gebr gem geb gen hoofdst insp jg kapt kol lt maj "
        "mej med pag pct plv prov ref secr vert vlg vnl"
    ),
    "sv": (
        "jan feb apr jun aug sep sept okt nov dec bl.a t.ex m.m m.fl d.v.s dvs s.k o.s.v osv p.g.a ca kl nr resp ev "
        "inkl exkl tel jfr fr.o.m t.o.m m.a.o f.d f.n f.ö e.d e.kr f.kr sid kap ang anm febr fig forts förf kungl "
        "milj obs proc ref äv övers mfl pga tex fil kand lic mag"
    ),
    "da": (
        "jan feb apr jun aug sep sept okt nov dec bl.a f.eks fx d.v.s dvs m.m m.fl m.v osv o.s.v ca kl nr pct mio "
        "mia kr st hr dr prof evt inkl ekskl tlf jf iflg ifm ift pga bl f e.kr f.kr s pr stk maks a afd bd kap vedr "
        "bem jvf resp tdl hhv pgl kbh ndr sdr vs adj adr alm ang ank att cand chr dir distr dkr eftf eftm febr ff "
        "fhv fig fmd forf forts frk fuldm ing insp iht istf jfr jnr jur kgl komm kvm lic mag md mdr mfl mht mill mv "
        "nuv obs omkr opr overs ovf pag pers pkt prc pt ref sekr sml spm stud str suppl tidl tilsv udd udg ult vedk "
        "vha gl fr"
    ),
    "no": (
        "jan feb apr jun aug sep sept okt nov bl.a f.eks dvs d.v.s m.m m.fl m.v osv o.s.v ca kl nr pst mrd kr st hr "
        "dr prof evt inkl ekskl tlf jf iflg ifm pga e.kr f.kr s kap vgs adm ang mill anm str journ f pkt forf bd avd "
        "tel vedr maks adm.dir bto chr dept fhv gl gnr bnr hhv iht istf kgl komm md mfl mht mnd moh mv nto ofl org "
        "ovf pr pt ref resp rv snr spm stk stud temp tilsv ult utg vedk vha årg årh"
    ),
    "is": (
        "jan feb mar apr jún júl ágú sep okt nóv t.d þ.e þ.e.a.s o.s.frv o.fl m.a.s u.þ.b s.s a.m.k f.kr e.kr kr kl "
        "bls nr dr frh hr skv sbr ath nk sl hv hæstv þm gr umr þús mgr frv millj mkr ma m.a dags tölul árg þ.m.t "
        "þ.á.m m.kr afs alm m.fl efn fél höf kap klst kt leturbr núv o.m.fl ohf ritstj rvk samb samþ sek stk teg tbl "
        "útg vsk ísl o.þ.h f.h e.h t.a.m þ.h hf ehf"
    ),
    "fi": (
        "esim mm ks ns ym yms jne tms nk ts vrt huom puh klo s ss kpl eaa ekr jkr tri prof fil maist lis toim suom "
        "engl ruots saks ransk jap lat alk vihr kesk sd kd vast mrd milj ev.-lut ukr ven em kok ark muk ao mrs vas "
        "aik alv ed jatk joht kapt kenr luutn lkm lyh läh maj miel myöh nimim nyk oik os pj puh.joht pvm siht srk "
        "synt tark toim.joht yliopp"
    ),
    "et": (
        "jaan veebr apr aug sept okt nov dets e.kr e.m.a m.a.j jne jm jms jt nt nn s.o s.t st vt vrd lk nr tel pr "
        "hr prl dr prof ca mln mld krt sh saj"
    ),
    "lv": (
        "janv febr apr jūn jūl aug sept okt nov dec u.c u.tml utt piem t.i t.s sk sal lpp nr tālr plkst g gs dr prof "
        "kgs a/s p.m.ē m.ē kr mob pr v m k tūkst milj min h st red sast akad inž med mūz soc spec vad māksl resp "
        "t.sk"
    ),
    "lt": (
        "saus geg birž liep rugp rugs spal lapkr gruod mėn pvz t.y t.t t.p kt nr psl žr p pr prof dr doc g gatv tel "
        "tūkst mln mlrd a.k šv lot angl m d proc žin švč val min sek t y vyr pan pav e st sav r raj apyl a k v l ž "
        "vad dir gen įst str sk pastr akad amer asist dipl egz ekon el faks fak habil inž kn lit ltn mjr moksl mst "
        "mstl red rež"
    ),
    "hu": (
        "jan febr márc ápr jún júl aug szept okt nov dec pl ld stb kb ún vö kft rt bt zrt nyrt dr prof ifj özv gr "
        "br kr.e kr.u i.e i.sz tel fsz u.n m.a"
    ),
    "tr": (
        "şub ağu eyl eki dr prof doç yrd müh alb yb bnb yzb ütğm öğr vb vd vs bkz örn yy m.ö m.s a.ş ltd şti sok cad "
        "mah apt tel s sf hz st av ank ar.gör arş.gör ecz gn hv ist onb org sn uzm yar.doç yrd.doç çev üni"
    ),
    "ru": (
        "т д п с в янв февр фев апр июн июл авг сент сен окт нояб ноя дек г гг вв н.э до.н.э руб коп тыс млн млрд "
        "трлн т.е т.д т.п т.к т.н др пр проч см ср напр стр рис табл гл пп ст ул кв корп просп пл наб обл р р-н пос "
        "тел акад проф доц канд докт св сек ч кг шт экз изд ред вып англ фр лат греч рус букв прим и.о г-н г-жа н э "
        "сокр чел род гр примеч бывш м л ед мин соч собр пер илл итал исп нем яз л.с сост вкл"
    ),
    "uk": (
        "т п с м січ лют квіт черв серп жовт груд р рр ст н.е грн коп тис млн млрд т.е т.д т.п т.зв ін напр стор рис "
        "табл гл пп вул буд кв корп просп пл обл тел акад проф доц ім св хв год сек кг шт ред англ нім лат прим пор "
        "див укр фр іт м-р гр наз чол"
    ),
    "be": (
        "т п с д студз лют крас трав чэрв ліп жн вер кастр ліст снеж г гг ст стст н.э руб кап тыс млн млрд т.е т.д "
        "т.п інш напр гл пар мал табл вул кв просп пл вобл тэл акад праф дац імя св рэж пр-т дз арт хв англ др італ "
        "чал лац ням фр м р в зб выд рэд аўт кн т.зв г.зн"
    ),
    "bg": (
        "т п с в ян февр апр авг септ окт ноем дек г гг вв лв ст хил млн млрд т.е т.н нар напр вж ср стр фиг табл "
        "гл чл ул бул бл ет ап тел акад проф доц д-р инж св гр обл пр.н.е сл.хр англ лат"
    ),
    "mk": "јан фев апр авг септ окт ноем дек г в т.е т.н итн пр стр чл ул бул бр тел акад проф д-р св мин англ лат",
    "sr": (
        "јан феб апр авг септ окт дец г в тј тзв итд сл нпр стр с чл ул бр тел акад проф др мр св мил англ лат jan "
        "feb apr avg sept okt dec tj tzv itd npr str čl ul br tel prof dr mr sv mil eng lat god dipl ing doc akad sl "
        "год доц инж разр"
    ),
    "hr": (
        "siječ velj ožu ruj stu g god tj tzv itd npr str sl čl ul br tel akad prof dr mr sc sv kn mil eng lat o.g "
        "pr.kr o.č ing dipl m.in ca"
    ),
    "bs": (
        "jan feb apr avg sept okt dec g tj tzv itd npr str sl čl ul br tel akad prof dr mr sc sv mil eng lat ing dipl"
    ),
    "sl": (
        "t i d o g jan feb apr avg sept okt dec npr oz itd ipd itn tj t.i t.j dr prof doc mag inž ing dipl univ št "
        "str čl ul tel gdč sv st pr.n.št n.št red ca angl nem lat gl prim d.o.o d.d mio mrd idr"
    ),
    "cs": (
        "s r ún bř květ čvn čvc zář říj pros např tj tzv tzn apod atd popř př resp mj vč č čís čl odst písm str ul "
        "tř tel fax mld tis kč hod sek prof doc dr mudr judr phdr rndr ing mgr bc csc drsc ph.d sv n.l př.n.l stol "
        "roč sb obr tab kap viz angl lat řec pí nar zemř spol s.r.o a.s o.p.s v.o.s m.n.m arch cca ev event gen hl "
        "kpt nám okr plk pplk rež st ved vyd"
    ),
    "sk": (
        "s r jan febr apr aug sept okt nov dec napr tj t.j tzv tzn apod atď resp č čl ods písm str ul tel fax mld "
        "tis hod sek prof doc dr mudr judr phdr rndr ing mgr bc csc sv n.l pred.n.l stor roč zb obr tab kap angl nem "
        "lat gr nar zomr spol s.r.o a.s m.n.m akad arch cca gen kpt nám okr plk rež st ved vyd býv"
    ),
    "pl": (
        "r w s stycz lut kwiec czerw sierp wrzes paźdz grudz np itd itp tzn tzw tj m.in rr n.e p.n.e prof doc dr hab "
        "mgr inż lek med ks bp abp św płk mjr kpt ul pl nr str tel art ust pkt poz rys tab godz sek zł gr tys mln "
        "mld niem fr łac wg cdn jw wyd tł zob sp z.o.o s.a dot ur zm zam woj pow gm pt proc fot im os pn adw arch bł "
        "bryg dyr gen reż tow ub ww nadkom podkom przyp kard kol red"
    ),
    "el": (
        "ιαν φεβ μαρ απρ ιουν ιουλ αυγ σεπτ οκτ νοε δεκ π.χ μ.χ κ.λπ κ.ά κ.α κ.τ.λ κλπ κτλ δηλ βλ πρβλ σελ αρ αριθ "
        "τηλ κος δρ καθ αγ λεωφ οδ εκατ δισ χιλ χλμ ευρ μ.μ π.μ κ κκ άρθρ αθ αριθμ αύγ βασ γεν γραμμ δημ διον δολ "
        "δρχ επ θεμ ιούλ ιούν ιωαν μεγ νοέμβρ πλ πολ στρ τετ υπ φεβρ χρ"
    ),
    "ga": (
        "ean feabh márt aib iúil lún m.f meán fómh d.fómh samh noll srl lch lgh uimh tel r.ch i.ch co gco lth uacht "
        "m.sh uas r.chr feab"
    ),
    "cy": "ion chwef ebr meh gorff tach rhag dr parch tud e.e h.y ayyb ayb c.c o.c",
    "eu": "urt ots uzt abu ira urr aza abe etab adib orr zk zenb tel k.a k.o jn and dr",
    "sq": "jan shk pri qer gus sht tet nën dhj p.sh etj d.m.th dmth dr prof znj nr fq tel rr p.e.s",
    "af": (
        "jan feb mrt apr jun jul aug sept okt nov des bv ens d.w.s m.a.w o.a nl dr prof mnr mev mej ds nr bl tel asb "
        "ca v.c n.c mnre adv gen kol kapt pred hfst afd"
    ),
    "lb": "jan feb abr jun jul aug sep okt nov dez z.b d.h asw etc resp dr prof hr mme nr u.a evtl",
    "id": (
        "jan feb apr jun jul ags sep okt nov dr drs ir prof hj tn hlm jl telp dll dsb dst tsb yth a.n s.d m.m rp llc "
        "pte tbk ltd corp dra drg drh ds faks kh pdt plt m.sc s.pd s.kom s.si m.pd m.si b.sc a.md s.sos s.th m.hum "
        "m.kom"
    ),
    "ms": "jan feb apr jun jul ogo sep okt nov dis dr prof pn hj hlm jln tel dll dsb sdn bhd",
    "tl": "ene peb abr hun hul okt nob dis gng bb dr sra atbp hal",
    "vi": "ths ts gs pgs bs ks tp đt v.v tt",
    "eo": "jan feb apr jun jul aŭg sep okt nov dec ekz ktp k.t.p t.e s-ro s-ino d-ro prof n-ro paĝ i.a",
    "la": "jan febr mart apr iun iul aug sept oct nov dec kal cn ti sex sp p.r s.p.q.r a.d a.c v.c",
    "hi": "डॉ प्रो पं स्व ई.पू कि.मी रु कु",
    "ar": "هـ ق.م ب.م",
    "he": "פרופ גב עמ טל וכו",
    "fa": "ق.م ه.ش ه.ق",
    "ka": (
        "ბერძნ მაგ ძვ ინგლ ესპ დაახლ ლათ სხვ იხ წ ფრ გერმ რუს იტალ თურქ სპარს არაბ შ პროფ აკად ე.წ ე.ი ა.შ ქ ტ გვ "
        "მლნ მლრდ"
    ),
    "mt": "onor dok nru dr p m sur av prof art kap fig pag eċċ",
    "hy": "հեռ անվ համ ընկ քաղ փող պրոֆ ակադ",
    "te": "డా ప్రొ",
    "mr": "डॉ प्रा कु सौ रु",
    "kk": "т.б т.с.с ж мыс",
    "ky": "ж.б ж д.у.с",
}
_WORDS = {
    "af": "op",
    "ca": "al vol pp",
    "cs": "co",
    "fr": "vol",
    "lb": "op",
    "nl": "al op vol",
    "pl": "co",
    "ro": "al vs",
    "sk": "al",
}
"""Abbreviations of others that are words, or names, in a language."""
_LIKE = {  # languages that have the abbreviations of another
    "nb": "no",
    "nn": "no",
    "cmn": "zh",
    "gsw": "de",
    "nds": "de",
    "oc": "ca",
    "ast": "es",
    "mo": "ro",
    "fil": "tl",
    "sh": "sr",
    "rue": "uk",
    "hsb": "cs",
    "dsb": "cs",
}


@cache
def abbreviations(lang: str) -> frozenset[str]:
    """Return the abbreviations of a language, with those that are common to many; only these if there is no list."""
    found = f"{_COMMON} {_ABBREVIATIONS.get(_LIKE.get(lang, lang), '')}"
    return frozenset(found.split()) - frozenset(_WORDS.get(lang, "").split())
