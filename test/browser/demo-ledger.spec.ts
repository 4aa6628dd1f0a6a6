import type { Locator, Page } from '@playwright/test'
import { findings } from './support/axe.ts'
import { ask, calls, messages, rows, stop, test } from './support/demo-page.ts'
import { MORE } from './support/more.ts'
import { pressSettled } from './support/press-settled.ts'
import { expect } from './support/test.ts'

test.describe.configure({ mode: 'default' })

const LEDGER = 'index.html?app=ledger'
const cell = (page: Page, field: string, id: string): Locator =>
  page.getByLabel(`${field} of INV-${id}`, { exact: true })
const invoices = (page: Page): Locator => page.locator('#invoices > tr')
const undo = (card: Locator): Locator => card.getByRole('button', { name: 'Undo' })

test('links lead from the shop to the ledger and back', MORE, async ({ openDemo }) => {
  const page = await openDemo()
  await page.getByRole('link', { name: 'Ledger' }).click()
  await expect(page.getByRole('heading', { name: 'Invoices' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Catalogue' })).toBeHidden()
  await expect(page.getByRole('link', { name: 'Ledger' })).toHaveAttribute('aria-current', 'page')
  await expect(messages(page)).toContainText("I'm Ledger's assistant")
  await expect(page.getByRole('main')).toHaveCount(1)
  await ask(page, 'Move INV-2037 to the 31st of September')
  await expect(messages(page)).toContainText('INV-2037 is dated 30 September.')
  await expect(cell(page, 'Date', '2037')).toHaveValue('2026-09-30')
  // Each app has conversations of its own.
  await page.getByRole('link', { name: 'Shop' }).click()
  await expect(messages(page)).toContainText("I'm Kiln's assistant")
  await expect(rows(page)).toHaveCount(0)
})

test('after a reload between two of many edits, each cell is edited once, and can be undone', async ({
  openDemo,
}) => {
  const page = await openDemo(LEDGER)
  await page.getByRole('button', { name: 'Fix the spelling of Harbor Café' }).click()
  await expect(cell(page, 'Customer', '2014')).toHaveValue('Harbor Café')
  await page.getByRole('button', { name: 'Reload page' }).click()
  await expect(messages(page)).toContainText('Every one reads “Harbor Café” now.')
  for (const id of ['2007', '2014', '2021', '2029'])
    await expect(cell(page, 'Customer', id)).toHaveValue('Harbor Café')
  const cards = calls(page, 'Edit a cell')
  await expect(cards).toHaveCount(4)
  const started = rows(page).filter({ hasText: 'call-settled' })
  await expect(started).toHaveCount(5)
  await expect(stop(page)).toBeHidden()
  await pressSettled(undo(cards.nth(1)))
  await expect(cell(page, 'Customer', '2014')).toHaveValue('Harbour Café')
  await expect(cell(page, 'Customer', '2007')).toHaveValue('Harbor Café')
})

test(
  'when a cell has changed since, its undo fails and leaves it as it is',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo(LEDGER)
    await ask(page, 'Move INV-2037 to the 31st of September')
    await expect(messages(page)).toContainText('INV-2037 is dated 30 September.')
    await expect(calls(page, 'Edit a cell').first()).toContainText('Failed')
    await expect(stop(page)).toBeHidden()
    await cell(page, 'Date', '2037').fill('2026-10-01')
    await cell(page, 'Date', '2037').press('Tab')
    await pressSettled(undo(calls(page, 'Edit a cell').last()))
    await expect(messages(page)).toContainText('has changed since, to “2026-10-01”')
    await expect(cell(page, 'Date', '2037')).toHaveValue('2026-10-01')
  },
)

test(
  'a composite call sets many cells through a reload; undo restores each of them',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo(LEDGER)
    await page.getByRole('button', { name: 'Mark all of Alder School as paid' }).click()
    await expect(cell(page, 'Status', '2016')).toHaveValue('paid')
    await page.getByRole('button', { name: 'Reload page' }).click()
    await expect(messages(page)).toContainText('Set 3 cells.')
    for (const id of ['2016', '2023', '2030'])
      await expect(cell(page, 'Status', id)).toHaveValue('paid')
    await expect(stop(page)).toBeHidden()
    await pressSettled(undo(calls(page, 'Set many cells')))
    await expect(cell(page, 'Status', '2016')).toHaveValue('sent')
    await expect(cell(page, 'Status', '2023')).toHaveValue('sent')
    await expect(cell(page, 'Status', '2030')).toHaveValue('overdue')
  },
)

test(
  'an attached CSV file is imported without the invoices that are there; undo removes the others',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo(LEDGER)
    await page.getByRole('button', { name: 'Import august.csv' }).click()
    await expect(messages(page)).toContainText(
      'Imported 4 invoices from august.csv, €2,171.50 in all. 1 were in the ledger before.',
    )
    await expect(invoices(page)).toHaveCount(44)
    await expect(cell(page, 'Note', '2043')).toHaveValue('Bowls, "sage" glaze')
    await expect(cell(page, 'Amount', '2042')).toHaveValue('96.50')
    await expect(stop(page)).toBeHidden()
    await pressSettled(undo(calls(page, 'Import a CSV file')))
    await expect(invoices(page)).toHaveCount(40)
  },
)

