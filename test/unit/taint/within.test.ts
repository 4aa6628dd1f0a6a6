import 'fake-indexeddb/auto'
import { expect, it, onTestFinished } from 'vitest'
import { createAgent, defineTool, type Script } from '../../../src/index.ts'
import { randomId } from '../../../src/lib/random-id.ts'
import { recentMemory } from '../../../src/memory/index.ts'
import { createTestStorage, inProcessWorker } from '../../../src/testing/index.ts'
import { agentWith, approving, call, ran, readReviews, tool } from './support.ts'

const send = tool('send', { annotations: { openWorld: true } })

/** Hands to one tool what another one returned, within one call. */
function handsOn(toolName: string, inputOf: (text: unknown) => object, reads: boolean) {
  return defineTool({
    name: 'hand_on',
    description: 'Hands on.',
    run: async (_, { call: nested }) => {
      const read = reads ? await nested('read_reviews') : 'nothing'
      return nested(toolName, inputOf(read) as never)
    },
  })
}

it.each([true, false])(
  'a memory written by a composite tool after reading untrusted content: %s',
  async (reads) => {
    const memory = recentMemory({ storage: { name: randomId() } })
    const handOn = handsOn('remember', (text) => ({ text: `They say: ${String(text)}` }), reads)
    const { agent } = agentWith([handOn], {
      memory,
      script: { steps: [call('hand_on'), { text: 'done' }] },
    })
    await approving(agent)
    const [entry] = await memory.list()
    expect(entry?.text).toContain('They say')
    expect(entry?.untrusted).toBe(reads ? true : undefined)
  },
)

it.each([true, false])(
  'an agent called by a composite tool after reading untrusted content: %s',
  async (reads) => {
    ran.length = 0
    const worker = inProcessWorker({ storage: createTestStorage() })
    const model = (script: Script) => ({ provider: 'scripted', model: 'scripted', script }) as const
    const helper = createAgent({
      worker,
      model: model({ steps: [call('send'), { text: 'sent' }] }),
      tools: [send],
    })
    const handOn = handsOn('ask_helper', (text) => ({ prompt: String(text) }), reads)
    const boss = createAgent({
      worker,
      model: model({ steps: [call('hand_on'), { text: 'done' }] }),
      tools: [readReviews, handOn, helper.asTool({ name: 'ask_helper', description: 'Helps.' })],
    })
    onTestFinished(async () => {
      await boss.dispose()
      await helper.dispose()
    })
    const asked = await approving(boss)
    expect(asked.map(({ toolName }) => toolName)).toEqual(reads ? ['send'] : [])
    expect(ran).toEqual(reads ? ['read_reviews', 'send'] : ['send'])
  },
)
