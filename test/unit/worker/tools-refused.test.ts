import { expect, onTestFinished, test } from 'vitest'
import { createAgent, defineTool, type Agent, type Run } from '../../../src/index.ts'
import { inProcessWorker } from '../../../src/testing/index.ts'
import { chatRoute, chatStream, serve, type Reply } from '../doctor/small-server.ts'
import { call, finish, say, talk, words } from '../testing/compaction-support.ts'

const REFUSED = 'The endpoint refused the request. Tools are described as text (ACTION mode).\n'
const BY_MODE = "Use toolMode 'action' for this model."
const BY_API = "Set api: 'responses'."

const json = (status: number, error: object): Reply => ({ status, json: error })
const openai = (message: string): Reply =>
  json(400, { error: { message, type: 'invalid_request_error', param: 'reasoning_effort' } })

const SINCE_5_4 =
  'Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.'
const SINCE_5_6 =
  "Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'."

/** An agent whose endpoint refuses requests with tools, and answers the others. */
async function refusedBy(refusal: Reply, { apiKey = '' } = {}) {
  const { origin, asked } = await serve(
    chatRoute(['m'], {
      answer: ({ body }) =>
        body['tools'] ? refusal : { sse: chatStream([{ content: 'In words.' }]) },
    }),
  )
  const agent = createAgent({
    worker: inProcessWorker(),
    storage: 'memory',
    model: { provider: 'openai-compatible', model: 'm', baseURL: `${origin}/v1`, apiKey },
    tools: [defineTool({ name: 'add', description: 'Adds.', execute: () => 'added' })],
  })
  onTestFinished(() => agent.dispose())
  return { agent, withTools: () => asked.filter(({ body }) => body['tools']).length }
}

/** Losses that the stored answers of a conversation have, as a page that opens it shows them. */
async function lossesIn(agent: Agent, conversationId: string): Promise<string[]> {
  const conversation = agent.conversation(conversationId)
  onTestFinished(conversation.subscribe(() => undefined))
  await expect.poll(() => conversation.getSnapshot().status).toBe('idle')
  const { messages } = conversation.getSnapshot()
  return messages.flatMap((message) =>
    'losses' in message
      ? (message.losses ?? []).map((loss) => `${loss.code}: ${loss.message}`)
      : [],
  )
}

/** Warnings of all of the agent's runs, whoever started them, as an inspector hears them. */
function warningsOf(agent: Agent): string[] {
  const warnings: string[] = []
  agent.on('run', ({ run }) => void collect(run, warnings))
  return warnings
}

async function collect(run: Run, warnings: string[] = []): Promise<string[]> {
  for await (const event of run)
    if (event.type === 'warning') warnings.push(`${event.code}: ${event.message}`)
  return warnings
}

test.each([
  ['gpt-5.4', openai(SINCE_5_4), `400: ${SINCE_5_4}`, BY_API],
  ['gpt-5.6', openai(SINCE_5_6), `400: ${SINCE_5_6}`, BY_API],
  [
    'Ollama',
    json(400, { error: { message: 'library/gemma:2b does not support tools' } }),
    '400: library/gemma:2b does not support tools.',
    BY_MODE,
  ],
  [
    'Gemini',
    json(400, [
      { error: { message: 'Function calling is not enabled for models/gemma-3-27b-it' } },
    ]),
    '400: Function calling is not enabled for models/gemma-3-27b-it.',
    BY_MODE,
  ],
  [
    'SambaNova',
    json(400, { error: { message: 'function_call is not supported for this model' } }),
    '400: function_call is not supported for this model.',
    BY_MODE,
  ],
  [
    'llama.cpp',
    json(500, { error: { code: 500, message: 'tools param requires --jinja flag' } }),
    '500: tools param requires --jinja flag.',
    BY_MODE,
  ],
])(
  '%s, when it refuses tools, gets ACTION mode requests, with one warning',
  async (_, refusal, said, advice) => {
    const { agent, withTools } = await refusedBy(refusal)
    const warnings = warningsOf(agent)
    const first = await agent.run('Hi').result
    expect(first).toMatchObject({ outcome: 'completed', text: 'In words.' })
    expect(await agent.run('Hi again').result).toMatchObject({ outcome: 'completed' })
    expect(warnings).toEqual([`tools-refused: ${REFUSED}The endpoint answered ${said}\n${advice}`])
    expect(withTools()).toBe(1)
  },
)

test("when tools are refused for a view's message, its run has the warning", async () => {
  const { agent } = await refusedBy(openai(SINCE_5_6))
  const warnings = warningsOf(agent)
  agent.conversation('c').send('Hi')
  await expect.poll(() => warnings).toHaveLength(1)
  expect(warnings[0]).toContain(BY_API)
  expect(await lossesIn(agent, 'c')).toEqual(warnings)
})

test('when two simultaneous runs are refused tools, there is one warning', async () => {
  const { agent, withTools } = await refusedBy(openai(SINCE_5_6))
  const warnings = warningsOf(agent)
  const runs = [agent.run('Hi'), agent.run('Ho')]
  for (const run of runs) expect((await run.result).text).toBe('In words.')
  expect(withTools()).toBe(2)
  // A listener may read the last events after the result is known.
  await expect.poll(() => warnings).toHaveLength(1)
})

test('when a summary request is refused tools, the run has the warning', async () => {
  const { agent, sent, summaries } = talk(
    (_, asked) => (asked < 30 ? call('read', asked) : say('Done.')),
    {
      compaction: { contextWindow: 6_000, policy: 'summarize' },
      sumUp: (count) =>
        count === 1
          ? [
              {
                type: 'error',
                error: { code: 'tools-unsupported', message: SINCE_5_6, retryable: false },
              },
            ]
          : say(words(20, count)),
    },
  )
  const run = agent.run('Find the blue mug.')
  const warnings = collect(run)
  await finish(run)
  const refused = (await warnings).filter((warning) => warning.startsWith('tools-refused'))
  expect(refused).toEqual([`tools-refused: ${REFUSED}${SINCE_5_6}`])
  expect(await lossesIn(agent, run.conversationId)).toEqual(refused)
  expect(summaries.map(({ toolMode }) => toolMode).slice(0, 2)).toEqual(['native', 'action'])
  expect(sent.at(-1)?.toolMode).toBe('action')
})

test('a warning about refused tools quotes a limited part of a long answer', async () => {
  const { agent } = await refusedBy(openai(SINCE_5_6 + ' And more.'.repeat(10_000)))
  const [warning] = await collect(agent.run('Hi'))
  expect(warning).toContain(SINCE_5_6)
  expect(warning).toContain(BY_API)
  expect(warning?.length).toBeLessThan(3_000)
})

test('a warning about refused tools quotes the server without the key', async () => {
  const apiKey = 'sk-canary-0123456789'
  const said = `"auto" tool choice requires --enable-auto-tool-choice (Bearer ${apiKey})`
  const { agent } = await refusedBy(json(400, { error: { message: said } }), { apiKey })
  const [warning] = await collect(agent.run('Hi'))
  expect(warning).toContain('answered 400: "auto" tool choice requires --enable-auto-tool-choice')
  expect(warning).not.toContain(apiKey)
})
