import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import type { OffstageChat } from '../../src/ui/chat/index.ts'
import { checkChat } from './support/axe.ts'
import { expect, order, press, replies, test } from './support/chat-page.ts'
import { callTools, say } from './support/mock-answers.ts'

// Rows of calls, the room of lines and cards, and a report of a problem.

/** A tool that delivers mugs only. */
async function addCourier(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.querySelector<OffstageChat>('offstage-chat')?.agent?.registerTool(
      window.offstage.defineTool({
        name: 'courier',
        title: 'Ask the courier',
        description: 'Asks.',
        inputSchema: { type: 'object', properties: { sku: { type: 'string' } } },
        execute: ({ sku }) =>
          sku === 'mug' ? 'Here by six.' : { sent: false, reason: 'Only mugs are delivered.' },
      }),
    )
  })
}

test('rows of finished calls show what tells them apart and what their results say', async ({
  openChat,
  model,
}) => {
  const skus = ['mug', 'bowl', 'mug', 'mug']
  model.enqueue(callTools(skus.map((sku) => ({ name: 'courier', input: { sku } }))), say('Asked.'))
  const { page, send } = await openChat(model)
  await addCourier(page)
  await send('Ask')
  await expect(replies(page).last()).toContainText('Asked.')
  const mug = page.getByRole('group', { name: 'Ask the courier: mug' }).first()
  await expect(mug.locator('.call-value')).toHaveText('mug')
  await expect(mug.locator('.call-state')).toHaveText('Here by six.')
  // A call without effect is no success, and isn't folded away with the others.
  const bowl = page.getByRole('group', { name: 'Ask the courier: bowl' })
  await expect(bowl.locator('.call-state')).toHaveText('Not done')
  await expect(bowl).toContainText('Only mugs are delivered.')
  await expect(bowl).toHaveClass(/\bproblem\b/)
})

test('a waiting card has no value beside its title: a model could word it', async ({
  openChat,
  model,
}) => {
  model.enqueue(order('Approved already'))
  const { page, send } = await openChat(model)
  await send('Order')
  const card = page.getByRole('group', { name: 'Place the order', exact: true })
  await expect(card.getByRole('definition')).toHaveText('Approved already')
  await expect(card.locator('.call-value')).toHaveCount(0)
})

test('label and value of a card stand side by side, and below one another where there is no room', async ({
  openChat,
  model,
}) => {
  model.enqueue(order('mug'))
  const { page, send } = await openChat(model, { attributes: 'placement=panel' })
  await send('Order')
  const places = async () => ({
    label: await page.getByRole('term').boundingBox(),
    value: await page.getByRole('definition').boundingBox(),
  })
  await expect(page.getByRole('definition')).toBeVisible()
  const beside = await places()
  expect(beside.value?.x).toBeGreaterThan(beside.label?.x ?? Infinity)
  await page.setViewportSize({ width: 300, height: 700 })
  const below = await places()
  expect(below.value?.y).toBeGreaterThan(below.label?.y ?? Infinity)
  expect(below.value?.x).toBe(below.label?.x)
})

test('lines of a wide chat have at most 70 characters, and suggestions are as wide as their text', async ({
  openChat,
  model,
}) => {
  const words = 'The small blue mug is on the shelf beside the door. '
  model.enqueue(say(words.repeat(20)))
  const { page, send } = await openChat(model)
  await page.setViewportSize({ width: 1400, height: 800 })
  await page.evaluate(() => {
    const chat = document.querySelector<OffstageChat>('offstage-chat')
    if (chat) chat.suggestions = ['Mugs', 'Where is my order?']
  })
  const chips = page.locator('.suggestion')
  await expect(chips).toHaveCount(2)
  const [mugs, orders] = await chips.evaluateAll((all) =>
    all.map((each) => each.getBoundingClientRect()),
  )
  expect(mugs?.width).toBeLessThan(120)
  expect(mugs?.top).toBe(orders?.top)
  await send('Mugs?')
  await expect(page.getByRole('button', { name: 'Regenerate' })).toBeEnabled()
  const lines = await replies(page)
    .locator('.markdown p')
    .evaluate((text) => {
      const range = document.createRange()
      range.selectNodeContents(text)
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
    })
  expect((words.length * 20) / lines).toBeLessThan(72)
})

