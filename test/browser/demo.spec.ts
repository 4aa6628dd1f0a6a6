import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { inProject } from '../../scripts/lib/project.mjs'
import { callTools, say } from './support/mock-answers.ts'
import { startMockOpenAI } from './support/mock-openai.ts'
import { MORE } from './support/more.ts'
import {
  ask,
  calls,
  messages,
  open,
  rows,
  stop,
  test,
  told,
  usualPorts,
} from './support/demo-page.ts'
import { expect } from './support/test.ts'
import { pressSettled } from './support/press-settled.ts'

// Tests run one after another: parallel workers would each start a server that transforms the whole demo.
test.describe.configure({ mode: 'default' })

const cart = (page: Page): Locator => page.getByRole('region', { name: 'Cart' })
const orders = (page: Page): Locator => page.getByRole('region', { name: 'Orders' })

const soon = { timeout: 5000 }

/**
 * Presses a button of a card that may have been scrolled into view for it by no wheel and no finger: the first press is
 * taken for one that was meant for something else, and a person presses again.
 */
async function pressUntil(button: Locator, seen: () => Promise<void>): Promise<void> {
  await expect(async () => {
    if (await button.isVisible()) await button.click()
    await seen()
  }).toPass()
}

/** The shop's own card of an order: it is in the page, and only shown by the chat. */
const slips = (page: Page): Locator => page.locator('offstage-chat .slip')
const pay = (page: Page): Locator => page.getByRole('button', { name: /^Pay €/ })

test(
  'the demo is served under a strict policy, with Trusted Types',
  MORE,
  async ({ request, demoUrl }) => {
    const { 'content-security-policy': policy } = (await request.get(demoUrl)).headers()
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types offstage")
    expect(policy).not.toMatch(/unsafe|wasm|\*/)
  },
)

test(
  'the start page explains the demo in a sentence, links documents and code, needs no model',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo()
    await expect(page.getByRole('banner')).toContainText('AI agents that live in your web page')
    const { repository } = JSON.parse(await readFile(inProject('package.json'), 'utf8')) as {
      repository: { url: string }
    }
    const address = repository.url.replace(/^git\+|\.git$/g, '')
    for (const [name, to] of [
      ['Docs', `${address}/blob/HEAD/docs/getting-started.md`],
      ['Code', address],
    ] as const)
      await expect(page.getByRole('link', { name })).toHaveAttribute('href', to)
    await expect(page.getByText('Demo mode (scripted)').first()).toBeInViewport()
    for (const name of ['Reload page', 'Kill worker', 'Go offline'])
      await expect(page.getByRole('button', { name })).toBeInViewport()
    // Nothing can be broken yet, and what to press first is said.
    await expect(page.getByRole('button', { name: 'Kill worker' })).toBeDisabled()
    await expect(told(page)).toHaveText('Start something first.')
    await expect(messages(page)).toContainText('Try to break me.')
  },
)

test('two tools: the agent searches, then fills the cart', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await ask(page, 'Two blue mugs, please')
  await expect(messages(page)).toContainText('€28.00 for the pair')
  await expect(stop(page)).toBeHidden()
  await expect(calls(page, 'Search the catalogue')).toContainText('Done')
  await expect(calls(page, 'Put into the cart')).toContainText('Done')
  await expect(cart(page).getByLabel('Quantity of Blue mug')).toHaveValue('2')
  await expect(cart(page).locator('.total')).toHaveText(/€28.00/)
  await expect(page.getByText('3 steps · tokens not reported')).toBeVisible()
  await expect(messages(page).getByText('I need the sku')).toBeHidden()
  await messages(page)
    .getByText(/^(Thought for|Reasoning)/)
    .first()
    .click()
  await expect(messages(page).getByText('I need the sku')).toBeVisible()
})

test(
  'a wrong argument: the call is refused with a reason and made again',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo()
    await ask(page, 'Add a green teapot')
    await expect(messages(page)).toContainText('The green teapot is in your cart.')
    const card = calls(page, 'Put into the cart')
    await expect(card.first()).toContainText('Invalid call – not run')
    await open(card.first())
    await expect(card.first()).toContainText("unknown parameter 'productId'")
    await expect(card.last()).toContainText('Done')
    await expect(cart(page).getByLabel('Quantity of Green teapot')).toHaveValue('1')
  },
)

