import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { promptApi, promptApiAvailability } from '../../../src/engines/prompt-api/index.ts'
import { promptApiDefinition } from '../../../src/engines/prompt-api/prompt-api-definition.ts'
import type { ModelRequest } from '../../../src/providers/provider.ts'
import { LanguageModel } from '../../fixtures/engines/language-model-stub.js'
import { all, ask, connect, settle, text } from './support.ts'

// The browser's model can't be had in a test: this is a stub with its checks and errors.

const model = { provider: 'prompt-api', model: 'default' }

interface Session {
  readonly initialPrompts: unknown[]
  readonly prompts?: unknown[]
  readonly options: object
  readonly destroyed: boolean
  readonly cancelled: boolean
}
const sessions = LanguageModel.sessions as Session[]

beforeEach(() => {
  Object.assign(globalThis, { LanguageModel })
  LanguageModel.state = 'available'
  LanguageModel.contextWindow = 2000
  sessions.length = 0
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'LanguageModel'))
})

const provide = (create = {}): ReturnType<typeof connect> => connect(promptApiDefinition(create))

test('each turn has one session: the history first, then the last message', async () => {
  const request: ModelRequest = {
    tools: [],
    instructions: 'Be brief.',
    trailer: 'It is noon.',
    messages: [
      { role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'Hi.' }] },
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'What is this?' },
          { type: 'file', mediaType: 'image/png', data: 'aGk=' },
        ],
      },
    ],
  }
  const { connection } = provide({ expectedInputs: [{ type: 'image' }] })
  const config = { ...model, extraBody: { topK: 3, temperature: 0.2 } }
  const parts = await all(connection.stream(request, config))
  expect(text(parts)).toContain('<ACTION>')
  expect(parts.at(-1)).toEqual({ type: 'finish', finishReason: 'stop' })
  expect(sessions).toMatchObject([
    {
      initialPrompts: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi.' },
      ],
      prompts: [
        {
          role: 'user',
          content: [
            { type: 'text', value: 'What is this?' },
            { type: 'image', value: expect.any(Blob) },
            { type: 'text', value: 'It is noon.' },
          ],
        },
      ],
      options: { expectedInputs: [{ type: 'image' }], topK: 3, temperature: 0.2 },
      destroyed: true,
    },
  ])
})

test('prepare downloads the model and reports its progress', async () => {
  LanguageModel.state = 'downloadable'
  const told: unknown[] = []
  const { connection } = connect(promptApiDefinition({}), {
    onProgress: (_config, progress) => told.push(progress),
  })
  expect(await promptApiAvailability()).toBe('downloadable')
  await connection.prepare(model)
  await settle()
  expect(told).toMatchObject([{ loaded: 0, total: 1 }, { loaded: 0.5 }, { loaded: 1 }])
  expect(await promptApiAvailability()).toBe('available')
  expect(sessions.map(({ destroyed }) => destroyed)).toEqual([true])
})

test('an abort stops the model', async () => {
  const { connection } = provide()
  const stop = new AbortController()
  const turn = connection.stream(ask('go on forever'), model, stop.signal)
  await turn.next()
  stop.abort()
  expect((await all(turn)).at(-1)).toMatchObject({ type: 'error', error: { code: 'aborted' } })
  await settle()
  expect(sessions).toMatchObject([{ cancelled: true, destroyed: true }])
})

test.each([
  ['the last message', ask('x'.repeat(3000))],
  [
    'the history',
    {
      tools: [],
      messages: [
        ...ask('x'.repeat(3000)).messages,
        { role: 'assistant', parts: [{ type: 'text', text: 'Long.' }] },
        ...ask('And?').messages,
      ],
    } satisfies ModelRequest,
  ],
])('too much in %s is a context-overflow', async (_name, request) => {
  const { connection } = provide()
  expect(await all(connection.stream(request, model))).toMatchObject([
    {
      type: 'error',
      error: { code: 'context-overflow', details: { limits: { contextWindow: 2000 } } },
    },
  ])
  expect(sessions.every(({ destroyed }) => destroyed)).toBe(true)
})

test('a missing model is reported in words', async () => {
  const { connection } = provide()
  LanguageModel.state = 'unavailable'
  await expect(connection.prepare(model)).rejects.toMatchObject({
    code: 'model-not-found',
    message: expect.stringContaining('unavailable'),
  })
  Reflect.deleteProperty(globalThis, 'LanguageModel')
  expect(await promptApiAvailability()).toBe('unavailable')
  expect(await all(connection.stream(ask('hi'), model))).toMatchObject([
    { type: 'error', error: { code: 'model-not-found' } },
  ])
})

test('a download that needs a click is permission-denied, and the message says so', async () => {
  const { connection } = provide()
  const { create } = LanguageModel
  LanguageModel.create = () => Promise.reject(new DOMException('No gesture.', 'NotAllowedError'))
  onTestFinished(() => void (LanguageModel.create = create))
  await expect(connection.prepare(model)).rejects.toMatchObject({
    code: 'permission-denied',
    message: expect.stringContaining('click'),
  })
})

test('its models always run in ACTION mode', () => {
  expect(promptApi()).toMatchObject({ id: 'prompt-api', toolMode: 'action' })
})
