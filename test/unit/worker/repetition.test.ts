import { describe, expect, it } from 'vitest'
import type { ToolOutcome } from '../../../src/protocol/questions.ts'
import { createWorld, SCOPE, startCommand, startLife, type Turn } from './simulation.ts'

const ok: ToolOutcome = { status: 'succeeded', output: { type: 'text', value: 'ok' } }
const write = { descriptor: {}, run: () => ok }
const steps = (inputs: string): Turn[] =>
  inputs.split('').map((n) => ({ calls: [{ tool: 'write', input: { n } }] }))

async function play(inputs: string) {
  const world = createWorld(steps(inputs), { write })
  const live = startLife(world)
  await live.host.startRun(startCommand('run', 'go', { maxSteps: -1, retries: 3 }))
  const result = await live.ended()
  const told = world.requests.findIndex((request) =>
    /same calls 3 times in a row/.test(request.trailer ?? ''),
  )
  return { result, told, world }
}

describe('a run that repeats itself', () => {
  it.each([
    ['A', 1],
    ['AB', 2],
    ['ABC', 3],
    ['ABCD', 4],
    ['AABB', 4],
  ])('is told after three rounds of %s, and stopped after six', async (round, length) => {
    const { result, told } = await play(round.repeat(9))
    expect(result).toMatchObject({
      outcome: 'failed',
      // The same request would be answered in the same way.
      error: { code: 'repeated-calls', retryable: false },
      steps: 6 * length,
    })
    expect(told).toBe(3 * length)
  })

  it('is noticed though it began in another way', async () => {
    expect((await play(`XYZ${'AB'.repeat(9)}`)).result.steps).toBe(3 + 12)
  })

  it('is not one that goes on elsewhere in time, or in longer rounds', async () => {
    const most = `${'AB'.repeat(5)}A`
    expect((await play(`${most}C${most}`)).result.outcome).toBe('completed')
    const { result, told } = await play('ABCDE'.repeat(8))
    expect(result.outcome).toBe('completed')
    expect(told).toBe(-1)
  })

  it('is noticed over a reload', async () => {
    const world = createWorld(steps('AB'.repeat(9)), { write })
    const first = startLife(world, 60)
    await first.host.startRun(startCommand('run', 'go', { maxSteps: -1, retries: 3 }))
    await first.life.died
    const { host, ended } = startLife(world)
    await host.resumeRun({ ...SCOPE, interrupted: 'tell-model', waitForToolsMs: 1000 })
    expect(await ended()).toMatchObject({ error: { code: 'repeated-calls' }, steps: 12 })
  })
})
