import { createAgent } from 'offstage'
import { pageTools } from 'offstage/page-tools'
import { Chat } from './chat/chat.ts'
import { lastConversation } from './chat/last-conversation.ts'
import { createSceneButtons } from './chat/scene-buttons.ts'
import { createChatSheet } from './chat/sheet.ts'
import { byId, el, setText } from './lib/dom.ts'
import { loadChoice, toModelConfig } from './model/model-choice.ts'
import { ModelPicker } from './model/model-picker.ts'
import { FALLBACK_TEXT } from './model/script.ts'
import { showCart } from './shop/cart-view.ts'
import { showCatalogue } from './shop/catalogue-view.ts'
import { showOrders } from './shop/orders-view.ts'
import { cartSummary, shopTools } from './shop/shop-tools.ts'
import { createShop } from './shop/shop.ts'

const shop = createShop()
showCatalogue(shop)
showCart(shop)
showOrders(shop)

// The shop's own tools come first; with these the agent can do by hand what none of them does.
const hands = pageTools({
  root: () => document.querySelector('#shop'),
  hands: true,
  tools: ['read_page', 'click', 'type_text', 'highlight'],
})
const tools = [...shopTools(shop), ...hands]
let model = toModelConfig(loadChoice(), '')
const agent = createAgent({
  model,
  instructions:
    'You help people shop at Kiln, a small pottery shop. Use the tools to search, to fill the cart and to order; never invent products or prices. Only for what they cannot do, such as showing where something is, use the page itself: read_page, click, type_text, highlight. Answer in one or two sentences. Today is {{date}}.',
  values: { date: new Date().toDateString() },
  tools,
  controlTools: ['ask_user'],
  questionFields: true,
  context: () => ({ cart: cartSummary(shop) }),
  storage: { name: 'kiln' },
})

const chat = new Chat(agent, {
  titleOf: (toolName) =>
    toolName === 'ask_user'
      ? 'Ask you'
      : (tools.find(({ name }) => name === toolName)?.title ?? toolName),
  offerFor(text) {
    if (text !== FALLBACK_TEXT) return undefined
    const button = el('button', { type: 'button' }, 'Connect a model')
    button.addEventListener('click', () => picker.open())
    return button
  },
  model: () => model,
  onBusy: (busy) => sceneButtons.setBusy(busy),
})
const sceneButtons = createSceneButtons((prompt) => chat.send(prompt))
createChatSheet()

const picker = new ModelPicker((choice, apiKey) => {
  model = toModelConfig(choice, apiKey)
  agent.configure({ model })
  void chat.resume(lastConversation())
})
const note = byId('agent-note', HTMLElement)
agent.on('warning', ({ message }) => setText(note, message))
let storageNote = ''
agent.on('storage', ({ mode, reason }) => {
  const wasNoted = storageNote !== ''
  if (mode === 'memory') storageNote = 'Storage is blocked: a reload forgets the conversations.'
  else storageNote = mode === 'durable' ? '' : (reason?.message ?? mode)
  if (wasNoted || storageNote !== '') setText(note, storageNote)
})

// A run would fail without its key. It is asked for first, and picking the model resumes.
if (picker.choice.hadKey)
  picker.demand('A reload forgets keys. Type it again, and what was under way goes on.')
else void chat.resume(lastConversation())
