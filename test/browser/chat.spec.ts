import type { OffstageChat } from '../../src/ui/chat/index.ts'
import type { EngineContext } from '../../src/engines/index.ts'
import {
  begin,
  expect,
  order,
  orders,
  own,
  press,
  replies,
  test,
  unfinished,
} from './support/chat-page.ts'
import { callTools, say } from './support/mock-answers.ts'
import { pressSettled, pressTwiceSettled } from './support/press-settled.ts'
import { MORE } from './support/more.ts'

test('an answer is shown as it streams, and can be stopped', async ({ openChat, model }) => {
  model.enqueue(unfinished('Once **upon** a time'), say('Again.'))
  const { page, send } = await openChat(model)
  await send('Tell me a story')
  await expect(own(page)).toContainText('Tell me a story')
  await expect(replies(page).locator('strong')).toHaveText('upon')
  await expect(page.getByRole('log')).toHaveAttribute('aria-busy', 'true')
  await press(page, 'Stop')
  await expect(replies(page)).toContainText('Stopped')
  await send('Once more')
  await expect(replies(page).last()).toContainText('Again.')
})

test('after a reload, a waiting call is denied with a reason or approved with edits', async ({
  openChat,
  model,
}) => {
  model.enqueue(order('mug'), say('Not ordered.'), order('bowl'), say('It is ordered.'))
  const { page, send } = await openChat(model)
  await send('A mug')
  const card = page.getByRole('group', { name: 'Place the order' })
  await expect(card).toContainText(/Sku\s*mug/)
  await page.reload()
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
  await begin(page, model)
  await expect(card).toContainText('Waiting for you')
  await press(page, 'Deny')
  await page.getByRole('textbox', { name: 'Reason' }).fill('Too dear')
  await press(page, 'Deny')
  await expect(replies(page).last()).toContainText('Not ordered.')
  await expect(card).toContainText('Denied')
  expect(JSON.stringify(model.requests[1]?.body.messages)).toContain('Too dear')

  await send('A bowl')
  await expect(card.last()).toContainText(/Sku\s*bowl/)
  await press(page, 'Edit')
  const field = card.last().getByRole('textbox', { name: 'Sku' })
  await expect(field).toBeFocused()
  await expect(card.last().getByRole('button', { name: 'Approve', exact: true })).toHaveCount(0)
  await field.fill('cup')
  await press(page, 'Done')
  await expect(card.last()).toContainText(/Sku\s*cup/)
  await press(page, 'Approve')
  await expect(replies(page).last()).toContainText('It is ordered.')
  expect(await orders(page)).toEqual([{ sku: 'cup' }])
})

test("a person's press approves, and a script's does not", async ({ openChat, model }) => {
  model.enqueue(order('mug'), say('It is ordered.'))
  const { page, send } = await openChat(model, { consent: 'person' })
  await send('A mug')
  const approve = page.getByRole('button', { name: 'Approve', exact: true })
  await expect(approve).toBeVisible()
  await page.evaluate(() => {
    const root = document.querySelector('offstage-chat')?.shadowRoot
    const button = [...(root?.querySelectorAll('button') ?? [])].find(
      ({ textContent }) => textContent?.trim() === 'Approve',
    )
    button?.click()
  })
  await expect(page.getByRole('alert')).toContainText('click')
  expect(await orders(page)).toEqual([])
  await pressSettled(approve)
  await expect(replies(page).last()).toContainText('It is ordered.')
  expect(await orders(page)).toEqual([{ sku: 'mug' }])
})

test(
  'several calls share a card: one answered, others by one press, none by a second click',
  MORE,
  async ({ openChat, model }) => {
    const skus = ['mug', 'bowl', 'cup']
    model.enqueue(
      callTools(skus.map((sku) => ({ name: 'order', input: { sku } }))),
      say('All ordered.'),
    )
    const { page, send } = await openChat(model, { consent: 'person' })
    await send('Everything')
    const card = page.getByRole('group', { name: 'Waiting for you: 3' })
    const one = card.getByRole('group', { name: 'Place the order' }).first()
    await expect(one).toContainText(/Sku\s*mug/)
    const approve = one.getByRole('button', { name: 'Approve', exact: true })
    await pressTwiceSettled(approve)
    const rest = page.getByRole('group', { name: 'Waiting for you: 2' })
    await expect(rest).toContainText(/Sku\s*bowl/)
    expect(await orders(page)).toHaveLength(1)
    await press(page, 'Approve all')
    await expect(replies(page).last()).toContainText('All ordered.')
    expect(await orders(page)).toHaveLength(3)
  },
)

