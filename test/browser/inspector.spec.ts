import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import type * as conversation from '../../src/conversation/index.ts'
import type { Agent } from '../../src/index.ts'
import type { OffstageInspector } from '../../src/ui/inspector/index.ts'
import { findings } from './support/axe.ts'
import { callTools, say } from './support/mock-answers.ts'
import type { MockOpenAI } from './support/mock-openai.ts'
import { MORE } from './support/more.ts'
import { expect, test } from './support/test.ts'

// The inspector as a developer has it: the built entry, a real worker, and a server that speaks as models do.

const KEY = 'sk-dummy-key-that-is-in-no-file'
const BODY = '<offstage-inspector style="height: 90vh"></offstage-inspector>'
const POLICY = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src *; require-trusted-types-for 'script'; trusted-types offstage lit-html",
}

async function inspect(page: Page, { baseURL }: MockOpenAI): Promise<void> {
  await page.evaluate(
    async ({ baseURL, apiKey }) => {
      await import('/dist/inspector.js' as string)
      const { createAgent, defineTool } = window.offstage
      const agent = createAgent({
        model: { provider: 'openai-compatible', model: 'mock', baseURL, apiKey },
        requests: true,
        raw: true,
        tools: [
          defineTool({
            name: 'order',
            title: 'Place the order',
            description: 'Orders.',
            inputSchema: { type: 'object', properties: { sku: { type: 'string' } } },
            execute: () => 'Ordered.',
          }),
        ],
      })
      const inspector = document.querySelector<OffstageInspector>('offstage-inspector')!
      inspector.agent = agent
      Object.assign(window, { agent })
    },
    { baseURL, apiKey: KEY },
  )
}

/** Has a run in which a tool is called. */
async function runOnce(page: Page, model: MockOpenAI): Promise<void> {
  model.enqueue(callTools([{ name: 'order', input: { sku: 'mug' } }]), say('It is ordered.'))
  const outcome = await page.evaluate(async () => {
    const { agent } = window as unknown as { agent: Agent }
    return (await agent.run('A mug, please', { conversationId: 'talk' }).result).outcome
  })
  expect(outcome).toBe('completed')
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name })
const rowsOf = (page: Page, table: string) =>
  page.getByRole('grid', { name: table }).locator('.space').getByRole('row')
const cellsOf = (page: Page, table: string) => rowsOf(page, table).allInnerTexts()

/** The end of the run is there, so that nothing more comes. */
async function settled(page: Page): Promise<void> {
  await tab(page, 'Timeline').click()
  await expect(rowsOf(page, 'Timeline').first()).toContainText('completed')
}

test('a run is shown live under a strict policy: times, events, rows, requests', async ({
  openPage,
  model,
}) => {
  const page = await openPage({ body: BODY, headers: POLICY })
  await page.setViewportSize({ width: 1100, height: 700 })
  await page.evaluate(() => {
    Object.assign(window, { refused: [] })
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, sourceFile }) => {
      // The element is given its height by the page.
      if (sourceFile?.includes('/dist/'))
        (window as unknown as { refused: string[] }).refused.push(effectiveDirective)
    })
    document.querySelector<HTMLElement>('offstage-inspector')!.style.height = '600px'
  })
  await inspect(page, model)
  await runOnce(page, model)
  await settled(page)
  const lines = await cellsOf(page, 'Timeline')
  expect(lines).toHaveLength(4)
  expect(lines[0]).toContain('A mug, please')
  expect(lines[2]).toMatch(/Place the order\s+succeeded/)
  // A call's line leads to its last row.
  await rowsOf(page, 'Timeline').nth(2).click()
  await expect(page.getByRole('region', { name: /^Row, row/ })).toContainText('call-settled')

  await tab(page, 'Events').click()
  await page.getByRole('searchbox').fill('It is ordered')
  await expect(rowsOf(page, 'Events').filter({ hasText: 'text-delta' }).first()).toContainText(
    'It is ordered.',
  )
  await tab(page, 'Requests').click()
  await expect(rowsOf(page, 'Requests')).toHaveCount(2)
  await page.getByRole('grid', { name: 'Requests' }).press('End')
  const request = page.getByRole('region', { name: 'Request of step 2' })
  await expect(request).toContainText('snapshots')
  await expect(request.getByText('Came back')).toBeVisible()
  expect(await page.evaluate(() => (window as unknown as { refused: string[] }).refused)).toEqual(
    [],
  )
})

