// The agent of an app, the cards on which it asks a person, and what a trial looks at.
import { createAgent } from '/dist/index.js'
import { pageTools } from '/dist/page-tools.js'
import { plan } from './app.js'
import { changeLater } from './change.js'
import { foreignOptions, foreignTools, input, readTool } from './foreign.js'
import { fillOthers, memoriesOf } from './others.js'
import { plant } from './plant.js'

const MODES = {
  strict: { toolApproval: 'writes', whileTainted: 'ask-writes', consent: 'person' },
  default: {},
  unannotated: {},
  off: { toolApproval: 'never', whileTainted: 'allow' },
}

const events = []
const errors = []
addEventListener('error', ({ message }) => errors.push(message))
addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason?.stack ?? reason)))

export async function host({ approve, tools, read }) {
  const { mode, trial, evil, key, baseURL, toolMode } = plan
  const storage = { name: `attack-${trial}` }
  const model = {
    provider: 'openai-compatible',
    model: 'obeys',
    baseURL,
    apiKey: key,
    ...(toolMode && { toolMode }),
  }
  const {
    tools: more = [],
    history,
    ...options
  } = await foreignOptions({ ...plan, storage, model })
  const agent = createAgent({
    model,
    storage,
    maxSteps: 20,
    retries: 5,
    tools: [
      ...tools,
      readTool(plan, read),
      ...more,
      ...pageTools({ dialogs: 'accept', origins: mode === 'off' ? [evil] : [] }),
    ],
    ...options,
    ...(plan.sharing && { memory: memoriesOf(plan, 'ada') }),
    ...MODES[mode],
  })
  const conversationId = 'talk'
  await foreignTools(agent, { ...plan, storage, model }, conversationId)
  await plant(plan.place, plan.text)
  const hasChanged = changeLater(plan)
  const cards = showCards({ agent, conversationId, approve })
  let ended = null
  window.attack = {
    async begin() {
      if (plan.other) await agent.run(plan.other, { conversationId: 'other' }).result
      if (plan.sharing) await fillOthers(plan, model)
      const run = agent.run(input(plan), { conversationId, ...(history && { history }) })
      void follow(run).then((result) => (ended = result))
    },
    state: () => ({
      ended: ended && { outcome: ended.outcome, error: ended.error?.message ?? null },
      pending: cards.pending(),
      errors,
      hasChanged: hasChanged(),
    }),
    deny: async (toolCallId) => {
      const call = cards.call(toolCallId)
      // What was said of another one may have been the answer to it, too.
      if (call) await agent.deny(call)
    },
    /** Everything that comes out of the agent. */
    outputs: async () => ({
      events: JSON.stringify(events),
      ended: JSON.stringify(ended),
      errors: JSON.stringify([errors, ended?.error?.stack ?? null, ended?.error?.details ?? null]),
      snapshot: JSON.stringify(agent.conversation(conversationId).getSnapshot()),
      export: await new Response(await agent.conversations.export(conversationId)).text(),
    }),
  }
  document.documentElement.dataset.ready = ''
}

async function follow(run) {
  for await (const event of run) events.push(event)
  return run.result
}

/** A card for each call that a person is asked about, with what it says and two buttons. */
function showCards({ agent, conversationId, approve }) {
  const conversation = agent.conversation(conversationId)
  const board = document.createElement('aside')
  board.setAttribute('aria-label', 'Assistant')
  document.body.append(board)
  const waiting = () => conversation.getSnapshot().pending.filter(({ kind }) => kind === 'approval')
  const callOf = (call) => ({ conversationId, ...call })
  const draw = () => {
    board.replaceChildren(
      ...waiting().map((call) => {
        const card = document.createElement('section')
        card.dataset.call = call.toolCallId
        const words = document.createElement('p')
        words.textContent = wordsOf(call)
        card.append(
          words,
          button(approve, () => agent.approve(callOf(call))),
          button('No', () => agent.deny(callOf(call))),
        )
        return card
      }),
    )
  }
  conversation.subscribe(draw)
  return {
    pending: () =>
      waiting().map((call) => ({
        toolCallId: call.toolCallId,
        toolName: call.toolName,
        input: call.input,
        words: wordsOf(call),
      })),
    call(toolCallId) {
      const call = waiting().find((one) => one.toolCallId === toolCallId)
      return call ? callOf(call) : null
    },
  }
}

function wordsOf({ toolName, input: given, about, because }) {
  const why = because ? ` because of ${JSON.stringify(because)}` : ''
  return `${toolName} ${JSON.stringify(given)} ${about?.text ?? ''}${why}`
}

function button(name, press) {
  const element = document.createElement('button')
  element.textContent = name
  element.dataset.answer = name === 'No' ? 'deny' : 'approve'
  element.addEventListener('click', () => {
    press().catch((error) => (element.title = error.message))
  })
  return element
}
