import { expect, test, vi } from 'vitest'
import type { PageApi } from '../../../src/protocol/page-calls.ts'
import { stage, startedRun } from './fake-worker.ts'

const parts = vi.hoisted(() => {
  const latePart = () => {
    let arrive = (): void => undefined
    const arrived = new Promise<void>((resolve) => (arrive = resolve))
    return { arrived, arrive: () => arrive() }
  }
  return { hooks: latePart(), chooser: latePart() }
})
vi.mock('../../../src/client/features/hooks.ts', async (original) => {
  await parts.hooks.arrived
  return original()
})
vi.mock('../../../src/client/features/choose-compaction.ts', async (original) => {
  await parts.chooser.arrived
  return original()
})

test('a verify whose code still loads is aborted with its run', async () => {
  const signals: AbortSignal[] = []
  const hang = ({ signal }: { readonly signal: AbortSignal }): Promise<never> => {
    signals.push(signal)
    return new Promise(() => undefined)
  }
  const set = stage({ verify: hang })
  const { worker, command } = await startedRun(set, 'x')
  const { page } = worker
  const { agentId, runId, conversationId } = command
  const ref = { agentId, runId, conversationId, messageId: 'm' }
  const answers = [
    page.verify({ ...ref, round: 1, text: 'Done.', toolCalls: [] }),
    page.stopVerifying(ref),
  ] satisfies ReturnType<PageApi[keyof PageApi]>[]
  // The page answers in order, so it knows of the stops.
  await page.currentTools({ agentId })
  expect(signals).toEqual([])
  parts.hooks.arrive()
  await Promise.all(answers)
  expect(signals.every(({ aborted }) => aborted)).toBe(true)
})

test('a compaction policy whose code still loads is aborted with its run', async () => {
  const signals: AbortSignal[] = []
  const policy = ({ signal }: { readonly signal: AbortSignal }): Promise<never> => {
    signals.push(signal)
    return new Promise(() => undefined)
  }
  const set = stage({ compaction: { policy } })
  const { worker, command } = await startedRun(set, 'x')
  const { page } = worker
  const { agentId, runId, conversationId } = command
  const ref = { agentId, runId, conversationId }
  const sizes = { tokens: 90, fixedTokens: 10, budget: 80 }
  const asked = { ...ref, ...sizes, occasion: 'near-limit', messages: [], compactions: [] } as const
  const chosen = page.chooseCompaction(asked)
  const stopped = page.stopChoosing(ref)
  // The page answers in order, so it knows of the stop.
  await page.currentTools({ agentId })
  parts.chooser.arrive()
  expect(await chosen).toMatchObject({ type: 'failed' })
  await stopped
  expect(signals.every(({ aborted }) => aborted)).toBe(true)
})
