import { describe, expect, test } from 'vitest'
import type { Agent } from '../../../src/client/api/agent.ts'
import { OPTION_NAMES } from '../../../src/client/api/check-names.ts'
import { describeThrown } from '../../../src/protocol/error.ts'
import { createAgent, defineTool } from '../../../src/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import { stage, startedRun, until } from './fake-worker.ts'

describe('a reason that is not a string', () => {
  const reasons = [
    ['a click', new Event('click'), 'aborted'],
    ['an object', { why: 1, now() {} }, 'aborted'],
    ['null', null, 'aborted'],
    ['a number', 5, 'aborted'],
    ['an error', new Error('enough'), 'enough'],
    ['an error with an object for a message', errorWith({ a: 1 }), '{"a":1}'],
  ] as const

  test.each(reasons)(
    'for run.abort stops the run in the worker: %s',
    async (_name, reason, words) => {
      const { run, worker } = await startedRun(stage(), 'x')
      const stop: (reason: unknown) => void = run.abort as never
      stop(reason)
      await until(() => worker.of('abortRun').length)
      expect(worker.of('abortRun')[0]).toMatchObject({ runId: run.runId, reason: words })
      expect(await run.result).toMatchObject({ outcome: 'aborted', reason: words })
    },
  )

  test.each(reasons)(
    'for agent.abort stops the run in the worker: %s',
    async (_name, reason, words) => {
      const set = stage()
      const { run, worker } = await startedRun(set, 'x')
      set.agent.abort(reason as never)
      await until(() => worker.of('abortRun').length)
      expect(worker.of('abortRun')[0]).toMatchObject({ runId: run.runId, reason: words })
    },
  )

  test.each(reasons)(
    'for a signal stops the run in the worker: %s',
    async (_name, reason, words) => {
      const control = new AbortController()
      const { run, worker } = await startedRun(stage(), 'x', { signal: control.signal })
      control.abort(reason)
      await until(() => worker.of('abortRun').length)
      expect(worker.of('abortRun')[0]).toMatchObject({ runId: run.runId, reason: words })
    },
  )
})

describe('a veto', () => {
  test.each([
    [true, 'The page does not allow this call.'],
    [undefined, 'The page does not allow this call.'],
    [new Error('no'), 'no'],
    [{ because: 1 }, '{"because":1}'],
    ['not now', 'not now'],
  ])('with the reason %o gets a text', async (veto, reason) => {
    const set = stage({ beforeToolCall: () => ({ veto }) as never })
    const { worker, command } = await startedRun(set, 'x')
    const call = { ...command, toolCallId: 'c', toolName: 't', input: {} }
    expect(await worker.page.beforeToolCall(call as never)).toEqual({ type: 'veto', reason })
  })
})

test('an error with a message that is not a string gets a text', () => {
  expect(describeThrown(errorWith({ a: 1 }))).toBe('{"a":1}')
  expect(describeThrown(errorWith(5))).toBe('5')
})

function errorWith(message: unknown): Error {
  return Object.assign(new Error('x'), { message })
}

const PNG = { type: 'file', mediaType: 'image/png', data: 'aGk=' }
const script = { fallback: [{ text: '"ok"' }] }

