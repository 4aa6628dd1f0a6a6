import { beforeAll, expect, it } from 'vitest'
import {
  connectMcp,
  type McpOptions,
  type McpServer,
  useMcp,
} from '../../../src/connect/mcp/index.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { Script } from '../../../src/protocol/model.ts'
import { createTestAgent, createTestStorage, simulateReload } from '../../../src/testing/index.ts'
import { type OfficialServers, officialServers } from '../../mcp/prepare-servers.ts'

let official: OfficialServers
beforeAll(async () => {
  official = await officialServers()
}, 300_000)

function calls(toolName: string, input: JsonObject): Script {
  return { steps: [{ toolCalls: [{ toolName, input }] }, { text: 'Done.' }] }
}

async function connected(
  start: 'startModern' | 'startLegacy',
  options: Partial<McpOptions> = {},
): Promise<{ server: Awaited<ReturnType<OfficialServers['startLegacy']>>; mcp: McpServer }> {
  const server = (await official[start]()) as Awaited<ReturnType<OfficialServers['startLegacy']>>
  return { server, mcp: await connectMcp({ url: server.url, ...options }) }
}

it.each(['startModern', 'startLegacy'] as const)(
  "%s: a server's question reaches the person through ask_user",
  async (start) => {
    const { server, mcp } = await connected(start, { elicitation: 'ask_user' })
    const agent = createTestAgent({
      controlTools: ['ask_user'],
      questionFields: true,
      toolApproval: 'never',
      script: calls('shop__book', { day: 'Monday' }),
    })
    useMcp(agent, mcp)
    const run = agent.run('A table')
    const questions: string[] = []
    for await (const event of run) {
      if (event.type === 'tool-approval-request') await agent.approve(event)
      if (event.type !== 'question') continue
      questions.push(event.question)
      expect(event.fields?.properties.seats).toMatchObject({ type: 'integer', minimum: 1 })
      await agent.answer(event, { action: 'accept', content: { seats: 3 } })
    }
    expect((await run.result).text).toBe('Done.')
    expect(questions).toEqual([`${server.origin} asks: "How many on Monday?"`])
    expect(server.state.log).toEqual(['book asks for Monday', 'book Monday 3'])
    await agent.dispose()
    await mcp.close()
    await server.close()
  },
)

it("a server's question survives a reload, and the tool is not called too often", async () => {
  const { server, mcp } = await connected('startModern', { elicitation: 'ask_user' })
  const testStorage = createTestStorage()
  const options = {
    testStorage,
    controlTools: ['ask_user' as const],
    questionFields: true,
    toolApproval: 'never' as const,
    script: calls('shop__book', { day: 'Sunday' }),
  }
  const before = createTestAgent(options)
  useMcp(before, mcp)
  for await (const event of before.run('A table')) {
    if (event.type === 'tool-approval-request') await before.approve(event)
    if (event.type === 'question') break
  }
  await before.dispose()
  await mcp.close()
  simulateReload()

  const again = await connectMcp({ url: server.url, elicitation: 'ask_user' })
  const after = createTestAgent(options)
  useMcp(after, again)
  const run = await after.resume()
  if (!run) throw new Error('nothing is open')
  for await (const event of run) {
    if (event.type !== 'run-snapshot') continue
    const { conversationId } = event
    for (const { toolCallId } of event.pending)
      await after.answer(
        { conversationId, toolCallId },
        { action: 'accept', content: { seats: 5 } },
      )
  }
  expect((await run.result).text).toBe('Done.')
  expect(server.state.log).toEqual(['book asks for Sunday', 'book Sunday 5'])
  await after.dispose()
  await again.close()
  await server.close()
})

it('without ask_user, the failed call says which option questions need', async () => {
  const { server, mcp } = await connected('startModern', { elicitation: 'ask_user' })
  const agent = createTestAgent({
    toolApproval: 'never',
    script: calls('shop__book', { day: 'Monday' }),
  })
  useMcp(agent, mcp)
  const failures: string[] = []
  for await (const event of agent.run('A table')) {
    if (event.type === 'tool-approval-request') await agent.approve(event)
    if (event.type === 'tool-result') failures.push(JSON.stringify(event))
  }
  expect(failures.join()).toContain('questionFields: true')
  await agent.dispose()
  await mcp.close()
  await server.close()
})

it("an untrusted server's tool requires approval and does not replace the app's tool", async () => {
  const { server, mcp } = await connected('startModern')
  const said: string[] = []
  const agent = createTestAgent({
    tools: [{ name: 'shop__facts', description: 'Ours.', execute: () => 'ours' }],
    script: calls('shop__send_mail', { to: 'ann' }),
  })
  useMcp(agent, mcp, { onDiagnostic: ({ type, tool }) => said.push(`${type} ${tool}`) })
  expect(said).toEqual(['name-clash shop__facts'])
  for await (const event of agent.run('Mail')) {
    if (event.type !== 'tool-approval-request') continue
    expect(server.state.log).toEqual([])
    await agent.approve(event)
  }
  expect(server.state.log).toEqual(['send_mail ann'])
  await agent.dispose()
  await mcp.close()
  await server.close()
})
