import type { Agent } from '../../src/index.ts'
import { expect, own, replies, test } from './support/chat-page.ts'
import { callTools, say } from './support/mock-answers.ts'

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

test('a run that reached a limit says so, and Continue begins another run', async ({
  openChat,
  model,
}) => {
  model.enqueue(
    callTools([{ name: 'read_reviews', input: {} }]),
    say('So far so good.'),
    say('And now the rest.'),
  )
  const { page, send } = await openChat(model, { agent: { limits: { steps: 1 } } })
  await page.evaluate(() => {
    const runs: string[] = []
    const { agent } = window as unknown as { agent: Agent }
    agent.on('run', ({ run }) => runs.push(run.runId))
    Object.assign(window, { runs })
  })
  const runs = () => page.evaluate(() => (window as unknown as { runs: string[] }).runs)
  await send('Tell me')
  await expect(replies(page).last()).toContainText('So far so good.')
  await expect(page.getByRole('log')).toContainText('Stopped: step limit reached')
  await expect(page.locator('.announcements')).toContainText('Stopped: step limit reached')
  const before = await runs()
  expect(before).toHaveLength(1)

  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await expect(replies(page).last()).toContainText('And now the rest.')
  await expect(page.getByRole('log')).not.toContainText('limit reached')
  await expect(page.getByRole('button', { name: 'Continue', exact: true })).toBeHidden()
  const after = await runs()
  expect(new Set(after).size).toBe(2)
  expect(after[0]).toBe(before[0])
  // Nothing is written in the person's name, and the model sees what was done.
  await expect(own(page)).toHaveText([/Tell me/])
  expect(model.requests).toHaveLength(3)
  expect(JSON.stringify(model.requests[2]?.body)).toContain('Great mugs!')
})
