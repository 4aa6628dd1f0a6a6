import type { AgentCore } from './agent-core.ts'
import type { CallAnswers } from './call-answers.ts'

/** What is said to calls that wait, where a person has said it. */
export function personAnswers({
  consent,
  later,
}: Pick<AgentCore, 'consent' | 'later'>): CallAnswers {
  return {
    consent: (call, event) => consent.give(call, event),
    async approve(call, how) {
      return later('approve')(call, how, consent.check(call, how?.consent))
    },
    deny: later('deny'),
    async answer(call, answer, how) {
      // As `deny`, saying nothing takes no person.
      if (typeof answer === 'string' || answer?.action === 'accept')
        consent.check(call, how?.consent)
      return later('answer')(call, answer)
    },
    async supplyOutput(call, output, how) {
      consent.checkOutcome(call, how?.consent)
      return later('supplyOutput')(call, output)
    },
    async settle(call, outcome, how) {
      if (outcome?.error === undefined) consent.checkOutcome(call, how?.consent)
      return later('settle')(call, outcome)
    },
    async resolveInterrupted(call, verdict, ...[output, how]) {
      if (verdict === 'run-again') consent.check(call, how?.consent)
      return later('resolveInterrupted')(call, verdict, output)
    },
  }
}
