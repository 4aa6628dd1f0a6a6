import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { Fact } from '../protocol/fact.ts'
import type { Redactor } from './redactors.ts'

/**
 * Each fact as the functions return it, one after the other; one that several agents have is asked once. Rejects with
 * `redact-failed`. What was thrown is told the app of the page only: it may hold what is to be redacted.
 */
export function redactFacts(
  redactors: readonly Redactor[],
  facts: readonly Fact[],
): readonly unknown[] {
  if (redactors.length === 0) throw failed('there is nothing on the page that redacts it.')
  const known = [...new Map(redactors.map((each) => [each.by, each])).values()]
  return facts.map((fact) =>
    known.reduce((redacted, { by, warn }) => {
      try {
        // Throws for what can't cross to the worker, a promise for example: here it is known whose it is.
        return structuredClone(by(redacted))
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
