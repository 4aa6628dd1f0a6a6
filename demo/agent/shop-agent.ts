import { createAgent, type Agent, type ModelConfig } from 'offstage'
import { pageTools } from 'offstage/page-tools'
import type { Network } from '../faults/network.ts'
import { cartSummary, shopTools } from '../shop/shop-tools.ts'
import type { Shop } from '../shop/shop.ts'

interface ShopAgentOptions {
  readonly model: ModelConfig
  readonly worker: () => Worker
  readonly network: Network
  /** The shop is about to be used by hand. */
  onHands(): void
}

export function createShopAgent(
  shop: Shop,
  { model, worker, network, onHands }: ShopAgentOptions,
): Agent {
  // The shop's own tools come first; with these the agent can do by hand what none of them does.
  const hands = pageTools({
    root: () => document.querySelector('#shop'),
    showActions: true,
    tools: ['read_page', 'click', 'type_text', 'highlight'],
  })
  const isOfHands = new Set(hands.map(({ name }) => name))
  return createAgent({
    model,
    worker,
    // A worker that was killed is missed soon.
    heartbeatMs: 1000,
    instructions:
      'You help people shop at Kiln, a small pottery shop. Use the tools to search, to fill the cart and to order; never invent products or prices. Only for what they cannot do, such as showing where something is, use the page itself: read_page, click, type_text, highlight. Answer in one or two sentences. Today is {{date}}.',
    values: { date: new Date().toDateString() },
    tools: [...shopTools(shop, network), ...hands],
    controlTools: ['ask_user'],
    questionFields: true,
    consent: 'person',
    context: () => ({ cart: cartSummary(shop) }),
    storage: { name: 'kiln' },
    beforeToolCall({ toolName }) {
      if (isOfHands.has(toolName)) onHands()
    },
  })
}
