import { execFile } from 'node:child_process'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import { createServer } from 'vite'
import { inProject } from '../../scripts/lib/project.mjs'
import { findings } from './support/axe.ts'
import { ask, messages, test } from './support/demo-page.ts'
import { MORE } from './support/more.ts'
import { expect } from './support/test.ts'

test.describe.configure({ mode: 'default' })

/** Writes the files that the dialog shows into a folder where `offstage` is this package. */
async function takeProject(page: Page, folder: string): Promise<string[]> {
  await rm(folder, { recursive: true, force: true })
  await page.getByRole('button', { name: 'Copy as project' }).click()
  const list = page.getByRole('combobox', { name: 'File' })
  await expect(list).toBeVisible()
  const paths = await list.locator('option').allTextContents()
  for (const file of paths) {
    await list.selectOption(file)
    const target = path.join(folder, file)
    await mkdir(path.dirname(target), { recursive: true })
    await writeFile(target, await page.getByLabel('Text of the file').inputValue())
  }
  await mkdir(path.join(folder, 'node_modules'))
  await symlink(inProject('.'), path.join(folder, 'node_modules/offstage'), 'junction')
  return paths
}

for (const [app, tools, prompt, answer] of [
  ['shop', 'src/shop/shop-tools.ts', 'Use the coupon SUMMER99', 'the run went on'],
  [
    'ledger',
    'src/ledger/ledger-tools.ts',
    'Move INV-2037 to the 31st of September',
    'INV-2037 is dated 30 September.',
  ],
] as const)
  test(
    `the ${app} is copied as a project that type-checks and runs`,
    MORE,
    async ({ openDemo, page: copy, context }) => {
      const demo = await openDemo(`index.html?app=${app}`)
      const folder = inProject(`.cache/demo-project-${app}`)
      const paths = await takeProject(demo, folder)
      expect(paths).toContain(tools)
      expect(paths.slice(0, 3)).toEqual(['README.md', 'src/main.ts', 'index.html'])
      await promisify(execFile)(process.execPath, [inProject('node_modules/typescript/bin/tsc')], {
        cwd: folder,
      })
      const server = await createServer({
        root: folder,
        configFile: false,
        cacheDir: path.join(folder, '.vite'),
        logLevel: 'error',
        server: { port: 5850, hmr: false, watch: null, fs: { allow: [inProject('.')] } },
        optimizeDeps: { exclude: ['offstage'] },
      })
      await server.listen()
      const page = await context.newPage()
      await page.goto(server.resolvedUrls?.local[0] ?? '')
      await ask(page, prompt)
      await expect(messages(page)).toContainText(answer)
      await server.close()
      await copy.close()
    },
  )

test(
  'the project has the connected model without its key, and is downloaded as a ZIP archive',
  MORE,
  async ({ openDemo, model }) => {
    const page = await openDemo()
    await page.getByRole('button', { name: 'Connect a model' }).click()
    await page.getByLabel('Provider').selectOption('openai-compatible')
    await page.getByLabel('Address').fill(model.baseURL)
    await page.getByLabel('Model', { exact: true }).fill('mock')
    await page.getByLabel('Key').fill('secret-key')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('button', { name: 'Copy as project' }).click()
    const dialog = page.getByRole('dialog', { name: 'Copy as project' })
    await dialog.getByRole('combobox', { name: 'File' }).selectOption('src/main.ts')
    const text = dialog.getByLabel('Text of the file')
    await expect(text).toHaveValue(/"provider": "openai-compatible"/)
    await expect(text).toHaveValue(new RegExp(`"baseURL": "${model.baseURL}"`))
    await expect(text).toHaveValue(/Add `apiKey`/)
    expect(await text.inputValue()).not.toContain('secret-key')
    const started = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Download all (.zip)' }).click()
    const download = await started
    expect(download.suggestedFilename()).toBe('offstage-shop.zip')
    const list = await promisify(execFile)('python3', [
      '-m',
      'zipfile',
      '-t',
      await download.path(),
    ])
    expect(list.stdout).toContain('Done testing')
    expect(await findings(page, '#project-dialog')).toEqual([])
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  },
)

test('the main-thread panel measures both readers', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await page.getByRole('button', { name: 'Main thread' }).click()
  const panel = page.getByRole('region', { name: 'Main thread' })
  await expect(panel.locator('#meter-live')).toHaveText(/^\d+ ms$/)
  for (const reader of ['Offstage’s worker', 'A fetch loop here']) {
    await panel.getByLabel(reader).check()
    await panel.getByRole('button', { name: 'Read it' }).click()
    const row = panel.getByRole('row', { name: reader })
    await expect(row).toHaveText(/\d+ ms\s*\d+ ms$/)
    await expect(panel.locator('#meter-answer')).toContainText('draws what is new')
    await expect(panel.locator('#meter-problem')).toBeEmpty()
  }
  expect(await findings(page, '#meter')).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await findings(page, 'body')).toEqual([])
})
