// Calls in text. The default worker loads this module as a file of its own; other workers hold it.

export { createActionScanner } from '../action/action-scanner.ts'
export { CallFinder } from '../action/find-calls.ts'
export { formatAction } from '../action/format-action.ts'
export { actionPrompt } from '../action/prompt.ts'
