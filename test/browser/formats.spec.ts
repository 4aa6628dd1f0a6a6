import type { Page } from '@playwright/test'
import { callTools, say } from './support/mock-answers.ts'
import { expect, test } from './support/test.ts'
import { MORE } from './support/more.ts'

declare global {
  interface Window {
    agent: ReturnType<typeof window.offstage.createAgent>
    /** Writes to a conversation as a page of a later version does. */
    later?: LaterPage
  }
}

interface LaterPage {
  /** Appends as its owner; false when somebody else has claimed the conversation. */
  append(conversationId: string): Promise<boolean>
}

const FORMAT = 3

/** A page of format 3, made up: it claims a conversation and writes rows that nobody else can read. */
async function becomeLater(page: Page, conversationId: string): Promise<void> {
  await page.evaluate(
    async ({ conversationId: id, format }) => {
      const done = <Value>(request: IDBRequest<Value>): Promise<Value> =>
        new Promise((resolve, reject) => {
          request.addEventListener('success', () => resolve(request.result))
          request.addEventListener('error', () => reject(request.error ?? new Error('refused')))
        })
      const database = await done(indexedDB.open('offstage-2:offstage'))
      const claim = database.transaction(['records', 'rows', 'counters'], 'readwrite')
      const counter = await done(claim.objectStore('counters').get('epoch'))
      const epoch = counter.epoch + 1
      const record = await done(claim.objectStore('records').get(id))
      const title = 'Of a later version'
      claim.objectStore('counters').put({ ...counter, epoch }, 'epoch')
      claim.objectStore('records').put({ ...record, format, epoch, title, marks: ['new'] })
      await new Promise((resolve) => claim.addEventListener('complete', resolve))
      window.later = {
        async append(conversation) {
          const tx = database.transaction(['records', 'rows'], 'readwrite')
          const known = await done(tx.objectStore('records').get(conversation))
          if (known.epoch !== epoch) return false
          const seq = known.lastSeq + 1
          tx.objectStore('records').put({ ...known, lastSeq: seq })
          const row = { format, conversationId: conversation, seq, type: 'something-new', at: 1 }
          tx.objectStore('rows').put({ ...row, runId: 'later', appendId: `later-${seq}` })
          await new Promise((resolve) => tx.addEventListener('complete', resolve))
          return true
        },
      }
    },
    { conversationId, format: FORMAT },
  )
}

async function openShop(page: Page, address: string): Promise<void> {
  await page.evaluate((baseURL) => {
    const { createAgent, defineTool } = window.offstage
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      needsApproval: true,
      execute: () => 'paid',
    })
    window.agent = createAgent({
      model: { provider: 'openai-compatible', model: 'mock', baseURL },
      tools: [pay],
    })
    window.agent.conversation('ours').subscribe(() => undefined)
  }, address)
}

const send = (page: Page, conversationId: string) =>
  page.evaluate((id) => window.agent.run('Hi', { conversationId: id }).result, conversationId)

test(
  "pages of a later and this format share a store without ending each other's runs",
  MORE,
  async ({ openPage, context, model }) => {
    const ours = await openPage({ context })
    const later = await openPage({ context })
    model.enqueue(say('One.'), callTools([{ name: 'pay', input: {} }]), say('Paid.'), say('Three.'))
    await openShop(ours, model.baseURL)
    expect(await send(ours, 'theirs')).toMatchObject({ outcome: 'completed' })
    // Our own run waits for a person meanwhile.
    await ours.evaluate(() => void window.agent.run('Pay', { conversationId: 'ours' }))
    const snapshot = () => ours.evaluate(() => window.agent.conversation('ours').getSnapshot())
    await expect.poll(async () => (await snapshot()).pending.length).toBe(1)

    await becomeLater(later, 'theirs')
    expect(await later.evaluate(() => window.later?.append('theirs'))).toBe(true)

    const refused = await send(ours, 'theirs')
    expect(refused).toMatchObject({ outcome: 'failed', error: { code: 'storage-newer' } })
    expect(refused).toHaveProperty('error.message', expect.stringMatching(/reload/i))
    // The later page still owns its conversation and can go on writing.
    expect(await later.evaluate(() => window.later?.append('theirs'))).toBe(true)
    const list = await ours.evaluate(() => window.agent.conversations.list())
    expect(list.find(({ conversationId }) => conversationId === 'theirs')).toMatchObject({
      format: FORMAT,
      title: 'Of a later version',
    })

    const [pending] = (await snapshot()).pending
    await ours.evaluate((id) => window.agent.approve(id), pending?.toolCallId ?? '')
    await expect.poll(async () => (await snapshot()).ended).toMatchObject({ outcome: 'completed' })
  },
)
