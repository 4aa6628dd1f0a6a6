import { copyPlain } from '../lib/copy-plain.ts'
import { OffstageError } from '../protocol/error.ts'
import type { AgentCore } from './agent-core.ts'
import { refOf } from './asked-calls.ts'
import type { CallAnswers } from './call-answers.ts'
import type { PersonsWord } from './person-check.ts'

/**
 * Answers to waiting calls, each sent after the check that a person gave it. Arguments are copied at once, so that
 * later changes by the caller can't alter what the person agreed to.
 */
export function personAnswers({
  personCheck,
  later,
}: Pick<AgentCore, 'personCheck' | 'later'>): CallAnswers {
  return {
    consent: (call, event) => personCheck.give(call, event),
    async approve(call, how) {
      const [ref, said] = copyPlain([refOf(call), how] as const)
      const word = personCheck.check(ref, how?.consent)
      return unlessInvalid(word, later('approve')(ref, said, word.askedAt))
    },
    async approveAll(calls) {
      const refs = copyPlain(calls.map(refOf))
      const asked = personCheck.checkAll(refs)
      const approving = refs.map((ref, at) => later('approve')(ref, undefined, asked[at]))
      const answers = await Promise.allSettled(approving)
      const failed = answers.find((answer) => answer.status === 'rejected')
      if (failed) throw failed.reason
      return answers.filter((answer) => answer.status === 'fulfilled' && answer.value).length
    },
    deny: later('deny'),
    async answer(call, answer, how) {
      const [ref, said] = [refOf(call), copyPlain(answer)]
      // Declining needs no user gesture, just like `deny`.
      const isSaid = typeof said === 'string' || said?.action === 'accept'
      const word = isSaid ? personCheck.check(ref, how?.consent) : null
      return unlessInvalid(word, later('answer')(ref, said))
    },
    async supplyOutput(call, output, how) {
      const [ref, said] = [refOf(call), copyPlain(output)]
      const word = personCheck.checkOutcome(ref, how?.consent)
      return unlessInvalid(word, later('supplyOutput')(ref, said))
    },
    async settle(call, outcome, how) {
      const [ref, said] = [refOf(call), copyPlain(outcome)]
      const word = said?.error === undefined ? personCheck.checkOutcome(ref, how?.consent) : null
      return unlessInvalid(word, later('settle')(ref, said))
    },
    async resolveInterrupted(call, verdict, ...[output, how]) {
      const [ref, said] = [refOf(call), copyPlain(output)]
      const word = verdict === 'run-again' ? personCheck.check(ref, how?.consent) : null
      return unlessInvalid(word, later('resolveInterrupted')(ref, verdict, said))
    },
  }
}

/**
 * Gives the user gesture back if the answer is refused as invalid: nothing was answered, so the person may try again.
 */
async function unlessInvalid<Answer>(
  word: PersonsWord | null,
  answering: Promise<Answer>,
): Promise<Answer> {
  try {
    return await answering
  } catch (thrown) {
    if (OffstageError.is(thrown) && /^invalid-(input|config)$/.test(thrown.code)) word?.takeBack()
    throw thrown
  }
}
