import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { signalWithin } from '../../../src/lib/abort.ts'

test('a timeout that only a combined signal refers to aborts even after memory was collected', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const closed = new AbortController()
  const ended = new Promise<unknown>((resolve) => {
    const either = signalWithin(200, closed.signal)
    either.addEventListener('abort', () => resolve(either.reason))
  })
  // A signal can be collected only after the turn that made it.
  await new Promise((resolve) => setTimeout(resolve))
  collect()
  expect(await ended).toMatchObject({ name: 'TimeoutError' })
})
