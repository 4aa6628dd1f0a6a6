import type { Page } from '@playwright/test'
import type * as skillsEntry from '../../src/skills/index.ts'
import { asksForSummary, goesOnFrom, messagesOf, orphans } from './support/chat-parts.ts'
import { expect, test } from './support/engines.ts'
import { callTools, say } from './support/mock-answers.ts'
import type { ChatRequest, MockOpenAI } from './support/mock-openai.ts'
import { MORE } from './support/more.ts'

// Long runs against a server whose counts are llama.cpp's own: of the model's tokenizer and chat template,
// a token for each byte, which is far more than the estimate says of words.

const INSTRUCTIONS = 'You keep shop. Never sell the last mug.'
const SKILL = 'Take goods back within thirty days.'
const TASK = 'Find the blue mug.'

interface Counter {
  readonly createChatCompletion: (request: object) => Promise<{
    readonly usage: { readonly prompt_tokens: number }
  }>
}

declare global {
  interface Window {
    counter: Counter
  }
}

/** Counts without inference: llama.cpp says how long a request is that doesn't fit into its small context. */
async function loadCounter(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { Wllama } = (await import('/wllama/index.js' as string)) as {
      Wllama: new (
        paths: object,
        config: object,
      ) => Counter & {
        loadModel(model: Blob[], params: object): Promise<void>
      }
    }
    const wllama = new Wllama({ default: '/wasm/wllama.wasm' }, { suppressNativeLog: true })
    const model = await (await fetch('/engines/tiny.gguf')).blob()
    await wllama.loadModel([model], { n_ctx: 256, n_gpu_layers: 0 })
    window.counter = wllama
  })
}

function countTokens(page: Page, { messages, tools }: ChatRequest): Promise<number> {
  return page.evaluate(
    async (request) => {
      try {
        const { usage } = await window.counter.createChatCompletion({ ...request, max_tokens: 1 })
        return usage.prompt_tokens
      } catch (error) {
        const counted = /request \((\d+) tokens\) exceeds/.exec(String(error))?.[1]
        if (counted === undefined) throw error
        return Number(counted)
      }
    },
    { messages, tools },
  )
}

interface Counted {
  readonly request: ChatRequest
  readonly tokens: number
}

/** A model that reads in each step but the last, each fifth time the page, after it has activated a skill. */
function readOn(model: MockOpenAI, counter: Page, steps: number): Counted[] {
  const counted: Counted[] = []
  let step = 0
  model.respond = async ({ body }) => {
    const promptTokens = await countTokens(counter, body)
    counted.push({ request: body, tokens: promptTokens })
    if (asksForSummary(body))
      return say(`After ${step} steps: a blue mug is wanted.`, { promptTokens })
    step += 1
    if (step === steps) return say('Done.', { promptTokens })
    const call =
      step === 1
        ? { name: 'activate_skill', input: { name: 'returns' } }
        : step % 5 === 0
          ? { name: 'look', input: {} }
          : { name: 'read', input: { at: step } }
    return callTools([{ id: `call_${step}`, ...call }], { promptTokens, pieceLength: 1000 })
  }
  return counted
}

interface Given {
  readonly baseURL: string
  readonly contextWindow: number
  readonly policy: 'auto' | 'summarize' | 'drop-oldest'
  readonly instructions: string
  readonly skill: string
  readonly task: string
}

/** By the built worker. Results have 2000 bytes, and so has the page. */
function run(page: Page, given: Given) {
  return page.evaluate(async ({ baseURL, contextWindow, policy, instructions, skill, task }) => {
    const { createAgent, defineTool } = window.offstage
    const { defineSkill } = (await import('/dist/skills.js' as string)) as typeof skillsEntry
    const fill = (line: (at: number) => string): string => {
      let text = ''
      for (let at = 0; text.length < 2000; at++) text += line(at)
      return text.slice(0, 2000)
    }
    let looks = 0
    const agent = createAgent({
      model: { provider: 'openai-compatible', model: 'mock', baseURL },
      storage: 'memory',
      instructions,
      maxSteps: -1,
      compaction: { contextWindow, policy },
      skills: [defineSkill({ name: 'returns', description: 'Returns.', instructions: skill })],
      tools: [
        defineTool({
          name: 'read',
          description: 'Reads.',
          inputSchema: { type: 'object', properties: { at: { type: 'number' } } },
          execute: ({ at = 0 }) =>
            at % 2 === 0
              ? fill((line) => `The boats of shelf ${at * line} wait for the tide in the harbour. `)
              : fill(
                  (line) => `{"sku":"MUG-${at * line}","price":${line / 7},"tags":[null,"blue"]},`,
                ),
        }),
        defineTool({
          name: 'look',
          description: 'Shows the page.',
          inputSchema: { type: 'object' },
          annotations: { readOnly: true, supersedes: true },
          execute: () => {
            looks += 1
            return fill(
              (line) => `- listitem "Product ${looks}-${line}" [ref=e${line}]: ${line} €\n`,
            )
          },
        }),
      ],
    })
    const warnings: string[] = []
    const going = agent.run(task)
    for await (const event of going) if (event.type === 'warning') warnings.push(event.code)
    const { outcome, steps, conversationId } = await going.result
    const stored = await agent.conversations.get(conversationId)
    await agent.dispose()
    return {
      outcome,
      steps,
      compactions: warnings.filter((code) => code === 'context-compacted').length,
      results: stored?.messages.filter(({ role }) => role === 'tool').length,
    }
  }, given)
}

const LONG = [4_000, 8_000, 32_000].flatMap((contextWindow) =>
  (['auto', 'summarize', 'drop-oldest'] as const).map((policy) => ({
    steps: 200,
    contextWindow,
    policy,
  })),
)
const SHORT = { steps: 40, contextWindow: 4_000, policy: 'auto' as const }

for (const row of [SHORT, ...LONG]) {
  const { steps, contextWindow, policy } = row
  test(
    `${steps} steps stay within ${contextWindow} tokens as llama.cpp counts, by ${policy}`,
    MORE,
    async ({ openPage, model }) => {
      const counter = await openPage()
      await loadCounter(counter)
      const counted = readOn(model, counter, steps)
      const page = await openPage()
      const { baseURL } = model
      const ended = await run(page, {
        baseURL,
        contextWindow,
        policy,
        instructions: INSTRUCTIONS,
        skill: SKILL,
        task: TASK,
      })
      expect(ended).toMatchObject({ outcome: 'completed', steps, results: steps - 1 })
      expect(Math.max(...counted.map(({ tokens }) => tokens))).toBeLessThanOrEqual(contextWindow)
      const requests = counted.map(({ request }) => request)
      expect(requests.flatMap(orphans)).toEqual([])
      for (const [at, request] of requests.entries()) {
        const text = JSON.stringify(messagesOf(request))
        expect(text).toContain(INSTRUCTIONS)
        expect(text).toContain(TASK)
        if (at > 0) expect(text).toContain(SKILL)
      }
      // The second step's instructions have the skill, which is a change of its own.
      const asked = requests.filter((request) => !asksForSummary(request)).slice(1)
      const breaks = asked.filter(
        (request, at) => at > 0 && !goesOnFrom(asked[at - 1] ?? {}, request),
      )
      expect(breaks.length).toBe(ended.compactions)
      expect(breaks.length).toBeGreaterThan(0)
      if (contextWindow === 32_000) expect(breaks.length).toBeLessThan(steps / 5)
    },
  )
}
