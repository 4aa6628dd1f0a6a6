import type { Page } from '@playwright/test'
import type { Agent, Script } from '../../src/index.ts'
import { expect, test } from './support/test.ts'

declare global {
  interface Window {
    tree: {
      readonly agent: Agent
      /** How the run that was begun or resumed here ended. */
      end?: string | undefined
    }
  }
}

const STORAGE = 'tree'
/** Longer than a test may take. */
const WRITES: Script = { paceMs: 50, fallback: [{ text: 'On and on it goes. '.repeat(2000) }] }

async function mount(page: Page, script: Script): Promise<void> {
  await page.evaluate(
    ([name, text]) => {
      const { createAgent } = window.offstage
      const model = { provider: 'scripted', model: 'scripted', script: JSON.parse(text) } as const
      window.tree = { agent: createAgent({ model, storage: { name } }) }
    },
    [STORAGE, JSON.stringify(script)] as const,
  )
}

/** Makes a stored conversation one that a call of another started. */
async function makeChild(page: Page, conversationId: string, parentId: string): Promise<void> {
  await page.evaluate(
    async ([name, id, parent]) => {
      const db = await new Promise<IDBDatabase>((resolve, reject) => {
        const opening = indexedDB.open(`offstage-2:${name}`)
        opening.addEventListener('success', () => resolve(opening.result))
        opening.addEventListener('error', () => reject(opening.error))
      })
      await new Promise((resolve, reject) => {
        const tx = db.transaction('records', 'readwrite')
        const records = tx.objectStore('records')
        const found = records.get(id)
        found.addEventListener('success', () => {
          const of = { conversationId: parent, runId: 'r', toolCallId: 't' }
          records.put({ ...found.result, parent: of })
        })
        tx.addEventListener('complete', resolve)
        tx.addEventListener('abort', () => reject(tx.error))
      })
      db.close()
    },
    [STORAGE, conversationId, parentId] as const,
  )
}

const isWriting = (page: Page) =>
  expect
    .poll(() =>
      page.evaluate(() =>
        JSON.stringify(window.tree.agent.conversation('leaf').getSnapshot().messages),
      ),
    )
    .toContain('On and on')

const listed = (page: Page, children: boolean): Promise<string[]> =>
  page.evaluate(async (all) => {
    const records = await window.tree.agent.conversations.list({ children: all })
    return records.map(({ conversationId }) => conversationId).toSorted()
  }, children)

const show = (page: Page) =>
  page.evaluate(() => void window.tree.agent.conversation('leaf').subscribe(() => undefined))

test('a conversation that a call started is deleted with its parent, from another tab, while it runs after a reload', async ({
  context,
  openPage,
}) => {
  const one = await openPage({ context })
  await mount(one, { fallback: [{ text: 'Hello.' }] })
  for (const id of ['top', 'mid', 'leaf', 'other'])
    await one.evaluate(
      (conversationId) => window.tree.agent.run('Hi', { conversationId }).result,
      id,
    )
  await makeChild(one, 'mid', 'top')
  await makeChild(one, 'leaf', 'mid')
  await one.reload()
  await one.locator('html[data-ready]').waitFor({ state: 'attached' })
  await mount(one, WRITES)
  expect(await listed(one, false)).toEqual(['other', 'top'])
  expect(await listed(one, true)).toEqual(['leaf', 'mid', 'other', 'top'])

  await show(one)
  await one.evaluate(() => void window.tree.agent.run('On', { conversationId: 'leaf' }))
  await isWriting(one)
  // In the middle of the run, whose worker goes with the page.
  await one.reload()
  await one.locator('html[data-ready]').waitFor({ state: 'attached' })
  await mount(one, WRITES)
  expect(await one.evaluate(async () => (await window.tree.agent.resume()) === null)).toBe(true)
  await show(one)
  await one.evaluate(async () => {
    const run = await window.tree.agent.resume('leaf')
    void run?.result.then((result) => {
      window.tree.end = result.outcome === 'aborted' ? result.reason : result.outcome
    })
  })
  await isWriting(one)

  const two = await openPage({ context })
  await mount(two, WRITES)
  await show(two)
  await isWriting(two)
  expect(await two.evaluate(() => window.tree.agent.conversations.delete('top'))).toBe(true)
  await expect.poll(() => one.evaluate(() => window.tree.end)).toBe('deleted')
  for (const tab of [one, two]) {
    expect(await listed(tab, true)).toEqual(['other'])
    await expect
      .poll(() =>
        tab.evaluate(() => window.tree.agent.conversation('leaf').getSnapshot().messages.length),
      )
      .toBe(0)
  }
  await one.reload()
  await one.locator('html[data-ready]').waitFor({ state: 'attached' })
  await mount(one, WRITES)
  expect(await listed(one, true)).toEqual(['other'])
})
