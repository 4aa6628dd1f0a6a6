import 'offstage/chat'
import { createDemoAgent } from './agent/demo-agent.ts'
import type { DemoApp } from './app.ts'
import { createFaultButtons } from './faults/fault-buttons.ts'
import { createNetwork } from './faults/network.ts'
import { createJournal } from './journal/journal.ts'
import { createLedgerApp } from './ledger/ledger-app.ts'
import { byId, setText } from './lib/dom.ts'
import { Latest } from './lib/latest.ts'
import { createFailure } from './model/failure.ts'
import { loadChoice, toModelConfig } from './model/model-choice.ts'
import { ModelPicker } from './model/model-picker.ts'
import { scriptOf, suggestionsOf } from './model/script.ts'
import { createShopApp } from './shop/shop-app.ts'
import { createViews } from './views.ts'
import { createDemoWorker } from './worker/demo-worker.ts'

const worker = createDemoWorker()
const network = createNetwork(worker)
const app = createApp()
const script = scriptOf(app.scenes)
const views = createViews(app.title)
let model = toModelConfig(loadChoice(), '', script)
const agent = createDemoAgent(app, {
  model,
  worker: worker.make,
  onHands: () => views.show('app'),
})
agent.on('warning', ({ message }) => setText(byId('agent-note', HTMLElement), message))
const titles = new Map(app.tools.map(({ name, title = name }) => [name, title]))
const faultButtons = createFaultButtons({ agent, worker, network, titles })

const chat = document.querySelector('offstage-chat')
if (!chat) throw new Error('index.html has no chat.')
// The id separates what the two apps' chats store.
if (app.id !== 'shop') chat.id = `chat-${app.id}`
chat.heading = app.heading
chat.suggestions = suggestionsOf(app.scenes)
chat.words = { greeting: app.greeting, conversations: 'History', newConversation: 'New' }
app.connect(agent, chat)

const journal = createJournal(agent)
const showFailure = createFailure(() => model)
const shown = new Latest()
chat.addEventListener('offstage-view', (event) => {
  if (!(event instanceof CustomEvent)) return
  const { conversationId }: { conversationId: string } = event.detail
  const conversation = agent.conversation(conversationId)
  const signal = shown.start()
  const stop = conversation.subscribe(() => showFailure(conversation.getSnapshot().error))
  signal.addEventListener('abort', stop)
  showFailure(undefined)
  faultButtons.show(conversation, signal)
  journal.show(conversationId)
})

const picker = new ModelPicker({
  onPick(choice, apiKey) {
    model = toModelConfig(choice, apiKey, script)
    agent.configure({ model })
    chat.agent = agent
  },
  onClose() {
    if (chat.agent) return
    // Nobody typed the key: what was under way waits in the list.
    chat.conversationId = agent.newConversationId()
    chat.agent = agent
  },
})

// A run would fail without its key. It is asked for first, and picking the model resumes.
if (picker.choice.hadKey)
  picker.demand('A reload forgets keys. Type it again, and the run continues.')
else chat.agent = agent

byId('take', HTMLButtonElement).addEventListener('click', () => {
  const setup = { app: app.id, title: app.title, model: picker.choice }
  void import('./project/project-dialog.ts').then(({ openProject }) => openProject(setup))
})

// On a narrow screen, what the import does is to be seen.
byId('import-sample', HTMLButtonElement).addEventListener('click', () => views.show('agent'))

/** Creates the app that the address names, and shows it. */
function createApp(): DemoApp {
  const isLedger = new URLSearchParams(location.search).get('app') === 'ledger'
  const created = isLedger ? createLedgerApp() : createShopApp()
  byId(created.id, HTMLElement).hidden = false
  document.querySelector(`[data-app=${created.id}]`)?.setAttribute('aria-current', 'page')
  return created
}