test(
  'by page tools: the agent reads the page, types into it and highlights a place',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo()
    await page.getByRole('button', { name: 'Find the bowls by using the page' }).click()
    await expect(page.locator('offstage-hands')).toBeAttached()
    await expect(messages(page)).toContainText('Adding it is up to you')
    await expect(page.getByRole('searchbox', { name: 'Search the catalogue' })).toHaveValue('bowl')
    await expect(page.locator('#products > li')).toHaveText([/bowl/i])
    await expect(calls(page, 'Show on the page')).toContainText('Done')
    const read = calls(page, 'Read the page')
    await expect(read).toContainText('Done')
    await open(read)
    // Only the shop is lent: the chat beside it is neither read nor used.
    await expect(read.getByLabel('Output')).toContainText('Catalogue')
    expect(await read.getByLabel('Output').textContent()).not.toContain('Message')
  },
)

test(
  'an approval states the cost in words, and nothing is ordered until a person pays',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo()
    await page.getByRole('button', { name: 'Order a bowl (needs your OK)' }).click()
    const slip = slips(page)
    await expect(slip).toContainText('1 × Soup bowl€16.00')
    await expect(pay(page)).toHaveText('Pay €20.90')
    await expect(slip).not.toContainText('"speed"')
    await expect(pay(page)).toBeInViewport()
    // The journal is beside it, and has the question with what was asked about.
    await expect(rows(page).last()).toContainText('approval-requested')
    await expect(rows(page).last()).toContainText('1 × Soup bowl: €20.90 with express delivery')
    await expect(rows(page).last()).toBeInViewport()
    await rows(page).last().locator('summary').click()
    await expect(rows(page).last().locator('pre')).toContainText('"type": "approval-requested"')
    await page.getByRole('button', { name: 'Inspector' }).click()
    await expect(page.locator('offstage-inspector')).toContainText('Place the order')
    await expect(pay(page)).toBeInViewport()
    await page.getByRole('button', { name: 'Events' }).click()
    const events = page.getByRole('list', { name: 'Events of the runs' })
    await expect(events.getByRole('listitem').last()).toContainText('tool-approval-request')
    await expect(pay(page)).toBeInViewport()
    await expect(orders(page)).toContainText('No orders so far')
    await pressSettled(pay(page))
    await expect(slip).toContainText('Paid. K-1001: €20.90')
    await expect(orders(page).getByRole('listitem')).toHaveCount(1)
    await expect(orders(page)).toContainText('€20.90')
    await expect(cart(page)).toContainText('Nothing yet')
  },
)

test('an approval waits across a reload, and can be denied', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await ask(page, 'Order a bowl (needs your OK)')
  await expect(pay(page)).toBeVisible()
  await page.getByRole('button', { name: 'Reload page' }).click()
  const slip = slips(page)
  await pressSettled(slip.getByRole('button', { name: "Don't order" }))
  await expect(slip).toContainText('Not ordered.')
  await expect(messages(page)).toContainText('OK, nothing was ordered.')
  await expect(orders(page)).toContainText('No orders so far')
  await expect(cart(page).getByLabel('Quantity of Soup bowl')).toHaveValue('1')
})

test('asked about an order, the model suggests a cheaper delivery, which the person uses', async ({
  openDemo,
}) => {
  const page = await openDemo()
  await ask(page, 'Order a bowl (needs your OK)')
  await expect(pay(page)).toHaveText('Pay €20.90')
  await ask(page, 'Is there a cheaper delivery?')
  const use = page.getByRole('button', { name: 'Use it' })
  await expect(use).toBeVisible()
  await expect(pay(page)).toHaveText('Pay €20.90')
  await pressUntil(use, () => expect(pay(page)).toHaveText('Pay €16.00', soon))
  await pressSettled(pay(page))
  await expect(slips(page)).toContainText('Paid. K-1001: €16.00')
})

