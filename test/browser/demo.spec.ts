import type { Locator, Page } from '@playwright/test'
import { createServer } from 'vite'
import { inProject } from '../../scripts/lib/project.mjs'
import { callTools, say } from './support/mock-answers.ts'
import { startMockOpenAI } from './support/mock-openai.ts'
import { expect, test as base } from './support/test.ts'
import { MORE } from './support/more.ts'

/** Where local model servers listen. */
const usualPorts = /^http:\/\/(localhost|127\.0\.0\.1):(11434|1234|8080|8000)\//

/** Chromium's own lines about closed ports, refused tools, no built-in model and no graphics card. */
const lookingAround =
  /ERR_CONNECTION_REFUSED|status of 400|Unable to create a text session|No available adapters/

/** Opens the demo as `npm start` serves it. */
const test = base.extend<{ openDemo: () => Promise<Page> }, { demoUrl: string }>({
  demoUrl: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants the fixtures destructured.
    async ({}, use, { workerIndex }) => {
      const server = await createServer({
        configFile: inProject('vite.demo.config.ts'),
        cacheDir: inProject(`.cache/vite-demo-test-${workerIndex}`),
        logLevel: 'error',
        server: { port: 5800 + workerIndex, hmr: false, watch: null },
      })
      await server.listen()
      await use(server.resolvedUrls?.local[0] ?? '')
      await server.close()
    },
    { scope: 'worker' },
  ],
  openDemo: async ({ page, demoUrl }, use) => {
    const problems: string[] = []
    page.on('pageerror', ({ message }) => problems.push(message))
    page.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type())) return
      if (!lookingAround.test(message.text())) problems.push(message.text())
    })
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
        console.error(`The page's policy refused ${blockedURI}: ${effectiveDirective}`),
      )
    })
    // Whatever runs on this machine: nobody that the demo knows is on the usual ports.
    await page.route(usualPorts, (route) => route.fulfill({ json: {} }))
    await use(async () => {
      await page.goto(demoUrl)
      await expect(page.getByRole('heading', { name: 'Catalogue' })).toBeVisible()
      return page
    })
    // What the page's own Content-Security-Policy refuses shows up here, too.
    expect(problems).toEqual([])
  },
})

const tryScene = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name }).click()
const cart = (page: Page): Locator => page.getByRole('region', { name: 'Cart' })
const orders = (page: Page): Locator => page.getByRole('region', { name: 'Orders' })
const messages = (page: Page): Locator => page.getByRole('region', { name: 'Messages' })
const hasEnded = (page: Page): Promise<void> =>
  expect(page.getByRole('button', { name: 'Send' })).toBeVisible()

/** The cards of a tool's calls, found by what their summary says. */
const calls = (page: Page, toolName: string): Locator =>
  messages(page).getByRole('group').filter({ hasText: toolName })

test('the demo is served under a strict policy, with Trusted Types', async ({
  request,
  demoUrl,
}) => {
  const { 'content-security-policy': policy } = (await request.get(demoUrl)).headers()
  expect(policy).toContain("require-trusted-types-for 'script'; trusted-types offstage")
  expect(policy).not.toMatch(/unsafe|wasm|\*/)
})

test('two tools: the agent searches, then fills the cart', async ({ openDemo }) => {
  const page = await openDemo()
  await expect(page.getByRole('button', { name: 'No model (scripted)' })).toBeVisible()
  await tryScene(page, 'Two blue mugs')
  await expect(messages(page)).toContainText('€28.00 for the pair')
  await hasEnded(page)
  await expect(calls(page, 'search_products')).toContainText('Done')
  await expect(calls(page, 'add_to_cart')).toContainText('Done')
  await expect(cart(page).getByLabel('Quantity of Blue mug')).toHaveValue('2')
  await expect(cart(page).locator('.total')).toHaveText(/€28.00/)
  await expect(page.getByText('3 steps · tokens not reported')).toBeVisible()
  await expect(messages(page).getByText('I need the sku')).toBeHidden()
  await messages(page).getByText('Thoughts').click()
  await expect(messages(page).getByText('I need the sku')).toBeVisible()
})

