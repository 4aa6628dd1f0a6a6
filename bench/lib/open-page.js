// Runs in the page: opens conversations that are seeded as rows of the store.
import { createAgent, defineTool } from '/dist/index.js'

const STORAGE = { name: 'bench-open' }
const TEXT = 'The quick brown fox jumps over the lazy dog. '.repeat(4)
/** Messages of a turn: the person's, a call, its result, the answer. */
const MESSAGES_PER_TURN = 4

function createBenchAgent(script) {
  return createAgent({
    model: { provider: 'scripted', model: 'bench', ...(script && { script }) },
    storage: STORAGE,
    maxSteps: -1,
    tools: [
      defineTool({
        name: 'step',
        description: 'Takes a step.',
        inputSchema: { type: 'object', properties: { n: { type: 'integer' } } },
        annotations: { readOnly: true },
        execute: ({ n }) => `Step ${n}.`,
      }),
    ],
  })
}

export async function seed({ long, short }) {
  const agent = createBenchAgent()
  await agent.prepare()
  // Makes the database.
  await agent.conversations.list()
  await agent.dispose()
  const openRequest = indexedDB.open(`offstage-2:${STORAGE.name}`)
  const database = await new Promise((resolve, reject) => {
    openRequest.onsuccess = () => resolve(openRequest.result)
    openRequest.onerror = () => reject(openRequest.error)
  })
  const tx = database.transaction(['records', 'rows'], 'readwrite')
  for (const [conversationId, messages] of Object.entries({ long, short })) {
    const rows = rowsOf(conversationId, Math.ceil(messages / MESSAGES_PER_TURN))
    for (const row of rows) tx.objectStore('rows').put(row)
    tx.objectStore('records').put(recordOf(conversationId, rows))
  }
  await new Promise((resolve, reject) => {
    tx.oncomplete = resolve
    tx.onabort = () => reject(tx.error)
  })
  database.close()
}

function recordOf(conversationId, rows) {
  return {
    format: 2,
    conversationId,
    title: conversationId,
    createdAt: 1,
    updatedAt: 1,
    lastSeq: rows.length,
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
  for (let turn = 0; turn < turns; turn++) {
    const runId = `run-${turn}`
    const id = (kind) => `${conversationId}-${turn}-${kind}`
    const path = [id('call')]
    const by = { definition: 'd', replayable: true, reconcilable: false }
    const output = (step, parentId, fields) => ({
      type: 'model-output',
      step,
      attempt: 1,
      parentId,
      usage: {},
      toolMode: 'native',
      ...fields,
    })
    const facts = [
      {
        type: 'run-started',
        parentId: head,
        message: { id: id('user'), parts: [{ type: 'text', text: TEXT }] },
        limits: { maxSteps: 10, retries: 3 },
      },
      { type: 'step-started', step: 1, resumed: false },
      output(1, id('user'), {
        message: {
          role: 'assistant',
          id: id('asks'),
          parts: [{ type: 'tool-call', toolCallId: path[0], toolName: 'step', input: { n: 1 } }],
        },
        toolsId: id('tools'),
        calls: [{ toolCallId: path[0], known: true, parallel: true }],
        finishReason: 'tool-calls',
      }),
      { type: 'call-started', path, executionId: 'page:1', by, repeats: false },
      {
        type: 'call-settled',
        path,
        status: 'succeeded',
        output: { type: 'text', value: 'Step 1.' },
      },
      { type: 'step-started', step: 2, resumed: false },
      output(2, id('tools'), {
        message: { role: 'assistant', id: id('says'), parts: [{ type: 'text', text: TEXT }] },
        toolsId: null,
        calls: [],
        finishReason: 'stop',
      }),
      { type: 'run-ended', end: { outcome: 'completed' } },
    ]
    head = id('says')
    for (const fact of facts) {
      const seq = rows.length + 1
      rows.push({ format: 2, conversationId, seq, runId, at: 1, appendId: `a${seq}`, ...fact })
    }
  }
  return rows
}

/** Milliseconds from the first subscription on: in a worker that has read nothing yet, and in one that has. */
export async function open() {
  const first = createBenchAgent()
  await first.prepare()
  const cold = await measureOpening(first)
  const second = createBenchAgent()
  await second.prepare()
  await first.dispose()
  // The page has forgotten what it folded; the worker has not.
  const warm = await measureOpening(second)
  await second.dispose()
  return { cold, warm }
}

function measureOpening(agent) {
  return new Promise((resolve) => {
    const stopWatching = watchTasks()
    const startedAt = performance.now()
    const result = {}
    const conversation = agent.conversation('long')
    const checkSnapshot = () => {
      const { status, messages, older } = conversation.getSnapshot()
      if (status === 'loading') return
      result.first ??= performance.now() - startedAt
      result.count ??= messages.length
      if (older > 0) return
      result.all ??= performance.now() - startedAt
      unsubscribe()
      resolve({ ...result, task: stopWatching() })
    }
    // A frame is no cost of ours: what a frame would show is looked at as soon as it is there.
    const unsubscribe = conversation.subscribe(() => {})
    const channel = new MessageChannel()
    channel.port1.onmessage = () => {
      checkSnapshot()
      if (result.all === undefined) channel.port2.postMessage(0)
    }
    channel.port2.postMessage(0)
  })
}

/** The longest time for which the page's own loop did not turn. Milliseconds. */
function watchTasks() {
  let longest = 0
  let last = performance.now()
  let isOver = false
  const channel = new MessageChannel()
  channel.port1.onmessage = () => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
    if (!isOver) channel.port2.postMessage(0)
  }
  channel.port2.postMessage(0)
  return () => {
    isOver = true
    return longest
  }
}

const STEPS = 40

/** Milliseconds a step of a run takes, from one call's result to the next one's. */
export async function stepMs({ which }) {
  const steps = Array.from({ length: STEPS }, (_, n) => ({
    toolCalls: [{ toolName: 'step', input: { n } }],
  }))
  const agent = createBenchAgent({ steps: [...steps, { text: 'Done.' }] })
  await agent.prepare()
  const stamps = []
  const run = agent.run('Go', { conversationId: which })
  for await (const event of run) if (event.type === 'step-end') stamps.push(performance.now())
  const { outcome } = await run.result
  await agent.dispose()
  if (outcome !== 'completed') throw new Error(`The run ended as ${outcome}.`)
  return (stamps.at(-2) - stamps[4]) / (stamps.length - 6)
}
