import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { defineTool, type Conversation, type PendingCall } from '../../../src/index.ts'
import { createTestAgent, createTestStorage, type TestAgent } from '../../../src/testing/index.ts'
import type { ChatContext } from '../../../src/ui/chat/context.ts'
import { createLocalState } from '../../../src/ui/chat/element.ts'
import { RenderedCalls } from '../../../src/ui/chat/rendered-calls.ts'
import { childCallsView } from '../../../src/ui/chat/views/call.ts'
import { discussView } from '../../../src/ui/chat/views/discussed.ts'
import { en } from '../../../src/ui/chat/words/en.ts'
import { until } from '../client/fake-worker.ts'

// The scripted model gives the first calls of two conversations one id, as some models do.

afterEach(() => vi.unstubAllGlobals())

const askingTool = (name: string) =>
  defineTool({ name, description: name, needsApproval: true, execute: () => 'Done.' })

/** Agents whose first call is of a tool, and whose tools are the others. */
async function waitingTeam(
  steps: readonly (readonly string[])[],
  own: readonly string[],
): Promise<{ readonly boss: TestAgent; readonly desk: Conversation }> {
  const testStorage = createTestStorage()
  const members = ['pay', 'mail'].map((name) => {
    const script = { steps: [{ toolCalls: [{ toolName: name, input: {} }] }, { text: 'Done.' }] }
    return createTestAgent({ testStorage, script, tools: [askingTool(name)] })
  })
  const boss = createTestAgent({
    testStorage,
    script: {
      steps: [
        ...steps.map((names) => ({
          toolCalls: names.map((toolName) => ({ toolName, input: { prompt: 'Go.' } })),
        })),
        { text: 'Done.' },
      ],
    },
    tools: [
      ...own.map(askingTool),
      ...members.map((member, at) =>
        member.asTool({ name: `member_${at}`, description: 'Helps.' }),
      ),
    ],
  })
  for (const agent of [boss, ...members]) onTestFinished(() => agent.dispose())
  const desk = boss.conversation('desk')
  onTestFinished(desk.subscribe(() => undefined))
  desk.send('Go.')
  await until(() => desk.getSnapshot().pending.length === (own.length > 0 ? 1 : 2))
  return { boss, desk }
}

/** A directive, as lit draws it. */
interface Drawn {
  setValue: (value: unknown) => void
  render(...given: readonly unknown[]): unknown
}

test('of two cards whose calls have one id, the message field asks about one, and drawing ends', async () => {
  const { boss, desk } = await waitingTeam([['member_0', 'member_1']], [])
  const { pending } = desk.getSnapshot()
  expect(pending[0]?.toolCallId).toBe(pending[1]?.toolCallId)
  let draws = 0
  let isAsked = false
  const local = createLocalState(() => requestUpdate())
  const contextNow = (): ChatContext =>
    ({
      agent: boss,
      conversation: desk,
      snapshot: desk.getSnapshot(),
      words: en,
      locale: 'en',
      local,
    }) as unknown as ChatContext
  const cards = pending.map((call) => {
    const [{ _$litDirective$: Directive }] = discussView(contextNow(), call)
      .values as unknown as readonly [{ readonly _$litDirective$: new (part: object) => Drawn }]
    return { call, drawn: Object.assign(new Directive({ type: 2 }), { setValue: () => undefined }) }
  })
  /** Draws once after the current task, as lit does. */
  function requestUpdate(): void {
    if (isAsked || draws > 1000) return
    isAsked = true
    queueMicrotask(() => {
      isAsked = false
      draws += 1
      for (const { call, drawn } of cards) drawn.render(contextNow(), call)
    })
  }
  requestUpdate()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(draws).toBeGreaterThan(0)
  expect(draws).toBeLessThan(20)
  expect(local.get('about')).toMatchObject({ placeholder: 'Ask about “pay”…' })
})

test('questions of two sub-agents whose calls have one id are two cards', () => {
  const asking = (conversationId: string) => ({
    conversationId,
    toolCallId: 'call_1',
    toolName: 'ask_user',
    input: { question: 'Which?' },
    kind: 'answer',
    question: { question: 'Which?' },
  })
  const snapshot = { conversationId: 'desk', pending: [asking('desk.a'), asking('desk.b')] }
  const view = childCallsView({ snapshot, words: en, renderers: {} } as unknown as ChatContext)
  const [{ values }] = view.values as unknown as readonly [
    { readonly values: readonly [readonly PendingCall[], (call: PendingCall) => unknown] },
  ]
  const [calls, keyOf] = values
  expect(new Set(calls.map(keyOf)).size).toBe(2)
})

test("a card of the page answers its own call alone, not a sub-agent's with the same id", async () => {
  const { boss, desk } = await waitingTeam([['order'], ['member_1']], ['order'])
  const [first] = desk.getSnapshot().pending
  await boss.approve({ conversationId: 'desk', toolCallId: first!.toolCallId })
  await until(() => desk.getSnapshot().pending.some(({ toolName }) => toolName === 'mail'))
  const [waiting] = desk.getSnapshot().pending
  expect(waiting?.toolCallId).toBe(first?.toolCallId)
  const rendered = renderedCalls()
  const card = { answers: true, update: () => undefined }
  const snapshot = desk.getSnapshot()
  rendered.show({ snapshot, renderers: { order: () => card } } as unknown as ChatContext)
  expect(rendered.answeringCard(waiting!)).toBeUndefined()
  expect(rendered.answeringCard({ toolCallId: first!.toolCallId })).toBe(card)
})

/** Without a document. */
function renderedCalls(): RenderedCalls {
  vi.stubGlobal('document', { createElement: () => ({ remove: () => undefined }) })
  const host = {
    addController: () => undefined,
    append: () => undefined,
    requestUpdate: () => undefined,
  }
  return new RenderedCalls(host as unknown as ConstructorParameters<typeof RenderedCalls>[0])
}

test("another conversation's call with the same id gets a card of its own", () => {
  const rendered = renderedCalls()
  const seen: string[] = []
  const rendererOf = (name: string) => (call: { readonly toolName: string }) => {
    seen.push(`${name} draws ${call.toolName}`)
    return {
      update: (next: { readonly toolName: string }) => seen.push(`${name} shows ${next.toolName}`),
      dispose: () => seen.push(`${name} ends`),
    }
  }
  const renderers = { order: rendererOf('order'), cancel: rendererOf('cancel') }
  const show = (conversationId: string, toolName: string): void => {
    const call = { conversationId, toolCallId: 'call_0', toolName, status: 'awaiting-approval' }
    rendered.show({
      snapshot: { messages: [{ calls: [call] }] },
      renderers,
    } as unknown as ChatContext)
  }
  show('a', 'order')
  // The other conversation is known already: no empty snapshot comes between.
  show('b', 'cancel')
  expect(seen).toEqual(['order draws order', 'order ends', 'cancel draws cancel'])
  show('c', 'cancel')
  expect(seen.slice(3)).toEqual(['cancel ends', 'cancel draws cancel'])
  // The page's cards of one conversation differ by tool, too: branches may share ids.
  show('c', 'order')
  expect(seen.slice(5)).toEqual(['cancel ends', 'order draws order'])
})
