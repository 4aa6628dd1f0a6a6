import { expect, test } from './support/test.ts'

// dist/page-tools.js loads its code with the first calls. The model is a script.

const BODY = `<!doctype html><title>Rows</title><link rel="icon" href="data:,">
<button onclick="window.pressed += 1">Delete</button>
<script type="module">
  import { createAgent } from '/dist/index.js'
  import { pageTools } from '/dist/page-tools.js'
  const steps = [{ toolCalls: [{ toolName: 'click', input: { ref: 'Delete' } }] }, { text: 'Done.' }]
  window.asked = []
  window.pressed = 0
  window.play = async () => {
    const agent = createAgent({
      model: { provider: 'scripted', model: 'x', script: { steps } },
      tools: pageTools({ classify: () => 'commit' }),
    })
    const run = agent.run('Go')
    for await (const event of run)
      if (event.type === 'tool-approval-request') {
        window.asked.push(event.about.text)
        await agent.approve(event)
      }
    const { toolCalls: [call] } = await run.result
    await agent.dispose()
    return { status: call.status, output: JSON.stringify(call.output), asked, pressed }
  }
</script>`

interface Opened {
  play(): Promise<Played>
}
interface Played {
  readonly status: string
  readonly output: string
  readonly asked: readonly string[]
  readonly pressed: number
}

test('a call whose code cannot be loaded does nothing and asks nobody; the next call loads it', async ({
  page,
  site,
}) => {
  site.add('/rows.html', { body: BODY })
  const files: string[] = []
  page.on('request', (request) => files.push(new URL(request.url()).pathname))
  await page.goto(`${site.url}/rows.html`)
  await page.waitForFunction(() => 'play' in window)
  expect(files.filter((file) => /-part-/.test(file))).toEqual([])

  const play = (): Promise<Played> => page.evaluate(() => (window as unknown as Opened).play())
  const parts = '**/dist/act-part-*.js'
  await page.route(parts, (route) => route.abort())
  const failed = await play()
  expect(failed).toMatchObject({ status: 'failed', asked: [], pressed: 0 })
  expect(failed.output).toContain('could not be loaded, so nothing was done')

  await page.unroute(parts)
  expect(await play()).toMatchObject({
    status: 'succeeded',
    asked: [expect.stringContaining('button "Delete"')],
    pressed: 1,
  })
})