test('a card that has just appeared or moved ignores pointer presses', async ({
  openChat,
  model,
}) => {
  model.enqueue(order('mug'), say('It is ordered.'))
  const { page, send } = await openChat(model)
  await page.evaluate(() => {
    const root = document.querySelector('offstage-chat')?.shadowRoot
    const seen: number[] = []
    Object.assign(window, { seen })
    let since = 0
    new MutationObserver(() => {
      const row = root?.querySelector<HTMLElement>('.approval .buttons')
      if (row?.inert) since ||= performance.now()
      else if (row && since) {
        seen.push(performance.now() - since)
        since = 0
      }
    }).observe(root ?? document, { subtree: true, childList: true, attributes: true })
  })
  await send('A mug')
  await press(page, 'Approve')
  await expect(replies(page).last()).toContainText('It is ordered.')
  const [rested = 0] = await page.evaluate(() => (window as unknown as { seen: number[] }).seen)
  expect(rested).toBeGreaterThan(400)
})

test('a link to another site asks first, once the conversation has untrusted content', async ({
  openChat,
  model,
}) => {
  const link = '[A bargain](https://evil.test/?secret=1)'
  model.enqueue(callTools([{ name: 'read_reviews', input: {} }]), say(link))
  const { page, send } = await openChat(model)
  await send('Read the reviews')
  await replies(page).getByRole('link', { name: 'A bargain' }).click()
  const notice = page.getByRole('alert')
  await expect(notice).toContainText('https://evil.test/?secret=1')
  expect(page.context().pages()).toHaveLength(1)
  await notice.getByRole('button', { name: 'Cancel' }).click()
  await expect(notice).toHaveCount(0)
})

test('questions are answered by a choice, a text or a form', async ({ openChat, model }) => {
  const ask = (input: object) => callTools([{ name: 'ask_user', input }])
  model.enqueue(
    ask({ question: 'Which colour?', options: ['Blue', 'Red'] }),
    ask({ question: 'Whose is it?' }),
    ask({
      question: 'Where to?\nIt is free.',
      fields: {
        type: 'object',
        properties: {
          size: { type: 'string', title: 'Size', enum: ['S', 'L'] },
          town: { type: 'string', title: 'Town' },
          count: { type: 'integer', title: 'How many' },
          wrap: { type: 'boolean', title: 'Wrapped' },
        },
        required: ['town'],
      },
    }),
    say('Thank you.'),
  )
  const { page, send } = await openChat(model)
  await send('Go')
  await press(page, 'Red')
  await expect(page.getByText('Whose is it?', { exact: true })).toBeVisible()
  await page.getByRole('textbox', { name: 'Answer' }).fill('Mine')
  await press(page, 'Answer')
  const question = page.locator('.question p')
  await expect.poll(() => question.textContent()).toBe('Where to?\nIt is free.')
  // Opens it on Windows, so it isn't a step to another message.
  const size = page.getByRole('combobox', { name: 'Size' })
  await size.press('Alt+ArrowUp')
  await expect(size).toBeFocused()
  await page.keyboard.press('Escape')
  await page.getByRole('textbox', { name: 'Town' }).fill('Delft')
  await page.getByRole('spinbutton', { name: 'How many' }).fill('3')
  await page.getByRole('checkbox', { name: 'Wrapped' }).check()
  await press(page, 'Answer')
  await expect(replies(page).last()).toContainText('Thank you.')
  const sent = JSON.stringify(model.requests.at(-1)?.body.messages)
  for (const text of ['Red', 'Mine', 'Delft', 'count', 'wrap']) expect(sent).toContain(text)
})

test('a message is edited into a branch, an answer is regenerated, and both can be switched', async ({
  openChat,
  model,
}) => {
  model.enqueue(say('One.'), say('Two.'), say('Three.'))
  const { page, send } = await openChat(model)
  await send('First')
  await expect(replies(page)).toContainText('One.')
  await press(page, 'Edit')
  await page.locator('.editor').getByRole('textbox').fill('First, edited')
  await page.locator('.editor').getByRole('button', { name: 'Send' }).click()
  await expect(replies(page)).toContainText('Two.')
  await expect(own(page)).toContainText('First, edited')
  await press(page, 'Regenerate')
  await expect(replies(page)).toContainText('Three.')
  await replies(page).getByRole('button', { name: 'Previous version' }).click()
  await expect(replies(page)).toContainText('Two.')
  await own(page).getByRole('button', { name: 'Previous version' }).click()
  await expect(replies(page)).toContainText('One.')
})

