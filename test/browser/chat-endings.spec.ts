import { expect, own, replies, test } from './support/chat-page.ts'
import { say } from './support/mock-answers.ts'

test('a cut-off answer is marked, and Continue continues it', async ({ openChat, model }) => {
  model.enqueue(say('It begins', { finish: 'length' }), say('and ends.'))
  const { page, send } = await openChat(model)
  await send('Tell me')
  await expect(page.getByRole('log')).toContainText('Cut off at the output limit.')
  await expect(page.locator('.announcements')).toContainText('Cut off at the output limit.')
  await expect(page.locator('.announcements')).not.toContainText('complete')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(own(page).last()).toContainText('Continue')
  await expect(replies(page).last()).toContainText('and ends.')
  await expect(page.getByRole('log')).not.toContainText('Cut off')
  await expect(page.locator('.announcements')).toContainText('Done')
})
