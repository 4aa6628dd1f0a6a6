import { build } from 'vite'
import { inProject } from '../../scripts/lib/project.mjs'
import { MORE } from './support/more.ts'
import { expect, test } from './support/test.ts'

/** The page's script in one file. */
async function contractScript(): Promise<string> {
  const outputs = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2023',
      minify: false,
      rolldownOptions: {
        input: inProject('test/browser/support/contract-page.ts'),
        output: { codeSplitting: false, format: 'es' },
      },
    },
  })
  const chunks = [outputs].flat().flatMap((result) => ('output' in result ? result.output : []))
  const [chunk] = chunks.filter((each) => each.type === 'chunk')
  if (!chunk) throw new Error('Nothing was bundled.')
  return chunk.code
}

test(
  'the real IndexedDB fulfils the store contract, even with the quota used up',
  MORE,
  async ({ site, page }) => {
    test.setTimeout(300_000)
    site.add('/contract.js', { body: await contractScript() })
    site.add('/contract.html', {
      body: '<!doctype html><title>Contract</title><script type="module" src="/contract.js"></script>',
    })
    const session = await page.context().newCDPSession(page)
    const quotas: (number | null)[] = []
    await page.exposeFunction('setQuota', async (bytes: number | null) => {
      quotas.push(bytes)
      const quota = bytes === null ? {} : { quotaSize: bytes }
      await session.send('Storage.overrideQuotaForOrigin', { origin: site.url, ...quota })
    })
    await page.goto(`${site.url}/contract.html`)
    await page.waitForFunction(() => 'contract' in window)
    const { passed, failed } = await page.evaluate(() => window.contract)
    expect(failed).toEqual([])
    expect(passed).toBeGreaterThan(30)
    expect(quotas).toEqual([1000, null])
  },
)