test(
  'a message sent during a run steers it, and can be withdrawn',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(order('mug'), say('It is ordered.'))
    const { page, send } = await openChat(model)
    await send('A mug')
    await expect(page.getByRole('group', { name: 'Place the order' })).toBeVisible()
    await send('In blue')
    const queue = page.getByRole('list', { name: 'Queued' })
    await expect(queue).toContainText('In blue')
    await press(page, 'Remove')
    await expect(queue).toBeHidden()
    await send('In red')
    await expect(queue).toContainText('In red')
    await press(page, 'Approve')
    await expect(replies(page).last()).toContainText('It is ordered.')
    expect(JSON.stringify(model.requests[1]?.body.messages)).toContain('In red')
    expect(JSON.stringify(model.requests[1]?.body.messages)).not.toContain('In blue')
  },
)

test(
  'conversations are listed, searched, renamed, and deleted unless undone',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(say('One.'), say('Two.'))
    const { page, send } = await openChat(model)
    await send('About mugs')
    await expect(replies(page)).toContainText('One.')
    // The beginning of the first message would be there twice.
    const title = page.locator('.title')
    await expect(title).toHaveText('')
    await press(page, 'New conversation')
    await expect(replies(page)).toHaveCount(0)
    await send('About bowls')
    await expect(replies(page)).toContainText('Two.')
    await press(page, 'Conversations')
    const list = page.getByRole('region', { name: 'Conversations' })
    await expect(list.getByRole('listitem')).toHaveCount(2)
    await list.getByRole('searchbox').press('Escape')
    await expect(list).toBeHidden()
    await expect(page.getByRole('button', { name: 'Conversations', expanded: false })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(list.getByRole('listitem')).toHaveCount(2)
    await list.getByRole('searchbox').fill('mug')
    await expect(list.getByRole('listitem')).toHaveCount(1)
    await list.getByRole('button', { name: 'Rename: About mugs' }).click()
    await list.getByRole('textbox', { name: 'Rename' }).fill('Mugs')
    await list.getByRole('textbox', { name: 'Rename' }).press('Enter')
    await expect(list.getByRole('button', { name: 'Mugs', exact: true })).toBeVisible()
    await list.getByRole('button', { name: 'Delete: Mugs' }).click()
    await expect(list.getByRole('listitem')).toHaveCount(0)
    await list.getByRole('button', { name: 'Undo' }).click()
    await list.getByRole('button', { name: 'Mugs', exact: true }).click()
    await expect(replies(page)).toContainText('One.')
    await expect(title).toHaveText('Mugs')
  },
)

test('a failed run shows its reason, and can be retried', async ({ openChat, model }) => {
  model.enqueue({ status: 404, body: { error: { message: 'No such model' } } }, say('Here I am.'))
  const { page, send } = await openChat(model)
  await send('Hello')
  const card = page.getByRole('log').getByRole('group', { name: 'Something went wrong.' })
  await expect(card).toContainText('The model was not found.')
  await press(page, 'Retry')
  await expect(replies(page)).toContainText('Here I am.')
  await expect(card).toHaveCount(0)
})

test('a draft and the open conversation survive a reload, and an interrupted run visibly resumes', async ({
  openChat,
  model,
}) => {
  model.enqueue(say('One.'), unfinished('Half of **two**'), unfinished('And on'))
  const { page, send } = await openChat(model)
  await send('Hello')
  await expect(replies(page)).toContainText('One.')
  await send('More')
  await expect(replies(page).locator('strong')).toHaveText('two')
  await page.getByRole('textbox', { name: 'Message' }).fill('Half a sen')
  await page.reload()
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
  await begin(page, model)
  await expect(replies(page).last()).toContainText('And on')
  await expect(replies(page).first()).toContainText('One.')
  await expect(page.getByRole('textbox', { name: 'Message' })).toHaveValue('Half a sen')
  const resumed = page.locator('.notices').getByText('Interrupted – resuming…')
  await expect(resumed).toBeVisible()
  await press(page, 'Stop')
  await expect(resumed).toBeHidden()
})

