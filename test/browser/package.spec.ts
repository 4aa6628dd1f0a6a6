import { readdir, readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { manifest, inProject } from '../../scripts/lib/project.mjs'
import { run } from '../../scripts/lib/run.mjs'
import { serveSite } from './support/site.ts'
import { expect, test } from './support/test.ts'
import { MORE } from './support/more.ts'

/** Everything but the file that starts itself as a worker, and what is no module. */
const entries = Object.keys(manifest().exports as object)
  .filter((entry) => !/^\.\/(worker|offstage\.global)\.js$|\.(json|css)$/.test(entry))
  .map((entry) => entry.replace('.', 'offstage'))

/** Their own globals are theirs: they are imported before anything is counted. */
const FRAMEWORKS = ['react', 'vue', 'svelte']

test('every entry can be imported in Node, without globals or open handles', async () => {
  const code = `
    for (const name of ${JSON.stringify(FRAMEWORKS)}) await import(name)
    for (const entry of ${JSON.stringify(entries)}) {
      const before = Object.keys(globalThis).length
      await import(entry).catch((error) => console.log(entry, error))
      if (Object.keys(globalThis).length !== before) console.log(entry, 'made a global')
    }`
  const options = { quiet: true, timeout: 100_000, cwd: inProject() }
  const result = await run(process.execPath, ['--input-type=module', '-e', code], options)
  expect(result).toMatchObject({ code: 0, output: '' })
})

test('the package holds the packed worker once', async () => {
  const files = (await readdir(inProject('dist'))).filter((file) => file.endsWith('.js'))
  const texts = await Promise.all(files.map((file) => readFile(inProject('dist', file), 'utf8')))
  // Base64 that begins as gzip does.
  const holders = files.filter((_, at) => /H4sI[\w+/]{9000}/.test(texts[at] ?? ''))
  expect(holders).toEqual(['inline-worker.js'])
})

const RUN_AGENT = `
  const agent = Offstage.createAgent({
    model: { provider: 'scripted', model: 'script', script: { steps: [{ text: 'Hello' }] } },
  })
  agent.run('Hi').result.then(({ outcome, text, error }) => {
    document.body.dataset.result = JSON.stringify({ outcome, text, error })
  })`

test('the script for a <script> element finds the worker next to itself', async ({
  page,
  site,
}) => {
  site.add('/global.html', { body: pageWith('/dist/offstage.global.js') })
  const workers: string[] = []
  page.on('worker', (worker) => workers.push(worker.url()))
  await page.goto(`${site.url}/global.html`)
  await expectHello(page)
  expect(workers).toEqual([`${site.url}/dist/worker.js`])
})

test(
  'the script for a <script> element works from another origin',
  MORE,
  async ({ page, site }) => {
    const cdn = await serveSite({ folders: { '/': inProject('dist') } })
    site.add('/cdn.html', { body: pageWith(`${cdn.url}/offstage.global.js`) })
    await page.goto(`${site.url}/cdn.html`)
    await expectHello(page)
    await cdn.close()
  },
)

function pageWith(src: string): string {
  return `<!doctype html><title>Script</title><body><script src="${src}"></script><script>${RUN_AGENT}</script>`
}

async function expectHello(page: Page): Promise<void> {
  await expect(page.locator('body')).toHaveAttribute('data-result', /.+/, { timeout: 90_000 })
  const result = JSON.parse(
    (await page.locator('body').getAttribute('data-result')) ?? '',
  ) as object
  expect(result).toEqual({ outcome: 'completed', text: 'Hello' })
}
