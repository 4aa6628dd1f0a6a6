import { describe, expect, test } from 'vitest'
import { type CompositeTool, pending } from '../../../src/index.ts'
import { until } from '../client/fake-worker.ts'
import { asked, AT, callsOf, composite, ended, Pages, shown } from './support.ts'

type Run = CompositeTool['run']

/** Plays `first` up to its first approval, and plays `then` on another page. */
async function changed(
  first: Run,
  then: Run,
  more: { readonly before?: Partial<CompositeTool>; readonly after?: Partial<CompositeTool> } = {},
) {
  const pages = new Pages('work')
  const tools = [pages.tool('one'), pages.tool('two'), pages.tool('pay', { needsApproval: true })]
  const before = pages.open([...tools, composite(first, more.before)])
  void before.run('Work', AT)
  const [id] = await asked(shown(before))
  const after = await pages.reload(before, [...tools, composite(then, more.after)])
  const talk = shown(after)
  await asked(talk)
  await after.approve({ ...AT, toolCallId: id! })
  await ended(talk)
  return { pages, talk, calls: callsOf(talk) }
}

const original: Run = async (_input, { call, step }) => {
  await call('one', { n: 1 })
  await step('note', () => 'noted')
  return call('pay', { sum: 1 })
}

describe('a call begun by other code', () => {
  const others: { readonly [what: string]: Run } = {
    'another tool': async (_input, { call, step }) => {
      await call('two', { n: 1 })
      await step('note', () => 'noted')
      return call('pay', { sum: 1 })
    },
    'another input': async (_input, { call, step }) => {
      await call('one', { n: 2 })
      await step('note', () => 'noted')
      return call('pay', { sum: 1 })
    },
    'another name of a step': async (_input, { call, step }) => {
      await call('one', { n: 1 })
      await step('noted', () => 'noted')
      return call('pay', { sum: 1 })
    },
    'a step in place of a call': async (_input, { call, step }) => {
      await step('one', () => 1)
      await step('note', () => 'noted')
      return call('pay', { sum: 1 })
    },
    'a call more': async (_input, { call, step }) => {
      await call('one', { n: 1 })
      await call('two')
      await step('note', () => 'noted')
      return call('pay', { sum: 1 })
    },
    'a call fewer': async (_input, { call }) => {
      await call('one', { n: 1 })
      return 'done'
    },
    'none at all': () => 'done',
    'a clock more': async (_input, { call, step, now }) => {
      now()
      await call('one', { n: 1 })
      await step('note', () => 'noted')
      return call('pay', { sum: 1 })
    },
  }
  test.each(Object.keys(others))('is not resumed: %s', async (what) => {
    const { pages, calls } = await changed(original, others[what]!)
    expect(calls[0]).toMatchObject({
      toolName: 'work',
      status: 'interrupted',
      output: { type: 'error', code: 'workflow-changed' },
    })
    expect(pages.ran).toEqual(['one'])
    expect(calls.find(({ toolName }) => toolName === 'pay')).toMatchObject({ status: 'aborted' })
  })

  test('is resumed when only the order of keys differs', async () => {
    const first: Run = async (_input, { call }) => {
      await call('one', { a: 1, b: [{ c: 2, d: 3 }] })
      return call('pay')
    }
    const then: Run = async (_input, { call }) => {
      await call('one', { b: [{ d: 3, c: 2 }], a: 1 })
      return call('pay')
    }
    const { pages, calls } = await changed(first, then)
    expect(calls[0]?.status).toBe('succeeded')
    expect(pages.ran).toEqual(['one', 'pay'])
  })

  test('is not resumed by another version, or with another description', async () => {
    const versions = { before: { version: '1' }, after: { version: '2' } }
    const words = { after: { description: 'Works well.' } }
    for (const more of [versions, words]) {
      const { pages, calls } = await changed(original, original, more)
      expect(calls[0]).toMatchObject({ output: { code: 'workflow-changed' } })
      expect(pages.ran).toEqual(['one'])
    }
    const same = { before: { version: '1' }, after: { version: '1' } }
    const { calls } = await changed(original, original, same)
    expect(calls[0]?.status).toBe('succeeded')
  })

  test('is interrupted when the tool is gone', async () => {
    const pages = new Pages('work')
    const pay = pages.tool('pay', { needsApproval: true })
    const before = pages.open([pay, composite(async (_input, { call }) => call('pay'))])
    void before.run('Work', AT)
    const [id] = await asked(shown(before))
    const after = await pages.reload(before, [pay])
    const talk = shown(after)
    await asked(talk)
    await after.resume('talk', { waitForToolsMs: 1 })
    await after.approve({ ...AT, toolCallId: id! })
    await ended(talk)
    expect(callsOf(talk).map(({ status }) => status)).toEqual(['interrupted', 'aborted'])
    expect(pages.ran).toEqual([])
  })
})

