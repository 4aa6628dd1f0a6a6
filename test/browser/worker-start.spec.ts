import type { Page } from '@playwright/test'
import type * as inline from '../../src/client/inline/inline-worker.ts'
import type { AgentOptions, ErrorData } from '../../src/index.ts'
import { inProject } from '../../scripts/lib/project.mjs'
import { serveSite } from './support/site.ts'
import { expect, test } from './support/test.ts'
import { MORE, inSlice } from './support/more.ts'

// Why a worker did not start, as the error says it: in a real browser, which says little itself.

type Way = 'url' | 'function' | 'default'

interface ErrorLike {
  readonly code: string
  readonly details?: { readonly reason: string }
}

interface Started {
  readonly outcome: string
  readonly error?: ErrorData
  readonly warnings: readonly string[]
}

/** Runs a scripted agent whose worker comes from this address, given in this way. */
async function start(page: Page, way: Way, url = ''): Promise<Started> {
  return page.evaluate(
    async ({ way, url }) => {
      const options: Pick<AgentOptions, 'worker' | 'workerUrl'> =
        way === 'url'
          ? { workerUrl: url }
          : way === 'function'
            ? { worker: () => new Worker(url, { type: 'module' }) }
            : {}
      const agent = window.offstage.createAgent({
        model: { provider: 'scripted', model: 'script', script: { steps: [{ text: 'Hi.' }] } },
        ...options,
      })
      const warnings: string[] = []
      let warned = (): void => undefined
      const warning = new Promise<void>((resolve) => (warned = resolve))
      agent.on('warning', ({ code, message }) => {
        warnings.push(`${code}: ${message}`)
        warned()
      })
      const result = await agent.run('hi').result
      // The default worker's cause is announced, and may be found after the inline one has started.
      if (url === 'warned') await warning
      await agent.dispose()
      return {
        outcome: result.outcome,
        warnings,
        ...(result.outcome === 'failed' && { error: result.error }),
      }
    },
    { way, url },
  )
}

interface Row {
  readonly title: string
  readonly reason: string
  /** The server's response at `/w/<file>`. */
  readonly file?: { readonly body?: string; readonly type?: string; readonly status?: number }
  readonly address?: string
  readonly page?: Readonly<Record<string, string>>
  readonly says: readonly (string | RegExp)[]
  readonly details?: object
}

const rows: readonly Row[] = [
  {
    title: 'an error status',
    reason: 'not-found',
    address: '/w/missing.js',
    says: ['/w/missing.js', '404'],
    details: { status: 404 },
  },
  {
    title: 'an HTML page instead of the file',
    reason: 'wrong-type',
    file: { body: '<!doctype html>', type: 'text/html' },
    says: ['text/html', 'missing file'],
    details: { contentType: 'text/html' },
  },
  {
    title: 'a type other than JavaScript',
    reason: 'wrong-type',
    file: { body: 'postMessage(1)', type: 'application/octet-stream' },
    says: ['application/octet-stream', 'Content-Type: text/javascript'],
  },
  {
    title: "the page's CSP",
    reason: 'csp',
    file: { body: '' },
    page: { 'content-security-policy': "default-src 'self'; worker-src 'none'" },
    says: ["worker-src 'none'", "worker-src 'self'"],
    details: { directive: 'worker-src', source: "'self'" },
  },
  {
    title: 'another origin',
    reason: 'cross-origin',
    address: 'http://localhost:9/worker.js',
    says: ['http://localhost:9/worker.js', 'another origin'],
  },
  {
    title: "a file without the page's Cross-Origin-Embedder-Policy",
    reason: 'coep',
    file: { body: 'postMessage(1)' },
    page: { 'cross-origin-embedder-policy': 'require-corp' },
    says: ['Cross-Origin-Embedder-Policy', 'require-corp'],
  },
  {
    title: 'a file without that policy on an isolated page',
    reason: 'coep',
    file: { body: 'postMessage(1)' },
    page: {
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-opener-policy': 'same-origin',
    },
    says: ['Cross-Origin-Embedder-Policy'],
  },
  {
    title: 'a file that cannot be parsed',
    reason: 'syntax',
    file: { body: 'const a = 1\nconst b = ;\n' },
    says: [/line 2/, /Unexpected token/],
    details: { line: 2 },
  },
  {
    title: 'a file that throws',
    reason: 'syntax',
    file: { body: '\n\nthrow new Error("out of order")' },
    says: [/line 3/, /out of order/],
    details: { line: 3 },
  },
  {
    title: 'a missing import',
    reason: 'import',
    file: { body: 'import "./missing-part.js"' },
    says: ['missing-part.js', '404'],
  },
  {
    title: 'an import that cannot be parsed',
    reason: 'import',
    file: { body: 'import "/w/broken-part.js"' },
    says: ['imports', 'console'],
  },
  {
    title: 'a file that is not an Offstage worker',
    reason: 'no-answer',
    file: { body: 'self.onmessage = () => {}' },
    says: ['no worker of Offstage', 'startWorker()'],
  },
]

