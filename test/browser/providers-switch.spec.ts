import type { Agent, ModelConfig } from '../../src/index.ts'
import { startStrictModels, type House, type StrictAnswer } from './support/strict-models.ts'
import { MORE } from './support/more.ts'
import { expect, test } from './support/test.ts'

/** Vendors in the order in which one conversation is handed to them; `reload`: on a fresh page. */
const orders: readonly (readonly (House | 'reload')[])[] = [
  ['openai', 'anthropic', 'openai', 'reload', 'anthropic'],
  ['anthropic', 'openai', 'reload', 'anthropic', 'openai'],
  ['anthropic', 'minimax', 'anthropic', 'openai', 'minimax'],
]

interface Phase {
  readonly model: ModelConfig
  readonly question: string
}

interface Told {
  readonly outcome: string
  readonly error?: unknown
  readonly text: string
  readonly looked: number
}

/** Runs the page's only conversation once. */
async function converse({ model, question }: Phase): Promise<Told> {
  const { createAgent, defineTool } = window.offstage
  const kept = window as { agent?: Agent; looked?: number }
  kept.looked = 0
  const look = (): string => {
    kept.looked = (kept.looked ?? 0) + 1
    return 'two left'
  }
  kept.agent ??= createAgent({
    model,
    instructions: 'You help.',
    tools: [
      defineTool({
        name: 'look',
        description: 'Looks into a shelf.',
        inputSchema: { type: 'object', properties: { shelf: { type: 'integer' } } },
        execute: look,
      }),
    ],
  })
  kept.agent.configure({ model })
  const result = await kept.agent.run(question, { conversationId: 'one' }).result
  const { outcome, text } = result
  return {
    outcome,
    text,
    looked: kept.looked,
    ...(result.outcome === 'failed' && { error: result.error }),
  }
}

// Playwright's own type for the argument is too deep for the compiler.
const inPage = converse as (phase: object) => Promise<Told>

/** A turn with two calls, and the reply. Vendors number their calls anew, so ids come again. */
function turnsOf(house: House, phase: number): StrictAnswer[] {
  const ids = house === 'openai' ? ['call:0|a', 'call:1|b'] : ['toolu_01', 'toolu_02']
  return [
    {
      thinking: `Silent thought ${phase} of ${house}.`,
      text: `I look, ${phase}.`,
      calls: ids.map((id, shelf) => ({ id, name: 'look', input: { shelf } })),
    },
    { thinking: `Second thought ${phase} of ${house}.`, text: `Reply ${phase}.` },
  ]
}

for (const order of orders) {
  test(
    `a conversation continues across providers: ${order.join(', ')}`,
    MORE,
    async ({ openPage }) => {
      const models = await startStrictModels()
      const page = await openPage()
      const houses: House[] = []
      for (const step of order) {
        if (step === 'reload') {
          await page.reload()
          await page.locator('html[data-ready]').waitFor({ state: 'attached' })
          continue
        }
        const phase = houses.push(step)
        models.enqueue(...turnsOf(step, phase))
        const baseURL = models.baseURLs[step]
        const model = { provider: step, model: 'mock', baseURL, apiKey: 'sk-strict' }
        const told = await page.evaluate(inPage, { model, question: `Question ${phase}?` })
        expect(models.complaints).toEqual([])
        expect(told).toEqual({ outcome: 'completed', text: `Reply ${phase}.`, looked: 2 })
      }

      const last = models.requests.at(-1)
      const before = houses.slice(0, -1)
      for (const [index, house] of before.entries()) {
        expect(last?.text).toContain(`Question ${index + 1}?`)
        expect(last?.text).toContain(`Reply ${index + 1}.`)
        // Thinking goes back to the house that thought it, and to no other.
        const thought = `Silent thought ${index + 1} of ${house}.`
        expect(last?.text.includes(thought), thought).toBe(house === last?.house)
      }
      expect(last?.text.match(/two left/g)).toHaveLength(2 * houses.length)
      await models.close()
    },
  )
}
