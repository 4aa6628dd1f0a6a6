import { afterEach, describe, expect, test, vi } from 'vitest'
import { LazyFetches } from '../../../src/client/lazy-fetches.ts'

const request = {
  url: 'https://model.example/v1',
  headers: [],
  body: '{}',
  credentials: 'omit',
} as const

afterEach(() => void vi.unstubAllGlobals())

describe("the page's requests for its worker", () => {
  test('are made once what makes them is loaded', async () => {
    vi.stubGlobal('fetch', async () => new Response(null, { status: 204 }))
    const { port1 } = new MessageChannel()
    const answer = new LazyFetches().fetchModel({ ...request, bytes: port1 })
    expect(await answer).toMatchObject({ status: 204 })
    port1.close()
  })

  test('are never made when their worker is lost while that is loaded', async () => {
    const asked = vi.fn()
    vi.stubGlobal('fetch', asked)
    const { port1 } = new MessageChannel()
    const fetches = new LazyFetches()
    const answer = fetches.fetchModel({ ...request, bytes: port1 })
    fetches.abortAll()
    await expect(answer).rejects.toMatchObject({ code: 'worker-lost' })
    expect(asked).not.toHaveBeenCalled()
    port1.close()
  })
})
