import { describe, expect, it, test } from 'vitest'
import type { Tool, ToolAnnotations } from '../../../src/index.ts'
import { afterReading, agentWith, approving, call, originsOf, ran, tool } from './support.ts'

const send = tool('send', { annotations: { openWorld: true } })

const BECAUSE = { type: 'untrusted-content', origin: 'Read reviews' }

async function askedAbout(
  tools: readonly Tool[],
  options: object = {},
): Promise<readonly string[]> {
  const names = tools.map(({ name }) => name)
  const { agent } = agentWith(tools, { script: afterReading(...names), ...options })
  const asked = await approving(agent)
  // Whatever was asked, all of it was approved, and ran once.
  expect(ran).toEqual(['read_reviews', ...names])
  return asked.map(({ toolName }) => toolName)
}

describe('once a review was read', () => {
  test.each<[string, ToolAnnotations, boolean]>([
    ['leaves the app', { openWorld: true }, true],
    ['leaves the app, and reads', { openWorld: true, readOnly: true }, true],
    ['leaves the app, and can be undone', { openWorld: true, reversible: true }, true],
    ['destroys', { destructive: true, idempotent: true }, true],
    ['says nothing', {}, true],
    ['says only what it is not', { openWorld: false, destructive: false }, true],
    ['reads', { readOnly: true }, false],
    ['can be repeated', { idempotent: true }, false],
    ['can be undone', { reversible: true }, false],
  ])('a call of a tool that %s', async (_, annotations, isAsked) => {
    const options = { toolApproval: 'never' }
    const asked = await askedAbout([tool('act', { annotations, needsApproval: false })], options)
    expect(asked).toEqual(isAsked ? ['act'] : [])
  })

  it('says why it asks, where the call is shown', async () => {
    const { agent } = agentWith([send], { script: afterReading('send') })
    const events: unknown[] = []
    agent.conversation('c').subscribe(() => undefined)
    const run = agent.run('go', { conversationId: 'c' })
    for await (const event of run)
      if (event.type === 'tool-approval-request') {
        events.push(event)
        const snapshot = agent.conversation('c').getSnapshot()
        const [read] = snapshot.taint
        expect(read).toMatchObject({ origin: 'Read reviews', title: 'Read reviews' })
        expect(snapshot.pending).toMatchObject([{ because: { ...BECAUSE, path: read?.path } }])
        expect(snapshot.messages.flatMap(({ calls = [] }) => calls).at(-1)).toMatchObject({
          because: BECAUSE,
        })
        void agent.deny({ conversationId: 'c', toolCallId: event.toolCallId })
      }
    expect(events).toMatchObject([{ because: BECAUSE }])
    expect(ran).toEqual(['read_reviews'])
  })

  it('asks nobody before, and says no reason where the app asks anyway', async () => {
    const plain = tool('plain', { needsApproval: true, annotations: { reversible: true } })
    const { agent } = agentWith([send, plain], {
      script: { steps: [call('send'), call('read_reviews'), call('plain'), { text: 'done' }] },
    })
    const asked = await approving(agent)
    expect(asked).toMatchObject([{ toolName: 'plain' }])
    expect(asked[0]?.because).toBeUndefined()
  })

  it('decides by the request that a call comes from: what was read beside it counts from the next', async () => {
    const { agent } = agentWith([send], {
      script: { steps: [call('read_reviews', 'send'), call('send'), { text: 'done' }] },
    })
    const asked = await approving(agent)
    expect(ran).toEqual(['read_reviews', 'send', 'send'])
    expect(asked).toHaveLength(1)
  })

  it('shows all that waits of a step together', async () => {
    const { agent } = agentWith([send], {
      script: { steps: [call('read_reviews'), call('send', 'send'), { text: 'done' }] },
    })
    const run = agent.run('go', { conversationId: 'c' })
    const talk = agent.conversation('c')
    const seen: number[] = []
    talk.subscribe(() => seen.push(talk.getSnapshot().pending.length))
    await expect.poll(() => talk.getSnapshot().pending.length).toBe(2)
    expect(seen).not.toContain(1)
    for (const { toolCallId } of talk.getSnapshot().pending)
      await agent.approve({ conversationId: 'c', toolCallId })
    expect((await run.result).outcome).toBe('completed')
  })

  it('asks nobody by "allow", and about all that is not read-only by "ask-writes"', async () => {
    const write = tool('write', { annotations: { reversible: true } })
    const look = tool('look', { annotations: { readOnly: true } })
    const tools = [send, write, look]
    expect(await askedAbout(tools, { whileTainted: 'allow' })).toEqual([])
    expect(await askedAbout(tools, { whileTainted: 'ask-writes' })).toEqual(['send', 'write'])
  })

  it('requests approval for each call of a tool without annotations, and warns its author once', async () => {
    const act = (step: number) => ({ toolCalls: [{ toolName: 'act', input: { step } }] })
    const { agent } = agentWith([tool('act', { inputSchema: { type: 'object' } })], {
      script: { steps: [call('read_reviews'), act(1), act(2), { text: 'done' }] },
    })
    const run = agent.run('go', { conversationId: 'c' })
    const codes: string[] = []
    let denied = 0
    for await (const event of run) {
      if (event.type === 'warning') codes.push(event.code)
      if (event.type !== 'tool-approval-request') continue
      denied++
      void agent.deny({ conversationId: 'c', toolCallId: event.toolCallId })
    }
    expect(denied).toBe(2)
    expect(codes).toEqual(['tool-effect-unknown'])
    expect(ran).toEqual(['read_reviews'])
  })

  test.each<[string, NonNullable<Tool['commits']>, boolean]>([
    ['says yes', () => true, true],
    ['says no', () => false, false],
    ['throws', () => Promise.reject(new Error('no')), true],
    ['says nothing', () => undefined as unknown as boolean, true],
  ])('a tool whose `commits` %s decides by that alone', async (_, commits, isAsked) => {
    const annotations = isAsked ? { readOnly: true } : { openWorld: true, destructive: true }
    const press = tool('press', { annotations, commits, needsApproval: false })
    expect(await askedAbout([press])).toEqual(isAsked ? ['press'] : [])
  })

  it('hands `commits` the input and says that it is tainted', async () => {
    const seen: unknown[] = []
    const press = tool('press', {
      commits(input, context) {
        seen.push(input, context)
        return false
      },
    })
    const { agent } = agentWith([press], {
      script: { steps: [call('press'), call('read_reviews'), call('press'), { text: 'done' }] },
    })
    await approving(agent)
    expect(seen).toMatchObject([{}, { conversationId: 'c', tainted: true }])
  })

  it('marks the calls of a one-shot run about which a person should be asked', async () => {
    const { agent } = agentWith([send], { script: afterReading('send') })
    const first = await agent.run('go', { conversationId: 'c', maxSteps: 0 }).result
    expect(first).toMatchObject({ outcome: 'waiting', pending: [{ toolName: 'read_reviews' }] })
    const [read] = first.outcome === 'waiting' ? first.pending : []
    expect(read?.asks).toBeUndefined()
    const of = { conversationId: 'c', toolCallId: read?.toolCallId ?? '' }
    const next = await agent.supplyOutput(of, 'a review')
    const second = await next?.result
    expect(second).toMatchObject({ pending: [{ toolName: 'send', asks: true }] })
    expect(await originsOf(agent)).toEqual(['Read reviews'])
  })
})

