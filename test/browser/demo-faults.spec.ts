import type { Locator, Page } from '@playwright/test'
import { ask, calls, messages, open, rows, test, told } from './support/demo-page.ts'
import { callTools, say } from './support/mock-answers.ts'
import { MORE } from './support/more.ts'
import { expect } from './support/test.ts'

test.describe.configure({ mode: 'default' })

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()
const quantity = (page: Page, product: string): Locator => page.getByLabel(`Quantity of ${product}`)

test('a cut stream is read again, and each call runs once', async ({ openDemo }) => {
  const page = await openDemo()
  await press(page, 'Cut stream')
  await expect(told(page)).toHaveText('The next answer is cut in its middle.')
  await ask(page, 'Two blue mugs, please')
  await expect(messages(page)).toContainText('€28.00 for the pair')
  await expect(told(page)).toHaveText(
    /^Cut stream: kept \d rows\. Read again: 1 answer\. Ran: Search the catalogue once; Put into the cart once\.$/,
  )
  await expect(page.getByRole('button', { name: 'Cut stream' })).toHaveAttribute(
    'aria-pressed',
    'false',
  )
  await expect(quantity(page, 'Blue mug')).toHaveValue('2')
  await expect(rows(page).filter({ hasText: 'attempt-failed' })).toHaveCount(1)
})

test('a malformed call is refused, and made again', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await press(page, 'Malformed call')
  await ask(page, 'Use the coupon SUMMER99')
  await expect(messages(page)).toContainText('the run went on')
  await expect(told(page)).toHaveText(
    /^Malformed call: kept \d rows\. Ran: Apply a coupon once\. Refused: Apply a coupon once\.$/,
  )
  const cards = calls(page, 'Apply a coupon')
  await expect(cards).toHaveCount(2)
  await expect(cards.first()).toContainText('Invalid call – not run')
  await open(cards.first())
  await expect(cards.first()).toContainText('The arguments are no JSON: they end early.')
  await expect(cards.last()).toContainText('Failed')
})

test(
  'a slow network delays each piece until it is switched off',
  MORE,
  async ({ openDemo, page }) => {
    await openDemo()
    await press(page, 'Slow network')
    const slow = page.getByRole('button', { name: 'Slow network' })
    await expect(slow).toHaveAttribute('aria-pressed', 'true')
    await ask(page, 'Two blue mugs, please')
    await press(page, 'Slow network')
    await expect(told(page)).toHaveText('Full speed again.')
    await expect(messages(page)).toContainText('€28.00 for the pair')
    await expect(told(page)).toHaveText(/^Slow network[.:].* Ran: .*Put into the cart once\.$/)
  },
)

test(
  'a second tab takes the run over, and the slot is booked once',
  MORE,
  async ({ openDemo, context }) => {
    const first = await openDemo()
    await ask(first, 'Book Thursday delivery, then reload')
    await expect(calls(first, 'Book a delivery slot')).toContainText('Asking the courier')
    const opened = context.waitForEvent('page')
    await press(first, 'Second tab')
    const second = await opened
    await second.getByRole('button', { name: 'Take over' }).click()
    await expect(messages(second)).toContainText('1 booking')
    await expect(messages(first)).toContainText('1 booking')
    await expect(second.getByRole('region', { name: 'Cart' })).toContainText(
      'Thursday morning (booking 1)',
    )
  },
)

test(
  'after a reload and after the end of a worker, the page tells what was kept and what ran',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo()
    await ask(page, 'Book Thursday delivery, then reload')
    const card = calls(page, 'Book a delivery slot')
    await expect(card).toContainText('Asking the courier, 2/6 s')
    await press(page, 'Reload page')
    await expect(told(page)).toHaveText(
      'Reload: kept 4 rows. Ran: Book a delivery slot once, 1 started again with the same key.',
    )
    await ask(page, 'Book Thursday delivery, then reload')
    await expect(card.last()).toContainText('Asking the courier')
    await press(page, 'Kill worker')
    await expect(told(page)).toHaveText(
      /^Killed worker: kept 4 rows\. Ran: Book a delivery slot once/,
    )
  },
)

