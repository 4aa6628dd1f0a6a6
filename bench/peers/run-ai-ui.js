// Makes a message of everything so far for each chunk, as `useChat` does in a page.
import { readUIMessageStream, toUIMessageStream } from 'ai'
import { startAiStream } from './ai-stream.js'

export async function run({ onText, onInput, ...given }) {
  const result = startAiStream(given)
  let length = 0
  for await (const message of readUIMessageStream({
    stream: toUIMessageStream({ stream: result.stream }),
  })) {
    const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    if (text.length > length) onText(text.slice(length))
    else onInput()
    length = text.length
  }
}
