import type { Page } from '@playwright/test'
import { copilots } from '../consumers/copilots.ts'
import { buildPanel, panels } from '../consumers/panels.ts'
import { packPackage } from '../consumers/prepare-app.ts'
import { serveFolder, type ServedApp } from '../consumers/serve-app.ts'
import { callTools, say } from './support/mock-answers.ts'
import type { MockOpenAI, MockResponse } from './support/mock-openai.ts'
import { expect, test } from './support/test.ts'
import { MORE } from './support/more.ts'

/** `npm run test:consumers` tests all panels of docs/frameworks.md; `npm run test:more` only the quick ones. */
const all = process.env.OFFSTAGE_CONSUMERS === 'all'

// Tests run one after another, because they share a folder and the tarball.
test.describe.configure({ mode: 'default', timeout: 600_000 })

let tarball = ''
test.beforeAll(async () => {
  tarball = await packPackage('packed-for-panels')
})

for (const panel of panels.filter(({ slow }) => all || !slow)) {
  test.describe(`the panel of the guide: ${panel.title}`, MORE, () => {
    let served: ServedApp | undefined
    const errors: string[] = []

    test.beforeAll(async () => {
      served = await serveFolder(await buildPanel(panel, tarball))
    })
    test.afterAll(() => served?.close())
    test.beforeEach(({ context }) => {
      errors.length = 0
      context.on('weberror', (error) => errors.push(error.error().message))
      context.on('console', (line) => {
        if (['error', 'warning'].includes(line.type())) errors.push(line.text())
      })
    })

    const open = async (page: Page, model: MockOpenAI): Promise<Shown> => {
      await page.goto(`${served?.url}${panel.name}.html?model=${encodeURIComponent(model.baseURL)}`)
      return shownOn(page)
    }

    test('shows text as it streams, and stops it', async ({ page, model }) => {
      model.enqueue(unfinished('Once upon a time'), say('And so on, to the end.', { paceMs: 20 }))
      const { field, log, press, send, stop, turns } = await open(page, model)
      await field.press('Enter')
      await expect(turns).toHaveCount(0)

      await field.fill('Tell me a story')
      // While the conversation loads, its button is disabled, and Enter does nothing.
      await expect(send).toBeEnabled()
      await field.press('Enter')
      await expect(turns).toHaveText(['Tell me a story', 'Once upon a time'])
      await expect(log).toHaveAttribute('aria-busy', 'true')
      await expect(field).toHaveValue('')
      await expect(send).toBeDisabled()
      await press('Stop')
      await expect(stop).toBeHidden()
      await expect(log).toHaveAttribute('aria-busy', 'false')
      await expect(turns).toHaveText(['Tell me a story', 'Once upon a time'])

      const changes = await watchChanges(page)
      await field.fill('Go on')
      await press('Send')
      await expect(turns.last()).toHaveText('And so on, to the end.')
      await expect(stop).toBeHidden()
      // Nothing else than the new messages was touched, and the one that was written stayed in its place.
      expect(await changes()).toEqual({ earlier: 0, added: 2 })
      expect(errors).toEqual([])
    })

    test(
      'requests approval before a call, and shows the outcome',
      MORE,
      async ({ page, model }) => {
        const add = (name: string) => callTools([{ name: 'add_item', input: { name } }])
        model.enqueue(add('mug'), say('I have added it.'), add('spoon'), say('Then not.'))
        const { calls, field, press, stop, turns } = await open(page, model)
        await field.fill('A mug')
        await press('Send')
        await expect(calls).toContainText('Add an item: awaiting-approval')
        await expect(calls).toContainText('mug')
        await expect(stop).toBeVisible()
        await press('Allow')
        await expect(turns.last()).toHaveText('I have added it.')
        await expect(calls).toContainText('Add an item: succeeded')
        await expect(page.getByRole('listitem')).toHaveText(['mug'])

        await field.fill('A spoon')
        await press('Send')
        await expect(calls.last()).toContainText('Add an item: awaiting-approval')
        await press('Refuse')
        await expect(turns.last()).toHaveText('Then not.')
        await expect(calls.last()).toContainText('Add an item: denied')
        await expect(page.getByRole('listitem')).toHaveText(['mug'])
        expect(errors).toEqual([])
      },
    )

    test('shows a question, and sends the answer in place', async ({ page, model }) => {
      const input = { question: 'Which colour?' }
      model.enqueue(callTools([{ name: 'ask_user', input }]), say('Blue it is.'))
      const { field, log, press, turns } = await open(page, model)
      await field.fill('Paint it')
      await press('Send')
      await expect(log).toContainText('Which colour?')
      await field.fill('Blue')
      await press('Send')
      await expect(turns.last()).toHaveText('Blue it is.')
      expect(JSON.stringify(model.requests[1]?.body.messages)).toContain('Blue')
      expect(errors).toEqual([])
    })

    test('shows why a run failed, until the next run', MORE, async ({ page, model }) => {
      const message = 'There is no such model'
      model.enqueue({ status: 404, body: { error: { message } } }, say('Here I am.'))
      const { field, press, turns } = await open(page, model)
      await field.fill('Hello')
      await press('Send')
      await expect(page.getByRole('alert')).toContainText(message)
      await field.fill('Hello?')
      await press('Send')
      await expect(turns.last()).toHaveText('Here I am.')
      await expect(page.getByRole('alert').filter({ hasText: message })).toBeHidden()
    })

    test('resumes after a reload', async ({ page, model }) => {
      model.enqueue(callTools([{ name: 'add_item', input: { name: 'mug' } }]), say('Added.'))
      const { calls, field, press, turns } = await open(page, model)
      await field.fill('A mug')
      await press('Send')
      await expect(calls).toContainText('awaiting-approval')
      await page.reload()
      await expect(calls).toContainText('awaiting-approval')
      await press('Allow')
      await expect(turns.last()).toHaveText('Added.')
      await expect(page.getByRole('listitem')).toHaveText(['mug'])
      expect(errors).toEqual([])
    })

    test("shows another tab's run, and takes it over", MORE, async ({ page, context, model }) => {
      model.enqueue(unfinished('Written there'), say('Written here.'))
      const there = await open(page, model)
      await there.field.fill('Hello')
      await there.press('Send')
      await expect(there.turns.last()).toHaveText('Written there')

      const here = await open(await context.newPage(), model)
      await expect(here.turns).toHaveText(['Hello', 'Written there'])
      await expect(there.takeOver).toBeHidden()
      await here.press('Take over')
      await expect(here.turns).toHaveText(['Hello', 'Written here.'])
      await expect(there.turns).toHaveText(['Hello', 'Written here.'])
      await expect(here.takeOver).toBeHidden()
      expect(errors).toEqual([])
    })

    test('follows the given conversation, and none once it is deleted', async ({ page, model }) => {
      model.enqueue(say('Hello.'), say('Hello, other.'))
      const { field, press, turns } = await open(page, model)
      await field.fill('Hello')
      await press('Send')
      await expect(turns).toHaveText(['Hello', 'Hello.'])
      expect(await listeners(page)).toBe(1)

      await page.evaluate(() => window.panel.open('other'))
      await expect(turns).toHaveCount(0)
      await field.fill('Hello, too')
      await press('Send')
      await expect(turns).toHaveText(['Hello, too', 'Hello, other.'])
      expect(await listeners(page)).toBe(1)
      await page.evaluate(() => window.panel.open('chat'))
      await expect(turns).toHaveText(['Hello', 'Hello.'])

      await page.evaluate(() => window.panel.close())
      await expect.poll(() => listeners(page)).toBe(0)
      expect(errors).toEqual([])
    })
  })
}

