import type { Agent, Tool, ToolContext } from '../../src/index.ts'
import { expect, press, replies, test } from './support/chat-page.ts'
import { callTools, say } from './support/mock-answers.ts'
import { MORE } from './support/more.ts'

test(
  "a page tool's call is one sentence with a folded input; reads fold together",
  MORE,
  async ({ openChat, model }) => {
    const { page, send } = await openChat(model)
    const ref = await page.evaluate(async () => {
      const button = document.createElement('button')
      button.textContent = 'Save'
      button.dataset['offstageConfirm'] = ''
      document.body.prepend(button)
      const { pageTools } = await import('/dist/page-tools.js' as string)
      const tools: readonly Tool[] = pageTools()
      const { agent } = window as unknown as { agent: Agent }
      for (const tool of tools) agent.registerTool(tool)
      const find = tools.find(({ name }) => name === 'find')
      const context = { signal: new AbortController().signal } as ToolContext
      const found = String(await find?.execute({ name: 'Save' }, context))
      return /\be\d+\b/.exec(found)?.[0] ?? found
    })
    model.enqueue(
      callTools([{ name: 'read_page', input: {} }]),
      callTools([{ name: 'find', input: { name: 'Save' } }]),
      callTools([{ name: 'read_selection', input: {} }]),
      callTools([{ name: 'click', input: { ref } }]),
      say('It is saved.'),
    )
    await send('Save it')
    const card = page.getByRole('group', { name: 'Click "Save"', exact: true })
    await expect(card).toContainText('Waiting for you')
    await expect(card.locator('.asked')).toBeHidden()
    await card.locator('.approval summary').click()
    await expect(card.locator('.asked').getByRole('definition')).toContainText(ref)
    const read = page.locator('.calls')
    await expect(read).toContainText('Read the page, Find on the page, Read the selection')
    await expect(read).toContainText('Done ×3')
    await press(page, 'Approve')
    await expect(replies(page).last()).toContainText('It is saved.')
    await expect(card).toContainText('Done')
  },
)
