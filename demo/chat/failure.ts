import type { ErrorCode, ErrorData } from 'offstage'
import { byId, setText } from '../lib/dom.ts'

const hints: Partial<Record<ErrorCode, string>> = {
  authentication: 'Open the model picker and check the key.',
  'permission-denied': 'The key is known, but may not use this model.',
  'model-not-found': 'Open the model picker and check the name of the model.',
  network: 'Is the server running, and does it allow requests from this page (CORS)?',
  timeout: 'A local model may still be loading. Ask again in a moment.',
  'rate-limited': 'Wait a little before you ask again.',
  'context-overflow': 'Start a new conversation, or pick a model with a larger context.',
}

/** Tells why the last run failed, what to do about it, and offers to ask again. */
export function createFailure(onRetry: () => void): (error: ErrorData | undefined) => void {
  const box = byId('failure', HTMLElement)
  byId('failure-retry', HTMLButtonElement).addEventListener('click', onRetry)
  return (error) => {
    box.hidden = error === undefined
    if (!error) return
    setText(byId('failure-title', HTMLElement), `The run failed: ${error.code}`)
    setText(byId('failure-message', HTMLElement), error.message)
    const hint = hints[error.code] ?? (error.retryable ? 'It may work when you ask again.' : '')
    setText(byId('failure-hint', HTMLElement), hint)
    byId('failure-details', HTMLDetailsElement).open = hint === ''
  }
}
