import { expect, replies, test } from './support/chat-page.ts'
import { say } from './support/mock-answers.ts'
import { MORE } from './support/more.ts'

// What a person is told, in plain words, of servers that refuse, change or fail.

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test(
  'a picture that the model can’t read is said to be left out, with the server’s words as details',
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

test('tools that the model gets as text only are said to be', MORE, async ({ openChat, model }) => {
  const refused = 'mock does not support tools'
  model.enqueue({ status: 400, body: { error: { message: refused } } }, say('Done.'))
  const { page, send, again } = await openChat(model)
  await send('Go')
  await expect(page.getByText('Tools are sent to this model as text.')).toBeVisible()
  await expect(page.getByText(refused)).toBeHidden()
  await again()
  await expect(page.getByText('Tools are sent to this model as text.')).toBeVisible()
})

/** Makes one stored row of a type unreadable. Runs in the page. */
async function damage(type: string): Promise<void> {
  const rows = await new Promise<IDBObjectStore>((resolve) => {
    const request = indexedDB.open('offstage-2:offstage')
    request.addEventListener('success', () =>
      resolve(request.result.transaction('rows', 'readwrite').objectStore('rows')),
    )
  })
  await new Promise<void>((resolve) => {
    const request = rows.openCursor()
    request.addEventListener('success', () => {
      const cursor = request.result
      const row = cursor?.value as { type: string } | undefined
      if (cursor && row?.type !== type) return cursor.continue()
      cursor?.update({ ...row, end: 'damaged' })
    })
    rows.transaction.addEventListener('complete', () => {
      rows.transaction.db.close()
      resolve()
    })
  })
}

test(
  'parts of a conversation that can’t be read are said to be left out',
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
    await page.evaluate(damage, 'run-ended')
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
    `a server's ${status} is told in plain words, with its own words as details`,
    MORE,
    async ({ openChat, model }) => {
      const refusal = { status, body: { error: { message: words } } }
      // A key that is refused is asked for again.
      model.enqueue(refusal, refusal)
      const { page, send } = await openChat(model)
      await send('Go')
      const card = page.getByRole('log').getByRole('group', { name: 'Something went wrong.' })
      await expect(card.locator('> p')).toHaveText(`Something went wrong. ${plain}`)
      await expect(page.getByText(words)).toBeHidden()
      await page.getByText('Details', { exact: true }).click()
      await expect(page.getByText(words)).toBeVisible()
    },
  )

test(
  'a table that is wider than a phone scrolls, and breaks no word',
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
