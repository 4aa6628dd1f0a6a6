import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Agent, AgentOptions } from '../../../src/index.ts'
import { createMock } from '../../../src/testing/mock/index.ts'
import {
  createTestAgent,
  type RecordingFile,
  type Script,
  type TestAgentOptions,
} from '../../../src/testing/index.ts'

// Golden runs: recordings in a folder, which an environment variable has recorded anew.

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'offstage-runs-'))
  vi.stubEnv('CI', undefined)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

type Tools = NonNullable<AgentOptions['tools']>

const cart: unknown[] = []

/** A tool that adds, whose quantity has some type. */
const toolsWith = (type: 'number' | 'string', output = 'Added.'): Tools =>
  [
    {
      name: 'add_item',
      description: 'Adds items.',
      inputSchema: { type: 'object', properties: { qty: { type } }, required: ['qty'] },
      execute: ({ qty }: { qty: unknown }) => {
        cart.push(qty)
        return output
      },
    },
  ] as unknown as Tools

const scriptWith = (qty: number | string, text = 'Done.'): Script => ({
  steps: [{ toolCalls: [{ toolName: 'add_item', input: { qty } }] }, { text }],
})

const asksForMugs = (agent: Agent): Promise<unknown> => agent.run('Two mugs').result

interface Golden extends Omit<TestAgentOptions, 'recording'> {
  readonly name?: string
  readonly folder?: RecordingFile['folder']
  readonly record?: RecordingFile['record'] | null
}

/** Plays or records a run, as a test of an app does. Resolves to the message of the error, or to null. */
async function golden({
  name = 'two mugs',
  folder: at = folder,
  record = asksForMugs,
  ...options
}: Golden): Promise<string | null> {
  const agent = createTestAgent({
    recording: { folder: at, name, ...(record && { record }) },
    ...options,
  })
  try {
    await agent.replay({ outputs: true })
    return null
  } catch (error) {
    return (error as Error).message
  } finally {
    await agent.dispose()
  }
}

async function updated(options: Golden): Promise<string | null> {
  vi.stubEnv('OFFSTAGE_UPDATE', '1')
  try {
    return await golden(options)
  } finally {
    vi.stubEnv('OFFSTAGE_UPDATE', undefined)
  }
}

const fileOf = (name = 'two mugs'): string => path.join(folder, `${name}.jsonl`)

test('a run is recorded once, and then played by its name without the model', async () => {
  const record = vi.fn(asksForMugs)
  const [tools, script] = [toolsWith('number'), scriptWith(2)]
  expect(await golden({ tools, script, record })).toBe(
    `There is no recording ${fileOf()}. Set OFFSTAGE_UPDATE=1 to record it.`,
  )
  expect(await updated({ tools, script, record })).toBeNull()
  expect(record).toHaveBeenCalledTimes(1)
  const before = await readFile(fileOf(), 'utf8')

  cart.length = 0
  // The script would fail: the file has the answers.
  expect(await golden({ tools, script: { steps: [{ error: 'Asleep.' }] }, record })).toBeNull()
  expect(cart).toEqual([2])
  expect(record).toHaveBeenCalledTimes(1)
  expect(await golden({ tools: toolsWith('string'), script })).toMatch(
    /^Step 1: add_item\(\{ qty: 2 \}\) was refused/,
  )
  expect(await readFile(fileOf(), 'utf8')).toBe(before)
})

test('an update replaces what changed, in a folder that may be an address, for each name apart', async () => {
  const at = pathToFileURL(path.join(folder, 'runs'))
  const tools = toolsWith('number')
  for (const name of ['mugs', 'bowls'])
    expect(await updated({ name, folder: at, tools, script: scriptWith(2) })).toBeNull()
  const now = toolsWith('number', 'Added, all of it.')
  const script = scriptWith(3)
  expect(await golden({ name: 'mugs', folder: at, tools: now, script })).toContain(
    "returned 'Added, all of it.'",
  )
  expect(await updated({ name: 'mugs', folder: at, tools: now, script })).toBeNull()
  cart.length = 0
  expect(await golden({ name: 'mugs', folder: at, tools: now, script })).toBeNull()
  expect(await golden({ name: 'bowls', folder: at, tools, script })).toBeNull()
  expect(cart).toEqual([3, 2])
  expect(await readdir(at)).toEqual(['bowls.jsonl', 'mugs.jsonl'])
})

