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
    // The model's tokens are bytes, so this prompt is too long for it: llama.cpp itself says so.
    await expect(messages(page)).toContainText('exceeds the available context size (4096 tokens)', {
      timeout: 180_000,
    })
    await page.reload()
    await expect(page.locator('#model-problem')).toContainText('A reload forgets keys and files.')
  },
)

test(
  'engines of this browser are listed with their size, and nothing is loaded when one is chosen',
  MORE,
  async ({ openDemo, page }) => {
    await page.addInitScript(() => {
      const adapter = { features: new Set(['shader-f16']) }
      Object.defineProperty(navigator, 'gpu', { value: { requestAdapter: async () => adapter } })
      Object.defineProperty(window, 'LanguageModel', {
        value: Object.assign(function () {}, { availability: async () => 'available' }),
      })
    })
    await openDemo()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.getByRole('button', { name: 'Connect a model' }).click()
    const found = page.getByRole('region', { name: 'On this machine' })
    await expect(found).toContainText('This browser’s own model')
    await expect(found).toContainText('the model: about 1 GB, once.')
    await found.getByRole('button', { name: /^WebLLM/ }).click()
    await expect(page.getByLabel('Model', { exact: true })).toHaveValue('Qwen3-1.7B-q4f16_1-MLC')
    await connect(page)
    await expect(page.locator('#model-name')).toContainText('WebLLM')
    expect(asked.filter((url) => /cdn|wllama|webllm/.test(url))).toEqual([])
  },
)
