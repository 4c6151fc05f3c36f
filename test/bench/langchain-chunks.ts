import { RecursiveCharacterTextSplitter } from '@langchain/textsplitters'
import type { GoldenSet } from '../../src/evaluation/golden-set/golden-set.ts'

/** The chunks of a set as LangChain's splitter cuts them: by characters, with the id of the document as the source. */
export async function langchainChunks({ name, documents }: GoldenSet, chunkSize = 1000, chunkOverlap = 200) {
  const splitter = new RecursiveCharacterTextSplitter({ chunkSize, chunkOverlap })
  return splitter.splitDocuments(
    documents.map(({ docId, text }) => ({ pageContent: text, metadata: { source: docId, set: name } })),
  )
}