test("the chat announces that the model is thinking, until each step's first text", async ({
  openChat,
  model,
}) => {
  const silent = { pieces: [], end: 'hang' } as const
  model.enqueue(silent)
  const { page, send } = await openChat(model)
  await page.evaluate(() => {
    const said: string[] = []
    const region = document
      .querySelector('offstage-chat')
      ?.shadowRoot?.querySelector('.announcements')
    if (region)
      new MutationObserver((records) => {
        for (const node of records.flatMap(({ addedNodes }) => [...addedNodes]))
          said.push(node.textContent ?? '')
      }).observe(region, { childList: true })
    Object.assign(window, { said })
  })
  const thinking = page.locator('.thinking')
  await send('Hello')
  await expect(thinking).toHaveText('Thinking…')
  const said = () => page.evaluate(() => (window as unknown as { said: string[] }).said)
  await expect.poll(said).toEqual(['Thinking…'])
  await press(page, 'Stop')
  await expect(thinking).toHaveCount(0)

  model.enqueue(unfinished('Here I'))
  await send('Again')
  await expect(replies(page).last()).toContainText('Here I')
  await expect(thinking).toHaveCount(0)
})

test('feedback buttons appear if enabled, and one press is one event', async ({
  openChat,
  model,
}) => {
  model.enqueue(say('One.'))
  const { page, send } = await openChat(model)
  await send('Hello')
  await expect(replies(page)).toContainText('One.')
  const good = page.getByRole('button', { name: 'Good response' })
  await expect(good).toHaveCount(0)
  await page.evaluate(() => {
    const given: unknown[] = []
    const chat = document.querySelector('offstage-chat')
    if (!chat) return
    chat.answers = { feedback: true }
    chat.addEventListener('offstage-feedback', (event) =>
      given.push((event as CustomEvent<{ value: string }>).detail.value),
    )
    Object.assign(window, { given })
  })
  await good.click()
  await expect(good).toHaveAttribute('aria-pressed', 'true')
  expect(await page.evaluate(() => (window as unknown as { given: unknown[] }).given)).toEqual([
    'good',
  ])
})

test('a model loading in the browser shows progress, can be cancelled, and explains failures', async ({
  openChat,
  model,
}) => {
  const { page, send } = await openChat(model)
  await page.evaluate(async () => {
    const address = '/dist/engines.js'
    const { pageEngine } = await import(address)
    let turns = 0
    const engine = pageEngine({
      id: 'engine:tiny',
      async *stream(_request: unknown, _config: unknown, context: EngineContext) {
        turns++
        if (turns > 1)
          throw new window.offstage.OffstageError('network', 'Nobody is there.\n1. Look.\n2. Ask.')
        context.progress({ loaded: 3e6, total: 12e6, text: 'weights' })
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve))
        yield []
      },
    })
    const agent = window.offstage.createAgent({
      model: { provider: 'engine:tiny', model: 'tiny-1' },
      engines: [engine],
      worker: () => new Worker('/dist/worker.js', { type: 'module' }),
    })
    const chat = document.querySelector('offstage-chat')
    if (chat) chat.agent = agent
  })
  await send('Hello')
  const notice = page.locator('.loading')
  await expect(notice).toContainText('Loading the model tiny-1')
  await expect(notice).toContainText('25% · 3 MB / 12 MB · weights')
  await press(page, 'Cancel')
  await expect(notice).toHaveCount(0)
  await send('Again')
  const alert = page.locator('.failure > p')
  await expect(alert).toContainText('The model can’t be reached. Check that the server is running')
  await expect(page.locator('.announcements p').last()).toHaveText(
    /went wrong: The model can’t be reached\.$/,
  )
  const causes = page.getByText('Nobody is there.\n1. Look.\n2. Ask.', { exact: true })
  await expect(causes).toBeHidden()
  await page.getByText('Details').press('Enter')
  await expect(causes).toBeVisible()
  await expect(alert.getByText('Look')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible()
  await page.context().setOffline(true)
  await expect(page.getByRole('status').getByText('You’re offline')).toBeVisible()
  await expect(alert).not.toContainText('Is the server running')
  await page.context().setOffline(false)
})

