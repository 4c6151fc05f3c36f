"""Writes bm25-reference.json: what Qdrant's own BM25 code answers for the texts below.

    python3 -m venv VENV && VENV/bin/pip install qdrant-edge-py==0.9.0 py_rust_stemmers==0.1.8
    VENV/bin/python test/text/bm25-reference.py && npx biome format --write test/text/bm25-reference.json
"""

import json
import pathlib

from py_rust_stemmers import SnowballStemmer
from qdrant_edge import Bm25, Bm25Config, DisabledStemmer, StopwordsSet

TEXTS = [
    "", " ", "\n\t", "the", "The and OF", "hello", "Hello, hello HELLO world!", "a b c d e f g",
    "How do I rotate the signing key without downtime?",
    "Rotating keys: rotation rotates the rotated key; keyed, keying, keys.",
    "don't can't won't it's the dog's dogs' y'all", "rock ’n’ roll’s ‘quoted’ “text”", "O'Reilly and D'Arcy",
    "state-of-the-art re-ranking co-operate e-mail", "snake_case_name camelCaseName kebab-case-name CONSTANT_CASE",
    "version 1.18.0 of 2026-11-21, port 6334, 10 000 €, 3.14159, 0x1F, 1e-9", "ERR_CONN_RESET E1234 HTTP/1.1 404",
    "½ ² ① Ⅷ ٣ ४", "naïve café résumé coöperate façade Ångström", "e\u0301tude cafe\u0301",
    "ΑΣ ΟΔΟΣ Σίσυφος σοφός", "İstanbul ISPARTA ığdır", "ſtraße STRASSE Straße ẞ", "ﬁne ﬂuﬀy",
    "東京タワーは高い。", "检索增强生成", "한국어 문장입니다", "日本語 and English mixed 文字列", "ภาษาไทยไม่มีเว้นวรรค",
    "हिन्दी भाषा", "العربية لغة جميلة", "עברית שפה", "русский язык и поисковая система",
    "emoji 😀 joined 👨‍👩‍👧 flags 🇩🇪 keycap 1️⃣", "𝐀𝐁𝐂 𝒳s 𝐀ies 𐐨𐐩ing", "zero\u200bwidth soft\u00adhyphen non\u00a0breaking",
    "tab\tnew\nline\r\ncarriage", "<b>bold</b> &amp; <|endoftext|> {{template}}", "user@example.org https://example.org/a/b?c=d#e",
    "skis skies dying lying tying idly gently ugly early only singly", "sky news howe atlas cosmos bias andes",
    "inning outing canning herring earring proceed exceed succeed proceeds exceeded succeeding",
    "generate generation generous generously communism communication arsenal arsenic",
    "hopped hopping ebbed fizzed hissing filing failing falling luxuriated hoped hoping",
    "agreed feed freed proceedly agreedly bleed", "happy cry by say toys boyish yellow yes youth sayings",
    "rational conditional valency hesitancy digitizer conformably radically differently vilely analogously",
    "vietnamization predication operator feudalism decisiveness hopefulness callousness formality sensitivity sensibility",
    "triplicate formative formalize electricity electrical hopeful goodness",
    "revival allowance inference airliner gyroscopic adjustable defensible irritant replacement adjustment dependent",
    "adoption homologous communism activate angularity effective bowdlerize analogy apology theology",
    "probate rate cease controll roll hell fulfill", "ss us gas this kiwis gaps ties dies flies",
    "A database stores vectors. The database searches the vectors by cosine similarity, and returns vectors.",
    "word " * 300, "one two three four five six seven eight nine ten " * 40, "a" * 5000, "ab" * 40 + " " + "xyz" * 100,
    "no nor not only own same so than too very", "ours yours hers theirs myself themselves because until while",
    "mightn mustn needn shan shouldn wasn weren wouldn ma ain", "- * # | > ``` ~~~ === ---",
    "| column | value |\n|---|---|\n| max_segment_size | 200000 |", "def f(x): return x**2  # squares",
    "SELECT * FROM chunks WHERE doc_id = 'a-1';", "ǅ ǈ ǋ ŉ ß ŋ", "ª º ᵃ ₂ ⁿ ℵ ⓐ Ⓑ", "\u0345a\u0345b", "ೀಮ ௧௨௩ ໑໒",
]

STEMS = (
    "consign consigned consigning consignment consist consisted consistency consistent consistently consolation knack "
    "knackeries knaves knavish knead kneaded kneading kneel knees knife knightly knocker knot yy ayy sayyy yyyy ied ies "
    "aed eed us ss gas gassy ion tion sion ization fulli lessli logi ologi ally ement ment ent ative ness ful icate "
    "ying dyed eying beyed boyed"
).split()

OPTIONS = [
    {"k": 1.6}, {"b": 0.0}, {"b": 1.0, "avg_len": 10.0}, {"k": 0.0}, {"k": 2.5, "b": 0.3, "avg_len": 1000.0},
    {"language": "none"},
]


def vector(sparse):
    return {"indices": list(sparse.indices), "values": list(sparse.values)}


def config(options):
    if options.get("language") == "none":
        # The edge build names no language "none"; the server's meaning is: no stop words, no stems.
        return Bm25Config(stemmer=DisabledStemmer(), stopwords=StopwordsSet(languages=set(), custom=set()))
    return Bm25Config(**options)


def cases():
    for text in TEXTS:
        yield text, {}
    for options in OPTIONS:
        for text in (TEXTS[8], TEXTS[9], TEXTS[10], TEXTS[53]):
            yield text, options


stemmer = SnowballStemmer("english")
answer = {
    "cases": [
        {
            "text": text,
            "options": options,
            "document": vector(Bm25(config(options)).embed_document(text)),
            "query": vector(Bm25(config(options)).embed_query(text)),
        }
        for text, options in cases()
    ],
    "stems": {word: stemmer.stem_word(word) for word in STEMS},
}
target = pathlib.Path(__file__).with_suffix(".json")
target.write_text(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).replace('{"text"', '\n{"text"') + "\n")
print(len(answer["cases"]), "cases,", len(answer["stems"]), "stems")
