import { Embeddings } from '@langchain/core/embeddings'

/** The vector of a text: counts of a few letters. */
export const letterVector = (text: string): number[] => [...'aeiourst'].map(letter => text.split(letter).length + 0.5)

/** Texts to vectors without a model. */
export class LetterEmbeddings extends Embeddings {
  constructor() {
    super({})
  }
  async embedQuery(text: string) {
    return letterVector(text)
  }
  async embedDocuments(texts: string[]) {
    return texts.map(letterVector)
  }
}