test(
  'an approval with edited input, and for a cart that has changed since',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo()
    await ask(page, 'Order a bowl (needs your OK)')
    const slip = slips(page)
    await slip.last().getByLabel('Delivery').selectOption('standard')
    await expect(pay(page)).toHaveText('Pay €16.00')
    await pressSettled(pay(page))
    await expect(slip).toContainText('Paid. K-1001: €16.00')
    await expect(orders(page).getByRole('listitem')).toHaveCount(1)
    await expect(stop(page)).toBeHidden()

    await ask(page, 'Order a bowl (needs your OK)')
    await expect(pay(page)).toHaveText('Pay €20.90')
    await page.getByRole('button', { name: 'Add Tall vase to the cart' }).click()
    await expect(pay(page)).toHaveText('Pay €20.90')
    await pressUntil(pay(page), () =>
      expect(slip.last()).toContainText('The cart has changed since the person was asked', soon),
    )
    await expect(orders(page).getByRole('listitem')).toHaveCount(1)
  },
)

test(
  'when another tab has approved, nothing is ordered twice',
  MORE,
  async ({ openDemo, context }) => {
    const first = await openDemo()
    await ask(first, 'Order a bowl (needs your OK)')
    await expect(pay(first)).toBeVisible()
    const second = await context.newPage()
    await second.goto(first.url())
    await second.getByRole('button', { name: 'History' }).click()
    await second.getByRole('button', { name: /^Order a bowl/ }).click()
    await pressSettled(pay(second))
    await expect(messages(second)).toContainText('Order K-1001 is placed, arriving by')
    await expect(pay(first)).toBeHidden()
    await expect(messages(first)).toContainText('Order K-1001 is placed, arriving by')
    await expect(orders(first).getByRole('listitem')).toHaveCount(1)
  },
)

test('a question keeps its form across a reload, and validates it', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await ask(page, 'Wrap it as a gift')
  const recipient = messages(page).getByLabel('For whom')
  await expect(recipient).toBeVisible()
  await page.reload()
  await expect(recipient).toBeVisible()
  await expect(messages(page).getByLabel('Paper').locator('option:checked')).toHaveText('kraft')
  await expect(messages(page).getByLabel('Parcels')).toHaveValue('1')
  const answer = messages(page).getByRole('button', { name: 'Answer', exact: true })
  // The browser's own checks are the form's first.
  await pressUntil(answer, () => expect(recipient).toBeFocused(soon))
  await recipient.fill('Ann')
  await messages(page).getByLabel('E-mail for the tracking').fill('ann@example')
  await messages(page).getByLabel('A ribbon').check()
  await messages(page).getByLabel('Not before').fill('2026-12-24')
  // Without them, the worker says the same.
  await page.locator('form.question').evaluate((form: HTMLFormElement) => (form.noValidate = true))
  await messages(page).getByLabel('Parcels').fill('0')
  const problem = "The answer doesn't fit: 'copies' must be 1 or more."
  await pressUntil(answer, () =>
    expect(messages(page).getByRole('alert')).toHaveText(problem, soon),
  )
  await messages(page).getByLabel('Parcels').fill('2')
  await pressUntil(answer, () =>
    expect(messages(page)).toContainText('Your answer was checked against the form', soon),
  )
  await expect(page.locator('form.question')).toHaveCount(0)
  await open(messages(page).getByRole('group').first())
  const output = messages(page).getByLabel('Output')
  await expect(output).toContainText('"extras": [')
  expect(JSON.parse(await output.innerText())).toEqual({
    recipient: 'Ann',
    email: 'ann@example',
    paper: 'kraft',
    extras: ['ribbon'],
    until: '2026-12-24',
    copies: 2,
    surprise: true,
  })
})

test('when a tool fails, the run continues', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await ask(page, 'Use the coupon SUMMER99')
  await expect(messages(page)).toContainText('the run went on')
  const card = calls(page, 'Apply a coupon')
  await expect(card).toContainText('Failed')
  await open(card)
  await expect(card).toContainText('There is no coupon SUMMER99.')
})

test('after a reload while a tool runs, the run continues, and the slot is booked once', async ({
  startedUrl,
  openDemo,
}) => {
  const page = await openDemo(startedUrl)
  await page.getByRole('button', { name: 'Book Thursday delivery, then reload' }).click()
  const card = calls(page, 'Book a delivery slot')
  await expect(card).toContainText('Asking the courier, 2/6 s')
  await page.getByRole('button', { name: 'Reload page' }).click()
  await expect(card).toContainText(/Asking the courier, [1-6]\/6 s/)
  await expect(messages(page)).toContainText('2 requests, 1 booking')
  await expect(card).toHaveCount(1)
  await expect(card).toContainText('Done')
  await expect(cart(page)).toContainText('Thursday morning (booking 1)')
})

