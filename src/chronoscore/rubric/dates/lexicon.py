"""The English words that the check of dates knows, all in one place.

The tables say which words express time and which words decide whose date an expression is.
A time word that no pattern of `expressions` understands is listed in `TIME_WORDS`: a sentence
with such a word gets no verdict.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Written out, since those of the module calendar change with the locale.
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
SHORT_MONTHS = {name[:3]: number for number, name in enumerate(MONTHS, 1)} | {"sept": 9}
PARTS_OF_DAY = ("morning", "afternoon", "evening", "night", "lunchtime")

_UNITS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
NUMBERS = (
    {word: number for number, word in enumerate(_UNITS, 1)}
    | {word: 10 * number for number, word in enumerate(_TENS, 2)}
    | {
        f"{ten}-{one}": 10 * tens + ones
        for tens, ten in enumerate(_TENS, 2)
        for ones, one in enumerate(_UNITS[:9], 1)
    }
    | {"a": 1, "an": 1, "a couple of": 2, "a dozen": 12, "a hundred": 100, "one hundred": 100}
)
ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
}

STEPS = {
    "last": -1,
    "past": -1,
    "previous": -1,
    "this": 0,
    "this past": -1,
    "this coming": 1,
    "next": 1,
    "coming": 1,
}

RELATIVE_DAYS = {
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "earlier today": 0,
    "later today": 0,
    "yesterday": -1,
    "yesterday morning": -1,
    "yesterday afternoon": -1,
    "yesterday evening": -1,
    "tomorrow": 1,
    "tomorrow morning": 1,
    "tomorrow afternoon": 1,
    "tomorrow evening": 1,
    "tomorrow night": 1,
    "the day before yesterday": -2,
    "the day after tomorrow": 2,
}

# Month, day and the number of days; a second row is the Julian calendar's.
FIXED_HOLIDAYS = {
    "new year's day": ((1, 1, 1),),
    "epiphany": ((1, 6, 1),),
    "valentine's day": ((2, 14, 1),),
    "st patrick's day": ((3, 17, 1),),
    "st. patrick's day": ((3, 17, 1),),
    "may day": ((5, 1, 1),),
    "the fourth of july": ((7, 4, 1),),
    "bastille day": ((7, 14, 1),),
    "halloween": ((10, 31, 1),),
    "all saints' day": ((11, 1, 1),),
    "christmas eve": ((12, 24, 1), (1, 6, 1)),
    "christmas day": ((12, 25, 1), (1, 7, 1)),
    "boxing day": ((12, 26, 1),),
    "new year's eve": ((12, 31, 2),),
}
# Days from Easter Sunday, by the Gregorian and by the Julian calendar.
EASTER_HOLIDAYS = {
    "ash wednesday": -46,
    "palm sunday": -7,
    "maundy thursday": -3,
    "good friday": -2,
    "holy saturday": -1,
    "easter sunday": 0,
    "easter monday": 1,
    "ascension day": 39,
    "whit sunday": 49,
    "whit monday": 50,
}
# A weekday after one of these words is the name of an event or of a day that is not known here.
NAMING_WORDS = ("Bloody", "Black", "Super", "Cyber", "Giving", "Shrove", "Red", "Orange")

# Words of time. Where no pattern covers one, the sentence is not understood.
TIME_WORDS = _words(
    """
    day days daily daytime week weeks weekly weekday weekdays weekend weekends fortnight
    month months monthly year years yearly annual annually decade decades century centuries
    quarter semester season hour hours minute minutes nightly
    spring summer autumn winter midsummer midwinter solstice
    recently recent lately soon shortly previously formerly subsequently eventually ago later
    earlier since afterward afterwards thereafter beforehand until till hitherto overdue
    anniversary birthday jubilee centenary bicentenary eve holiday holidays ramadan eid passover
    hanukkah diwali christmas easter thanksgiving carnival lent advent pentecost nowruz tet
    yuletide juneteenth yom purim
    fiscal era epoch millennium midweek midmonth weeklong monthlong yearlong daylong
    twenties thirties forties fifties sixties seventies eighties nineties q1 q2 q3 q4 h1 h2
    """
)
NIGHT_WORDS = frozenset({"night", "midnight", "overnight", "nightfall", "tonight"})
TIME_ZONES = frozenset({"gmt", "utc", "est", "edt", "pst", "pdt", "cet", "cest", "bst", "zulu"})

# In a clause with one of these words the date is that of the saying.
REPORTING = _words(
    """
    said says say saying told tells according confirmed confirms disclosed discloses acknowledged
    acknowledges admitted admits wrote writes tweeted added stated noted revealed reveals explained
    announced announces
    """
)
# These words name an act of their own as well: the date may be the act's or the event's.
MAYBE_REPORTING = _words(
    """
    reported reports denied denies posted claimed claims warned warns testified quoted insisted
    alleged show shows showed shown suggest suggests suggested indicate indicates indicated learned
    learnt heard promised predicted conceded maintained recalled recalls published declared
    declares estimated estimates believe believes accused complained argued pointed found finds
    discovered noticed records recorded gives dates documents pictures footage report statement
    """
)
# A clause begins with one of these words.
CLAUSE_OPENERS = (
    *("that", "which", "who", "whom", "whose", "where", "when", "while", "though", "although"),
    *("but", "and", "because", "as", "if", "whether", "after", "before", "since", "until", "once"),
)
RELATIVE_PRONOUNS = frozenset({"that", "which", "who", "whom", "whose", "where"})

AUXILIARIES = _words("was were is are has have had did does do be been being")
IRREGULAR_PASTS = _words(
    """
    ate became began bought broke brought built burst came caught chose crept cut dealt drew drove
    fell fled flew forbade forced fought found froze gave got grew heard held hid hit hung
    kept knelt knew laid led left lent let lit lost made met overran overthrew paid quit ran rang
    rode rose sang sank sat saw sent set shook shot shut slid sold sought spent split spoke
    spread sprang stole stood struck stuck swam swept swore taught threw took tore undid withdrew
    woke won wore wound wrote went blew beat overtook retook forgot
    hurt put cast burnt thrust
    beaten begun bitten born broken chosen done drawn driven fallen flown forgotten frozen given
    gone grown hidden seen shaken slain spoken stolen sunk sworn taken thrown torn worn written
    """
)
# Not a past tense in spite of the ending, or an adjective that speaks of no event.
NO_PASTS = _words(
    """
    need seed indeed speed hundred bleed breed feed weed shed disputed united armed unarmed crowded
    retired besieged limited masked isolated unprecedented advanced experienced so-called
    """
)
FUTURE = _words(
    """
    will shall 'll won't would could should may might must can plan plans planned planning due
    expected expects expect scheduled next tomorrow upcoming coming ahead intend intends aims
    hopes pledged promised promises vowed vows prepare prepares preparing postponed set called
    opens begins starts meets votes goes holds faces takes plays ends comes returns resumes hosts
    meet vote play begin start open face go return hold resume host travel travels visit
    visits arrives arrive leaves leave is are be
    """
)
# Determiners and prepositions: a participle after one of them is an adjective ("the jailed man").
BEFORE_NOUNS = _words(
    "the a an its his her their this that these those of by with two three four five six"
)
CERTAIN_FUTURE = _words("will shall 'll won't plan plans due must")

# Words that speak of something earlier, whose date the sentence may not give.
LOOKING_BACK = _words(
    """
    had having because after following once former ex news bodies body despite hunt hunting
    charged accused suspected suspect suspects convicted guilty blamed sentenced jailed imprisoned
    acquitted pleaded trial tried verdict appeal inquiry inquest investigation investigating
    investigate investigated investigators probe arrested detained custody court extradited
    memory memorial mourn mourned mourners mourning commemorate commemorated remember remembered
    recalled recalling tribute victims victim survivors survivor funeral burial ended concluded
    finished aftermath wreckage wreck recover recovered recovering rebuild rebuilt identified
    discovered discovery unearthed traced compensation apologised apologized apology
    pardoned freed released original originally initial initially
    """
)
# Nouns of events: after a preposition they speak of something that the clause does not date.
EVENT_NOUNS = _words(
    """
    murder murders killing killings death deaths arrest attack attacks bombing bombings shooting
    crash collapse explosion blast theft robbery coup accident disaster merger kidnapping abduction
    fire flood earthquake quake storm landslide massacre riot riots war invasion scandal leak spill
    rape assault stabbing poisoning sinking defeat loss visit ban ruling decision resignation
    assassination outage strike strikes protests clashes divorce fall injury slick execution
    festival match final election elections vote referendum summit conference concert wedding
    launch poll race games tournament ceremony parade rally hearing escape eruption
    """
)
EVENT_PREPOSITIONS = _words("over for about into of amid against by from to with behind at")
# Words for the first day of something that may last until publication.
BEGINNING = _words("began begun started opened erupted launched continued continues since ongoing")
# Words after which an event may have happened on another day than planned, or not at all.
UNSETTLED = (
    *("postponed", "delayed", "rescheduled", "cancelled", "canceled", "called off", "put off"),
    *("scrapped", "suspended until", "brought forward", "moved from", "not on", "not until"),
    *(
        "not in",
        "not last",
        "not yesterday",
        "rather than",
        "instead of",
        "no longer",
        "never",
        "failed to",
        "was to have",
    ),
    *("were to have", "would have", "might have", "should have"),
)
SUPERLATIVE = (
    r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|only|most|least"
    r"|worst|best|more than any|fewer \w+ than any|less \w+ than any|any|record|[a-z]{3,}est)"
)
