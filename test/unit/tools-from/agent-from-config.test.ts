import { describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { startMockOpenAI } from '../../browser/support/mock-openai.ts'
import { callTools, say } from '../../browser/support/mock-answers.ts'
import { defineTool, OffstageError, type JsonObject } from '../../../src/index.ts'
import { blackboard, keywordMemory } from '../../../src/memory/index.ts'
import { createTestStorage, inProcessWorker } from '../../../src/testing/index.ts'
import { agentFromConfig, toolsFrom } from '../../../src/tools-from.ts'

const model = { provider: 'scripted', model: 'x', script: { steps: [{ text: 'Hi.' }] } }
const skills = [{ name: 'returns', description: 'Takes goods back.', instructions: 'Be kind.' }]
const tools = toolsFrom({ addToCart: (sku: string) => sku, clear: () => 0 })

function refusal(config: unknown, parts?: object): string {
  try {
    void agentFromConfig(config as JsonObject, parts).dispose()
  } catch (error) {
    if (OffstageError.is(error)) return `${error.code}: ${error.message}`
    throw error
  }
  return ''
}

it("creates an agent from JSON and the parts that JSON can't hold", async () => {
  const config = JSON.parse(
    JSON.stringify({
      model,
      instructions: 'Help {{who}}.',
      values: { who: 'Ada' },
      enabledTools: ['addToCart'],
      controlTools: ['finish_task'],
      skills: ['returns'],
      toolApproval: 'writes',
      reflect: { mode: 'annotate', instructions: 'Is it kind to {{who}}?' },
      maxSteps: 4,
      retries: 1,
      storage: 'memory',
      raw: false,
      heartbeatMs: 5000,
    }),
  ) as object
  const parts = { tools, skills, apiKey: () => 'k', headers: {}, context: () => 'now' }
  expect(refusal(config, parts)).toBe('')
  expect(refusal({ model })).toBe('')
})

test("a reflection model gets the separate key only at the agent model's address", async () => {
  const [own, other] = [await startMockOpenAI(), await startMockOpenAI()]
  onTestFinished(() => Promise.all([own.close(), other.close()]).then(() => undefined))
  const provider = 'openai-compatible'
  const askedAt = async (server: typeof own): Promise<void> => {
    own.enqueue(say('52.'))
    server.enqueue(say('54.'))
    const judge = { provider, model: 'judge', baseURL: server.baseURL }
    const agent = agentFromConfig(
      {
        model: { provider, model: 'mock', baseURL: own.baseURL },
        reflect: { mode: 'replace', instructions: 'Is it right?', model: judge },
      },
      { apiKey: 'secret', worker: inProcessWorker({ storage: createTestStorage() }) },
    )
    expect((await agent.run('How much?').result).text).toBe('54.')
    await agent.dispose()
  }
  await askedAt(own)
  await askedAt(other)
  const keys = (server: typeof own) => server.requests.map(({ headers }) => headers.authorization)
  expect(keys(own)).toEqual(['Bearer secret', 'Bearer secret', 'Bearer secret'])
  expect(keys(other)).toEqual([undefined])
})

describe('a mistake in a configuration suggests the intended name', () => {
  test.each([
    [{ model, instruction: 'x' }, {}, 'Did you mean instructions?'],
    [{ model, reflect: { mode: 'replace' } }, {}, 'reflect must be like'],
    [{ model, maxstep: 1 }, {}, 'Did you mean maxSteps?'],
    [{ model, tools: ['clear'] }, {}, 'Did you mean enabledTools?'],
    [{ model, tools: ['clear'] }, {}, 'It goes beside it.'],
    [{ model, workerUrl: '/evil.js' }, {}, 'has no workerUrl'],
    [{ model, skills: ['returns'] }, {}, 'no such skill'],
    [{ model, skills: ['return'] }, { skills }, 'Did you mean returns?'],
    [{ model, skills: 'returns' }, { skills }, 'a list of names'],
    [{ model, skills: [{ name: 'Returns!' }] }, {}, 'skills[0]: The skill name'],
    [{ model, skill: [] }, {}, 'Did you mean skills?'],
    [{ model: { ...model, base_url: 'x' } }, {}, 'Did you mean baseURL?'],
    [{ model, toolApproval: 'sometimes' }, {}, 'toolApproval'],
    [{ model, toolApproval: () => false }, {}, 'plain JSON'],
    [{ model, values: { at: new Date() } }, {}, 'plain JSON'],
    [{ model, enabledTools: ['addTocart'] }, { tools }, 'Did you mean addToCart?'],
    [{ model, enabledTools: ['clear'] }, {}, 'no such tool'],
    [{ model, enabledTools: 'clear' }, { tools }, 'enabledTools'],
    [{ model, maxSteps: -3 }, {}, 'maxSteps'],
    [{ model: 'x' }, {}, 'must be an object'],
    [{}, {}, 'must be an object'],
    [null, {}, 'must be an object'],
    ['{}', {}, 'must be an object'],
    [{ model }, { tool: [] }, 'Did you mean tools?'],
    [{ model }, { skills: ['returns'] }, 'must be an object'],
    [{ model }, { skills: [...skills, ...skills] }, 'Two skills'],
    [{ model }, { maxSteps: 3 }, 'It goes in the configuration.'],
    [{ model }, null, 'must be an object'],
    [JSON.parse('{"__proto__":{},"model":{"provider":"ollama","model":"m"}}'), {}, '__proto__'],
  ])('%#', (config, parts, words) => {
    const message = refusal(config, parts as object)
    expect(message).toContain(words)
    expect(message).toMatch(/^invalid-config/)
  })
})

const mistakeOf = (config: object, parts: object = {}): { message: string; path: unknown } => {
  try {
    void agentFromConfig(config as JsonObject, parts).dispose()
  } catch (error) {
    if (OffstageError.is(error)) return { message: error.message, path: error.details?.['path'] }
    throw error
  }
  throw new Error('Nothing was refused.')
}

describe('a mistake in a part of the configuration reports its path', () => {
  const agent = { name: 'writer', description: 'Writes.' }
  const skill = { name: 'refunds', description: 'd', instructions: 'i' }
  const composite = { name: 'restock', description: 'd', run: 'restock' }
  const memories = {
    keywordMemory,
    board: blackboard({ blocks: { profile: { description: 'd' } }, storage: 'memory' }),
  }
  test.each<[config: object, parts: object, path: string, words: string]>([
    [
      { agents: [agent, { ...agent, maxstep: 1 }] },
      {},
      'agents[1].maxstep',
      'Did you mean maxSteps?',
    ],
    [{ agents: [{ ...agent, storage: 'memory' }] }, {}, 'agents[0].storage', 'has no storage'],
    [{ agents: [{ ...agent, agents: [] }] }, {}, 'agents[0].agents', 'has no agents'],
    [
      { agents: [{ ...agent, tools: [] }] },
      {},
      'agents[0].tools',
      'It goes beside the configuration',
    ],
    [
      { agents: [{ ...agent, enabledTools: ['clera'] }] },
      { tools },
      'agents[0].enabledTools[0]',
      'Did you mean clear?',
    ],
    [
      { agents: [{ ...agent, skills: ['refund'] }] },
      { skills },
      'agents[0].skills[0]',
      'no such skill',
    ],
    [
      { agents: [{ ...agent, memory: [{ kind: 'keywordMemory', writeBak: true }] }] },
      { memories },
      'agents[0].memory[0].writeBak',
      'Did you mean writeBack?',
    ],
    [
      { agents: [{ ...agent, model: { ...model, base_url: 'x' } }] },
      {},
      'agents[0]',
      'Did you mean baseURL?',
    ],
    [{ agents: [{ ...agent, maxSteps: -3 }] }, {}, 'agents[0]', 'agents[0]: maxSteps must be'],
    [{ agents: [{ description: 'd' }] }, {}, 'agents[0]', 'needs a name'],
    [{ agents: 'writer' }, {}, 'agents', 'a list of agents'],
    [{ agents: [agent] }, { agents: { writr: {} } }, 'agents', 'Did you mean writer?'],
    [
      { agents: [agent] },
      { agents: { writer: { contxt: () => '' } } },
      'agents[0].contxt',
      'Did you mean context?',
    ],
    [
      { skills: [{ ...skill, tools: ['clera'] }] },
      { tools },
      'skills[0].tools[0]',
      'Did you mean clear?',
    ],
    [{ skills: [{ ...skill, file: {} }] }, {}, 'skills[0].file', 'Did you mean files?'],
    [{ memory: ['bord'] }, { memories }, 'memory[0]', 'Did you mean board?'],
    [
      { memory: [{ kind: 'keywordMemories' }] },
      { memories },
      'memory[0].kind',
      'Did you mean keywordMemory?',
    ],
    [
      { memory: [{ kind: 'blackboard', blocks: {} }] },
      { memories },
      'memory[0].kind',
      'no such memory',
    ],
    [
      { memory: ['keywordMemory', { kind: 'keywordMemory', scope: 'page' }] },
      { memories },
      'memory[1]',
      'scope of a memory',
    ],
    [{ memory: 'board' }, { memories }, 'memory', 'a list of memories'],
    [
      { compositeTools: [{ ...composite, run: 'restok' }] },
      { functions: { restock: () => 1 } },
      'compositeTools[0].run',
      'Did you mean restock?',
    ],
    [
      { compositeTools: [{ ...composite, execute: 'x' }] },
      {},
      'compositeTools[0].execute',
      'has no execute',
    ],
    [
      { compositeTools: [{ ...composite, inputSchema: { type: 'strng' } }] },
      { functions: { restock: () => 1 } },
      'compositeTools[0]',
      'is no Standard Schema',
    ],
    [{ enabledTools: ['addToCart', 'recal'] }, { tools }, 'enabledTools[1]', 'no such tool'],
  ])('%#: %j', (config, parts, path, words) => {
    const mistake = mistakeOf({ model, ...config }, parts)
    expect(mistake).toEqual({ message: expect.stringContaining(words) as string, path })
  })
})

test('a configuration describes memories, skills and composite tools', async () => {
  const found = defineTool({ name: 'find_order', description: 'Finds it.', execute: () => 'A7' })
  const worker = inProcessWorker({ storage: createTestStorage() })
  const script = {
    scenes: [
      {
        match: ['restock'],
        steps: [{ toolCalls: [{ toolName: 'restock', input: {} }] }, { text: 'Done.' }],
      },
      {
        match: ['tea'],
        steps: [
          { toolCalls: [{ toolName: 'remember', input: { text: 'Likes tea.' } }] },
          { text: 'Noted.' },
        ],
      },
    ],
  }
  const agent = agentFromConfig(
    {
      $schema: './agent.schema.json',
      model: { provider: 'scripted', model: 'x', script },
      enabledTools: ['restock', 'remember', 'find_order'],
      memory: ['board', { kind: 'keywordMemory', tools: true }],
      skills: [{ name: 'returns', description: 'd', instructions: 'i', tools: ['find_order'] }],
      compositeTools: [{ name: 'restock', description: 'Restocks.', run: 'restock', version: '1' }],
      storage: 'memory',
    },
    {
      worker,
      tools: [found],
      memories: {
        keywordMemory,
        board: blackboard({ blocks: { profile: { description: 'd' } }, storage: 'memory' }),
      },
      functions: { restock: (_input, { step }) => step('order', () => 'Ordered.') },
    },
  )
  const listed = await agent.tools.list()
  expect(listed.find(({ name }) => name === 'find_order')?.skills).toEqual(['returns'])
  const restocked = await agent.run('restock').result
  expect(restocked.toolCalls[0]?.output).toEqual({ type: 'text', value: 'Ordered.' })
  expect((await agent.run('I like tea').result).toolCalls[0]?.status).toBe('succeeded')
  const [, kept] = agent.memories
  // Kept where the agent keeps its conversations: not in a database.
  expect((await kept?.list?.({ conversationId: 'x' }))?.map(({ text }) => text)).toEqual([
    'Likes tea.',
  ])
  await agent.dispose()
})

test('a configured agent calls its sub-agents, which share storage, policies and hooks', async () => {
  const seen: string[] = []
  const call = (toolName: string, input: JsonObject) => ({ toolCalls: [{ toolName, input }] })
  const scripted = (...steps: object[]) => ({ provider: 'scripted', model: 'x', script: { steps } })
  const worker = inProcessWorker({ storage: createTestStorage() })
  let disposed = 0
  const search = defineTool({
    name: 'search',
    description: 'Searches.',
    inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
    annotations: { readOnly: true },
    execute: ({ query }) => `Found ${query}.`,
    dispose: () => void disposed++,
  })
  const agent = agentFromConfig(
    {
      model: scripted(
        call('researcher', { prompt: 'mugs' }),
        call('writer', { prompt: 'Write.' }),
        { text: 'Here it is.' },
      ),
      enabledTools: ['researcher', 'writer'],
      agents: [
        {
          name: 'researcher',
          description: 'Finds facts.',
          enabledTools: ['search'],
          model: scripted(call('search', { query: 'mugs' }), { text: 'Mugs are blue.' }),
        },
        {
          name: 'writer',
          description: 'Writes.',
          enabledTools: [],
          model: scripted({ text: 'A mug, blue as the sea.' }),
        },
      ],
    },
    { worker, tools: [search], beforeToolCall: ({ toolName }) => void seen.push(toolName) },
  )
  const { text, toolCalls } = await agent.run('A text on mugs').result
  expect(text).toBe('Here it is.')
  expect(toolCalls.map(({ output }) => output)).toMatchObject([
    { value: { text: 'Mugs are blue.' } },
    { value: { text: 'A mug, blue as the sea.' } },
  ])
  expect(seen).toEqual(['researcher', 'search', 'writer'])
  const children = await agent.conversations.list({ children: true })
  expect(children).toHaveLength(3)
  await agent.dispose()
  await vi.waitFor(() => expect(disposed).toBe(3))
})

test("a sub-agent gets the key only at its agent's address, or its own", async () => {
  const [own, other] = [await startMockOpenAI(), await startMockOpenAI()]
  onTestFinished(() => Promise.all([own.close(), other.close()]).then(() => undefined))
  const provider = 'openai-compatible'
  const at = ({ baseURL }: { baseURL: string }) => ({ provider, model: 'mock', baseURL })
  const ask = async (member: object, partsOfIt: object): Promise<void> => {
    own.enqueue(callTools([{ name: 'helper', input: { prompt: 'x' } }]), say('Done.'))
    other.enqueue(say('Yes.'))
    const agent = agentFromConfig(
      {
        model: at(own),
        agents: [{ name: 'helper', description: 'Helps.', ...member }],
      },
      {
        apiKey: 'secret',
        worker: inProcessWorker({ storage: createTestStorage() }),
        agents: { helper: partsOfIt },
      },
    )
    expect((await agent.run('Help').result).outcome).toBe('completed')
    await agent.dispose()
  }
  const keys = (server: typeof own) => server.requests.map(({ headers }) => headers.authorization)
  await ask({ model: at(other) }, {})
  await ask({ model: at(other) }, { apiKey: 'another' })
  expect(keys(other)).toEqual([undefined, 'Bearer another'])
  expect(new Set(keys(own))).toEqual(new Set(['Bearer secret']))
})