test(
  'a person’s own CSV file is imported; a wrong one is refused with its reason',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo(LEDGER)
    const attach = async (name: string, text: string): Promise<void> => {
      const chooser = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: /attach/i }).click()
      await (await chooser).setFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
    }
    await attach('wrong.csv', 'id;customer;date;amount;status\nX-1;Corner;2026-02-30;1;paid\n')
    await ask(page, 'Import the attached CSV file')
    await expect(messages(page)).toContainText('X-1: “2026-02-30” is no date such as 2026-03-31.')
    await expect(invoices(page)).toHaveCount(40)
    await attach('own.csv', 'id;customer;date;amount;status\nX-1;Corner;2026-02-28;12.5;paid\n')
    await ask(page, 'Import the attached CSV file')
    await expect(messages(page)).toContainText('Imported 1 invoice from own.csv, €12.50 in all.')
    await expect(page.getByLabel('Amount of X-1')).toHaveValue('12.50')
  },
)

test('deleting waits for an approval that names the invoices; undo brings them back', async ({
  openDemo,
}) => {
  const page = await openDemo(LEDGER)
  await page.getByRole('button', { name: 'Delete the drafts (needs your OK)' }).click()
  const card = calls(page, 'Delete invoices')
  await expect(card).toContainText('€780.00 in all: INV-2034 of Birch & Sons, €198.00')
  await page.reload()
  await expect(invoices(page)).toHaveCount(40)
  await pressSettled(card.getByRole('button', { name: 'Approve' }))
  await expect(messages(page)).toContainText('Deleted 3 invoices.')
  await expect(invoices(page)).toHaveCount(37)
  await expect(stop(page)).toBeHidden()
  await pressSettled(undo(card))
  await expect(invoices(page)).toHaveCount(40)
  await expect(cell(page, 'Note', '2039')).toHaveValue('Duplicate of INV-2035?')
})

test(
  'when an invoice changes before its deletion is approved, nothing is deleted',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo(LEDGER)
    await ask(page, 'Delete the drafts')
    const card = calls(page, 'Delete invoices')
    await expect(card).toContainText('€780.00 in all')
    await cell(page, 'Status', '2038').selectOption('sent')
    await pressSettled(card.getByRole('button', { name: 'Approve' }))
    await expect(messages(page)).toContainText('An invoice has changed since the person was asked.')
    await expect(invoices(page)).toHaveCount(40)
  },
)

test(
  'the sheet works by keyboard without the agent: filter, edit, refuse, keep',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo(LEDGER)
    await page.getByLabel('Search the invoices').fill('harbour cafe')
    await expect(invoices(page)).toHaveCount(1)
    const amount = cell(page, 'Amount', '2014')
    await amount.fill('12,50')
    await amount.press('Tab')
    await expect(page.locator('#ledger-notice')).toHaveText(
      '“12,50” is no amount in euros such as 1250.00.',
    )
    await expect(amount).toHaveValue('880.00')
    await amount.fill('900')
    await amount.press('Tab')
    await expect(page.locator('#ledger-notice')).toBeEmpty()
    await page.reload()
    await expect(amount).toHaveValue('900.00')
    await page.getByLabel('Show invoices by status').selectOption('Overdue')
    await expect(invoices(page)).toHaveCount(4)
  },
)

test('axe finds nothing in the ledger, in light and dark', MORE, async ({ openDemo, page }) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await openDemo(LEDGER)
    expect(await findings(page, 'body'), colorScheme).toEqual([])
  }
})

test(
  'on a phone, each invoice is a card that fits the screen',
  MORE,
  async ({ openDemo, page }) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await openDemo(LEDGER)
    await page.getByRole('button', { name: 'Ledger', exact: true }).click()
    for (const field of ['Customer', 'Date', 'Amount', 'Status', 'Note'])
      await expect(cell(page, field, '2001')).toBeInViewport({ ratio: 1 })
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    expect(overflow).toBe(0)
  },
)
