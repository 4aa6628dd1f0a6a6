import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ToolOutcome } from '../../../src/protocol/page-calls.ts'
import { emptyState } from '../../../src/conversation/state.ts'
import { fold } from '../../../src/conversation/fold.ts'
import type { Row } from '../../../src/protocol/fact.ts'
import type { Message } from '../../../src/protocol/message.ts'
import type { ConversationState } from '../../../src/protocol/state.ts'
import {
  createWorld,
  isPaired,
  liveThrough,
  openConversation,
  SCOPE,
  startCommand,
  startLife,
  type Kill,
  type SimTool,
  type Turn,
  type World,
} from './simulation.ts'
import { eachNth, someOf } from '../more.ts'

const succeeded: ToolOutcome = { status: 'succeeded', output: { type: 'text', value: 'ok' } }
const failed: ToolOutcome = {
  status: 'failed',
  output: { type: 'error', code: 'failed', message: 'no' },
}

const kinds = {
  write: {},
  write_badly: {},
  read: { annotations: { readOnly: true } },
  put: { annotations: { idempotent: true } },
} as const

/** How often each call was executed, by its idempotency key. */
function countingTools(effects: Map<string, number>): Record<string, SimTool> {
  return Object.fromEntries(
    Object.entries(kinds).map(([name, descriptor]) => [
      name,
      {
        descriptor,
        run: (call) => {
          const key = `${name} ${call.idempotencyKey}`
          effects.set(key, (effects.get(key) ?? 0) + 1)
          return name === 'write_badly' ? failed : succeeded
        },
      } satisfies SimTool,
    ]),
  )
}

const turnsArb: fc.Arbitrary<Turn[]> = fc.array(
  fc.record({
    text: fc.constantFrom('a', 'b'),
    calls: fc.array(
      fc.record({
        tool: fc.constantFrom('write', 'write', 'write_badly', 'read', 'read', 'put', 'nope'),
        input: fc.record({ n: fc.nat(1000) }),
      }),
      { maxLength: 4 },
    ),
    paused: fc.boolean(),
  }),
  { maxLength: 4 },
)

const killsArb: fc.Arbitrary<Kill[]> = fc.array(
  fc.record({ after: fc.integer({ min: 1, max: 60 }), who: fc.constantFrom('worker', 'page') }),
  { maxLength: 4 },
)

async function stateInStore(world: World): Promise<ConversationState> {
  const { rows } = await world.store.read(SCOPE.conversationId)
  return fold(emptyState(SCOPE.conversationId), rows as readonly Row[])
}

async function play(turns: readonly Turn[], kills: readonly Kill[]) {
  const effects = new Map<string, number>()
  const world = createWorld(turns, countingTools(effects))
  const result = await liveThrough(world, kills)
  const stored = await startLife(world).host.library.getConversation(SCOPE)
  const messages = (stored?.messages ?? []).map(comparable)
  return { effects, world, result, messages }
}

/** Only the ids of a person's messages aren't made up anew in each life. */
function comparable(message: Message): Message {
  return message.role === 'user' ? message : { ...message, id: '' }
}

describe('a run that dies anywhere, any number of times', () => {
  it('executes writing calls at most once, pairs every call, and ends as without crashes', async () => {
    const trial = async (turns: readonly Turn[], kills: readonly Kill[]): Promise<void> => {
      const calm = await play(turns, [])
      const { effects, world, result, messages } = await play(turns, kills)

      for (const [key, count] of effects) {
        if (key.startsWith('write')) expect(count, key).toBe(1)
      }
      for (const request of world.requests) {
        expect(isPaired(request.messages), JSON.stringify(request.messages)).toBe(true)
      }
      expect(isPaired(messages)).toBe(true)

      const folded = await stateInStore(world)
      expect(folded.run?.end).toEqual(expect.anything())

      const lost = result.toolCalls.some((call) => call.status === 'interrupted')
      if (!lost) {
        expect(messages).toEqual(calm.messages)
        expect(result.outcome).toBe(calm.result.outcome)
        expect(result.toolCalls).toEqual(calm.result.toolCalls)
      }
      // Only a page that died takes a call's outcome with it.
      if (kills.every((kill) => kill.who === 'worker')) expect(lost).toBe(false)
    }
    let last: Promise<void> = Promise.resolve()
    await fc.assert(
      fc.asyncProperty(turnsArb, killsArb, (turns, kills) => {
        last = trial(turns, kills)
        return last
      }),
      {
        numRuns: someOf(300),
        endOnFailure: true,
        interruptAfterTimeLimit: 20000,
        markInterruptAsFailure: false,
      },
    )
    // fast-check interrupts a hanging run like a slow one, so the last run is awaited.
    await last
  }, 120_000)

  it('resumes a turn that the vendor paused, wherever it died', async () => {
    const turns = [{ text: 'a', paused: true }, { text: 'b', paused: true }, { text: 'c' }]
    const calm = await play(turns, [])
    expect(calm.messages).toHaveLength(4)
    for (const after of eachNth(
      2,
      Array.from({ length: 60 }, (_, at) => at + 1),
    )) {
      for (const who of ['worker', 'page'] as const) {
        const { result, messages } = await play(turns, [{ after, who }])
        expect(result, `${who} at ${after}`).toMatchObject({ outcome: 'completed', text: 'c' })
        expect(messages).toEqual(calm.messages)
      }
    }
  })

  it('has the same state for a live page and when folded from its rows', async () => {
    await fc.assert(
      fc.asyncProperty(turnsArb, async (turns) => {
        const world = createWorld(turns, countingTools(new Map()))
        const lived = openConversation(world)
        await lived.claim()
        const live = startLife(world)
        await live.host.startRun(startCommand('run', 'go'))
        // Looks in after whatever was committed since, as one who was there all along.
        let watching = true
        const watched = (async () => {
          for (; watching; await Promise.resolve()) await lived.refresh()
        })()
        await live.ended()
        watching = false
        await watched
        await lived.refresh()
        const folded = openConversation(world)
        await folded.refresh()
        expect(lived.run).toEqual(folded.run)
        expect(lived.state).toEqual(folded.state)
        expect(lived.state).toEqual(await stateInStore(world))
        expect(lived.messages).toEqual(folded.messages)
        expect((await live.host.library.getConversation(SCOPE))?.messages).toEqual(folded.messages)
      }),
      { numRuns: someOf(50) },
    )
  })

  it('dies at every single boundary of one fixed run', async () => {
    const turns: Turn[] = [
      {
        text: 'first',
        calls: [
          { tool: 'write', input: { n: 1 } },
          { tool: 'read', input: { n: 2 } },
        ],
      },
      {
        text: 'second',
        calls: [
          { tool: 'put', input: { n: 3 } },
          { tool: 'write_badly', input: { n: 4 } },
        ],
      },
    ]
    const calm = await play(turns, [])
    for (const who of ['worker', 'page'] as const) {
      for (let after = 1; after <= 60; after++) {
        const { effects, messages, result } = await play(turns, [{ after, who }])
        for (const [key, count] of effects) {
          if (key.startsWith('write')) expect(count, `${key} after ${after}`).toBe(1)
        }
        const lost = result.toolCalls.some((call) => call.status === 'interrupted')
        if (!lost) expect(messages, `${who} dies after ${after}`).toEqual(calm.messages)
      }
    }
  }, 600_000)
})
