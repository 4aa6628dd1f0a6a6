import 'offstage/chat'
import { createShopAgent } from './agent/shop-agent.ts'
import { createFaultButtons } from './faults/fault-buttons.ts'
import { createNetwork } from './faults/network.ts'
import { createJournal } from './journal/journal.ts'
import { byId, setText } from './lib/dom.ts'
import { createFailure } from './model/failure.ts'
import { loadChoice, toModelConfig } from './model/model-choice.ts'
import { ModelPicker } from './model/model-picker.ts'
import { suggestions } from './model/script.ts'
import { showCart } from './shop/cart-view.ts'
import { showCatalogue } from './shop/catalogue-view.ts'
import { orderSlip } from './shop/order-slip.ts'
import { showOrders } from './shop/orders-view.ts'
import { createShop } from './shop/shop.ts'
import { createViews } from './views.ts'
import { createDemoWorker } from './worker/demo-worker.ts'

const shop = createShop()
showCatalogue(shop)
showCart(shop)
showOrders(shop)

const views = createViews()
const worker = createDemoWorker()
const network = createNetwork(worker)
let model = toModelConfig(loadChoice(), '')
const agent = createShopAgent(shop, {
  model,
  worker: worker.make,
  network,
  onHands: () => views.show('shop'),
})
agent.on('warning', ({ message }) => setText(byId('agent-note', HTMLElement), message))
createFaultButtons(agent, worker, network)

const chat = document.querySelector('offstage-chat')
if (!chat) throw new Error('index.html has no chat.')
chat.suggestions = suggestions
chat.words = {
  greeting: "Hi, I'm Kiln's assistant. I run in this page, in a worker. Try to break me.",
  conversations: 'History',
  newConversation: 'New',
}
chat.renderers = { checkout: orderSlip(agent) }

const journal = createJournal(agent)
const showFailure = createFailure(() => model)
let stopFollowing = (): void => {}
chat.addEventListener('offstage-view', (event) => {
  if (!(event instanceof CustomEvent)) return
  const { conversationId }: { conversationId: string } = event.detail
  const conversation = agent.conversation(conversationId)
  stopFollowing()
  stopFollowing = conversation.subscribe(() => showFailure(conversation.getSnapshot().error))
  showFailure(undefined)
  journal.show(conversationId)
})

const picker = new ModelPicker({
  onPick(choice, apiKey) {
    model = toModelConfig(choice, apiKey)
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
