import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { AgentOptions, JsonValue, Tool, ToolAnnotations } from '../../../src/index.ts'
import { fromMcpClient, type McpClientLike } from '../../../src/connect/mcp/index.ts'
import { agentWith, tool } from './support.ts'

// Counts the approvals that honest work requires after untrusted content was read.

type Tools = NonNullable<AgentOptions['tools']>
type Call = readonly [toolName: string, input?: JsonValue]

interface Flow {
  readonly name: string
  readonly tools: Tools | (() => Promise<Tools>)
  readonly calls: readonly Call[]
  readonly questions: 0 | 1
}

const inputSchema = { type: 'object' } as const

const own = (annotations: ToolAnnotations, more: Partial<Tool> = {}): readonly Tool[] => [
  tool('act', { annotations, inputSchema, ...more }),
]

const times = (count: number, toolName = 'act'): readonly Call[] =>
  Array.from({ length: count }, (_, number) => [toolName, { number }])

/** Tools of an MCP server with these hints. */
const mcp =
  (hints: object, trusted = true, source = 'shop.example') =>
  async (): Promise<Tools> => {
    const client = {
      listTools: async () => ({
        tools: [{ name: 'act', description: 'Acts.', inputSchema, annotations: hints }],
      }),
      callTool: async () => ({ content: [{ type: 'text', text: 'Others wrote this.' }] }),
      listResources: async () => ({ resources: [] }),
      readResource: async ({ uri }: { uri: string }) => ({ contents: [{ uri, text: 'A note.' }] }),
      getServerCapabilities: () => ({ tools: {}, resources: {} }),
      getServerVersion: () => ({ name: source.split('.')[0], version: '1' }),
      close: async () => undefined,
    } as unknown as McpClientLike
    return (await fromMcpClient(client, { source, trusted, resourceTools: true })).tools
  }

/** A page tool: its `commits` knows what the control does. */
const pageTools = [
  tool('read_page', { annotations: { readOnly: true, untrustedContent: true } }),
  tool('click', {
    annotations: { untrustedContent: true },
    inputSchema,
    commits: (input) => JSON.stringify(input).includes('Submit'),
    describe: (input) => ({ text: JSON.stringify(input) }),
  }),
]
const click = (name: string): Call => ['click', { name }]
const read: Call = ['read_page']

const FLOWS: readonly Flow[] = [
  {
    name: 'Search the app three times',
    tools: own({ readOnly: true }),
    calls: times(3),
    questions: 0,
  },
  { name: 'Summarize what was read', tools: [], calls: [['read_reviews']], questions: 0 },
  { name: 'Filter a list', tools: own({ idempotent: true }), calls: times(2), questions: 0 },
  {
    name: 'Put three things into the cart',
    tools: own({ reversible: true }),
    calls: times(3),
    questions: 0,
  },
  { name: 'Rename a note', tools: own({ idempotent: true }), calls: times(1), questions: 0 },
  { name: 'Draft a reply', tools: own({ reversible: true }), calls: times(1), questions: 0 },
  { name: 'Send a mail', tools: own({ openWorld: true }), calls: times(1), questions: 1 },
  {
    name: 'Send two mails to one recipient, with `consentKey`',
    tools: own({ openWorld: true }, { consentKey: () => 'ann' }),
    calls: times(2),
    questions: 1,
  },
  { name: 'Delete a note', tools: own({ destructive: true }), calls: times(1), questions: 1 },
  {
    name: 'Call a tool without annotations three times',
    tools: own({}),
    calls: times(3),
    questions: 1,
  },
  {
    name: 'Search a trusted MCP server five times, with `readOnlyHint` alone',
    tools: mcp({ readOnlyHint: true }),
    calls: times(5, 'shop__act'),
    questions: 0,
  },
  {
    name: 'Search two trusted MCP servers, with `readOnlyHint` alone',
    tools: async () =>
      (
        await Promise.all([
          mcp({ readOnlyHint: true })(),
          mcp({ readOnlyHint: true }, true, 'mail.example')(),
        ])
      ).flat(),
    calls: [...times(2, 'shop__act'), ...times(2, 'mail__act')],
    questions: 0,
  },
  {
    name: 'Read three resources of a trusted MCP server',
    tools: mcp({ readOnlyHint: true }),
    calls: Array.from({ length: 3 }, () => ['shop__read_resource', { uri: 'note://a' }]),
    questions: 0,
  },
  {
    name: 'Search an MCP server that is not trusted five times',
    tools: mcp({ readOnlyHint: true }, false),
    calls: times(5, 'shop__act'),
    questions: 1,
  },
  {
    name: 'Create two issues on a trusted MCP server, with `destructiveHint: false`',
    tools: mcp({ destructiveHint: false }),
    calls: times(2, 'shop__act'),
    questions: 1,
  },
  {
    name: 'Search and filter on the page',
    tools: pageTools,
    calls: [read, click('Search'), click('Price'), read],
    questions: 0,
  },
  {
    name: 'Open two mails on the page',
    tools: pageTools,
    calls: [click('Mail 1'), read, click('Mail 2'), read],
    questions: 0,
  },
  {
    name: 'Add to the cart on the page',
    tools: pageTools,
    calls: [read, click('Add to cart')],
    questions: 0,
  },
  {
    name: 'Turn the pages of a list',
    tools: pageTools,
    calls: [click('Next'), click('Next'), read],
    questions: 0,
  },
  {
    name: 'Fill in a form on the page, and submit it',
    tools: pageTools,
    calls: [click('Country'), read, click('Submit')],
    questions: 1,
  },
]

/** The questions of a flow. The person says "Always allow in this chat" where the card offers it. */
async function questionsOf({ tools, calls }: Flow): Promise<number> {
  const given = typeof tools === 'function' ? await tools() : tools
  const steps = [['read_reviews'] as Call, ...calls].map(([toolName, input = {}]) => ({
    toolCalls: [{ toolName, input }],
  }))
  const { agent } = agentWith(given, { script: { steps: [...steps, { text: 'Done.' }] } })
  const run = agent.run('go', { conversationId: 'c' })
  let questions = 0
  for await (const event of run) {
    if (event.type !== 'tool-approval-request') continue
    questions += 1
    void agent.approve(event, event.rememberable && { remember: 'conversation' })
  }
  const { outcome, toolCalls } = await run.result
  expect(outcome).toBe('completed')
  expect(toolCalls.map(({ status }) => status)).toEqual(steps.map(() => 'succeeded'))
  return questions
}

describe('an honest flow, after reading untrusted content, requests approval at most once', () => {
  it.each(FLOWS)('$name: $questions', async (flow) => {
    expect(await questionsOf(flow)).toBe(flow.questions)
  })
})

it('the documented table has these flows, with a median of 0', () => {
  const counts = FLOWS.map(({ questions }) => questions).toSorted((a, b) => a - b)
  expect([counts.length, counts[9], counts[10]]).toEqual([20, 0, 0])
  const text = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8')
  const section = text.split('## How often a person is asked')[1]?.split('\n## ')[0] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| '))
  expect(
    rows.slice(2).map((row) =>
      row
        .split('|')
        .slice(1, 3)
        .map((cell) => cell.trim()),
    ),
  ).toEqual(FLOWS.map(({ name, questions }) => [name, String(questions)]))
})
