import { expect, test } from 'vitest'
import { createTestAgent, createTestStorage } from '../../../src/testing/index.ts'
import { readFile } from '../../../src/ui/inspector/parts/inspection-file.ts'
import { ReportFile } from '../../../src/ui/shared/report-file.ts'

const inspection = {
  runId: null,
  exportedAt: '2026-01-01T00:00:00.000Z',
  browser: 'b',
  firstTokens: [],
}
const SECRET = 'only-in-an-output'

// The first call of both agents is `call_1_0_1`. Servers that count their calls repeat ids, too.
test('a report leaves out a called agent even if its calls have the ids of its caller’s', async () => {
  const testStorage = createTestStorage()
  const helper = createTestAgent({
    testStorage,
    script: {
      steps: [{ toolCalls: [{ toolName: 'look_up', input: {} }] }, { text: `It is ${SECRET}.` }],
    },
    tools: [{ name: 'look_up', description: 'Looks it up.', execute: () => 'nothing of note' }],
  })
  const agent = createTestAgent({
    testStorage,
    script: {
      steps: [{ toolCalls: [{ toolName: 'help', input: { prompt: 'Help' } }] }, { text: 'Done.' }],
    },
    tools: [helper.asTool({ name: 'help', description: 'Helps.' })],
  })
  await agent.run('Ask', { conversationId: 'talk' }).result
  const file = await new Response(await agent.conversations.export('talk')).text()
  await agent.dispose()
  await helper.dispose()

  const report = new ReportFile(file)
  expect(report.textWith(inspection, new Set())).toContain(SECRET)
  const text = report.textWith(inspection, new Set(['help']))
  expect(text).not.toContain(SECRET)
  expect(readFile('f', text).journals).toHaveLength(1)
  const other = report.textWith(inspection, new Set(['look_up']))
  expect(other).not.toContain('nothing of note')
  expect(other).toContain(SECRET)
})

test('a report leaves out an output that came late', () => {
  const row = (fields: object): object => ({ row: { seq: 1, at: 1, runId: 'r', ...fields } })
  const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: {} }
  const text = `Output of call call_1, which no longer waited: ${SECRET}`
  const late = { role: 'user', id: 'u', synthetic: true, parts: [{ type: 'text', text }] }
  const file = [
    { offstage: 'offstage-conversations', version: 1, format: 1 },
    { conversation: { conversationId: 'c' } },
    row({ type: 'model-output', message: { id: 'm', parts: [call] }, calls: [] }),
    row({ type: 'messages-imported', messages: [late] }),
    { end: { rows: 2 } },
    { conversations: 1 },
  ]
  const report = new ReportFile(file.map((line) => JSON.stringify(line)).join('\n'))
  expect(report.textWith(inspection, new Set(['read']))).not.toContain(SECRET)
  expect(report.textWith(inspection, new Set(['write']))).toContain(SECRET)
})
