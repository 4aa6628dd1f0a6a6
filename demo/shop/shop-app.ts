import type { DemoApp } from '../app.ts'
import { showCart } from './cart-view.ts'
import { showCatalogue } from './catalogue-view.ts'
import { orderSlip } from './order-slip.ts'
import { showOrders } from './orders-view.ts'
import { createShop } from './shop.ts'
import { shopScenes } from './shop-scenes.ts'
import { cartSummary, shopTools } from './shop-tools.ts'

/** Kiln: approvals, orders and page tools. */
export function createShopApp(): DemoApp {
  const shop = createShop()
  showCatalogue(shop)
  showCart(shop)
  showOrders(shop)
  return {
    id: 'shop',
    title: 'Shop',
    heading: "Kiln's assistant",
    greeting: "Hi, I'm Kiln's assistant. I run in this page, in a worker. Try to break me.",
    instructions:
      'You help people shop at Kiln, a small pottery shop. Use the tools to search, to fill the cart and to order; never invent products or prices.',
    scenes: shopScenes,
    tools: shopTools(shop),
    context: () => ({ cart: cartSummary(shop) }),
    connect(agent, chat) {
      chat.renderers = { checkout: orderSlip(agent) }
    },
  }
}
