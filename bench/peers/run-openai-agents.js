import { Agent, OpenAIChatCompletionsModel, Runner, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { TOOL } from '../lib/peer-tool.js'

setTracingDisabled(true)

export async function run({ baseURL, onText, onInput, write }) {
  const client = new OpenAI({
    baseURL,
    apiKey: 'dummy',
    dangerouslyAllowBrowser: true,
    maxRetries: 0,
  })
  const agent = new Agent({
    name: 'bench',
    model: new OpenAIChatCompletionsModel(client, 'bench'),
    tools: [tool({ ...TOOL, strict: false, execute: write })],
  })
  const runner = new Runner({ tracingDisabled: true })
  const result = await runner.run(agent, 'Go', { stream: true, maxTurns: 1000 })
  for await (const event of result) {
    if (event.type !== 'raw_model_stream_event') continue
    if (event.data.type === 'output_text_delta') onText(event.data.delta)
    else if (event.data.event?.choices?.[0]?.delta?.tool_calls) onInput()
  }
  await result.completed
}
