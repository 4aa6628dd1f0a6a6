import { describe, expect, it } from 'vitest'
import type { ToolChoice } from '../../../src/protocol/model.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { createTestAgent } from '../../../src/testing/index.ts'

/** Runs an agent whose model calls `touch` in its first turn, and tells how often that ran. */
async function touches(toolChoice: ToolChoice): Promise<number> {
  let turns = 0
  let ran = 0
  const called: StreamPart[] = [
    { type: 'tool-call', toolCallId: 'a', toolName: 'touch', input: {} },
    { type: 'finish', finishReason: 'tool-calls' },
  ]
  const said: StreamPart[] = [
    { type: 'text-delta', delta: 'fine' },
    { type: 'finish', finishReason: 'stop' },
  ]
  const agent = createTestAgent({
    providers: [
      {
        id: 'headstrong',
        async *stream() {
          yield turns++ === 0 ? called : said
        },
      },
    ],
    model: { provider: 'headstrong', model: 'm', toolChoice },
    tools: [
      { name: 'touch', description: 'Touches.', execute: () => void ran++ },
      { name: 'other', description: 'Does nothing.', execute: () => undefined },
    ],
  })
  expect(await agent.run('go').result).toMatchObject({ outcome: 'completed', text: 'fine' })
  expect(turns).toBe(2)
  await agent.dispose()
  return ran
}

describe('a call despite the tool choice', () => {
  it('does not run if the choice was none', async () => {
    expect(await touches('none')).toBe(0)
  })

  it('runs if another offered tool was chosen', async () => {
    expect(await touches({ toolName: 'other' })).toBe(1)
  })
})