test('a screen reader gets whole sentences, once, and pending approvals', async ({
  openChat,
  model,
}) => {
  model.enqueue(
    callTools([{ name: 'order', input: { sku: 'mug' } }], { text: 'I order **it**. One moment.' }),
    say('It is ordered.'),
  )
  const { page, send } = await openChat(model)
  await send('A mug')
  await press(page, 'Approve')
  await expect(replies(page).last()).toContainText('It is ordered.')
  const said = page.locator('.announcements p')
  await expect(said.last()).toHaveText('Done')
  // Announced where the model's first words came later than the first drawing.
  const texts = (await said.allTextContents()).filter((text) => text !== 'Thinking…')
  expect(texts.join(' ')).toBe(
    'I order it. One moment. Needs your approval: Place the order It is ordered. Done',
  )
})

test('a bubble opens and closes by Escape, while a run continues', async ({ openChat, model }) => {
  model.enqueue(say('Hello to you.'))
  const { page, send } = await openChat(model, { attributes: 'placement=bubble heading=Helper' })
  await page.getByRole('button', { name: 'Open the assistant' }).click()
  const dialog = page.getByRole('dialog', { name: 'Helper' })
  await expect(dialog.getByRole('textbox', { name: 'Message' })).toBeFocused()
  await send('Hello')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('button', { name: 'Open the assistant' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(replies(page)).toContainText('Hello to you.')
  // On a phone: in one line, and above a keyboard on the screen. Closed, it leaves the page to the person.
  await page.setViewportSize({ width: 390, height: 800 })
  await page.keyboard.press('Escape')
  await page.evaluate(() => document.querySelector('offstage-chat')?.removeAttribute('style'))
  const button = page.getByRole('button', { name: 'Open the assistant' })
  const place = await button.boundingBox()
  expect([(place?.x ?? 0) > 300, (place?.y ?? 0) > 700]).toEqual([true, true])
  expect(await page.evaluate(() => document.elementFromPoint(195, 300)?.localName)).toBe('html')
  await button.click()
  expect(await dialog.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 800 })
  const header = dialog.locator('.header')
  expect((await header.boundingBox())?.height).toBeLessThan(64)
  await expect(header.getByRole('button', { name: 'New conversation' })).toBeInViewport()
  await page.evaluate(() => {
    const { visualViewport: viewport } = window
    if (!viewport) return
    Object.defineProperty(viewport, 'height', { value: 420 })
    Object.defineProperty(viewport, 'offsetTop', { value: 30 })
    viewport.dispatchEvent(new Event('resize'))
  })
  const prompt = await dialog.getByRole('textbox', { name: 'Message' }).boundingBox()
  expect((prompt?.y ?? 0) + (prompt?.height ?? 0)).toBeLessThan(450)
  expect((await header.boundingBox())?.y).toBe(30)
})

test(
  'a host’s card shows the call in the page’s document, and answers it',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(order('mug'), say('It is ordered.'))
    const { page, send } = await openChat(model)
    await page.evaluate(() => {
      const chat = document.querySelector<OffstageChat>('offstage-chat')
      if (!chat) return
      chat.renderers = {
        order: (call, { container, respond }) => {
          const draw = ({ status, output }: typeof call): void => {
            container.textContent = `${status} ${JSON.stringify(output)}`
            if (status !== 'awaiting-approval') return
            const button = document.createElement('button')
            button.textContent = 'Buy'
            button.addEventListener('click', () => void respond(true))
            container.append(button)
          }
          draw(call)
          return { update: draw }
        },
      }
    })
    await send('A mug')
    const card = page.locator('offstage-chat > div')
    await pressSettled(card.getByRole('button', { name: 'Buy' }))
    await expect(card).toContainText('succeeded')
    await expect(card).toContainText('Ordered.')
    await expect(replies(page).last()).toContainText('It is ordered.')
  },
)

