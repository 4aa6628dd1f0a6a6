export { minimaxBaseURLs } from './anthropic/presets.ts'
export type { ModelFacts, ReasoningStyle } from './catalogue/model-facts.ts'
export { modelFacts } from './catalogue/model-facts.ts'
export { listPrice, type ListPrice } from './catalogue/model-facts.ts'
export { collect, type CollectedCall, type CollectedTurn } from './collect.ts'
export { retryDelay } from './core/retry.ts'
export {
  createProvider,
  type CreateProviderOptions,
  type CredentialContext,
  type ProviderConfig,
} from './create-provider.ts'
export { defineProvider, type ProviderDefinition } from './registry.ts'
export { diagnose } from './doctor/diagnose.ts'
export { discover, type DiscoverOptions, type Discovery } from './doctor/discover.ts'
export type { DiagnoseOptions } from './doctor/examination.ts'
export type { Check, CheckName, CheckStatus, Diagnosis } from './doctor/examination.ts'
export { healHistory } from './heal-history.ts'
export type {
  HttpProviderDefinition,
  HttpRequest,
  ModelRequest,
  Provider,
  RequestConfig,
  StreamOptions,
  StreamProviderDefinition,
} from './provider.ts'
export { pendingToolCalls, type PendingToolCall } from './pending-tool-calls.ts'
export { createProviderRegistry, registerProvider, type ProviderRegistry } from './registry.ts'
export { UNOPENED_REASONING_CODE } from './unopened-reasoning.ts'
