// The floor: fetch, eventsource-parser, JSON.parse and a loop, all in the page.
import { createParser } from 'eventsource-parser'
import { TOOL } from '../lib/peer-tool.js'

export async function run({ baseURL, onText, onInput, write }) {
  const messages = [{ role: 'user', content: 'Go' }]
  for (;;) {
    const { text, calls } = await answer(baseURL, messages, { onText, onInput })
    if (calls.length === 0) return
    messages.push({
      role: 'assistant',
      content: text || null,
      tool_calls: calls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: input },
      })),
    })
    for (const { id, input } of calls)
      messages.push({ role: 'tool', tool_call_id: id, content: write(JSON.parse(input)) })
  }
}

async function answer(baseURL, messages, { onText, onInput }) {
  const response = await fetch(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'bench',
      stream: true,
      messages,
      tools: [{ type: 'function', function: TOOL }],
    }),
  })
  let text = ''
  const calls = []
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') return
      const { delta } = JSON.parse(data).choices[0]
      if (delta.content) {
        text += delta.content
        onText(delta.content)
      }
      for (const part of delta.tool_calls ?? []) {
        const call = (calls[part.index] ??= { id: part.id, name: part.function.name, input: '' })
        call.input += part.function.arguments
        onInput()
      }
    },
  })
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { text, calls }
    parser.feed(decoder.decode(value, { stream: true }))
  }
}
