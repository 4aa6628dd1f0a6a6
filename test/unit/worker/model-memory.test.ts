import { expect, it } from 'vitest'
import { ModelMemory } from '../../../src/worker/model/model-memory.ts'

const ollama = { provider: 'ollama', model: 'some-model', baseURL: 'http://localhost:11434/v1' }

it('an unknown model gets native tools until text tools worked, per server', () => {
  const memory = new ModelMemory()
  expect(memory.toolMode(ollama)).toBe('native')
  memory.forms.set(ollama, new Set(['tools text']))
  expect(memory.toolMode(ollama)).toBe('action')
  expect(memory.toolMode({ ...ollama, baseURL: 'http://localhost:1234/v1' })).toBe('native')
})

it('a model known to lack tools gets text tools at once, unless configured otherwise', () => {
  const memory = new ModelMemory()
  expect(memory.toolMode({ ...ollama, model: 'gemma2:9b' })).toBe('action')
  expect(memory.toolMode({ ...ollama, model: 'gemma2:9b', toolMode: 'native' })).toBe('native')
  expect(memory.toolMode({ ...ollama, model: 'qwen3:4b' })).toBe('native')
  expect(memory.toolMode({ ...ollama, model: 'qwen3:4b', toolMode: 'action' })).toBe('action')
})
