import type { CallAnswers, CallRef, PersonConsent } from '../client/call-answers.ts'
import { addPress } from '../client/presses.ts'

/** As if a person had pressed something just now: good for one answer of an agent with `consent: 'person'`. */
export function personPress(): void {
  addPress()
}

/** A consent as a person's press makes one: `approve(call, { consent: consentTo(agent, call) })`. */
export function consentTo(agent: Pick<CallAnswers, 'consent'>, call: CallRef): PersonConsent {
  addPress()
  return agent.consent(call)
}
