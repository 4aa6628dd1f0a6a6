import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { defineTool } from '../../../src/client/tools/define-tool.ts'
import type { Agent } from '../../../src/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import { PACKAGES, preparePackages } from '../../ai-sdk/prepare-packages.ts'
import { read } from '../docs/sources.ts'

interface AgUiAgent {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
  addMessage(message: object): void
  runAgent(input?: object, subscriber?: object): Promise<unknown>
}

/** The code of the guide, as it stands there. */
async function adapter(): Promise<new (agent: Agent, options: object) => AgUiAgent> {
  const [, code = ''] =
    /```js\n(\/\/ offstage-agent\.js\n[^]*?)```/.exec(read('docs/integrations.md')) ?? []
  expect(code.split('\n').length - 1).toBeLessThanOrEqual(60)
  await preparePackages()
  const file = path.join(PACKAGES, 'offstage-agent.mjs')
  writeFileSync(file, code)
  const made = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
    OffstageAgent: new (agent: Agent, options: object) => AgUiAgent
  }
  return made.OffstageAgent
}

test(
  'the AG-UI agent of the guide passes on text, a tool and a failure',
  { timeout: 600_000 },
  async () => {
    const OffstageAgent = await adapter()
    const agent = createTestAgent({
      script: {
        scenes: [{ match: ['break'], steps: [{ error: 'No more power.' }] }],
        fallback: [
          { text: 'I order it.', toolCalls: [{ toolName: 'order', input: { sku: 'mug' } }] },
          { text: 'It is ordered.' },
        ],
      },
      tools: [
        defineTool({
          name: 'order',
          description: 'Orders.',
          inputSchema: { type: 'object', properties: { sku: { type: 'string' } } },
          execute: () => 'done',
        }),
      ],
    })
    const client = new OffstageAgent(agent, { threadId: 'thread' })
    client.addMessage({ id: 'u1', role: 'user', content: 'A mug' })
    await client.runAgent()
    expect(client.messages.map(({ role }) => role)).toContain('tool')
    const said = client.messages.filter(({ role }) => role === 'assistant')
    expect(JSON.stringify(said)).toContain('I order it.')
    expect(said.at(-1)?.content).toBe('It is ordered.')
    expect(JSON.stringify(said)).toContain('{\\"sku\\":\\"mug\\"}')
    client.addMessage({ id: 'u2', role: 'user', content: 'Now break' })
    const codes: unknown[] = []
    const onRunErrorEvent = ({ event }: { event: { code: unknown } }): unknown =>
      codes.push(event.code)
    await client.runAgent({}, { onRunErrorEvent }).catch(() => undefined)
    expect(codes).toEqual(['provider-error'])
    const stored = await agent.conversations.get('thread')
    expect(stored?.messages.filter(({ role }) => role === 'user')).toHaveLength(2)
    await agent.dispose()
  },
)