for (const way of ['url', 'function'] as const) {
  test.describe(`a worker that fails to start, from ${way === 'url' ? 'workerUrl' : 'a worker function'}`, () => {
    for (const [n, row] of rows.entries()) {
      test(
        `F14 ${row.title}: ${row.reason}`,
        inSlice(n % 8 === 4 && way === 'function'),
        async ({ openPage, site }) => {
          site.add('/w/broken-part.js', { body: 'const a = ;' })
          const address = row.address ?? `/w/${way}-${n}.js`
          if (row.file) site.add(address, { body: '', ...row.file })
          const page = await openPage({
            errorsAllowed: true,
            ...(row.page && { headers: row.page }),
          })
          const { error } = await start(page, way, address)
          expect(error).toMatchObject({
            code: 'worker-load-failed',
            details: { reason: row.reason, ...row.details },
          })
          for (const words of row.says) expect(error?.message).toMatch(words)
        },
      )
    }
  })
}

test(
  'a redirect to another origin gives cross-origin, and nothing is sent there',
  MORE,
  async ({ openPage, site }) => {
    const other = await serveSite({ folders: {} })
    const asked: string[] = []
    const page = await openPage({ errorsAllowed: true })
    page.on('request', (request) => asked.push(request.url()))
    await page.route('**/w/moved.js', (route) =>
      route.fulfill({ status: 302, headers: { location: `${other.url}/worker.js` } }),
    )
    const { error } = await start(page, 'url', '/w/moved.js')
    expect(error).toMatchObject({
      details: { reason: 'cross-origin', url: `${site.url}/w/moved.js` },
    })
    expect(error?.message).toMatch(/redirects/)
    await other.close()
  },
)

test('an aborted server response gives network, and can be retried', MORE, async ({ openPage }) => {
  const page = await openPage({ errorsAllowed: true })
  await page.route('**/w/broken.js', (route) => route.abort('connectionreset'))
  const { error } = await start(page, 'url', '/w/broken.js')
  expect(error).toMatchObject({ retryable: true, details: { reason: 'network' } })
})

test('an offline browser gives offline', MORE, async ({ openPage, context }) => {
  const page = await openPage({ errorsAllowed: true })
  // An earlier run has loaded the default worker. The diagnosis of a failed start was never loaded.
  expect(await start(page, 'default')).toMatchObject({ outcome: 'completed' })
  await context.setOffline(true)
  const { error } = await start(page, 'url', '/w/never-loaded.js')
  expect(error).toMatchObject({ retryable: true, details: { reason: 'offline' } })
})

test(
  'a page that may not read the file gives unknown, with the known details',
  MORE,
  async ({ openPage }) => {
    const headers = { 'content-security-policy': "default-src 'self'; connect-src 'none'" }
    const page = await openPage({ errorsAllowed: true, headers })
    const { error } = await start(page, 'url', '/w/missing.js')
    expect(error).toMatchObject({ code: 'worker-load-failed', details: { reason: 'unknown' } })
    expect(error?.message).toMatch(/missing.js.*console/)
  },
)

test('an invalid address gives no-address', MORE, async ({ openPage }) => {
  const page = await openPage()
  const { error } = await start(page, 'url', 'http://[')
  expect(error).toMatchObject({ details: { reason: 'no-address' } })
})

