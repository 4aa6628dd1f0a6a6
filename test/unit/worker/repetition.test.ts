import { describe, expect, it } from 'vitest'
import type { ToolOutcome } from '../../../src/protocol/page-calls.ts'
import {
  createWorld,
  SCOPE,
  startCommand,
  startLife,
  type SimTool,
  type Turn,
} from './simulation.ts'

const ok: ToolOutcome = { status: 'succeeded', output: { type: 'text', value: 'ok' } }
const said = (value: string): ToolOutcome => ({
  status: 'succeeded',
  output: { type: 'text', value },
})
const write = { descriptor: {}, run: () => ok }
const steps = (inputs: string): Turn[] =>
  inputs.split('').map((n) => ({ calls: [{ tool: 'write', input: { n } }] }))

async function play(inputs: string, tool: SimTool = write) {
  const world = createWorld(steps(inputs), { write: tool })
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
  ])('is warned after three rounds of %s, and stopped after six', async (round, length) => {
    const { result, told } = await play(round.repeat(9))
    expect(result).toMatchObject({
      outcome: 'failed',
      // The same request would be answered in the same way.
      error: { code: 'repeated-calls', retryable: false },
      steps: 6 * length,
    })
    expect(told).toBe(3 * length)
  })

  it('is detected after a different beginning', async () => {
    expect((await play(`XYZ${'AB'.repeat(9)}`)).result.steps).toBe(3 + 12)
  })

  it('is not assumed for interrupted or longer rounds', async () => {
    const most = `${'AB'.repeat(5)}A`
    expect((await play(`${most}C${most}`)).result.outcome).toBe('completed')
    const { result, told } = await play('ABCDE'.repeat(8))
    expect(result.outcome).toBe('completed')
    expect(told).toBe(-1)
  })

  it('is not assumed when results differ: nine clicks on "Next month" are progress', async () => {
    let month = 0
    const next = { descriptor: {}, run: () => said(`Month ${++month}`) }
    const { result, told } = await play('A'.repeat(9), next)
    expect(result).toMatchObject({ outcome: 'completed', steps: 10 })
    expect([told, month]).toEqual([-1, 9])
  })

  it('is warned after three equal rounds, even if results differ later', async () => {
    let clicks = 0
    const stuck = { descriptor: {}, run: () => said(`Page ${Math.max(4, ++clicks)}`) }
    const { result, told } = await play('A'.repeat(9), stuck)
    expect(result.outcome).toBe('completed')
    expect(told).toBe(3)
  })

  it('is stopped when one call occurs in over 25 steps, whatever its results', async () => {
    let count = 0
    const clock = { descriptor: {}, run: () => said(`It is ${++count} o'clock.`) }
    const { result } = await play('AB'.repeat(40), clock)
    expect(result).toMatchObject({
      error: { code: 'repeated-calls', message: expect.stringContaining('more than 25 steps') },
      steps: 51,
    })
    expect(count).toBe(50)
    // Twenty-six at once are one step.
    const once = [{ calls: Array(26).fill({ tool: 'write', input: {} }) }]
    const world = createWorld(once, { write: clock })
    const live = startLife(world)
    await live.host.startRun(startCommand('run', 'go'))
    expect((await live.ended()).outcome).toBe('completed')
  })

  it('is detected across a reload', async () => {
    const world = createWorld(steps('AB'.repeat(9)), { write })
    const first = startLife(world, 60)
    await first.host.startRun(startCommand('run', 'go', { maxSteps: -1, retries: 3 }))
    await first.life.died
    const { host, ended } = startLife(world)
    await host.resumeRun({ ...SCOPE, interrupted: 'tell-model', waitForToolsMs: 1000 })
    expect(await ended()).toMatchObject({ error: { code: 'repeated-calls' }, steps: 12 })
  })
})
