// Runs in the page: conversations of questions and answers, as rows of the store.
import { createAgent } from '/dist/index.js'

const ANSWER =
  'The **short** answer is yes, as `option.ts` says.\n\n- one point\n- and another\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\nMore of it follows [here](https://example.org/more), in a sentence of the usual length.'

/** @param lengths The messages of each conversation, by its id. */
export async function seed(name, lengths) {
  const agent = createAgent({ model: { provider: 'scripted', model: 'bench' }, storage: { name } })
  await agent.prepare()
  // Makes the database.
  await agent.conversations.list()
  await agent.dispose()
  const openRequest = indexedDB.open(`offstage-2:${name}`)
  const database = await new Promise((resolve, reject) => {
    openRequest.onsuccess = () => resolve(openRequest.result)
    openRequest.onerror = () => reject(openRequest.error)
  })
  const tx = database.transaction(['records', 'rows'], 'readwrite')
  for (const [conversationId, messages] of Object.entries(lengths)) {
    const rows = rowsOf(conversationId, messages / 2)
    for (const row of rows) tx.objectStore('rows').put(row)
    tx.objectStore('records').put(recordOf(conversationId, rows.length))
  }
  await new Promise((resolve, reject) => {
    tx.oncomplete = resolve
    tx.onabort = () => reject(tx.error)
  })
  database.close()
}

function recordOf(conversationId, lastSeq) {
  return {
    format: 2,
    conversationId,
    title: conversationId,
    createdAt: 1,
    updatedAt: 1,
    lastSeq,
    epoch: 0,
    era: 0,
    openRunId: null,
    openCalls: [],
    recentAppends: [],
  }
}

function rowsOf(conversationId, turns) {
  const rows = []
  let head = null
  for (let turn = 0; turn < turns; turn += 1) {
    const id = (kind) => `${conversationId}-${turn}-${kind}`
    const facts = [
      {
        type: 'run-started',
        parentId: head,
        message: { id: id('user'), parts: [{ type: 'text', text: `Question ${turn}?` }] },
        limits: { maxSteps: 10, retries: 3 },
      },
      { type: 'step-started', step: 1, resumed: false },
      {
        type: 'model-output',
        step: 1,
        attempt: 1,
        parentId: id('user'),
        usage: {},
        toolMode: 'native',
        message: {
          role: 'assistant',
          id: id('says'),
          parts: [{ type: 'text', text: `Answer ${turn}. ${ANSWER}` }],
        },
        toolsId: null,
        calls: [],
        finishReason: 'stop',
      },
      { type: 'run-ended', end: { outcome: 'completed' } },
    ]
    head = id('says')
    for (const fact of facts) {
      const seq = rows.length + 1
      rows.push({
        format: 2,
        conversationId,
        seq,
        runId: `run-${turn}`,
        at: 1,
        appendId: `a${seq}`,
        ...fact,
      })
    }
  }
  return rows
}
