import { createAgent, type RunResult } from 'offstage'

export async function once(): Promise<RunResult> {
  await using agent = createAgent({ model: { provider: 'ollama', model: 'qwen3:4b' } })
  const disposed: Promise<void> = agent[Symbol.asyncDispose]()
  await disposed
  return agent.run('Hello').result
}
