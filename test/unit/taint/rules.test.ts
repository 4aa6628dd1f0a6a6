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

describe('once untrusted content was read', () => {
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

  it('an approval request shows its reason beside the call', async () => {
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

  it('calls before it need no approval, and other requests give no reason', async () => {
    const plain = tool('plain', { needsApproval: true, annotations: { reversible: true } })
    const { agent } = agentWith([send, plain], {
      script: { steps: [call('send'), call('read_reviews'), call('plain'), { text: 'done' }] },
    })
    const asked = await approving(agent)
    expect(asked).toMatchObject([{ toolName: 'plain' }])
    expect(asked[0]?.because).toBeUndefined()
  })

  it('a call is judged by its own request, not by content read beside it', async () => {
    const { agent } = agentWith([send], {
      script: { steps: [call('read_reviews', 'send'), call('send'), { text: 'done' }] },
    })
    const asked = await approving(agent)
    expect(ran).toEqual(['read_reviews', 'send', 'send'])
    expect(asked).toHaveLength(1)
  })

  it('all waiting calls of a step are shown together', async () => {
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

  it('"allow" requests no approval, "ask-writes" for all calls that write', async () => {
    const write = tool('write', { annotations: { reversible: true } })
    const look = tool('look', { annotations: { readOnly: true } })
    const tools = [send, write, look]
    expect(await askedAbout(tools, { whileTainted: 'allow' })).toEqual([])
    expect(await askedAbout(tools, { whileTainted: 'ask-writes' })).toEqual(['send', 'write'])
  })

  it('each call of a tool without annotations requires approval, and its author is warned once', async () => {
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
  ])('a tool whose `commits` %s is judged by that alone', async (_, commits, isAsked) => {
    const annotations = isAsked ? { readOnly: true } : { openWorld: true, destructive: true }
    const press = tool('press', { annotations, commits, needsApproval: false })
    expect(await askedAbout([press])).toEqual(isAsked ? ['press'] : [])
  })

  it('`commits` gets the input and that it is tainted', async () => {
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

  it('one-shot calls that should require approval are marked', async () => {
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

describe('tools from other sources', () => {
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
  ])('may require approval even without taint: %s', async (_, more, options, isAsked) => {
    const { agent } = agentWith([tool('remote', more)], {
      script: { steps: [call('remote'), { text: 'done' }] },
      ...options,
    })
    expect(await approving(agent)).toHaveLength(isAsked ? 1 : 0)
    const described = more.remote?.trusted ? [] : ['tools of mail.example']
    expect(await originsOf(agent)).toEqual([...described, 'mail.example'])
  })

  it('require approval after untrusted content, whatever the app or annotations say', async () => {
    const annotations = { openWorld: false, reversible: true, readOnly: true }
    const stranger = tool('stranger', { remote, annotations, needsApproval: false })
    const silent = tool('silent', { remote: trusted, needsApproval: false })
    const known = tool('known', { remote: trusted, annotations: quiet, needsApproval: false })
    expect(await askedAbout([stranger, silent, known])).toEqual(['stranger', 'silent'])
  })

  it('count as a trusted source of content only if they are trusted', async () => {
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

describe('a call in text', () => {
  it('requires approval after untrusted content, unless its tool only reads', async () => {
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

describe('a tool with long output and without an untrustedContent annotation', () => {
  test.each<[string, Partial<Tool>, string[]]>([
    ['is warned about', {}, ['tool-content-unmarked']],
    [
      'is warned about when it lists files',
      { execute: () => [{ type: 'file', name: 'x'.repeat(1_500) }] },
      ['tool-content-unmarked'],
    ],
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
