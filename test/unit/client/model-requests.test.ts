import { expect, test, vi } from 'vitest'
import { ModelRequests } from '../../../src/client/page-life/page-api.ts'

vi.mock('../../../src/client/page-life/page-fetches.ts', () => {
  throw new Error('gone')
})

test('a request that could not load its code fails with a temporary reason', async () => {
  const { port1: bytes } = new MessageChannel()
  const request = {
    url: 'http://127.0.0.1:9/',
    headers: [],
    body: '{}',
    credentials: 'omit',
    bytes,
  } as const
  await expect(new ModelRequests().fetchModel(request)).rejects.toMatchObject({
    code: 'network',
    retryable: true,
    message: expect.stringContaining('could not be loaded'),
  })
  bytes.close()
})