test('a recording without `record`, such as a bug report, is never written', async () => {
  const tools = toolsWith('number')
  expect(await golden({ tools, record: null })).toContain('Pass `record` to record it.')
  await updated({ tools, script: scriptWith(2) })
  const before = await readFile(fileOf(), 'utf8')
  expect(await updated({ tools, record: null })).toBeNull()
  expect(await updated({ tools: toolsWith('string'), record: null })).toContain('was refused')
  expect(await readFile(fileOf(), 'utf8')).toBe(before)
})

test.each(['true', '1', 'yes'])('CI=%s never records', async (ci) => {
  vi.stubEnv('CI', ci)
  const record = vi.fn(asksForMugs)
  const told = await updated({ tools: toolsWith('number'), script: scriptWith(2), record })
  expect(told).toContain('CI does not do')
  expect(record).not.toHaveBeenCalled()
  expect(await readdir(folder)).toEqual([])
})

test.each(['0', 'true', ''])('OFFSTAGE_UPDATE=%s records nothing', async (value) => {
  vi.stubEnv('OFFSTAGE_UPDATE', value)
  const told = await golden({ tools: toolsWith('number'), script: scriptWith(2) })
  expect(told).toContain('There is no recording')
  expect(await readdir(folder)).toEqual([])
})

test('a recording of a newer version is neither played nor replaced, and a damaged one is replaced', async () => {
  const given = { tools: toolsWith('number'), script: scriptWith(2) }
  await updated(given)
  const text = await readFile(fileOf(), 'utf8')
  const newer = text.replace('"version":1', '"version":9')
  await writeFile(fileOf(), newer)
  expect(await golden(given)).toContain('written by a newer Offstage')
  cart.length = 0
  expect(await updated(given)).toContain('written by a newer Offstage')
  expect(cart).toEqual([])
  expect(await readFile(fileOf(), 'utf8')).toBe(newer)

  for (const other of ['{"user":1}\n{"user":2}\n', 'My notes.']) {
    await writeFile(fileOf(), other)
    expect(await updated(given)).toContain('This is no exported file')
    expect(await readFile(fileOf(), 'utf8')).toBe(other)
  }

  await writeFile(fileOf(), text.slice(0, 300))
  expect(await golden(given)).toContain('The file is damaged')
  expect(await updated(given)).toBeNull()
  expect(await golden(given)).toBeNull()
})

test('a run that fails, several conversations, none, and a person who throws leave the file as it was', async () => {
  const given = { tools: toolsWith('number'), script: scriptWith(2) }
  await updated(given)
  const before = await readFile(fileOf(), 'utf8')
  const script = { steps: [{ error: 'Asleep.' }] }
  expect(await updated({ ...given, script })).toBe(
    `${fileOf()} was not written. A run is no example. It failed: Asleep.`,
  )
  const twice = async (agent: Agent): Promise<void> => {
    await asksForMugs(agent)
    await asksForMugs(agent)
  }
  expect(await updated({ ...given, record: twice })).toContain('It has 2 conversations')
  expect(await updated({ ...given, record: () => Promise.resolve() })).toContain(
    'It has 0 conversations',
  )
  const leaves = async (agent: Agent): Promise<void> => {
    for await (const _event of agent.run('Two mugs')) return
  }
  const slow = { ...scriptWith(2), paceMs: 500 }
  expect(await updated({ ...given, script: slow, record: leaves })).toContain('had not ended.')
  const throws = (): Promise<never> => Promise.reject(new Error('No shelf.'))
  expect(await updated({ ...given, record: throws })).toBe('No shelf.')
  expect(await readFile(fileOf(), 'utf8')).toBe(before)
})

