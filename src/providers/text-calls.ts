import type { ModelConfigData } from '../protocol/model.ts'

/** Vendors whose native calls are dependable: what looks like a call in their models' text is talk. */
const DEPENDABLE: ReadonlySet<string> = new Set(['openai', 'anthropic', 'minimax', 'gemini'])

/** Whether calls in a model's text are read (Q1). In ACTION mode they are the only ones there are. */
export function readsTextCalls(
  { provider, rescue, toolChoice }: Pick<ModelConfigData, 'provider' | 'rescue' | 'toolChoice'>,
  toolMode: 'native' | 'action',
): boolean {
  if (toolChoice === 'none') return false
  return toolMode === 'action' || (rescue !== 'off' && !DEPENDABLE.has(provider))
}

/** Models whose own format of calls has no marker: bare JSON, Python or ReAct. */
const BARE = /llama|toolace|xlam|command-?[ar]|functionary|gemma/i

/** In ACTION mode, whether only calls with a beginning and an end of their own are read (R18). */
export function readsDelimitedOnly(model: string, toolMode: 'native' | 'action'): boolean {
  return toolMode === 'action' && !BARE.test(model)
}
