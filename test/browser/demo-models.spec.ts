import type { Page } from '@playwright/test'
import { ask, messages, test } from './support/demo-page.ts'
import { MORE } from './support/more.ts'
import { expect } from './support/test.ts'
import { tinyGguf } from './support/tiny-gguf.ts'

test.describe.configure({ mode: 'default' })

async function choose(page: Page, provider: string): Promise<void> {
  await page.getByRole('button', { name: /(Connect a|Change the) model/ }).click()
  await page.getByLabel('Provider').selectOption(provider)
}
const connect = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Connect', exact: true }).click()

test(
  'a GGUF file of the visitor is loaded by llama.cpp in the page, and asked for again after a reload',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await choose(page, 'wllama')
    await expect(page.getByLabel('Key')).toBeHidden()
    await page
      .getByLabel('GGUF file', { exact: true })
      .setInputFiles({ name: 'tiny.gguf', mimeType: '', buffer: tinyGguf() })
    await expect(page.getByLabel('Model', { exact: true })).toHaveValue('tiny.gguf')
    await connect(page)
    await expect(page.locator('#model-name')).toContainText('tiny.gguf')
    expect(asked.filter((url) => url.includes('wllama.wasm'))).toEqual([])
    await ask(page, 'Hello')
    // It has read a prompt that is longer than its context: its own tokenizer has counted it.
    await expect(page.locator('offstage-chat')).toContainText(/context|tokens/i)
    await page.reload()
    await expect(page.locator('#model-problem')).toContainText('A reload forgets keys and files.')
  },
)