test(
  'a wrong argument: the call is refused with a reason and made again',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo()
    await tryScene(page, 'A corrected mistake')
    await hasEnded(page)
    await expect(calls(page, 'add_to_cart').first()).toContainText('Refused, not run')
    await expect(calls(page, 'add_to_cart').first()).toContainText("unknown parameter 'productId'")
    await expect(calls(page, 'add_to_cart').last()).toContainText('Done')
    await expect(cart(page).getByLabel('Quantity of Green teapot')).toHaveValue('1')
  },
)

test('by hand: the agent reads the page, types into it and shows a place', async ({ openDemo }) => {
  const page = await openDemo()
  await tryScene(page, 'By hand')
  await expect(page.locator('offstage-hands')).toBeAttached()
  await hasEnded(page)
  await expect(page.getByRole('searchbox', { name: 'Search the catalogue' })).toHaveValue('bowl')
  await expect(page.locator('#products > li')).toHaveText([/bowl/i])
  await expect(calls(page, 'Read the page')).toContainText('Done')
  await expect(calls(page, 'Highlight')).toContainText('Done')
  // Only the shop is lent: the chat beside it is neither read nor used.
  expect(await calls(page, 'Read the page').textContent()).not.toContain('Message to the agent')
})

test('an approval: nothing is ordered until a person agrees', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await tryScene(page, 'An order to approve')
  await expect(calls(page, 'checkout')).toContainText('Needs your approval')
  await expect(orders(page)).toContainText('No orders so far')
  await messages(page).getByRole('button', { name: 'Approve' }).click()
  await hasEnded(page)
  await expect(calls(page, 'checkout')).toContainText('Done')
  await expect(orders(page).getByRole('listitem')).toHaveCount(1)
  await expect(cart(page)).toContainText('Nothing yet')
})

test('an approval that waits over a reload, and is denied', async ({ openDemo }) => {
  const page = await openDemo()
  await tryScene(page, 'An order to approve')
  await expect(messages(page).getByRole('button', { name: 'Deny' })).toBeVisible()
  await page.reload()
  await expect(page.getByText('resumed', { exact: true })).toBeVisible()
  await messages(page).getByRole('button', { name: 'Deny' }).click()
  await hasEnded(page)
  await expect(calls(page, 'checkout')).toContainText('Denied')
  await expect(orders(page)).toContainText('No orders so far')
  await expect(cart(page).getByLabel('Quantity of Soup bowl')).toHaveValue('1')
})

test(
  'an approval with another input: bad ones are refused, good ones run',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo()
    await tryScene(page, 'An order to approve')
    await messages(page).getByRole('button', { name: 'Edit' }).click()
    const input = messages(page).getByLabel('Input as JSON')
    await input.fill('{ "speed": "by owl" }')
    await messages(page).getByRole('button', { name: 'Approve as edited' }).click()
    await expect(messages(page).getByRole('alert')).toContainText('Invalid parameters for checkout')
    await input.fill('{ "speed": "standard" }')
    await messages(page).getByRole('button', { name: 'Approve as edited' }).click()
    await hasEnded(page)
    await expect(orders(page).getByRole('listitem')).toHaveCount(1)
  },
)

test(
  'an approval that another tab has given: nothing is ordered twice',
  MORE,
  async ({ openDemo, context }) => {
    const first = await openDemo()
    await tryScene(first, 'An order to approve')
    await expect(messages(first).getByRole('button', { name: 'Approve' })).toBeVisible()
    const second = await context.newPage()
    await second.goto(first.url())
    await messages(second).getByRole('button', { name: 'Approve' }).click()
    await hasEnded(second)
    // The first tab gives the run up: there is nothing left to approve.
    await expect(messages(first).getByRole('button', { name: 'Approve' })).toBeHidden()
    await hasEnded(first)
    await expect(orders(first).getByRole('listitem')).toHaveCount(1)
  },
)