test.describe('with a finger', () => {
  test.use({ hasTouch: true })

  test('each button, field and summary is at least 44 px high, and fields don’t make phones zoom', async ({
    openChat,
    model,
    browserName,
  }) => {
    test.skip(browserName === 'firefox', 'Firefox’s driver has no coarse pointer.')
    model.enqueue(
      callTools([{ name: 'courier', input: { sku: 'mug' } }]),
      say('```js\nlet a\n```'),
      order('mug'),
    )
    const { page, send } = await openChat(model)
    await page.setViewportSize({ width: 390, height: 800 })
    await addCourier(page)
    /** Targets that are too small, and fields with small text. */
    const small = () =>
      page.evaluate(() => {
        const root = document.querySelector('offstage-chat')?.shadowRoot
        const targets = [...(root?.querySelectorAll('button, summary, textarea, input') ?? [])]
        return targets.flatMap((each) => {
          const { height } = each.getBoundingClientRect()
          const isField = each.matches('textarea, input')
          const isSmall =
            height < 44 || (isField && Number.parseFloat(getComputedStyle(each).fontSize) < 16)
          return height > 0 && isSmall && !each.matches('.unseen')
            ? [`${each.localName}.${each.className} ${height}`]
            : []
        })
      })
    expect(await page.evaluate(() => matchMedia('(pointer: coarse)').matches)).toBe(true)
    await send('Ask')
    await expect(page.getByRole('button', { name: 'Regenerate' })).toBeEnabled()
    await expect(page.getByRole('button', { name: 'Copy code' })).toBeVisible()
    expect(await small()).toEqual([])
    await send('Order')
    await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeEnabled()
    await press(page, 'Deny')
    await expect(page.getByRole('textbox', { name: 'Reason (optional)' })).toBeVisible()
    expect(await small()).toEqual([])
    await press(page, 'Conversations')
    await expect(page.getByRole('button', { name: 'Export' })).toBeVisible()
    expect(await small()).toEqual([])
  })
})

test.describe('a report of a problem', () => {
  test('is offered only if the page opts in, and holds what the person leaves checked', async ({
    openChat,
    model,
    browserName,
  }) => {
    model.enqueue(callTools([{ name: 'courier', input: { sku: 'mug' } }]), say('It comes.'))
    const { page, send } = await openChat(model)
    await addCourier(page)
    await send('Ask')
    await expect(replies(page).last()).toContainText('It comes.')
    const button = page.getByRole('button', { name: 'Report a problem…' })
    await expect(button).toHaveCount(0)
    await page.locator('offstage-chat').evaluate((chat) => chat.setAttribute('report', ''))
    await button.click()
    const sheet = page.getByRole('dialog', { name: 'What will be shared' })
    await expect(sheet).toContainText('Inputs of actions: 1')
    await checkChat(page)
    await sheet.getByRole('checkbox', { name: 'Ask the courier' }).uncheck()
    await expect(sheet).toContainText('Answers may still quote')
    // Firefox's driver tells of no downloads.
    if (browserName === 'firefox') return
    const saved = page.waitForEvent('download')
    await sheet.getByRole('button', { name: 'Save report' }).click()
    const text = await readFile(await (await saved).path(), 'utf8')
    expect(text).toContain('It comes.')
    expect(text).toContain('Left out of the report.')
    expect(text).not.toContain('Here by six.')
    await expect(sheet).toHaveCount(0)
    await expect(button).toBeFocused()
  })

  test('goes to the page instead of the disk if the page cancels its event', async ({
    openChat,
    model,
  }) => {
    model.enqueue(say('Mugs are in.'))
    const { page } = await openChat(model, { attributes: 'report lang=zh' })
    await page
      .locator('offstage-chat')
      .evaluate((chat) => (chat as unknown as OffstageChat).send('Mugs'))
    await expect(page.getByText('Mugs are in.').first()).toBeVisible()
    const sent = page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          document.addEventListener('offstage-report', (event) => {
            event.preventDefault()
            const { file } = (event as CustomEvent<{ readonly file: File }>).detail
            void file.text().then(resolve)
          })
        }),
    )
    let downloads = 0
    page.on('download', () => (downloads += 1))
    await page.getByRole('button', { name: '报告问题…' }).click()
    await page.getByRole('button', { name: '保存报告' }).click()
    expect(await sent).toContain('Mugs are in.')
    expect(downloads).toBe(0)
  })
})
