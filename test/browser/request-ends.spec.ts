import type { Page } from '@playwright/test'
import { callTools, say } from './support/mock-answers.ts'
import type { MockResponse } from './support/mock-openai.ts'
import { MORE } from './support/more.ts'
import { expect, test } from './support/test.ts'

// Checks whether the browser lists the model's requests as finished or failed.

/** Records how the POST requests of this page and its worker ended, as DevTools reports it. */
function watchRequests(page: Page): string[] {
  const ends: string[] = []
  page.on('requestfinished', (request) => request.method() === 'POST' && ends.push('finished'))
  page.on('requestfailed', (request) => {
    if (request.method() === 'POST') ends.push(`failed: ${request.failure()?.errorText}`)
  })
  return ends
}

const marker = { raw: 'data: [DONE]\n\n' }
const late: MockResponse = {
  pieces: [...(say('Done.').pieces ?? []), marker, { waitMs: 300 }],
  end: 'close',
}
const hanging: MockResponse = { pieces: [...(say('Hangs.').pieces ?? []), marker], end: 'hang' }
const whole: MockResponse = {
  body: {
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  },
}

for (const transport of ['worker', 'page'] as const) {
  test(
    `requests with complete answers are listed as finished; sent by the ${transport}`,
    MORE,
    async ({ openPage, model }) => {
      model.enqueue(callTools([{ name: 'note', input: {} }]), late, whole, hanging)
      const page = await openPage()
      const ends = watchRequests(page)
      await page.evaluate(
        (given) => {
          const agent = window.offstage.createAgent({
            model: { provider: 'openai-compatible', model: 'mock', ...given },
            storage: 'memory',
            tools: [{ name: 'note', description: 'Notes.', execute: () => 'noted' }],
          })
          Object.assign(window, { agent })
        },
        { baseURL: model.baseURL, transport },
      )
      const ask = (): Promise<string> =>
        page.evaluate(async () => {
          const { agent } = window as never as {
            agent: ReturnType<typeof window.offstage.createAgent>
          }
          return (await agent.run('Hello?').result).text
        })
      expect(await ask()).toBe('Done.')
      await expect.poll(() => ends).toEqual(['finished', 'finished'])
      expect(await ask()).toBe('Hi')
      await expect.poll(() => ends).toEqual(['finished', 'finished', 'finished'])
      // Only a server that doesn't end its answer is cancelled.
      expect(await ask()).toBe('Hangs.')
      await expect.poll(() => ends.slice(3)).toEqual(['failed: net::ERR_ABORTED'])
    },
  )
}
