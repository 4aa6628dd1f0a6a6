import { expect, test } from 'vitest'
import { wllamaDefinition } from '../../../src/engines/wllama/wllama-definition.ts'
import { all, ask, connect, text } from './support.ts'

/** The part of wllama that Offstage uses. The first instance has crashed, with the error of wllama 3.13.0. */
class Wllama {
  static readonly made: Wllama[] = []
  hasExited = false

  constructor() {
    Wllama.made.push(this)
  }

  async loadModelFromUrl(): Promise<void> {}

  async createChatCompletion({ onData }: { onData: (chunk: unknown) => void }): Promise<void> {
    // The class is WllamaRuntimeError.
    if (Wllama.made[0] === this)
      throw Object.assign(new Error('(ABORT) out of memory'), { name: 'RuntimeError' })
    onData({ choices: [{ index: 0, delta: { content: 'Fine.' }, finish_reason: null }] })
    onData({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  }

  async exit(): Promise<void> {
    this.hasExited = true
  }
}

test('after a crash of llama.cpp, the model is loaded again, and the turn may be repeated', async () => {
  const options = {
    wasmUrl: '/wllama.wasm',
    models: { tiny: 'https://a.example/t.gguf' },
    load: {},
  }
  const { connection } = connect(wllamaDefinition(options, async () => ({ Wllama })))
  const model = { provider: 'wllama', model: 'tiny' }
  const crashed = await all(connection.stream(ask('Hello'), model))
  expect(crashed.at(-1)).toMatchObject({ type: 'error', error: { retryable: true } })
  expect(text(await all(connection.stream(ask('Hello'), model)))).toBe('Fine.')
  expect(Wllama.made.map(({ hasExited }) => hasExited)).toEqual([true, false])
})
