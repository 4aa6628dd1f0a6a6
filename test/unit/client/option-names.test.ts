import { describe, expect, it, test } from 'vitest'
import { nearest } from '../../../src/client/api/check-names.ts'
import { createAgent, defineTool, OffstageError, type AgentOptions } from '../../../src/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'

const model = { provider: 'ollama', model: 'm' }
const tool = { name: 'add', description: 'Adds.', execute: () => 1 }

function refusal(act: () => unknown): { code: string; message: string } {
  try {
    act()
  } catch (error) {
    if (OffstageError.is(error)) return { code: error.code, message: error.message }
    throw error
  }
  return { code: 'none', message: '' }
}

const create = (options: object) => () => createAgent({ model, ...options } as AgentOptions)

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'the name %s, which every object has, is unknown like others',
  (provider) => {
    const { code, message } = refusal(create({ model: { provider, model: 'm' } }))
    expect(code).toBe('unknown-provider')
    expect(message).toMatch(`There is no provider ${provider}. It has openai, anthropic,`)
    const option = refusal(create({ [provider]: 1 }))
    expect(option.code).toBe('invalid-config')
    expect(option.message).toMatch(
      new RegExp(`createAgent has no ${provider}\\. (It has model,|Did you mean instructions\\?)`),
    )
  },
)

describe('a misspelt option', () => {
  test.each([
    [{ instruction: 'x' }, 'instruction', 'instructions'],
    [{ system: 'x' }, 'system', 'instructions'],
    [{ maxstep: 1 }, 'maxstep', 'maxSteps'],
    [{ model: { ...model, apikey: 'k' } }, 'apikey', 'apiKey'],
    [{ model: { ...model, base_url: 'http://x' } }, 'base_url', 'baseURL'],
    [{ model: { ...model, maxTokens: 5 } }, 'maxTokens', 'maxOutputTokens'],
    [{ model: { ...model, retry: { maxRetry: 1 } } }, 'maxRetry', 'maxRetries'],
    [{ model: { ...model, timeouts: { firstByteMs: 1 } } }, 'firstByteMs', 'firstChunkMs'],
    [{ model: { ...model, toolChoice: { name: 'x' } } }, 'name', 'toolName'],
    [{ model: { ...model, script: { steps: [{ txt: 'x' }] } } }, 'txt', 'text'],
    [{ storage: { name: 'x', nmae: 'y' } }, 'nmae', 'name'],
    [{ controlTools: ['askUser'] }, 'askUser', 'ask_user'],
    [{ tools: [{ ...tool, parameters: {} }] }, 'parameters', 'inputSchema'],
    [{ tools: [{ ...tool, approval: true }] }, 'approval', 'needsApproval'],
    [{ tools: [{ ...tool, needApproval: () => true }] }, 'needApproval', 'needsApproval'],
    [{ tools: [{ ...tool, annotations: { readonly: true } }] }, 'readonly', 'readOnly'],
    [
      { tools: [{ ...tool, annotations: { destructiveHint: true } }] },
      'destructiveHint',
      'destructive',
    ],
    [{ tools: [{ ...tool, annotations: { openWorldHint: true } }] }, 'openWorldHint', 'openWorld'],
    [{ tools: [{ ...tool, remote: { source: 's', trust: true } }] }, 'trust', 'trusted'],
  ])('in %o is rejected at once, with the option that was meant', (options, wrong, meant) => {
    const { code, message } = refusal(create(options))
    expect(code).toBe('invalid-config')
    expect(message).toContain(` ${wrong}`)
    expect(message).toContain(`Did you mean ${meant}?`)
  })

  test.each([
    [{ tools: [{ ...tool, annotations: { needsApproval: true } }] }, 'needsApproval of tool'],
    [{ tools: [{ ...tool, readOnly: true }] }, 'readOnly of annotations'],
    [{ temperature: 0 }, 'temperature of model'],
    [{ maxTokens: 5 }, 'maxOutputTokens of model'],
    [{ model: { ...model, maxSteps: 5 } }, 'maxSteps of createAgent'],
  ])('in %o belongs to another place, and %s is named', (options, meant) => {
    const { code, message } = refusal(create(options))
    expect(code).toBe('invalid-config')
    expect(message).toContain(`Did you mean ${meant}?`)
  })

  test('a long name with few mistakes is found, and another long name is no misspelling', () => {
    const known = ['schedule_customer_followup_meeting', 'generate_quarterly_financial_report']
    expect(nearest('generate_quaterly_finacial_report', known)).toBe(known[1])
    expect(nearest('generate_quarterly_marketing_report', known)).toBeUndefined()
  })

  const annotated = (name: string): object => ({
    tools: [{ ...tool, annotations: { [name]: true } }],
  })
  test.each([
    [annotated('requiresApproval'), 'readOnly, destructive'],
    [annotated('dangerous'), 'readOnly, destructive'],
    [annotated('sideEffects'), 'readOnly, destructive'],
    [annotated('confirm'), 'readOnly, destructive'],
    [annotated('writeOnly'), 'readOnly, destructive'],
    [{ tools: [{ ...tool, needsConfirmation: true }] }, 'needsApproval'],
    [{ tools: [{ ...tool, strict: true }] }, 'inputSchema'],
    [{ onToolCall: 'x' }, 'beforeToolCall'],
    [{ model: { ...model, stream: true } }, 'maxOutputTokens'],
    [{ model: { ...model, reasoningParser: 'x' } }, 'extraBody'],
  ])('in %o resembles no other: none is suggested, and all are named', (options, one) => {
    const { code, message } = refusal(create(options))
    expect(code).toBe('invalid-config')
    expect(message).not.toContain('Did you mean')
    expect(message).toMatch(new RegExp(` has no \\w+\\. It has .*${one}`))
  })

  it('is rejected by defineTool, registerTool and configure, which then changes nothing', async () => {
    const agent = createAgent({ model, instructions: 'old' })
    const bad = { ...tool, descripton: 'x' }
    expect(refusal(() => defineTool(bad)).code).toBe('invalid-config')
    expect(refusal(() => agent.registerTool(bad)).code).toBe('invalid-config')
    expect(refusal(() => agent.registerTool(tool, { replaces: true } as object)).message).toContain(
      'replace?',
    )
    const change = { instructions: 'new', model: { ...model, topp: 1 } }
    expect(refusal(() => agent.configure(change)).message).toContain('topP')
    expect(refusal(() => agent.configure({ instruction: 'new' } as object)).code).toBe(
      'invalid-config',
    )
    await agent.dispose()
  })

  it('is the outcome of run(), and a rejection of resume() and extract()', async () => {
    const agent = createTestAgent({ script: { steps: [{ text: 'ok' }] } })
    const result = await agent.run('x', { conversationID: 'c' } as object).result
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'invalid-config' } })
    expect(result.outcome === 'failed' && result.error.message).toContain('conversationId')
    expect(await agent.conversations.list()).toEqual([])
    await expect(agent.resume('c', { interupted: 'ask' } as object)).rejects.toMatchObject({
      code: 'invalid-config',
    })
    await expect(
      agent.extract({ schema: {}, input: 'x', retry: 1 } as Parameters<typeof agent.extract>[0]),
    ).rejects.toMatchObject({ code: 'invalid-config' })
    await agent.dispose()
  })
})