test('the newest conversation is shown, unless conversationId or its attribute chooses another', async ({
  openPage,
  model,
}) => {
  const page = await openPage({ body: BODY })
  await inspect(page, model)
  const talk = async (conversationId: string, question: string): Promise<void> => {
    model.enqueue(say('Yes.'))
    await page.evaluate(
      ([conversationId, question]) =>
        (window as unknown as { agent: Agent }).agent.run(question ?? '', {
          ...(conversationId && { conversationId }),
        }).result,
      [conversationId, question] as const,
    )
  }
  const choose = (conversationId: string | null): Promise<void> =>
    page.evaluate((id) => {
      document.querySelector<OffstageInspector>('offstage-inspector')!.conversationId = id
    }, conversationId)
  const shows = async (question: string): Promise<void> => {
    await expect(rowsOf(page, 'Timeline')).toHaveCount(2)
    await expect(rowsOf(page, 'Timeline').first()).toContainText(question)
    await expect(rowsOf(page, 'Timeline').first()).toContainText('completed')
  }
  await tab(page, 'Timeline').click()
  await talk('first', 'A mug?')
  await shows('A mug?')
  await talk('second', 'A bowl?')
  await shows('A bowl?')

  await choose('first')
  await shows('A mug?')
  // A newer one changes nothing about the choice.
  await talk('third', 'A vase?')
  await shows('A mug?')
  await choose(null)
  await shows('A vase?')

  const attribute = (id: string) =>
    page.locator('offstage-inspector').evaluate((element, id) => {
      element.setAttribute('conversation-id', id)
    }, id)
  await attribute('second')
  await shows('A bowl?')
  await attribute('first')
  await shows('A mug?')
})

test("before a run, the agent's registered tools are shown, and why one is disabled", async ({
  openPage,
  model,
}) => {
  const page = await openPage({ body: BODY })
  await inspect(page, model)
  await tab(page, 'Tools').click()
  await expect(rowsOf(page, 'Tools')).toHaveText([/order\s*Place the order\s*enabled/])
  await page.evaluate(() => {
    const { agent } = window as unknown as { agent: Agent }
    agent.registerTool({
      name: 'Send Mail',
      description: 'Sends a mail.',
      inputSchema: { type: 'object', properties: { to: { type: 'string' } } },
      execute: () => 'Sent.',
    })
    agent.setEnabledTools(['order'])
  })
  await expect(rowsOf(page, 'Tools').nth(1)).toHaveText(/Send Mail\s*not-enabled/)
  await rowsOf(page, 'Tools').nth(1).click()
  const detail = page.getByRole('region', { name: 'Send Mail' })
  await expect(detail).toContainText('modelName Send_Mail')
  await expect(detail).toContainText('Sends a mail.')
})

test('the prompt and the ACTION text are shown exactly as sent', async ({ openPage, model }) => {
  const page = await openPage({ body: BODY })
  await inspect(page, model)
  model.enqueue(say('Hello.'))
  await page.evaluate(async (baseURL) => {
    const { agent } = window as unknown as { agent: Agent }
    agent.configure({
      model: { provider: 'openai-compatible', model: 'mock', baseURL, toolMode: 'action' },
      instructions: 'You help in a shop.',
    })
    await agent.run('Hello', { conversationId: 'talk' }).result
  }, model.baseURL)
  await tab(page, 'Requests').click()
  await rowsOf(page, 'Requests').first().click()
  const request = page.getByRole('region', { name: 'Request of step 1' })
  await expect(request).toContainText('toolMode action')
  const sent = model.requests.at(-1)?.body as { messages: { role: string; content: string }[] }
  const [prompt] = sent.messages
  expect(prompt?.content).toContain('<ACTION')
  // A text of more than 2000 characters opens by a press.
  if ((prompt?.content.length ?? 0) > 2000)
    await request
      .getByRole('button', { name: /^Show all/ })
      .first()
      .click()
  await expect(request.locator('.leaf').filter({ hasText: /^instructions/ })).toContainText(
    prompt?.content.trim() ?? '',
  )
})

