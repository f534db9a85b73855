"""Words of some topics in three languages, with their forms: a word a line, the base form first.

Czech and Slovak share many of their technical words, and some forms of others; English shares a few.
"""

from __future__ import annotations

WORDS: dict[str, dict[str, str]] = {
    "geology": {
        "cs": """
hornina horniny hornině horninu horninou hornin horninám horninách horninami
minerál minerálu minerály minerálů minerálem minerálech
žula žuly žule žulu žulou
čedič čediče čediči čedičem čedičů
magma magmatu magmatem magmata
sopka sopky sopce sopku sopkou sopek sopkách
láva lávy lávě lávu lávou
souvrství souvrstvím souvrstvích
usazenina usazeniny usazenin usazeninám usazeninách usazeninami
vrása vrásy vráse vrásu vrásou vrás
krystal krystalu krystaly krystalů krystalem krystalech
křemen křemene křemeni křemenem
živec živce živci živcem živců
vápenec vápence vápenci vápencem vápenců
břidlice břidlici břidlicí břidlic břidlicích
geolog geologa geologové geologů geologem
zemětřesení zemětřesením zemětřeseních
eroze erozi erozí
ledovec ledovce ledovci ledovcem ledovců
sediment sedimentu sedimenty sedimentů sedimentech
tektonika tektoniky tektonice tektoniku tektonikou
fosilie fosilii fosilií fosiliích
""",
        "sk": """
hornina horniny hornine horninu horninou hornín horninách horninami
minerál minerálu minerály minerálov minerálom mineráloch
žula žuly žule žulu žulou
čadič čadiča čadiči čadičom čadičov
magma magmy magme magmu magmou
sopka sopky sopke sopku sopkou sopiek sopkách
láva lávy láve lávu lávou
súvrstvie súvrstvia súvrství
usadenina usadeniny usadenín usadeninách
vrása vrásy vráse vrásu vrás
kryštál kryštálu kryštály kryštálov kryštálom
kremeň kremeňa kremeni kremeňom
živec živca živci živcom živcov
vápenec vápenca vápenci vápencom vápencov
bridlica bridlice bridlici bridlicu bridlíc
geológ geológa geológovia geológov geológom
zemetrasenie zemetrasenia zemetrasení zemetrasením
erózia erózie erózii eróziu eróziou
ľadovec ľadovca ľadovci ľadovcom ľadovcov
sediment sedimentu sedimenty sedimentov sedimentoch
tektonika tektoniky tektonike tektoniku tektonikou
fosília fosílie fosíliu fosílií
""",
        "en": """
rock rocks
mineral minerals
granite granites
basalt basalts
magma magmas
volcano volcanoes
lava lavas
stratum strata
fold folds
crystal crystals
quartz
feldspar feldspars
limestone limestones
slate slates
geologist geologists
earthquake earthquakes
erosion
glacier glaciers
sediment sediments
tectonics
fossil fossils
""",
    },
    "computing": {
        "cs": """
počítač počítače počítači počítačem počítačů počítačích
server serveru servery serverů serverem serverech
program programu programy programů programem programech
procesor procesoru procesory procesorů procesorem
paměť paměti pamětí pamětech
soubor souboru soubory souborů souborem souborech
software softwaru softwarem
hardware hardwaru hardwarem
algoritmus algoritmu algoritmy algoritmů algoritmem
databáze databázi databází databázím databázích
programátor programátora programátoři programátorů programátorem
klávesnice klávesnici klávesnicí klávesnic
disk disku disky disků diskem
kód kódu kódy kódů kódem
uživatel uživatele uživateli uživatelé uživatelů uživatelem
aplikace aplikaci aplikací aplikacím aplikacích
kompilátor kompilátoru kompilátory kompilátorů kompilátorem
proměnná proměnné proměnnou proměnných
rozhraní rozhraním rozhraních
protokol protokolu protokoly protokolů protokolem
knihovna knihovny knihovně knihovnu knihovnou knihoven
monitor monitoru monitory monitorů monitorem
""",
        "sk": """
počítač počítača počítači počítače počítačov počítačom
server servera servery serverov serverom serveroch
program programu programy programov programom programoch
procesor procesora procesory procesorov procesorom
pamäť pamäte pamäti pamätí
súbor súboru súbory súborov súborom súboroch
software softwaru softwarom
hardware hardwaru hardwarom
algoritmus algoritmu algoritmy algoritmov algoritmom
databáza databázy databáze databázu databáz
programátor programátora programátori programátorov programátorom
klávesnica klávesnice klávesnici klávesnicu
disk disku disky diskov diskom
kód kódu kódy kódov kódom
používateľ používateľa používatelia používateľov
aplikácia aplikácie aplikácii aplikáciu aplikácií
kompilátor kompilátora kompilátory kompilátorov
premenná premennej premennú premenných
rozhranie rozhrania rozhraní rozhraním
protokol protokolu protokoly protokolov protokolom
knižnica knižnice knižnici knižnicu
monitor monitora monitory monitorov
""",
        "en": """
computer computers
server servers
program programs
processor processors
memory memories
file files
software
hardware
algorithm algorithms
database databases
programmer programmers
keyboard keyboards
disk disks
code codes
user users
application applications
compiler compilers
variable variables
interface interfaces
protocol protocols
library libraries
monitor monitors
""",
    },
    "beekeeping": {
        "cs": """
včela včely včele včelu včelou včel včelám včelami včelách
úl úlu úly úlů úlem úlech
med medu medem
vosk vosku voskem
plást plástu plásty plástů plástem plástech
matka matky matce matku matkou matek
trubec trubce trubci trubcem trubců
dělnice dělnici dělnicí dělnic
včelař včelaře včelaři včelařem včelařů
včelstvo včelstva včelstvu včelstvem včelstev včelstvech
nektar nektaru nektarem
pyl pylu pylem
propolis propolisu propolisem
roj roje roji rojem rojů
rámek rámku rámky rámků rámkem
larva larvy larvě larvu larvou larev
kleštík kleštíka kleštíkem kleštíků
medovice medovici medovicí
opylení opylením
medník medníku medníky medníkem
kukla kukly kukle kuklu kuklou kukel
plod plodu plody plodů plodem
""",
        "sk": """
včela včely včele včelu včelou včiel včelám včelami
úľ úľa úle úľov úľom úľoch
med medu medom
vosk vosku voskom
plást plástu plásty plástov plástom
matka matky matke matku matkou matiek
trúd trúda trúdy trúdov
robotnica robotnice robotnici robotnicu robotníc
včelár včelára včelári včelárov včelárom
včelstvo včelstva včelstvu včelstvom včelstiev
nektár nektáru nektárom
peľ peľu peľom
propolis propolisu propolisom
roj roja roje rojov rojom
rámik rámika rámiky rámikov
larva larvy larve larvu larvou lariev
klieštik klieštika klieštikov
medovica medovice medovici medovicu
opelenie opelenia opelením
medník medníka medníky
kukla kukly kukle kuklu kukiel
plod plodu plody plodov
""",
        "en": """
bee bees
hive hives
honey
wax
honeycomb honeycombs
queen queens
drone drones
worker workers
beekeeper beekeepers
colony colonies
nectar
pollen
propolis
swarm swarms
frame frames
larva larvae
mite mites
honeydew
pollination
pupa pupae
brood broods
""",
    },
    "guitar": {
        "cs": """
kytara kytary kytaře kytaru kytarou kytar kytarách
struna struny struně strunu strunou strun strunách
akord akordu akordy akordů akordem akordech
pražec pražce pražci pražcem pražců pražcích
hmatník hmatníku hmatníkem
trsátko trsátka trsátkem trsátek
kobylka kobylky kobylce kobylku kobylkou
ladění laděním
stupnice stupnici stupnicí stupnic
tón tónu tóny tónů tónem tónech
rytmus rytmu rytmy rytmů rytmem
melodie melodii melodií melodiích
kytarista kytaristy kytaristovi kytaristu kytaristou kytaristů
zesilovač zesilovače zesilovači zesilovačem zesilovačů
snímač snímače snímači snímačem snímačů
rezonance rezonanci rezonancí
nota noty notě notu notou
skladba skladby skladbě skladbu skladbou skladeb
riff riffu riffy riffů riffem
sólo sóla sólu sólem
basa basy base basu basou
virtuos virtuosa virtuosem virtuosů
""",
        "sk": """
gitara gitary gitare gitaru gitarou gitár gitarách
struna struny strune strunu strunou strún
akord akordu akordy akordov akordom
pražec pražca pražci pražcom pražcov
hmatník hmatníka hmatníkom
trsátko trsátka trsátkom
kobylka kobylky kobylke kobylku kobylkou
ladenie ladenia ladením
stupnica stupnice stupnici stupnicu stupníc
tón tónu tóny tónov tónom
rytmus rytmu rytmy rytmov rytmom
melódia melódie melódii melódiu melódií
gitarista gitaristu gitaristovi gitaristom gitaristov
zosilňovač zosilňovača zosilňovačom zosilňovačov
snímač snímača snímačom snímačov
rezonancia rezonancie rezonanciu rezonancií
nota noty note notu notou
skladba skladby skladbe skladbu skladieb
riff riffu riffy riffov riffom
sólo sóla sólu sólom
basa basy base basu basou
virtuóz virtuóza virtuózom virtuózov
""",
        "en": """
guitar guitars
string strings
chord chords
fret frets
fingerboard fingerboards
pick picks
bridge bridges
tuning tunings
scale scales
tone tones
rhythm rhythms
melody melodies
guitarist guitarists
amplifier amplifiers
pickup pickups
resonance resonances
note notes
riff riffs
solo solos
bass
virtuoso virtuosos
""",
    },
}


def forms_of(topic: str, lang: str) -> list[tuple[str, ...]]:
    """The words of a topic, each with its forms."""
    return [tuple(line.split()) for line in WORDS[topic][lang].split("\n") if line]