test(
  'when the worker is killed while a tool runs, another continues, and the slot is booked once',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo()
    await page.getByRole('button', { name: 'Book Thursday delivery, then reload' }).click()
    const card = calls(page, 'Book a delivery slot')
    await expect(card).toContainText('Asking the courier')
    await page.getByRole('button', { name: 'Kill worker' }).click()
    await expect(told(page)).toHaveText('New worker started; run continues.')
    await expect(messages(page)).toContainText('1 request, 1 booking')
    await expect(card).toHaveCount(1)
    await expect(card).toContainText('Done')
    await expect(cart(page)).toContainText('Thursday morning (booking 1)')
    await expect(rows(page).last()).toContainText('run-ended')
  },
)

test('offline, the demo waits and says so, and resumes once online', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await ask(page, 'Book Thursday delivery, then reload')
  const card = calls(page, 'Book a delivery slot')
  await expect(card).toContainText('Asking the courier')
  const offline = page.getByRole('button', { name: 'Go offline' })
  const online = page.getByRole('button', { name: 'Go online' })
  await offline.click()
  await expect(offline).toBeHidden()
  await expect(page.locator('.notices').getByText('You’re offline')).toBeVisible()
  await expect(card).toContainText('Waiting for the network')
  await online.click()
  await expect(page.locator('.notices').getByText('You’re offline')).toBeHidden()
  await expect(messages(page)).toContainText('1 booking')

  await offline.click()
  await ask(page, 'Two blue mugs, please')
  await expect(messages(page).getByText(/^Retrying in/)).toBeVisible()
  await expect(cart(page)).toContainText('Nothing yet')
  await online.click()
  await expect(messages(page)).toContainText('€28.00 for the pair')
  await expect(cart(page).getByLabel('Quantity of Blue mug')).toHaveValue('2')
})

test('an unknown request gets an answer with suggestions', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await ask(page, 'What is the weather like?')
  await expect(messages(page)).toContainText('Use the coupon SUMMER99')
  await page.getByRole('button', { name: 'Connect a model' }).click()
  await expect(page.getByRole('dialog', { name: 'Which model?' })).toBeVisible()
})

test(
  'a model over HTTP uses the same tools; its key is not stored',
  MORE,
  async ({ openDemo, model }) => {
    model.enqueue(
      callTools([{ name: 'add_to_cart', input: { sku: 'vase-ochre', quantity: 1 } }]),
      say('The vase is in your cart.'),
    )
    const page = await openDemo()
    await page.getByRole('button', { name: 'Connect a model' }).click()
    await page.getByLabel('Provider').selectOption('openai-compatible')
    await page.getByLabel('Address').fill(model.baseURL)
    await page.getByLabel('Model', { exact: true }).fill('mock')
    await page.getByLabel('Key').fill('secret-key')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(page.getByText('Demo mode (scripted)').first()).toBeHidden()
    await ask(page, 'A vase')
    await expect(messages(page)).toContainText('The vase is in your cart.')
    await expect(cart(page).getByLabel('Quantity of Tall vase')).toHaveValue('1')
    await expect(page.getByText('2 steps · 20 tokens in, 10 out')).toBeVisible()
    expect(model.requests[0]?.headers.authorization).toBe('Bearer secret-key')
    const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))
    expect(stored).not.toContain('secret-key')
    await page.reload()
    const dialog = page.getByRole('dialog', { name: 'Which model?' })
    await expect(dialog).toContainText('A reload forgets keys')
    // Without it, the list still has what there was, and nothing is asked of the model.
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'History' }).click()
    await expect(page.getByRole('button', { name: 'A vase', exact: true })).toBeVisible()
    expect(model.requests).toHaveLength(2)
  },
)

test(
  'the picker lists local servers once it is open; a click connects',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo()
    const asked: string[] = []
    await page.route(usualPorts, async (route) => {
      const { port, pathname } = new URL(route.request().url())
      asked.push(port)
      const isList = port === '11434' && pathname === '/v1/models'
      const data = ['qwen3:4b', 'gemma3:1b'].map((id) => ({ id, owned_by: 'library' }))
      await route.fulfill({ json: isList ? { object: 'list', data } : {} })
    })
    await ask(page, 'Use the coupon SUMMER99')
    await expect(messages(page)).toContainText('the run went on')
    expect(asked).toEqual([])
    await page.getByRole('button', { name: 'Connect a model' }).click()
    const found = page.getByRole('region', { name: 'On this machine' })
    await expect(found.getByRole('listitem')).toHaveCount(1)
    await found.getByRole('button', { name: 'Ollama: gemma3:1b' }).press('Enter')
    await expect(page.getByText('Ollama · gemma3:1b')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Change the model' })).toBeVisible()
    await expect(page.getByRole('dialog')).toBeHidden()
  },
)

