import type { ErrorCode, ErrorData, ModelConfig } from 'offstage'
import { byId, setText } from '../lib/dom.ts'
import { createCheckup } from '../model/checkup.ts'
import { NO_MODEL } from '../model/presets.ts'

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

/** What the doctor can look into: failures of the model's endpoint, not of its use. */
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

export interface FailureOptions {
  onRetry(): void
  /** The model to ask the doctor about. */
  model(): ModelConfig
}

/** Tells why the last run failed, what to do about it, and offers to ask again. */
export function createFailure(options: FailureOptions): (error: ErrorData | undefined) => void {
  const box = byId('failure', HTMLElement)
  const why = byId('failure-why', HTMLButtonElement)
  const checkup = createCheckup(byId('failure-report', HTMLElement))
  let shown = ''
  byId('failure-retry', HTMLButtonElement).addEventListener('click', () => options.onRetry())
  why.addEventListener('click', () => void checkup.run(options.model()))
  return (error) => {
    box.hidden = error === undefined
    const failure = error ? `${error.code}: ${error.message}` : ''
    if (failure !== shown) checkup.clear()
    shown = failure
    if (!error) return
    setText(byId('failure-title', HTMLElement), `The run failed: ${error.code}`)
    setText(byId('failure-message', HTMLElement), error.message)
    const hint = hints[error.code] ?? (error.retryable ? 'It may work when you ask again.' : '')
    setText(byId('failure-hint', HTMLElement), hint)
    byId('failure-details', HTMLDetailsElement).open = hint === ''
    why.hidden = !endpointCodes.has(error.code) || options.model().provider === NO_MODEL
  }
}
