import { expect, test, vi } from 'vitest'
import type { PageApi } from '../../../src/protocol/page-calls.ts'
import { stage, startedRun } from './fake-worker.ts'

const parts = vi.hoisted(() => {
  let arrive = (): void => undefined
  const arrived = new Promise<void>((resolve) => (arrive = resolve))
  return { arrived, arrive: () => arrive() }
})
vi.mock('../../../src/client/features/hooks.ts', async (original) => {
  await parts.arrived
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
  parts.arrive()
  await Promise.all(answers)
  expect(signals.every(({ aborted }) => aborted)).toBe(true)
})