test('an exported run shows the same elsewhere, at every row, without a key', async ({
  openPage,
  browser,
  model,
}) => {
  const page = await openPage({ body: BODY })
  await inspect(page, model)
  await runOnce(page, model)
  await settled(page)
  const timeline = await cellsOf(page, 'Timeline')
  await tab(page, 'Journal').click()
  const journal = await cellsOf(page, 'Journal')
  await page.getByRole('button', { name: 'Report a problem…' }).click()
  await expect(page.getByText('Whoever gets the file can read it.')).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save file' }).click()
  const file = await (await download).path()
  const bytes = await readFile(file)
  expect(bytes.includes('It is ordered.')).toBe(true)
  expect(bytes.includes(KEY)).toBe(false)
  // Requests used the key, so a leak into the file was possible.
  expect(JSON.stringify(model.requests.map(({ headers }) => headers))).toContain(KEY)

  const context = await browser.newContext()
  const other = await openPage({ body: BODY, context })
  await other.evaluate(() => import('/dist/inspector.js' as string))
  await other.locator('input[type=file]').setInputFiles(file)
  await settled(other)
  expect(await cellsOf(other, 'Timeline')).toEqual(timeline)
  await tab(other, 'Journal').click()
  expect(await cellsOf(other, 'Journal')).toEqual(journal)

  // Time travel, by keys: at every row, what is shown is what a fresh fold gives.
  const states = await page.evaluate(async () => {
    const { emptyState, fold } = (await import(
      '/dist/conversation.js' as string
    )) as typeof conversation
    const { agent } = window as unknown as { agent: Agent }
    const rows = (await agent.conversations.rows('talk'))?.rows ?? []
    return rows.map((_, at) => {
      const state = fold(emptyState('talk'), rows.slice(0, at + 1))
      return { seq: state.seq, path: state.path.length, run: state.run?.steps ?? null }
    })
  })
  await other.getByRole('button', { name: 'State' }).click()
  await other.getByRole('slider', { name: 'Row' }).press('Home')
  for (const { seq, path } of states) {
    await other.getByRole('button', { name: 'Row after' }).click()
    const tree = other.getByRole('region', { name: `State, row ${seq}` })
    await expect(tree.locator('.leaf').filter({ hasText: /^seq/ })).toHaveText(`seq ${seq}`)
    await expect(tree.getByRole('button', { name: /^path/ })).toContainText(`[${path}]`)
  }
  await other.getByRole('button', { name: 'Replay' }).click()
  await expect(other.getByRole('region', { name: /^What a page shows/ })).toContainText(
    'It is ordered.',
  )
  await expect(other.getByRole('button', { name: 'Replay' })).toBeVisible()
  await context.close()
})

