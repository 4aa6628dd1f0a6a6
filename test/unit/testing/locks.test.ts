import { expect, onTestFinished, test, vi } from 'vitest'
import { createTestAgent } from '../../../src/testing/index.ts'

test('test agents take no process-wide locks, which newer versions of Node have', async () => {
  const request = vi.fn(() => new Promise(() => {}))
  vi.stubGlobal('navigator', { locks: { request } })
  onTestFinished(() => void vi.unstubAllGlobals())
  const script = { steps: [{ text: 'Hello' }] }
  const agent = createTestAgent({ model: { provider: 'scripted', model: 's', script } })
  onTestFinished(() => agent.dispose())
  expect(await agent.run('Hi').result).toMatchObject({ outcome: 'completed', text: 'Hello' })
  expect(request).not.toHaveBeenCalled()
})
