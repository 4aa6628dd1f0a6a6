import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { isCspViolation } from '../../../src/protocol/csp.ts'
import { collect, type CollectedTurn } from '../../../src/providers/collect.ts'
import { explainPolicy, type PolicyScope } from '../../../src/providers/core/policy-error.ts'
import { createProvider } from '../../../src/providers/create-provider.ts'
import { askWeather } from './support/replay.ts'

const address = 'http://127.0.0.1:11434/v1/chat/completions'

function violation(blockedURI: string, more: object = {}) {
  return {
    blockedURI,
    disposition: 'enforce' as const,
    effectiveDirective: 'connect-src',
    originalPolicy: "default-src 'none'; connect-src 'self'",
    ...more,
  }
}

describe('a violation event belongs to a request with', () => {
  test.each([
    ['its address', address, address],
    ['its origin, where browsers say no more', 'http://127.0.0.1:11434', address],
    ['with a query', `${address}?v=1`, `${address}?v=1`],
    ['a fragment is never sent', address, `${address}#here`],
  ])('matches: %s', (_, blocked, asked) => {
    expect(isCspViolation(violation(blocked), asked)).toBe(true)
  })

  test.each([
    ['another path', violation('http://127.0.0.1:11434/v1/models')],
    ['another port', violation('http://127.0.0.1:1234')],
    ['an origin that only begins alike', violation('http://127.0.0.1:114345')],
    ['another query', violation(`${address}?v=2`)],
    ['a policy that only reports', violation(address, { disposition: 'report' })],
    ['an image', violation(address, { effectiveDirective: 'img-src' })],
    ['no address at all', violation('inline')],
  ])('does not match: %s', (_, event) => {
    expect(isCspViolation(event, address)).toBe(false)
  })
})

describe('the suggested fix of a policy', () => {
  const explain = (policy: string, scope: PolicyScope = 'page') =>
    explainPolicy({ url: new URL(address), policy, scope })

  test.each([
    ["connect-src 'self'", "Change that to: connect-src 'self' http://127.0.0.1:11434"],
    ["img-src *; Connect-Src 'none'", 'Change that to: connect-src http://127.0.0.1:11434'],
    ['connect-src', 'Change that to: connect-src http://127.0.0.1:11434'],
    [
      "default-src 'self' https://cdn.example",
      "connect-src is missing; add: connect-src 'self' https://cdn.example http://127.0.0.1:11434",
    ],
    [
      "default-src 'self' 'unsafe-inline' data: 'nonce-abc'; img-src *",
      "add: connect-src 'self' data: http://127.0.0.1:11434",
    ],
    ["default-src 'none'", 'connect-src is missing; add: connect-src http://127.0.0.1:11434'],
  ])('for %s', (policy, fix) => {
    expect(explain(policy).fix).toContain(fix)
  })

  test('a nonce is not repeated in the message', () => {
    const { governing, message } = explain("default-src 'self' 'nonce-c2VjcmV0'")
    expect(governing + message).not.toContain('c2VjcmV0')
    expect(message).toContain("'nonce-…'")
  })

  test("the message names the policy's owner, and the fix offers the page transport", () => {
    const policy = "connect-src 'self'"
    expect(explain(policy, 'page').message).toContain('Content-Security-Policy of the page')
    expect(explain(policy, 'inline-worker').message).toMatch(/of the page, which .*inlined worker/)
    expect(explain(policy, 'worker').message).toContain("of the worker's file")
    expect(explain(policy, 'worker').fix).toContain("transport: 'page'")
    expect(explain(policy, 'page').fix).not.toContain('transport')
  })
})

describe('a request that fails', () => {
  const scope = new EventTarget()
  const listeners = { count: 0 }

  beforeEach(() => {
    vi.useFakeTimers()
    listeners.count = 0
    vi.stubGlobal('addEventListener', (type: string, listener: EventListener) => {
      listeners.count += 1
      scope.addEventListener(type, listener)
    })
    vi.stubGlobal('removeEventListener', (type: string, listener: EventListener) => {
      listeners.count -= 1
      scope.removeEventListener(type, listener)
    })
    vi.stubGlobal('location', new URL('https://app.example/worker.js'))
  })

  afterEach(() => {
    vi.unstubAllGlobals()
    vi.useRealTimers()
    expect(listeners.count).toBe(0)
  })

  const emit = (url: string, more?: object): boolean =>
    scope.dispatchEvent(Object.assign(new Event('securitypolicyviolation'), violation(url, more)))

  async function ask(
    fetch: typeof globalThis.fetch,
    {
      baseURL = 'http://127.0.0.1:11434/v1',
      signal,
    }: { baseURL?: string; signal?: AbortSignal } = {},
  ): Promise<CollectedTurn> {
    const provider = createProvider({ provider: 'openai-compatible', model: 'm', baseURL })
    const asked = collect(provider.stream(askWeather, { fetch, ...(signal && { signal }) }))
    await vi.advanceTimersByTimeAsync(1_000)
    return asked
  }

  const failed = (): Promise<never> => Promise.reject(new TypeError('Failed to fetch'))

  test.each(['before', 'after'])(
    'names the policy whose event comes %s the failure',
    async (when) => {
      const turn = await ask((url) => {
        if (when === 'before') emit(String(url))
        else setTimeout(() => emit(String(url)), 100)
        return failed()
      })
      expect(turn.error).toMatchObject({
        code: 'blocked-by-csp',
        retryable: false,
        details: {
          directive: 'connect-src',
          blockedURI: address,
          policy: "connect-src 'self'",
          scope: 'worker',
        },
      })
      expect(turn.error?.message).toContain("connect-src 'self' http://127.0.0.1:11434")
    },
  )

  test('two simultaneous failures each get their own cause', async () => {
    const [refused, offline] = await Promise.all([
      ask((url) => {
        setTimeout(() => emit(String(url)), 10)
        return failed()
      }),
      ask(failed, { baseURL: 'http://127.0.0.1:1234/v1' }),
    ])
    expect(refused.error?.code).toBe('blocked-by-csp')
    expect(offline.error).toMatchObject({ code: 'network', retryable: true })
  })

  test('a report-only policy is not a cause', async () => {
    const turn = await ask((url) => {
      emit(String(url), { disposition: 'report' })
      return failed()
    })
    expect(turn.error?.code).toBe('network')
  })

  test('an abort does not wait for a violation event', async () => {
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 1)
    const asked = ask(failed, { signal: stop.signal })
    expect((await asked).error?.code).toBe('aborted')
  })

  test('the query of an address, which may hold keys, is not in the error', async () => {
    const turn = await ask(
      (url) => {
        emit(String(url))
        return failed()
      },
      { baseURL: 'http://127.0.0.1:11434/v1?token=abc' },
    )
    expect(turn.error?.code).toBe('blocked-by-csp')
    expect(JSON.stringify(turn.error)).not.toContain('token')
  })
})
