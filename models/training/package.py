"""Stages `embedder` and `reranker`: the models as folders, each with an fp32/int8 parity row."""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from scipy.stats import spearmanr

import bases
import goldens
import questions
import rank
import widen
from encoder import HEADS, HIDDEN, POSITIONS, VOCABULARY, load_bert
from export import export_encoder, export_scorer, make_unsigned, multiply_words_as_integers, quantize
from paths import EMBEDDER, RERANKER, work
from running import DenseModel, PairModel
from scorer import Scorer
from texts import rows

# The embedder goes by the name of the model that it is, so that its vectors and those of others are known to be alike.
MODEL_IDS = {EMBEDDER: "all-MiniLM-L6-v2", RERANKER: "stowage-reranker@2.4.1"}
MAX_TOKENS = 512
CONFIG = {
    "model_type": "bert",
    "attention_probs_dropout_prob": 0.1,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": HIDDEN,
    "initializer_range": 0.02,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": POSITIONS,
    "num_attention_heads": HEADS,
    "pad_token_id": 0,
    "position_embedding_type": "absolute",
    "type_vocab_size": 2,
    "vocab_size": VOCABULARY,
}
SPECIAL = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]"}
TOKENIZER = {
    **SPECIAL,
    "tokenizer_class": "BertTokenizer",
    "do_lower_case": True,
    "do_basic_tokenize": True,
    "strip_accents": None,
    "tokenize_chinese_chars": True,
    "model_max_length": MAX_TOKENS,
}
# The modules behind the cut. They stay in float32, because they are small, and the sum of seven features must not be rounded.
INTERACTION = ("cross", "blend", "hidden", "bend")
# Where stowage cuts the graph, by the names that the exporter gives. Of a query: its words, their lengths, what is matched, asked and compared, the weights of its
# tokens, its mean vector, its length, and the states that parts are matched with. Of a passage: its ids (for its words), what is matched, its keys and values, the
# scales of what is matched and of its words, which tokens are there, its mean vector and its length.
LATE_INTERACTION = {
    "query": [
        "/MatMul_3/turned",
        "/Unsqueeze_10_output_0",
        "/Split_1_output_0",
        "/Unsqueeze_9_output_0",
        "/Mul_9_output_0",
        "/Split_1_output_2",
        "/Unsqueeze_12_output_0",
        "/Div_4_output_0",
        "/Sub_5_output_0",
        "/query_side/Add_output_0",
    ],
    "passage": [
        "input_ids",
        "/Slice_output_0",
        "/Squeeze_output_0",
        "/Squeeze_1_output_0",
        "/Unsqueeze_6_output_0",
        "/Unsqueeze_7_output_0",
        "/Unsqueeze_8_output_0",
        "/Div_1_output_0",
        "/Sub_4_output_0",
    ],
    # Products of word vectors and the lengths of the question's: of a token they depend on the question and on its id.
    "word_match": "/Mul_13_output_0",
    # How well a part of a passage matches: the weights that `parts` fits.
    "part_match": {
        "query": "/query_side/Add_output_0",
        "passage": ["/Slice_output_0", "/Squeeze_output_0", "/Squeeze_1_output_0"],
        "importance": "/Unsqueeze_12_output_0",
        "max_similarity": 12.2,
        "cosine": 9.0,
    },
}


def save(path: Path, content: dict) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def folder(target: Path, config: dict, about: dict) -> None:
    """Everything but the weights."""
    (target / "onnx").mkdir(parents=True, exist_ok=True)
    words = json.loads((bases.MINILM / "tokenizer.json").read_text(encoding="utf-8"))
    words["truncation"] = words["padding"] = None
    (target / "tokenizer.json").write_text(json.dumps(words, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    save(target / "tokenizer_config.json", TOKENIZER)
    save(target / "special_tokens_map.json", SPECIAL)
    save(target / "config.json", {**CONFIG, **config})
    save(target / "stowage.json", {"model_id": MODEL_IDS[target], **about, "max_tokens": MAX_TOKENS})


def shape(layers: list[int], inner: int) -> dict:
    return {"num_hidden_layers": len(layers), "intermediate_size": inner}


def package_embedder() -> None:
    about = {"dimensions": HIDDEN, "pooling": "mean", "normalize": True, "query_prefix": "", "passage_prefix": ""}
    folder(EMBEDDER, {"architectures": ["BertModel"], **shape(rank.LAYERS, rank.INNER)}, about)
    fp32 = export_encoder(load_bert(bases.MINILM, rank.LAYERS), work("onnx/embedder.onnx"))
    int8 = quantize(fp32, EMBEDDER / "onnx/model_quantized.onnx")
    golden = goldens.chunked("docs-rag")
    texts = golden.passages[::6] + golden.queries
    exact, small = (DenseModel(path, EMBEDDER)(texts) for path in (fp32, int8))
    upper = np.triu_indices(len(texts), 1)
    parity(EMBEDDER.name, (exact @ exact.T)[upper], (small @ small.T)[upper], cosine=float((exact * small).sum(1).mean()))


def package_reranker() -> None:
    model = Scorer(len(rank.LAYERS), rank.INNER)
    model.load_state_dict(torch.load(widen.FINAL, weights_only=True))
    config = {"architectures": ["BertForSequenceClassification"], "num_labels": 1, **shape(rank.LAYERS, rank.INNER)}
    labels = {"id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0}}
    folder(RERANKER, {**config, **labels}, {"languages": ["en"], "late_interaction": LATE_INTERACTION})
    fp32 = export_scorer(model, work("onnx/reranker.onnx"))
    int8 = quantize(fp32, RERANKER / "onnx/model_quantized.onnx", exact=INTERACTION)
    make_unsigned(int8)
    multiply_words_as_integers(int8)
    passages = [row["text"] for row in list(rows(questions.PASSAGES))[::1600]]
    queries = [row["text"] for row in list(rows(questions.QUERIES))[::900]]
    exact, small = (PairModel(path, RERANKER) for path in (fp32, int8))
    both = [np.concatenate([model(query, passages) for query in queries]) for model in (exact, small)]
    parity(RERANKER.name, *both)


def parity(name: str, exact: np.ndarray, small: np.ndarray, **more: float) -> None:
    found = {
        "scores": len(exact),
        "spearman": round(float(spearmanr(exact, small).statistic), 4),
        "greatest difference": round(float(np.abs(exact - small).max()), 4),
        "mean difference": round(float(np.abs(exact - small).mean()), 4),
        **more,
    }
    save(work(f"parity-{name}.json"), found)
    print(name, json.dumps(found), flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    {"embedder": package_embedder, "reranker": package_reranker}[sys.argv[1]]()
