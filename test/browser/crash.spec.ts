import type { Agent } from '../../src/index.ts'
import { startEffects } from './support/effects.ts'
import { callTools, say } from './support/mock-answers.ts'
import { expect, test } from './support/test.ts'

interface Given {
  readonly baseURL: string
  readonly effects: string
}

/** An agent on `window.agent` whose tool has its effect at once, and hears nothing of it. Runs in the page. */
function mount({ baseURL, effects }: Given): void {
  const agent = window.offstage.createAgent({
    model: { provider: 'openai-compatible', model: 'mock', baseURL },
    tools: [
      {
        name: 'pay',
        description: 'Pays.',
        async execute(_input, { idempotencyKey: key }) {
          await fetch(`${effects}/?key=${encodeURIComponent(key)}`, { mode: 'no-cors' })
        },
      },
    ],
  })
  Object.assign(window, { agent })
}

test('F19 a renderer crash between effect and result gives an unknown outcome, and nothing repeats', async ({
  openPage,
  context,
  model,
}) => {
  const effects = await startEffects()
  model.enqueue(callTools([{ name: 'pay', input: {} }]), say('I will check.'))
  const given = { baseURL: model.baseURL, effects: effects.url }
  const page = await openPage()
  await page.evaluate(mount, given)
  await page.evaluate(() => {
    void (window as never as { agent: Agent }).agent.run('Pay', { conversationId: 'c' })
  })
  await expect.poll(() => effects.keys.length).toBe(1)
  const devtools = await context.newCDPSession(page)
  const crashed = new Promise((resolve) => page.once('crash', resolve))
  // The command never resolves, since the page crashes.
  void devtools.send('Page.crash').catch(() => undefined)
  await crashed
  await page.close()

  const next = await openPage()
  await next.evaluate(mount, given)
  const result = await next.evaluate(async () => {
    const { agent } = window as never as { agent: Agent }
    return (await agent.resume('c'))?.result
  })
  expect(result).toMatchObject({
    outcome: 'completed',
    text: 'I will check.',
    toolCalls: [{ toolName: 'pay', status: 'interrupted' }],
  })
  expect(effects.keys).toHaveLength(1)
  await effects.close()
})
