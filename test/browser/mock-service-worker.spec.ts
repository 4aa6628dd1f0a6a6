import { expect, test } from './support/test.ts'

test('a mock in a service worker refuses, breaks off and answers as its step says', async ({
  openPage,
  site,
}) => {
  const script = `import { createMock } from '/dist/mock.js'
    const failures = [{ status: 429, retryAfterMs: 2000 }, { piecesBeforeCut: 2 }]
    const mock = createMock({ script: { steps: [{ text: 'Hello again.', failures }] } })
    addEventListener('activate', (event) => event.waitUntil(clients.claim()))
    addEventListener('fetch', (event) => {
      if (event.request.method === 'POST') event.respondWith(mock.fetch(event.request))
    })`
  site.add('/mock-worker.js', { body: script })
  const page = await openPage()
  const answers = await page.evaluate(async () => {
    const { serviceWorker } = navigator
    const controlled = new Promise((resolve) => {
      serviceWorker.addEventListener('controllerchange', resolve)
    })
    await serviceWorker.register('/mock-worker.js', { type: 'module' })
    await controlled
    const body = JSON.stringify({
      model: 'mock',
      stream: true,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    const ask = async () => {
      const {
        status,
        headers,
        body: stream,
      } = await fetch('/v1/chat/completions', {
        method: 'POST',
        body,
      })
      let text = ''
      try {
        for await (const piece of stream!.pipeThrough(new TextDecoderStream())) text += piece
      } catch {
        text += ' cut'
      }
      return { status, wait: headers.get('retry-after'), text }
    }
    return [await ask(), await ask(), await ask()]
  })
  expect(answers).toEqual([
    { status: 429, wait: '2', text: expect.stringContaining('rate_limit_error') },
    // The browser may drop what a service worker sent right before the break.
    { status: 200, wait: null, text: expect.stringMatching(/ cut$/) },
    { status: 200, wait: null, text: expect.stringContaining('[DONE]') },
  ])
})