describe('not a misspelling', () => {
  test.each([
    [
      'metadata, symbols and methods of a tool’s own',
      { ...tool, metadata: { icon: 1 }, [Symbol('s')]: 1, executeQuery: () => 1, run() {} },
    ],
    ['MCP’s title', { ...tool, annotations: { title: 'Add', readOnly: true } }],
    [
      'fields of an instance of a class',
      new (class {
        name = 'add'
        description = 'Adds.'
        count = 0
        execute() {
          return this.count
        }
      })(),
    ],
  ])('%s', (_, given) => {
    expect(create({ tools: [given] })).not.toThrow()
  })

  it('options of a custom provider, unless they misspell known ones', () => {
    const own = { provider: 'mine', model: 'm', deployment: 'eu', mode: 'fast' }
    const worker = (): never => {
      throw new Error('not started')
    }
    expect(create({ model: own, worker })).not.toThrow()
    expect(refusal(create({ model: { ...own, api_key: 'k' }, worker })).message).toContain('apiKey')
  })
})

it('a provider without its own address needs a baseURL', () => {
  const given = { provider: 'openai-compatible', model: 'm' }
  expect(refusal(create({ model: given }))).toMatchObject({ code: 'invalid-config' })
  expect(refusal(create({ model: given })).message).toContain('baseURL')
  expect(create({ model: { ...given, baseURL: 'http://127.0.0.1:1/v1' } })).not.toThrow()
})

it('no page tool can have a control tool’s model name', async () => {
  const ask = { ...tool, name: 'ask user' }
  const named = { ...tool, name: 'ask_user' }
  const controlTools = ['ask_user']
  expect(refusal(create({ controlTools, tools: [named] })).code).toBe('invalid-config')
  const agent = createAgent({ model, controlTools: ['ask_user'] })
  expect(refusal(() => agent.registerTool(ask)).message).toContain('control tool')
  expect(create({ tools: [named] })).not.toThrow()
  await agent.dispose()
})