describe('tools of others', () => {
  const remote = { source: 'mail.example' }
  const trusted = { source: 'mail.example', trusted: true }
  const quiet = { readOnly: true }

  test.each<[string, Partial<Tool>, object, boolean]>([
    ['a stranger’s', { remote }, {}, true],
    ['a stranger’s that calls itself read-only', { remote, annotations: quiet }, {}, true],
    ['one of a trusted source', { remote: trusted }, {}, true],
    ['a read-only one of a trusted source', { remote: trusted, annotations: quiet }, {}, false],
    ['one that the app frees', { remote, needsApproval: false }, {}, false],
    ['one whose app asks about nothing', { remote }, { toolApproval: 'never' }, false],
    ['one whose policy is a function', { remote }, { toolApproval: () => false }, true],
  ])('are asked about, tainted or not: %s', async (_, more, options, isAsked) => {
    const { agent } = agentWith([tool('remote', more)], {
      script: { steps: [call('remote'), { text: 'done' }] },
      ...options,
    })
    expect(await approving(agent)).toHaveLength(isAsked ? 1 : 0)
    const described = more.remote?.trusted ? [] : ['tools of mail.example']
    expect(await originsOf(agent)).toEqual([...described, 'mail.example'])
  })

  it('are asked about once words of others were read, whatever the app says and they say', async () => {
    const annotations = { openWorld: false, reversible: true, readOnly: true }
    const stranger = tool('stranger', { remote, annotations, needsApproval: false })
    const silent = tool('silent', { remote: trusted, needsApproval: false })
    const known = tool('known', { remote: trusted, annotations: quiet, needsApproval: false })
    expect(await askedAbout([stranger, silent, known])).toEqual(['stranger', 'silent'])
  })

  it('are believed to return their own words only if they are trusted', async () => {
    for (const [source, origins] of [
      [remote, ['tools of mail.example', 'mail.example']],
      [trusted, []],
    ] as const) {
      const annotations = { readOnly: true, untrustedContent: false }
      const { agent } = agentWith([tool('remote', { remote: source, annotations })], {
        script: { steps: [call('remote'), { text: 'done' }] },
      })
      await approving(agent)
      expect(await originsOf(agent)).toEqual(origins)
    }
  })
})

describe('a call that was written as text', () => {
  it('is asked about once words of others were read, unless its tool only reads', async () => {
    const text = (name: string) => ({
      text: `<tool_call>{"name":"${name}","arguments":{}}</tool_call>`,
    })
    const write = tool('write', { annotations: { reversible: true } })
    const { agent } = agentWith([write], {
      script: { steps: [text('read_reviews'), text('write'), { text: 'done' }] },
    })
    expect(await approving(agent)).toMatchObject([{ toolName: 'write', because: BECAUSE }])
    expect(ran).toEqual(['read_reviews', 'write'])
  })
})

describe('a tool that returns much and does not say whose words they are', () => {
  test.each<[string, Partial<Tool>, string[]]>([
    ['is warned about', {}, ['tool-content-unmarked']],
    [
      'is let be when it says that they are its own',
      { annotations: { untrustedContent: false } },
      [],
    ],
    ['is let be when it says that they are not', { annotations: { untrustedContent: true } }, []],
  ])('%s', async (_, more, expected) => {
    const long = tool('long', { execute: () => 'x'.repeat(1_500), ...more })
    const { agent, warnings } = agentWith([long], {
      script: { steps: [call('long'), call('long'), { text: 'done' }] },
    })
    await approving(agent)
    expect(warnings).toEqual(expected)
  })
})