test('a question: its form waits over a reload, and is checked', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await tryScene(page, 'A question')
  const recipient = messages(page).getByLabel('For whom')
  await expect(recipient).toBeVisible()
  await page.reload()
  await expect(recipient).toBeVisible()
  await expect(messages(page).getByLabel('Paper')).toHaveValue('kraft')
  await expect(messages(page).getByLabel('Parcels')).toHaveValue('1')
  const answer = messages(page).getByRole('button', { name: 'Answer' })
  // The browser's own checks are the form's first.
  await answer.click()
  await expect(recipient).toBeFocused()
  await recipient.fill('Ann')
  await messages(page).getByLabel('E-mail for the tracking').fill('ann@example')
  await messages(page).getByLabel('A ribbon').check()
  await messages(page).getByLabel('Not before').fill('2026-12-24')
  // Without them, the worker says the same.
  await page.locator('form.question').evaluate((form: HTMLFormElement) => (form.noValidate = true))
  await messages(page).getByLabel('Parcels').fill('0')
  await answer.click()
  await expect(messages(page).getByRole('alert')).toHaveText(
    "The answer doesn't fit: 'copies' must be 1 or more.",
  )
  await messages(page).getByLabel('Parcels').fill('2')
  await answer.click()
  await expect(messages(page)).toContainText('Your answer was checked against the form')
  await expect(page.locator('form.question')).toHaveCount(0)
  await messages(page).getByText('Ask you').click()
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

test('a tool that fails: the run goes on', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await tryScene(page, 'A tool that fails')
  await hasEnded(page)
  await expect(calls(page, 'apply_coupon')).toContainText('Failed')
  await expect(calls(page, 'apply_coupon')).toContainText('There is no coupon SUMMER99.')
  await expect(messages(page)).toContainText('the run went on')
})

test('a reload while a tool runs: the run goes on, the slot is booked once', async ({
  openDemo,
}) => {
  const page = await openDemo()
  await tryScene(page, 'Reload me')
  await expect(calls(page, 'book_delivery')).toContainText('Asking the courier, 2/6 s')
  await page.reload()
  await expect(page.getByText('resumed', { exact: true })).toBeVisible()
  await expect(calls(page, 'book_delivery')).toContainText('Asking the courier')
  await hasEnded(page)
  await expect(calls(page, 'book_delivery')).toHaveCount(1)
  await expect(calls(page, 'book_delivery')).toContainText('Done')
  await expect(cart(page)).toContainText('Thursday morning (booking 1)')
  await expect(messages(page)).toContainText('the courier recognised it')
})

test('what no scene knows: the script says what it understands', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await page.getByLabel('Message to the agent').fill('What is the weather like?')
  await page.keyboard.press('Enter')
  await hasEnded(page)
  await expect(messages(page)).toContainText('Use the coupon SUMMER99')
  await messages(page).getByRole('button', { name: 'Connect a model' }).click()
  await expect(page.getByRole('dialog', { name: 'Which model?' })).toBeVisible()
})

test('a model over HTTP uses the same tools; its key is not stored', async ({
  openDemo,
  model,
}) => {
  model.enqueue(
    callTools([{ name: 'add_to_cart', input: { sku: 'vase-ochre', quantity: 1 } }]),
    say('The vase is in your cart.'),
  )
  const page = await openDemo()
  await page.getByRole('button', { name: 'No model (scripted)' }).click()
  await page.getByLabel('Provider').selectOption('openai-compatible')
  await page.getByLabel('Address').fill(model.baseURL)
  await page.getByLabel('Model', { exact: true }).fill('mock')
  await page.getByLabel('Key').fill('secret-key')
  await page.getByRole('button', { name: 'Use it' }).click()
  await page.getByLabel('Message to the agent').fill('A vase')
  await page.getByRole('button', { name: 'Send' }).click()
  await hasEnded(page)
  await expect(cart(page).getByLabel('Quantity of Tall vase')).toHaveValue('1')
  await expect(page.getByText('2 steps · 20 tokens in, 10 out')).toBeVisible()
  expect(model.requests[0]?.headers.authorization).toBe('Bearer secret-key')
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))
  expect(stored).not.toContain('secret-key')
  await page.reload()
  await expect(page.getByRole('dialog', { name: 'Which model?' })).toContainText(
    'A reload forgets keys',
  )
})

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
    await tryScene(page, 'A tool that fails')
    await hasEnded(page)
    expect(asked).toEqual([])
    await page.getByRole('button', { name: 'No model (scripted)' }).click()
    const found = page.getByRole('region', { name: 'On this machine' })
    await expect(found.getByRole('listitem')).toHaveCount(1)
    await found.getByRole('button', { name: 'Ollama: gemma3:1b' }).press('Enter')
    await expect(page.getByRole('button', { name: 'Ollama · gemma3:1b' })).toBeVisible()
    await expect(page.getByRole('dialog')).toBeHidden()
  },
)

