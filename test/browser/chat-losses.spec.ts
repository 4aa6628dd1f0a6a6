import { damage, expect, replies, test } from './support/chat-page.ts'
import { callTools, say } from './support/mock-answers.ts'
import { MORE } from './support/more.ts'

// Messages that the chat shows, in plain words, when servers refuse, change or fail.

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test(
  'a picture that the model can’t read is reported as left out, with the server’s message',
  MORE,
  async ({ openChat, model }) => {
    const refused = 'image input is not supported by this model'
    model.enqueue({ status: 400, body: { error: { message: refused } } }, say('What picture?'))
    const { page, send, again } = await openChat(model)
    await page.locator('input[type=file]').setInputFiles({
      name: 'mug.png',
      mimeType: 'image/png',
      buffer: Buffer.from(PIXEL, 'base64'),
    })
    await send('Look')
    await expect(replies(page)).toContainText('What picture?')
    const note = page.getByText('Pictures and files were left out: this model can’t read them.')
    await expect(note).toBeVisible()
    await expect(page.getByText(refused)).toBeHidden()
    await note.click()
    await expect(page.getByText(refused)).toBeVisible()
    await again()
    await note.click()
    await expect(page.getByText(refused)).toBeVisible()
  },
)

const changes: readonly (readonly [plain: string, refusal: string, times: number])[] = [
  ['Tools are sent to this model as text.', 'mock does not support tools', 1],
  // First what loses nothing is changed, then options are left out.
  ['The model’s server refused parts of the request.', 'Bad request.', 2],
]

for (const [plain, refusal, times] of changes)
  test(
    `a request that was changed is reported after a reload, too: ${plain}`,
    MORE,
    async ({ openChat, model }) => {
      for (let time = 0; time < times; time++)
        model.enqueue({ status: 400, body: { error: { message: refusal } } })
      model.enqueue(say('Done.'))
      const { baseURL } = model
      const { page, send, again } = await openChat(model, {
        agent: { model: { provider: 'openai-compatible', model: 'mock', baseURL, temperature: 0 } },
      })
      await send('Go')
      await expect(page.getByText(plain)).toBeVisible()
      await expect(page.getByText(refusal)).toBeHidden()
      await again()
      await expect(page.getByText(plain)).toBeVisible()
    },
  )

test(
  'unreadable parts of a conversation are reported as left out',
  MORE,
  async ({ openChat, model }) => {
    model.enqueue(say('One.'), say('Two.'))
    const { page, send, again } = await openChat(model)
    await send('First')
    await expect(replies(page)).toContainText(['One.'])
    await send('Second')
    await expect(replies(page)).toContainText(['One.', 'Two.'])
    const notice = page
      .locator('.notices')
      .getByText('Parts of this conversation are damaged and left out.')
    await again()
    await expect(replies(page)).toContainText(['One.', 'Two.'])
    await expect(notice).toHaveCount(0)
    await page.evaluate(damage, { type: 'run-ended' })
    await again()
    await expect(replies(page)).toContainText(['One.', 'Two.'])
    await expect(notice).toBeVisible()
  },
)

const failures: readonly (readonly [number, string, string])[] = [
  [401, 'Incorrect API key provided: sk-***', 'The API key was not accepted.'],
  [404, 'The model `mock` does not exist', 'The model was not found.'],
  [402, 'insufficient_quota', 'The account has reached its limit.'],
]

for (const [status, words, plain] of failures)
  test(
    `a server's ${status} is explained in plain words, with the server's own message as details`,
    MORE,
    async ({ openChat, model }) => {
      const refusal = { status, body: { error: { message: words } } }
      // A key that is refused is asked for again.
      model.enqueue(refusal, refusal)
      const { page, send } = await openChat(model)
      await send('Go')
      const card = page.getByRole('log').getByRole('group', { name: 'Something went wrong.' })
      await expect(card.locator('> p')).toHaveText(plain)
      await expect(page.getByText(words)).toBeHidden()
      await page.getByText('Details', { exact: true }).click()
      await expect(page.getByText(words)).toBeVisible()
    },
  )

test(
  'a table wider than a phone scrolls, and breaks no word',
  MORE,
  async ({ openChat, model }) => {
    const words = ['Availability', 'Manufacturer', 'Recommendation', 'Responsibilities']
    const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
    const table = [row(words), row(words.map(() => '-')), row(words)].join('\n')
    model.enqueue(say(table))
    const { page, send } = await openChat(model)
    await page.setViewportSize({ width: 390, height: 700 })
    await send('Compare')
    const cells = replies(page).locator('th, td')
    await expect(cells).toHaveText([...words, ...words])
    // A word in one piece has one box.
    const boxes = await cells.evaluateAll((all) =>
      all.map((cell) => {
        const range = document.createRange()
        range.selectNodeContents(cell)
        return range.getClientRects().length
      }),
    )
    expect(new Set(boxes)).toEqual(new Set([1]))
    const frame = replies(page).locator('.table')
    const [inner, outer] = await frame.evaluate((box) => [box.scrollWidth, box.clientWidth])
    expect(inner).toBeGreaterThan(outer ?? 0)
    const log = page.getByRole('log')
    expect(await log.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
  },
)

test(
  'tables fit the answer, code shows that it scrolls, and steps of one turn are grouped',
  MORE,
  async ({ openChat, model }) => {
    const table = '| a | b |\n| - | - |\n| 1 | 2 |'
    const code = `\`\`\`js\n${'const long = 1; '.repeat(20)}\n\`\`\``
    model.enqueue(
      callTools([{ name: 'read_reviews', input: {} }], { text: 'I look.' }),
      say(`${table}\n\n${code}`),
    )
    const { page, send } = await openChat(model, { attributes: 'placement=panel' })
    await send('Compare')
    const answer = replies(page).last()
    await expect(answer.locator('pre')).toContainText('const long')
    await expect(page.getByRole('log').locator('.day')).toHaveText('today')
    const widthOf = (selector: string) =>
      answer.locator(selector).evaluate((element) => element.getBoundingClientRect().width)
    expect(await widthOf('table')).toBe(await widthOf('.markdown'))
    expect(
      await answer.locator('pre').evaluate((pre) => getComputedStyle(pre).backgroundImage),
    ).toMatch(/^linear-gradient.*linear-gradient/)

    const step = replies(page).first()
    const row = page.getByRole('group', { name: 'Read the reviews' })
    const [text, call] = [await step.locator('.content').boundingBox(), await row.boundingBox()]
    expect((call?.y ?? 0) - (text?.y ?? 0) - (text?.height ?? 0)).toBeLessThan(24)
    // The buttons of the step are in reach all the same.
    await step.hover()
    await step.getByRole('button', { name: 'Copy' }).click()
    await expect(step.getByRole('button', { name: 'Copied' })).toBeVisible()
  },
)
