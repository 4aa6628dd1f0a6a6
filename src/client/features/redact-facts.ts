import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { Fact } from '../../protocol/fact.ts'
import type { Redactor } from '../page-life/page-api.ts'

/**
 * Passes each fact through the redact functions in turn. A function that several agents share runs once. Throws
 * `redact-failed`. Only the page gets the original error: it may hold the data to redact.
 */
export function redactFacts(
  redactors: readonly Redactor[],
  facts: readonly Fact[],
): readonly unknown[] {
  if (redactors.length === 0) throw failed('no redact function was found on the page.')
  const known = [...new Map(redactors.map((each) => [each.redact, each])).values()]
  return facts.map((fact) =>
    known.reduce((redacted, { redact, warn }) => {
      try {
        // Cloning throws for results that can't be posted, such as a promise. Here the responsible function is known.
        return structuredClone(redact(redacted))
      } catch (thrown) {
        warn(`redact has failed, and nothing was stored: ${describeThrown(thrown)}`)
        throw failed(`redact threw for a ${fact.type} fact.`)
      }
    }, fact),
  )
}

function failed(why: string): OffstageError {
  return new OffstageError('redact-failed', `Nothing was stored: ${why}`)
}
