import { expect, test } from 'vitest'
import { createAgent, type Agent } from '../../../src/index.ts'
import {
  createMemoryStore,
  createTestStorage,
  inProcessWorker,
} from '../../../src/testing/index.ts'

// An agent that works for another one's call, on two devices that share a store and nothing else.

interface Device {
  readonly parent: Agent
  readonly child: Agent
  close(): Promise<void>
}

function sharedStore(): () => Device {
  const kept = createMemoryStore()
  const stores = [{ type: 'shared', open: async () => ({ ...kept, close: () => undefined }) }]
  return () => {
    const worker = inProcessWorker({ storage: createTestStorage(), stores })
    const common = { worker, storage: { type: 'shared' } }
    const child = createAgent({
      ...common,
      model: {
        provider: 'scripted',
        model: 'script',
        script: { steps: [{ text: 'word '.repeat(100) }], paceMs: 20, pieceLength: 5 },
      },
    })
    const parent = createAgent({
      ...common,
      model: {
        provider: 'scripted',
        model: 'script',
        script: {
          steps: [
            { toolCalls: [{ toolName: 'helper', input: { prompt: 'go' } }] },
            { text: 'Parent done.' },
          ],
        },
      },
      tools: [child.asTool({ name: 'helper', description: 'Helps.' })],
    })
    const close = async (): Promise<void> => {
      await Promise.all([parent.dispose(), child.dispose()])
    }
    return { parent, child, close }
  }
}

const shown = ({ parent }: Device) => parent.conversation('c').getSnapshot()
const childOf = (device: Device) =>
  shown(device)
    .messages.flatMap(({ calls = [] }) => calls)
    .flatMap(({ child }) => (child ? [child.conversationId] : []))[0]

/** The desk works on it when it goes; the phone shows it then. */
async function leftByDesk(): Promise<Device> {
  const open = sharedStore()
  const [desk, phone] = [open(), open()]
  void desk.parent.run('please', { conversationId: 'c' })
  desk.parent.conversation('c').subscribe(() => undefined)
  await expect.poll(() => childOf(desk)).toBeDefined()
  const id = childOf(desk) ?? ''
  desk.child.conversation(id).subscribe(() => undefined)
  await expect.poll(() => desk.child.conversation(id).getSnapshot().status).toBe('running')
  await desk.close()
  phone.parent.conversation('c').subscribe(() => undefined)
  await expect.poll(() => childOf(phone)).toBe(id)
  return phone
}

test("a sub-agent's run on another device is taken over with its calling run", async () => {
  const phone = await leftByDesk()
  const talk = phone.parent.conversation('c')
  await talk.resume()
  const run = await talk.takeOver()
  expect(await run?.result).toMatchObject({ outcome: 'completed', text: 'Parent done.' })
  await phone.close()
})

test("a sub-agent's run on another device ends with its calling run", async () => {
  const phone = await leftByDesk()
  const child = phone.child.conversation(childOf(phone) ?? '')
  child.subscribe(() => undefined)
  expect(await phone.parent.conversation('c').abort()).toBe(true)
  await expect.poll(() => child.getSnapshot().ended?.outcome).toBe('aborted')
  expect(shown(phone).status).toBe('idle')
  await phone.close()
})
