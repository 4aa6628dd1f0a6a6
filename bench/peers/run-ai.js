import { startAiStream } from './ai-stream.js'

export async function run({ onText, onInput, ...given }) {
  for await (const part of startAiStream(given).stream) {
    if (part.type === 'text-delta') onText(part.text)
    else if (part.type === 'tool-input-delta') onInput()
    else if (part.type === 'error') throw part.error
  }
}
