import { expect, it } from 'vitest'
import { watchedValidator } from '../../../src/worker/validation/check-input.ts'
import { createWorld, SCOPE, startCommand, startLife, SimPage, type SimTool } from './simulation.ts'

const schema = {
  type: 'object',
  properties: {
    sku: { type: 'string', pattern: '^[a-z]+$' },
    pattern: { type: 'string' },
    more: { patternProperties: { '^x-': { items: { pattern: '^(a+)+$' } } } },
  },
}

it('a check with patterns is reported before it starts and after it ends', () => {
  const seen: unknown[] = []
  const validator = watchedValidator(
    { validate: () => (seen.push('checked'), []) },
    (risk) => void seen.push(risk),
  )
  validator.validate(schema, {}, 'order')
  expect(seen).toEqual([
    { toolName: 'order', patterns: ['^[a-z]+$', '^x-', '^(a+)+$'] },
    'checked',
    null,
  ])
})

it('a check that throws is reported as ended, and one without patterns is not reported', () => {
  const seen: unknown[] = []
  const refuse = (): never => {
    throw new Error('no schema')
  }
  const validator = watchedValidator({ validate: refuse }, (risk) => void seen.push(risk))
  expect(() => validator.validate({ properties: { pattern: {} } }, {}, 'order')).toThrow()
  expect(seen).toEqual([])
  expect(() => validator.validate(schema, {}, 'order')).toThrow()
  expect(seen.at(-1)).toBeNull()
})

it('a run that killed a worker is failed by the next one, without further effects', async () => {
  const ran: string[] = []
  const drop: SimTool = {
    descriptor: {},
    run: ({ toolName }) => {
      ran.push(toolName)
      return { status: 'succeeded', output: { type: 'text', value: 'ok' } }
    },
  }
  // With a hook, calls are checked after the model's output was journaled.
  const context = { hasBeforeToolCall: true }
  const world = createWorld([{ calls: [{ tool: 'drop', input: {} }] }], { drop }, context)
  const { page } = world
  const hangs = new Promise<never>(() => undefined)
  world.page = Object.assign(new SimPage(world.tools, context), {
    api: (life: Parameters<SimPage['api']>[0]) => ({
      ...page.api(life),
      beforeToolCall: () => hangs,
    }),
  })
  const first = startLife(world)
  await first.host.startRun(startCommand('run', 'go'))
  await first.until('tool-call')
  first.life.dead = true
  world.page = page
  const asked = world.requests.length

  const second = startLife(world)
  const error = { code: 'worker-hung', message: 'It hung.', retryable: false } as const
  const command = { ...SCOPE, runId: 'run', reason: 'It hung.', error }
  expect(await second.host.abortRun(command)).toBe(true)
  expect(await second.ended()).toMatchObject({ outcome: 'failed', error })
  expect(await second.host.abortRun(command)).toBe(false)
  expect(world.requests.length).toBe(asked)
  expect(ran).toEqual([])
  expect(await world.store.get(SCOPE.conversationId)).toMatchObject({ openRunId: null })
})
