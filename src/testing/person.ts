import {
  addPress,
  type CallAnswers,
  type CallRef,
  type PersonConsent,
} from '../client/execution/person-check.ts'

/** Simulates a user gesture, which allows one answer to an agent with `consent: 'person'`. */
export function personPress(): void {
  addPress()
}

/** Returns a consent as a user gesture makes one: `approve(call, { consent: consentTo(agent, call) })`. */
export function consentTo(agent: Pick<CallAnswers, 'consent'>, call: CallRef): PersonConsent {
  addPress()
  return agent.consent(call)
}