test('a host’s card with its own buttons hides ours, and ignores immediate presses', async ({
  openChat,
  model,
}) => {
  model.enqueue(order('mug'), say('It is ordered.'))
  const { page, send } = await openChat(model)
  await page.evaluate(() => {
    const chat = document.querySelector<OffstageChat>('offstage-chat')
    if (!chat) return
    chat.renderers = {
      order: ({ status }, { container, respond }) => {
        const buy = document.createElement('button')
        buy.textContent = 'Buy'
        let since = 0
        buy.addEventListener('click', () => {
          Object.assign(window, { waited: performance.now() - since })
          void respond(true)
        })
        const draw = (isAsked: boolean): void => {
          since ||= isAsked ? performance.now() : 0
          container.replaceChildren(...(isAsked ? [buy] : []))
        }
        draw(status === 'awaiting-approval')
        return { answers: true, update: (call) => draw(call.status === 'awaiting-approval') }
      },
    }
  })
  await send('A mug')
  await expect(page.getByRole('button', { name: 'Buy' })).toBeAttached()
  await expect(page.getByRole('button', { name: 'Approve' })).toHaveCount(0)
  await expect(page.locator('.approval').getByRole('button', { name: 'Edit' })).toHaveCount(0)
  await pressSettled(page.getByRole('button', { name: 'Buy' }))
  await expect(replies(page).last()).toContainText('It is ordered.')
  const waited = await page.evaluate(() => (window as unknown as { waited: number }).waited)
  expect(waited).toBeGreaterThan(400)
  expect(await orders(page)).toEqual([{ sku: 'mug' }])
})

test('a long answer stays at its beginning, and scrolling is not interrupted', async ({
  openChat,
  model,
}) => {
  const long = Array.from({ length: 80 }, (_, at) => `Paragraph ${at}.`).join('\n\n')
  model.enqueue(say(long), say('Short.'))
  const { page, send } = await openChat(model)
  const log = page.getByRole('log')
  // A screen reader's copy has the same words.
  const answer = page.getByRole('article', { name: 'Assistant' })
  const top = () => log.evaluate((element) => Math.round(element.scrollTop))
  await send('Go')
  await expect(answer.getByText('Paragraph 79.', { exact: true })).toBeAttached()
  await expect(answer.getByText('Paragraph 0.', { exact: true })).toBeInViewport()
  await expect(answer.getByText('Paragraph 79.', { exact: true })).not.toBeInViewport()
  await log.hover()
  await page.mouse.wheel(0, 600)
  await expect(page.getByRole('button', { name: 'Jump to latest' })).toBeVisible()
  const here = await top()
  await page.getByRole('textbox', { name: 'Message' }).pressSequentially('Some words')
  expect(await top()).toBe(here)
  await page.getByRole('button', { name: 'Jump to latest' }).click()
  await expect(answer.getByText('Paragraph 79.', { exact: true })).toBeInViewport()
  await page.getByRole('textbox', { name: 'Message' }).fill('More')
  await press(page, 'Send')
  await expect(replies(page).last()).toContainText('Short.')
  await expect(replies(page).last()).toBeInViewport()
})

test('each user action is an event that the page can cancel', async ({ openChat, model }) => {
  model.enqueue(order('mug'))
  const { page, send } = await openChat(model)
  await page.evaluate(() => {
    const seen: string[] = []
    Object.assign(window, { seen })
    for (const name of ['send', 'approve'])
      document.addEventListener(`offstage-${name}`, (event) => {
        seen.push(event.type)
        if (name === 'approve') event.preventDefault()
      })
  })
  await send('A mug')
  await press(page, 'Approve')
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { seen: string[] }).seen))
    .toEqual(['offstage-send', 'offstage-approve'])
  expect(await orders(page)).toEqual([])
  await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeEnabled()
})

test('Escape that ends a composition keeps an edited message', async ({ openChat, model }) => {
  model.enqueue(say('One.'))
  const { page, send } = await openChat(model)
  await send('First')
  await expect(replies(page)).toContainText('One.')
  await press(page, 'Edit')
  const field = page.locator('.editor').getByRole('textbox')
  await field.fill('First, edited')
  await field.evaluate((element) =>
    element.dispatchEvent(
      new KeyboardEvent('keydown', {
        key: 'Escape',
        isComposing: true,
        bubbles: true,
        composed: true,
        cancelable: true,
      }),
    ),
  )
  await expect(field).toHaveValue('First, edited')
})

test('a screen reader hears of a waiting call while the bubble is closed', async ({
  openChat,
  model,
}) => {
  model.enqueue(order('mug'))
  const { page } = await openChat(model, { attributes: 'placement=bubble' })
  await page.evaluate(() => document.querySelector('offstage-chat')?.send('A mug'))
  await expect(page.getByRole('button', { name: /Waiting for you: 1/ })).toBeVisible()
  await expect(page.locator('.announcements')).toContainText('Needs your approval')
})