describe('while a person decides', () => {
  test('the function is suspended: no catch, no further work, its signal aborts', async () => {
    const pages = new Pages('work')
    const seen: string[] = []
    let goOn = (): void => undefined
    const went = new Promise<void>((resolve) => (goOn = resolve))
    let late = false
    const work = composite(async (_input, { call, step, signal }) => {
      signal.addEventListener('abort', () => seen.push('aborted'))
      const aside = went.then(async () => {
        if (!late) return
        await step('late', () => seen.push('late step'))
      })
      try {
        return await call('pay')
      } catch {
        seen.push('caught')
      } finally {
        seen.push('finally')
      }
      return aside
    })
    const agent = pages.open([pages.tool('pay', { needsApproval: true }), work])
    const talk = shown(agent)
    const run = agent.run('Work', AT)
    const [id] = await asked(talk)
    expect(seen).toEqual(['aborted'])
    late = true
    goOn()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(seen).toEqual(['aborted'])
    late = false
    await agent.approve({ ...AT, toolCallId: id! })
    expect((await run.result).toolCalls[0]?.status).toBe('succeeded')
    expect(seen).toEqual(['aborted', 'finally'])
  })

  test('no timeout runs, nor during a nested call', async () => {
    const pages = new Pages('work')
    const work = composite(
      async (_input, { call }) => {
        await call('slow')
        return call('pay')
      },
      // Longer than the first run in a process takes on a busy machine.
      { timeoutMs: 500 },
    )
    const slow = pages.tool('slow', {
      execute: () => new Promise((resolve) => setTimeout(() => resolve('slow'), 700)),
    })
    const agent = pages.open([slow, pages.tool('pay', { needsApproval: true }), work])
    const talk = shown(agent)
    const run = agent.run('Work', AT)
    const [id] = await asked(talk)
    await new Promise((resolve) => setTimeout(resolve, 600))
    await agent.approve({ ...AT, toolCallId: id! })
    expect((await run.result).toolCalls[0]?.status).toBe('succeeded')
  })

  test('a function that takes too long fails and does nothing more', async () => {
    const pages = new Pages('work')
    const work = composite(
      async (_input, { call, signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        return call('one')
      },
      { timeoutMs: 20 },
    )
    const agent = pages.open([pages.tool('one'), work])
    const { toolCalls } = await agent.run('Work', AT).result
    expect(toolCalls).toMatchObject([{ status: 'failed', output: { code: 'timeout' } }])
    expect(pages.ran).toEqual([])
  })

  test.each([
    ['in their order', [0, 1]],
    ['the other way round', [1, 0]],
  ])('parallel calls are answered %s', async (_how, order) => {
    const pages = new Pages('work')
    const work = composite(async (_input, { call }) => {
      const one = async (): Promise<unknown> => [await call('pay', { n: 1 }), await call('one')]
      const two = async (): Promise<unknown> => [await call('pay', { n: 2 }), await call('two')]
      return Promise.all([one(), two()])
    })
    const pay = pages.tool('pay', { needsApproval: true })
    const agent = pages.open([pages.tool('one'), pages.tool('two'), pay, work])
    const talk = shown(agent)
    const run = agent.run('Work', AT)
    const ids = await asked(talk, 2)
    await agent.approve({ ...AT, toolCallId: ids[order[0]!]! })
    await until(() => pages.ran.length === 2)
    await asked(talk, 1)
    // A branch goes on after its approval, without waiting for the other one.
    expect(pages.ran).toEqual(['pay', order[0] === 0 ? 'one' : 'two'])
    await agent.approve({ ...AT, toolCallId: ids[order[1]!]! })
    const [top] = (await run.result).toolCalls
    expect(top?.output).toEqual({
      type: 'json',
      value: [
        [{ pay: { n: 1 } }, { one: {} }],
        [{ pay: { n: 2 } }, { two: {} }],
      ],
    })
    expect(pages.ran.toSorted()).toEqual(['one', 'pay', 'pay', 'two'])
  })

  test('other calls continue, and the function is suspended once they have ended', async () => {
    const pages = new Pages('work')
    let lives = 0
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const work = composite(async (_input, { call, step }) => {
      lives += 1
      return Promise.all([call('pay'), step('hold', () => held.then(() => 'held'))])
    })
    const agent = pages.open([pages.tool('pay', { needsApproval: true }), work])
    const talk = shown(agent)
    const run = agent.run('Work', AT)
    await until(() => talk.getSnapshot().pending.length === 1)
    expect(callsOf(talk)[0]?.status).toBe('executing')
    // Answered before the function is suspended.
    const { toolCallId } = talk.getSnapshot().pending[0]!
    expect(await agent.deny({ ...AT, toolCallId }, 'No')).toBe(true)
    release()
    const [top] = (await run.result).toolCalls
    expect(top).toMatchObject({ status: 'failed', output: { message: 'No' } })
    expect(lives).toBe(2)
  })

  test('an answer from another agent on the store counts, and none after it', async () => {
    const pages = new Pages('work')
    const work = composite(async (_input, { call }) => call('pay'))
    const tools = [pages.tool('pay', { needsApproval: true }), work]
    const one = pages.open(tools)
    void one.run('Work', AT)
    const [toolCallId] = await asked(shown(one))
    const other = pages.open(tools)
    const talk = shown(other)
    await asked(talk)
    expect(await other.approve({ ...AT, toolCallId: toolCallId! })).toBe(true)
    await ended(talk)
    expect(await one.approve({ ...AT, toolCallId: toolCallId! })).toBe(false)
    expect(callsOf(talk).map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
    expect(pages.ran).toEqual(['pay'])
  })

  test('a long-running tool waits, and is settled by a later page', async () => {
    const pages = new Pages('work')
    const work = composite(async (_input, { call }) => ({ report: await call('report') }))
    const report = pages.tool('report', {
      execute: () => {
        pages.ran.push('report')
        return pending({ resumeToken: 'job' })
      },
    })
    const before = pages.open([report, work])
    void before.run('Work', AT)
    await asked(shown(before))
    const after = await pages.reload(before, [report, work])
    const talk = shown(after)
    await asked(talk)
    const [call] = talk.getSnapshot().pending
    expect(call).toMatchObject({ kind: 'settlement', resumeToken: 'job', path: { length: 2 } })
    expect(await after.settle({ ...AT, ...call! }, { output: { pages: 3 } })).toBe(true)
    await ended(talk)
    expect(callsOf(talk)[0]?.output).toEqual({ type: 'json', value: { report: { pages: 3 } } })
    expect(pages.ran).toEqual(['report'])
  })
})

describe('remembered results', () => {
  test('clock and random numbers repeat after a reload, and are stored before use', async () => {
    const pages = new Pages('work')
    const taken: unknown[] = []
    const work = composite(async (_input, { call, step, now, random }) => {
      const one = [now(), random(), random()]
      taken.push(one)
      await step('use', () => 'used')
      await call('pay')
      return one
    })
    const tools = [pages.tool('pay', { needsApproval: true }), work]
    const before = pages.open(tools)
    void before.run('Work', AT)
    const [id] = await asked(shown(before))
    const after = await pages.reload(before, tools)
    const talk = shown(after)
    await asked(talk)
    await after.approve({ ...AT, toolCallId: id! })
    await ended(talk)
    expect(taken).toHaveLength(2)
    expect(taken[1]).toEqual(taken[0])
  })

  test('a step that must happen only once is not repeated after an interruption', async () => {
    const pages = new Pages('work')
    let lives = 0
    const work = composite(async (_input, { step }) => {
      lives += 1
      try {
        await step(
          'charge',
          () => {
            pages.ran.push('charge')
            return lives === 1 ? new Promise(() => undefined) : 'again'
          },
          { atMostOnce: true },
        )
        return 'charged'
      } catch (error) {
        return (error as { details?: unknown }).details
      }
    })
    const before = pages.open([work])
    void before.run('Work', AT)
    await until(() => pages.ran.length === 1)
    const after = await pages.reload(before, [work])
    const talk = shown(after)
    await after.resume('talk')
    await ended(talk)
    expect(callsOf(talk)[0]?.output).toEqual({ type: 'json', value: { status: 'interrupted' } })
    expect(pages.ran).toEqual(['charge'])
  })

  test('values are kept as JSON from the start; others are an error', async () => {
    const pages = new Pages('work')
    const work = composite(async (_input, { step, call }) => {
      const date = await step('date', () => ({ at: new Date(0), none: undefined }))
      const nothing = await step('nothing', () => undefined)
      const odd = await step('odd', () => Symbol('odd')).catch((error: Error) => error.message)
      const inside = await step('inside', () => call('one')).catch(({ code }) => code as string)
      const input = await call('one', { date: new Date(0) }).catch(({ code }) => code as string)
      return { date, nothing: nothing === undefined, odd, inside, input }
    })
    const agent = pages.open([pages.tool('one'), work])
    const [top] = (await agent.run('Work', AT).result).toolCalls
    expect(top?.output).toMatchObject({
      value: {
        date: { at: '1970-01-01T00:00:00.000Z' },
        nothing: true,
        odd: expect.stringContaining('symbol'),
        inside: 'invalid-input',
        input: 'invalid-input',
      },
    })
    expect(pages.ran).toEqual([])
  })

  test('unfinished work of the function is awaited', async () => {
    const pages = new Pages('work')
    const work = composite((_input, { call }) => {
      void call('slow').then(() => call('one'))
      return 'done'
    })
    const slow = pages.tool('slow', {
      execute: () => new Promise((resolve) => setTimeout(() => resolve('slow'), 10)),
    })
    const agent = pages.open([slow, pages.tool('one'), work])
    const { toolCalls } = await agent.run('Work', AT).result
    expect(toolCalls.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded'])
    expect(pages.ran).toEqual(['one'])
  })

  test('a wrong call by a tool does not end the run', async () => {
    const pages = new Pages('work', { retries: 0 })
    const work = composite(async (_input, { call }) => call('nope').catch(() => 'none'))
    const agent = pages.open([work])
    expect(await agent.run('Work', AT).result).toMatchObject({ outcome: 'completed' })
  })

  test('hooks and policies also apply to nested calls', async () => {
    const hooked: string[] = []
    const pages = new Pages('work', {
      beforeToolCall: ({ toolName }) => {
        hooked.push(toolName)
        return toolName === 'two' ? { veto: 'Not two.' } : undefined
      },
      toolApproval: ({ toolName }) => toolName === 'one',
    })
    const work = composite(async (_input, { call }) => {
      const vetoed = await call('two').catch(({ message }: Error) => message)
      return [vetoed, await call('one')]
    })
    const agent = pages.open([pages.tool('one'), pages.tool('two'), work])
    const talk = shown(agent)
    const run = agent.run('Work', AT)
    const [id] = await asked(talk)
    await agent.approve({ ...AT, toolCallId: id! }, { input: { n: 7 } })
    const [top] = (await run.result).toolCalls
    expect(top?.output).toEqual({ type: 'json', value: ['Not two.', { one: { n: 7 } }] })
    expect(hooked).toEqual(['work', 'two', 'one'])
  })
})

describe('a composite tool that reloads its page', () => {
  test('resumes as long as it makes progress', async () => {
    const pages = new Pages('work')
    const work = composite(async (_input, { call }) => {
      for (let at = 0; at < 6; at++) await call('go', { at })
      return 'there'
    })
    let gone = 0
    const go = pages.tool('go', {
      annotations: { idempotent: true },
      execute: (input) => {
        const { at } = input as { at: number }
        pages.ran.push(`go${at}`)
        if (gone > at) return 'arrived'
        gone += 1
        return new Promise(() => undefined)
      },
    })
    let agent = pages.open([go, work])
    void agent.run('Work', AT)
    for (let at = 0; at < 6; at++) {
      await until(() => gone === at + 1)
      agent = await pages.reload(agent, [go, work])
      await agent.resume('talk')
    }
    const talk = shown(agent)
    await ended(talk)
    expect(callsOf(talk)[0]).toMatchObject({ status: 'succeeded' })
    expect(pages.ran).toHaveLength(12)
  })

  test('is interrupted when it makes no progress', async () => {
    const pages = new Pages('work')
    let lives = 0
    const work = composite(() => {
      lives += 1
      return new Promise(() => undefined)
    })
    let agent = pages.open([work])
    void agent.run('Work', AT)
    for (let life = 1; life <= 3; life++) {
      await until(() => lives === life)
      agent = await pages.reload(agent, [work])
      await agent.resume('talk')
    }
    const talk = shown(agent)
    await ended(talk)
    expect(callsOf(talk)[0]).toMatchObject({ status: 'interrupted' })
    expect(lives).toBe(3)
  })
})
