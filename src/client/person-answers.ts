import type { AgentCore } from './agent-core.ts'
import type { CallAnswers } from './call-answers.ts'

/** The answers to calls that wait, each after the check that a person gave it. */
export function personAnswers({
  personCheck,
  later,
}: Pick<AgentCore, 'personCheck' | 'later'>): CallAnswers {
  return {
    consent: (call, event) => personCheck.give(call, event),
    async approve(call, how) {
      return later('approve')(call, how, personCheck.check(call, how?.consent))
    },
    deny: later('deny'),
    async answer(call, answer, how) {
      // As `deny`, saying nothing takes no person.
      if (typeof answer === 'string' || answer?.action === 'accept')
        personCheck.check(call, how?.consent)
      return later('answer')(call, answer)
    },
    async supplyOutput(call, output, how) {
      personCheck.checkOutcome(call, how?.consent)
      return later('supplyOutput')(call, output)
    },
    async settle(call, outcome, how) {
      if (outcome?.error === undefined) personCheck.checkOutcome(call, how?.consent)
      return later('settle')(call, outcome)
    },
    async resolveInterrupted(call, verdict, ...[output, how]) {
      if (verdict === 'run-again') personCheck.check(call, how?.consent)
      return later('resolveInterrupted')(call, verdict, output)
    },
  }
}