test(
  'the picker reports when it finds nothing, and tests the typed address',
  MORE,
  async ({ openDemo, model }) => {
    const page = await openDemo()
    await page.getByRole('button', { name: 'Connect a model' }).click()
    const dialog = page.getByRole('dialog', { name: 'Which model?' })
    await expect(dialog).toContainText('No model server found.')
    await expect(dialog.getByRole('button', { name: 'Test' })).toBeHidden()
    await page.getByLabel('Provider').selectOption('openai-compatible')
    await page.getByLabel('Address').fill(model.baseURL)
    await page.getByLabel('Model', { exact: true }).fill('mock')
    model.enqueue(say('Hi'), say('Hi'))
    await dialog.getByRole('button', { name: 'Test' }).click()
    await expect(dialog).toContainText('It works: the model answers.')
    await page.getByLabel('Address').fill(`${model.baseURL}/`)
    await expect(dialog).not.toContainText('It works')
    model.refuseTools = true
    model.enqueue(say('Hi'), say('Hi'))
    await dialog.getByRole('button', { name: 'Test' }).click()
    await expect(dialog.getByRole('listitem').filter({ hasText: 'tools' })).toBeVisible()
  },
)

test('when a run fails at its endpoint, the demo diagnoses it', MORE, async ({ openDemo }) => {
  const gone = await startMockOpenAI()
  await gone.close()
  const page = await openDemo()
  await page.getByRole('button', { name: 'Connect a model' }).click()
  await page.getByLabel('Provider').selectOption('openai-compatible')
  await page.getByLabel('Address').fill(gone.baseURL)
  await page.getByLabel('Model', { exact: true }).fill('mock')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  await ask(page, 'A vase')
  const failure = page.getByRole('alert').filter({ hasText: 'Is the server running' })
  await failure.getByRole('button', { name: 'Why?' }).press('Enter')
  await expect(failure).toContainText('This is in the way:')
  await expect(failure.getByRole('listitem')).toHaveCount(1)
  await expect(failure.getByRole('listitem')).toContainText(new URL(gone.baseURL).host)
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('This is in the way:')).toBeHidden()
})

test('stop ends a run, and the next one works', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await ask(page, 'Book Thursday delivery, then reload')
  await expect(calls(page, 'Book a delivery slot')).toContainText('Asking the courier')
  await stop(page).click()
  await expect(stop(page)).toBeHidden()
  await expect(calls(page, 'Book a delivery slot')).toContainText('Stopped')
  await ask(page, 'Use the coupon SUMMER99')
  await expect(messages(page)).toContainText('the run went on')
})

test('conversations are listed, renamed, opened again and deleted', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await ask(page, 'Use the coupon SUMMER99')
  await expect(messages(page)).toContainText('the run went on')
  await expect(rows(page).last()).toContainText('run-ended')
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Order a bowl (needs your OK)' })).toBeVisible()
  // The journal is that of the conversation on view.
  await expect(rows(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'History' }).click()
  const list = page.getByRole('region', { name: 'History' })
  await list.getByRole('button', { name: 'Rename: Use the coupon' }).click()
  await list.getByRole('textbox', { name: 'Rename' }).fill('Coupons')
  await page.keyboard.press('Enter')
  await list.getByRole('button', { name: 'Coupons', exact: true }).click()
  await expect(messages(page)).toContainText('the run went on')
  await expect(rows(page).last()).toContainText('renamed')
  await page.getByRole('button', { name: 'History' }).click()
  await list.getByRole('button', { name: 'Delete: Coupons' }).click()
  await expect(list.getByRole('listitem')).toHaveCount(0)
})