test('a report leaves out chosen outputs, opens at the failed call, and becomes a test', async ({
  openPage,
  context,
  model,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await openPage({ body: BODY, context, headers: POLICY })
  await inspect(page, model)
  model.enqueue(
    callTools([
      { name: 'order', input: { sku: 'mug' } },
      { name: 'order', input: { sku: 2 } },
    ]),
    say('One of them.'),
  )
  await page.evaluate(async () => {
    const { agent } = window as unknown as { agent: Agent }
    await agent.run('Two mugs, please', { conversationId: 'talk' }).result
  })
  await settled(page)
  await page.getByRole('button', { name: 'Report a problem…' }).click()
  const sheet = page.getByRole('group', { name: 'Report', exact: true })
  await expect(sheet.getByRole('heading')).toHaveText('What will be shared')
  await sheet.getByRole('checkbox', { name: 'order' }).uncheck()
  await expect(sheet).toContainText('Answers of the model may still quote them.')
  const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
  await sheet.getByRole('button', { name: 'Copy as test' }).click()
  await expect.poll(copied).toContain("test('Two mugs, please', async")
  const download = page.waitForEvent('download')
  await sheet.getByRole('button', { name: 'Save file' }).click()
  const saved = await download
  const name = saved.suggestedFilename()
  expect(await copied()).toContain(`new URL('./${name}', import.meta.url)`)
  await expect(sheet).toHaveCount(0)
  const file = await saved.path()
  const text = await readFile(file, 'utf8')
  expect(text).not.toContain('Ordered.')
  expect(text).toContain('Left out of the report.')

  const other = await openPage({ body: BODY, context, headers: POLICY })
  await other.evaluate(() => import('/dist/inspector.js' as string))
  await other.locator('input[type=file]').setInputFiles({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.from(text),
  })
  const failed = rowsOf(other, 'Timeline').and(other.locator('[aria-selected=true]'))
  await expect(failed).toContainText(/Place the order\s*invalid/)
  await expect(
    other.getByRole('region', { name: /^Row, row/ }).locator('.call-line'),
  ).toContainText('Place the order invalid {"sku":2}')
  await tab(other, 'Requests').click()
  await expect(rowsOf(other, 'Requests')).toHaveText([/11\s*$/, /23\s*$/])
  await rowsOf(other, 'Requests').nth(1).click()
  const request = other.getByRole('region', { name: 'Request of step 2' })
  await expect(request).toContainText('without instructions, tools and live context')
  await request.getByRole('button', { name: /^0 / }).click()
  await request.getByRole('button', { name: /^parts/ }).click()
  await request.getByRole('button', { name: /^0 /u }).last().click()
  await expect(request).toContainText('Two mugs, please')
  await other.evaluate(() => navigator.clipboard.writeText(''))
  await other.getByRole('button', { name: 'Copy as test' }).click()
  await expect(other.getByText('Test copied.')).toBeVisible()
  expect(await other.evaluate(() => navigator.clipboard.readText())).toContain(`'./${name}'`)
})

test(
  'with thousands of events, few rows are in the document at any scroll position',
  MORE,
  async ({ openPage, model }) => {
    test.slow()
    const page = await openPage({ body: BODY })
    await inspect(page, model)
    const words = Array.from({ length: 5000 }, (_, at) => `w${String(at).padStart(4, '0')} `)
    model.enqueue(say(words.join(''), { pieceLength: 6 }))
    const types = await page.evaluate(async () => {
      const { agent } = window as unknown as { agent: Agent }
      const run = agent.run('Many words, please', { conversationId: 'many' })
      const found: string[] = []
      for await (const { type } of run) found.push(type)
      return found
    })
    expect(types.length).toBeGreaterThan(5000)
    await settled(page)
    await tab(page, 'Events').click()
    await page.getByRole('checkbox', { name: 'Merge pieces' }).uncheck()
    const grid = page.getByRole('grid', { name: 'Events' })
    await expect(grid).toHaveAttribute('aria-rowcount', String(types.length + 1))
    const rows = rowsOf(page, 'Events')
    // 90 % of the view's height, a row in 28 pixels, and some around them.
    const most = 60
    const shows = async (index: number): Promise<void> => {
      const row = grid.locator(`#row-${index}`)
      await expect(row).toBeInViewport({ ratio: 0.9 })
      await expect(row.getByRole('gridcell').nth(1)).toHaveText(types[index]!)
      expect(await rows.count()).toBeLessThan(most)
    }
    await grid.press('End')
    await expect(grid).toHaveAttribute('aria-activedescendant', `row-${types.length - 1}`)
    await shows(types.length - 1)
    await grid.press('Home')
    await shows(0)
    for (const part of [0.25, 0.5, 0.75]) {
      const index = Math.round(types.length * part)
      await grid.evaluate((list, top) => (list.scrollTop = top), index * 28)
      await shows(index + 2)
    }
    await page.getByRole('combobox', { name: 'Type of event' }).selectOption('raw')
    await page.getByRole('searchbox').fill('w123')
    await expect(grid).toHaveAttribute('aria-rowcount', '11')
    await expect(rows).toHaveCount(10)
  },
)

test(
  'a list follows new entries only at its end, and a selection stays in view',
  MORE,
  async ({ openPage, model }) => {
    const page = await openPage({ body: BODY })
    await page.setViewportSize({ width: 1100, height: 400 })
    await inspect(page, model)
    await runOnce(page, model)
    await settled(page)
    const calls = rowsOf(page, 'Timeline').filter({ hasText: 'Place the order' })
    await tab(page, 'Journal').click()
    const first = page.getByRole('grid', { name: 'Journal' }).locator('#row-0')
    const last = rowsOf(page, 'Journal').last()
    await expect(last).toBeInViewport({ ratio: 0.9 })
    for (const _ of [1, 2]) await runOnce(page, model)
    await expect(first).not.toBeInViewport()
    await expect(last).toContainText('run-ended')
    await expect(last).toBeInViewport({ ratio: 0.9 })
    await page.getByRole('grid', { name: 'Journal' }).press('Home')
    await expect(first).toBeInViewport({ ratio: 0.9 })
    await runOnce(page, model)
    await tab(page, 'Timeline').click()
    await expect(calls).toHaveCount(4)
    await tab(page, 'Journal').click()
    await expect(first).toBeInViewport({ ratio: 0.9 })
    await page.getByRole('button', { name: 'Newest' }).click()
    await expect(last).toBeInViewport({ ratio: 0.9 })
    // The row that a line of the timeline leads to is in view, too.
    await tab(page, 'Timeline').click()
    await page.getByRole('grid', { name: 'Timeline' }).press('Home')
    await calls.first().click()
    await tab(page, 'Journal').click()
    await expect(rowsOf(page, 'Journal').and(page.locator('[aria-selected=true]'))).toBeInViewport({
      ratio: 0.9,
    })
  },
)

test(
  'axe finds nothing in any view, light or dark, and nothing is cut off at 360 px',
  MORE,
  async ({ openPage, model }) => {
    const page = await openPage({ body: BODY })
    await inspect(page, model)
    await runOnce(page, model)
    await settled(page)
    for (const [theme, width] of [
      ['light', 1100],
      ['dark', 360],
    ] as const) {
      await page.setViewportSize({ width, height: 720 })
      await page
        .locator('offstage-inspector')
        .evaluate((element, value) => element.setAttribute('theme', value), theme)
      for (const name of ['Timeline', 'Events', 'Journal', 'Requests', 'Tools']) {
        await tab(page, name).click()
        await rowsOf(page, name).first().click()
        expect(await findings(page, 'offstage-inspector'), `${theme}, ${name}`).toEqual([])
      }
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(overflow).toBeLessThanOrEqual(0)
    }
    await page.getByRole('button', { name: 'Report a problem…' }).click()
    expect(await findings(page, 'offstage-inspector')).toEqual([])
  },
)