test(
  'the picker says when it finds nothing, and tests what is typed',
  MORE,
  async ({ openDemo, model }) => {
    const page = await openDemo()
    await page.getByRole('button', { name: 'No model (scripted)' }).click()
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

test('a run that fails at its endpoint: the demo finds out why', MORE, async ({ openDemo }) => {
  const gone = await startMockOpenAI()
  await gone.close()
  const page = await openDemo()
  await page.getByRole('button', { name: 'No model (scripted)' }).click()
  await page.getByLabel('Provider').selectOption('openai-compatible')
  await page.getByLabel('Address').fill(gone.baseURL)
  await page.getByLabel('Model', { exact: true }).fill('mock')
  await page.getByRole('button', { name: 'Use it' }).click()
  await page.getByLabel('Message to the agent').fill('A vase')
  await page.keyboard.press('Enter')
  const failure = page.getByRole('alert').filter({ hasText: 'The run failed: network' })
  await failure.getByRole('button', { name: 'Why?' }).press('Enter')
  await expect(failure).toContainText('This is in the way:')
  await expect(failure.getByRole('listitem')).toHaveCount(1)
  await expect(failure.getByRole('listitem')).toContainText(new URL(gone.baseURL).host)
  await failure.getByRole('button', { name: 'Ask again' }).click()
  await expect(page.getByText('This is in the way:')).toBeHidden()
})

test('stop ends a run, and the next one works', async ({ openDemo }) => {
  const page = await openDemo()
  await tryScene(page, 'Reload me')
  await expect(calls(page, 'book_delivery')).toContainText('Asking the courier')
  await page.getByRole('button', { name: 'Stop' }).click()
  await hasEnded(page)
  await expect(page.getByText('Stopped', { exact: true }).first()).toBeVisible()
  await tryScene(page, 'A tool that fails')
  await hasEnded(page)
  await expect(messages(page)).toContainText('the run went on')
})

test('conversations are listed, renamed, opened again and deleted', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await tryScene(page, 'A tool that fails')
  await hasEnded(page)
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await expect(page.getByText('What can I do for you?')).toBeVisible()
  await page.getByRole('button', { name: 'History' }).click()
  const list = page.getByRole('region', { name: 'Conversations' })
  await list.getByRole('button', { name: 'Rename Use the coupon' }).click()
  await list.getByLabel('New title').fill('Coupons')
  await page.keyboard.press('Enter')
  await list.getByRole('button', { name: 'Coupons', exact: false }).first().click()
  await expect(messages(page)).toContainText('the run went on')
  await page.getByRole('button', { name: 'History' }).click()
  await list.getByRole('button', { name: 'Delete Coupons' }).click()
  await expect(list).toContainText('No conversations yet')
})

test('the shop works by hand, and a reload keeps it', MORE, async ({ openDemo }) => {
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
})

test(
  'on a narrow screen the chat is a sheet that keys can open and close',
  MORE,
  async ({ openDemo, page }) => {
    await page.setViewportSize({ width: 380, height: 760 })
    await openDemo()
    const chat = page.getByRole('complementary', { name: 'Agent' })
    await expect(chat).toBeHidden()
    await page.getByRole('button', { name: 'Ask the agent' }).press('Enter')
    await expect(chat).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(chat).toBeHidden()
    await expect(page.getByRole('button', { name: 'Ask the agent' })).toBeFocused()
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBe(0)
  },
)

test('everything that can be used has a name and a role', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await tryScene(page, 'An order to approve')
  await expect(messages(page).getByRole('button', { name: 'Approve' })).toBeVisible()
  await expect(page.getByRole('main')).toBeVisible()
  await expect(page.getByRole('banner')).toBeVisible()
  await expect(page.getByText('The agent asks for your approval: Place the order')).toHaveRole(
    'status',
  )
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
