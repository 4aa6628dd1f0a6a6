import { expect, test, vi } from 'vitest'
import { cleanName } from '../../../src/client/tools/clean-name.ts'
import { createAgent, defineTool, type Agent, type Tool } from '../../../src/index.ts'
import { keywordMemory } from '../../../src/memory/index.ts'
import { defineSkill } from '../../../src/skills/index.ts'
import { stage, startedRun } from './fake-worker.ts'

const model = { provider: 'scripted', model: 'x', script: { steps: [{ text: 'Hi.' }] } }

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: `Does ${name}.`,
  execute: () => name,
  ...more,
})

const namesOf = async (agent: Agent): Promise<string[]> =>
  (await agent.tools.list()).map(({ name }) => name)

const never = (): never => {
  throw new Error('A worker was started.')
}

test('agent.tools lists every kind of tool, by the app’s names', async () => {
  const mail = defineTool({
    name: 'Send Mail',
    title: 'Send a mail',
    description: 'Sends a mail.',
    inputSchema: { type: 'object', properties: { 'E-Mail@1': { type: 'string' } } },
    annotations: { openWorld: true },
    execute: () => 'Sent.',
  })
  const helper = createAgent({ model, worker: never })
  const find = tool('find_order')
  const agent = createAgent({
    model,
    worker: never,
    tools: [
      mail,
      tool('lookup', { remote: { source: 'crm.example', trusted: false } }),
      { name: 'restock', description: 'Restocks.', run: () => 'Restocked.' },
      helper.asTool({ name: 'ask_helper', description: 'Knows more.' }),
    ],
    skills: [
      defineSkill({
        name: 'returns',
        description: 'Takes goods back.',
        instructions: 'Be kind.',
        files: { 'policy.md': '30 days.' },
        tools: [find],
      }),
    ],
    memory: keywordMemory({ storage: 'memory' }),
    controlTools: ['plan'],
  })
  const tools = await agent.tools.list()
  expect(tools.map(({ name }) => name)).toEqual([
    'Send Mail',
    'lookup',
    'restock',
    'ask_helper',
    'find_order',
    'remember',
    'recall',
    'forget',
    'read_skill_file',
    'activate_skill',
    'plan',
  ])
  expect(tools.filter(({ enabled }) => !enabled)).toEqual([])
  const [first, second] = tools
  expect(first).toEqual({
    name: 'Send Mail',
    modelName: 'Send_Mail',
    title: 'Send a mail',
    description: 'Sends a mail.',
    inputSchema: agent.inputSchema('Send_Mail'),
    annotations: { openWorld: true },
    enabled: true,
  })
  expect(second?.remote?.source).toBe('crm.example')
  expect(tools.find(({ name }) => name === 'find_order')?.skills).toEqual(['returns'])
  await agent.dispose()
  await helper.dispose()
})

test('a tool that the model can’t use gives the reason', async () => {
  let isOpen = true
  const agent = createAgent({
    model,
    worker: never,
    tools: [
      tool('open', { available: () => isOpen }),
      tool('broken', {
        available() {
          throw new Error('No.')
        },
      }),
      tool('other'),
    ],
    enabledTools: ['open', 'broken'],
  })
  const reasons = async () =>
    (await agent.tools.list()).map(({ enabled, whyNot }) => [enabled, whyNot])
  expect(await reasons()).toEqual([
    [true, undefined],
    [false, 'unavailable'],
    [false, 'not-enabled'],
  ])
  isOpen = false
  agent.setEnabledTools(null)
  expect(await reasons()).toEqual([
    [false, 'unavailable'],
    [false, 'unavailable'],
    [true, undefined],
  ])
  await agent.dispose()
})

test('the snapshot follows registered, removed and enabled tools, without a worker', async () => {
  const agent = createAgent({ model, worker: never, tools: [tool('first')] })
  expect(agent.tools.getSnapshot()).toEqual([])
  const listener = vi.fn()
  const off = agent.tools.subscribe(listener)
  await vi.waitFor(() => expect(agent.tools.getSnapshot()).toHaveLength(1))
  const before = agent.tools.getSnapshot()
  expect(agent.tools.getSnapshot()).toBe(before)

  listener.mockClear()
  const remove = agent.registerTool(tool('second'))
  agent.registerTool(tool('third'))
  await vi.waitFor(() => expect(listener).toHaveBeenCalledTimes(1))
  expect(agent.tools.getSnapshot().map(({ name }) => name)).toEqual(['first', 'second', 'third'])
  remove()
  agent.setEnabledTools(['third'])
  await vi.waitFor(() => expect(listener).toHaveBeenCalledTimes(2))
  expect(agent.tools.getSnapshot().map(({ name, enabled }) => [name, enabled])).toEqual([
    ['first', false],
    ['third', true],
  ])
  off()
  agent.registerTool(tool('fourth'))
  expect(await namesOf(agent)).toContain('fourth')
  expect(listener).toHaveBeenCalledTimes(2)
  await agent.dispose()
})

test('agent.tools enables exactly the tools that the worker receives', async () => {
  const set = stage({
    tools: [tool('Send Mail'), tool('closed', { available: () => false }), tool('left_out')],
    enabledTools: ['Send Mail', 'closed'],
    controlTools: ['ask_user', 'finish_task'],
    skills: [{ name: 'returns', description: 'd', instructions: 'i', tools: [tool('find')] }],
  })
  const { worker, command } = await startedRun(set, 'x')
  const told = await worker.page.currentTools({ agentId: command.agentId })
  const listed = (await set.agent.tools.list()).filter(({ enabled }) => enabled)
  const names = told.map(({ name }) => cleanName(name))
  expect(listed.map(({ name, modelName = name }) => modelName)).toEqual(names)
  expect(names).toContain('Send_Mail')
})