test('a worker function that throws or returns something else gives worker-option', async ({
  openPage,
}) => {
  const page = await openPage()
  const errors = await page.evaluate(async () => {
    const model = { provider: 'scripted', model: 'x', script: { steps: [] } } as const
    const functions: (() => Worker | Promise<Worker>)[] = [
      () => {
        throw new Error('no luck today')
      },
      () => undefined as unknown as Worker,
      () => Promise.reject(new Error('too late')),
      () => ({}) as Worker,
    ]
    const results = functions.map(
      (worker) => window.offstage.createAgent({ model, worker }).run('hi').result,
    )
    return (await Promise.all(results)).map((result) =>
      result.outcome === 'failed' ? result.error : null,
    )
  })
  for (const error of errors) expect(error).toMatchObject({ details: { reason: 'worker-option' } })
  expect(errors.map((error) => error?.message)).toEqual([
    expect.stringContaining('no luck today'),
    expect.stringContaining('nothing'),
    expect.stringContaining('too late'),
    expect.stringContaining('no Worker'),
  ])
})

test('a worker function may return its result later', MORE, async ({ openPage }) => {
  const page = await openPage()
  const result = await page.evaluate(
    () =>
      window.offstage
        .createAgent({
          model: { provider: 'scripted', model: 'x', script: { steps: [{ text: 'Hi.' }] } },
          worker: async () => {
            await new Promise((resolve) => setTimeout(resolve, 20))
            return new Worker('/dist/worker.js', { type: 'module' })
          },
        })
        .run('hi').result,
  )
  expect(result).toMatchObject({ outcome: 'completed', text: 'Hi.' })
})

test.describe('the default worker', () => {
  const missing = (page: Page): Promise<unknown> =>
    page.route('**/dist/worker.js', (route) => route.fulfill({ status: 404, body: 'gone' }))

  test('when missing, the inline worker starts, and the warning says why', async ({ openPage }) => {
    const page = await openPage({ errorsAllowed: true })
    await missing(page)
    const { outcome, warnings } = await start(page, 'default', 'warned')
    expect(outcome).toBe('completed')
    expect(warnings).toEqual([expect.stringMatching(/^worker-inlined: .*dist\/worker\.js.*404/)])
  })

  test('when missing with the inline worker refused, both causes are reported, the file first', async ({
    openPage,
  }) => {
    const headers = { 'content-security-policy': "default-src 'self'; worker-src 'self'" }
    const page = await openPage({ errorsAllowed: true, headers })
    await missing(page)
    const { error } = await start(page, 'default')
    expect(error).toMatchObject({
      code: 'worker-load-failed',
      details: { reason: 'not-found', status: 404, inline: { reason: 'csp', source: 'blob:' } },
    })
    expect(error?.message).toMatch(/worker\.js.*404.*inline worker.*worker-src blob:/)
  })

  test('when missing in a browser without DecompressionStream, the inline worker gives unsupported', async ({
    openPage,
  }) => {
    const page = await openPage({ errorsAllowed: true })
    await page.evaluate(() => Reflect.deleteProperty(globalThis, 'DecompressionStream'))
    // The file needs no unpacking.
    expect(await start(page, 'default')).toMatchObject({ outcome: 'completed' })
    await missing(page)
    const { error } = await start(page, 'default')
    expect(error).toMatchObject({
      code: 'worker-load-failed',
      details: { reason: 'not-found', inline: { reason: 'unsupported' } },
    })
    expect(error?.message).toMatch(/worker\.js.*404.*DecompressionStream/)
  })

  test('replaced by the inline worker, fails as unsupported without DecompressionStream', async ({
    openPage,
  }) => {
    const outcomeOf = async (isSupported: boolean) => {
      const page = await openPage()
      return page.evaluate(async (isSupported) => {
        if (!isSupported) Reflect.deleteProperty(globalThis, 'DecompressionStream')
        const address = '/dist/inline.js'
        const { createInlineWorker } = (await import(address)) as typeof inline
        const model = { provider: 'scripted', model: 'x', script: { steps: [{ text: 'Hi.' }] } }
        return window.offstage.createAgent({ model, worker: createInlineWorker }).run('hi').result
      }, isSupported)
    }
    expect(await outcomeOf(true)).toMatchObject({ outcome: 'completed' })
    expect(await outcomeOf(false)).toMatchObject({
      outcome: 'failed',
      error: {
        code: 'worker-load-failed',
        message: expect.stringContaining('DecompressionStream'),
        details: { reason: 'unsupported' },
      },
    })
  })

  test(
    'from another origin with the inline worker refused, the fixable cause comes first',
    MORE,
    async ({ page, site }) => {
      const cdn = await serveSite({
        folders: { '/': inProject('dist') },
        headers: () => ({ 'access-control-allow-origin': '*' }),
      })
      site.add('/expose-cdn.js', {
        body: `import * as offstage from '${cdn.url}/index.js'
        window.offstage = offstage
        document.documentElement.dataset.ready = ''`,
      })
      site.add('/cdn-module.html', {
        body: '<!doctype html><title>CDN</title><script type="module" src="/expose-cdn.js"></script>',
        headers: { 'content-security-policy': `script-src 'self' ${cdn.url}; worker-src 'self'` },
      })
      await page.goto(`${site.url}/cdn-module.html`)
      await page.locator('html[data-ready]').waitFor({ state: 'attached' })
      const { error } = await start(page, 'default')
      expect(error).toMatchObject({
        details: { reason: 'csp', source: 'blob:', file: { reason: 'cross-origin' } },
      })
      expect(error?.message).toMatch(/worker-src blob:.*another origin/)
      await cdn.close()
    },
  )

  test(
    'when missing together with its inline worker, an error is reported',
    MORE,
    async ({ openPage }) => {
      const page = await openPage({ errorsAllowed: true })
      await missing(page)
      await page.route('**/dist/inline.js', (route) => route.fulfill({ status: 404 }))
      const { error } = await start(page, 'default')
      expect(error).toMatchObject({
        details: { reason: 'not-found', inline: { reason: 'import' } },
      })
      expect(error?.message).toMatch(/worker\.js.*inline\.js/)
    },
  )
})