describe('a part of an input', () => {
  test.each([
    ['a plain string', 'hi'],
    ['null', null],
    ['of a type that there is not', { type: 'image', data: 'aGk=' }],
    ['of OpenAI’s type', { type: 'image_url', image_url: { url: 'x' } }],
    ['text without text', { type: 'text' }],
    ['text that is a number', { type: 'text', text: 5 }],
    ['a file with mimeType', { ...PNG, mediaType: undefined, mimeType: 'a/b' }],
    ['a file without data', { ...PNG, data: undefined }],
    ['a file that is a Blob', { ...PNG, data: new Blob(['x']) }],
    ['a file of bytes', { ...PNG, data: new Uint8Array(2) }],
    ['a file that is no base64', { ...PNG, data: 'hi there!' }],
    ['a file by address', { ...PNG, data: 'https://x/y.png' }],
    ['a file with no name', { ...PNG, filename: null }],
  ])('is rejected before it is stored: %s', async (_name, part) => {
    const agent = createTestAgent({ script })
    const input = [{ type: 'text', text: 'See' }, part] as never
    const where = { code: 'invalid-input', message: expect.stringContaining('Part 1 of the input') }
    const { error } = (await agent.run(input, { conversationId: 'c' }).result) as {
      error?: { message: string }
    }
    expect(error).toMatchObject(where)
    expect(error?.message).toContain("{ type: 'file', mediaType: 'image/png', data: '<base64>' }")
    expect(await agent.conversations.get('c')).toBe(null)
    const extraction = agent.extract({ input, schema: { type: 'string' } })
    await expect(extraction).rejects.toMatchObject(where)
    await agent.dispose()
  })

  test('is stored with its known fields, and a file without its prefix', async () => {
    const set = stage()
    const parts = [
      { type: 'text', text: 'See', own() {} },
      { ...PNG, data: 'data:image/png;base64,aGk=', filename: 'a.png', previewUrl: 'blob:x' },
    ]
    const { command } = await startedRun(set, parts as never)
    expect(command.message?.parts).toEqual([
      { type: 'text', text: 'See' },
      { ...PNG, filename: 'a.png' },
    ])
  })

  test('is also rejected in a message with values', async () => {
    const agent = createTestAgent({ script })
    const run = agent.run([{ type: 'text', text: 5 }] as never, { values: { a: 1 } })
    expect(await run.result).toMatchObject({ error: { code: 'invalid-input' } })
    await agent.dispose()
  })
})

describe('an answer, title or id of the wrong type', () => {
  const asked: { readonly [name: string]: (agent: Agent) => Promise<unknown> } = {
    'deny with an object': (agent) => agent.deny('c', { reason: 'x' } as never),
    'answer with a number': (agent) => agent.answer('c', 5 as never),
    'approve of nothing': (agent) => agent.approve(undefined as never),
    'deny of an object without an id': (agent) => agent.deny({ id: 'c' } as never),
    'rename to nothing': (agent) => agent.conversations.rename('c', undefined as never),
    'rename to null': (agent) => agent.conversations.rename('c', null as never),
    'rename of nothing': (agent) => agent.conversations.rename('', 'title'),
    'get of nothing': (agent) => agent.conversations.get(undefined as never),
    'delete of a number': (agent) => agent.conversations.delete(5 as never),
    'clearHistory of null': (agent) => agent.conversations.clearHistory(null as never),
    'resume of null': (agent) => agent.resume(null as never),
    'continue without an id': (agent) => agent.continue(undefined as never),
  }
  test.each(Object.entries(asked))('is rejected as invalid-input: %s', async (_name, ask) => {
    const agent = createTestAgent({ script })
    await expect(ask(agent)).rejects.toMatchObject({ code: 'invalid-input' })
    await agent.dispose()
  })

  test.each([5, null, ['q'], ''])('fails the run: %o', async (conversationId) => {
    const agent = createTestAgent({ script })
    const { result } = agent.run('x', { conversationId } as never)
    expect(await result).toMatchObject({ outcome: 'failed', error: { code: 'invalid-input' } })
    const unsubscribe = agent.conversation(conversationId as never).subscribe(() => {})
    await until(() => agent.conversation(conversationId as never).getSnapshot().error)
    expect(agent.conversation(conversationId as never).getSnapshot().error?.code).toBe(
      'invalid-input',
    )
    unsubscribe()
    await agent.dispose()
  })

  test('a denial without a reason may pass null', async () => {
    const set = stage()
    const { worker } = await startedRun(set, 'x')
    await set.agent.deny('t1', null as never)
    expect(worker.of('answerCall')[0]).toMatchObject({ answer: { type: 'deny' } })
  })
})

const tool = { name: 'wipe', description: 'Wipes.', execute: () => 'wiped' }
const model = { provider: 'openai-compatible', baseURL: 'http://127.0.0.1:1/v1', model: 'm' }

