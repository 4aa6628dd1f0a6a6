import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { CompositeTool, Tool } from '../../../src/index.ts'
import { until } from '../client/fake-worker.ts'
import { gate } from '../testing/talk.ts'
import { asked, AT, callsOf, composite, ended, Pages, shown } from './support.ts'

// Secrets in the calls that a composite tool makes.

async function stored(pages: Pages): Promise<string> {
  const store = await pages.testStorage.open('offstage')
  return JSON.stringify((await store.read(AT.conversationId)).rows)
}

function signing(secret: string) {
  const pages = new Pages('work')
  const typed: unknown[] = []
  const type = (more: Partial<Tool> = {}): Tool =>
    pages.tool('type', {
      secretsIn: () => ['/text'],
      execute: (input) => {
        typed.push(input)
        return 'typed'
      },
      ...more,
    })
  const run: CompositeTool['run'] = async (_input, { call }) => {
    await call('type', { ref: 'e1', text: secret })
    await call('pay', { sum: 1 })
    return call('type', { ref: 'e2', text: secret })
  }
  return { pages, typed, type, run }
}

test('secrets get placeholders, and the function supplies them again after a reload', async () => {
  const secret = randomUUID()
  const { pages, typed, type, run } = signing(secret)
  const tools = [type(), pages.tool('pay', { needsApproval: true }), composite(run)]
  const before = pages.open(tools)
  void before.run('Work', AT)
  await asked(shown(before))
  const after = await pages.reload(before, tools)
  const talk = shown(after)
  const [id] = await asked(talk)
  await after.approve({ ...AT, toolCallId: id! })
  await ended(talk)
  expect(callsOf(talk).map(({ status }) => status)).toEqual(Array(4).fill('succeeded'))
  expect(typed).toEqual([
    { ref: 'e1', text: secret },
    { ref: 'e2', text: secret },
  ])
  expect(await stored(pages)).not.toContain(secret)
  expect(JSON.stringify(talk.getSnapshot())).not.toContain(secret)
})

test('a call that waits over a reload runs with the secret supplied again', async () => {
  const secret = randomUUID()
  const { pages, typed, type } = signing(secret)
  const run: CompositeTool['run'] = (_input, { call }) => call('type', { ref: 'e1', text: secret })
  const tools = [type({ needsApproval: true }), composite(run)]
  const before = pages.open(tools)
  void before.run('Work', AT)
  await asked(shown(before))
  const after = await pages.reload(before, tools)
  const talk = shown(after)
  const [id] = await asked(talk)
  await after.approve({ ...AT, toolCallId: id! })
  await ended(talk)
  expect(typed).toEqual([{ ref: 'e1', text: secret }])
  expect(await stored(pages)).not.toContain(secret)
})

test.each([false, true])(
  'a call whose secretsIn failed needs approval, also after a reload before it was judged: %s',
  async (isReloaded) => {
    const judging = gate()
    let isHeld = isReloaded
    const pages = new Pages('work', {
      beforeToolCall: ({ toolName }) => {
        if (toolName !== 'type' || !isHeld) return undefined
        judging.open()
        return new Promise<undefined>(() => undefined)
      },
    })
    const type = pages.tool('type', {
      secretsIn: () => {
        throw new Error('It cannot say.')
      },
    })
    const tools = [type, composite((_input, { call }) => call('type', { text: randomUUID() }))]
    const before = pages.open(tools)
    const run = before.run('Work', AT)
    let agent = before
    if (isReloaded) {
      await judging.opened
      isHeld = false
      agent = await pages.reload(before, tools)
      await agent.resume(AT.conversationId)
    }
    const talk = shown(agent)
    await until(() => talk.getSnapshot().pending.length > 0 || talk.getSnapshot().ended)
    expect(talk.getSnapshot().pending).toMatchObject([{ toolName: 'type', kind: 'approval' }])
    expect(pages.ran).toEqual([])
    run.abort()
  },
)

test('an input that differs in more than its secrets is a different one', async () => {
  const secret = randomUUID()
  const { pages, type } = signing(secret)
  const pay = pages.tool('pay', { needsApproval: true })
  const of =
    (ref: string): CompositeTool['run'] =>
    async (_input, { call }) => {
      await call('type', { ref, text: secret })
      return call('pay', { sum: 1 })
    }
  const before = pages.open([type(), pay, composite(of('e1'))])
  void before.run('Work', AT)
  await asked(shown(before))
  const after = await pages.reload(before, [type(), pay, composite(of('e2'))])
  const talk = shown(after)
  const [id] = await asked(talk)
  await after.approve({ ...AT, toolCallId: id! })
  await ended(talk)
  expect(callsOf(talk)[0]).toMatchObject({
    status: 'interrupted',
    output: { code: 'workflow-changed' },
  })
  expect(await stored(pages)).not.toContain(secret)
})

test("a secret of the composite tool's own input gets a placeholder in its nested calls", async () => {
  const secret = randomUUID()
  const input = { password: secret }
  const steps = [{ toolCalls: [{ toolName: 'work', input }] }, { text: 'Done.' }]
  const pages = new Pages('work', { script: { steps } } as object)
  const typed: unknown[] = []
  const type = pages.tool('type', {
    execute: (given) => {
      typed.push(given)
      return `typed ${secret}`
    },
  })
  const run: CompositeTool['run'] = async (given, { call }) => {
    await call('type', { text: (given as typeof input).password })
    return 'in'
  }
  const work = composite(run, {
    inputSchema: { type: 'object', properties: { password: { type: 'string' } } },
    secretsIn: () => ['/password'],
  })
  const talk = shown(pages.open([type, work]))
  await talk.send('Log in').result
  expect(typed).toEqual([{ text: secret }])
  expect(callsOf(talk).map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
  expect(JSON.stringify(talk.getSnapshot())).not.toContain(secret)
  expect(await stored(pages)).not.toContain(secret)
})
