import type { ModelConfigData } from '../protocol/model.ts'

/** Vendors with dependable native calls: text that looks like a call is only text. */
const DEPENDABLE: ReadonlySet<string> = new Set(['openai', 'anthropic', 'minimax', 'gemini'])

/** Whether calls in a model's text are read (Q1). In ACTION mode there are no others. */
export function readsTextCalls(
  { provider, rescue, toolChoice }: Pick<ModelConfigData, 'provider' | 'rescue' | 'toolChoice'>,
  toolMode: 'native' | 'action',
): boolean {
  if (toolChoice === 'none') return false
  return toolMode === 'action' || (rescue !== 'off' && !DEPENDABLE.has(provider))
}

/** Models that write calls without markers: bare JSON, Python or ReAct. */
const BARE = /llama|toolace|xlam|command-?[ar]|functionary|gemma/i

/** Whether only calls with start and end markers are read (R18). Only in ACTION mode. */
export function readsDelimitedOnly(model: string, toolMode: 'native' | 'action'): boolean {
  return toolMode === 'action' && !BARE.test(model)
}
