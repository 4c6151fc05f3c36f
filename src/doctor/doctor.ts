import { checkCollection } from './collection-checks.ts'
import type { DoctorFacts, Setup } from './facts.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Every check on the facts, in the order in which faults are best mended. `fail` means that requests fail or find nothing. */
export function diagnose(facts: DoctorFacts): Finding[] {
  const collection = facts.collection ? checkCollection(facts.collection, facts.setup.embedder) : []
  return [
    ok('configuration', 'every variable is understood'),
    checkServer(facts),
    ...checkModels(facts.setup),
    ...collection,
  ]
}

/** The one finding there is when stowage could not be set up at all. */
export function diagnoseSetupFault(message: string): Finding[] {
  return [fail('configuration', message, 'Correct what is named here, then run doctor again.')]
}

function checkServer({ setup, server }: DoctorFacts): Finding {
  const { url, embedded } = setup
  if (server.fault !== null) {
    return fail(
      'qdrant',
      server.fault,
      `Start Qdrant at ${url}, set QDRANT_URL, or unset it to use the embedded engine.`,
    )
  }
  const { version } = server.facts
  if (embedded) return ok('qdrant', `the embedded engine answers, as Qdrant ${version}`)
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (!/^\d+\.\d+/.test(version)) {
    return warn(
      'qdrant',
      `${url} gives the version ${JSON.stringify(version)}`,
      'Make sure that QDRANT_URL is a Qdrant server.',
    )
  }
  // The Query API, which every search here uses, came with 1.10.
  return major > 1 || (major === 1 && minor >= 10)
    ? ok('qdrant', `version ${version} answers at ${url}`)
    : fail('qdrant', `version ${version} at ${url} has no Query API`, 'Upgrade Qdrant to 1.10 or later.')
}

function checkModels({ embedder, unavailable }: Setup): Finding[] {
  const dense = (): Finding => {
    if (embedder) return ok('embedder', `${embedder.version} (${embedder.dimensions} dimensions)`)
    if (unavailable.embedder === null) return ok('embedder', 'switched off: queries search keywords only')
    return warn(
      'embedder',
      unavailable.embedder,
      'Set EMBEDDER and EMBEDDING_MODEL to one that can be had here, or EMBEDDER=none.',
    )
  }
  const reranker =
    unavailable.reranker === null
      ? ok('reranker', 'there, or not wanted by the plan')
      : warn('reranker', unavailable.reranker, 'Set RERANK_MODEL to a folder with the model, or RERANKER=off.')
  return [dense(), reranker]
}
