import { expect, onTestFinished, test } from 'vitest'
import { createChatTransport, type UIMessageLike } from '../../../src/connect/ai-sdk/index.ts'
import { defineTool } from '../../../src/client/tools/define-tool.ts'
import { createTestAgent } from '../../../src/testing/index.ts'

test('an approval in useChat is refused if the call has another input than the chat shows', async () => {
  const orders: number[] = []
  const order = defineTool({
    name: 'order',
    description: 'Orders mugs.',
    inputSchema: { type: 'object', properties: { mugs: { type: 'integer' } }, required: ['mugs'] },
    needsApproval: true,
    execute: ({ mugs }) => void orders.push(mugs),
  })
  const agent = createTestAgent({
    tools: [order],
    script: {
      steps: [{ toolCalls: [{ toolName: 'order', input: { mugs: 1000 } }] }, { text: '.' }],
    },
  })
  onTestFinished(() => agent.dispose())
  const conversation = agent.conversation('c')
  onTestFinished(conversation.subscribe(() => undefined))
  const transport = createChatTransport(agent)
  const question = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Mugs' }] }
  const send = (messages: readonly object[], messageId?: string) =>
    transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'c',
      messageId,
      messages: messages as unknown as readonly UIMessageLike[],
      abortSignal: undefined,
    })
  const reader = (await send([question])).getReader()
  while (!(await reader.read()).done);
  await expect.poll(() => conversation.getSnapshot().pending.length).toBe(1)
  const toolCallId = conversation.getSnapshot().pending[0]?.toolCallId ?? ''
  // This chat still shows an older card: the call was asked about anew since, by another tab, with another input.
  const part = {
    type: 'tool-order',
    toolCallId,
    state: 'approval-responded',
    input: { mugs: 1 },
    approval: { id: toolCallId, approved: true },
  }
  const answer = { id: 'a', role: 'assistant', parts: [part] }
  await expect(send([question, answer], 'a')).rejects.toMatchObject({ code: 'consent-refused' })
  expect(orders).toEqual([])
  expect(conversation.getSnapshot().pending).toHaveLength(1)
})
