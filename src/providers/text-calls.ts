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
