import { describe, expect, test } from 'vitest'
import type { ExecuteTool, ToolOutcome } from '../../../src/protocol/page-calls.ts'
import { hasPlaceholder } from '../../../src/protocol/sealed.ts'
import {
  createWorld,
  liveThrough,
  SCOPE,
  type Kill,
  type SimTool,
  type World,
} from './simulation.ts'
import { eachNth } from '../more.ts'

const SECRET = 'correct horse battery'

/** How often a worker or page is killed in turn: more than a run has crossings. */
const CROSSINGS = 40

interface Played {
  readonly world: World
  readonly ran: readonly ExecuteTool[]
  readonly statuses: readonly string[]
}

async function play(kills: readonly Kill[], descriptor: SimTool['descriptor']): Promise<Played> {
  const ran: ExecuteTool[] = []
  const login: SimTool = {
    descriptor: { hasSecretsIn: true, ...descriptor },
    secretsIn: () => ['/password'],
    run: (call): ToolOutcome => {
      ran.push(call)
      return { status: 'succeeded', output: { type: 'text', value: 'in' } }
    },
  }
  const input = { user: 'ada', password: SECRET }
  const world = createWorld([{ text: 'On it.', calls: [{ tool: 'login', input }] }, {}], { login })
  const { toolCalls } = await liveThrough(world, kills)
  return { world, ran, statuses: toolCalls.map(({ status }) => status) }
}

async function expectSealed({ world }: Played): Promise<void> {
  const { rows } = await world.store.read(SCOPE.conversationId)
  expect(JSON.stringify(rows)).not.toContain(SECRET)
  expect(JSON.stringify(world.requests)).not.toContain(SECRET)
}

describe.each<[string, SimTool['descriptor']]>([
  ['a call of which nobody knows whether it happened', {}],
  ['a call that may be repeated', { annotations: { idempotent: true } }],
])('%s', (_, descriptor) => {
  test.each(
    (['worker', 'page'] as const).flatMap((who) =>
      eachNth(
        2,
        Array.from({ length: CROSSINGS }, (_none, index) => [who, index + 1] as const),
      ),
    ),
  )('when the %s dies at crossing %i, the tool gets the secret or nothing', async (who, after) => {
    const played = await play([{ who, after }], descriptor)
    const { ran, statuses } = played
    await expectSealed(played)
    for (const { input, inputWithSecrets } of ran) {
      expect(hasPlaceholder(input)).toBe(true)
      expect(inputWithSecrets).toEqual({ user: 'ada', password: SECRET })
    }
    expect(ran.length).toBeLessThanOrEqual(1)
    expect(['succeeded', 'failed', 'interrupted']).toContain(statuses[0])
    // A call that failed because its secret was missing did not run.
    if (statuses[0] === 'failed') expect(ran).toEqual([])
    if (statuses[0] === 'succeeded') expect(ran).toHaveLength(1)
  })
})

test('without a crash, the call runs', async () => {
  const played = await play([], {})
  expect(played.statuses).toEqual(['succeeded'])
  await expectSealed(played)
})