test('without the diagnostic file, the plain error still arrives', MORE, async ({ openPage }) => {
  const page = await openPage({ errorsAllowed: true })
  await page.route('**/dist/start-diagnosis-*', (route) => route.fulfill({ status: 404 }))
  const { error } = await start(page, 'url', '/w/missing.js')
  expect(error).toMatchObject({
    code: 'worker-load-failed',
    retryable: true,
    details: { reason: 'import' },
  })
})

test('without the diagnostic file, the inline worker still starts', MORE, async ({ openPage }) => {
  const page = await openPage({ errorsAllowed: true })
  await page.route('**/dist/worker.js', (route) => route.fulfill({ status: 404 }))
  await page.route('**/dist/start-diagnosis-*', (route) => route.fulfill({ status: 404 }))
  expect(await start(page, 'default')).toMatchObject({ outcome: 'completed' })
})

test(
  'a server error gives bad-status, can be retried, and hides the query',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({ errorsAllowed: true })
    await page.route('**/w/busy.js*', (route) => route.fulfill({ status: 503 }))
    const { error } = await start(page, 'url', '/w/busy.js?key=secret')
    expect(error).toMatchObject({
      retryable: true,
      details: { reason: 'bad-status', status: 503 },
    })
    expect(JSON.stringify(error)).not.toContain('secret')
  },
)

test(
  'a missing script elsewhere is not taken for an import of a file with its name',
  MORE,
  async ({ openPage, site }) => {
    site.add('/w/named.js', { body: 'const b = ;\n// some js text' })
    const page = await openPage({ errorsAllowed: true })
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          const script = document.createElement('script')
          script.src = '/js'
          script.onerror = resolve
          document.body.append(script)
        }),
    )
    const { error } = await start(page, 'url', '/w/named.js')
    expect(error).toMatchObject({ details: { reason: 'syntax' } })
  },
)

test(
  'a bundle without an address gives no-address, whatever the policy for the inline worker',
  MORE,
  async ({ openPage }) => {
    const headers = { 'content-security-policy': "script-src 'self'; worker-src 'self'" }
    const page = await openPage({ errorsAllowed: true, headers })
    await page.route('**/no-meta/*', async (route) => {
      const url = route.request().url().replace('/no-meta/', '/dist/')
      const text = await (await route.fetch({ url })).text()
      const body = text.replace("'./worker.js',import.meta.url", "'./worker.js',({}).url")
      await route.fulfill({ body, contentType: 'text/javascript' })
    })
    const error = await page.evaluate(async (entry) => {
      const { createAgent } = (await import(entry)) as typeof window.offstage
      const model = { provider: 'scripted', model: 'x', script: { steps: [] } } as const
      const result = await createAgent({ model }).run('hi').result
      return result.outcome === 'failed' ? result.error : undefined
    }, '/no-meta/index.js')
    expect(error).toMatchObject({
      details: { reason: 'csp', source: 'blob:', file: { reason: 'no-address' } },
    })
  },
)