test('a run that finds the storage full waits, and continues when there is room', async ({
  openDemo,
}) => {
  const page = await openDemo()
  const fill = page.getByRole('button', { name: 'Fill storage' })
  await ask(page, 'Book Thursday delivery, then reload')
  await expect(calls(page, 'Book a delivery slot')).toContainText('Asking the courier')
  await fill.click()
  await expect(told(page)).toHaveText('Nothing more can be stored.')
  await expect(page.locator('offstage-chat')).toContainText('Paused: the storage is full')
  await expect(told(page)).toHaveText('Storage full. The run waits, and nothing is lost.')
  await expect(fill).toHaveAttribute('aria-pressed', 'true')
  await fill.click()
  await expect(messages(page)).toContainText('The courier saw 1 request, 1 booking.')
  await expect(told(page)).toHaveText(
    /^Full storage: kept \d+ rows\. Ran: Book a delivery slot once\.$/,
  )
})

test(
  'an endpoint that refuses tools gets them as text, until it takes them again',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo()
    await press(page, 'Refuse tools')
    await ask(page, 'Two blue mugs, please')
    await expect(messages(page)).toContainText('€28.00 for the pair')
    await expect(told(page)).toHaveText(
      /^Refused tools: kept \d rows?\. Read again: 1 answer\. Ran: Search the catalogue once; Put into the cart once\.$/,
    )
    await expect(quantity(page, 'Blue mug')).toHaveValue('2')
    await expect(messages(page)).toContainText('Tools are sent to this model as text.')
    await press(page, 'Refuse tools')
    await expect(told(page)).toHaveText('Tools are accepted again.')
    await ask(page, 'Use the coupon SUMMER99')
    await expect(messages(page)).toContainText('the run went on')
    // The refusal isn't remembered: the last answers were none in ACTION mode.
    const answers = rows(page).filter({ hasText: 'model-output' })
    await expect(answers.nth(2)).toContainText('actionText')
    await expect(answers.last()).not.toContainText('actionText')
  },
)

test('a model over HTTP meets the same faults', MORE, async ({ openDemo, model }) => {
  const input = { sku: 'vase-ochre', quantity: 1 }
  const call = callTools([{ name: 'add_to_cart', input }])
  const answer = say('It is the only thing in your cart, and it will stay there.')
  model.enqueue(call, call, say('The vase is in your cart.'), answer, answer)
  const page = await openDemo()
  await press(page, 'Connect a model')
  await page.getByLabel('Provider').selectOption('openai-compatible')
  await page.getByLabel('Address').fill(model.baseURL)
  await page.getByLabel('Model', { exact: true }).fill('mock')
  await press(page, 'Connect')
  await press(page, 'Malformed call')
  await ask(page, 'A vase')
  await expect(calls(page, 'Put into the cart').first()).toContainText('Invalid call – not run')
  await expect(messages(page)).toContainText('The vase is in your cart.')
  await expect(quantity(page, 'Tall vase')).toHaveValue('1')
  await expect(told(page)).toHaveText(
    /^Malformed call: .* Ran: Put into the cart once\. Refused: Put into the cart once\.$/,
  )
  await press(page, 'Cut stream')
  await ask(page, 'Is that all?')
  await expect(messages(page)).toContainText('and it will stay there.')
  await expect(told(page)).toHaveText(/^Cut stream: .* Read again: 1 answer\. No tool ran\.$/)
  expect(model.requests).toHaveLength(5)
  await press(page, 'Refuse tools')
  model.enqueue(
    say('Gladly.\n<ACTION>\n<add_to_cart><sku>mug-blue</sku></add_to_cart>\n</ACTION>'),
    say('The mug is in, too.'),
  )
  await ask(page, 'And a mug')
  await expect(messages(page)).toContainText('The mug is in, too.')
  await expect(quantity(page, 'Blue mug')).toHaveValue('1')
  expect(model.requests.slice(5).map(({ body }) => 'tools' in body)).toEqual([false, false])
})
