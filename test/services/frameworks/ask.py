"""
A small backend for each framework of Python. `python ask.py JOB ANSWERS` reads a job (`Job` of backends.ts), ingests its documents, asks its
questions, and writes the texts of the hits, one array for each question. Everything else is as the pages of the framework have it.
"""

import json
import sys

from qdrant_client import QdrantClient, models

job_file, answers_file = sys.argv[1:]
with open(job_file, encoding="utf-8") as file:
    job = json.load(file)
framework, embeddings_url, url = job["framework"], job["embeddings"], job["qdrant"]
collection, documents, questions, limit = job["collection"], job["documents"], job["questions"], job["limit"]
MODEL = "text-embedding-3-small"
API_KEY = "sk-nobody"


def connect():
    return QdrantClient(url=url, check_compatibility=False)


class WithSdk:
    """A backend without a framework: the SDK of a provider, and the client of Qdrant."""

    def __init__(self, embed):
        self.embed = embed
        self.client = connect()

    def ingest(self, texts, first):
        vectors = self.embed(texts, "document")
        if first == 0:
            size = models.VectorParams(size=len(vectors[0]), distance=models.Distance.COSINE)
            self.client.create_collection(collection, vectors_config=size)
        points = [
            models.PointStruct(id=first + at, vector=list(vector), payload={"text": text})
            for at, (text, vector) in enumerate(zip(texts, vectors))
        ]
        self.client.upsert(collection, points, wait=True)

    def search(self, question):
        [vector] = self.embed([question], "query")
        found = self.client.query_points(collection, query=list(vector), limit=limit, with_payload=True)
        return [point.payload["text"] for point in found.points]


def openai():
    from openai import OpenAI

    client = OpenAI(api_key=API_KEY, base_url=f"{embeddings_url}/v1")

    def embed(texts, side):
        data = client.embeddings.create(model=MODEL, input=texts).data
        return [one.embedding for one in sorted(data, key=lambda one: one.index)]

    return WithSdk(embed)


def cohere():
    from cohere import ClientV2

    client = ClientV2(API_KEY, base_url=embeddings_url)
    return WithSdk(
        lambda texts, side: (
            client.embed(
                texts=texts, model="embed-v4.0", input_type=f"search_{side}", embedding_types=["float"]
            ).embeddings.float_
        )
    )


def voyage():
    from voyageai import Client

    client = Client(api_key=API_KEY, base_url=f"{embeddings_url}/v1")
    return WithSdk(lambda texts, side: client.embed(texts, model="voyage-3.5", input_type=side).embeddings)


def ollama():
    from ollama import Client

    client = Client(host=embeddings_url)
    return WithSdk(lambda texts, side: client.embed(model="nomic-embed-text", input=texts).embeddings)


def mistral():
    from mistralai.client import Mistral

    client = Mistral(api_key=API_KEY, server_url=embeddings_url)

    def embed(texts, side):
        data = client.embeddings.create(model="mistral-embed", inputs=texts).data
        return [one.embedding for one in sorted(data, key=lambda one: one.index)]

    return WithSdk(embed)


class LangChain:
    def __init__(self):
        from langchain_openai import OpenAIEmbeddings

        self.embeddings = OpenAIEmbeddings(api_key=API_KEY, base_url=f"{embeddings_url}/v1", model=MODEL)

    def ingest(self, texts, first):
        from langchain_qdrant import QdrantVectorStore

        QdrantVectorStore.from_texts(texts, self.embeddings, url=url, collection_name=collection)

    def search(self, question):
        from langchain_qdrant import QdrantVectorStore

        store = QdrantVectorStore.from_existing_collection(collection, self.embeddings, url=url)
        return [document.page_content for document in store.similarity_search(question, limit)]


class LlamaIndex:
    def __init__(self):
        from llama_index.core import VectorStoreIndex
        from llama_index.embeddings.openai import OpenAIEmbedding
        from llama_index.vector_stores.qdrant import QdrantVectorStore

        embedding = OpenAIEmbedding(api_key=API_KEY, api_base=f"{embeddings_url}/v1", model=MODEL)
        store = QdrantVectorStore(collection, client=connect())
        self.index = VectorStoreIndex.from_vector_store(store, embed_model=embedding)

    def ingest(self, texts, first):
        from llama_index.core.schema import TextNode

        self.index.insert_nodes([TextNode(text=text) for text in texts])

    def search(self, question):
        nodes = self.index.as_retriever(similarity_top_k=limit).retrieve(question)
        return [node.get_content() for node in nodes]


BACKENDS = {
    "openai": openai,
    "cohere": cohere,
    "voyage": voyage,
    "ollama": ollama,
    "mistral": mistral,
    "langchain": LangChain,
    "llamaindex": LlamaIndex,
}

backend = BACKENDS[framework]()
for first in range(0, len(documents), 96):
    backend.ingest(documents[first : first + 96], first)
answers = [backend.search(question) for question in questions]
with open(answers_file, "w", encoding="utf-8") as file:
    json.dump(answers, file)
