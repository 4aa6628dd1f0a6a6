import { expect, test } from '../browser/support/driven.ts'

const HTML =
  '<!doctype html><title>Test</title><script type="module">window.offstage = await import("/dist/index.js"); document.documentElement.dataset.ready = ""</script>'

/** Runs in the page. Two frames, each with a page and a worker of its own: what tabs are to each other. */
async function followAndSucceed(): Promise<object> {
  const until = async (isDone: () => boolean): Promise<void> => {
    while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const open = async () => {
    const frame = document.createElement('iframe')
    frame.src = '/tab.html'
    document.body.append(frame)
    const inside = () => frame.contentWindow as unknown as typeof window
    await until(() => 'ready' in (frame.contentDocument?.documentElement?.dataset ?? {}))
    const { createAgent, defineTool } = inside().offstage
    const ran: string[] = []
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      needsApproval: true,
      execute: async () => {
        ran.push('pay')
        return 'paid'
      },
    })
    const script = {
      paceMs: 20,
      steps: [
        { text: 'I pay.', toolCalls: [{ toolName: 'pay', input: {} }] },
        { text: 'Word by word. '.repeat(60) },
      ],
    }
    const agent = createAgent({
      model: { provider: 'scripted', model: 'scripted', script },
      tools: [pay],
    })
    const talk = agent.conversation('c')
    talk.subscribe(() => {})
    const text = (): string => JSON.stringify(talk.getSnapshot().messages)
    return { frame, agent, talk, ran, text }
  }
  const one = await open()
  const two = await open()
  one.agent.run('Go', { conversationId: 'c' })
  await until(() => two.talk.getSnapshot().pending.length === 1)
  const toolCallId = two.talk.getSnapshot().pending[0]?.toolCallId ?? ''
  const approved = await two.agent.approve({ conversationId: 'c', toolCallId })
  // While it waits, nobody drives it.
  await until(() => two.text().includes('Word by word. Word'))
  const { ownership } = two.talk.getSnapshot()
  const ran = [[...one.ran], [...two.ran]]
  one.frame.remove()
  await until(() => two.talk.getSnapshot().ownership === 'this-tab')
  await until(() => two.talk.getSnapshot().ended !== undefined)
  const { ended } = two.talk.getSnapshot()
  return { ownership, approved, ran, outcome: ended?.outcome }
}

test("a page follows and answers another page's run, and resumes it when that page is gone", async ({
  drivenBrowser,
  site,
}) => {
  site.add('/', { body: '<!doctype html><title>Test</title><body>', type: 'text/html' })
  site.add('/tab.html', { body: HTML })
  const page = await drivenBrowser.newPage()
  await page.goto(`${site.url}/`)
  expect(await page.evaluate(followAndSucceed)).toEqual({
    ownership: 'other-tab',
    approved: true,
    ran: [['pay'], []],
    outcome: 'completed',
  })
  await page.close()
})
