import { isStepCount, jsonSchema, streamText, tool } from 'ai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { TOOL } from '../lib/peer-tool.js'

export function startAiStream({ baseURL, write }) {
  const { name, description, parameters } = TOOL
  const provider = createOpenAICompatible({ name: 'bench', baseURL })
  return streamText({
    model: provider('bench'),
    prompt: 'Go',
    stopWhen: isStepCount(1000),
    tools: { [name]: tool({ description, inputSchema: jsonSchema(parameters), execute: write }) },
  })
}
