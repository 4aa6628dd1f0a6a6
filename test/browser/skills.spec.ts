import type { Page } from '@playwright/test'
import type * as skillsEntry from '../../src/skills/index.ts'
import type { MockOpenAI } from './support/mock-openai.ts'
import { callTools, say } from './support/mock-answers.ts'
import { expect, test } from './support/test.ts'

/** The SKILL.md that the server has now. */
async function deploy(page: Page, instructions: string): Promise<void> {
  const body = `---\r\nname: returns\r\ndescription: Takes goods back: all of them.\r\n---\r\n\r\n${instructions}\r\n`
  await page.unroute('**/returns/SKILL.md')
  await page.route('**/returns/SKILL.md', (route) => route.fulfill({ body }))
  await page.unroute('**/returns/policy.md')
  await page.route('**/returns/policy.md', (route) => route.fulfill({ body: 'For 30 days.' }))
}

/** Loads the skill, and begins a run or goes on with the one that is open. */
function act(page: Page, given: { readonly baseURL: string; readonly prompt?: string }) {
  return page.evaluate(async ({ baseURL, prompt }) => {
    const { createAgent } = window.offstage
    const { loadSkill } = (await import('/dist/skills.js' as string)) as typeof skillsEntry
    const returns = await loadSkill('returns/SKILL.md', { files: ['policy.md'] })
    const agent = createAgent({
      model: { provider: 'openai-compatible', model: 'mock', baseURL },
      skills: [returns],
    })
    const run =
      prompt === undefined
        ? await agent.resume('shop')
        : agent.run(prompt, { conversationId: 'shop' })
    if (prompt === 'left open') return null
    return (await run?.result) ?? null
  }, given)
}

async function reload(page: Page): Promise<void> {
  await page.reload()
  await page.locator('html[data-ready]').waitFor({ state: 'attached' })
}

const countIn = (model: MockOpenAI, at: number, text: string): number =>
  JSON.stringify(model.requests[at]?.body.messages).split(text).length - 1

test('a skill whose text a deploy changed: a run goes on with the text that it saw, the next one has the new one', async ({
  openPage,
  model,
}) => {
  const { baseURL } = model
  const read = { name: 'read_skill_file', input: { skill: 'returns', path: 'policy.md' } }
  model.enqueue(
    callTools([{ name: 'activate_skill', input: { name: 'returns' } }]),
    { ...say('Never heard.'), end: 'hang' },
    callTools([{ ...read, id: 'read' }]),
    say('Within 30 days.'),
    say('As it is now.'),
  )
  const page = await openPage()
  await deploy(page, 'Be slow and kind.')
  await act(page, { baseURL, prompt: 'left open' })
  await expect.poll(() => model.requests.length).toBe(2)

  await deploy(page, 'Be quick and brief.')
  await reload(page)
  expect(await act(page, { baseURL })).toMatchObject({
    outcome: 'completed',
    text: 'Within 30 days.',
    toolCalls: [
      { toolName: 'activate_skill', status: 'succeeded' },
      { toolName: 'read_skill_file', output: { type: 'text', value: 'For 30 days.' } },
    ],
  })
  await reload(page)
  expect(await act(page, { baseURL, prompt: 'And now?' })).toMatchObject({ text: 'As it is now.' })

  const counts = (text: string) => model.requests.map((_, at) => countIn(model, at, text))
  expect(counts('Be slow and kind.')).toEqual([0, 1, 1, 1, 0])
  expect(counts('Be quick and brief.')).toEqual([0, 0, 0, 0, 1])
  expect(counts('Takes goods back: all of them.')).toEqual([1, 1, 1, 1, 1])
})
