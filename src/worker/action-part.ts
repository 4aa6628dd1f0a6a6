// Calls in text, and what else few model requests need. The default worker loads this module as a file of its own;
// other workers hold it.

export { createActionScanner } from '../action/action-scanner.ts'
export { CallFinder } from '../action/find-calls.ts'
export { formatAction } from '../action/format-action.ts'
export { actionPrompt } from '../action/prompt.ts'
export { createThinkSplitter } from '../action/think-splitter.ts'
export { asPrompt } from './model/as-prompt.ts'
export { scriptedProvider } from '../providers/scripted.ts'
export { FormAdapter } from '../providers/core/form-adapter.ts'
export {
  applyFormToBody,
  applyFormToConfig,
  applyFormToRequest,
} from '../providers/core/request-form.ts'
