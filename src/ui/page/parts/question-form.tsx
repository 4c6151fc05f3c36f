import { useEffect, useState } from 'preact/hooks'
import type { Rival } from '../../../http/ui/schemas.ts'
import { Select } from '../../../web/page/controls.tsx'
import type { Address } from '../address.ts'
import { ask } from '../api.ts'

export interface Question {
  query: string
  /** Names between commas. */
  collection: string
  /** Empty: that of the plan. */
  budget: string
  against: Rival
}

export const RIVAL_NAMES: Readonly<Record<Rival, string>> = {
  baseline: 'plain top-k',
  topk: 'top-k of the same ranking',
}

interface QuestionFormProps {
  apiKey: string
  address: Address
  expected: string
  onExpected: (text: string) => void
  onSubmit: (question: Question) => void
  waiting: boolean
  onCancel: () => void
}

const EMPTY: Question = { query: '', collection: '', budget: '1200', against: 'baseline' }

export function QuestionForm(props: QuestionFormProps) {
  const { apiKey, address, expected, onExpected, onSubmit, waiting, onCancel } = props
  const collections = useCollections(apiKey)
  const [question, setQuestion] = useState(EMPTY)
  const change = (changes: Partial<Question>) => setQuestion(before => ({ ...before, ...changes }))
  const { query, collection, budget } = address
  useEffect(() => {
    change({ ...(query && { query }), ...(collection && { collection }), ...(budget && { budget }) })
  }, [query, collection, budget])
  const [only] = collections.length === 1 ? collections : []
  useEffect(() => {
    if (only) setQuestion(before => (before.collection === '' ? { ...before, collection: only } : before))
  }, [only])
  const submit = (event: Event) => {
    event.preventDefault()
    onSubmit(question)
  }
  return (
    <form class="card question-form" onSubmit={submit}>
      <span class="control wide">
        <label for="query">Question</label>
        <textarea
          id="query"
          required
          maxLength={8_192}
          rows={2}
          dir="auto"
          value={question.query}
          onInput={event => change({ query: event.currentTarget.value })}
          onKeyDown={event => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
            event.preventDefault()
            event.currentTarget.form?.requestSubmit()
          }}
        />
      </span>
      <span class="control">
        <label for="collection">Collection</label>
        <input
          id="collection"
          required
          list="collections"
          autocomplete="off"
          spellcheck={false}
          value={question.collection}
          onInput={event => change({ collection: event.currentTarget.value })}
        />
        <datalist id="collections">
          {collections.map(name => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </span>
      <span class="control">
        <label for="budget">Token budget</label>
        <input
          id="budget"
          type="number"
          min={0}
          max={10_000_000}
          step={1}
          placeholder="that of the plan"
          value={question.budget}
          onInput={event => change({ budget: event.currentTarget.value })}
        />
      </span>
      <Select
        label="Beside stowage"
        value={question.against}
        options={[
          ['baseline', 'plain top-k: hybrid search, no reranker'],
          ['topk', 'top-k of the same ranking'],
        ]}
        onChange={against => change({ against })}
      />
      <span class="control wide">
        <label for="expected">Text of the answer that you expect (optional)</label>
        <textarea
          id="expected"
          rows={2}
          maxLength={20_000}
          dir="auto"
          placeholder="Its sentences are marked in both contexts."
          value={expected}
          onInput={event => onExpected(event.currentTarget.value)}
        />
      </span>
      <span class="buttons wide">
        <button type="submit" class="main-button">
          Compare
        </button>
        <button type="button" disabled={!waiting} onClick={onCancel}>
          Cancel
        </button>
      </span>
    </form>
  )
}

/** The collections that the key may list; none when it may not. Typing pauses before they are asked for. */
function useCollections(key: string): string[] {
  const [names, setNames] = useState<string[]>([])
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const timer = setTimeout(() => {
      ask<{ result: { collections: { name: string }[] } }>('/collections', { key, signal })
        .then(({ result }) => setNames(result.collections.map(({ name }) => name).sort()))
        .catch(() => {
          if (!signal.aborted) setNames([])
        })
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [key])
  return names
}

const TYPING_MS = 300
