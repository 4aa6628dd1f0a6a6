import { streamText } from '@xsai/stream-text'
import { rawTool } from '@xsai/tool'
import { TOOL } from '../lib/peer-tool.js'

export async function run({ baseURL, onText, onInput, write }) {
  const { fullStream } = streamText({
    baseURL: `${baseURL}/`,
    model: 'bench',
    messages: [{ role: 'user', content: 'Go' }],
    maxSteps: 1000,
    tools: [rawTool({ ...TOOL, execute: write })],
  })
  for await (const part of fullStream) {
    if (part.type === 'text-delta') onText(part.text)
    else if (part.type === 'tool-call-delta') onInput()
  }
}
