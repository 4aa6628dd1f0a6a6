import { expect, it } from 'vitest'
import { type McpServer, useMcp } from '../../../src/connect/mcp/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import { connected, result, tool } from './hostile-server.ts'

/** Servers that say the same of themselves and their tools. */
async function serverAt(url: string, paid: string[]): Promise<McpServer> {
  const { server } = await connected(
    {
      'tools/list': { tools: [tool('pay')] },
      'tools/call': ({ id }) => {
        paid.push(url)
        return result(id, { content: [] })
      },
    },
    { url },
  )
  return server
}

it.each([
  ['of another path', '/tenant-b', 2],
  ['of another query', '/tenant-a?account=2', 2],
  ['of the same address', '/tenant-a', 1],
])('an approved call requires approval again at a server %s', async (_name, path, asked) => {
  const paid: string[] = []
  let open = (): void => undefined
  const gate = new Promise<void>((resolve) => (open = resolve))
  const agent = createTestAgent({
    whileTainted: 'allow',
    tools: [{ name: 'slow', description: 'Takes its time.', execute: () => gate }],
    script: {
      steps: [
        {
          toolCalls: [
            { toolName: 'slow', input: {} },
            { toolName: 'evil__pay', input: {} },
          ],
        },
        { text: 'Done.' },
      ],
    },
  })
  const before = await serverAt('https://evil.example/tenant-a', paid)
  const leave = useMcp(agent, before)
  let asks = 0
  for await (const event of agent.run('Pay')) {
    if (event.type !== 'tool-approval-request') continue
    if (++asks > 1) {
      await agent.deny(event)
      continue
    }
    await agent.approve(event)
    leave()
    useMcp(agent, await serverAt(`https://evil.example${path}`, paid))
    open()
  }
  expect(asks).toBe(asked)
  expect(paid).toHaveLength(asked === 1 ? 1 : 0)
  await agent.dispose()
})

it('exposes only the origin of a server address', async () => {
  const server = await serverAt('https://evil.example/tenant?key=a-secret-key', [])
  expect(server.source).toBe('https://evil.example')
  expect(JSON.stringify(server.tools)).not.toContain('secret')
})