test('keys of the model and secrets in inputs are in no file', async () => {
  const mock = createMock({
    script: {
      steps: [
        { toolCalls: [{ toolName: 'log_in', input: { password: 'hunter2-secret' } }] },
        { text: 'You are in.' },
      ],
    },
  })
  const { url, close } = await mock.listen()
  onTestFinished(close)
  const model = {
    provider: 'openai-compatible',
    baseURL: `${url}/v1`,
    model: 'mock',
    apiKey: 'sk-of-the-model',
    headers: { authorization: 'Bearer of-a-gateway' },
  } as const
  const logIn = (output: string): Tools =>
    [
      {
        name: 'log_in',
        description: 'Logs in.',
        inputSchema: { type: 'object', properties: { password: { type: 'string' } } },
        secretsIn: () => ['/password'],
        execute: () => output,
      },
    ] as unknown as Tools
  const given = { model, record: (agent: Agent) => agent.run('Log in').result }
  expect(await updated({ ...given, tools: logIn('ok') })).toBeNull()
  const text = await readFile(fileOf(), 'utf8')
  expect(mock.requests).toHaveLength(2)
  for (const secret of ['sk-of-the-model', 'of-a-gateway', 'hunter2-secret'])
    expect(text).not.toContain(secret)

  // A tool that returns a key.
  vi.stubEnv('SHOP_TOKEN', 'shop-"token"-1')
  vi.stubEnv('SHOP_PWD', 'shop-password-1')
  for (const [name, key] of [
    ['apiKey', 'sk-of-the-model'],
    ['authorization', 'of-a-gateway'],
    ['SHOP_TOKEN', 'shop-"token"-1'],
    ['SHOP_PWD', 'shop-password-1'],
  ] as const)
    expect(await updated({ ...given, tools: logIn(`The key is ${key}.`) })).toContain(
      `It would hold the value of ${name}`,
    )
  expect(await readFile(fileOf(), 'utf8')).toBe(text)
})

test.each(['PWD', 'OLDPWD', 'GIT_AUTHOR_NAME'])('%s is no secret', async (name) => {
  vi.stubEnv(name, '/home/of/mugs')
  const tools = toolsWith('number', 'There is /home/of/mugs.')
  expect(await updated({ tools, script: scriptWith(2) })).toBeNull()
})

test.each(['', '../mugs', 'a/b', String.raw`a\b`, '.hidden', 'a\u0000b', 'x'.repeat(201)])(
  'a name that leaves the folder or is no name of a file is refused: %j',
  async (name) => {
    const given = { tools: toolsWith('number'), script: scriptWith(2), name }
    expect(await updated(given)).toContain("A recording can't be named")
    expect(await golden(given)).toContain("A recording can't be named")
    expect(await readdir(folder)).toEqual([])
  },
)

test('the answers have one source', () => {
  const recording = { folder, name: 'mugs' }
  const make = (options: TestAgentOptions) => () => createTestAgent(options)
  expect(make({ recording, script: scriptWith(2) })).toThrow('leave out `script` and `model`')
  expect(make({ recording: { ...recording, record: asksForMugs } })).toThrow(
    'pass the `script` or the `model`',
  )
})

test('a person who approves and edits is recorded and played', async () => {
  const tools = toolsWith('number').map((tool) => ({ ...tool, needsApproval: true })) as Tools
  const record = async (agent: Agent): Promise<void> => {
    for await (const event of agent.run('Two mugs'))
      if (event.type === 'tool-approval-request') await agent.approve(event, { input: { qty: 5 } })
  }
  const given = { tools, script: scriptWith(2), record }
  expect(await updated(given)).toBeNull()
  cart.length = 0
  expect(await golden(given)).toBeNull()
  expect(cart).toEqual([5])
})