for (const copilot of copilots.filter(({ fast }) => all || fast)) {
  test(`the copilot of the guide: ${copilot.title}`, MORE, async ({ page, model }) => {
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (line) => {
      if (['error', 'warning'].includes(line.type())) errors.push(line.text())
    })
    const { tool, input, output } = copilot.call
    model.enqueue(callTools([{ name: tool, input }]), say('So it is.'))
    const served = await copilot.serve(tarball)
    await page.goto(`${served.url}${copilot.page}?model=${encodeURIComponent(model.baseURL)}`)
    const chat = page.locator('offstage-chat')
    await expect(chat).toContainText('Helper')
    await chat.getByRole('textbox', { name: 'Message' }).fill('Please do')
    await chat.getByRole('button', { name: 'Send' }).click()
    await expect(chat).toContainText('So it is.')
    expect(JSON.stringify(model.requests[1]?.body)).toContain(output)
    await page.reload()
    await expect(chat).toContainText('So it is.')
    await expect(chat).toContainText('Please do')
    expect(model.requests).toHaveLength(2)
    expect(errors).toEqual([])
    await served.close()
  })
}

declare global {
  interface Window {
    /** Controls that a panel's page offers to tests: see page.ts of the app. */
    panel: { open(id: string): void; close(): void; listeners(): number }
  }
}

type Shown = ReturnType<typeof shownOn>

/** Locators for a panel's elements, by role and name. */
function shownOn(page: Page) {
  const log = page.getByRole('log')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  return {
    log,
    turns: log.getByRole('article').filter({ visible: true }),
    calls: log.getByRole('group', { name: 'Add an item' }),
    field: page.getByRole('textbox', { name: 'Message' }),
    send: button('Send'),
    stop: button('Stop'),
    takeOver: button('Take over'),
    press: (name: string) => button(name).click(),
  }
}

/** An answer that never ends. */
function unfinished(text: string): MockResponse {
  return { pieces: say(text).pieces?.slice(0, -1) ?? [], end: 'hang' }
}

function listeners(page: Page): Promise<number> {
  return page.evaluate(() => window.panel.listeners())
}

/** Counts changes from now on: in the messages there are, and messages that came. */
async function watchChanges(page: Page): Promise<() => Promise<object>> {
  const counts = await page.evaluateHandle(() => {
    const log = document.querySelector('[role=log]')
    const earlier = [...document.querySelectorAll('article')]
    const counts = { earlier: 0, added: 0 }
    new MutationObserver((records) => {
      for (const { target, addedNodes } of records) {
        if (earlier.some((article) => article.contains(target))) counts.earlier += 1
        if (target === log)
          counts.added += [...addedNodes].filter(({ nodeName }) => nodeName === 'ARTICLE').length
      }
    }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
    return counts
  })
  return () => counts.jsonValue()
}
