import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runToEnd } from '../support/process.ts'
import { writeTiktokenRanks } from './tiktoken-ranks.ts'

/** Names of the small backends in `ask.js` and `ask.py`. */
export const BACKENDS = {
  javascript: ['openai', 'ai-sdk', 'cohere', 'ollama', 'voyage', 'langchain', 'llamaindex', 'mastra'],
  python: ['openai', 'cohere', 'mistral', 'ollama', 'voyage', 'langchain', 'llamaindex'],
} as const
export type Language = keyof typeof BACKENDS

export interface Job {
  framework: string
  /** The two base URLs of the backend, without `/v1`. */
  embeddings: string
  qdrant: string
  collection: string
  /** Texts to ingest first. */
  documents: readonly string[]
  questions: readonly string[]
  /** Most hits of a search. */
  limit: number
}

/** Where the packages of the frameworks are. */
export interface Installed {
  /** The folder with `node_modules`. */
  packages: string
  /** The interpreter of the virtual environment. */
  python: string
}

/** Runs a backend in a process of its own. @returns the texts of the hits, for each question */
export async function runBackend(language: Language, job: Job, { packages, python }: Installed): Promise<string[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-backend-'))
  try {
    const [jobFile, answersFile] = [join(folder, 'job.json'), join(folder, 'answers.json')]
    await writeFile(jobFile, JSON.stringify(job))
    const javascript = language === 'javascript'
    await runToEnd({
      program: javascript ? process.execPath : python,
      line: [javascript ? await scriptBeside(packages) : PYTHON_SCRIPT, jobFile, answersFile],
      environment: {
        PATH: process.env.PATH ?? '',
        PYTHONUTF8: '1',
        ...(javascript ? {} : { TIKTOKEN_CACHE_DIR: await writeTiktokenRanks(folder) }),
      },
      folder,
    })
    return JSON.parse(await readFile(answersFile, 'utf8'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const PYTHON_SCRIPT = fileURLToPath(new URL('ask.py', import.meta.url))

/** A script finds the packages of the folder that it lies in. */
async function scriptBeside(packages: string): Promise<string> {
  const copy = join(packages, 'ask.js')
  await copyFile(fileURLToPath(new URL('ask.js', import.meta.url)), copy)
  return copy
}
