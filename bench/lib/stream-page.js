// Runs in the page: one answer of many deltas, read by hand in the page and by Offstage.
import { createAgent } from '/dist/index.js'

/** The floor: the stream's lines, JSON.parse, a string that grows; all of it in the page. */
export async function byHand(url) {
  const response = await fetch(url, { method: 'POST', body: '{}' })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text.length
    const lines = (rest + value).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue
      text += JSON.parse(line.slice(6)).choices[0].delta.content ?? ''
    }
  }
}

let agent
/** What a page does that shows the text: it reads every event. */
export async function byOffstage(baseURL) {
  agent ??= createAgent({
    model: { provider: 'openai-compatible', model: 'bench', baseURL },
    storage: 'memory',
  })
  let text = ''
  let first = 0
  const begun = performance.now()
  for await (const event of agent.run('Go')) {
    if (event.type !== 'text-delta') continue
    first ||= performance.now() - begun
    text += event.delta
  }
  return { length: text.length, first }
}
