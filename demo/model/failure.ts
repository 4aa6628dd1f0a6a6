import type { ErrorCode, ErrorData, ModelConfig } from 'offstage'
import { byId, setText } from '../lib/dom.ts'
import { createCheckup } from './checkup.ts'
import { isServed } from './presets.ts'

const hints: Partial<Record<ErrorCode, string>> = {
  authentication: 'Open the model picker and check the key.',
  'permission-denied': 'The key is known, but may not use this model.',
  'model-not-found': 'Open the model picker and check the name of the model.',
  network: 'Is the server running, and does it allow requests from this page (CORS)?',
  'blocked-by-csp': 'The message names what to add to the policy.',
  timeout: 'A local model may still be loading. Ask again in a moment.',
  'rate-limited': 'Wait a little before you ask again.',
  'context-overflow': 'Start a new conversation, or pick a model with a larger context.',
}

/** Errors that the doctor can examine: failures of the model's endpoint, not of its use. */
const endpointCodes: ReadonlySet<ErrorCode> = new Set([
  'invalid-config',
  'authentication',
  'permission-denied',
  'model-not-found',
  'bad-request',
  'tools-unsupported',
  'quota-exceeded',
  'overloaded',
  'server-error',
  'network',
  'blocked-by-csp',
  'timeout',
  'stream-incomplete',
  'bad-response',
  'provider-error',
])

/** Shows why a run failed and what to do about it. A button has the doctor examine the model's endpoint. */
export function createFailure(model: () => ModelConfig): (error: ErrorData | undefined) => void {
  const box = byId('failure', HTMLElement)
  const whyButton = byId('failure-why', HTMLButtonElement)
  const checkup = createCheckup(byId('failure-report', HTMLElement))
  let shownError: ErrorData | undefined
  whyButton.addEventListener('click', () => void checkup.run(model()))
  return (error) => {
    if (error?.message !== shownError?.message) checkup.clear()
    shownError = error
    const hint = error && (hints[error.code] ?? '')
    const isEndpointError =
      error !== undefined && endpointCodes.has(error.code) && isServed(model().provider)
    box.hidden = !hint && !isEndpointError
    whyButton.hidden = !isEndpointError
    setText(byId('failure-hint', HTMLElement), hint ?? '')
  }
}