describe('a field of a tool that controls approval', () => {
  test.each([
    ['destructive', { annotations: { destructive: 'true' } }],
    ['destructive', { annotations: { destructive: 1 } }],
    ['destructive', { annotations: { destructive: null } }],
    ['readOnly', { annotations: { readOnly: 'false' } }],
    ['idempotent', { annotations: { idempotent: 1 } }],
    ['annotations', { annotations: 'destructive' }],
    ['annotations', { annotations: null }],
    ['annotations', { annotations: [{ destructive: true }] }],
    ['needsApproval', { needsApproval: 'always' }],
    ['needsApproval', { needsApproval: 1 }],
    ['needsApproval', { needsApproval: null }],
    ['needsApproval', { annotations: { destructive: true }, needsApproval: 0 }],
    ['sequential', { sequential: 'no' }],
    ['available', { available: true }],
    ['timeoutMs', { timeoutMs: '5' }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['timeoutMs', { timeoutMs: Number.NaN }],
    ['description', { description: 5 }],
    ['title', { title: () => 'x' }],
    ['execute', { execute: 'now' }],
  ])('is rejected at once, and named: %s of %o', async (field, wrong) => {
    const bad = { ...tool, ...wrong } as never
    const agent = createAgent({ model })
    for (const act of [
      () => defineTool(bad),
      () => agent.registerTool(bad),
      () => createAgent({ model, tools: [bad] }),
    ]) {
      const error = thrownBy(act)
      expect(error).toMatchObject({ code: 'invalid-config' })
      expect(error).toHaveProperty('message', expect.stringContaining(field))
      expect(error).toHaveProperty('message', expect.stringContaining('the tool wipe'))
    }
    await agent.dispose()
  })

  test('may have its declared type or be undefined', () => {
    for (const given of [
      { annotations: { destructive: true, readOnly: false, idempotent: undefined } },
      { needsApproval: false, sequential: true, timeoutMs: 1, available: () => true },
      { needsApproval: () => true, title: 'Wipe', annotations: undefined },
      Object.fromEntries(
        'title annotations timeoutMs sequential needsApproval available dispose reconcile'
          .split(' ')
          .map((name) => [name, undefined]),
      ),
    ])
      expect(() => defineTool({ ...tool, ...given } as never)).not.toThrow()
  })
})

function thrownBy(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  return undefined
}

describe('a value of the wrong kind', () => {
  test.each([
    ['toolMode', { model: { ...model, toolMode: 'xml' } }],
    ['transport', { model: { ...model, transport: 'main' } }],
    ['credentials', { model: { ...model, credentials: 'include' } }],
    ['rescue', { model: { ...model, rescue: 'on' } }],
    ['toolChoice', { model: { ...model, toolChoice: 'any' } }],
    ['temperature', { model: { ...model, temperature: '0.5' } }],
    ['contextWindow', { model: { ...model, contextWindow: '8k' } }],
    ['extraBody', { model: { ...model, extraBody: 'x' } }],
    ['stop', { model: { ...model, stop: 'x' } }],
    ['timeouts', { model: { ...model, timeouts: 5000 } }],
    ['retry', { model: { ...model, retry: null } }],
    ['maxRetries', { model: { ...model, retry: { maxRetries: -1 } } }],
    ['instructions', { instructions: () => 'x' }],
    ['values', { values: ['x'] }],
    ['raw', { raw: 'yes' }],
    ['engines', { engines: {} }],
    ['engines', { engines: [{ id: 'x' }] }],
    ['engines', { engines: [null] }],
    ['enabledTools', { enabledTools: 'wipe' }],
    ['storage', { storage: { name: 4 } }],
  ])('is rejected at once: %s in %o', (name, options) => {
    const error = thrownBy(() => createAgent({ model, ...options } as never))
    expect(error).toMatchObject({ code: 'invalid-config' })
    expect(error).toHaveProperty('message', expect.stringContaining(name))
  })

  test('does not include undefined options or a negative seed', () => {
    const { createAgent: names, model: fields } = OPTION_NAMES
    const none = (specs: string): object =>
      Object.fromEntries(specs.split(' ').map((spec) => [spec.replace(/\W.*/, ''), undefined]))
    const config = { ...none(fields), ...model, seed: -1 }
    expect(() => createAgent({ ...none(names), model: config } as never)).not.toThrow()
  })

  test.each(['localhost:1234/v1', '127.0.0.1:9/v1', 'ftp://x/v1', 'http://'])(
    'a baseURL that is not a web address fails the run: %s',
    async (baseURL) => {
      const agent = createTestAgent({ model: { ...model, baseURL } })
      const { outcome, ...rest } = await agent.run('x').result
      expect(outcome).toBe('failed')
      const message = expect.stringContaining('http://')
      expect(rest).toMatchObject({ error: { code: 'invalid-config', message } })
      await agent.dispose()
    },
  )

  test('a value other than text, number or boolean fails the run', async () => {
    const agent = createTestAgent({ script })
    const { result } = agent.run('{{a}}', { values: { a: { b: 1 } } } as never)
    expect(await result).toMatchObject({ error: { code: 'invalid-input' } })
    await agent.dispose()
  })

  test('null instead of options throws nothing but OffstageErrors', async () => {
    const agent = createTestAgent({ script })
    expect(await agent.run('x', null as never).result).toMatchObject({ outcome: 'completed' })
    const text = await agent.run('x', 'c' as never).result
    expect(text).toMatchObject({ error: { code: 'invalid-config' } })
    for (const change of [null, undefined])
      expect(thrownBy(() => agent.configure(change as never))).toMatchObject({
        code: 'invalid-config',
      })
    await expect(agent.extract(undefined as never)).rejects.toHaveProperty('code', 'invalid-config')
    await expect(agent.approve('c', null as never)).rejects.toHaveProperty('code', 'invalid-config')
    await expect(agent.resume('c', null as never)).rejects.toHaveProperty('code', 'invalid-config')
    await agent.dispose()
  })
})

test('an option of another library is suggested under its name here', () => {
  const message = (options: object): unknown =>
    thrownBy(() => createAgent({ model, ...options } as never))
  expect(message({ workerURL: '/x' })).toHaveProperty(
    'message',
    expect.stringMatching(/workerUrl\?/),
  )
  expect(message({ systemPrompt: 'x' })).toHaveProperty(
    'message',
    expect.stringMatching(/instructions\?/),
  )
})

test('createAgent suggests nothing that only registerTool accepts', () => {
  const error = thrownBy(() => createAgent({ model, tools: [tool, { ...tool }] }))
  expect(error).toMatchObject({ code: 'duplicate-tool' })
  expect(error).toHaveProperty('message', expect.not.stringContaining('replace: true'))
})

test('an available() that throws fails the run, and its tool is named', async () => {
  const available = (): never => {
    throw new Error('not yet')
  }
  const agent = createTestAgent({ script, tools: [{ ...tool, available }] })
  const message = 'available() of the tool wipe failed: not yet'
  expect(await agent.run('x').result).toMatchObject({ error: { code: 'invalid-config', message } })
  await agent.dispose()
})

test.each([undefined, null, 'x', [], { type: 'objekt' }, { type: 'object', properties: 5 }])(
  'extract rejects an invalid schema before any model request: %o',
  async (schema) => {
    const agent = createTestAgent({ script })
    const extraction = agent.extract({ input: 'x', schema } as never)
    await expect(extraction).rejects.toHaveProperty('code', 'schema-invalid')
    await agent.dispose()
  },
)

test('a scripted error that is not a string is refused; the conversation stays readable', async () => {
  const agent = createTestAgent({ script: { fallback: [{ error: 5 as never }] } })
  const { result } = agent.run('x', { conversationId: 'c' })
  expect(await result).toMatchObject({ error: { code: 'invalid-config' } })
  expect((await agent.conversations.get('c'))?.messages).toHaveLength(1)
  await agent.dispose()
})
