import type { Page } from '@playwright/test'
import type { ErrorData } from '../../src/index.ts'
import { inProject } from '../../scripts/lib/project.mjs'
import { serveSite } from './support/site.ts'
import { expect, test } from './support/test.ts'
import { MORE, inSlice } from './support/more.ts'

// Pages that require Trusted Types: nothing but the policy `offstage` may make a worker's address.

const csp = (policies: string, more = "script-src 'self'; worker-src 'self' blob:"): object => ({
  headers: {
    'content-security-policy': `require-trusted-types-for 'script'; trusted-types ${policies}; ${more}`,
  },
})

interface Outcome {
  readonly outcome: string
  readonly error?: ErrorData
  readonly violations: readonly string[]
}

type Source = 'default' | 'inline' | 'url' | 'trusted-url' | 'function'

/** Runs a tool call with a worker from there, and notes what the page's policy refused. */
async function run(page: Page, source: Source): Promise<Outcome> {
  return page.evaluate(async (source) => {
    const violations: string[] = []
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, sample }) =>
      violations.push(`${effectiveDirective} ${sample}`),
    )
    const { trustedTypes } = globalThis as unknown as {
      trustedTypes: {
        createPolicy(name: string, rules: object): { createScriptURL(url: string): URL }
      }
    }
    const trusted = (): URL =>
      trustedTypes
        .createPolicy('app', { createScriptURL: (url: string) => url })
        .createScriptURL('/dist/worker.js')
    const { createInlineWorker } = (await import('/dist/inline.js' as string)) as {
      createInlineWorker: () => Promise<Worker>
    }
    const agent = window.offstage.createAgent({
      model: {
        provider: 'scripted',
        model: 'script',
        script: {
          steps: [{ toolCalls: [{ toolName: 'add', input: { n: 1 } }] }, { text: 'Added.' }],
        },
      },
      tools: [
        window.offstage.defineTool({
          name: 'add',
          description: 'Adds.',
          inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
          execute: () => 'added',
        }),
      ],
      ...(source === 'inline' && { worker: createInlineWorker }),
      ...(source === 'function' && {
        worker: () => new Worker('/dist/worker.js', { type: 'module' }),
      }),
      ...(source === 'url' && { workerUrl: '/dist/worker.js' }),
      ...(source === 'trusted-url' && { workerUrl: trusted() }),
    })
    const result = await agent.run('one').result
    await new Promise((resolve) => setTimeout(resolve, 100))
    return {
      outcome: result.outcome,
      violations,
      ...(result.outcome === 'failed' && { error: result.error }),
    }
  }, source)
}

test.afterEach(({ site }) => site.setHeaders('/dist/worker.js', null))

for (const source of ['default', 'inline', 'url'] as const) {
  test(
    `with the policy allowed, the worker starts without violations: ${source}`,
    inSlice(source === 'default'),
    async ({ openPage }) => {
      const page = await openPage(csp('offstage'))
      expect(await run(page, source)).toEqual({ outcome: 'completed', violations: [] })
    },
  )
}

test(
  'the worker itself works under the same policy, from its file and inline',
  MORE,
  async ({ openPage, site }) => {
    site.setHeaders('/dist/worker.js', {
      'content-security-policy': "require-trusted-types-for 'script'; trusted-types 'none'",
    })
    const page = await openPage(csp('offstage'))
    expect(await run(page, 'default')).toEqual({ outcome: 'completed', violations: [] })
  },
)

test(
  'without the default worker, the inline worker starts at a trusted address',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({ ...csp('offstage'), errorsAllowed: true })
    await page.route('**/dist/worker.js', (route) => route.fulfill({ status: 404 }))
    expect(await run(page, 'default')).toEqual({ outcome: 'completed', violations: [] })
  },
)

test(
  "two copies of the package share the policy, and an older copy's registry",
  MORE,
  async ({ openPage, context }) => {
    const cdn = await serveSite({
      folders: { '/': inProject('dist') },
      headers: () => ({ 'access-control-allow-origin': '*' }),
    })
    await context.addInitScript(() => {
      const older = { pageId: 'older', executions: new Map(), refused: new Set() }
      const registry = { ...older, epochs: new Map(), touched: new Set() }
      Object.assign(globalThis, { [Symbol.for('offstage.page.1')]: registry })
    })
    const page = await openPage(
      csp('offstage', `script-src 'self' ${cdn.url}; worker-src 'self' blob:`),
    )
    const outcomes = await page.evaluate(async (url) => {
      const script = { steps: [{ text: 'Hi.' }] }
      const model = { provider: 'scripted', model: 'x', script } as const
      const copy = (await import(`${url}/index.js`)) as typeof window.offstage
      // The copy's own worker is on another origin, so it takes the inline one.
      const runs = [window.offstage, copy].map(
        (offstage) => offstage.createAgent({ model }).run('hi').result,
      )
      return (await Promise.all(runs)).map(({ outcome }) => outcome)
    }, cdn.url)
    expect(outcomes).toEqual(['completed', 'completed'])
    await cdn.close()
  },
)

