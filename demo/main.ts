import 'offstage/chat'
import type { ModelConfig } from 'offstage'
import { createDemoAgent } from './agent/demo-agent.ts'
import type { DemoApp } from './app.ts'
import { createFaultButtons } from './faults/fault-buttons.ts'
import { createNetwork } from './faults/network.ts'
import { createJournal } from './journal/journal.ts'
import { createLedgerApp } from './ledger/ledger-app.ts'
import { byId, setText } from './lib/dom.ts'
import { Latest } from './lib/latest.ts'
import { browserEngines } from './model/browser-engines.ts'
import { loadCallMode, saveCallMode } from './model/call-mode.ts'
import { createFailure } from './model/failure.ts'
import { loadChoice, type ModelChoice, toModelConfig } from './model/model-choice.ts'
import { ModelPicker } from './model/model-picker.ts'
import { scriptOf, suggestionsOf } from './model/script.ts'
import { createShopApp } from './shop/shop-app.ts'
import { editTools, ownScenes } from './tools/edit-tools.ts'
import { storedEdits } from './tools/stored-edits.ts'
import { createViews } from './views.ts'
import { createDemoWorker } from './worker/demo-worker.ts'

const worker = createDemoWorker()
const network = createNetwork(worker)
const app = createApp()
const edits = storedEdits(app.id)
const views = createViews(app.title)
/** Settings of the model's configuration, besides the choice of a model. */
const settings = { apiKey: '', callMode: loadCallMode(), refusesTools: false }
let model = modelOf(loadChoice())
const agent = createDemoAgent(app, {
  model,
  worker: worker.make,
  tools: editTools(app.tools, edits.read()),
  engines: browserEngines,
  recordsRequests: true,
  onPageAction: () => views.show('app'),
})
agent.on('warning', ({ message }) => setText(byId('agent-note', HTMLElement), message))
const titles = new Map(app.tools.map(({ name, title = name }) => [name, title]))
const faultButtons = createFaultButtons({
  agent,
  worker,
  network,
  titles,
  onToolsRefused(isRefused) {
    settings.refusesTools = isRefused
    configureModel()
  },
})

const chat = byId('chat', HTMLElement) as HTMLElementTagNameMap['offstage-chat']
// The id separates what the two apps' chats store.
if (app.id !== 'shop') chat.id = `chat-${app.id}`
chat.heading = app.heading
chat.suggestions = suggestionsOf(app.scenes)
chat.words = { greeting: app.greeting, conversations: 'History', newConversation: 'New' }
app.connect(agent, chat)

const journal = createJournal(agent, openTools)
const showFailure = createFailure(() => model)
const latestView = new Latest()
chat.addEventListener('offstage-view', (event) => {
  if (!(event instanceof CustomEvent)) return
  const { conversationId }: { conversationId: string } = event.detail
  const conversation = agent.conversation(conversationId)
  const signal = latestView.start()
  const unsubscribe = conversation.subscribe(() => showFailure(conversation.getSnapshot().error))
  signal.addEventListener('abort', unsubscribe)
  showFailure(undefined)
  faultButtons.show(conversation, signal)
  journal.show(conversationId)
})

const picker = new ModelPicker({
  onPick(choice, apiKey) {
    settings.apiKey = apiKey
    configureModel(choice)
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
  picker.openWithProblem('A reload forgets keys and files. Give it again, and the run continues.')
else chat.agent = agent

byId('take', HTMLButtonElement).addEventListener('click', () => {
  const { id, title } = app
  const { callMode } = settings
  const setup = { app: id, title, model: picker.choice, callMode, edits: edits.read() }
  void import('./project/project-dialog.ts').then(({ openProject }) => openProject(setup))
})

// On a narrow screen, what the import does is to be seen.
byId('import-sample', HTMLButtonElement).addEventListener('click', () => views.show('agent'))

function configureModel(choice = picker.choice): void {
  model = modelOf(choice)
  agent.configure({ model })
}

function modelOf(choice: ModelChoice): ModelConfig {
  const script = scriptOf([...ownScenes(edits.read()), ...app.scenes])
  return {
    ...toModelConfig(choice, settings.apiKey, script),
    toolMode: settings.callMode,
    // Offstage remembers what an endpoint refuses, by its configuration: this one is forgotten when refusals end.
    ...(settings.refusesTools && { extraBody: {} }),
  }
}

async function openTools(): Promise<void> {
  const { connectToolsPanel } = await import('./tools/tools-panel.ts')
  connectToolsPanel({
    agent,
    chat,
    tools: app.tools,
    edits,
    callMode: settings.callMode,
    onCallMode(mode) {
      settings.callMode = mode
      saveCallMode(mode)
      configureModel()
      journal.record()
    },
    onEdited: configureModel,
  })
}

/** Creates the app that the address names, and shows it. */
function createApp(): DemoApp {
  const isLedger = new URLSearchParams(location.search).get('app') === 'ledger'
  const created = isLedger ? createLedgerApp() : createShopApp()
  byId(created.id, HTMLElement).hidden = false
  document.querySelector(`[data-app=${created.id}]`)?.setAttribute('aria-current', 'page')
  return created
}