test(
  'the shop works without the agent, and a reload keeps its state',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo()
    await page.getByLabel('Search the catalogue').fill('mug')
    await expect(page.getByRole('button', { name: /^Add / })).toHaveCount(2)
    await page.getByRole('button', { name: 'Add Sand mug to the cart' }).click()
    await page.getByRole('button', { name: 'Add Blue mug to the cart' }).click()
    const quantity = cart(page).getByLabel('Quantity of Blue mug')
    await quantity.fill('3')
    await quantity.press('Tab')
    await cart(page).getByRole('button', { name: 'Remove Sand mug from the cart' }).click()
    await expect(page.getByRole('heading', { name: 'Cart' })).toBeFocused()
    await cart(page).getByLabel('Coupon code').fill('nonsense')
    await cart(page).getByRole('button', { name: 'Apply' }).click()
    await expect(cart(page).getByRole('status')).toContainText('There is no coupon NONSENSE.')
    await cart(page).getByLabel('Coupon code').fill('welcome10')
    await cart(page).getByRole('button', { name: 'Apply' }).click()
    await expect(cart(page).locator('.total')).toHaveText(/€37.80/)
    await page.reload()
    await expect(cart(page).locator('.total')).toHaveText(/€37.80/)
    await cart(page).getByRole('button', { name: 'Place the order' }).click()
    await expect(orders(page).getByRole('listitem')).toContainText('3 × Blue mug')
  },
)

test(
  'the search field is beside the heading of the catalogue',
  MORE,
  async ({ openDemo, page }) => {
    for (const width of [1280, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      await openDemo()
      const heading = await page.getByRole('heading', { name: 'Catalogue' }).boundingBox()
      const field = await page.getByLabel('Search the catalogue').boundingBox()
      const middle = (box: typeof field): number => (box?.y ?? 0) + (box?.height ?? 0) / 2
      expect(Math.abs(middle(field) - middle(heading)), `at ${width} px`).toBeLessThan(12)
    }
  },
)

test(
  'on a phone, pending approvals are in view, the journal below, the shop a press away',
  MORE,
  async ({ openDemo, page }) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await openDemo()
    await expect(page.getByRole('textbox', { name: 'Message' })).toBeInViewport({ ratio: 1 })
    await page.getByRole('button', { name: 'Order a bowl (needs your OK)' }).click()
    await expect(pay(page)).toBeInViewport({ ratio: 1 })
    for (const name of ['Reload page', 'Kill worker', 'Go offline'])
      await expect(page.getByRole('button', { name })).toBeInViewport({ ratio: 1 })
    const log = await messages(page).boundingBox()
    expect(log?.height).toBeGreaterThan(844 / 3)
    await expect(rows(page).last()).not.toBeInViewport()
    await rows(page).last().scrollIntoViewIfNeeded()
    await expect(rows(page).last()).toContainText('approval-requested')
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBe(0)
    await pressSettled(pay(page))
    await expect(messages(page)).toContainText('Order K-1001 is placed, arriving by')
    await page.getByRole('button', { name: 'Shop', exact: true }).press('Enter')
    await expect(orders(page).getByRole('listitem')).toHaveCount(1)
    await expect(messages(page)).toBeHidden()
  },
)

test('on a phone, page actions can be watched in the shop', MORE, async ({ openDemo, page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await openDemo()
  await page.getByRole('button', { name: 'Find the bowls by using the page' }).click()
  await expect(page.getByRole('searchbox', { name: 'Search the catalogue' })).toHaveValue('bowl')
  // Until it is done, it comes back to the shop with each thing that it does there.
  await expect(page.locator('#journal-rows > li').last()).toContainText('run-ended')
  await page.getByRole('button', { name: 'Agent', exact: true }).click()
  await expect(messages(page)).toContainText('Adding it is up to you')
})

test('every control has a name and a role', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await ask(page, 'Order a bowl (needs your OK)')
  // Removed once it was read.
  await expect(page.locator('.announcements')).toContainText('Needs your approval: Place the order')
  await expect(pay(page)).toBeVisible()
  await expect(page.getByRole('main')).toBeVisible()
  await expect(page.getByRole('banner')).toBeVisible()
  for (const role of ['button', 'textbox', 'searchbox', 'spinbutton', 'combobox'] as const) {
    for (const control of await page.getByRole(role).all()) {
      await expect(control).toHaveAccessibleName(/\S/)
    }
  }
  const unnamed = page.locator('svg:not([aria-hidden="true"]), img:not([alt])')
  await expect(unnamed).toHaveCount(0)
  const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id))
  expect(new Set(ids).size).toBe(ids.length)
})
