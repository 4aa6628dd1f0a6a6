import { describe, expect, it, onTestFinished, test } from 'vitest'
import { startMockOpenAI } from '../../browser/support/mock-openai.ts'
import { say } from '../../browser/support/mock-answers.ts'
import { OffstageError, type JsonObject } from '../../../src/index.ts'
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

it('makes an agent of what JSON can say, and of the parts that it can’t', async () => {
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

test('a model that reflects gets the key beside the configuration at the address of the agent’s model only', async () => {
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

describe('a mistake names what was probably meant', () => {
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
    [{ model, skills }, {}, 'no such skill'],
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
