import type { Locator, Page } from '@playwright/test'
import { findings } from './support/axe.ts'
import { ask, calls, messages, test } from './support/demo-page.ts'
import { MORE } from './support/more.ts'
import { pressSettled } from './support/press-settled.ts'
import { expect } from './support/test.ts'

test.describe.configure({ mode: 'default' })

const panel = (page: Page): Locator => page.getByRole('region', { name: 'Tools', exact: true })
const told = (page: Page): Locator => panel(page).getByRole('status')
const approve = (page: Page): Locator =>
  messages(page).getByRole('button', { name: 'Approve', exact: true })

async function openTools(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Tools', exact: true }).click()
  await expect(panel(page)).toBeVisible()
  return panel(page)
}

test('an approval rule and a schema are edited live, kept over a reload, and reset', async ({
  openDemo,
}) => {
  const page = await openDemo()
  const tools = await openTools(page)
  await tools.getByLabel('Tool', { exact: true }).selectOption('apply_coupon')
  await expect(tools.getByLabel('Description')).toHaveValue('Applies a coupon code to the cart.')
  await tools.getByLabel('Approval').selectOption('Always ask')
  await tools.getByRole('button', { name: 'Apply' }).click()
  await expect(told(page)).toHaveText('Applied. The agent has it from its next step on.')
  await ask(page, 'Use the coupon SUMMER99')
  await expect(approve(page)).toBeVisible()
  await page.reload()
  await expect(approve(page)).toBeVisible()
  const deny = messages(page).getByRole('button', { name: 'Deny', exact: true })
  await pressSettled(deny)
  // The first press asks for a reason.
  await pressSettled(deny)
  await expect(approve(page)).toBeHidden()

  await openTools(page)
  await tools.getByLabel('Tool', { exact: true }).selectOption('apply_coupon (edited)')
  await tools
    .getByLabel('Input, a JSON Schema')
    .fill('{"type":"object","properties":{"code":{"type":"string","maxLength":3}}}')
  await tools.getByLabel('Approval').selectOption('Never ask')
  await tools.getByRole('button', { name: 'Apply' }).click()
  await expect(told(page)).toContainText('Applied')
  await ask(page, 'Use the coupon SUMMER99')
  await expect(calls(page, 'Apply a coupon').last()).toContainText('Invalid call – not run')

  await tools.getByRole('button', { name: 'Reset' }).click()
  await expect(told(page)).toHaveText('As the app made it.')
  await ask(page, 'Use the coupon SUMMER99')
  await expect(calls(page, 'Apply a coupon').last()).toContainText('Failed')
})

test('a tool of a visitor answers by its template, without code, and is part of the project', async ({
  openDemo,
}) => {
  const page = await openDemo()
  const tools = await openTools(page)
  await tools.getByLabel('Tool', { exact: true }).selectOption('A new tool…')
  await tools.getByRole('button', { name: 'Add the tool' }).click()
  await expect(told(page)).toContainText('Applied')
  await tools.getByRole('button', { name: 'Try it' }).click()
  await expect(messages(page)).toContainText('Your tool weather has answered')
  await calls(page, 'weather').locator('summary').click()
  await expect(calls(page, 'weather').getByLabel('Output')).toContainText(
    '21 °C and sunny in Oslo.',
  )
  await page.getByRole('button', { name: 'Copy as project' }).click()
  const dialog = page.getByRole('dialog', { name: 'Copy as project' })
  await dialog.getByRole('combobox', { name: 'File' }).selectOption('src/main.ts')
  const text = dialog.getByLabel('Text of the file')
  await expect(text).toHaveValue(/"answer": "21 °C and sunny in \{\{city\}\}\."/)
  await expect(text).toHaveValue(/tools: editTools\(app\.tools, edits\)/)
  await page.keyboard.press('Escape')
  await tools.getByRole('button', { name: 'Remove' }).click()
  await expect(told(page)).toHaveText('Removed.')
  await ask(page, 'Use weather')
  await expect(messages(page)).toContainText('I can only answer these')
})

test('a tool that Offstage refuses is not applied, and the reason is shown', async ({
  openDemo,
}) => {
  const page = await openDemo()
  const tools = await openTools(page)
  const problem = tools.getByRole('alert')
  await tools.getByLabel('Tool', { exact: true }).selectOption('A new tool…')
  await tools.getByLabel('Name').fill('checkout')
  await tools.getByRole('button', { name: 'Add the tool' }).click()
  await expect(problem).toHaveText('The app has a tool checkout. Choose another name.')
  await tools.getByLabel('Name').fill('read_page')
  await tools.getByRole('button', { name: 'Add the tool' }).click()
  await expect(problem).toContainText('A tool named read_page is registered already.')
  await tools.getByLabel('Name').fill('mine')
  await tools.getByLabel('Input, a JSON Schema').fill('{')
  await tools.getByRole('button', { name: 'Add the tool' }).click()
  await expect(problem).toContainText('The schema is no JSON.')
  await tools.getByLabel('Input, a JSON Schema').fill('{"type": "string"}')
  await tools.getByRole('button', { name: 'Add the tool' }).click()
  await expect(problem).not.toBeEmpty()
  await expect(tools.getByRole('option', { name: '(yours)' })).toHaveCount(0)
})

test(
  'calls are switched to ACTION text, and the inspector shows the request',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo()
    const tools = await openTools(page)
    await tools.getByLabel('as ACTION text').check()
    await ask(page, 'Use the coupon SUMMER99')
    await expect(messages(page)).toContainText('the run went on')
    await expect(calls(page, 'Apply a coupon')).toContainText('Failed')
    await tools.getByRole('button', { name: 'See requests' }).click()
    const inspector = page.locator('offstage-inspector')
    // Both requests are listed before one is chosen.
    await inspector.getByRole('tab', { name: /^Requests\s*2$/ }).click()
    await inspector.getByRole('row').nth(1).click()
    await expect(inspector).toContainText('<ACTION>')
    await page.reload()
    await openTools(page)
    await expect(tools.getByLabel('as ACTION text')).toBeChecked()
  },
)

test(
  'the panel of tools has no finding of axe, in light and dark and on a phone',
  MORE,
  async ({ openDemo }) => {
    const page = await openDemo()
    const tools = await openTools(page)
    await tools.getByLabel('Tool', { exact: true }).selectOption('A new tool…')
    expect(await findings(page, '#tools')).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await findings(page, '#tools')).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await findings(page, '#tools')).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  },
)