test(
  'a report-only policy does not hide an aborted server response',
  MORE,
  async ({ openPage }) => {
    const headers = { 'content-security-policy-report-only': "connect-src 'none'" }
    const page = await openPage({ errorsAllowed: true, headers })
    await page.route('**/w/broken.js', (route) => route.abort('connectionreset'))
    const { error } = await start(page, 'url', '/w/broken.js')
    expect(error).toMatchObject({ retryable: true, details: { reason: 'network' } })
  },
)

test(
  'an error thrown by a worker function is the cause, and globals it set stay',
  MORE,
  async ({ openPage }) => {
    const page = await openPage()
    const found = await page.evaluate(async () => {
      const model = { provider: 'scripted', model: 'x', script: { steps: [] } } as const
      const real = globalThis.Worker
      class Replaced extends real {}
      const error = await window.offstage
        .createAgent({
          model,
          worker() {
            globalThis.Worker = Replaced
            throw new Error('mine')
          },
        })
        .prepare()
        .catch((thrown: Error) => thrown)
      return [String((error as Error).cause), globalThis.Worker === Replaced]
    })
    expect(found).toEqual(['Error: mine', true])
  },
)

test(
  'dispose during diagnosis gives disposed, and the next agent starts',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({ errorsAllowed: true })
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    let looks = 0
    await page.route('**/w/held.js', async (route) => {
      looks += 1
      // The first request is the worker's own; what comes after it looks for the cause.
      if (looks > 1) await held
      await route.fulfill({ status: 404 }).catch(() => {})
    })
    await page.exposeFunction('isLookedFor', () => looks > 1)
    const code = page.evaluate(async () => {
      const { createAgent } = window.offstage
      const model = {
        provider: 'scripted',
        model: 'x',
        script: { steps: [{ text: 'Hi.' }] },
      } as const
      const agent = createAgent({ model, workerUrl: '/w/held.js' })
      const preparing = agent.prepare().catch((error: { code: string }) => error.code)
      const { isLookedFor } = window as unknown as { isLookedFor(): Promise<boolean> }
      while (!(await isLookedFor())) await new Promise((resolve) => setTimeout(resolve, 20))
      void agent.dispose()
      const next = createAgent({ model })
      const { outcome } = await next.run('hi').result
      return [await preparing, outcome]
    })
    expect(await code).toEqual(['disposed', 'completed'])
    release()
  },
)

test(
  'two agents and a remount during diagnosis each get their own result',
  MORE,
  async ({ openPage }) => {
    const page = await openPage({ errorsAllowed: true })
    const codes = await page.evaluate(async () => {
      const { createAgent } = window.offstage
      const model = { provider: 'scripted', model: 'x', script: { steps: [] } } as const
      const prepare = (workerUrl: string): { end: () => void; reason: Promise<unknown> } => {
        const agent = createAgent({ model, workerUrl })
        const reason = agent
          .prepare()
          .catch((error: ErrorLike) => error.details?.reason ?? error.code)
        return { end: () => void agent.dispose(), reason }
      }
      const first = prepare('/w/missing.js')
      const second = prepare('/w/missing.js')
      const elsewhere = prepare('http://localhost:9/worker.js')
      await new Promise((resolve) => setTimeout(resolve, 30))
      first.end()
      second.end()
      const remounted = prepare('/w/missing.js')
      return Promise.all([first, second, elsewhere, remounted].map(({ reason }) => reason))
    })
    expect(codes).toEqual(['disposed', 'disposed', 'cross-origin', 'not-found'])
  },
)

test('a slowly loading worker is awaited', MORE, async ({ openPage, site }) => {
  const page = await openPage()
  site.add('/w/slow.js', { body: `import '/dist/worker.js'`, afterMs: 12_000 })
  const { outcome } = await start(page, 'url', '/w/slow.js')
  expect(outcome).toBe('completed')
})