for (const [policies, says] of [
  ["'none'", /trusted-types 'none' doesn't allow.*trusted-types offstage/],
  ['app other', /trusted-types app other doesn't allow.*trusted-types app other offstage/],
] as const) {
  for (const source of ['default', 'url'] as const) {
    const slice = inSlice(policies !== "'none'" && source === 'url')
    test(
      `trusted-types ${policies}: no worker starts, and the error says what to allow (${source})`,
      slice,
      async ({ openPage }) => {
        const page = await openPage(csp(policies))
        const { outcome, error } = await run(page, source)
        expect(outcome).toBe('failed')
        expect(error).toMatchObject({
          code: 'worker-load-failed',
          details: { reason: 'trusted-types' },
          message: expect.stringMatching(says),
        })
        expect(error?.message.match(/doesn't allow/g)).toHaveLength(1)
      },
    )
  }
}

test(
  "an address trusted by the app's own policy needs no other policy",
  MORE,
  async ({ openPage }) => {
    const page = await openPage(csp('app'))
    expect(await run(page, 'trusted-url')).toEqual({ outcome: 'completed', violations: [] })
  },
)

test('a list in a second policy is named as the one to change', MORE, async ({ openPage }) => {
  const policies = "require-trusted-types-for 'script', trusted-types app; script-src 'self'"
  const page = await openPage({ headers: { 'content-security-policy': policies } })
  const { error } = await run(page, 'default')
  expect(error?.message).toMatch(/trusted-types app doesn't allow.*trusted-types app offstage/)
})

test(
  'a list without the policy reports one refusal when nothing requires trusted types',
  MORE,
  async ({ openPage }) => {
    const policies = "trusted-types app; script-src 'self'; worker-src 'self' blob:"
    const page = await openPage({ headers: { 'content-security-policy': policies } })
    const refused = ['trusted-types offstage']
    expect(await run(page, 'default')).toEqual({ outcome: 'completed', violations: refused })
    expect(await run(page, 'url')).toEqual({ outcome: 'completed', violations: [] })
  },
)

test(
  'a worker function must make its own address trusted, or the error says so',
  MORE,
  async ({ openPage }) => {
    const page = await openPage(csp('offstage'))
    const { error } = await run(page, 'function')
    expect(error).toMatchObject({
      details: { reason: 'trusted-types' },
      message: expect.stringMatching(/policy of your own.*workerUrl/),
    })
  },
)

test(
  'a policy of the same name by other code is reported as the conflict',
  MORE,
  async ({ openPage }) => {
    const page = await openPage(csp('offstage'))
    await page.evaluate(() => {
      const { trustedTypes } = globalThis as unknown as {
        trustedTypes: { createPolicy(name: string, rules: object): object }
      }
      trustedTypes.createPolicy('offstage', {})
    })
    const { error } = await run(page, 'default')
    expect(error?.message).toMatch(/other code has made one of this name.*'allow-duplicates'/)
  },
)

test('the shared registry gives no trusted address to scripts', MORE, async ({ openPage }) => {
  const page = await openPage(csp('offstage'))
  expect(await run(page, 'default')).toMatchObject({ outcome: 'completed' })
  const taken = await page.evaluate(() => {
    const registry = (globalThis as unknown as Record<symbol, object>)[
      Symbol.for('offstage.page.1')
    ] as { startWorker(make: () => unknown): unknown }
    const seen: unknown[] = []
    const note = (value: unknown): void => void seen.push(value)
    const real = globalThis.Worker
    // Whoever replaces what is used on the way gets plain text, or an address that is a worker's already.
    Reflect.set(
      globalThis,
      'Worker',
      class {
        constructor(url: unknown) {
          note(url)
        }
      },
    )
    registry.startWorker(() => new Worker('/evil.js'))
    Reflect.set(globalThis, 'Worker', real)
    const { prototype } = (globalThis as unknown as { TrustedTypePolicy: { prototype: object } })
      .TrustedTypePolicy
    Reflect.set(prototype, 'createScriptURL', function (this: unknown) {
      note(this)
    })
    Reflect.set(Reflect, 'construct', (_: unknown, [url]: unknown[]) => note(url))
    const worker = registry.startWorker(() => new Worker('/evil.js')) as Worker
    worker.terminate()
    return seen.map((value) => typeof value)
  })
  expect(taken).toEqual(['string'])
})
