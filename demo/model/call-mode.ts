import type { ModelConfig } from 'offstage'
import { storedValue } from '../lib/stored.ts'

/** How a model writes calls. */
export type CallMode = NonNullable<ModelConfig['toolMode']>

const modes: readonly CallMode[] = ['auto', 'native', 'action']
const store = storedValue('localStorage', 'kiln-call-mode')

export function loadCallMode(): CallMode {
  return callModeIn(store.read())
}

export function saveCallMode(mode: CallMode): void {
  store.write(mode)
}

export function callModeIn(value: unknown): CallMode {
  return modes.find((mode) => mode === value) ?? 'auto'
}
