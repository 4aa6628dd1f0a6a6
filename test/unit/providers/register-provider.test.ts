import { expect, it } from 'vitest'
import {
  collect,
  createProvider,
  defineProvider,
  registerProvider,
} from '../../../src/providers/index.ts'

const echo = defineProvider({
  id: 'echo',
  async *stream(_request, config) {
    yield [{ type: 'text-delta', delta: config.model }]
    yield [{ type: 'finish', finishReason: 'stop' }]
  },
})

it('a registered provider is known until its registration is undone', async () => {
  const make = () => createProvider({ provider: 'echo', model: 'hello' })
  expect(make).toThrow(/no provider 'echo'/)
  const undo = registerProvider(echo)
  expect(await collect(make().stream({ messages: [], tools: [] }))).toMatchObject({ text: 'hello' })
  undo()
  undo()
  expect(make).toThrow(/no provider 'echo'/)
})
